//! What a part may use: each process by itself, and all together their share of what the node has.
//!
//! What a node counts as a resource is sold by its units, and so is a part's share of it. What it only states, tests and does not count, is
//! there for every part: a task that asks for a node of so much memory may use that much.

use serde::{Deserialize, Serialize};

/// No part can run with fewer processes.
const PROCESSES_MIN: u64 = 16;

/// What one process of a part may use; no limit of ours where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessLimits {
    /// Bytes of address space.
    pub address_space: Option<u64>,
    /// Open files.
    pub open_files: Option<u64>,
    /// Processes of its user, all together.
    pub processes: Option<u64>,
    /// Bytes in a file.
    pub file_size: Option<u64>,
    /// Seconds of processor time.
    pub cpu_seconds: Option<u64>,
}

/// What all processes of a part may use together; no limit where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartLimits {
    /// Memory, in bytes.
    pub memory: Option<u64>,
    /// Processors, in thousandths of one.
    pub millicores: Option<u64>,
    /// Processes and threads.
    pub processes: Option<u64>,
}

/// How much of something a node has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supply {
    /// On the whole node.
    pub whole: u64,
    /// Whether a part has its share of it; all of it, otherwise.
    pub is_shared: bool,
}

/// What a node has for its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeLimits {
    /// In how many units it is sold.
    pub units: u32,
    /// Memory, in bytes.
    pub memory: Option<Supply>,
    /// Processors, in thousandths of one.
    pub millicores: Option<Supply>,
    /// Processes and threads.
    pub processes: Option<Supply>,
}

impl Supply {
    fn of(&self, units: u32, all: u32) -> u64 {
        if !self.is_shared {
            return self.whole;
        }
        let share = u128::from(self.whole) * u128::from(units) / u128::from(all.max(1));
        u64::try_from(share).unwrap_or(u64::MAX)
    }
}

impl NodeLimits {
    /// One of which nothing is known.
    pub const NONE: NodeLimits = NodeLimits { units: 1, memory: None, millicores: None, processes: None };

    /// What a part may use that has so many units of it.
    ///
    /// ```
    /// use walras_sites::local::{Supply, NodeLimits};
    /// let shared = |whole| Some(Supply { whole, is_shared: true });
    /// let node = NodeLimits { units: 8, memory: shared(64 << 30), millicores: shared(4_000), processes: shared(4_096) };
    /// let three = node.of(3);
    /// assert_eq!((three.memory, three.millicores, three.processes), (Some(24 << 30), Some(1_500), Some(1_536)));
    /// ```
    pub fn of(&self, units: u32) -> PartLimits {
        let share = |amount: &Option<Supply>| amount.map(|amount| amount.of(units, self.units));
        PartLimits {
            memory: share(&self.memory),
            millicores: share(&self.millicores),
            processes: share(&self.processes).map(|processes| processes.max(PROCESSES_MIN)),
        }
    }
}
