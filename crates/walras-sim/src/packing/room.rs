//! What is free on nodes, and where tasks go.

use super::{Cluster, Counting, Need, PackedJob};

/// By node, how many tasks of one job.
pub(super) type Places = Vec<(usize, u32)>;

/// What is free on every node.
#[derive(Clone, Debug)]
pub(super) struct Room {
    counting: Counting,
    has: Vec<Need>,
    /// No more than there is. Where nodes are sold in units, these are its cores, and memory is not looked at.
    free: Vec<Need>,
}

impl Room {
    pub(super) fn of(cluster: &Cluster, counting: Counting) -> Room {
        let has: Vec<Need> = cluster.nodes().collect();
        Room { counting, free: has.clone(), has }
    }

    /// Where the tasks of a job have room: on the first nodes, or on those with the least.
    pub(super) fn places(&self, job: &PackedJob, fullest_first: bool) -> Option<Places> {
        let fits = |node: usize| {
            let tasks = self.side_by_side(node, job);
            (tasks > 0).then_some((node, tasks))
        };
        let mut able: Places = (0..self.free.len()).filter_map(fits).collect();
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

    /// Whether tasks of a job have room in these places.
    pub(super) fn has_room(&self, job: &PackedJob, places: &[(usize, u32)]) -> bool {
        places.iter().all(|(node, tasks)| self.side_by_side(*node, job) >= *tasks)
    }

    /// How many tasks of a job a node has room for.
    fn side_by_side(&self, node: usize, job: &PackedJob) -> u32 {
        let Some(each) = self.takes(node, job) else { return 0 };
        let free = self.free[node];
        let by_cores = free.cores.checked_div(each.cores).unwrap_or(u32::MAX);
        let by_memory = free.memory.checked_div(each.memory).unwrap_or(u64::MAX);
        by_cores.min(u32::try_from(by_memory).unwrap_or(u32::MAX))
    }

    /// What a task of a job takes of a node; nothing of one that has less than a unit is to have.
    fn takes(&self, node: usize, job: &PackedJob) -> Option<Need> {
        match self.counting {
            Counting::ByResource => Some(job.each),
            Counting::InUnits => {
                let units = units(self.has[node], job.each)?;
                Some(Need { cores: units, memory: 0 })
            }
        }
    }

    /// How much of a node is free: of cores and memory together, in millionths of each.
    fn share_free(&self, node: usize) -> u128 {
        let share = |free: u128, all: u128| free * 1_000_000 / all.max(1);
        let (free, has) = (self.free[node], self.has[node]);
        share(free.cores.into(), has.cores.into()) + share(free.memory.into(), has.memory.into())
    }

    /// Takes places for which [`Room::has_room`], so that nothing is beyond what is free.
    pub(super) fn take(&mut self, job: &PackedJob, places: &[(usize, u32)]) {
        for (node, tasks) in places {
            let Some(each) = self.takes(*node, job) else { continue };
            let free = &mut self.free[*node];
            free.cores -= each.cores * tasks;
            free.memory -= each.memory * u64::from(*tasks);
        }
    }

    /// Gives places back that were taken.
    pub(super) fn give(&mut self, job: &PackedJob, places: &[(usize, u32)]) {
        for (node, tasks) in places {
            let Some(each) = self.takes(*node, job) else { continue };
            let free = &mut self.free[*node];
            free.cores += each.cores * tasks;
            free.memory += each.memory * u64::from(*tasks);
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

/// How many units a task takes of a node that has as many as cores; `None` where it has too few. What is left of memory beyond equal parts is in none.
pub(super) fn units(has: Need, each: Need) -> Option<u32> {
    let by_memory = match has.memory / u64::from(has.cores.max(1)) {
        0 if each.memory > 0 => return None,
        0 => 0,
        of_one => u32::try_from(each.memory.div_ceil(of_one)).ok()?,
    };
    Some(each.cores.max(by_memory).max(1)).filter(|units| *units <= has.cores)
}
