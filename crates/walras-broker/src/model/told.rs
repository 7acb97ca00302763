//! What a job's user was last told of its window, and what is worth telling them.
//!
//! **Problem.** While a job waits, its window moves with every plan, by seconds and by hours. Whoever is told of every step hears nothing
//! any more.
//!
//! **Method.** A plan is news where it differs from what the user was *told*, not from the plan before it: many small steps become one
//! large one. It differs where the start moves by an eighth of the wait that is left, and by a minute at least, or the price by a
//! twentieth. Windows far ahead go to and fro within their promises, as room is made for others: with every turn it takes twice as much to
//! be news again.

use serde::{Deserialize, Serialize};
use walras_model::{Money, Time};

/// No start is worth telling that moves by less, in milliseconds.
const STEP_MIN: i128 = 60_000;
/// The part of the wait that is left by which a start has moved when it is news.
const OF_WAIT: i128 = 8;
/// The part of the price by which it has changed when it is news.
const OF_COST: i128 = 20;

/// More turns make no difference: the whole wait would have to change.
const TURNS_MAX: u8 = 4;

/// A job's window as its user was told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// When it starts.
    pub start: Time,
    /// What it costs.
    pub cost: Money,
    /// Whether they were last told that it starts later.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    later: bool,
    /// How often they were told that it starts later after all, or earlier again.
    #[serde(default, skip_serializing_if = "is_never")]
    turns: u8,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_never(turns: &u8) -> bool {
    *turns == 0
}

impl Told {
    /// What is told first.
    pub fn new(start: Time, cost: Money) -> Told {
        Told { start, cost, later: false, turns: 0 }
    }

    /// What somebody is told who was told this, and looks at it now, of a window that starts then and costs so much; `None` where it is
    /// nothing to tell them.
    ///
    /// ```
    /// use walras_broker::told::Told;
    /// use walras_model::{Money, Time};
    /// let at = |minutes: i64| Time::from_millis(minutes * 60_000).unwrap();
    /// let cost = Money::from_micros(100);
    /// let told = Told::new(at(80), cost);
    /// assert!(told.followed_by(at(0), at(71), cost).is_none());
    /// assert!(told.followed_by(at(0), at(80), Money::from_micros(95)).is_some());
    /// // Twice as much to and fro, and then twice as much again.
    /// let told = told.followed_by(at(0), at(64), cost).unwrap();
    /// let told = told.followed_by(at(0), at(80), cost).unwrap();
    /// assert!(told.followed_by(at(0), at(64), cost).is_none());
    /// assert!(told.followed_by(at(0), at(60), cost).is_some());
    /// ```
    pub fn followed_by(self, now: Time, start: Time, cost: Money) -> Option<Told> {
        let apart = |one: i64, other: i64| (i128::from(other) - i128::from(one)).abs();
        let moved = apart(self.start.as_millis(), start.as_millis());
        let wait = apart(now.as_millis(), self.start.as_millis());
        let dearer = apart(self.cost.as_micros(), cost.as_micros());
        let is_moved = moved >= STEP_MIN && moved * OF_WAIT >= wait << self.turns;
        let is_priced = dearer > 0 && dearer * OF_COST >= i128::from(self.cost.as_micros());
        if !is_moved && !is_priced {
            return None;
        }
        let later = if moved > 0 { start > self.start } else { self.later };
        let turns = if later == self.later { self.turns } else { (self.turns + 1).min(TURNS_MAX) };
        Some(Told { start, cost, later, turns })
    }
}
