//! Nodes that are sold in parts: what a unit is, how many a task takes, what they cost, and what is left of them.
//!
//! **Problem.** A node has so many cores, so much memory, so many GPUs, and most tasks need some of each. What a task makes unusable to
//! others is more than what it uses: who takes all memory of a node leaves cores that nobody can use.
//!
//! **Method.** The owner sells a node in units, each the same part of everything that is counted. A task takes as many whole units of
//! one node as its dearest need makes it ([`Division::units_needed`]), and pays for these ([`price_of_units`]). So that every amount of every resource is
//! one number, and a node is never sold beyond any of them: k of u units have k/u of everything. Nodes that are sold whole are the case of
//! one unit.
//!
//! A requirement on what a node counts is a use of it where it names an amount ([`amount_asked`]); every other requirement is a test, as ever.
//!
//! Owners keep special nodes from small tasks by [`SaleTerms`]: a task takes no fewer units than they say, so that who needs less pays for these
//! all the same; and only tasks come there that ask for so much of something, such as a GPU.
//!
//! ```
//! use walras_model::{Attributes, Division, Fixed, Rate, Requirement, Test, price_of_units};
//! let node = Division::new(8, [("cores".into(), 64), ("gpus".into(), 8)].into()).unwrap();
//! let need = |name: &str, of: i64| Requirement {
//!     attribute: name.into(),
//!     test: Test::Range { min: Some(Fixed::from_millionths(of * 1_000_000)), max: None },
//! };
//! // Nine cores are two units of eight; the three GPUs beside them make it three.
//! let units = |needs: &[Requirement]| node.units_of_all(needs, &Attributes::new());
//! assert_eq!((units(&[]), units(&[need("cores", 9)])), (Some(1), Some(2)));
//! assert_eq!((units(&[need("cores", 9), need("gpus", 3)]), units(&[need("gpus", 9)])), (Some(3), None));
//! let rate = Rate::from_micros_per_second(1_001).unwrap();
//! assert_eq!(price_of_units(rate, 3, 8).as_micros_per_second(), 376);
//! ```

use crate::attribute::{Attributes, Requirement, Test, Value};
use crate::interval::Interval;
use crate::need::TaskNeed;
use crate::quantity::{Fixed, Rate, Span, Time, Watts, rounding};
use crate::request::Request;
use std::collections::BTreeMap;
use std::sync::Arc;

mod terms;

pub use terms::SaleTerms;
#[cfg(feature = "serde")]
use terms::WrittenDivision;

/// A node is divided into no more units than this.
pub const UNITS_MAX: u32 = 4_096;

/// A node has no more of a resource than this.
pub const AMOUNT_MAX: u64 = 1_000_000_000_000;

/// Millionths of a whole, in which needs are counted.
const MILLION: i128 = 1_000_000;

/// How a node is sold: whole, or in so many units; and what it counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "WrittenDivision", into = "WrittenDivision")
)]
pub struct Division {
    units: u32,
    /// No task takes fewer.
    least_units: u32,
    /// Shared, since parts of a node have the same.
    resources: Arc<BTreeMap<String, u64>>,
    /// What tasks must ask for; shared with parts, too, and nothing where everybody may come.
    only_for: Option<Arc<BTreeMap<String, u64>>>,
}

/// Why a node cannot be sold so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadDivision {
    /// No units, or too many.
    #[error("a node is sold in 1 to {UNITS_MAX} units, not in {0}")]
    Units(u32),
    /// None of a resource, or more than can be counted.
    #[error("{amount} of {resource} is no amount of a resource: a node has from 1 to {AMOUNT_MAX} of each")]
    Amount {
        /// The resource's name.
        resource: String,
        /// How much of it a node would have; outside of 1 to [`AMOUNT_MAX`].
        amount: u64,
    },
    /// An attribute of the node says something else.
    #[error("the node has {0} as an attribute too, with another value")]
    Contradicted(String),
    /// No task could have a place.
    #[error("no task can take at least {least} units of a node that is sold in {units}")]
    LeastUnits {
        /// How many a task is to take at least.
        least: u32,
        /// How many there are.
        units: u32,
    },
    /// It is kept for what it does not count.
    #[error("the node is only for tasks that ask for {0}, which is none of its resources")]
    OnlyForUncounted(String),
    /// It is kept for more of something than it has.
    #[error("the node is only for tasks that ask for {asked} of {resource}, and it has {amount}")]
    OnlyForTooMuch {
        /// The resource's name.
        resource: String,
        /// How much of it tasks must ask for.
        asked: u64,
        /// How much there is.
        amount: u64,
    },
    /// A unit would have a part of one.
    #[error("{amount} of {resource} cannot be divided into {units} equal units")]
    Indivisible {
        /// The resource's name.
        resource: String,
        /// How much there is.
        amount: u64,
        /// Into how many.
        units: u32,
    },
}

impl Default for Division {
    fn default() -> Division {
        Division { units: 1, least_units: 1, resources: Arc::default(), only_for: None }
    }
}

impl Division {
    /// So many units, each the same part of every one of these.
    pub fn new(units: u32, resources: BTreeMap<String, u64>) -> Result<Division, BadDivision> {
        if !(1..=UNITS_MAX).contains(&units) {
            return Err(BadDivision::Units(units));
        }
        for (resource, amount) in &resources {
            if !(1..=AMOUNT_MAX).contains(amount) {
                return Err(BadDivision::Amount { resource: resource.clone(), amount: *amount });
            }
            if amount % u64::from(units) != 0 {
                let (resource, amount) = (resource.clone(), *amount);
                return Err(BadDivision::Indivisible { resource, amount, units });
            }
        }
        Ok(Division { units, least_units: 1, resources: Arc::new(resources), only_for: None })
    }

    /// The same, sold on these terms.
    pub fn on_terms(self, terms: SaleTerms) -> Result<Division, BadDivision> {
        let SaleTerms { least_units, only_for } = terms;
        if !(1..=self.units).contains(&least_units) {
            return Err(BadDivision::LeastUnits { least: least_units, units: self.units });
        }
        for (resource, asked) in &only_for {
            match self.resources.get(resource) {
                None => return Err(BadDivision::OnlyForUncounted(resource.clone())),
                Some(amount) if !(1..=*amount).contains(asked) => {
                    let (resource, asked, amount) = (resource.clone(), *asked, *amount);
                    return Err(BadDivision::OnlyForTooMuch { resource, asked, amount });
                }
                Some(_) => {}
            }
        }
        let only_for = Some(only_for).filter(|only_for| !only_for.is_empty()).map(Arc::new);
        Ok(Division { least_units, only_for, ..self })
    }

    /// Says what is counted among a node's attributes as well, for who only tests it.
    pub fn state_in(&self, attributes: &mut Attributes) -> Result<(), BadDivision> {
        for (resource, amount) in self.resources.as_ref() {
            let millionths = i64::try_from(*amount).unwrap_or(i64::MAX).saturating_mul(1_000_000);
            let value = Value::Number(Fixed::from_millionths(millionths));
            let before = attributes.insert(resource.clone(), value.clone());
            if before.is_some_and(|before| before != value) {
                return Err(BadDivision::Contradicted(resource.clone()));
            }
        }
        Ok(())
    }

    /// How many units there are; one where the node is sold whole.
    #[inline]
    pub fn units(&self) -> u32 {
        self.units
    }

    /// What all units have together.
    pub fn resources(&self) -> &BTreeMap<String, u64> {
        &self.resources
    }

    /// No task takes fewer units.
    pub fn least_units(&self) -> u32 {
        self.least_units
    }

    /// What tasks must ask for of one of these to have a place; `None` where everybody has.
    #[inline]
    pub fn only_for(&self) -> Option<&BTreeMap<String, u64>> {
        self.only_for.as_deref()
    }

    /// Whether who asks for this has a place, by the owner's word: where the node is kept for some, it asks for enough of something.
    pub fn admits<'a>(&self, asked: impl IntoIterator<Item = &'a Requirement>) -> bool {
        let Some(only_for) = &self.only_for else { return true };
        let asks = |requirement: &Requirement| {
            let Some(asked) = amount_asked(&requirement.test) else { return false };
            let mut names = requirement.attribute.split('|').filter_map(|name| only_for.get(name));
            names.any(|least| i128::from(asked.as_millionths()) >= i128::from(*least) * MILLION)
        };
        asked.into_iter().any(asks)
    }

    /// Whether it is sold in more than one unit.
    #[inline]
    pub fn is_divided(&self) -> bool {
        self.units > 1
    }

    /// The least that a node may cost per time: a micro-credit for every unit. Below it, rounding up would make all units by themselves cost twice what
    /// the node does, and more.
    pub fn least_price(&self) -> Rate {
        Rate::from_micros_per_second(self.units.into()).unwrap_or(Rate::MAX)
    }

    /// Whether nothing at all is said of it, as of every node that knows no units.
    pub fn is_plain(&self) -> bool {
        self.units == 1 && self.resources.is_empty()
    }

    /// Whether everybody has a place who asks for nothing.
    #[inline]
    pub fn is_for_everybody(&self) -> bool {
        self.only_for.is_none()
    }

    /// So many of these units as a node by itself, which takes the same requests.
    pub fn of_units(&self, units: u32) -> Division {
        let units = units.clamp(1, self.units);
        Division { units, least_units: self.least_units.min(units), ..self.clone() }
    }

    /// How many units a task of a request takes of a node with these attributes, or a place for the tasks of its workflow; `None` where it does not
    /// fit, or has no place.
    #[inline]
    pub fn units_needed(&self, request: &Request, attributes: &Attributes) -> Option<u32> {
        let admits = self.only_for.is_none() || self.admits(request.asked());
        let units = if admits { self.units_of_all(&request.requires, attributes) } else { None };
        // A node that is sold whole is taken whole, whichever of the tasks it can run.
        if request.scope.needs.is_empty() || !self.is_divided() {
            return units;
        }
        let of_tasks =
            request.scope.needs.iter().filter_map(|need| self.units_of_need(need, attributes)).max();
        Some(units?.max(of_tasks?))
    }

    /// The same of a task that requires this, whoever has a place.
    #[inline]
    pub fn units_of_all(&self, requires: &[Requirement], attributes: &Attributes) -> Option<u32> {
        if self.is_plain() {
            return requires.iter().all(|it| it.is_met_by(attributes)).then_some(1);
        }
        let needed = |most: u32, it| Some(most.max(self.units_for(it, attributes)?));
        requires.iter().try_fold(self.least_units, needed)
    }

    /// Whether a requirement can be met at all.
    pub fn meets(&self, requirement: &Requirement, attributes: &Attributes) -> bool {
        self.units_for(requirement, attributes).is_some()
    }

    /// The units that one requirement takes; none where it is only a test.
    fn units_for(&self, requirement: &Requirement, attributes: &Attributes) -> Option<u32> {
        if requirement.is_exclusive() {
            return Some(self.units);
        }
        let counted = requirement.attribute.split('|').filter_map(|name| self.resources.get(name));
        match amount_asked(&requirement.test) {
            Some(need) if counted.clone().next().is_some() => {
                counted.filter_map(|amount| self.units_of(need.as_millionths(), *amount)).min()
            }
            Some(_) | None => requirement.is_met_by(attributes).then_some(0),
        }
    }

    /// How many units have all that a task of a workflow needs; `None` where the node cannot run it.
    pub fn units_of_need(&self, need: &TaskNeed, attributes: &Attributes) -> Option<u32> {
        let as_asked = self.units_of_all(&need.requires, attributes)?;
        let of_cores = self.units_having("cores", need.counted_cores(), attributes)?;
        let memory = need.counted_memory();
        let of_memory = memory.map_or(Some(0), |it| self.units_having("memory_gb", it, attributes))?;
        Some(as_asked.max(of_cores).max(of_memory))
    }

    /// The units that have so much of something; none where it is not counted, and nothing says that there is less.
    fn units_having(&self, name: &str, need: Fixed, attributes: &Attributes) -> Option<u32> {
        match (self.resources.get(name), attributes.get(name)) {
            (Some(amount), _) => self.units_of(need.as_millionths(), *amount),
            (None, Some(Value::Number(stated))) => (*stated >= need).then_some(0),
            (None, _) => Some(0),
        }
    }

    /// The units that have so many millionths of something of which all have so much.
    fn units_of(&self, need: i64, amount: u64) -> Option<u32> {
        let units =
            rounding::up(i128::from(need.max(0)) * i128::from(self.units), i128::from(amount) * MILLION);
        u32::try_from(units).ok().filter(|units| *units <= self.units)
    }
}

/// How much of something a test asks for at least, where it names an amount: of what is counted, that is used. Whoever would take several
/// amounts takes the least of them, and an upper bound is kept by taking no more.
pub fn amount_asked(test: &Test) -> Option<Fixed> {
    let number = |value: &Value| match value {
        Value::Number(number) => Some(*number),
        Value::Text(_) | Value::Flag(_) => None,
    };
    match test {
        Test::Equals(value) => number(value),
        Test::Range { min, max: _ } => *min,
        Test::OneOf(values) => values.iter().filter_map(number).min(),
    }
}

/// What so many of all units of a node cost per time, rounded up: all of them cost what the node costs, and fewer never more.
///
/// All units sold one by one earn less than one micro-credit a second per unit beside the node's own price.
#[inline]
pub fn price_of_units(rate: Rate, units: u32, of: u32) -> Rate {
    if units >= of {
        return rate;
    }
    let whole = i128::from(rate.as_micros_per_second());
    let part = rounding::up(whole * i128::from(units), i128::from(of));
    i64::try_from(part).ok().and_then(Rate::from_micros_per_second).unwrap_or(rate)
}

/// What so many of all units of a node draw, rounded up: all of them draw what the node draws.
#[inline]
pub fn watts_of_units(watts: Watts, units: u32, of: u32) -> Watts {
    if units >= of {
        return watts;
    }
    let part = rounding::up(i128::from(watts.as_milliwatts()) * i128::from(units), i128::from(of));
    i64::try_from(part).ok().and_then(Watts::from_milliwatts).unwrap_or(watts)
}

/// The part of some time of a node that so many of all its units are, in milliseconds, rounded up.
#[inline]
pub fn time_of_units(span: Span, units: u32, of: u32) -> i64 {
    let whole = span.as_millis();
    if units >= of {
        return whole;
    }
    let part = rounding::up(i128::from(whole) * i128::from(units), i128::from(of));
    i64::try_from(part).unwrap_or(whole)
}

/// How many units are free when, of a node that has so many, inside an interval: in order of time, without times at which none are,
/// and as long as they can be. An interval is taken by one unit for every time it stands in `taken`.
///
/// Time O(t log t) for t of these.
pub fn free_units(within: Interval, units: u32, taken: &[Interval]) -> Vec<(Interval, u32)> {
    let inside = taken.iter().filter_map(|taken| taken.intersection(within));
    let mut changes: Vec<(Time, i64)> = inside.flat_map(|it| [(it.start(), -1), (it.end(), 1)]).collect();
    changes.sort_unstable();
    let mut free: Vec<(Interval, u32)> = Vec::new();
    let (mut from, mut count) = (within.start(), i64::from(units));
    for (at, change) in changes.into_iter().chain([(within.end(), 0)]) {
        if let Some(piece) = Interval::new(from, at) {
            if let Ok(left @ 1..) = u32::try_from(count) {
                push_joined(&mut free, piece, left);
            }
            from = at;
        }
        count += change;
    }
    free
}

fn push_joined(free: &mut Vec<(Interval, u32)>, piece: Interval, left: u32) {
    if let Some((last, units)) = free.last_mut()
        && *units == left
        && last.end() == piece.start()
        && let Some(both) = Interval::new(last.start(), piece.end())
    {
        *last = both;
        return;
    }
    free.push((piece, left));
}

#[cfg(test)]
mod tests;
