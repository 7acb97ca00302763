//! Partitions: whether they take jobs, and how long these may be.
//!
//! **Problem.** Jobs of ours run in a partition, in a reservation as elsewhere. One that its administrator has closed starts nothing, and what is
//! longer than its limit waits for ever.
//!
//! **Method.** A node is sold through the partition that gives it the most time, of those that the owner sells and that are open; one that has
//! none is not sold. The limit of a site is the longest of its nodes; nodes with a shorter one are left out, so that what is planned there
//! holds for each of them.
//!
//! O(n) in the nodes times their partitions.

use super::parse::{NodeSeen, Parsed, is_plain, lines, words};
use std::collections::BTreeMap;

/// A partition as Slurm knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionSeen {
    /// Its name.
    pub name: String,
    /// Whether jobs are taken and started.
    pub open: bool,
    /// How long a job may be, in seconds; `i64::MAX` without a limit.
    pub longest: i64,
    /// Whether every job there has its nodes for itself, or for its user.
    pub whole_nodes: bool,
}

/// What is known of all partitions, by name.
pub type Partitions = BTreeMap<String, PartitionSeen>;

/// The same of what was read.
pub(super) fn by_name(all: Vec<PartitionSeen>) -> Partitions {
    all.into_iter().map(|it| (it.name.clone(), it)).collect()
}

/// Reads `scontrol -a -o show partition`.
pub fn partitions(bytes: &[u8]) -> Parsed<PartitionSeen> {
    let mut parsed = Parsed::default();
    for line in lines(bytes, &mut parsed, false) {
        let words = words(line);
        let Some(name) = words.get("PartitionName").filter(|name| is_plain(name)) else {
            if !line.trim().is_empty() {
                parsed.leave_out(line, "no partition");
            }
            continue;
        };
        let longest = words.get("MaxTime").and_then(|text| time_limit(text));
        let (Some(state), Some(longest)) = (words.get("State"), longest) else {
            parsed.leave_out(name, "no state, or no limit of time");
            continue;
        };
        let is = |key: &str, value: &str| words.get(key).is_some_and(|it| *it == value);
        parsed.items.push(PartitionSeen {
            name: (*name).to_owned(),
            open: *state == "UP",
            longest,
            whole_nodes: is("OverSubscribe", "EXCLUSIVE") || is("ExclusiveUser", "YES"),
        });
    }
    parsed
}

/// A limit in any of Slurm's forms, in seconds: `UNLIMITED`, minutes, `minutes:seconds`, `hours:minutes:seconds`, each of them with `days-` before it
/// (where hours come first).
fn time_limit(text: &str) -> Option<i64> {
    if matches!(text, "UNLIMITED" | "INFINITE" | "NONE") {
        return Some(i64::MAX);
    }
    let (days, rest) = text.split_once('-').map_or((None, text), |(days, rest)| (Some(days), rest));
    let number = |text: &str| text.parse::<i64>().ok().filter(|it| (0..=100_000_000).contains(it));
    let all: Option<Vec<i64>> = rest.split(':').map(number).collect();
    let seconds = match (days, all?.as_slice()) {
        (None, [minutes]) => 60 * minutes,
        (None, [minutes, seconds]) => 60 * minutes + seconds,
        (Some(_), [hours]) => 3_600 * hours,
        (Some(_), [hours, minutes]) => 3_600 * hours + 60 * minutes,
        (_, [hours, minutes, seconds]) => 3_600 * hours + 60 * minutes + seconds,
        _ => return None,
    };
    Some(86_400 * days.map_or(Some(0), number)? + seconds)
}

/// The partition through which a node is sold: of those that are sold (any, where none is named) and open, the one that gives the most time.
pub fn partition_of<'a>(all: &'a Partitions, node: &NodeSeen, sold: &[String]) -> Option<&'a PartitionSeen> {
    let named = node.partitions.iter().filter(|name| sold.is_empty() || sold.contains(name));
    let open = named.filter_map(|name| all.get(name)).filter(|it| it.open);
    // The first of the longest, as Slurm lists them.
    open.fold(None, |best: Option<&PartitionSeen>, it| match best {
        Some(best) if best.longest >= it.longest => Some(best),
        _ => Some(it),
    })
}

/// The nodes that have the limit of the site, which is the longest of all, and what is said of the others. Those that have no open partition
/// stay: it may be opened.
pub fn of_longest(
    nodes: Vec<NodeSeen>,
    all: &Partitions,
    sold: &[String],
) -> (Vec<NodeSeen>, Vec<String>, Option<i64>) {
    let limit = |node: &NodeSeen| partition_of(all, node, sold).map(|it| it.longest);
    let longest = nodes.iter().filter_map(limit).max();
    let (stay, short): (Vec<NodeSeen>, Vec<NodeSeen>) =
        nodes.into_iter().partition(|node| limit(node).is_none_or(|limit| Some(limit) == longest));
    let said = |node: &NodeSeen| {
        format!(
            "{}: its partitions allow shorter jobs than those of other nodes; sell it as another site",
            node.name
        )
    };
    let said = short.iter().map(said).collect();
    (stay, said, longest.filter(|longest| *longest < i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "\
PartitionName=debug AllowGroups=ALL Default=NO DefaultTime=NONE Hidden=NO MaxNodes=UNLIMITED MaxTime=00:30:00 MinNodes=0 Nodes=n[1-4] State=UP TotalCPUs=4
PartitionName=long AllowGroups=ALL Default=YES Hidden=YES MaxTime=7-00:00:00 Nodes=n[1-2] State=UP TotalCPUs=2
PartitionName=any MaxTime=UNLIMITED Nodes=n[1-4] State=DOWN
PartitionName=new MaxTime=tomorrow State=UP
PartitionName=-x MaxTime=1 State=UP
";

    fn seen() -> Partitions {
        by_name(partitions(PRINTED.as_bytes()).items)
    }

    fn node(name: &str, partitions: &[&str]) -> NodeSeen {
        let line = format!("NodeName={name} State=IDLE Partitions={}", partitions.join(","));
        super::super::parse::nodes(line.as_bytes()).items.remove(0)
    }

    #[test]
    fn what_is_printed_is_read_and_what_is_not_understood_is_said() {
        let parsed = partitions(PRINTED.as_bytes());
        let all: Vec<(&str, bool, i64)> =
            parsed.items.iter().map(|it| (it.name.as_str(), it.open, it.longest)).collect();
        assert_eq!(all, [("debug", true, 1_800), ("long", true, 604_800), ("any", false, i64::MAX)]);
        assert_eq!(parsed.left_out.len(), 2, "{:?}", parsed.left_out);
    }

    #[test]
    fn limits_are_read_in_every_form() {
        let all = ["5", "5:30", "1:00:00", "2-3", "2-3:30", "1-00:00:01", "UNLIMITED"];
        let read = all.map(|text| time_limit(text).unwrap());
        assert_eq!(read, [300, 330, 3_600, 183_600, 185_400, 86_401, i64::MAX]);
        for text in ["", "-1", "x", "1:2:3:4", "1-", "99999999999999999999", "1-2:3:4:5"] {
            assert_eq!(time_limit(text), None, "{text}");
        }
    }

    #[test]
    fn a_node_is_sold_through_what_gives_it_the_most_time() {
        let all = seen();
        let of = |node: &NodeSeen, sold: &[String]| partition_of(&all, node, sold).map(|it| it.name.clone());
        let both = node("n1", &["debug", "long", "any"]);
        assert_eq!(of(&both, &[]).as_deref(), Some("long"));
        assert_eq!(of(&both, &["debug".into()]).as_deref(), Some("debug"));
        assert_eq!(of(&both, &["any".into()]), None, "it is closed");
        assert_eq!(of(&node("n5", &["elsewhere"]), &[]), None);
    }

    #[test]
    fn nodes_of_shorter_limits_are_left_to_another_site() {
        let nodes = vec![node("n1", &["long"]), node("n3", &["debug"]), node("n4", &["any"])];
        let (stay, said, longest) = of_longest(nodes, &seen(), &[]);
        let names: Vec<&str> = stay.iter().map(|node| node.name.as_str()).collect();
        assert_eq!((names, said.len(), longest), (vec!["n1", "n4"], 1, Some(604_800)));
    }
}
