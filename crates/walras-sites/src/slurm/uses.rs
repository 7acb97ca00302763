//! What jobs and reservations have of their nodes, where nodes are sold in units.
//!
//! `squeue -O` prints what a job has altogether (`tres-alloc`) and what it asked for by node, job, task and socket. GPUs stand in the first only
//! where Slurm's accounting counts them. Whatever is not understood has its nodes whole.
//!
//! O(length of a line).

use super::amount::{Used, mebibytes};
use std::collections::BTreeMap;

/// What a job has, or is to have, of each of its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// All of it.
    Whole,
    /// So much of the one node that it has.
    Part(Used),
    /// No more than that of any of its nodes; how much, nobody says.
    AtMost(Used),
}

impl Takes {
    /// The most that it has of a node.
    pub fn most(self) -> Used {
        match self {
            Takes::Whole => Used::ALL,
            Takes::Part(used) | Takes::AtMost(used) => used,
        }
    }
}

/// The columns that say it, in order.
pub const COLUMNS: [&str; 8] = [
    "NumNodes",
    "NumCPUs",
    "OverSubscribe",
    "tres-alloc",
    "tres-per-node",
    "tres-per-job",
    "tres-per-task",
    "tres-per-socket",
];

/// Reads these columns of a job.
pub fn takes(columns: &[&str]) -> Takes {
    let [nodes, cpus, shares, all, per_node, per_job, per_task, per_socket] = columns else {
        return Takes::Whole;
    };
    // Anything else has its nodes for itself, or for its user.
    if !matches!(*shares, "OK" | "YES") {
        return Takes::Whole;
    }
    let (Ok(nodes), Ok(cpus)) = (nodes.parse::<u64>(), cpus.parse::<u64>()) else { return Takes::Whole };
    let counted = |key: &str| all.split(',').find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
    let memory_mib = counted("mem").and_then(mebibytes).unwrap_or(u64::MAX);
    let asked = [(*per_node, 1), (*per_job, 1), (*per_task, cpus), (*per_socket, u64::MAX)];
    let of_asked = || asked.into_iter().map(|(text, times)| gpus_in(text).saturating_mul(times)).max();
    let gpus = counted("gres/gpu").and_then(|text| text.parse().ok()).or_else(of_asked).unwrap_or(0);
    match nodes {
        0 => Takes::Whole,
        1 => Takes::Part(Used { cpus, memory_mib, gpus }),
        // There is a processor at least on each of the others.
        _ => Takes::AtMost(Used { cpus: cpus.saturating_sub(nodes - 1), memory_mib, gpus }),
    }
}

/// The GPUs in `gres:gpu:2` or `gres/gpu:a100:2`; more than there are, where they are named and not understood.
fn gpus_in(text: &str) -> u64 {
    if !text.contains("gpu") {
        return 0;
    }
    let plain: Vec<String> = text
        .split(',')
        .map(|item| {
            item.strip_prefix("gres:").or(item.strip_prefix("gres/")).unwrap_or(item).replace('=', ":")
        })
        .collect();
    match gpus(&plain.join(",")) {
        0 => u64::MAX,
        count => count.into(),
    }
}

/// The number of GPUs in `gpu:a100:4(S:0-1),gpu:2`.
pub(super) fn gpus(gres: &str) -> u32 {
    let count = |item: &str| {
        let item = item.split('(').next().unwrap_or_default();
        let rest = item.strip_prefix("gpu")?;
        let last = rest.rsplit(':').next().unwrap_or_default();
        if rest.is_empty() { Some(1) } else { last.parse::<u32>().ok() }
    };
    gres.split(',').filter_map(count).fold(0, u32::saturating_add)
}

/// What a reservation has of its nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reserved {
    /// How many cores it has, on all of its nodes together.
    pub cores: Option<u32>,
    /// Which these are, from and to, by node; on nodes that are not named it may be any.
    pub places: BTreeMap<String, Vec<(u32, u32)>>,
    /// GPUs, on all nodes together.
    pub gpus: u64,
}

impl Reserved {
    /// Reads the line of a reservation: `NodeName=n4 CoreIDs=0-1` may stand there for every node.
    pub fn of(line: &str) -> Reserved {
        let (mut all, mut node) = (Reserved::default(), None);
        for (key, value) in line.split_ascii_whitespace().filter_map(|word| word.split_once('=')) {
            match key {
                "CoreCnt" => all.cores = value.parse().ok(),
                "NodeName" => node = Some(value),
                "CoreIDs" => {
                    let Some((name, places)) = node.take().zip(ranges(value)) else { continue };
                    all.places.insert(name.to_owned(), places);
                }
                "TRES" => {
                    let gpus = value.split(',').find_map(|word| word.strip_prefix("gres/gpu="));
                    all.gpus = gpus.map_or(0, |text| text.parse().unwrap_or(u64::MAX));
                }
                _ => {}
            }
        }
        all
    }

    /// The cores of one of so many nodes; all of them, where nobody says.
    pub fn cores_of(&self, node: &str, nodes: usize) -> Option<u64> {
        let count = |places: &Vec<(u32, u32)>| places.iter().map(|(from, to)| u64::from(to - from) + 1).sum();
        let alone = || self.cores.filter(|_| nodes == 1).map(u64::from);
        self.places.get(node).map(count).or_else(alone)
    }

    /// Whether two have a core of a node in common, as far as is said.
    pub fn meets(&self, other: &Reserved, node: &str) -> bool {
        let (Some(own), Some(others)) = (self.places.get(node), other.places.get(node)) else { return false };
        own.iter().any(|(from, to)| others.iter().any(|(start, end)| start <= to && from <= end))
    }
}

/// The numbers in `0-1,4`.
fn ranges(text: &str) -> Option<Vec<(u32, u32)>> {
    let range = |item: &str| {
        let (from, to) = item.split_once('-').unwrap_or((item, item));
        let (from, to) = (from.parse::<u32>().ok()?, to.parse::<u32>().ok()?);
        (from <= to).then_some((from, to))
    };
    text.split(',').map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(cpus: u64, memory_mib: u64, gpus: u64) -> Used {
        Used { cpus, memory_mib, gpus }
    }

    #[test]
    fn what_a_job_has_is_read_against_us() {
        let read = |line: &str| takes(&line.split('|').collect::<Vec<_>>());
        let none = "N/A|N/A|N/A|N/A";
        let plain = format!("1|2|OK|cpu=2,mem=200M,node=1,billing=2|{none}");
        assert_eq!(read(&plain), Takes::Part(part(2, 200, 0)));
        assert_eq!(read(&plain.replace("OK", "NO")), Takes::Whole);
        assert_eq!(read(&plain.replace("OK", "USER")), Takes::Whole);
        assert_eq!(read(&plain.replace("1|2", "1-2|2")), Takes::Whole);
        assert_eq!(read("1|2"), Takes::Whole);
        // Seven processors on three nodes: five of them may be on one.
        assert_eq!(read(&format!("3|7|OK|cpu=7,mem=7G|{none}")), Takes::AtMost(part(5, 7_168, 0)));
        // Memory that is not said is all there is.
        assert_eq!(read(&format!("1|1|OK|cpu=1|{none}")), Takes::Part(part(1, u64::MAX, 0)));
        let with = |gpus: &str| read(&format!("1|3|OK|cpu=3,mem=1M|{gpus}")).most().gpus;
        assert_eq!(with("gres:gpu:1|N/A|N/A|N/A"), 1);
        assert_eq!(with("gres/gpu:a100:2|N/A|N/A|N/A"), 2);
        assert_eq!(with("N/A|gres/gpu=4|N/A|N/A"), 4);
        assert_eq!(with("N/A|N/A|gres:gpu:1|N/A"), 3);
        assert_eq!(with("N/A|N/A|N/A|gres:gpu:1"), u64::MAX);
        assert_eq!(with("gpu:many|N/A|N/A|N/A"), u64::MAX);
        let counted = "1|1|OK|cpu=1,mem=1M,gres/gpu=2,gres/gpu:a100=2|gres/gpu:2|N/A|N/A|N/A";
        assert_eq!(read(counted).most().gpus, 2);
    }

    #[test]
    fn cores_of_reservations_are_read() {
        let line = "ReservationName=r Nodes=n[3-4] NodeCnt=2 CoreCnt=3 NodeName=n3 CoreIDs=0 NodeName=n4 CoreIDs=0,2-3 TRES=cpu=3,gres/gpu=1";
        let read = Reserved::of(line);
        assert_eq!((read.cores, read.gpus), (Some(3), 1));
        assert_eq!(
            (read.cores_of("n3", 2), read.cores_of("n4", 2), read.cores_of("n5", 2)),
            (Some(1), Some(3), None)
        );
        let other = Reserved::of("Nodes=n4 CoreCnt=1 NodeName=n4 CoreIDs=1");
        assert!(!read.meets(&other, "n4") && !other.meets(&read, "n4"));
        assert!(read.meets(&Reserved::of("Nodes=n4 CoreCnt=2 NodeName=n4 CoreIDs=1-2"), "n4"));
        // Where it is not said which they are, nobody meets.
        let unsaid = Reserved::of("Nodes=n4 CoreCnt=2");
        assert_eq!(
            (unsaid.meets(&read, "n4"), unsaid.cores_of("n4", 1), unsaid.cores_of("n4", 2)),
            (false, Some(2), None)
        );
        assert_eq!(Reserved::of("CoreCnt=x NodeName=n4 CoreIDs=4-2"), Reserved::default());
    }
}
