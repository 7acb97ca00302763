//! `job/1`: a job as it is submitted, in a file or in the body of a request.
//!
//! A file may point to a workflow beside it and give times relative to now; a request carries everything itself, so that
//! repeating it means the same again. [`JobFile`] is what both have in common.

mod check;
pub use check::check_amounts;

use super::environment::environment;
use super::notify::NotifyFile;
use super::stamp::Stamp;
use super::waiting::{self, AfterFile};
use super::{giving, search};
use crate::amount::Amount;
use crate::decode::Document;
use crate::described::JsonSchema;
use crate::error::{Problem, ReadError, Within};
use crate::input::Syntax;
use crate::number::Number;
use crate::scenario::wire::{one, one_task, zero};
use crate::scenario::{
    AggregationName, Entries, List, Object, Pair, Scalar, TaskSpec, TestSpec, Wanted, jobs, preference_of,
    present, present_object, quantity,
};
use crate::unit::Unit;
use crate::workflow::{Runnable, WorkflowFile, workflow_of};
use serde::Deserialize;
use std::collections::BTreeMap;
use walras_broker::job::{DelayCost, JobSpec, WorkflowSpec};
use walras_broker::particulars::Particulars;
use walras_core::refine::Strategy;
use walras_model::{Request, Scope, SiteId};

/// What a job file must call itself: the value of its key `walras`.
pub const JOB_TAG: &str = "job/1";
/// The largest job that is read, in bytes: a workflow of thousands of tasks fits.
pub const JOB_BYTES_MAX: usize = 8 << 20;

/// What a user wants to run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "job")]
#[schemars(title = "Walras job/1", rename = "Job")]
pub struct JobFile {
    /// The format and its version.
    #[schemars(extend("const" = JOB_TAG))]
    walras: String,
    /// What it is called.
    #[schemars(length(min = 1, max = 200))]
    name: String,
    /// Who pays, when an administrator submits it; otherwise whoever submits it.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(min = 1, max = 200))]
    user: Option<String>,
    /// How many nodes the job needs at once; or the work of each task as a list, of which the longest counts for all.
    #[serde(default = "one_task")]
    tasks: TaskSpec,
    /// Work of each task: its run time in seconds on a node of performance 1. Needed unless the job lists its tasks or is a
    /// workflow.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", extend("exclusiveMinimum" = 0, "maximum" = 1_000_000_000))]
    work: Option<Number>,
    /// The tasks of a workflow, instead of `tasks` and `work`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "WorkflowFile")]
    workflow: Option<WorkflowFile>,
    /// By which rule the tasks of the workflow are placed.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", extend("enum" = ["asap", "alap", "cheapest", "fastest", "balanced"]))]
    strategy: Option<String>,
    /// The most that a node may cost, in credits a second, whichever it is. Such a job is searched by `alp`, the search that keeps it; with
    /// another search, or for a workflow, it is refused.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Amount", extend("exclusiveMinimum" = 0, "maximum" = 1_000_000_000))]
    price_max: Option<Amount>,
    /// The most that all tasks together may cost, in credits.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Amount", extend("exclusiveMinimum" = 0, "maximum" = 1_000_000_000))]
    pub(super) budget: Option<Amount>,
    /// Slower nodes do not fit.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0, "default" = 1))]
    performance_min: Number,
    /// When the last task must have ended.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Stamp")]
    deadline: Option<Stamp>,
    /// No task may start before.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Stamp")]
    earliest: Option<Stamp>,
    /// Higher goes first.
    #[serde(default = "zero")]
    #[schemars(extend("type" = "integer", "default" = 0, "minimum" = -PRIORITY_MAX, "maximum" = PRIORITY_MAX))]
    pub(super) priority: Number,
    /// What every node must satisfy, by attribute; a node without the attribute does not.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<TestSpec>")]
    requires: Option<Entries<TestSpec>>,
    /// What each task takes of its node, such as cores, memory_gb or gpus: a node that counts them gives it so much, any other must have it.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<Number>")]
    resources: Option<Entries<Number>>,
    /// Whether all tasks must run on one site, whichever it is.
    #[serde(default)]
    #[schemars(extend("default" = false))]
    same_site: bool,
    /// Whether each task must have a node of its own, also where nodes are sold in units.
    #[serde(default)]
    #[schemars(extend("default" = false))]
    separate_nodes: bool,
    /// The only sites on which tasks may run, by name.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "List<String>", length(min = 1))]
    pub(super) sites: Option<List<String>>,
    /// How much each criterion counts when alternatives are judged; without it, cost and finish alike.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<Number>")]
    prefers: Option<Entries<Number>>,
    /// Between which values a criterion matters, instead of those that are available: money in credits, times in seconds, points in time
    /// in seconds from the submission.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<Pair>")]
    ranges: Option<Entries<Pair>>,
    /// How much a criterion's loss grows in each of as many equal parts of its range, from best to worst: a learnt utility. Only ratios
    /// count.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<List<Number>>")]
    segments: Option<Entries<List<Number>>>,
    /// How the criteria's losses become one: the greatest weighted one and a hundredth of their sum, their weighted mean, or by rank of
    /// weight.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "AggregationName")]
    aggregation: Option<AggregationName>,
    /// What it loses for every hour that it ends later, in credits; by the VO's rule, without.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Amount", extend("minimum" = 0, "maximum" = 1_000_000_000))]
    delay_cost: Option<Amount>,
    /// Until then a delay costs nothing.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Stamp")]
    delay_after: Option<Stamp>,
    /// How its windows are searched, instead of by the VO's search: alp, amp, or the best by a criterion (cost, runtime, finish, start,
    /// price, node-time, energy or sum:ATTRIBUTE).
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(max = 220), extend("pattern" = search::PATTERN))]
    search: Option<String>,
    /// At most so many windows are listed by its own search, for the VO to choose one of.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "u32", range(min = 1), extend("default" = 1))]
    alternatives: Option<u32>,
    /// What to run, as an argument vector; no shell looks at it. Each of the tasks runs it.
    #[serde(default)]
    #[schemars(extend("maxItems" = 10_000))]
    command: Vec<String>,
    /// The text of a program to run: a script that begins with `#!`. `command` holds its arguments.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(max = 1_000_000))]
    script: Option<String>,
    /// The file for what it prints, on the site: a path in its directory; `/dev/null` throws it away.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(min = 1, max = 200))]
    output: Option<String>,
    /// The file for its complaints (standard error), as with `output`; with the rest of what it prints, without.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(min = 1, max = 200))]
    error: Option<String>,
    /// The directory in which it begins, on the site: an absolute path. Without it, one of its own.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(min = 1, max = 1_000))]
    directory: Option<String>,
    /// Variables of its environment; all together at most 100,000 bytes. Those that begin with WALRAS_ are set by the sites.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<Scalar>")]
    env: Option<Entries<Scalar>>,
    /// What you note of it.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(max = 1_000))]
    comment: Option<String>,
    /// Files that are in its directory when it begins, by their path there: what is in them, as base64, at most 4 MiB together. A job's file
    /// names them instead as a list, beside itself, and `walras submit` puts them here.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<String>")]
    inputs: Option<Entries<String>>,
    /// Files that it leaves in its directory and that are wanted back, by their path there.
    #[serde(default)]
    #[schemars(extend("maxItems" = 10_000))]
    outputs: Vec<String>,
    /// The name of an account, by the service's table.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(min = 1, max = 200))]
    pub(super) account: Option<String>,
    /// The name of a partition, by the service's table.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(min = 1, max = 200))]
    pub(super) partition: Option<String>,
    /// The name of a quality of service, by the service's table.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(min = 1, max = 200))]
    pub(super) qos: Option<String>,
    /// Whom to tell of it, and of what.
    #[serde(default, deserialize_with = "present_object")]
    #[schemars(with = "NotifyFile")]
    notify: Option<NotifyFile>,
    /// Makes it an array: a job like this one for each of these indices, which the environment holds. Ranges, lists, steps, and how many
    /// may run at once: `1-10:2%4`. Budget and deadline are for all of them together.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(min = 1, max = 100_000))]
    array: Option<String>,
    /// Whether its tasks must run at once. If not, it is an array of so many jobs of one task each, with indices from 0 on.
    #[serde(default = "yes")]
    #[schemars(extend("default" = true))]
    together: bool,
    /// What must have become of other jobs first; they are there already.
    #[serde(default, deserialize_with = "present_object")]
    #[schemars(with = "AfterFile")]
    after: Option<AfterFile>,
    /// Whether all earlier jobs of the same name and user must have ended first.
    #[serde(default)]
    #[schemars(extend("default" = false))]
    singleton: bool,
    /// Whether it is not planned before it is released.
    #[serde(default)]
    #[schemars(extend("default" = false))]
    held: bool,
    /// Whether it may run twice at a time: then it need not wait until an attempt on a node that does not answer is over for certain.
    #[serde(default)]
    #[schemars(extend("default" = false))]
    rerun: bool,
}

fn yes() -> bool {
    true
}

/// Priorities lie between this and its negative.
pub(super) const PRIORITY_MAX: i64 = 1_000_000;

/// Reads a job in the body of a request, which is always JSON. `source` names it in errors.
pub fn read_job(bytes: &[u8], source: &str) -> Result<JobFile, ReadError> {
    let document = Document::new(bytes, source, Syntax::Json, ("walras", JOB_TAG), JOB_BYTES_MAX)?;
    let Object(file) = document.decode_always_json::<Object<JobFile>>()?;
    if file.walras != JOB_TAG {
        document.check_tag()?;
    }
    Ok(file)
}

impl JobFile {
    /// The user that it names.
    pub fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    /// The job as the broker takes it; `user` pays. Sites are known by the names in `sites`.
    pub fn into_spec(
        self,
        user: &str,
        sites: &BTreeMap<String, SiteId>,
        source: &str,
    ) -> Result<JobSpec, ReadError> {
        self.convert(user, sites, source).map_err(|problem| match problem {
            Refused::Value(problem) => problem.into_error(source),
            Refused::Read(error) => error,
        })
    }

    /// Whether it makes sense, as far as that can be told without knowing the sites and the users.
    pub fn check(self, source: &str) -> Result<(), ReadError> {
        let names = self.sites.iter().flat_map(|names| &names.0).enumerate();
        let sites = names.filter_map(|(index, name)| Some((name.clone(), SiteId::from_index(index)?)));
        let sites = sites.collect();
        self.into_spec("user", &sites, source).map(|_| ())
    }

    fn convert(self, user: &str, sites: &BTreeMap<String, SiteId>, source: &str) -> Result<JobSpec, Refused> {
        self.names()?;
        self.runnable()?;
        self.times()?;
        let strategy = self.strategy_asked_for()?;
        let (tasks, work) = match &self.workflow {
            Some(_) => jobs::unsized_tasks(&self.tasks, self.work)?,
            None => jobs::tasks(self.tasks, self.work, Unit::Seconds)?,
        };
        let inputs = self.inputs.map_or_else(Vec::new, |entries| entries.0);
        let workflow = match self.workflow {
            None => None,
            Some(file) => {
                let Runnable { workflow, programs } = workflow_of(file, &self.name, source)?;
                Some(WorkflowSpec { workflow, strategy: strategy.unwrap_or(Strategy::Asap), programs })
            }
        };
        check::sources(workflow.as_ref(), &inputs, &self.outputs)?;
        let array = self.array.as_deref().map(waiting::indices).transpose().in_field("array")?;
        let apart = !self.together;
        let (tasks, array) =
            if apart { waiting::apart(tasks, array, workflow.is_some())? } else { (tasks, array) };
        let priority = quantity::whole(self.priority, "a priority", -PRIORITY_MAX, PRIORITY_MAX);
        let rate = |amount: Amount| quantity::rate(amount.to_the_micro()?, Unit::Seconds);
        let budget = |amount: Amount| quantity::budget(amount.to_the_micro()?);
        let request = Request {
            name: self.name,
            user: Some(user.to_owned()),
            tasks,
            work,
            performance_min: quantity::performance(self.performance_min).in_field("performance_min")?,
            price_max: self.price_max.map(rate).transpose().in_field("price_max")?,
            budget: self.budget.map(budget).transpose().in_field("budget")?,
            deadline: self.deadline.map(Stamp::time),
            earliest: self.earliest.map(Stamp::time),
            priority: priority.in_field("priority")?,
            requires: jobs::needs(self.requires, self.resources)?,
            scope: Scope {
                same_site: self.same_site,
                separate_nodes: self.separate_nodes,
                sites: self.sites.map(|names| jobs::site_ids(names, sites)).transpose().in_field("sites")?,
                ..Scope::default()
            },
        };
        let (prefers, ranges) = (self.prefers.as_ref(), self.ranges.as_ref());
        let wanted = Wanted { prefers, ranges, segments: self.segments.as_ref() };
        let preference = preference_of(wanted, self.aggregation)?;
        let delay = match (self.delay_cost, self.delay_after) {
            (None, None) => None,
            (None, Some(_)) => {
                let missing = "needs delay_cost: what is lost for every hour after it";
                return Err(Problem::new("delay_after", missing).into());
            }
            (Some(cost), after) => {
                let per_hour = cost.to_the_micro().and_then(quantity::delay_cost).in_field("delay_cost")?;
                Some(DelayCost { per_hour, after: after.map(Stamp::time) })
            }
        };
        let search = search::of_job(self.search.as_deref(), self.alternatives)?;
        let search = match request.price_max {
            Some(_) => Some(search::capped(search, workflow.is_some())?),
            None => search,
        };
        Ok(JobSpec {
            delay,
            search,
            user: user.to_owned(),
            request,
            strategy_by: giving::asked_by(strategy, workflow.is_some()),
            workflow,
            preference,
            command: self.command,
            script: self.script,
            output: self.output,
            particulars: Particulars {
                env: environment(self.env).in_field("env")?,
                error: self.error,
                directory: self.directory,
                comment: self.comment,
                inputs: inputs.into_iter().collect(),
                outputs: self.outputs,
            },
            notify: self.notify.map(NotifyFile::wanted).transpose().in_field("notify")?,
            array,
            gate: waiting::gate(self.after, self.singleton, self.held)?,
            rerun: self.rerun,
        })
    }
}

enum Refused {
    Value(Problem),
    Read(ReadError),
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Refused {
        Refused::Value(problem)
    }
}

impl From<ReadError> for Refused {
    fn from(error: ReadError) -> Refused {
        Refused::Read(error)
    }
}
