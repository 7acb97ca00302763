//! Scenarios: `walras: scenario/1`, the input of `walras plan`.
//!
//! A file is read in two steps. `wire` and `values` are the shape: which keys, which kinds of value. `offers`,
//! `capacity`, `jobs` and `policy` are the meaning: ranges, names that must be unique or known, and the core's types.

mod capacity;
#[cfg(feature = "schema")]
mod described;
pub(crate) mod jobs;
mod names;
mod network;
mod offers;
mod policy;
mod preferences;
pub(crate) mod quantity;
mod values;
pub(crate) mod wire;
mod wishes;
mod word;
mod written;

use crate::decode::Document;
use crate::error::{Problem, ReadError, Within};
use crate::input::{SCENARIO_BYTES_MAX, Syntax};
use crate::unit::Unit;
pub(crate) use jobs::requires;
pub(crate) use names::{AggregationName, DayName};
pub use network::usual_network;
pub use policy::Policy;
pub(crate) use policy::{policy_entry, policy_of};
pub(crate) use preferences::preference_of;
use std::collections::BTreeMap;
pub(crate) use values::{
    Entries, List, Object, Pair, Scalar, TaskSpec, TestSpec, objects, present, present_object,
};
use walras_core::prefer::Stakeholders;
use walras_core::refine::Strategy;
use walras_model::{Batch, Network, Offers};
use wire::ScenarioFile;
pub(crate) use wishes::Wanted;

/// What a scenario file must call itself: the value of its key `walras`.
pub const SCENARIO_TAG: &str = "scenario/1";

/// What a scenario says: what is for sale, and who wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// The unit in which the scenario writes time.
    pub unit: Unit,
    /// Nodes are in the order of the file, site by site; the processors of capacity come after them.
    pub offers: Offers,
    /// Jobs are in the order of the file.
    pub batch: Batch,
    /// What the VO wants of a combination, where the scenario says so.
    pub policy: Option<Policy>,
    /// What users, owners and the administrator want, where the scenario says so.
    pub preferences: Option<Stakeholders>,
    /// By job: the workflow that it is, where it is one. Its request has no size until its tasks are known.
    pub workflows: Vec<Option<WorkflowJob>>,
    /// How fast data moves between the tasks of workflows.
    pub network: Network,
}

/// A job that is a workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowJob {
    /// The file with its tasks, as the scenario names it.
    pub file: String,
    /// By which rule they are placed.
    pub strategy: Strategy,
}

/// Reads a scenario. `source` is the file's name, for errors.
pub fn read_scenario(bytes: &[u8], source: &str, syntax: Syntax) -> Result<Scenario, ReadError> {
    let document = Document::new(bytes, source, syntax, ("walras", SCENARIO_TAG), SCENARIO_BYTES_MAX)?;
    let Object(file) = document.decode::<Object<ScenarioFile>>()?;
    if file.walras != SCENARIO_TAG {
        document.check_tag()?;
    }
    convert(file).map_err(|problem| document.value_error(&problem))
}

fn convert(file: ScenarioFile) -> Result<Scenario, Problem> {
    let unit = file.unit;
    let offers = offers::offers(file.horizon, file.sites.0, unit)?;
    let workflows = jobs::workflows(&file.jobs.0)?;
    let batch = jobs::batch(file.jobs.0, &offers, unit)?;
    let policy = file.policy.map(|entry| policy::policy(entry, unit)).transpose().in_field("policy")?;
    let network = network::network(file.network, unit).in_field("network")?;
    let wishes = file.preferences.map(|entry| preferences::preferences(entry, &offers, &batch, unit));
    let preferences = wishes.transpose().in_field("preferences")?;
    Ok(Scenario { unit, offers, batch, policy, preferences, workflows, network })
}

/// Names that must differ, and where each was seen first.
struct Unique {
    what: &'static str,
    seen: BTreeMap<String, usize>,
}

impl Unique {
    fn new(what: &'static str) -> Unique {
        Unique { what, seen: BTreeMap::new() }
    }

    /// Takes the next name, unless it is unusable or was there before.
    fn insert(&mut self, name: &str, index: usize) -> Result<(), Problem> {
        quantity::name(name, &format!("a {}", self.what)).in_field("name")?;
        match self.seen.insert(name.to_owned(), index) {
            None => Ok(()),
            Some(first) => {
                let what = format!(
                    "is the name of two {}s, items {first} and {index} of the list: names must differ",
                    self.what
                );
                Err(Problem::new(name, what))
            }
        }
        .in_field("name")
    }
}
