//! The agenda: everybody who waits, planned over time, with promises that are kept.
//!
//! **Problem.** Jobs come one by one and end before their time. Whoever reserves at first sight never sees what ends early,
//! and users wait many times as long as under backfilling. Whoever plans everything anew breaks what was said. What is wanted:
//! everybody knows from the first moment the latest start, the latest end and the highest price, and within that every plan may
//! move them: earlier, cheaper, to other nodes.
//!
//! **Method.** Everybody who waits has a window that nobody holds yet, and a [`Promise`]. Whenever something has changed:
//!
//! 1. All are planned again from nothing in order of promise, each in its best window within what it was promised. If that fails
//!    for one, all stay where they were and, in order of start, each moves only where that is better for it.
//! 2. Newcomers get the best window that is left, and a promise: that window, and on top a share of the wait ([`AgendaRules::slack`]).
//! 3. In the order of [`Precedence`], whoever could start at once and would be better off does, if the others leave room. If they
//!    do not, it is tried: with it in place, the others are planned again, by promise, then by start; a plan that keeps
//!    all promises is taken. There are at most [`AgendaRules::trials`] of these.
//!
//! 4. Whoever may start only when others have come so far ([`Waiting::behind`]) comes after all of these, and is planned from what they are
//!    promised on: who is planned behind nobody that is planned gets no window.
//!
//! A newcomer that is overdue and finds no window before the horizon has all time kept for it from the moment on from which enough
//! nodes are free for good: those behind it must have ended by then, so that it fits as soon as the horizon is far enough. Who is overdue and has a
//! window is planned before all others, looked at first where there is room to start, and no longer moved back within its promise.
//!
//! A newcomer that cannot end by its deadline as long as it says finds no window; or, with [`Late::Run`], it gets the one that ends first,
//! and its promise is that end: most jobs end before their time, and so may still be in time.
//!
//! What starts by [`AgendaProblem::held`] is for the caller to hold; all else stays tentative. Whoever would start after that but by
//! [`AgendaProblem::soon`] goes ahead where it is, and still earlier where jobs of a crowd ([`Waiting::crowds`]) can make room for one that is of none.
//!
//! What is *best* for a job is the least of cost and what its delay is worth to it ([`Worth`]); among equals the earliest end, then the
//! nodes that have been free for the shortest time. So a window that is later and no cheaper is never chosen. Nodes that are alike are
//! counted while it is planned, and given out only at the end (`calendar`, `nodes`).
//!
//! A window whose time is no longer free (an owner took it, a node failed) is planned again within its promise where that can be, and
//! otherwise gets a new promise: [`Placed::renewed`] says so. Nothing else ever renews a promise.
//!
//! **Complexity.** A plan of q jobs is q searches, each O(s) in the steps of free time that it reads; a change costs at most
//! 2 + 2 · trials plans of [`AgendaRules::replanned_max`] jobs. [`AgendaRules::steps_max`] bounds the whole.
//!
//! ```
//! use walras_core::agenda::{AgendaRules, PromiseLimits, Terms};
//! use walras_model::{Money, Time};
//! let at = |seconds: i64| Time::from_millis(seconds * 1_000).unwrap();
//! // Planned from 100 to 160 s from now: promised to start within 125 s and to end within 185.
//! let window = Terms { start: at(100), finish: at(160), cost: Money::from_micros(7) };
//! let promise = AgendaRules::default().promise(at(0), window, PromiseLimits::NONE);
//! assert_eq!((promise.start, promise.finish, promise.cost), (at(125), at(185), Money::from_micros(7)));
//! ```

mod calendar;
#[cfg(test)]
mod chained;
mod course;
#[cfg(test)]
mod divided;
mod nodes;
mod order;
#[cfg(test)]
mod overdue;
mod promise;
#[cfg(test)]
mod recipe;
mod search;
mod spot;
mod steps;
#[cfg(test)]
mod tests;

pub use order::{Claim, Precedence};
pub use promise::{Late, PromiseLimits, Until};

use std::sync::Arc;
use walras_model::id::SiteId;
use walras_model::interval::Interval;
use walras_model::offer::Offers;
use walras_model::quantity::{Money, Share, Span, Time};
use walras_model::request::Request;
use walras_model::window::Window;

/// All that planning needs to know.
pub struct AgendaProblem<'a> {
    /// When it is planned: waits are counted from here.
    pub now: Time,
    /// What starts by then is held next: nobody who does goes further ahead.
    pub held: Time,
    /// Who could start by then goes ahead of the others.
    pub soon: Time,
    /// What is free of what is held; what is only planned is free here.
    pub offers: &'a Offers,
    /// Who waits; newcomers are planned in this order.
    pub jobs: &'a [Waiting<'a>],
    /// By payer: what they can pay for newcomers, beside what is promised already.
    pub funds: &'a [Money],
    /// Whether the job at a place may use a site at a time, where owners limit their hours.
    pub admits: Option<&'a dyn Fn(usize, SiteId, Interval) -> bool>,
    /// How it is planned.
    pub rules: AgendaRules,
}

/// Somebody who waits.
#[derive(Clone, Debug)]
pub struct Waiting<'a> {
    /// What it needs.
    pub request: &'a Request,
    /// Since when it waits.
    pub came: Time,
    /// How long it is likely to run, where the order goes by that and not by what it asks for.
    pub likely: Option<Span>,
    /// What its delay is worth to it.
    pub worth: Worth,
    /// What it was promised; `None` for a newcomer.
    pub promise: Option<Promise>,
    /// Where it is planned.
    pub planned: Option<Arc<Window>>,
    /// Who pays, as a place among the funds; nobody's funds limit it, without.
    pub payer: Option<usize>,
    /// Whether it has waited so long that nobody who comes after it may take what it could have, and that it is planned first and never later than it is.
    pub overdue: bool,
    /// Whose it is: where not everybody can be planned again, owners take turns.
    pub owner: usize,
    /// Whether it goes behind the others where there is room to start: its owner has too many that wait.
    pub crowds: bool,
    /// For whom of this plan it waits; who has a window already does not wait for any that have none.
    pub behind: &'a [Behind],
}

/// What must have come of another before somebody may start: that begins, or ends, no later than it is promised, and then some time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Behind {
    /// The other, by its place among those who wait: before the one who waits for it.
    pub place: usize,
    /// Whether it must have ended, and not only begun.
    pub ended: bool,
    /// How long after that.
    pub lag: Span,
}

/// What a delay costs a job beside money: nothing until a moment, then so much a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worth {
    /// In micro-credits; not negative.
    pub per_second: i64,
    /// From when on.
    pub from: Time,
}

impl Worth {
    /// What a window of that cost that ends then is compared by; less is better.
    pub fn score_of(self, cost: Money, finish: Time) -> i128 {
        self.score(cost.as_micros().into(), finish.as_millis())
    }

    /// Money and delay as one number, in thousandths of a micro-credit.
    pub(crate) fn score(self, cost: i128, finish: i64) -> i128 {
        let late = i128::from(finish) - i128::from(self.from.as_millis());
        cost * 1_000 + i128::from(self.per_second.max(0)) * late.max(0)
    }
}

/// A window as its user sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Terms {
    /// When it starts.
    pub start: Time,
    /// When it ends.
    pub finish: Time,
    /// What it costs.
    pub cost: Money,
}

/// What a job was promised: it starts and ends no later, and costs no more.
pub type Promise = Terms;

impl Terms {
    /// The terms of a window.
    pub fn of(window: &Window) -> Terms {
        Terms { start: window.start(), finish: window.end(), cost: window.cost() }
    }

    /// Whether a window keeps what this one promises.
    pub fn is_kept_by(&self, other: &Terms) -> bool {
        other.start <= self.start && other.finish <= self.finish && other.cost <= self.cost
    }
}

/// How the agenda is planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgendaRules {
    /// Who is looked at first when there is room to start.
    pub precedence: Precedence,
    /// By what a newcomer's promise is bounded.
    pub until: Until,
    /// What becomes of a newcomer that cannot end by its deadline.
    pub late: Late,
    /// How much later than planned a newcomer is promised at the latest, as a share of its planned wait.
    pub slack: Share,
    /// But no more than this.
    pub slack_max: Span,
    /// How much more than planned a newcomer is promised at the most, as a share of its planned cost.
    pub price_slack: Share,
    /// For so many jobs it is tried whether others can make room.
    pub trials: u32,
    /// So many jobs are planned again, of every owner in turn those that are planned first; the others stay where they are.
    pub replanned_max: u32,
    /// So many steps of free time are read at most; then what is left stays as it was.
    pub steps_max: u64,
}

impl Default for AgendaRules {
    fn default() -> AgendaRules {
        AgendaRules {
            precedence: Precedence::Expansion,
            until: Until::Planned,
            late: Late::Refused,
            slack: Share::percent(25),
            slack_max: Span::from_millis(30 * 86_400_000).expect("a month is a span"),
            price_slack: Share::NOTHING,
            trials: 8,
            replanned_max: 500,
            steps_max: 50_000_000,
        }
    }
}

/// What became of everybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agenda {
    /// By place among those who wait.
    pub placed: Vec<Option<Placed>>,
    /// How many searches that took.
    pub searches: u64,
    /// And how many steps of free time were read.
    pub steps_read: u64,
    /// Whether the bound on these was hit.
    pub limit_hit: bool,
}

/// Where somebody is planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The window.
    pub window: Window,
    /// What was promised: as before, or new.
    pub promise: Promise,
    /// Whether that is another window than before, or another promise.
    pub changed: bool,
    /// Whether what was promised before could not be kept.
    pub renewed: bool,
}

/// Plans everybody who waits.
pub fn plan_agenda(problem: &AgendaProblem<'_>) -> Agenda {
    course::Course::new(problem).run()
}
