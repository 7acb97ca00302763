//! An independent check of task schedules.
//!
//! **Problem.** Somebody says where and when every task of a workflow runs. Say everything that is wrong with it.
//!
//! **Method.** As in [`super`], nothing is trusted and nothing is shared with the schedulers: run times, transfer times
//! and costs are derived again in 128-bit arithmetic from the workflow, the nodes' free time and the network. Checked
//! are names and counts, every task against its node (run time, free time, cores, memory, attributes, price), every
//! edge (the data must have arrived), every node (one task at a time, or on each of its parts that are held), gangs (so many different nodes of one site, as long as the slowest
//! needs, at the price of all), and the terms (earliest, deadline, budget).
//! A task that takes no time occupies nothing.
//!
//! **Complexity.** O((tasks + edges + free intervals) log tasks).
//!
//! ```
//! use walras_model::workflow::Terms;
//! use walras_verify::tasks::{ClaimedTask, TaskClaim, TaskViolation, verify_tasks};
//! use walras_model::*;
//! use walras_model::*;
//!
//! let at = |seconds: i64| Time::from_millis(1_000 * seconds).unwrap();
//! let lane = Lane {
//!     part: 0,
//!     node: NodeId::new(0),
//!     name: "cpu1".into(),
//!     site: SiteId::new(0),
//!     site_name: "campus".into(),
//!     performance: Performance::from_millionths(2_000_000).unwrap(),
//!     rate: Rate::from_micros_per_second(1_000_000).unwrap(),
//!     free: vec![Interval::new(at(0), at(100)).unwrap()],
//!     attributes: Attributes::new(),
//! };
//! let platform = Platform { lanes: vec![lane], network: Network::INSTANT };
//! let workflow = Workflow::new("one", vec![Task::new("a", Work::from_millis(8_000))], vec![]).unwrap();
//! let claimed = |end| ClaimedTask {
//!     task: "a".into(),
//!     site: "campus".into(),
//!     node: "cpu1".into(),
//!     part: 0,
//!     others: vec![],
//!     start: at(0),
//!     end,
//!     cost: Money::from_micros(4_000_000),
//! };
//! let claim = |end| TaskClaim { tasks: vec![claimed(end)], cost: Money::from_micros(4_000_000) };
//! assert_eq!(verify_tasks(&claim(at(4)), &workflow, &platform, &Terms::default()), []);
//! let violations = verify_tasks(&claim(at(5)), &workflow, &platform, &Terms::default());
//! assert_eq!(violations[0].to_string(), "task a lasts 5 s but its node campus/cpu1 needs 4 s");
//! ```

mod check;
mod violation;

#[cfg(test)]
mod tests;

pub use violation::TaskViolation;

use walras_model::quantity::{Money, Time};
use walras_model::workflow::Terms;
use walras_model::workflow::{Platform, Workflow};

/// A schedule that somebody claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskClaim {
    /// Every task of the workflow, once.
    pub tasks: Vec<ClaimedTask>,
    /// What they cost together.
    pub cost: Money,
}

/// A task that is said to run somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedTask {
    /// The task's name.
    pub task: String,
    /// The site's name.
    pub site: String,
    /// The node's name within the site.
    pub node: String,
    /// Which of the parts of the node that are held side by side.
    pub part: u32,
    /// The names of its other nodes, where it takes several: of the same site.
    pub others: Vec<String>,
    /// When it starts.
    pub start: Time,
    /// When it ends.
    pub end: Time,
    /// What it costs.
    pub cost: Money,
}

/// Everything that is wrong; an empty list means that all is well.
pub fn verify_tasks(
    claim: &TaskClaim,
    workflow: &Workflow,
    platform: &Platform,
    terms: &Terms,
) -> Vec<TaskViolation> {
    let mut check = check::Check::new(claim, workflow, platform);
    check.account();
    check.each_task();
    check.each_edge();
    check.each_node();
    check.limits(terms);
    check.violations
}
