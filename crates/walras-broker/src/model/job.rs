//! Jobs as the broker keeps them, and why they are where they are.

pub use super::why::{OutputFault, PartEnd, SiteRefusal, Unassigned, Why};

use super::allocation::Allocation;
use super::element::Element;
use super::gate::{Gate, Waits};
use super::id::{JobNumber, QuoteNumber, ReservationNumber};
use super::indices::Indices;
use super::limits::NAME_MAX;
use super::notify::Notify;
use super::particulars::Particulars;
use super::program::TaskProgram;
use super::quote::Confidence;
use super::strategy_rule::StrategyBy;
use super::told::Told;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use walras_core::agenda::Promise;
use walras_core::predict::Announcement;
use walras_core::prefer::Preference;
use walras_core::refine::Strategy;
use walras_core::{Algorithm, SearchConfig};
use walras_model::{Money, NodeId, Rate, Request, Share, SiteId, TaskId, Time, Work, Workflow};

/// What a job, a word of its command, a task and an edge take beside their text, in bytes; about.
const PLAIN: usize = 400;
const WORD: usize = 24;
const TASK: usize = 100;
const EDGE: usize = 16;
const DEPENDENCY: usize = 50;

fn millis_of(work: Option<Work>) -> i128 {
    work.map_or(0, |work| i128::from(work.as_millis()))
}

/// What a user submits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobSpec {
    /// The user who submits it, and pays.
    pub user: String,
    /// What is needed; for a workflow, everything but tasks and work.
    pub request: Request,
    /// The tasks of a workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<WorkflowSpec>,
    /// Who chose the strategy by which its tasks are placed.
    #[serde(default, skip_serializing_if = "StrategyBy::is_user")]
    pub strategy_by: StrategyBy,
    /// How alternatives are judged; cost and finish alike, without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preference: Option<Preference>,
    /// What it loses by ending later; by the VO's rule, without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<DelayCost>,
    /// How its windows are searched; as the VO does, without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<JobSearch>,
    /// What to run, as an argument vector; sites know what to make of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The text of a program to run instead of, or before the arguments of, `command`; it never goes through a shell of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// The name of the file for what it prints; sites decide in which directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// What its programs find around them.
    #[serde(default, skip_serializing_if = "Particulars::is_plain")]
    pub particulars: Particulars,
    /// Whom its user wants told of it, and of what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notify: Option<Box<Notify>>,
    /// What it waits for before it is planned.
    #[serde(default, skip_serializing_if = "Gate::is_open")]
    pub gate: Gate,
    /// The elements, where it is an array: each is a job like this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<Indices>,
    /// Whether it may run twice at a time, so that it need not wait until an attempt that nobody hears of is over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rerun: bool,
}

impl JobSpec {
    /// All of its work on all of its nodes, in milliseconds at performance 1.
    pub fn work_millis(&self) -> i128 {
        match &self.workflow {
            Some(of) => {
                let all = of.workflow.tasks().iter();
                all.map(|task| millis_of(task.work) * i128::from(task.nodes)).sum()
            }
            None => i128::from(self.request.tasks) * i128::from(self.request.work.as_millis()),
        }
    }

    /// The same as its user asked for it, without a strategy that the VO's rules gave it.
    pub fn as_asked(&self) -> JobSpec {
        let mut asked = self.clone();
        if let (StrategyBy::Rule(_), Some(workflow)) = (self.strategy_by, &mut asked.workflow) {
            (asked.strategy_by, workflow.strategy) = (StrategyBy::Nobody, Strategy::Asap);
        }
        asked
    }

    /// About as much as it takes to keep, in bytes.
    pub fn bytes(&self) -> u64 {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let command: usize = self.command.iter().map(|word| word.len() + WORD).sum();
        let workflow = self.workflow.as_ref().map_or(0, |of| {
            let names: usize = of.workflow.tasks().iter().map(|task| task.name.len() + TASK).sum();
            let programs: usize = of.programs.iter().map(TaskProgram::bytes).sum();
            names + of.workflow.edges().len() * EDGE + programs
        });
        let all =
            PLAIN + self.request.name.len() + command + text(&self.script) + text(&self.output) + workflow;
        let notify = self.notify.as_ref().map_or(0, |notify| notify.bytes());
        let all = all + self.gate.after.len() * DEPENDENCY + self.particulars.bytes() + notify;
        u64::try_from(all).unwrap_or(u64::MAX)
    }

    /// A parallel job that runs nothing and wants nothing beside its request.
    pub fn plain(user: String, request: Request) -> JobSpec {
        JobSpec {
            user,
            request,
            workflow: None,
            strategy_by: StrategyBy::User,
            preference: None,
            delay: None,
            search: None,
            command: Vec::new(),
            script: None,
            output: None,
            particulars: Particulars::default(),
            notify: None,
            gate: Gate::default(),
            array: None,
            rerun: false,
        }
    }
}

/// What a job loses by ending later: nothing until a moment, then so much an hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DelayCost {
    /// In credits, not negative.
    pub per_hour: Money,
    /// From when on; from its submission, without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Time>,
}

/// A search that a job asks for itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobSearch {
    /// Which windows count.
    pub algorithm: Algorithm,
    /// At most so many are listed, for the VO to choose one of; no more than the VO lists for anybody.
    pub alternatives: u32,
}

/// At most so much work goes into proving a window of a job's own search, or of a quote, the best.
const BRANCHES_MAX: u64 = 200_000;

impl JobSearch {
    /// The same as the planner takes it, within what the VO allows.
    pub(crate) fn config(&self, of_vo: &SearchConfig) -> SearchConfig {
        let mut config = SearchConfig { algorithm: self.algorithm.clone(), ..of_vo.clone() };
        let limits = &mut config.limits;
        limits.alternatives_per_job_max = limits.alternatives_per_job_max.min(self.alternatives);
        limits.branches_max = limits.branches_max.min(BRANCHES_MAX);
        config
    }
}

/// Where what a program prints is thrown away.
pub const NOWHERE: &str = "/dev/null";

/// Whether what a program prints may go to a file of this name: one below its directory, in plain directories, or nowhere.
pub fn is_output_name(name: &str) -> bool {
    let unfit = |character: char| character == '\\' || character.is_control();
    let plain = |step: &str| !step.is_empty() && !step.starts_with('.') && !step.contains(unfit);
    name == NOWHERE || (name.len() <= NAME_MAX && name.split('/').all(plain))
}

/// The tasks of a workflow and the rule by which they are placed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkflowSpec {
    /// The tasks.
    pub workflow: Workflow,
    /// The rule.
    pub strategy: Strategy,
    /// What each task runs and which files it reads and writes, in the order of the tasks; empty where all run what the job says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<TaskProgram>,
}

impl WorkflowSpec {
    /// What a task runs, where it says so itself.
    pub fn program(&self, task: TaskId) -> Option<&TaskProgram> {
        self.programs.get(task.index())
    }

    /// The tasks whose files a task reads, in order; those that come with the job are nobody's.
    pub fn sources(&self, task: TaskId) -> BTreeSet<TaskId> {
        let inputs = self.program(task).map_or(&[][..], |program| &program.inputs);
        // Only tasks that it waits for give it anything.
        let before = self.workflow.edges().iter().filter(|edge| edge.to == task).map(|edge| edge.from);
        let writes = |from: &TaskId| {
            let outputs = self.program(*from).map_or(&[][..], |program| &program.outputs);
            outputs.iter().any(|file| inputs.contains(file))
        };
        if inputs.is_empty() { BTreeSet::new() } else { before.filter(writes).collect() }
    }
}

/// A job that has not ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Its number.
    pub number: JobNumber,
    /// What was submitted.
    pub spec: Arc<JobSpec>,
    /// When it was submitted, or the quote for it accepted.
    pub queued_at: Time,
    /// Since when it may be planned, where it had to wait for something first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freed_at: Option<Time>,
    /// Where it is.
    pub phase: Phase,
    /// What it waits for before it may be planned.
    #[serde(default, skip_serializing_if = "Waits::is_none")]
    pub waits: Waits,
    /// Whether it has a window before what it waits for has happened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ahead: bool,
    /// The array of which it is an element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<Element>,
    /// Whether a part of it has ever begun.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begun: bool,
    /// How many reservations failed that it could do nothing about.
    pub attempts: u32,
    /// How many of them because a part of it vanished.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub vanished: u32,
    /// How many cycles left it out.
    pub returns: u32,
    /// Why it was last returned to the queue.
    pub why: Option<Why>,
    /// Tasks of its workflow that have ended well.
    pub done: BTreeSet<TaskId>,
    /// Where the files of tasks that ended well are.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub copies: BTreeMap<TaskId, BTreeSet<SiteId>>,
    /// What it was charged so far.
    pub spent: Money,
    /// Reservations of it that failed, and of which something may still run.
    pub fences: BTreeSet<ReservationNumber>,
    /// Other ways to run it.
    pub spares: Vec<Arc<Allocation>>,
    /// Where it is planned, while nothing is held for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Arc<Planned>>,
    /// What it was promised: it starts and ends no later, and costs no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<Promise>,
    /// The window that its user was last told of, since it was last without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<Told>,
    /// The quote of which it is an alternative that sites hold; it is nobody's job before that is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered: Option<QuoteNumber>,
    /// How many plans have found nothing for it since it was last planned, and when the latest did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed: Option<(u32, Time)>,
    /// How long it was likely to run, by what was known when it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Confidence>,
    /// How long it was likely to wait, by what was known when it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Announcement>,
    /// How content everybody was with the plan that gave it its window, where plans are chosen by that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Arc<BTreeMap<String, Share>>>,
}

impl Job {
    /// A job that waits for nothing but a window.
    pub(crate) fn new(number: JobNumber, spec: &Arc<JobSpec>, queued_at: Time) -> Job {
        Job {
            number,
            spec: Arc::clone(spec),
            queued_at,
            freed_at: None,
            phase: Phase::Queued,
            waits: Waits::default(),
            ahead: false,
            element: None,
            begun: false,
            attempts: 0,
            vanished: 0,
            returns: 0,
            why: None,
            done: BTreeSet::new(),
            copies: BTreeMap::new(),
            spent: Money::ZERO,
            fences: BTreeSet::new(),
            spares: Vec::new(),
            plan: None,
            promise: None,
            told: None,
            offered: None,
            missed: None,
            expected: None,
            wait: None,
            content: None,
        }
    }

    /// Since when it waits for a window.
    pub fn ready_at(&self) -> Time {
        self.freed_at.unwrap_or(self.queued_at)
    }

    /// The same at a moment, where it may be planned before: until what it waits for has happened, its window keeps it from nothing.
    pub(crate) fn waits_since(&self, now: Time) -> Time {
        if self.waits.is_none() { self.ready_at() } else { now }
    }
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A window in which a job is planned, and which may still move: all tasks from one moment on, each for as long as its node needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// When it starts.
    pub start: Time,
    /// On which nodes, and what each costs per time.
    pub places: Vec<(NodeId, Rate)>,
}

/// Where a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// It waits for other jobs or for its user's word, and is not planned before.
    Waiting,
    /// It waits for a cycle.
    Queued,
    /// It is part of a cycle's batch.
    Planning,
    /// It has a window that may still move, and a promise.
    Planned,
    /// It has a reservation.
    Reserved(ReservationNumber),
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobEnd {
    /// All its parts ended well.
    Done,
    /// It failed by itself.
    Failed(Why),
    /// Its user cancelled it.
    Cancelled,
    /// It could not be run.
    GivenUp(Why),
}
