//! Nodes of a cluster of Slurm's that are sold in units: in how many, what these have, and why that cannot be.

use super::cluster::SlurmConfig;
use super::config::SiteConfig;
use std::collections::BTreeMap;
use walras_model::division::UNITS_MAX;
use walras_model::{Attributes, Division, Value};
use walras_sites::slurm::parse::NodeSeen;
use walras_sites::slurm::partition::{PartitionSeen, Partitions, partition_of};
use walras_sites::slurm::probe::Found;
use walras_sites::slurm::units::Size;

/// What such nodes count.
const CORES: &str = "cores";
const MEMORY: &str = "memory_gb";
const GPUS: &str = "gpus";

impl SiteConfig {
    /// Whether the table leaves to a cluster what a cluster says itself, and divides its nodes into no more than there may be.
    pub(super) fn slurm_terms(&self) -> Result<(), String> {
        if self.has_terms() {
            return Err(
                "least_units, only_for: who may use which nodes of a cluster of Slurm's, it says itself"
                    .to_owned(),
            );
        }
        if !self.resources.is_empty() || self.nodes.iter().any(|node| !node.resources.is_empty()) {
            return Err("resources: a cluster of Slurm's says itself what its nodes have".to_owned());
        }
        let by_partition = self.slurm.iter().flat_map(|slurm| slurm.partition_units.values());
        let by_partition = by_partition.map(|it| ("slurm.partition_units", *it));
        let by_node = self.nodes.iter().filter_map(|node| Some(("nodes.units", node.units?)));
        let mut all = self.units.map(|units| ("units", units)).into_iter().chain(by_partition).chain(by_node);
        if let Some((key, units)) = all.find(|(_, units)| !(1..=UNITS_MAX).contains(units)) {
            return Err(format!("{key}: {units} is out of range: expected 1 to {UNITS_MAX}"));
        }
        if self.count.is_some() {
            return Err("count: a cluster of Slurm's says itself which nodes it has".to_owned());
        }
        Ok(())
    }

    /// In how many units a node is sold, by the table: by its own name, by a partition that it is sold through, or as all others.
    fn slurm_units(&self, slurm: &SlurmConfig, seen: &NodeSeen) -> u32 {
        let own = self.nodes.iter().find(|node| node.name == seen.name).and_then(|node| node.units);
        let is_sold = |name: &&String| slurm.partitions.is_empty() || slurm.partitions.contains(name);
        let of_partition = || {
            seen.partitions.iter().filter(is_sold).find_map(|name| slurm.partition_units.get(name).copied())
        };
        own.or_else(of_partition).or(self.units).unwrap_or(1)
    }

    /// What a node counts, and in how many units it is sold: nothing and one, where it is sold whole. What is counted is said among its attributes too; memory
    /// that the cluster does not count is not said of a node that several share, for nobody can promise it.
    pub(super) fn slurm_division(
        &self,
        slurm: &SlurmConfig,
        seen: &NodeSeen,
        counts_memory: bool,
        all: &mut Attributes,
    ) -> Result<Division, String> {
        let units = self.slurm_units(slurm, seen);
        if units == 1 {
            return Ok(Division::default());
        }
        let size = Size::of(seen, units, counts_memory)?;
        for name in [CORES, MEMORY, GPUS] {
            all.remove(name);
        }
        let counted = [(CORES, size.cpus.into()), (MEMORY, size.memory_gib), (GPUS, size.gpus.into())];
        let counted = counted.into_iter().filter(|(_, amount)| *amount > 0);
        let counted: BTreeMap<String, u64> =
            counted.map(|(name, amount)| (name.to_owned(), amount)).collect();
        let within = |wrong| format!("units: node '{}': {wrong}", seen.name);
        let division = Division::new(units, counted).map_err(within)?;
        division.state_in(all).map_err(within)?;
        Ok(division)
    }

    /// Refuses units that the cluster cannot give.
    pub(super) fn check_units(&self, slurm: &SlurmConfig, found: &Found) -> Result<(), String> {
        let known = |name: &String| found.partitions.contains_key(name);
        if let Some(name) = slurm.partition_units.keys().find(|name| !known(name)) {
            let all: Vec<&str> = found.partitions.keys().map(String::as_str).collect();
            return Err(format!(
                "slurm.partition_units: Slurm knows no '{name}': expected {}",
                all.join(", ")
            ));
        }
        let mut divided = found.nodes.iter().filter(|node| self.slurm_units(slurm, node) != 1).peekable();
        if divided.peek().is_none() {
            return Ok(());
        }
        if let Some(why) = found.settings.gives_no_cores() {
            return Err(format!("units: {why}"));
        }
        for node in divided {
            if let Some(partition) = whole_nodes_only(&found.partitions, node, &slurm.partitions) {
                return Err(format!(
                    "units: node '{}' is sold through the partition '{}', which gives out whole nodes: expected another partition, or no units",
                    node.name, partition.name
                ));
            }
        }
        Ok(())
    }
}

fn whole_nodes_only<'a>(all: &'a Partitions, node: &NodeSeen, sold: &[String]) -> Option<&'a PartitionSeen> {
    partition_of(all, node, sold).filter(|partition| partition.whole_nodes)
}

/// What is sold in units, for people; nothing where nothing is.
pub(super) fn told_of_units(nodes: &[(&str, &Division)], counts_memory: bool) -> Option<String> {
    let mut alike: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (name, division) in nodes.iter().filter(|(_, division)| division.is_divided()) {
        let part =
            |(name, amount): (&String, &u64)| format!("{} {name}", amount / u64::from(division.units()));
        let parts: Vec<String> = division.resources().iter().map(part).collect();
        alike.entry(format!("{} units of {}", division.units(), parts.join(", "))).or_default().push(name);
    }
    let all: Vec<String> =
        alike.iter().map(|(units, names)| format!("{} in {units}", names.join(", "))).collect();
    let unsaid = match counts_memory {
        true => "",
        false => " (the cluster does not count memory, so that none is promised there)",
    };
    (!all.is_empty()).then(|| format!("sold in parts: {}{unsaid}", all.join("; ")))
}

/// Memory and the like of a node that is sold whole.
pub(super) fn whole_amounts(
    seen: &NodeSeen,
    whole: impl Fn(u64) -> Value,
    gib: impl Fn(u64) -> Value,
) -> Attributes {
    let cores = seen.processors.map(|count| (CORES.to_owned(), whole(count.into())));
    let memory = seen.memory.map(|mib| (MEMORY.to_owned(), gib(mib)));
    let gpus = (seen.gpus > 0).then(|| (GPUS.to_owned(), whole(seen.gpus.into())));
    cores.into_iter().chain(memory).chain(gpus).collect()
}
