//! What each node of a local site has for what runs there: what the node states, and what `[site.local]` says instead.

use super::config::{LocalConfig, OfferingName, SiteConfig};
use super::spec::attributes;
use std::collections::BTreeMap;
use walras_model::{Attributes, Division, Value};
use walras_sites::local::{NodeLimits, Supply};

/// Processes and threads on a node, unless something else is said.
const PROCESSES: u32 = 4_096;
/// No program starts in less memory, in MiB.
const MEMORY_MIN: u64 = 16;
/// What a queue is called, which has no nodes.
const QUEUE: &str = "queue";

impl SiteConfig {
    /// By name of a node, what it has for what runs there; of a queue, for each of its jobs.
    pub(super) fn node_limits(&self) -> Result<BTreeMap<String, NodeLimits>, String> {
        let config = self.local.clone().unwrap_or_default();
        config.check_limits()?;
        if self.kind == OfferingName::Queue {
            let stated = attributes(&self.attributes)?;
            let limits = config.limits_of(&Division::default(), &stated);
            return Ok(BTreeMap::from([(QUEUE.to_owned(), limits)]));
        }
        let nodes = self.node_specs()?;
        let mut all = BTreeMap::new();
        for node in nodes {
            let limits = config.limits_of(&node.division, &node.attributes);
            if let Some(memory) = limits.of(1).memory.filter(|memory| *memory < MEMORY_MIN << 20) {
                return Err(format!(
                    "local.node_memory_mib: a unit of node '{}' would have {} MiB: expected {MEMORY_MIN} or more",
                    node.name,
                    memory >> 20
                ));
            }
            all.insert(node.name, limits);
        }
        Ok(all)
    }
}

impl LocalConfig {
    fn check_limits(&self) -> Result<(), String> {
        let given = [
            ("node_memory_mib", self.node_memory_mib, 64),
            ("node_cores", self.node_cores, 1),
            ("node_processes", self.node_processes, 16),
        ];
        for (key, value, least) in given {
            if let Some(value) = value.filter(|value| *value < least) {
                return Err(format!("local.{key}: {value} is too little: expected {least} or more"));
            }
        }
        match &self.cgroup {
            Some(path) if !path.starts_with("/") || path.components().any(|it| it.as_os_str() == "..") => {
                Err(format!(
                    "local.cgroup: '{}': expected a path from the top, such as \"/jobs\"",
                    path.display()
                ))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// What is counted is shared out by units, and so is what the table says; what is only stated is there for each.
    fn limits_of(&self, division: &Division, stated: &Attributes) -> NodeLimits {
        let supply = |said: Option<u64>, name: &str, millionth: fn(u64) -> u64| {
            let own = said.map(|whole| Supply { whole, is_shared: true });
            let number = match stated.get(name) {
                Some(Value::Number(number)) => u64::try_from(number.as_millionths()).ok(),
                Some(Value::Text(_) | Value::Flag(_)) | None => None,
            };
            let is_shared = division.resources().contains_key(name);
            let of_node = number.filter(|number| *number > 0);
            own.or(of_node.map(|number| Supply { whole: millionth(number), is_shared }))
        };
        let memory = self.node_memory_mib.map(|mib| u64::from(mib) << 20);
        let millicores = self.node_cores.map(|cores| u64::from(cores) * 1_000);
        let processes = u64::from(self.node_processes.unwrap_or(PROCESSES));
        NodeLimits {
            units: division.units(),
            memory: supply(memory, "memory_gb", bytes_of_gigabytes),
            millicores: supply(millicores, "cores", |millionths| millionths / 1_000),
            processes: Some(Supply { whole: processes, is_shared: true }),
        }
    }
}

/// Of millionths of a gigabyte, which has 2^30 bytes: nobody has less than was said.
fn bytes_of_gigabytes(millionths: u64) -> u64 {
    u64::try_from(u128::from(millionths) * (1 << 30) / 1_000_000).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use crate::site::config::SiteConfig;
    use walras_sites::local::{Groups, LimitDemand, PartLimits};

    fn site(more: &str) -> SiteConfig {
        let table =
            format!("name = \"here\"\nowner = \"olga\"\nconnector = \"local\"\nprice = \"1\"\n{more}");
        toml::from_str(&table).unwrap()
    }

    fn limits(more: &str, node: &str, units: u32) -> PartLimits {
        site(more).node_limits().unwrap()[node].of(units)
    }

    const DIVIDED: &str = "count = 2\nunits = 8\nresources = { cores = 64, memory_gb = 256 }\n";

    #[test]
    fn a_part_has_the_share_of_what_its_node_counts() {
        let of = |memory, millicores, processes| PartLimits {
            memory: Some(memory),
            millicores: Some(millicores),
            processes: Some(processes),
        };
        assert_eq!(limits(DIVIDED, "n2", 1), of(32 << 30, 8_000, 512));
        assert_eq!(limits(DIVIDED, "n2", 8), of(256 << 30, 64_000, 4_096));
        // The owner keeps some of it.
        let less = format!("{DIVIDED}[local]\nnode_memory_mib = 4096\nnode_cores = 4\nnode_processes = 80\n");
        assert_eq!(limits(&less, "n1", 1), of(512 << 20, 500, 16));
        // What is stated and not counted is there for whoever asks for it.
        let stated = "units = 4\n[[nodes]]\nname = \"a\"\nattributes = { memory_gb = 1.5, cores = 3 }\n";
        assert_eq!(limits(stated, "a", 1), of(3 << 29, 3_000, 1_024));
        let nothing = PartLimits { memory: None, millicores: None, processes: Some(4_096) };
        assert_eq!(limits("count = 1\n", "n1", 1), nothing);
        let queue = "kind = \"queue\"\ncount = 3\nattributes = { memory_gb = 2 }\n";
        assert_eq!(limits(queue, "queue", 1), PartLimits { memory: Some(2 << 30), ..nothing });
    }

    #[test]
    fn limits_that_cannot_be_are_refused_by_name() {
        for (table, key) in [
            ("node_memory_mib = 63", "node_memory_mib: 63 is too little"),
            ("node_cores = 0", "node_cores: 0 is too little"),
            ("node_processes = 15", "node_processes: 15 is too little"),
            ("node_memory_mib = 100", "node_memory_mib: a unit of node 'n1' would have 12 MiB"),
            ("cgroup = \"jobs\"", "cgroup: 'jobs': expected a path"),
            ("cgroup = \"/jobs/../other\"", "cgroup: '/jobs/../other': expected a path"),
        ] {
            let wrong = site(&format!("{DIVIDED}[local]\n{table}\n")).spec().unwrap_err().to_string();
            assert!(wrong.starts_with(&format!("site 'here': local.{key}")), "{table}: {wrong}");
        }
    }

    /// Whatever this machine gives: `--check` says it, and a site that demands more is refused with the same words.
    #[test]
    fn what_the_machine_gives_is_said() {
        let data = tempfile::tempdir().unwrap();
        let found = Groups::probe(LimitDemand::Preferred, None, data.path()).unwrap();
        let said = site(DIVIDED).limits_found(data.path()).unwrap().unwrap();
        assert_eq!(said, found.to_string());
        let required = site(&format!("{DIVIDED}[local]\nlimits = \"required\"\n")).limits_found(data.path());
        match Groups::probe(LimitDemand::Required, None, data.path()) {
            Ok(_) => assert_eq!(required, Ok(Some(said))),
            Err(refused) => assert_eq!(required.unwrap_err().to_string(), format!("site 'here': {refused}")),
        }
        if found.are_there() {
            let said = site("count = 1\n").limits_found(data.path()).unwrap().unwrap();
            let unsaid =
                "memory (`memory_gb`, `local.node_memory_mib`), processors (`cores`, `local.node_cores`)";
            assert!(said.ends_with(unsaid), "{said}");
        }
        let nowhere = "[local]\ncgroup = \"/no/such/group\"\n";
        let said = site(&format!("{DIVIDED}{nowhere}")).limits_found(data.path()).unwrap().unwrap();
        assert!(said.starts_with("none for a job as a whole"), "{said}");
        let refused = site(&format!("{DIVIDED}{nowhere}limits = \"required\"\n")).limits_found(data.path());
        assert!(refused.unwrap_err().to_string().contains("local.limits: none"));
        let simulated =
            "name = \"lab\"\nowner = \"olga\"\nconnector = \"simulated\"\ncount = 1\nprice = \"1\"\n";
        let simulated: SiteConfig = toml::from_str(simulated).unwrap();
        assert_eq!(simulated.limits_found(data.path()), Ok(None));
    }
}
