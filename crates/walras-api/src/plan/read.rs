//! From a plan file to a plan, and from a plan to the claim that the core verifies.

use super::{PLAN_TAG, Plan, PlannedAlternative, PlannedSlot};
use crate::decode::Document;
use crate::error::{ErrorKind, Problem, ReadError, Within, path_text};
use crate::input::{PLAN_BYTES_MAX, Syntax};
use crate::number::Num;
use crate::scenario::Object;
use crate::unit::{MONEY_DECIMALS, Unit};
use walras_core::quantity::TIME_LIMIT;
use walras_core::{Algorithm, Claim, ClaimedAlternative, ClaimedSlot, Money, Rules, Time};

/// Reads a plan, which is always JSON. `source` is the file's name, for errors.
///
/// The numbers of a plan that this returns are in range: [`Plan::to_claim`] does not fail on it.
pub fn read_plan(bytes: &[u8], source: &str) -> Result<Plan, ReadError> {
    let document = Document::new(bytes, source, Syntax::Json, ("schema", PLAN_TAG), PLAN_BYTES_MAX)?;
    let Object(plan) = document.decode::<Object<Plan>>()?;
    if plan.schema != PLAN_TAG {
        document.check_tag()?;
    }
    claim(&plan).map_err(|problem| document.value_error(&problem))?;
    Ok(plan)
}

impl Plan {
    /// What the plan claims, for [`walras_core::verify_plan`]. `source` is the file's name, for errors.
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
    Ok(Claim { alternatives })
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
    use walras_core::Factor;

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
