//! From a plan file to a plan, and from a plan to the claim that the core verifies.

use super::choice::{ChosenAlternative, PlannedChoice};
use super::file::PlanFile;
use super::{PLAN_TAG, Plan, PlannedAlternative, PlannedSlot};
use crate::decode::Document;
use crate::error::{ErrorKind, Problem, ReadError, Within, path_text};
use crate::input::{PLAN_BYTES_MAX, Syntax};
use crate::number::Num;
use crate::scenario::Object;
use crate::unit::{MONEY_DECIMALS, Unit};
use walras_core::{Algorithm, Mode};
use walras_model::quantity::TIME_LIMIT;
use walras_model::{Money, Span, Time};
use walras_verify::{ChosenClaim, Claim, ClaimedAlternative, ClaimedChoice, ClaimedSlot, Rules};

/// Reads a plan, which is always JSON. `source` is the file's name, for errors.
///
/// The numbers of a plan that this returns are in range: [`Plan::to_claim`] does not fail on it.
pub fn read_plan(bytes: &[u8], source: &str) -> Result<Plan, ReadError> {
    let document = Document::new(bytes, source, Syntax::Json, ("schema", PLAN_TAG), PLAN_BYTES_MAX)?;
    let Object(file) = document.decode_always_json::<Object<PlanFile>>()?;
    let plan = file.plan().map_err(|problem| document.value_error(&problem))?;
    if plan.schema != PLAN_TAG {
        document.check_tag()?;
    }
    claim(&plan).map_err(|problem| document.value_error(&problem))?;
    Ok(plan)
}

impl Plan {
    /// What the plan claims, for [`walras_verify::verify_plan`]. `source` is the file's name, for errors.
    ///
    /// Times that are no whole number of milliseconds, and costs that are no whole number of micro-credits,
    /// are refused and not rounded: nobody who plans with Walras has them.
    pub fn to_claim(&self, source: &str) -> Result<Claim, ReadError> {
        claim(self).map_err(|problem| ReadError {
            kind: ErrorKind::Value,
            source: source.to_owned(),
            position: None,
            path: path_text(&problem.path()),
            problem: format!("{} {}", problem.value, problem.what),
            value: Some(problem.value),
        })
    }

    /// The rules that the plan was made under.
    pub fn rules(&self) -> Rules {
        Rules { budget_factor: self.search.budget_factor, price_cap: self.search.algorithm == Algorithm::Alp }
    }
}

fn claim(plan: &Plan) -> Result<Claim, Problem> {
    let claimed = plan.alternatives.iter().enumerate();
    let alternatives =
        claimed.map(|(index, alternative)| self::alternative(alternative, plan.unit).in_item(index));
    let alternatives = alternatives.collect::<Result<_, Problem>>().in_field("alternatives")?;
    let choice = plan.choice.as_ref().filter(|choice| choice.found());
    Ok(Claim {
        alternatives,
        unscheduled: Some(plan.unscheduled.iter().map(|unscheduled| unscheduled.job.clone()).collect()),
        one_each: plan.search.mode == Mode::FirstOnTheFly,
        choice: choice.map(|choice| self::choice(choice, plan.unit)).transpose()?,
    })
}

fn choice(planned: &PlannedChoice, unit: Unit) -> Result<ClaimedChoice, Problem> {
    let (limits, totals) = (&planned.limits, &planned.totals);
    let chosen = planned.chosen.iter().enumerate();
    let chosen = chosen.map(|(index, entry)| self::chosen(entry, unit).in_item(index));
    let millis = |number: &Num| sum(number, unit.time_decimals(), "a sum of times, in milliseconds");
    let micros = |number: &Num| sum(number, MONEY_DECIMALS, "a sum of credits, in millionths");
    let makespan = totals.makespan.as_ref().map(|end| time(end, unit)).transpose();
    Ok(ClaimedChoice {
        chosen: chosen.collect::<Result<_, Problem>>().in_field("chosen")?,
        left_out: planned.left_out.clone(),
        time_limit: limits.time.as_ref().map(millis).transpose().in_field("time").in_field("limits")?,
        budget_limit: limits.budget.as_ref().map(micros).transpose().in_field("budget").in_field("limits")?,
        cost: micros(&totals.cost).in_field("cost").in_field("totals")?,
        time: millis(&totals.time).in_field("time").in_field("totals")?,
        makespan: makespan.in_field("makespan").in_field("totals")?,
        jobs: totals.jobs,
    })
}

fn chosen(planned: &ChosenAlternative, unit: Unit) -> Result<ChosenClaim, Problem> {
    let span = planned.time.units(unit.time_decimals()).and_then(Span::from_millis);
    let wrong = || Problem::new(planned.time.as_str(), "is not a length of time in whole milliseconds");
    Ok(ChosenClaim {
        job: planned.job.clone(),
        alternative: planned.alternative,
        start: time(&planned.start, unit).in_field("start")?,
        end: time(&planned.end, unit).in_field("end")?,
        cost: money(&planned.cost).in_field("cost")?,
        time: span.ok_or_else(wrong).in_field("time")?,
    })
}

/// A sum, which may be beyond the range of its terms.
fn sum(number: &Num, decimals: u32, what: &str) -> Result<i128, Problem> {
    let units = number.decimal().and_then(|decimal| decimal.units_wide(decimals).ok());
    units.ok_or_else(|| Problem::new(number.as_str(), format!("is not {what}")))
}

fn alternative(planned: &PlannedAlternative, unit: Unit) -> Result<ClaimedAlternative, Problem> {
    let slots = planned.slots.iter().enumerate().map(|(index, planned)| slot(planned, unit).in_item(index));
    Ok(ClaimedAlternative {
        job: planned.job.clone(),
        start: time(&planned.start, unit).in_field("start")?,
        end: time(&planned.end, unit).in_field("end")?,
        cost: money(&planned.cost).in_field("cost")?,
        slots: slots.collect::<Result<_, Problem>>().in_field("slots")?,
    })
}

fn slot(planned: &PlannedSlot, unit: Unit) -> Result<ClaimedSlot, Problem> {
    Ok(ClaimedSlot {
        site: planned.site.clone(),
        node: planned.node.clone(),
        start: time(&planned.start, unit).in_field("start")?,
        end: time(&planned.end, unit).in_field("end")?,
        cost: money(&planned.cost).in_field("cost")?,
        units: planned.units,
        capacity: planned.capacity,
    })
}

fn time(number: &Num, unit: Unit) -> Result<Time, Problem> {
    number.units(unit.time_decimals()).and_then(Time::from_millis).ok_or_else(|| {
        let what = format!(
            "is not a time: it must be a whole number of milliseconds, within +-{TIME_LIMIT}, written in {}",
            unit.symbol()
        );
        Problem::new(number.as_str(), what)
    })
}

fn money(number: &Num) -> Result<Money, Problem> {
    number.units(MONEY_DECIMALS).map(Money::from_micros).ok_or_else(|| {
        let what = "is not an amount of credits: it must be a whole number of millionths in range";
        Problem::new(number.as_str(), what)
    })
}

/// A name as text, through `Display` and `FromStr` of the core.
pub(super) mod algorithm_name {
    use serde::{Deserialize, Deserializer, Serializer, de};
    use walras_core::Algorithm;

    pub(crate) fn serialize<S: Serializer>(algorithm: &Algorithm, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(algorithm)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Algorithm, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// `budget_factor` as a number.
pub(super) mod factor_number {
    use crate::number::Num;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
    use walras_model::Factor;

    pub(crate) fn serialize<S: Serializer>(factor: &Factor, serializer: S) -> Result<S::Ok, S::Error> {
        Num::from_units(factor.as_millionths().into(), 6).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Factor, D::Error> {
        let number = Num::deserialize(deserializer)?;
        let factor = number.units(6).and_then(Factor::from_millionths);
        let expected = &"a number greater than 0 and at most 1, in millionths";
        factor.ok_or_else(|| de::Error::invalid_value(de::Unexpected::Other(number.as_str()), expected))
    }
}

/// A module that reads and writes a value of the core by a table of names.
macro_rules! named {
    ($module:ident, $type:ident, {$($name:literal => $variant:ident),* $(,)?}) => {
        mod $module {
            use serde::{Deserialize, Serialize};

            #[derive(Serialize, Deserialize)]
            pub(super) enum Named {$(
                #[serde(rename = $name)]
                $variant,
            )*}

            impl From<walras_core::$type> for Named {
                fn from(value: walras_core::$type) -> Named {
                    match value {$(walras_core::$type::$variant => Named::$variant,)*}
                }
            }

            impl From<Named> for walras_core::$type {
                fn from(named: Named) -> walras_core::$type {
                    match named {$(Named::$variant => walras_core::$type::$variant,)*}
                }
            }
        }
    };
}

named!(mode_wire, Mode, {
    "all-alternatives" => AllAlternatives,
    "first-on-the-fly" => FirstOnTheFly,
});

named!(limit_wire, LimitHit, {
    "alternatives_per_job" => AlternativesPerJob,
    "alternatives" => Alternatives,
    "branches" => Branches,
    "explanations" => Explanations,
});

/// A search mode by name.
pub(super) mod mode_name {
    use super::mode_wire::Named;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use walras_core::Mode;

    pub(crate) fn serialize<S: Serializer>(mode: &Mode, serializer: S) -> Result<S::Ok, S::Error> {
        Named::from(*mode).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Mode, D::Error> {
        Named::deserialize(deserializer).map(Mode::from)
    }
}

/// Limits by name.
pub(super) mod limit_names {
    use super::limit_wire::Named;
    use serde::{Deserialize, Deserializer, Serializer};
    use walras_core::LimitHit;

    pub(crate) fn serialize<S: Serializer>(limits: &[LimitHit], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(limits.iter().map(|limit| Named::from(*limit)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<LimitHit>, D::Error> {
        let names = Vec::<Named>::deserialize(deserializer)?;
        Ok(names.into_iter().map(LimitHit::from).collect())
    }
}
