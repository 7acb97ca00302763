//! What makes a window better for the whole batch: an objective as sums over cost, run time and end.

use crate::choose::{Objective, Total};

/// What windows are compared by; the first number that differs decides.
pub(super) type Value = [i128; 3];

/// Weights beyond this are left alone, so that no sum overflows.
const WEIGHT_MAX: i128 = 1 << 40;

/// One sum: so much for each micro-credit, each millisecond of run time and each millisecond of the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) cost: i128,
    pub(super) time: i128,
    pub(super) finish: i128,
}

/// What a window comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Measure {
    pub(super) cost: i128,
    pub(super) time: i128,
    pub(super) finish: i128,
}

impl Form {
    fn of(total: Total) -> Form {
        match total {
            Total::Cost | Total::SpareBudget => Form { cost: 1, ..Form::default() },
            Total::Time | Total::SpareTime => Form { time: 1, ..Form::default() },
            Total::Finish => Form { finish: 1, ..Form::default() },
            Total::Income => Form { cost: -1, ..Form::default() },
        }
    }

    pub(super) fn value(&self, measure: Measure) -> i128 {
        self.cost * measure.cost + self.time * measure.time + self.finish * measure.finish
    }

    fn plus(self, other: Form, weight: i128) -> Form {
        Form {
            cost: self.cost + weight * other.cost,
            time: self.time + weight * other.time,
            finish: self.finish + weight * other.finish,
        }
    }
}

/// Sums in order: the first decides, the next only among equals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Aim {
    pub(super) forms: [Form; 3],
}

impl Aim {
    /// First the end, then the cost.
    pub(super) const FINISH: Aim = Aim {
        forms: [
            Form { cost: 0, time: 0, finish: 1 },
            Form { cost: 1, time: 0, finish: 0 },
            Form { cost: 0, time: 0, finish: 0 },
        ],
    };
    /// The cost alone.
    pub(super) const COST: Aim = Aim {
        forms: [
            Form { cost: 1, time: 0, finish: 0 },
            Form { cost: 0, time: 0, finish: 0 },
            Form { cost: 0, time: 0, finish: 0 },
        ],
    };

    /// The aim of an objective that sums, and of the least makespan what each window adds after it; `None` where windows are not
    /// compared by such sums, late ends are wanted, or weights are too large.
    pub(super) fn of(objective: &Objective) -> Option<Aim> {
        let mut forms: Vec<Form> = match objective {
            Objective::MinTime => vec![Form::of(Total::Time)],
            Objective::MinCost | Objective::MinMakespan => vec![Form::of(Total::Cost)],
            Objective::MaxIncome => vec![Form::of(Total::Income)],
            Objective::MaxUse => vec![Form { time: -1, ..Form::default() }],
            Objective::Weighted(terms) => {
                let add =
                    |sum: Form, (total, weight): &(Total, i64)| sum.plus(Form::of(*total), (*weight).into());
                vec![terms.iter().fold(Form::default(), add)]
            }
            Objective::Lexicographic(terms) => terms.iter().map(|total| Form::of(*total)).collect(),
            Objective::Satisfaction => return None,
        };
        // A total that came before says nothing new: what is left are at most cost, time and end.
        let mut seen: Vec<[bool; 3]> = Vec::new();
        forms.retain(|form| {
            let kind = [form.cost != 0, form.time != 0, form.finish != 0];
            let new = !seen.contains(&kind);
            seen.push(kind);
            new
        });
        let sound = |form: &Form| {
            form.finish >= 0
                && [form.cost, form.time, form.finish].iter().all(|weight| weight.abs() <= WEIGHT_MAX)
        };
        forms.resize(3, Form::default());
        let forms: [Form; 3] = forms.try_into().ok()?;
        forms.iter().all(sound).then_some(Aim { forms })
    }

    pub(super) fn value(&self, measure: Measure) -> Value {
        self.forms.map(|form| form.value(measure))
    }

    /// Whether dearer windows are better.
    pub(super) fn likes_dear(&self) -> bool {
        self.forms.iter().map(|form| form.cost).find(|cost| *cost != 0).is_some_and(|cost| cost < 0)
    }

    /// Whether one sum decides alone.
    pub(super) fn is_single(&self) -> bool {
        self.forms[1..].iter().all(|form| *form == Form::default())
    }

    /// The same aim where the first sum counts `times` fold, and so much of another beside it.
    pub(super) fn leaning(mut self, times: i128, other: Form) -> Aim {
        self.forms[0] = Form::default().plus(self.forms[0], times).plus(other, 1);
        self
    }
}
