//! Nodes that are sold in units: what others use of them, in units, and what is left.
//!
//! **Problem.** An owner's job has some cores of a node, some of its memory, some of its GPUs; the node is sold in units that are each the same
//! part of everything. A unit of which something is used is not whole.
//!
//! **Method.** At every moment what others use is added up, resource by resource, and counted in units of the one that is used most, rounded up
//! ([`taken`]). What a hold needs around it is kept as well: a unit is free that is free all through the margins ([`free_units`]).
//!
//! Of a job on several nodes Slurm says only what it has together: when time is sold it is taken to have as much of each node as it can have
//! there. Cores are counted with all of their threads.
//!
//! O(n log n) in the uses of a node.

use super::amount::{MIB_PER_GIB, Part, Used};
use super::parse::NodeSeen;
use std::collections::BTreeMap;
use walras_model::division::UNITS_MAX;
use walras_model::quantity::rounding;
use walras_model::{Interval, Time};

/// What a site needs around every hold, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Margin {
    /// For coming up.
    pub before: i64,
    /// For ending what runs.
    pub after: i64,
}

/// What of a node is sold, and in how many units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// How many units there are.
    pub units: u32,
    /// Its processors: threads, where cores have several.
    pub cpus: u32,
    /// Its cores.
    pub cores: u32,
    /// Its memory, in whole GiB that units have together; none, where the cluster does not count it.
    pub memory_gib: u64,
    /// Its GPUs.
    pub gpus: u32,
}

impl Size {
    /// What can be sold of a node in so many units; why it cannot be, in words that name it.
    pub fn of(node: &NodeSeen, units: u32, counts_memory: bool) -> Result<Size, String> {
        let name = &node.name;
        let wrong = |why: String| Err(format!("units: node '{name}' {why}"));
        if !(1..=UNITS_MAX).contains(&units) {
            return wrong(format!("cannot be sold in {units} units: expected 1 to {UNITS_MAX}"));
        }
        let Some(all) = node.processors.filter(|all| *all > 0) else {
            return wrong("does not say how many processors it has: expected CPUs in slurm.conf".to_owned());
        };
        let cores = node.cores.filter(|cores| (1..=all).contains(cores) && all % cores == 0).unwrap_or(all);
        let threads = all / cores;
        // Slurm keeps some for itself, where it is told to.
        let cpus = node.effective.filter(|it| (1..=all).contains(it) && it % threads == 0).unwrap_or(all);
        let cores = cpus / threads;
        if !cores.is_multiple_of(units) {
            return wrong(format!(
                "has {cores} cores, which cannot be divided into {units} equal units: expected a number that divides {cores}"
            ));
        }
        if !node.gpus.is_multiple_of(units) {
            let gpus = node.gpus;
            return wrong(format!(
                "has {gpus} GPUs, which cannot be divided into {units} equal units: expected a number that divides {gpus}"
            ));
        }
        let memory = node.memory.unwrap_or(0).saturating_sub(node.kept_memory) / MIB_PER_GIB;
        let each = if counts_memory { memory / u64::from(units) } else { 0 };
        if counts_memory && each == 0 {
            return wrong(format!(
                "has {memory} GiB of memory, less than one for each of {units} units: expected at most {memory} units, or RealMemory in \
                 slurm.conf to be what the node has"
            ));
        }
        Ok(Size { units, cpus, cores, memory_gib: each * u64::from(units), gpus: node.gpus })
    }

    /// What so many units have.
    pub fn part(&self, units: u32) -> Part {
        let (units, of) = (units.min(self.units), self.units);
        Part {
            cores: self.cores / of * units,
            cpus: self.cpus / of * units,
            memory_mib: self.memory_gib / u64::from(of) * u64::from(units) * MIB_PER_GIB,
            gpus: self.gpus / of * units,
        }
    }

    /// How many threads a core has.
    pub fn threads(&self) -> u64 {
        u64::from(self.cpus / self.cores.max(1)).max(1)
    }

    /// The units of which something is used, of so many processors, MiB and GPUs.
    fn units_of(&self, [cpus, memory_mib, gpus]: [i128; 3]) -> u32 {
        let threads = i128::from(self.threads());
        let memory = i128::from(self.memory_gib) * i128::from(MIB_PER_GIB);
        let all = [
            (rounding::up(cpus, threads), i128::from(self.cores)),
            (memory_mib, memory),
            (gpus, i128::from(self.gpus)),
        ];
        let counted = all.into_iter().filter(|(_, of)| *of > 0);
        let most = counted.map(|(used, of)| rounding::up(used * i128::from(self.units), of)).max();
        u32::try_from(most.unwrap_or(0)).unwrap_or(u32::MAX).min(self.units)
    }
}

/// A stretch of time in seconds since 1970, and how many units are taken all through it.
pub type Taken = (i64, i64, u32);

/// How many units others take when: stretches that do not overlap, in order, without those in which none are taken.
pub fn taken(size: &Size, uses: &[(i64, i64, Used)]) -> Vec<Taken> {
    let mut changes: Vec<(i64, [i128; 3])> = Vec::with_capacity(2 * uses.len());
    for (from, to, used) in uses.iter().filter(|(from, to, _)| from < to) {
        let more = [used.cpus, used.memory_mib, used.gpus].map(i128::from);
        changes.extend([(*from, more), (*to, more.map(|it| -it))]);
    }
    changes.sort_unstable();
    let (mut since, mut sums, mut all) = (i64::MIN, [0_i128; 3], Vec::<Taken>::new());
    for (at, change) in changes {
        let units = size.units_of(sums);
        match all.last_mut() {
            _ if units == 0 || since == at => {}
            Some((_, end, last)) if *end == since && *last == units => *end = at,
            _ => all.push((since, at, units)),
        }
        (since, sums) = (at, std::array::from_fn(|place| sums[place] + change[place]));
    }
    all
}

/// The times within a horizon in which some units can be held, with how many: none of these is taken all through the margins.
pub fn free_units(taken: &[Taken], units: u32, horizon: Interval, margin: Margin) -> Vec<(Interval, u32)> {
    let moment = |seconds: i64, millis: i64| {
        let at = seconds.saturating_mul(1_000).saturating_add(millis);
        Time::from_millis(at).unwrap_or(if at < 0 { Time::MIN } else { Time::MAX })
    };
    // Where each begins to count and ceases to: how many are taken then is the most of those that count.
    let mut changes: Vec<(Time, u32, bool)> = Vec::new();
    for (from, to, level) in taken {
        // Reservations are whole seconds: one more on each side.
        let wide = Interval::new(moment(*from, -margin.after - 1_000), moment(*to, margin.before + 1_000));
        if let Some(wide) = wide.and_then(|wide| wide.intersection(horizon)) {
            changes.extend([(wide.start(), *level, true), (wide.end(), *level, false)]);
        }
    }
    changes.sort_unstable();
    let mut counting: BTreeMap<u32, usize> = BTreeMap::new();
    let (mut from, mut free): (Time, Vec<(Interval, u32)>) = (horizon.start(), Vec::new());
    let mut push = |from: Time, to: Time, left: u32| {
        let Some(piece) = Interval::new(from, to).filter(|_| left > 0) else { return };
        match free.last_mut() {
            Some((last, units)) if *units == left && last.end() == from => {
                *last = Interval::new(last.start(), to).unwrap_or(*last);
            }
            _ => free.push((piece, left)),
        }
    };
    for (at, level, begins) in changes {
        let most = counting.last_key_value().map_or(0, |(level, _)| *level);
        push(from, at, units.saturating_sub(most));
        from = at;
        let count = counting.entry(level).or_insert(0);
        *count = if begins { *count + 1 } else { count.saturating_sub(1) };
        if *count == 0 {
            counting.remove(&level);
        }
    }
    let most = counting.last_key_value().map_or(0, |(level, _)| *level);
    push(from, horizon.end(), units.saturating_sub(most));
    free
}

/// Whether no more than so many units are taken at any moment between two, by all of these together.
pub fn fits(taken: impl Iterator<Item = Taken>, units: u32, from: i64, to: i64) -> bool {
    let mut changes: Vec<(i64, i64)> = Vec::new();
    for (start, end, level) in taken.filter(|(start, end, _)| *start < to && from < *end) {
        changes.extend([(start.max(from), i64::from(level)), (end, -i64::from(level))]);
    }
    // What ends makes room for what begins.
    changes.sort_unstable();
    let mut sum = 0_i64;
    changes.into_iter().all(|(_, change)| {
        sum += change;
        sum <= i64::from(units)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slurm::parse::nodes;
    use proptest::prelude::*;

    fn node(has: &str) -> NodeSeen {
        nodes(format!("NodeName=n4 State=IDLE {has}").as_bytes()).items.remove(0)
    }

    #[test]
    fn a_node_is_divided_by_cores_and_not_by_threads() {
        let has =
            "CPUTot=16 CPUEfctv=16 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=33000 Gres=gpu:8";
        let size = Size::of(&node(has), 8, true).unwrap();
        assert_eq!(size, Size { units: 8, cpus: 16, cores: 8, memory_gib: 32, gpus: 8 });
        assert_eq!(size.part(3), Part { cores: 3, cpus: 6, memory_mib: 12 * 1_024, gpus: 3 });
        assert_eq!(Size::of(&node(has), 8, false).unwrap().part(8).memory_mib, 0);
        let wrong = |has: &str, units: u32| Size::of(&node(has), units, true).unwrap_err();
        let indivisible = "units: node 'n4' has 8 cores, which cannot be divided into 16 equal units: expected a number that divides 8";
        assert_eq!(wrong(has, 16), indivisible);
        assert!(wrong(&has.replace("gpu:8", "gpu:4"), 8).contains("has 4 GPUs"));
        assert!(
            wrong(&has.replace("33000", "4000"), 8)
                .contains("3 GiB of memory, less than one for each of 8 units")
        );
        assert!(wrong("State=IDLE", 2).contains("does not say how many processors"));
        assert!(
            wrong(has, 0).contains("expected 1 to 4096") && wrong(has, 5_000).contains("expected 1 to 4096")
        );
        // Slurm keeps two cores, and some memory.
        let kept = has.replace("CPUEfctv=16", "CPUEfctv=12 MemSpecLimit=9000");
        assert_eq!(
            Size::of(&node(&kept), 2, true).unwrap(),
            Size { units: 2, cpus: 12, cores: 6, memory_gib: 22, gpus: 8 }
        );
    }

    const SIZE: Size = Size { units: 4, cpus: 8, cores: 4, memory_gib: 8, gpus: 4 };

    fn used(cpus: u64, memory_mib: u64, gpus: u64) -> Used {
        Used { cpus, memory_mib, gpus }
    }

    #[test]
    fn what_is_used_counts_in_units_of_the_scarcest_rounded_up() {
        let units = |uses: &[Used]| {
            let uses: Vec<_> = uses.iter().map(|used| (0, 1, *used)).collect();
            taken(&SIZE, &uses).first().map_or(0, |(_, _, units)| *units)
        };
        assert_eq!(units(&[]), 0);
        assert_eq!(units(&[used(1, 0, 0)]), 1);
        assert_eq!(units(&[used(3, 0, 0)]), 2);
        assert_eq!(units(&[used(2, 2_049, 0)]), 2);
        assert_eq!(units(&[used(2, 1, 3)]), 3);
        // Two that have half of a unit each, and two that do not share one.
        assert_eq!(
            (units(&[used(2, 1_024, 0), used(0, 1_024, 0)]), units(&[used(2, 0, 0), used(1, 0, 0)])),
            (1, 2)
        );
        assert_eq!(units(&[Used::ALL, Used::ALL]), 4);
    }

    fn uses() -> impl Strategy<Value = Vec<(i64, i64, Used)>> {
        let one = (1_000_i64..1_040, 1_i64..20, 0_u64..5, 0_u64..5_000, 0_u64..3);
        proptest::collection::vec(one, 0..6).prop_map(|all| {
            all.into_iter().map(|(from, long, c, m, g)| (from, from + long, used(c, m, g))).collect()
        })
    }

    fn seconds(from: i64, to: i64) -> Interval {
        let time = |it: i64| Time::from_millis(1_000 * it).unwrap();
        Interval::new(time(from), time(to)).unwrap()
    }

    proptest! {
        /// Against every second by itself.
        #[test]
        fn no_unit_is_sold_of_which_something_is_used(uses in uses()) {
            let taken = taken(&SIZE, &uses);
            prop_assert!(taken.windows(2).all(|pair| pair[0].1 <= pair[1].0));
            let at = |second: i64| {
                let open = uses.iter().filter(|(from, to, _)| *from <= second && second < *to).map(|(.., used)| used);
                let sum = open.fold([0_u64; 3], |sum, it| [sum[0] + it.cpus, sum[1] + it.memory_mib, sum[2] + it.gpus]);
                [sum[0].div_ceil(2), sum[1].div_ceil(2_048), sum[2]].into_iter().max().unwrap().min(4)
            };
            let free = free_units(&taken, 4, seconds(1_000, 1_080), Margin { before: 2_000, after: 1_000 });
            for second in 1_000..1_080 {
                let told = taken.iter().find(|(from, to, _)| *from <= second && second < *to).map_or(0, |it| it.2);
                prop_assert_eq!(u64::from(told), at(second));
                // Two seconds for coming up and one for ending, and another on each side, since reservations are whole seconds.
                let most = (second - 3..second + 3).map(at).max().unwrap();
                let sold = free.iter().find(|(it, _)| it.contains(seconds(second, second + 1))).map_or(0, |it| it.1);
                prop_assert_eq!(u64::from(sold), 4 - most, "second {}", second);
            }
        }

        #[test]
        fn what_fits_does_so_at_every_moment(uses in proptest::collection::vec((0_i64..20, 1_i64..10, 1_u32..3), 0..6)) {
            let all: Vec<Taken> = uses.iter().map(|(from, long, units)| (*from, from + long, *units)).collect();
            let sum = |at: i64| all.iter().filter(|(from, to, _)| *from <= at && at < *to).map(|it| it.2).sum::<u32>();
            prop_assert_eq!(fits(all.iter().copied(), 3, 5, 15), (5..15).all(|at| sum(at) <= 3));
        }
    }
}
