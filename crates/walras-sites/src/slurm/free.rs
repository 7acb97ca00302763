//! From what Slurm says to the time that can be sold.
//!
//! A node is busy while a job has it (to the job's limit; for a while longer where it has outlived that), while a job is planned there, and
//! while it is reserved for others. What is ours is left in: the broker knows what it holds. Every hold needs a margin: before it its
//! supervisor comes up, after it what runs is ended; so busy time is widened by both, and what is left can be held as it is.
//!
//! ```text
//!   busy      [=======)                 [=====)
//!   free               ..|-----------|..
//!                     before       after
//! ```
//!
//! O(n log n) in the busy intervals of all nodes.

use super::command::Instance;
use super::parse::{JobSeen, JobState, NodeSeen, Parsed, ReservationSeen};
use super::partition::{PartitionSeen, Partitions, by_name, partition_of};
use std::collections::BTreeMap;
use walras_model::interval::complement;
use walras_model::{Interval, Time};

/// What should have ended and has not is busy for so many seconds more.
const OVERDUE: i64 = 60;

/// What a site needs around every hold, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Margin {
    /// For coming up.
    pub before: i64,
    /// For ending what runs.
    pub after: i64,
}

/// What was read of a cluster at one moment.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Its nodes.
    pub nodes: BTreeMap<String, NodeSeen>,
    /// Its partitions.
    pub partitions: Partitions,
    /// Its jobs.
    pub jobs: Vec<JobSeen>,
    /// Its reservations.
    pub reservations: BTreeMap<String, ReservationSeen>,
    /// What was not understood.
    pub left_out: Vec<String>,
    /// Why nothing may be sold.
    pub blocked: Option<String>,
}

impl Snapshot {
    /// Of what was read.
    pub fn new(
        nodes: Parsed<NodeSeen>,
        partitions: Parsed<PartitionSeen>,
        jobs: Parsed<JobSeen>,
        reservations: Parsed<ReservationSeen>,
    ) -> Snapshot {
        let mut left_out = nodes.left_out;
        left_out.extend(partitions.left_out);
        left_out.extend(jobs.left_out);
        left_out.extend(reservations.left_out);
        Snapshot {
            nodes: nodes.items.into_iter().map(|it| (it.name.clone(), it)).collect(),
            partitions: by_name(partitions.items),
            jobs: jobs.items,
            reservations: reservations.items.into_iter().map(|it| (it.name.clone(), it)).collect(),
            left_out,
            blocked: jobs.blocked.or(reservations.blocked),
        }
    }

    /// The partition through which a node is sold, where these are.
    pub fn partition_of(&self, node: &str, sold: &[String]) -> Option<&PartitionSeen> {
        partition_of(&self.partitions, self.nodes.get(node)?, sold)
    }

    /// When nodes are busy with what is not ours, node by node, in seconds since 1970; `i64::MAX` has no end.
    pub fn busy(&self, ours: &Instance, now: i64) -> BTreeMap<&str, Vec<(i64, i64)>> {
        let mut all: BTreeMap<&str, Vec<(i64, i64)>> = BTreeMap::new();
        for (nodes, from, to) in self.uses(ours, now) {
            for node in nodes.iter().filter_map(|node| self.nodes.get(node)) {
                all.entry(node.name.as_str()).or_default().push((from, to));
            }
        }
        all
    }

    /// What others use, one after another: which nodes, from when on, until when.
    fn uses<'a>(&'a self, ours: &'a Instance, now: i64) -> impl Iterator<Item = (&'a [String], i64, i64)> {
        let overdue = now.saturating_add(OVERDUE);
        let of_job = move |job: &'a JobSeen| match (job.state, job.start) {
            (JobState::Active, _) => {
                Some((job.nodes.as_slice(), 0, job.end.map_or(i64::MAX, |end| end.max(overdue))))
            }
            (JobState::NodeFailed, _) => Some((job.nodes.as_slice(), 0, overdue)),
            (JobState::Pending, Some(start)) => {
                Some((job.nodes.as_slice(), start, job.end.unwrap_or(i64::MAX)))
            }
            (JobState::Pending, None) | (JobState::Over | JobState::Stopped, _) => None,
        };
        let jobs = self.jobs.iter().filter(|job| !is_ours(job, ours)).filter_map(of_job);
        let others = self.reservations.values().filter(|it| ours.read(&it.name).is_none());
        jobs.chain(others.map(|it| (it.nodes.as_slice(), it.start, it.end)))
    }

    /// The free time of nodes within a horizon, in the order in which they are named. Nodes that cannot be used have none.
    pub fn free(
        &self,
        names: &[String],
        ours: &Instance,
        now: i64,
        horizon: Interval,
        margin: Margin,
    ) -> Vec<Vec<Interval>> {
        if self.blocked.is_some() {
            return vec![Vec::new(); names.len()];
        }
        let busy = self.busy(ours, now);
        let of = |name: &String| {
            if !self.nodes.get(name).is_some_and(|node| node.usable) {
                return Vec::new();
            }
            let busy = busy.get(name.as_str()).map_or(&[][..], Vec::as_slice);
            let wide: Vec<Interval> =
                busy.iter().filter_map(|(from, to)| widened(*from, *to, margin)).collect();
            complement(horizon, &wide)
        };
        names.iter().map(of).collect()
    }
}

/// When nodes that can be used are busy with what is not ours, so that many can be asked for after one look; and how long a job there may
/// be, in seconds.
#[derive(Clone, Debug)]
pub struct Busy(BTreeMap<String, (Vec<(i64, i64)>, i64)>);

impl Busy {
    /// Of what was read, where these partitions are sold. A cluster that is not understood has no nodes.
    pub fn of(snapshot: &Snapshot, ours: &Instance, now: i64, sold: &[String]) -> Busy {
        let mut busy = snapshot.busy(ours, now);
        let usable = snapshot.nodes.values().filter(|node| node.usable && snapshot.blocked.is_none());
        let of = |node: &NodeSeen| {
            let longest = snapshot.partition_of(&node.name, sold)?.longest;
            Some((node.name.clone(), (busy.remove(node.name.as_str()).unwrap_or_default(), longest)))
        };
        Busy(usable.filter_map(of).collect())
    }

    /// Whether nobody else has a node, or will have it, in these seconds, and a job may be as long, in whole minutes.
    pub fn is_free(&self, node: &str, from: i64, to: i64) -> bool {
        self.0.get(node).is_some_and(|(busy, longest)| {
            60 * minutes(from, to) <= *longest && !busy.iter().any(|(start, end)| *start < to && from < *end)
        })
    }
}

/// The whole minutes that a job needs as its limit for these seconds.
pub fn minutes(from: i64, to: i64) -> i64 {
    to.saturating_sub(from).saturating_add(59) / 60
}

/// Whether a job is one of ours: it has our name, and the reservation of that name or none.
fn is_ours(job: &JobSeen, ours: &Instance) -> bool {
    let named = |name: &str| ours.read(name).is_some();
    named(&job.name) && job.reservation.as_deref().is_none_or(named)
}

/// Where no hold may lie, for what is busy in these seconds. Reservations are whole seconds: one more on each side.
fn widened(from: i64, to: i64, margin: Margin) -> Option<Interval> {
    let moment = |seconds: i64, millis: i64| {
        let at = seconds.saturating_mul(1_000).saturating_add(millis);
        Time::from_millis(at).unwrap_or(if at < 0 { Time::MIN } else { Time::MAX })
    };
    Interval::new(moment(from, -margin.after - 1_000), moment(to, margin.before + 1_000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MARGIN: Margin = Margin { before: 5_000, after: 3_000 };

    fn node(name: &str) -> NodeSeen {
        NodeSeen {
            name: name.to_owned(),
            usable: true,
            unknown: false,
            down: false,
            state: "IDLE".to_owned(),
            features: Vec::new(),
            processors: None,
            memory: None,
            gpus: 0,
            weight: 1,
            partitions: Vec::new(),
        }
    }

    fn job(name: &str, state: JobState, start: Option<i64>, end: Option<i64>) -> JobSeen {
        let (id, nodes) = ("1".to_owned(), vec!["n1".to_owned()]);
        JobSeen { id, state, start, end, nodes, ran_on: Vec::new(), reservation: None, name: name.to_owned() }
    }

    fn snapshot(jobs: Vec<JobSeen>) -> Snapshot {
        Snapshot { nodes: [("n1".to_owned(), node("n1"))].into(), jobs, ..Snapshot::default() }
    }

    fn seconds(from: i64, to: i64) -> Interval {
        let time = |it: i64| Time::from_millis(1_000 * it).unwrap();
        Interval::new(time(from), time(to)).unwrap()
    }

    fn free(snapshot: &Snapshot) -> Vec<Interval> {
        let names = ["n1".to_owned()];
        snapshot.free(&names, &Instance::new("a"), 1_000, seconds(1_000, 2_000), MARGIN).remove(0)
    }

    #[test]
    fn what_others_have_is_not_free_and_what_is_ours_is() {
        let all = [seconds(1_000, 2_000)];
        assert_eq!(free(&snapshot(Vec::new())), all);
        assert_eq!(free(&snapshot(vec![job("x", JobState::Over, Some(900), Some(1_100))])), all);
        assert_eq!(free(&snapshot(vec![job("walras-a-1-0", JobState::Active, Some(900), Some(1_100))])), all);
        assert_eq!(free(&snapshot(vec![job("x", JobState::Active, Some(900), None)])), []);
        assert_eq!(
            free(&snapshot(vec![job("x", JobState::Active, Some(900), Some(1_100))])),
            [seconds(1_106, 2_000)]
        );
        // It should have ended, and has not.
        assert_eq!(
            free(&snapshot(vec![job("x", JobState::Active, None, Some(10))])),
            [seconds(1_066, 2_000)]
        );
        let planned = snapshot(vec![job("x", JobState::Pending, Some(1_500), Some(1_600))]);
        assert_eq!(free(&planned), [seconds(1_000, 1_496), seconds(1_606, 2_000)]);
        // Whoever takes our name is not ours in a reservation that is not.
        let mut other = job("walras-a-1-0", JobState::Active, Some(900), None);
        other.reservation = Some("maintenance".to_owned());
        assert_eq!(free(&snapshot(vec![other])), []);
    }

    #[test]
    fn what_is_not_understood_is_not_sold() {
        let mut blocked = snapshot(Vec::new());
        blocked.blocked = Some("job 7".to_owned());
        assert_eq!(free(&blocked), []);
        let mut down = snapshot(Vec::new());
        down.nodes.get_mut("n1").unwrap().usable = false;
        assert_eq!(free(&down), []);
        assert_eq!(free(&Snapshot::default()), []);
    }

    proptest! {
        /// Against a look at every second: a second is sold when the margins around it meet nothing.
        #[test]
        fn every_second_is_sold_that_can_be(busy in proptest::collection::vec((1_000_i64..1_100, 1_i64..30), 0..6)) {
            let jobs = busy.iter().map(|(from, long)| job("x", JobState::Pending, Some(*from), Some(from + long)));
            let snapshot = snapshot(jobs.collect());
            let names = ["n1".to_owned()];
            let free = snapshot.free(&names, &Instance::new("a"), 1_000, seconds(1_000, 1_130), MARGIN).remove(0);
            for second in 1_000..1_130 {
                let moment = seconds(second, second + 1);
                let sold = free.iter().any(|it| it.contains(moment));
                let needs = (second - 6, second + 1 + 4);
                let open = !busy.iter().any(|(from, long)| *from < needs.1 && needs.0 < from + long);
                prop_assert_eq!(sold, open, "second {}", second);
            }
        }
    }
}
