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

use super::amount::Used;
use super::command::{Instance, Wanted};
use super::parse::{JobSeen, JobState, NodeSeen, Parsed, ReservationSeen};
use super::partition::{PartitionSeen, Partitions, by_name, partition_of};
use super::units::{Margin, Size, Taken, fits, free_units, taken};
use super::uses::Takes;
use std::collections::BTreeMap;
use walras_model::interval::complement;
use walras_model::{Interval, Time};

/// What should have ended and has not is busy for so many seconds more.
const OVERDUE: i64 = 60;

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
    /// What of nodes is sold in units, by name; all others are sold whole.
    pub sizes: BTreeMap<String, Size>,
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
            sizes: BTreeMap::new(),
        }
    }

    /// The partition through which a node is sold, where these are.
    pub fn partition_of(&self, node: &str, sold: &[String]) -> Option<&PartitionSeen> {
        partition_of(&self.partitions, self.nodes.get(node)?, sold)
    }

    /// When nodes are busy with what is not ours, in seconds since 1970; `i64::MAX` has no end.
    fn busy(&self, ours: &Instance, now: i64) -> Busy<'_> {
        let mut all = Busy::default();
        let mut used: BTreeMap<&str, Vec<(i64, i64, Used)>> = BTreeMap::new();
        for (of, from, to) in self.uses(ours, now) {
            for node in of.nodes().iter().filter_map(|node| self.nodes.get(node)) {
                match self.sizes.get(&node.name) {
                    None => all.whole.entry(&node.name).or_default().push((from, to)),
                    Some(size) => {
                        used.entry(&node.name).or_default().push((from, to, of.most(&node.name, size)))
                    }
                }
            }
        }
        let taken = |(node, used): (&str, Vec<_>)| {
            Some((self.nodes.get_key_value(node)?.0.as_str(), taken(self.sizes.get(node)?, &used)))
        };
        all.units = used.into_iter().filter_map(taken).collect();
        all
    }

    /// What is certainly in the way of what we hold on nodes that are sold in units, although our cores are reserved: what others have reserved, and the
    /// memory and GPUs of their jobs, which Slurm reserves for nobody.
    pub fn in_the_way(&self, ours: &Instance, now: i64) -> BTreeMap<&str, Vec<Taken>> {
        let mut used: BTreeMap<&str, Vec<(i64, i64, Used)>> = BTreeMap::new();
        for (of, from, to) in self.uses(ours, now) {
            for (node, size) in of.nodes().iter().filter_map(|node| self.sizes.get_key_value(node)) {
                let certain = match of {
                    Of::Job(_, Takes::Part(used)) => Used { cpus: 0, ..used },
                    Of::Job(_, Takes::Whole | Takes::AtMost(_)) => continue,
                    Of::Reservation(_) => of.most(node, size),
                };
                used.entry(node).or_default().push((from, to, certain));
            }
        }
        let taken = |(node, used): (_, Vec<_>)| Some((node, taken(self.sizes.get(node)?, &used)));
        used.into_iter().filter_map(taken).collect()
    }

    /// What others use, one after another: what it is of, from when on, until when.
    fn uses<'a>(&'a self, ours: &'a Instance, now: i64) -> impl Iterator<Item = (Of<'a>, i64, i64)> {
        let overdue = now.saturating_add(OVERDUE);
        let of_job = move |job: &'a JobSeen| {
            let of = Of::Job(&job.nodes, job.takes);
            match (job.state, job.start) {
                (JobState::Active, _) => Some((of, 0, job.end.map_or(i64::MAX, |end| end.max(overdue)))),
                (JobState::NodeFailed, _) => Some((of, 0, overdue)),
                (JobState::Pending, Some(start)) => Some((of, start, job.end.unwrap_or(i64::MAX))),
                (JobState::Pending, None) | (JobState::Over | JobState::Stopped, _) => None,
            }
        };
        let jobs = self.jobs.iter().filter(|job| !is_ours(job, ours)).filter_map(of_job);
        let others = self.reservations.values().filter(|it| ours.read(&it.name).is_none());
        jobs.chain(others.map(|it| (Of::Reservation(it), it.start, it.end)))
    }

    /// Whether others use something of a node between two moments.
    pub fn is_used(&self, ours: &Instance, now: i64, node: &str, from: i64, to: i64) -> bool {
        let there = |of: Of<'_>| of.nodes().iter().any(|name| name == node);
        self.uses(ours, now).any(|(of, start, end)| start < to && from < end && there(of))
    }

    /// The free time of nodes within a horizon, in the order in which they are named: with how many units, where they are sold in units. Nodes that
    /// cannot be used have none.
    pub fn free(
        &self,
        names: &[String],
        ours: &Instance,
        now: i64,
        horizon: Interval,
        margin: Margin,
    ) -> Vec<Vec<(Interval, Option<u32>)>> {
        if self.blocked.is_some() {
            return vec![Vec::new(); names.len()];
        }
        let busy = self.busy(ours, now);
        let of = |name: &String| {
            if !self.nodes.get(name).is_some_and(|node| node.usable) {
                return Vec::new();
            }
            if let Some(size) = self.sizes.get(name) {
                let taken = busy.units.get(name.as_str()).map_or(&[][..], Vec::as_slice);
                let free = free_units(taken, size.units, horizon, margin).into_iter();
                return free
                    .map(|(interval, units)| (interval, (units < size.units).then_some(units)))
                    .collect();
            }
            let busy = busy.whole.get(name.as_str()).map_or(&[][..], Vec::as_slice);
            let wide: Vec<Interval> =
                busy.iter().filter_map(|(from, to)| widened(*from, *to, margin)).collect();
            complement(horizon, &wide).into_iter().map(|interval| (interval, None)).collect()
        };
        names.iter().map(of).collect()
    }
}

/// What uses nodes.
#[derive(Clone, Copy)]
enum Of<'a> {
    Job(&'a [String], Takes),
    Reservation(&'a ReservationSeen),
}

impl<'a> Of<'a> {
    fn nodes(self) -> &'a [String] {
        match self {
            Of::Job(nodes, _) => nodes,
            Of::Reservation(it) => &it.nodes,
        }
    }

    /// The most that it has of one of them.
    fn most(self, node: &str, size: &Size) -> Used {
        match self {
            Of::Job(_, takes) => takes.most(),
            Of::Reservation(it) => match it.reserved.cores_of(node, it.nodes.len()) {
                Some(cores) => Used { cpus: cores * size.threads(), memory_mib: 0, gpus: it.reserved.gpus },
                None => Used::ALL,
            },
        }
    }
}

/// When nodes are busy with what is not ours: those that are sold whole, and those that are sold in units.
#[derive(Default)]
struct Busy<'a> {
    whole: BTreeMap<&'a str, Vec<(i64, i64)>>,
    units: BTreeMap<&'a str, Vec<Taken>>,
}

/// What can be held where, so that many can be asked for after one look.
#[derive(Clone, Debug)]
pub struct Open(BTreeMap<String, OpenNode>);

/// A node that can be used.
#[derive(Clone, Debug, Default)]
struct OpenNode {
    busy: Vec<(i64, i64)>,
    /// How many units it is sold in, and how many of them others take.
    units: Option<(u32, Vec<Taken>)>,
    /// How long a job there may be, in seconds.
    longest: i64,
}

impl Open {
    /// Of what was read, where these partitions are sold. A cluster that is not understood has no nodes.
    pub fn of(snapshot: &Snapshot, ours: &Instance, now: i64, sold: &[String]) -> Open {
        let mut busy = snapshot.busy(ours, now);
        let usable = snapshot.nodes.values().filter(|node| node.usable && snapshot.blocked.is_none());
        let of = |node: &NodeSeen| {
            let name = node.name.as_str();
            let units = snapshot
                .sizes
                .get(name)
                .map(|size| (size.units, busy.units.remove(name).unwrap_or_default()));
            let busy = busy.whole.remove(name).unwrap_or_default();
            let longest = snapshot.partition_of(name, sold)?.longest;
            Some((node.name.clone(), OpenNode { busy, units, longest }))
        };
        Open(usable.filter_map(of).collect())
    }

    /// Whether nobody else has what is wanted of a node, or will have it, and a job may be as long, in whole minutes. `beside` is all that is ours
    /// on the node, with what is asked for: stretches of time with units.
    pub fn is_free(&self, wanted: &Wanted, beside: impl Iterator<Item = Taken>) -> bool {
        let Wanted { start, end, .. } = *wanted;
        let Some(node) = self.0.get(&wanted.node).filter(|node| 60 * minutes(start, end) <= node.longest)
        else {
            return false;
        };
        match (&node.units, wanted.share) {
            (None, None) => !node.busy.iter().any(|(from, to)| *from < end && start < *to),
            (Some((units, taken)), Some((_, of))) if *units == of => {
                fits(taken.iter().copied().chain(beside), of, start, end)
            }
            // It is not sold as it was when it was planned.
            (None | Some(_), None | Some(_)) => false,
        }
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
            cores: None,
            effective: None,
            memory: None,
            kept_memory: 0,
            gpus: 0,
            weight: 1,
            partitions: Vec::new(),
        }
    }

    fn job(name: &str, state: JobState, start: Option<i64>, end: Option<i64>) -> JobSeen {
        let (id, nodes) = ("1".to_owned(), vec!["n1".to_owned()]);
        let (ran_on, takes) = (Vec::new(), Takes::Whole);
        JobSeen { id, state, start, end, nodes, ran_on, takes, reservation: None, name: name.to_owned() }
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
        let free = snapshot.free(&names, &Instance::new("a"), 1_000, seconds(1_000, 2_000), MARGIN).remove(0);
        free.into_iter().map(|(interval, _)| interval).collect()
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
                let sold = free.iter().any(|(it, _)| it.contains(moment));
                let needs = (second - 6, second + 1 + 4);
                let open = !busy.iter().any(|(from, long)| *from < needs.1 && needs.0 < from + long);
                prop_assert_eq!(sold, open, "second {}", second);
            }
        }
    }
}
