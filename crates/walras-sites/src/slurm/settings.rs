//! How a cluster is set up: `scontrol show config`, as far as it matters.

use super::parse::given;

/// How Slurm is set up, as far as it matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The cluster's name.
    pub cluster: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// How far the backfill scheduler looks ahead, in seconds.
    pub backfill_window: i64,
    /// How often it looks, in seconds.
    pub backfill_every: i64,
    /// How it gives out what nodes have (`SelectType`, `SelectTypeParameters`).
    pub select: (Option<String>, Option<String>),
}

impl Settings {
    /// Whether it gives out memory as well, and so knows how much is left.
    pub fn counts_memory(&self) -> bool {
        self.select.1.as_ref().is_some_and(|how| how.to_ascii_uppercase().contains("MEMORY"))
    }

    /// Why nodes of this cluster cannot be sold in units: it must give out single cores.
    pub fn gives_no_cores(&self) -> Option<String> {
        let [plugin, how] = [&self.select.0, &self.select.1].map(|it| it.as_deref().unwrap_or("unknown"));
        let expected = "expected select/cons_tres or select/cons_res with CR_Core or CR_CPU, or no units";
        if !matches!(plugin, "select/cons_tres" | "select/cons_res") {
            return Some(format!("the cluster gives out whole nodes (SelectType={plugin}): {expected}"));
        }
        let how_large = how.to_ascii_uppercase();
        let single = how_large.split(',').any(|it| it.starts_with("CR_CORE") || it.starts_with("CR_CPU"));
        (!single || how_large.contains("CR_SOCKET")).then(|| {
            format!("the cluster does not give out single cores (SelectTypeParameters={how}): {expected}")
        })
    }
}

/// Reads `scontrol show config`.
pub fn settings(bytes: &[u8]) -> Settings {
    let text = String::from_utf8_lossy(bytes);
    let value = |key: &str| {
        let of_key = |line: &str| {
            let (name, value) = line.split_once('=')?;
            (name.trim() == key).then(|| value.trim().to_owned())
        };
        text.lines().find_map(of_key).filter(|value| given(value).is_some())
    };
    let parameters = value("SchedulerParameters").unwrap_or_default();
    let number = |key: &str, otherwise: i64, least: i64| {
        let of_key = |word: &str| word.trim().strip_prefix(key)?.strip_prefix('=')?.parse::<i64>().ok();
        let found = parameters.split(',').find_map(of_key);
        found.filter(|it| (least..=1_000_000).contains(it)).unwrap_or(otherwise)
    };
    Settings {
        cluster: value("ClusterName"),
        version: value("SLURM_VERSION"),
        backfill_window: 60 * number("bf_window", 1_440, 1),
        backfill_every: number("bf_interval", 30, 1),
        select: (value("SelectType"), value("SelectTypeParameters")),
    }
}
