//! Workflows: tasks, and the data that flows between them.
//!
//! A [`Workflow`] is a directed acyclic graph. Each task has an amount of work and runs on one node; each edge
//! carries data from one task to another, which may start when the data of all its edges has arrived. What the
//! tasks may run on is a [`Platform`]: nodes with their free time, and the [`Network`] between them.
//!
//! Constructors refuse what cannot be: cycles, edges to tasks that are not there, names that stand twice.
//!
//! ```
//! use walras_model::{Data, Edge, Task, TaskId, Work, Workflow, WorkflowError};
//! let work = Work::from_millis(5_000);
//! let tasks = vec![Task::new("split", work), Task::new("merge", work)];
//! let edge = |from, to| Edge { from: TaskId::new(from), to: TaskId::new(to), data: Data::ZERO };
//! let workflow = Workflow::new("two", tasks.clone(), vec![edge(0, 1)]).unwrap();
//! assert_eq!(workflow.order(), [TaskId::new(0), TaskId::new(1)]);
//!
//! let error = Workflow::new("two", tasks, vec![edge(0, 1), edge(1, 0)]).unwrap_err();
//! assert_eq!(error, WorkflowError::Cycle(vec![TaskId::new(0), TaskId::new(1)]));
//! ```

mod graph;
mod needs;
mod platform;

pub use platform::{Lane, Link, Network, Platform, cores_of, memory_of, next_part};

use crate::attribute::{Attributes, Requirement, Test};
use crate::division::amount_asked;
use crate::id::TaskId;
use crate::quantity::{Data, Fixed, Money, Span, Time, Work};
use std::collections::BTreeMap;

/// The work of a request that waits for its workflow to be sized.
pub const UNSIZED: Work = match Work::from_millis(1) {
    Some(work) => work,
    None => panic!("a millisecond is an amount of work"),
};

/// One step of a workflow. It has a node by itself, or a part of one, or several nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Task {
    /// Unique in its workflow.
    pub name: String,
    /// How much there is to compute; `None` for a task that takes no time.
    pub work: Option<Work>,
    /// Parallel width: how many cores of its node it uses. Nodes that state fewer do not fit.
    pub cores: u32,
    /// How many nodes of one site it takes at the same time: a gang, each node of which does all of its work, as long as the slowest needs.
    #[cfg_attr(feature = "serde", serde(default = "one_node", skip_serializing_if = "is_one_node"))]
    pub nodes: u32,
    /// Memory that it needs. Nodes that state less do not fit.
    pub memory: Option<Data>,
    /// What its node must satisfy.
    pub requires: Vec<Requirement>,
    /// How long it takes on nodes of these names (`node`, or `site/node`), instead of what follows from its work.
    pub estimates: BTreeMap<String, Span>,
}

#[cfg(feature = "serde")]
fn one_node() -> u32 {
    1
}

#[cfg(feature = "serde")]
#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_one_node(nodes: &u32) -> bool {
    *nodes == 1
}

impl Task {
    /// A task without any other wish.
    pub fn new(name: &str, work: Option<Work>) -> Task {
        Task {
            name: name.to_owned(),
            work,
            cores: 1,
            nodes: 1,
            memory: None,
            requires: Vec::new(),
            estimates: BTreeMap::new(),
        }
    }

    /// Whether a node that states this is what the task asks for; of cores and memory, one that states none has enough.
    pub fn may_run_on(&self, stated: &Attributes) -> bool {
        cores_of(stated).is_none_or(|cores| cores >= self.cores)
            && self.memory.is_none_or(|memory| memory_of(stated).is_none_or(|has| has >= memory))
            && self.requires.iter().all(|requirement| requirement.is_met_by(stated))
    }

    /// Whether it asks the same of a node as another.
    pub fn asks_like(&self, other: &Task) -> bool {
        (self.cores, self.memory, &self.requires) == (other.cores, other.memory, &other.requires)
    }
}

/// Data that one task gives to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Edge {
    /// Who gives it.
    pub from: TaskId,
    /// Who waits for it.
    pub to: TaskId,
    /// How much it is.
    pub data: Data,
}

/// A directed acyclic graph of tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workflow {
    name: String,
    tasks: Vec<Task>,
    edges: Vec<Edge>,
    order: Vec<TaskId>,
}

/// Why a workflow was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkflowError {
    /// There are no tasks, or more than 2³² - 1.
    #[error("{0} tasks: expected at least one, and at most 2³² - 1")]
    Count(usize),
    /// Two tasks have one name.
    #[error("tasks {} and {} have one name", .first.number(), .second.number())]
    Duplicate {
        /// The task that has it first.
        first: TaskId,
        /// The task that has it again.
        second: TaskId,
    },
    /// An edge names a task that is not there.
    #[error("edge {edge} names task {}, which does not exist", .task.number())]
    Dangling {
        /// Its position among the edges.
        edge: usize,
        /// The task that is not there.
        task: TaskId,
    },
    /// Two edges join the same tasks.
    #[error("edge {edge} joins tasks that are joined already")]
    DoubleEdge {
        /// The position of the second among the edges.
        edge: usize,
    },
    /// A task takes no node.
    #[error("task {} takes no node", .0.number())]
    NoNodes(TaskId),
    /// These tasks wait for each other, each for the one before it and the first for the last.
    #[error("{} tasks wait for each other in a circle", .0.len())]
    Cycle(Vec<TaskId>),
}

impl Workflow {
    /// A workflow of these tasks and edges. Time O((tasks + edges) log (tasks + edges)).
    pub fn new(name: &str, tasks: Vec<Task>, edges: Vec<Edge>) -> Result<Workflow, WorkflowError> {
        if tasks.is_empty() || u32::try_from(tasks.len()).is_err() {
            return Err(WorkflowError::Count(tasks.len()));
        }
        graph::check_names(&tasks)?;
        if let Some((id, _)) = (0..).map(TaskId::new).zip(&tasks).find(|(_, task)| task.nodes == 0) {
            return Err(WorkflowError::NoNodes(id));
        }
        graph::check_edges(tasks.len(), &edges)?;
        let order = graph::order(tasks.len(), &edges)?;
        Ok(Workflow { name: name.to_owned(), tasks, edges, order })
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The tasks; a [`TaskId`] is a position here.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// The task with this id.
    pub fn task(&self, id: TaskId) -> &Task {
        &self.tasks[id.index()]
    }

    /// The edges as they were given.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// All tasks, each after those that it waits for; otherwise by id.
    pub fn order(&self) -> &[TaskId] {
        &self.order
    }

    /// When each task ends at the earliest, were all as long as this says, by its place: after all those before it, one after the other. Time
    /// O(tasks + edges).
    pub fn ends_in_turn(&self, length: impl Fn(&Task) -> i64) -> Vec<i64> {
        let mut before: Vec<Vec<TaskId>> = vec![Vec::new(); self.tasks.len()];
        self.edges.iter().for_each(|edge| before[edge.to.index()].push(edge.from));
        let mut ends = vec![0_i64; self.tasks.len()];
        for id in &self.order {
            let start = before[id.index()].iter().map(|it| ends[it.index()]).max().unwrap_or(0);
            ends[id.index()] = start.saturating_add(length(self.task(*id)));
        }
        ends
    }

    /// What tasks ask for beside what all of it does: by attribute, the most that any of them names an amount of.
    pub fn asks(&self) -> Vec<Requirement> {
        let mut most: BTreeMap<&str, Fixed> = BTreeMap::new();
        for requirement in self.tasks.iter().flat_map(|task| &task.requires) {
            let Some(asked) = amount_asked(&requirement.test) else { continue };
            most.entry(&requirement.attribute).and_modify(|most| *most = (*most).max(asked)).or_insert(asked);
        }
        let least = |(name, amount): (&str, Fixed)| Requirement {
            attribute: name.to_owned(),
            test: Test::Range { min: Some(amount), max: None },
        };
        most.into_iter().map(least).collect()
    }

    /// How many nodes the widest task takes.
    pub fn widest(&self) -> u32 {
        self.tasks.iter().map(|task| task.nodes).max().unwrap_or(1)
    }

    /// The first task that takes the most nodes at a time; none of a workflow without tasks.
    pub fn widest_task(&self) -> Option<&Task> {
        let widest = self.widest();
        self.tasks.iter().find(|task| task.nodes == widest)
    }

    /// How many nodes tasks have side by side at most when each starts as soon as those before it have ended, counted by
    /// levels: the most nodes of tasks that have the same number of tasks before them on the longest way.
    pub fn width(&self) -> usize {
        self.widths_by(|_| Some(())).into_values().max().unwrap_or(0)
    }

    /// The same for tasks of each kind by themselves; those of no kind are not counted. Time O((tasks + edges) log tasks).
    pub fn widths_by<K: Ord>(&self, kind: impl Fn(&Task) -> Option<K>) -> BTreeMap<K, usize> {
        let mut level = vec![0_usize; self.tasks.len()];
        let mut counts: BTreeMap<K, BTreeMap<usize, usize>> = BTreeMap::new();
        let mut after: Vec<Vec<usize>> = vec![Vec::new(); self.tasks.len()];
        for edge in &self.edges {
            after[edge.from.index()].push(edge.to.index());
        }
        for task in &self.order {
            let own = level[task.index()];
            if let Some(kind) = kind(self.task(*task)) {
                let count = counts.entry(kind).or_default().entry(own).or_default();
                *count = count.saturating_add(self.task(*task).nodes as usize);
            }
            for next in &after[task.index()] {
                level[*next] = level[*next].max(own + 1);
            }
        }
        let widest = |counts: BTreeMap<usize, usize>| counts.into_values().max().unwrap_or(0);
        counts.into_iter().map(|(kind, counts)| (kind, widest(counts))).collect()
    }
}

/// What a workflow may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// No task starts before; without it, before the platform's first free moment.
    pub earliest: Option<Time>,
    /// No task ends after.
    pub deadline: Option<Time>,
    /// All tasks together cost no more.
    pub budget: Option<Money>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(count: u32) -> Vec<Task> {
        (0..count).map(|number| Task::new(&format!("t{number}"), Work::from_millis(1))).collect()
    }

    fn edge(from: u32, to: u32) -> Edge {
        Edge { from: TaskId::new(from), to: TaskId::new(to), data: Data::ZERO }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let id = TaskId::new;
        let refused = |tasks: Vec<Task>, edges: Vec<Edge>| Workflow::new("w", tasks, edges).unwrap_err();
        assert_eq!(refused(vec![], vec![]), WorkflowError::Count(0));
        let mut twice = tasks(3);
        twice[2].name = "t0".into();
        assert_eq!(refused(twice, vec![]), WorkflowError::Duplicate { first: id(0), second: id(2) });
        assert_eq!(refused(tasks(2), vec![edge(0, 5)]), WorkflowError::Dangling { edge: 0, task: id(5) });
        let double = vec![edge(0, 1), edge(1, 2), edge(0, 1)];
        assert_eq!(refused(tasks(3), double), WorkflowError::DoubleEdge { edge: 2 });
        assert_eq!(refused(tasks(1), vec![edge(0, 0)]), WorkflowError::Cycle(vec![id(0)]));
        let cycle = vec![edge(0, 1), edge(1, 2), edge(2, 3), edge(3, 1)];
        assert_eq!(refused(tasks(4), cycle), WorkflowError::Cycle(vec![id(1), id(2), id(3)]));
    }

    #[test]
    fn a_task_takes_a_node_or_several() {
        let mut wide = tasks(3);
        wide[1].nodes = 4;
        let workflow = Workflow::new("w", wide.clone(), vec![edge(0, 2)]).unwrap();
        assert_eq!((workflow.widest(), workflow.width()), (4, 5));
        wide[2].nodes = 0;
        let refused = Workflow::new("w", wide, vec![]).unwrap_err();
        assert_eq!(refused, WorkflowError::NoNodes(TaskId::new(2)));
    }

    #[test]
    fn tasks_come_after_those_they_wait_for() {
        let workflow = Workflow::new("w", tasks(4), vec![edge(3, 0), edge(0, 2), edge(3, 1)]).unwrap();
        let numbers: Vec<u32> = workflow.order().iter().map(|task| task.number()).collect();
        assert_eq!(numbers, [3, 0, 1, 2]);
        assert_eq!(workflow.width(), 2);
    }

    #[test]
    fn tasks_of_a_kind_are_counted_by_themselves() {
        let mut some = tasks(6);
        some[3].cores = 8;
        some[5].cores = 8;
        // Two of one core at first, then one of each, then one of each.
        let edges = vec![edge(0, 2), edge(1, 3), edge(2, 4), edge(3, 5)];
        let workflow = Workflow::new("w", some, edges).unwrap();
        let by_cores = workflow.widths_by(|task| Some(task.cores));
        assert_eq!(by_cores, [(1, 2), (8, 1)].into());
        assert_eq!(workflow.widths_by(|task| (task.cores == 8).then_some(())), [((), 1)].into());
        assert_eq!(workflow.width(), 2);
    }
}
