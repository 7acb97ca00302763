//! Promises over several sites with prices: everybody is promised an end, and may be moved between sites until they start.
//!
//! **Problem.** A user has a budget and a deadline, sites differ in speed and price, and what is cheap is crowded. Who is sent to a site
//! for good when they come, as rules of placement do, pays for what was known then.
//!
//! **Method.** As [`Discipline::Promise`](super::Discipline::Promise), with two differences. A promise is an end by the job's estimate. And a place is
//! a site with a start: of the earliest starts at all sites that the budget allows, the one of the least score, which is what the
//! job costs there and its nodes for the time until it ends at [`Market::value`] a second. Since a job's cost at a site does not depend on when
//! it runs, no later start has a lower score.
//!
//! A newcomer takes the place of the least score among those that end by its deadline, or ends first where there is none. Its
//! promise is by [`Until`], but never later than a deadline that its place meets. When nodes are free, whoever could start now at
//! a score that is no higher than that of its place does so if there is room, or if the others can make room.
//!
//! **Complexity.** That of promises at one site, for every site.

mod course;
mod place;
#[cfg(test)]
mod tests;

pub use course::simulate_market;

use walras_core::agenda::Precedence;
use walras_model::Multiplier;

/// How places are chosen and promises are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Market {
    /// What a node-second of waiting and running is worth to a user, as so many times a credit.
    pub value: Multiplier,
    /// By when somebody is promised to end.
    pub until: Until,
    /// Who is looked at first when nodes are free.
    pub precedence: Precedence,
    /// For so many jobs a moment it is tried whether the others can make room.
    pub trials: u32,
}

impl Default for Market {
    fn default() -> Market {
        let value = Multiplier::ONE;
        Market { value, until: Until::Planned(250), precedence: Precedence::Expansion, trials: 8 }
    }
}

/// By when somebody is promised to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// By their deadline; who has none, or cannot meet it, as planned at first.
    Deadline,
    /// As planned at first, and so many thousandths of the time until then later.
    Planned(u32),
}

impl Until {
    /// The latest end of somebody who comes now and is planned to end then.
    fn latest(self, now: i64, end: i64, deadline: Option<i64>) -> i64 {
        let deadline = deadline.filter(|deadline| end <= *deadline);
        match self {
            Until::Deadline => deadline.unwrap_or(end),
            Until::Planned(thousandths) => {
                let time = i128::from(end) - i128::from(now);
                let slack = time.max(0) * i128::from(thousandths) / 1_000;
                let latest = i64::try_from(slack).map_or(i64::MAX, |slack| end.saturating_add(slack));
                deadline.map_or(latest, |deadline| latest.min(deadline))
            }
        }
    }
}
