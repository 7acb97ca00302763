//! What a cluster has to sell, when it joins: its nodes with what Slurm says of them, and what we may do there.

use super::command;
use super::execute::{self, Slurm};
use super::parse::{self, NodeSeen};
use super::partition::{self, Partitions, by_name, of_longest};
use super::settings::{Settings, settings};
use crate::clock::wall_millis;
use crate::contract::SiteError;
use std::collections::BTreeSet;
use walras_model::Share;

/// Which nodes an owner sells.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Those of these partitions; any, without.
    pub partitions: Vec<String>,
    /// These nodes; all of the partitions, without.
    pub nodes: Vec<String>,
    /// At most this share of them.
    pub share: Share,
    /// So many are always left.
    pub keep: u32,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// How Slurm is set up.
    pub settings: Settings,
    /// The nodes for sale, in the order of their names.
    pub nodes: Vec<NodeSeen>,
    /// How many the choice was of.
    pub chosen_of: usize,
    /// Whether we may make reservations.
    pub may_reserve: bool,
    /// How long jobs may be there, in seconds, where there is a limit.
    pub longest: Option<i64>,
    /// Its partitions, by name.
    pub partitions: Partitions,
    /// What Slurm says that is not understood, and which nodes are not sold beside others.
    pub left_out: Vec<String>,
}

/// Looks at a cluster.
pub fn probe(slurm: &mut impl Slurm, choice: &Choice) -> Result<Found, SiteError> {
    let mut ask = |call: &command::Call| {
        let printed = slurm.run(call)?;
        if printed.well { Ok(printed.out) } else { Err(SiteError::NotUnderstood(printed.wrong)) }
    };
    let settings = settings(&ask(&command::settings())?);
    let parsed = parse::nodes(&ask(&command::nodes())?);
    let printed = partition::partitions(&ask(&command::partitions())?);
    let partitions = by_name(printed.items);
    let refused = slurm.run(&command::may_reserve(wall_millis() / 1_000 + 86_400))?;
    let all = chosen(parsed.items, choice)?;
    let chosen_of = all.len();
    let (all, short, longest) = of_longest(all, &partitions, &choice.partitions);
    let left_out = parsed.left_out.into_iter().chain(printed.left_out).chain(short).collect();
    let nodes = sold(all, choice, &BTreeSet::new());
    let may_reserve = !execute::is_denied(&refused.wrong);
    Ok(Found { settings, nodes, chosen_of, may_reserve, longest, partitions, left_out })
}

/// The nodes that an owner names; an error for what Slurm does not know.
fn chosen(all: Vec<NodeSeen>, choice: &Choice) -> Result<Vec<NodeSeen>, SiteError> {
    let unknown = |key: &'static str, name: &str, known: Vec<&str>| {
        let why = format!("Slurm knows no '{name}': expected {}", known.join(", "));
        Err(SiteError::Setup { key, why })
    };
    let mut partitions: Vec<&str> =
        all.iter().flat_map(|node| &node.partitions).map(String::as_str).collect();
    partitions.sort_unstable();
    partitions.dedup();
    if let Some(name) = choice.partitions.iter().find(|name| !partitions.contains(&name.as_str())) {
        return unknown("slurm.partitions", name, partitions);
    }
    let of_partition = |node: &NodeSeen| is_of_partition(node, choice);
    let eligible: Vec<&NodeSeen> = all.iter().filter(|node| of_partition(node)).collect();
    let known = |name: &str| eligible.iter().any(|node| node.name == name);
    if let Some(name) = choice.nodes.iter().find(|name| !known(name)) {
        return unknown(
            "slurm.nodes",
            name,
            eligible.iter().take(20).map(|node| node.name.as_str()).collect(),
        );
    }
    Ok(for_sale(all, choice))
}

fn is_of_partition(node: &NodeSeen, choice: &Choice) -> bool {
    choice.partitions.is_empty() || node.partitions.iter().any(|name| choice.partitions.contains(name))
}

/// The nodes that an owner names, as far as they are there.
pub(super) fn for_sale(all: Vec<NodeSeen>, choice: &Choice) -> Vec<NodeSeen> {
    let wanted = |node: &NodeSeen| choice.nodes.is_empty() || choice.nodes.contains(&node.name);
    all.into_iter().filter(|node| is_of_partition(node, choice) && wanted(node)).collect()
}

/// As many as may be sold, those first that are already. Slurm gives its own jobs nodes of low weight first, so those of high weight meet the
/// fewest.
pub(super) fn sold(mut all: Vec<NodeSeen>, choice: &Choice, already: &BTreeSet<&str>) -> Vec<NodeSeen> {
    let count = i64::try_from(all.len()).unwrap_or(i64::MAX);
    let kept = usize::try_from(choice.keep).unwrap_or(usize::MAX);
    let most = usize::try_from(choice.share.of_count(count))
        .unwrap_or(usize::MAX)
        .min(all.len().saturating_sub(kept));
    let new = |node: &NodeSeen| !already.contains(node.name.as_str());
    let by_weight = |one: &NodeSeen, other: &NodeSeen| other.weight.cmp(&one.weight);
    all.sort_by(|one, other| {
        new(one).cmp(&new(other)).then(by_weight(one, other)).then(one.name.cmp(&other.name))
    });
    all.truncate(most);
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all
}

/// The value of a feature such as `price=3`; nothing where there is none of that name.
pub fn feature<'a>(node: &'a NodeSeen, key: &str) -> Option<&'a str> {
    node.features.iter().find_map(|feature| feature.strip_prefix(key)?.strip_prefix('='))
}
