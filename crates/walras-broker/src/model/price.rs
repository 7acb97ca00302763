//! Owners' price rules, as they are stated.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use walras_core::prefer::Hours;
use walras_model::{Interval, Multiplier, Rate, Share};

/// Rules have at most so many blackouts.
pub const BLACKOUTS_MAX: usize = 100;

/// Rules have at most so many prices for single users.
pub const USERS_MAX: usize = 1_000;

/// What an owner asks for time on their nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceRules {
    /// The price of a node that no other rule names.
    pub base: Rate,
    /// By class of node.
    #[serde(default)]
    pub classes: BTreeMap<String, Rate>,
    /// By name of node; goes before the class.
    #[serde(default)]
    pub nodes: BTreeMap<String, Rate>,
    /// By user, on all nodes alike; goes before everything else. Prices for single users do not change with the hour, the
    /// day or demand, and nor do the others' where there are some.
    #[serde(default)]
    pub users: BTreeMap<String, Rate>,
    /// By how much the price is multiplied in every hour of the day; none means once.
    #[serde(default)]
    pub hours: Vec<Multiplier>,
    /// By how much it is multiplied on every day of the week, Monday first; none means once.
    #[serde(default)]
    pub weekdays: Vec<Multiplier>,
    /// How the price follows demand.
    #[serde(default)]
    pub demand: Option<Demand>,
    /// When nothing is sold.
    #[serde(default)]
    pub blackouts: Vec<Blackout>,
    /// What happens to free time across which the price changes.
    #[serde(default)]
    pub crossing: Crossing,
}

/// How a price follows demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Demand {
    /// The least factor.
    pub min: Multiplier,
    /// The greatest.
    pub max: Multiplier,
    /// By how much it moves after a cycle.
    pub step: Multiplier,
    /// It falls when less than this share of the offered time is taken.
    pub low: Share,
    /// It rises when more than this share is.
    pub high: Share,
}

/// Time that is not for sale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Blackout {
    /// A single stretch of time.
    Once(Interval),
    /// Every week.
    Weekly(Hours),
}

/// What happens to free time across which the price changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Crossing {
    /// It is sold in pieces of one price each; no task lies in two of them.
    #[default]
    Cut,
    /// It is sold whole, at the dearest of its prices.
    Dearest,
}

/// Why rules were refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{self:?}")]
#[serde(rename_all = "kebab-case")]
pub enum BadPrices {
    /// There must be none, or 24 of them.
    Hours(usize),
    /// There must be none, or 7 of them.
    Weekdays(usize),
    /// A factor must be between a millionth and a thousand.
    Factor(i64),
    /// The bounds, marks or the step of the demand factor are not in order: 0 < min ≤ 1 ≤ max, step ≥ 0, 0 ≤ low ≤ high ≤ 1.
    Demand(Demand),
    /// Prices for single users, or for nodes beside them, that change with the hour, the day or demand.
    UserPrices,
    /// A price is beyond a thousand million credits a second.
    TooDear(Rate),
    /// More than [`BLACKOUTS_MAX`] blackouts.
    Blackouts(usize),
    /// More than [`USERS_MAX`] prices for single users.
    Users(usize),
}

impl PriceRules {
    /// One price at all times.
    pub fn flat(base: Rate) -> PriceRules {
        PriceRules {
            base,
            classes: BTreeMap::new(),
            nodes: BTreeMap::new(),
            users: BTreeMap::new(),
            hours: Vec::new(),
            weekdays: Vec::new(),
            demand: None,
            blackouts: Vec::new(),
            crossing: Crossing::Cut,
        }
    }
}
