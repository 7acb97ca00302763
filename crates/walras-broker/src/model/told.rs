//! What a job's user was last told of its window, and what is worth telling them.
//!
//! **Problem.** While a job waits, its window moves with every plan, by seconds and by hours. Whoever is told of every step hears nothing
//! any more.
//!
//! **Method.** A plan is news where it differs from what the user was *told*, not from the plan before it: many small steps become one
//! large one. It differs where the start moves by an eighth of the wait that is left, and by a minute at least, or the end by an eighth of the
//! time until then, or the price by a twentieth; where it is on other sites; and where what is promised becomes firmer by as much as a start
//! must move. Windows far ahead go to and fro within their promises, as room is made for others: with every turn it takes twice as much to
//! be news again, and after some of them the site alone is none.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use walras_model::{Money, SiteId, Time};

/// No start is worth telling that moves by less, in milliseconds.
const STEP_MIN: i128 = 60_000;
/// The part of the wait that is left by which a start has moved when it is news.
const OF_WAIT: i128 = 8;
/// The part of the price by which it has changed when it is news.
const OF_COST: i128 = 20;

/// More turns make no difference: the whole wait would have to change.
const TURNS_MAX: u8 = 4;

/// A job's window as its user sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// When it starts.
    pub start: Time,
    /// When it ends, as long as the job says that it runs.
    pub finish: Time,
    /// When it starts at the latest, as promised.
    pub latest: Time,
    /// What it costs.
    pub cost: Money,
    /// Where it is: in order, each once.
    pub sites: Arc<[SiteId]>,
}

/// A job's window as its user was told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// When it starts.
    pub start: Time,
    /// When it ends; what was told before ends were is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<Time>,
    /// When it starts at the latest, as promised; the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest: Option<Time>,
    /// What it costs.
    pub cost: Money,
    /// Where it is; the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sites: Option<Arc<[SiteId]>>,
    /// Whether they were last told that it starts later.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    later: bool,
    /// How often they were told that it starts later after all, or earlier again, or elsewhere alone.
    #[serde(default, skip_serializing_if = "is_never")]
    turns: u8,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_never(turns: &u8) -> bool {
    *turns == 0
}

impl Told {
    /// What is told first.
    pub fn new(seen: Seen) -> Told {
        let Seen { start, finish, latest, cost, sites } = seen;
        let (finish, latest, sites) = (Some(finish), Some(latest), Some(sites));
        Told { start, finish, latest, cost, sites, later: false, turns: 0 }
    }

    /// What somebody is told who was told this, and looks at it now, of a window that is seen like that; `None` where it is nothing to tell them.
    ///
    /// ```
    /// use walras_broker::told::{Seen, Told};
    /// use walras_model::{Money, SiteId, Time};
    /// let at = |minutes: i64| Time::from_millis(minutes * 60_000).unwrap();
    /// let seen = |start: i64, micros: i64, site: u32| Seen {
    ///     start: at(start),
    ///     finish: at(start + 30),
    ///     latest: at(100),
    ///     cost: Money::from_micros(micros),
    ///     sites: [SiteId::new(site)].into(),
    /// };
    /// let told = Told::new(seen(80, 100, 0));
    /// assert!(told.followed_by(at(0), seen(71, 100, 0)).is_none());
    /// assert!(told.followed_by(at(0), seen(80, 95, 0)).is_some());
    /// assert!(told.followed_by(at(0), seen(80, 100, 1)).is_some());
    /// // Twice as much to and fro, and then twice as much again.
    /// let told = told.followed_by(at(0), seen(64, 100, 0)).unwrap();
    /// let told = told.followed_by(at(0), seen(80, 100, 0)).unwrap();
    /// assert!(told.followed_by(at(0), seen(64, 100, 0)).is_none());
    /// assert!(told.followed_by(at(0), seen(60, 100, 0)).is_some());
    /// ```
    pub fn followed_by(&self, now: Time, seen: Seen) -> Option<Told> {
        // As a part of what is left until it was to be.
        let has_moved = |before: Time, moved: i128| {
            moved >= STEP_MIN && moved * OF_WAIT >= apart(now, before) << self.turns
        };
        let dearer = i128::from(seen.cost.as_micros()) - i128::from(self.cost.as_micros());
        let is_priced = dearer != 0 && dearer.abs() * OF_COST >= i128::from(self.cost.as_micros());
        let moved = apart(self.start, seen.start);
        let ends = self.finish.is_some_and(|finish| has_moved(finish, apart(finish, seen.finish)));
        let is_firmer = self.latest.is_some_and(|latest| {
            let sooner = if seen.latest < latest { apart(latest, seen.latest) } else { 0 };
            sooner >= STEP_MIN && sooner * OF_WAIT >= apart(now, latest)
        });
        let is_else = has_moved(self.start, moved) || ends || is_priced || is_firmer;
        let is_elsewhere = self.sites.as_ref().is_some_and(|sites| *sites != seen.sites);
        if !(is_else || is_elsewhere && self.turns < TURNS_MAX) {
            return None;
        }
        let later = if moved > 0 { seen.start > self.start } else { self.later };
        let turns = if is_else && later == self.later { self.turns } else { (self.turns + 1).min(TURNS_MAX) };
        Some(Told { later, turns, ..Told::new(seen) })
    }

    /// Whether less was promised to whoever was told that before.
    pub fn is_firmer_than(&self, before: &Told) -> bool {
        self.latest.zip(before.latest).is_some_and(|(now, before)| now < before)
    }
}

fn apart(one: Time, other: Time) -> i128 {
    (i128::from(other.as_millis()) - i128::from(one.as_millis())).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Time {
        Time::from_millis(minutes * 60_000).unwrap()
    }

    /// From 80 to 110 minutes from now on the first site, by minute 1,000 at the latest.
    fn seen() -> Seen {
        Seen {
            start: at(80),
            finish: at(110),
            latest: at(1_000),
            cost: Money::from_micros(100),
            sites: [SiteId::new(0)].into(),
        }
    }

    fn news(told: &Told, seen: Seen) -> bool {
        told.followed_by(at(0), seen).is_some()
    }

    #[test]
    fn each_of_what_concerns_users_is_news_from_a_bound_on() {
        let told = Told::new(seen());
        assert!(!news(&told, seen()));
        // An eighth of the wait until the start, of that until the end, of that until the latest start.
        assert!(
            !news(&told, Seen { start: at(71), ..seen() }) && news(&told, Seen { start: at(70), ..seen() })
        );
        assert!(!news(&told, Seen { finish: at(123), ..seen() }));
        assert!(news(&told, Seen { finish: at(124), ..seen() }));
        assert!(!news(&told, Seen { latest: at(876), ..seen() }));
        assert!(news(&told, Seen { latest: at(875), ..seen() }));
        // A looser promise is told as a new one, and not by itself.
        assert!(!news(&told, Seen { latest: at(5_000), ..seen() }));
        // A twentieth of the price.
        let costs = |micros: i64| Seen { cost: Money::from_micros(micros), ..seen() };
        assert!(!news(&told, costs(104)) && news(&told, costs(105)) && news(&told, costs(95)));
        // Another site, or one more.
        for sites in [&[1][..], &[0, 1][..]] {
            let sites = sites.iter().map(|site| SiteId::new(*site)).collect();
            assert!(news(&told, Seen { sites, ..seen() }));
        }
        // Never less than a minute.
        let soon = Told::new(Seen { start: at(1), finish: at(2), ..seen() });
        let start = Time::from_millis(1_000).unwrap();
        assert!(!news(&soon, Seen { start, finish: at(2), ..seen() }));
    }

    /// Who goes to and fro between sites that are as good is told a few times, and then where it starts is all that counts.
    #[test]
    fn to_and_fro_between_equal_sites_ends() {
        let mut told = Told::new(seen());
        let mut times = 0;
        for step in 1..100_u32 {
            let sites: Arc<[SiteId]> = [SiteId::new(step % 2)].into();
            if let Some(next) = told.followed_by(at(0), Seen { sites, ..seen() }) {
                (told, times) = (next, times + 1);
            }
        }
        assert_eq!(times, u32::from(TURNS_MAX));
        let sites: Arc<[SiteId]> = [SiteId::new(2)].into();
        assert!(
            !news(&told, Seen { start: at(30), sites, ..seen() }),
            "more than half of the wait is asked now"
        );
        assert!(news(&told, Seen { cost: Money::from_micros(90), ..seen() }));
    }

    /// Many steps that are nothing each come to something that is told once.
    #[test]
    fn small_steps_are_told_as_one() {
        let mut told = Told::new(seen());
        let mut starts = Vec::new();
        for minutes in (40..80).rev() {
            if let Some(next) = told.followed_by(at(0), Seen { start: at(minutes), ..seen() }) {
                starts.push(minutes);
                told = next;
            }
        }
        assert_eq!(starts, [70, 61, 53, 46, 40]);
    }

    /// What was told by a program that did not know of ends and sites is not compared with these.
    #[test]
    fn what_was_told_before_is_read() {
        let old: Told = serde_json::from_str(r#"{"start":4800000,"cost":100}"#).unwrap();
        let sites: Arc<[SiteId]> = [SiteId::new(3)].into();
        assert!(!news(&old, Seen { finish: at(900), latest: at(1), sites, ..seen() }));
        assert!(news(&old, Seen { start: at(60), ..seen() }));
    }
}
