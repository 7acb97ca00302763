//! From an objective and limits to a multiple-choice knapsack, and back to a combination.

use super::knapsack::{Candidate, ChoiceProblem, Solution, Solved};
use super::{
    AppliedLimits, ChoiceLimits, Combination, LeaveOut, Menu, MenuItem, MenuJob, NoCombination, Objective,
    Total, Totals, VoPolicy, backward, core, several,
};
use walras_model::outcome::Outcome;
use walras_model::quantity::Time;

/// Up to so many candidates in all the papers' dynamic programme is tried first.
const BACKWARD_CANDIDATES_MAX: usize = 64;
/// It gives way when it would take more steps than this.
const BACKWARD_STEPS_MAX: usize = 2_000;

/// The best combination within limits that are already known.
pub(super) fn choose_within(
    menu: &Menu,
    policy: &VoPolicy,
    applied: AppliedLimits,
    limits: &ChoiceLimits,
) -> Outcome<Combination, NoCombination> {
    if policy.leave_out == LeaveOut::Never
        && let Some(reason) = out_of_reach(menu, applied)
    {
        return Outcome::Infeasible(reason);
    }
    let task = Task { menu, applied, leave_out: policy.leave_out, limits };
    match &policy.objective {
        Objective::MinMakespan => task.least_makespan(),
        other => match values(menu, other) {
            Some(values) => task.least_value(&values),
            None => Outcome::Infeasible(NoCombination::Overflow),
        },
    }
}

/// The limit that even the least alternatives break, if there is one.
fn out_of_reach(menu: &Menu, applied: AppliedLimits) -> Option<NoCombination> {
    let least = |measure: fn(&MenuItem) -> i128| -> i128 {
        menu.jobs.iter().map(|job| job.items.iter().map(measure).min().unwrap_or(0)).sum()
    };
    let (time, cost) = (least(time_of), least(cost_of));
    match applied {
        AppliedLimits { time: Some(limit), .. } if time > limit => {
            Some(NoCombination::TimeLimit { limit, least: time })
        }
        AppliedLimits { budget: Some(limit), .. } if cost > limit => {
            Some(NoCombination::BudgetLimit { limit, least: cost })
        }
        _ => None,
    }
}

fn cost_of(item: &MenuItem) -> i128 {
    i128::from(item.cost.as_micros())
}

fn time_of(item: &MenuItem) -> i128 {
    i128::from(item.time.as_millis())
}

/// What an item adds to a total; less is better. Constants such as B* make no difference.
fn term(total: Total, item: &MenuItem) -> i128 {
    match total {
        Total::Cost | Total::SpareBudget => cost_of(item),
        Total::Time | Total::SpareTime => time_of(item),
        Total::Finish => i128::from(item.finish.as_millis()),
        Total::Income => -cost_of(item),
    }
}

/// The value of every item of every job under an objective that sums; `None` on overflow.
fn values(menu: &Menu, objective: &Objective) -> Option<Vec<Vec<i128>>> {
    let each = |value: &dyn Fn(&MenuItem) -> Option<i128>| {
        menu.jobs.iter().map(|job| job.items.iter().map(value).collect()).collect()
    };
    match objective {
        Objective::MinTime => each(&|item| Some(time_of(item))),
        Objective::MinCost => each(&|item| Some(cost_of(item))),
        Objective::MaxIncome => each(&|item| Some(-cost_of(item))),
        Objective::MaxUse => each(&|item| Some(-time_of(item))),
        Objective::Weighted(terms) => each(&|item| {
            terms.iter().try_fold(0_i128, |sum, (total, weight)| {
                sum.checked_add(term(*total, item).checked_mul(i128::from(*weight))?)
            })
        }),
        Objective::Lexicographic(terms) => {
            let mut values: Vec<Vec<i128>> = each(&|_| Some(0))?;
            for total in terms {
                values = in_order(menu, &values, *total)?;
            }
            Some(values)
        }
        Objective::MinMakespan => None,
    }
}

/// Makes room below the values so far for one more total, which then decides only among equals.
///
/// A job that is left out adds nothing, so a total lies between the sums of what is below and above zero.
fn in_order(menu: &Menu, values: &[Vec<i128>], total: Total) -> Option<Vec<Vec<i128>>> {
    let terms = |job: &MenuJob| job.items.iter().map(|item| term(total, item)).collect::<Vec<i128>>();
    let range = spread(&menu.jobs.iter().map(terms).collect::<Vec<_>>())?;
    let combine = |(job, values): (&MenuJob, &Vec<i128>)| {
        let one =
            |(item, value): (&MenuItem, &i128)| value.checked_mul(range)?.checked_add(term(total, item));
        job.items.iter().zip(values).map(one).collect::<Option<Vec<i128>>>()
    };
    menu.jobs.iter().zip(values).map(combine).collect()
}

/// For every class, the item that each candidate stands for; `None` stands for leaving the job out.
type Sources = Vec<Vec<Option<usize>>>;

/// What has to be chosen from, within which limits.
struct Task<'a> {
    menu: &'a Menu,
    applied: AppliedLimits,
    leave_out: LeaveOut,
    limits: &'a ChoiceLimits,
}

/// A combination before it is dressed up: for each job an item, and whether it is proven best.
struct Answer {
    items: Vec<Option<usize>>,
    value: i128,
    bound: i128,
}

impl Task<'_> {
    fn least_value(&self, values: &[Vec<i128>]) -> Outcome<Combination, NoCombination> {
        match self.solve(values, None) {
            Ok(answer) if answer.bound >= answer.value => Outcome::Optimal(self.combination(answer)),
            Ok(answer) => {
                let bound = answer.bound;
                Outcome::Feasible { best: self.combination(answer), bound }
            }
            Err(reason) => Outcome::Infeasible(reason),
        }
    }

    /// Bisects for the earliest last end at which no more weight is left out than must be.
    fn least_makespan(&self) -> Outcome<Combination, NoCombination> {
        let Some(costs) = values(self.menu, &Objective::MinCost) else {
            return Outcome::Infeasible(NoCombination::Overflow);
        };
        let mut best = match self.solve(&costs, None) {
            Ok(answer) => answer,
            Err(reason) => return Outcome::Infeasible(reason),
        };
        let weight = self.weight_left_out(&best.items);
        let mut ends: Vec<Time> =
            self.menu.jobs.iter().flat_map(|job| &job.items).map(|item| item.finish).collect();
        ends.sort_unstable();
        ends.dedup();
        let mut proven = best.bound >= best.value;
        let (mut low, mut high) = (0, ends.len().saturating_sub(1));
        while low < high {
            let middle = low + (high - low) / 2;
            match self.solve(&costs, Some(ends[middle])) {
                Ok(answer) if self.weight_left_out(&answer.items) <= weight => {
                    best = answer;
                    high = middle;
                }
                Ok(answer) => {
                    proven &= answer.bound >= answer.value;
                    low = middle + 1;
                }
                Err(reason) => {
                    proven &= reason != NoCombination::Unknown;
                    low = middle + 1;
                }
            }
        }
        if let Some(last) = ends.get(high)
            && let Ok(answer) = self.solve(&costs, Some(*last))
        {
            best = answer;
        }
        let bound = self.earliest_makespan();
        let mut combination = self.combination(best);
        combination.value = combination.totals.makespan.map_or(0, |end| i128::from(end.as_millis()));
        if proven || combination.value <= bound {
            return Outcome::Optimal(combination);
        }
        Outcome::Feasible { best: combination, bound }
    }

    /// The last of the jobs' earliest ends.
    fn earliest_makespan(&self) -> i128 {
        let earliest = |job: &MenuJob| job.items.iter().map(|item| i128::from(item.finish.as_millis())).min();
        self.menu.jobs.iter().filter_map(earliest).max().unwrap_or(0)
    }

    fn weight_left_out(&self, items: &[Option<usize>]) -> u128 {
        let left_out = self.menu.jobs.iter().zip(items).filter(|(_, item)| item.is_none());
        left_out.map(|(job, _)| u128::from(job.weight)).sum()
    }

    /// Solves the knapsack of these values over the items that end by `finish_max`.
    fn solve(&self, values: &[Vec<i128>], finish_max: Option<Time>) -> Result<Answer, NoCombination> {
        let (problem, items) = self.problem(values, finish_max)?;
        let solution = match self.solve_problem(&problem) {
            Solved::Found(solution) => solution,
            Solved::TooHeavy(least) => return Err(self.too_heavy(least)),
            Solved::NothingKeepsAll => return Err(self.both_limits(finish_max)),
            Solved::Overflow => return Err(NoCombination::Overflow),
            Solved::Unknown => return Err(NoCombination::Unknown),
        };
        let chosen = solution.chosen.iter().zip(&items).map(|(chosen, items)| items[*chosen]).collect();
        Ok(Answer { items: chosen, value: solution.value, bound: solution.bound })
    }

    fn solve_problem(&self, problem: &ChoiceProblem) -> Solved {
        let candidates: usize = problem.classes.iter().map(Vec::len).sum();
        match problem.limits.len() {
            0 => Solved::Found(least_of_each(problem)),
            1 => {
                if candidates <= BACKWARD_CANDIDATES_MAX
                    && let Ok(Some(solution)) = backward::solve(problem, BACKWARD_STEPS_MAX)
                {
                    return Solved::Found(solution);
                }
                core::solve(problem, self.limits.labels_max)
            }
            _ => several::solve(problem, self.limits.labels_max),
        }
    }

    fn too_heavy(&self, least: i128) -> NoCombination {
        match self.applied {
            AppliedLimits { time: Some(limit), .. } => NoCombination::TimeLimit { limit, least },
            AppliedLimits { budget: Some(limit), .. } => NoCombination::BudgetLimit { limit, least },
            AppliedLimits { time: None, budget: None } => NoCombination::NothingToChoose,
        }
    }

    /// Both limits together are too tight: tells the least cost within T*.
    fn both_limits(&self, finish_max: Option<Time>) -> NoCombination {
        let applied = AppliedLimits { budget: None, ..self.applied };
        let relaxed = Task { applied, menu: self.menu, leave_out: self.leave_out, limits: self.limits };
        let costs = values(self.menu, &Objective::MinCost).unwrap_or_default();
        match relaxed.solve(&costs, finish_max) {
            Ok(answer) => NoCombination::BothLimits { limits: self.applied, least_cost: answer.value },
            Err(reason) => reason,
        }
    }

    /// The knapsack, and for every candidate the item that it stands for.
    fn problem(
        &self,
        values: &[Vec<i128>],
        finish_max: Option<Time>,
    ) -> Result<(ChoiceProblem, Sources), NoCombination> {
        let limits: Vec<i128> = self.applied.time.into_iter().chain(self.applied.budget).collect();
        let penalty = spread(values).ok_or(NoCombination::Overflow)?;
        let (mut classes, mut sources) = (Vec::new(), Vec::new());
        for (job, values) in self.menu.jobs.iter().zip(values) {
            let (mut class, mut source) = (Vec::new(), Vec::new());
            for (index, (item, value)) in job.items.iter().zip(values).enumerate() {
                if finish_max.is_none_or(|last| item.finish <= last) {
                    class.push(Candidate { value: *value, takes: self.takes(item) });
                    source.push(Some(index));
                }
            }
            if self.leave_out == LeaveOut::WhenNeeded {
                let value = penalty.checked_mul(i128::from(job.weight)).ok_or(NoCombination::Overflow)?;
                class.push(Candidate { value, takes: vec![0; limits.len()] });
                source.push(None);
            }
            if class.is_empty() {
                return Err(NoCombination::NothingToChoose);
            }
            classes.push(class);
            sources.push(source);
        }
        Ok((ChoiceProblem { classes, limits }, sources))
    }

    fn takes(&self, item: &MenuItem) -> Vec<i128> {
        let time = self.applied.time.map(|_| time_of(item));
        time.into_iter().chain(self.applied.budget.map(|_| cost_of(item))).collect()
    }

    fn combination(&self, answer: Answer) -> Combination {
        let mut totals = Totals::default();
        for (job, item) in self.menu.jobs.iter().zip(&answer.items) {
            if let Some(index) = item {
                totals.add(&job.items[*index]);
            }
        }
        Combination { items: answer.items, totals, limits: self.applied, value: answer.value }
    }
}

/// More than all values together can differ by, whether jobs are left out or not.
fn spread(values: &[Vec<i128>]) -> Option<i128> {
    values.iter().try_fold(1_i128, |sum, values| {
        let most = values.iter().copied().max().unwrap_or(0).max(0);
        let least = values.iter().copied().min().unwrap_or(0).min(0);
        sum.checked_add(most.checked_sub(least)?)
    })
}

/// Without limits the best of each class is the best of all.
fn least_of_each(problem: &ChoiceProblem) -> Solution {
    let least =
        |class: &Vec<Candidate>| (0..class.len()).min_by_key(|index| class[*index].value).unwrap_or(0);
    let chosen: Vec<usize> = problem.classes.iter().map(least).collect();
    let value = problem.value(&chosen);
    Solution { chosen, value, bound: value }
}
