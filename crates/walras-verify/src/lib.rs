//! An independent check of alternatives and plans.
//!
//! **Problem.** Somebody hands in a plan: alternatives, each a job's tasks on named nodes with times and
//! costs. Say everything that is wrong with it, whoever made it and however.
//!
//! **Method.** Nothing in the claim is trusted and nothing is shared with the search: names are looked up
//! here, and run times, costs, budgets and attribute tests are derived again from the offers' plain slot
//! list and the requests, in 128-bit arithmetic of this module's own. The checks go in five steps:
//!
//! 1. `facts` turns offers and batch into lookups: jobs, sites and nodes by name, free slots by node.
//! 2. `task` and `window` hold one claimed alternative against the facts.
//! 3. `overlap` sweeps over each node's claimed time to find alternatives that share some.
//! 4. `units` does so for nodes that are sold in units, by sums.
//! 5. `account` sees that every job of the batch is somewhere, once; `choice` that the chosen alternatives are
//!    there, one per job, and that their sums are right and within the limits.
//!
//! [`tasks`] does the same for the task schedules of workflows.
//!
//! What cannot be checked because something else is wrong (the price of time that is not for sale, say) is
//! left out, so that one mistake gives one violation where that is possible. There is no violation for time
//! beyond the horizon: free slots lie inside it, so such time is outside free time.
//!
//! **Complexity.** O((p + s) log (p + s)) for p claimed slots and s offered slots, whatever the claim.
//!
//! ```
//! use walras_verify::{Claim, ClaimedAlternative, ClaimedSlot, Rules, Violation, verify_plan};
//! use walras_model::*;
//! use walras_model::*;
//!
//! let at = |seconds: i64| Time::from_millis(1_000 * seconds).unwrap();
//! let free = Interval::new(at(0), at(100)).unwrap();
//! let rate = Rate::from_micros_per_second(5_000_000).unwrap();
//! let node = Node {
//!     division: Default::default(),
//!     name: "cpu1".into(),
//!     site: SiteId::new(0),
//!     performance: Performance::from_millionths(2_000_000).unwrap(),
//!     watts: None,
//!     attributes: Attributes::new(),
//! };
//! let slot = Slot::new(NodeId::new(0), free, rate).unwrap();
//! let offers = Offers::new(free, vec![Site { name: "campus".into() }], vec![node], vec![slot]).unwrap();
//! let job = Request::new("J1", 1, Work::from_millis(80_000).unwrap());
//! let batch = Batch::new(vec![Request { price_max: Some(rate), ..job }]);
//! let rules = Rules { budget_factor: Factor::ONE, price_cap: false };
//!
//! // 80 s of work at performance 2 take 40 s, which cost 200 at 5 a second.
//! let cost = Money::from_micros(200_000_000);
//! let task = ClaimedSlot {
//!     units: 1,
//!     site: "campus".into(), node: "cpu1".into(), start: at(10), end: at(50), cost, capacity: false,
//! };
//! let way = ClaimedAlternative { job: "J1".into(), start: at(10), end: at(50), cost, slots: vec![task] };
//! let mut claim = Claim { alternatives: vec![way], ..Claim::default() };
//! assert_eq!(verify_plan(&claim, &offers, &batch, rules), []);
//!
//! claim.alternatives[0].end = at(51);
//! let violations = verify_plan(&claim, &offers, &batch, rules);
//! assert!(matches!(violations[..], [Violation::WrongEnd { .. }]));
//! let sentence = "alternatives[0] (job J1) claims to end at 51 s but its last slot ends at 50 s";
//! assert_eq!(violations[0].to_string(), sentence);
//! ```

mod account;
mod assignment;
mod choice;
mod count;
mod facts;
mod misplaced;
mod overlap;
mod sentence;
mod task;
pub mod tasks;
mod units;
mod violation;
mod window;
mod wrong;

#[cfg(test)]
mod tests;

pub use assignment::{
    ClaimedAssignment, ClaimedBound, ClaimedPlacement, verify_assignment, verify_instance_assignment,
};
pub use choice::{ChosenClaim, ClaimedChoice};
pub use misplaced::{Misplaced, PlacementAt, Total};
pub use violation::{AlternativeAt, SlotAt, Violation};
pub use wrong::{Figure, NamedAt, WrongAccount, WrongChoice};

use facts::{Facts, NodeLookup};
use walras_model::Alternative;
use walras_model::id::NodeId;
use walras_model::offer::Offers;
use walras_model::quantity::{Factor, Money, Time};
use walras_model::request::Batch;
use walras_model::window::Placement;

/// What somebody says is a plan: nothing about it is trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// The alternatives, which must not overlap each other.
    pub alternatives: Vec<ClaimedAlternative>,
    /// The jobs that are said to have no window; `None` when the claim does not account for the whole batch.
    pub unscheduled: Option<Vec<String>>,
    /// Whether no job may have more than one alternative (one sweep on the fly).
    pub one_each: bool,
    /// What was chosen, when something was.
    pub choice: Option<ClaimedChoice>,
}

impl Claim {
    /// What a search says that it found, without an account of the batch and without a choice.
    pub fn of_alternatives(offers: &Offers, batch: &Batch, found: &[Alternative]) -> Claim {
        let slot = |placement: &Placement| ClaimedSlot {
            units: placement.units,
            site: offers.site_of(placement.node).name.clone(),
            node: offers.node(placement.node).name.clone(),
            start: placement.interval.start(),
            end: placement.interval.end(),
            cost: placement.cost,
            capacity: offers.capacity_of(placement.node).is_some(),
        };
        let alternative = |found: &Alternative| ClaimedAlternative {
            job: batch.request(found.job).name.clone(),
            start: found.window.start(),
            end: found.window.end(),
            cost: found.window.cost(),
            slots: found.window.placements().iter().map(slot).collect(),
        };
        Claim { alternatives: found.iter().map(alternative).collect(), ..Claim::default() }
    }
}

/// One claimed way to run one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedAlternative {
    /// The job's name.
    pub job: String,
    /// When all its tasks start.
    pub start: Time,
    /// When its last task ends.
    pub end: Time,
    /// What all its tasks cost together.
    pub cost: Money,
    /// Its tasks.
    pub slots: Vec<ClaimedSlot>,
}

/// One claimed task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedSlot {
    /// The site's name.
    pub site: String,
    /// The node's name within the site.
    pub node: String,
    /// How many of its units; one where it is sold whole.
    pub units: u32,
    /// When the task starts.
    pub start: Time,
    /// When it ends.
    pub end: Time,
    /// What it costs.
    pub cost: Money,
    /// Whether the node is one of the processors of a capacity offer.
    pub capacity: bool,
}

/// The rules that the plan was made under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// k of the budget S = k · price_max · t · tasks.
    pub budget_factor: Factor,
    /// Whether no slot may cost more than the job's `price_max` per time (ALP); `price_max` then implies no
    /// budget.
    pub price_cap: bool,
}

/// Checks one alternative whose slots lie on these nodes, in their order, whatever they are called; an empty list means that all is well.
///
/// Where there is nothing but one window to check, and its nodes are known, that takes time in proportion to the window, and no names.
/// A slot without a node is on none.
pub fn verify_window(
    claimed: &ClaimedAlternative,
    on: &[NodeId],
    offers: &Offers,
    batch: &Batch,
    rules: Rules,
) -> Vec<Violation> {
    let facts = Facts::unnamed(offers, batch, rules);
    let lookup = |slot: usize| on.get(slot).map_or(NodeLookup::NoSuchNode, |node| facts.lookup_of(*node));
    let window = window::resolve_by(0, claimed, &facts, lookup);
    let mut violations = Vec::new();
    window::check_whole(&window, rules, &mut violations);
    units::check_all(window::claimed_by(&window), &facts, &mut violations);
    violations
}

/// Checks every alternative of `claim`; an empty list means that all is well.
///
/// Violations come alternative by alternative, then the overlaps between alternatives, then what is wrong with
/// the account of the batch and with the choice.
pub fn verify_plan(claim: &Claim, offers: &Offers, batch: &Batch, rules: Rules) -> Vec<Violation> {
    let facts = Facts::new(offers, batch, rules);
    let mut violations = Vec::new();
    let (mut taken, mut shared) = (Vec::new(), Vec::new());
    for (index, claimed) in claim.alternatives.iter().enumerate() {
        let window = window::resolve(index, claimed, &facts);
        window::check_whole(&window, rules, &mut violations);
        taken.extend(overlap::taken_by(&window));
        shared.extend(window::claimed_by(&window));
    }
    overlap::check(taken, claim, &mut violations);
    units::check_all(shared, &facts, &mut violations);
    account::check(claim, batch, &mut violations);
    if let Some(choice) = &claim.choice {
        choice::check(choice, &claim.alternatives, &mut violations);
    }
    violations
}

/// The example of the README runs with the tests of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
