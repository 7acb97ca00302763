//! What was fitted, and how to read the figures.

use crate::experiment::fits;
use crate::results::Fitted;

/// Why a ratio of the two modes does not come out.
pub(super) const RATIO: &str = "A job that is sent sooner meets those before it that run as late as their intervals allow: fewer of \
    its schedules end at the lower bound, and its tasks run on slower nodes, which is the higher load (the work is the same). \
    With late_share 0 the load is the same in both modes and 0.91 as many schedules are optimal, but collisions grow by 2% only; \
    the paper's grow by 15%, with more optimal schedules.";
/// Why the ratio of the times is only shown.
pub(super) const SENT: &str = "Follows from k = 0.75, which the paper sets: the next job is sent after k of the interval of the one \
    before, so that many jobs take k times as long. Nothing else could come out.";
/// Why the ratio of the costs is only shown.
pub(super) const SAME_JOBS: &str = "The same jobs run on the same nodes at the same prices in both modes.";
/// Why a value of table 3 does not come out.
pub(super) const TABLE: &str = "Sizes of jobs and nodes, none of which the paper prints, were fitted while jobs ran as soon as possible \
    and exactly as planned (late_share 0 gives 673 optimal schedules and 3.99 collisions in the first mode); they were left as they \
    were when strategies and the execution were simulated. Our optimal schedules are those at a lower bound that owners' tasks \
    may put out of reach.";
/// Why outcomes are only shown.
pub(super) const OUTCOMES: &str = "Outcomes of the simulated execution; the paper prints none of them.";
/// Why shapes are only shown.
pub(super) const DRAWN: &str = "The paper draws this without numbers.";

/// All about jobs and nodes.
pub(super) fn fitted() -> Vec<Fitted> {
    fits([
        [
            "table_3.work U[130, 391], tiers 3 to 5, interval_factor 1.4",
            "the execution time 531,089 of the first mode",
        ],
        [
            "table_3: 1 to 3 tasks a tier, parents, owners_gap U[2000, 5999], owners_length U[20, 79], nodes 8, performance U[2, 3]",
            "3.85 collisions, a load of 0.1843 and 687 optimal schedules of the first mode, before the execution was simulated",
        ],
        ["price 0.0069", "the mean job cost of 14.51 of the first mode"],
        [
            "facts U[0.9, 1.1], late_share 0.5, again_after 0.25",
            "nothing: chosen before the first run (unbiased estimates; the paper's two strategies, each for half of the jobs)",
        ],
        [
            "figures: jobs, nodes and owners' tasks; nodes_figure_3 10, interval_factor_figure_4 1.6",
            "the shapes of figures 3 and 4",
        ],
    ])
}

pub(super) const NOTES: [&str; 5] = [
    "Both tiers are connected and the execution is simulated: the job-flow tier gives intervals and strategies, the application \
     tier places tasks or sends the job back for a later interval, tasks run longer or shorter than estimated, are suspended by \
     owners' tasks and make others late. The time is that at which the last task ends.",
    "Read as: a job's interval is h times its longest critical path on the fastest node, without transfers; the next job \
     is sent after the whole interval of the one before, or after k of it, and works around what earlier jobs have reserved.",
    "Read as: a schedule is optimal when it takes no longer than the lower bound, which no schedule can beat. That is stricter \
     than optimal among the schedules that the owners' tasks leave, so our count is a lower one.",
    "Read as: a load is busy node time over the node time of the job's interval; in fact, what the tasks ran of it.",
    "Every cycle is the paper's whole experiment (1,000 jobs in both modes, 200 experiments a point) with random streams of its \
     own; figures are means over cycles with 95% intervals.",
];
