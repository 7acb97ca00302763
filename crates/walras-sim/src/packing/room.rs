//! What is free on nodes, and where tasks go.

use super::{Cluster, Need, PackedJob};

/// By node, how many tasks of one job.
pub(super) type Places = Vec<(usize, u32)>;

/// What is free on every node.
#[derive(Clone, Debug)]
pub(super) struct Room {
    has: Vec<Need>,
    pub(super) free: Vec<Need>,
}

impl Room {
    pub(super) fn of(cluster: &Cluster) -> Room {
        let has: Vec<Need> = cluster.nodes().collect();
        Room { free: has.clone(), has }
    }

    /// Where the tasks of a job have room: on the first nodes, or on those with the least.
    pub(super) fn places(&self, job: &PackedJob, fullest_first: bool) -> Option<Places> {
        let fits = |(node, free): (usize, &Need)| {
            let tasks = side_by_side(*free, job.each);
            (tasks > 0).then_some((node, tasks))
        };
        let mut able: Places = self.free.iter().enumerate().filter_map(fits).collect();
        if able.iter().map(|(_, tasks)| u64::from(*tasks)).sum::<u64>() < u64::from(job.tasks) {
            return None;
        }
        if fullest_first {
            able.sort_by_key(|(node, _)| (self.share_free(*node), *node));
        }
        let mut left = job.tasks;
        let mut places = Places::new();
        for (node, tasks) in able {
            let taken = tasks.min(left);
            left -= taken;
            places.push((node, taken));
            if left == 0 {
                break;
            }
        }
        Some(places)
    }

    /// How much of a node is free: of cores and memory together, in millionths of each.
    fn share_free(&self, node: usize) -> u128 {
        let share = |free: u128, all: u128| free * 1_000_000 / all.max(1);
        let (free, has) = (self.free[node], self.has[node]);
        share(free.cores.into(), has.cores.into()) + share(free.memory.into(), has.memory.into())
    }

    pub(super) fn take(&mut self, job: &PackedJob, places: &[(usize, u32)]) {
        for (node, tasks) in places {
            let free = &mut self.free[*node];
            free.cores -= job.each.cores * tasks;
            free.memory -= job.each.memory * u64::from(*tasks);
        }
    }

    pub(super) fn give(&mut self, job: &PackedJob, places: &[(usize, u32)]) {
        for (node, tasks) in places {
            let free = &mut self.free[*node];
            free.cores += job.each.cores * tasks;
            free.memory += job.each.memory * u64::from(*tasks);
        }
    }

    /// On every node no more than is free here and there.
    pub(super) fn least(&mut self, other: &Room) {
        for (free, other) in self.free.iter_mut().zip(&other.free) {
            free.cores = free.cores.min(other.cores);
            free.memory = free.memory.min(other.memory);
        }
    }
}

/// How many tasks have room side by side.
pub(super) fn side_by_side(free: Need, each: Need) -> u32 {
    let by_cores = free.cores.checked_div(each.cores).unwrap_or(u32::MAX);
    let by_memory = free.memory.checked_div(each.memory).unwrap_or(u64::MAX);
    by_cores.min(u32::try_from(by_memory).unwrap_or(u32::MAX))
}
