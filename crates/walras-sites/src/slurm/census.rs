//! Which nodes a cluster has, as it grows and shrinks.
//!
//! Every look at a cluster, and every answer to what is free, looks at the nodes again. One that is new and for sale is said at once; the broker gives it a number, and from then on
//! its time is sold. One that is missing is said to be gone only when several looks have missed it: half of what Slurm prints must not empty a
//! site. What was sold stays sold as long as it is there: `share` and `keep` choose among the others.
//!
//! Time O(n log n) in the nodes.

use super::SlurmConnector;
use super::execute::Slurm;
use super::parse::NodeSeen;
use super::partition::of_longest;
use super::probe::{Choice, for_sale, sold};
use super::settings::Settings;
use crate::contract::SiteMessage;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;
use walras_broker::site::NodeSpec;
use walras_model::{NodeId, Rate, Time};

/// A node that so many looks have missed is gone.
const MISSED: u32 = 3;
/// And it is said so often, or the broker may not have heard it.
const SAID: u32 = 3;

/// What is said of a node to the broker, and its price where the node has one of its own.
pub type Described = Result<(NodeSpec, Option<Rate>), String>;

/// What says it.
type Describe = dyn Fn(&NodeSeen, &Settings) -> Described + Send + Sync;

/// How it is found out which nodes there are.
#[derive(Clone)]
pub struct Census {
    /// What is for sale.
    pub choice: Choice,
    /// What is said of a node.
    pub describe: Arc<Describe>,
    /// What the broker knows of those that are sold, by name.
    pub known: BTreeMap<String, NodeSpec>,
}

impl std::fmt::Debug for Census {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Census").field("choice", &self.choice).field("known", &self.known).finish()
    }
}

/// Nodes that are missing, and what was said last.
#[derive(Clone, Debug, Default)]
pub(super) struct Missing {
    /// How often each was missed.
    times: BTreeMap<String, u32>,
    /// The look that was last counted.
    counted: Option<Instant>,
    /// What was last said of nodes, by name.
    said: BTreeMap<String, NodeSpec>,
    /// What was last wrong with nodes.
    wrong: Vec<String>,
}

impl<S: Slurm> SlurmConnector<S> {
    /// Says which nodes there are, when that is not what the broker knows.
    pub(super) fn take_census(&mut self, now: Time) -> Option<SiteMessage> {
        let census = self.options.census.clone()?;
        let (at, snapshot) = self.seen.clone()?;
        let settings = self.settings().ok()?;
        let is_sold: BTreeSet<&str> = self.options.nodes.iter().map(|(_, name)| name.as_str()).collect();
        let all = for_sale(snapshot.nodes.values().cloned().collect(), &census.choice);
        let (all, _, _) = of_longest(all, &snapshot.partitions, &census.choice.partitions);
        let there = sold(all, &census.choice, &is_sold);
        if there.is_empty() {
            return None;
        }
        let (mut nodes, mut rates, mut wrong) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        for seen in &there {
            match ((census.describe)(seen, &settings), census.known.get(&seen.name)) {
                (Ok((spec, rate)), _) => {
                    rates.extend(rate.map(|rate| (seen.name.clone(), rate)));
                    nodes.insert(seen.name.clone(), spec);
                }
                // One that is sold stays what it was.
                (Err(why), Some(known)) => {
                    wrong.push(why);
                    nodes.insert(seen.name.clone(), known.clone());
                }
                (Err(why), None) => wrong.push(why),
            }
        }
        if wrong != self.missing.wrong {
            tracing::warn!(?wrong, "nodes are not sold as they are");
            self.missing.wrong = wrong;
        }
        self.count_missing(at, &nodes);
        let stays = |name: &&String| self.missing.times.get(*name).is_some_and(|times| *times < MISSED);
        for (name, spec) in census.known.iter().filter(|(name, _)| stays(name)) {
            nodes.insert(name.clone(), spec.clone());
        }
        if nodes == census.known {
            return None;
        }
        self.forget_gone(&nodes);
        self.missing.said.clone_from(&nodes);
        Some(SiteMessage::Nodes { at: now, nodes: nodes.into_values().collect(), rates })
    }

    /// Counts, once for every look, how often those that are sold were missed.
    fn count_missing(&mut self, at: Instant, there: &BTreeMap<String, NodeSpec>) {
        let Some(census) = &self.options.census else { return };
        let new = self.missing.counted != Some(at);
        self.missing.counted = Some(at);
        let times = &mut self.missing.times;
        times.retain(|name, _| census.known.contains_key(name) && !there.contains_key(name));
        for name in census.known.keys().filter(|name| !there.contains_key(*name)) {
            *times.entry(name.clone()).or_insert(0) += u32::from(new);
        }
    }

    /// What was said to be gone often enough is no longer sold; what is held there is still known by its name.
    fn forget_gone(&mut self, there: &BTreeMap<String, NodeSpec>) {
        let Some(census) = &mut self.options.census else { return };
        let over = |name: &String| {
            !there.contains_key(name)
                && self.missing.times.get(name).is_some_and(|times| *times >= MISSED + SAID)
        };
        census.known.retain(|name, _| !over(name));
        let (gone, sold) =
            std::mem::take(&mut self.options.nodes).into_iter().partition(|(_, name)| over(name));
        self.options.nodes = sold;
        let gone: Vec<(NodeId, String)> = gone;
        self.options.gone.extend(gone);
    }

    /// The broker has given numbers to nodes that were said. One of a name that is known is another: the node was changed, or had gone.
    pub(super) fn take_on_nodes(&mut self, later: &[(NodeId, String)]) {
        for (number, name) in later {
            if self.node_name(*number).is_some() {
                continue;
            }
            let (gone, sold) =
                std::mem::take(&mut self.options.nodes).into_iter().partition(|(_, known)| known == name);
            let gone: Vec<(NodeId, String)> = gone;
            self.options.nodes = sold;
            self.options.gone.extend(gone);
            self.options.nodes.push((*number, name.clone()));
            let units = self.missing.said.get(name).map_or(1, |spec| spec.division.units());
            self.book.grow(*number, units);
            self.options.units.extend((units > 1).then_some((*number, units)));
            if let (Some(census), Some(spec)) = (&mut self.options.census, self.missing.said.get(name)) {
                census.known.insert(name.clone(), spec.clone());
            }
        }
    }
}
