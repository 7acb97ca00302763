//! Workflows as jobs: when they come, and what they are to whoever knows no tasks.
//!
//! **Problem.** The broker places the tasks of a workflow one by one; the schedulers that people have today know jobs of so many
//! nodes for so long. And files of workflows do not say when these came.
//!
//! **Method.** Arrivals are from a list, or a Poisson process of a seed ([`Arrivals`]). To a baseline a workflow is one rigid job:
//! as many nodes as tasks of one level can run side by side ([`Workflow::width`]), or as the largest site has, for as long as HEFT
//! needs on so many nodes of performance 1 between which data takes no time; with that as its estimate. The broker
//! gets the workflow itself, and each of its tasks runs for as long as its file says.
//!
//! ```
//! use walras_model::workflow::{Task, Workflow};
//! use walras_model::{Time, Work};
//! use walras_sim::workload::rigid;
//! let task = |name: &str| Task::new(name, Work::from_millis(60_000));
//! let workflow = Workflow::new("w", vec![task("a"), task("b"), task("c")], Vec::new()).unwrap();
//! let job = rigid(&workflow, 7, Time::from_millis(0).unwrap(), 2).unwrap();
//! // Three tasks on two nodes.
//! assert_eq!((job.nodes, job.run.as_millis()), (2, 120_000));
//! ```

use super::Job;
use crate::table::Table;
use crate::trace::BadLine;
use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;
use walras_core::refine::{Baseline, baseline};
use walras_model::workflow::{Lane, Terms};
use walras_model::{
    Attributes, Interval, Money, Network, NodeId, Performance, Platform, Rate, SiteId, Span, Time, Workflow,
};
use walras_random::Purpose;

/// The workflows among some jobs, by the jobs' numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Workflows(Arc<BTreeMap<u64, Workflow>>);

impl Workflows {
    /// Workflows by the numbers of the jobs that they are.
    pub fn new(workflows: BTreeMap<u64, Workflow>) -> Workflows {
        Workflows(Arc::new(workflows))
    }

    /// The workflow of a job, where it is one.
    pub fn get(&self, number: u64) -> Option<&Workflow> {
        self.0.get(&number)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A workflow as a rigid job of at most so many nodes; `None` where it takes no time, or more than can be counted.
pub fn rigid(workflow: &Workflow, number: u64, submit: Time, nodes_max: u32) -> Option<Job> {
    let width = u32::try_from(workflow.width()).unwrap_or(u32::MAX);
    let nodes = width.clamp(1, nodes_max.max(1));
    let rate = Rate::from_micros_per_second(1)?;
    let whole = Interval::new(Time::from_millis(0)?, Time::MAX)?;
    let lane = |number: u32| Lane {
        part: 0,
        node: NodeId::new(number),
        name: format!("n{number}"),
        site: SiteId::new(0),
        site_name: "site".to_owned(),
        performance: Performance::ONE,
        rate,
        free: vec![whole],
        attributes: Attributes::new(),
    };
    let platform = Platform { lanes: (0..nodes).map(lane).collect(), network: Network::INSTANT };
    let terms = Terms { earliest: None, deadline: None, budget: None };
    let run = baseline(workflow, &platform, &terms, Baseline::Heft)?.makespan();
    let (user, budget, deadline) = (None, None, None);
    (run > Span::ZERO).then_some(Job { number, submit, nodes, run, estimate: run, user, budget, deadline })
}

/// When workflows come that a file does not say it of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrivals {
    /// The mean time between two.
    pub mean: Span,
    /// How many come, each one of the files by chance; every file once and in order, without.
    pub count: Option<u32>,
}

impl Arrivals {
    /// When which of so many files comes. The times between are exponential.
    pub fn draw(self, files: usize, seed: u64) -> Vec<(Time, usize)> {
        let mut chance = Purpose::Workload.stream(seed, 1);
        let count = self.count.map_or(files, |count| usize::try_from(count).unwrap_or(usize::MAX));
        let mut now = 0.0;
        let mut all = Vec::new();
        for place in 0..count {
            let file = if self.count.is_some() { chance.index(files) } else { place };
            #[allow(clippy::cast_possible_truncation, reason = "beyond the range of time nothing comes")]
            let Some(at) = Time::from_millis(now as i64) else { break };
            all.push((at, file));
            now += -(1.0 - chance.share()).ln() * self.mean.as_millis() as f64;
        }
        all
    }
}

/// A workflow that a list names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its line in the list.
    pub line: u32,
    /// The name of its file.
    pub file: String,
    /// When it comes.
    pub submit: Time,
    /// Whose it is.
    pub user: Option<i64>,
    /// What it may cost.
    pub budget: Option<Money>,
    /// When it must have ended to be of use.
    pub deadline: Option<Time>,
}

/// Reads a list of workflows: `workflow` (a file), `submit` and where they are there `user`, `budget` and `deadline`; times in
/// seconds, money in credits. They come in order of submission.
pub fn read_list<R: BufRead>(mut table: Table<R>) -> Result<Vec<Listed>, BadLine> {
    let mut all = Vec::new();
    while let Some(row) = table.next_row()? {
        let file = row.need(&["workflow", "file"])?.to_owned();
        row.need(&["submit"])?;
        let moment = |name: &str| -> Result<Option<Time>, BadLine> {
            let time = |millis| Some(millis).filter(|millis| *millis >= 0).and_then(Time::from_millis);
            let time = |millis| time(millis).ok_or_else(|| row.wrong(format!("{name}: is out of range")));
            row.decimal(name, 3)?.map(time).transpose()
        };
        let submit = moment("submit")?.ok_or_else(|| row.wrong("has nothing in a column 'submit'"))?;
        let budget = row.decimal("budget", 6)?;
        if budget.is_some_and(|budget| budget < 0) {
            return Err(row.wrong("budget: must not be negative"));
        }
        let (user, deadline) = (row.decimal("user", 0)?, moment("deadline")?);
        all.push(Listed {
            line: row.line,
            file,
            submit,
            user,
            budget: budget.map(Money::from_micros),
            deadline,
        });
    }
    all.sort_by_key(|listed| listed.submit);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_follow_their_seed() {
        let mean = Span::from_millis(600_000).unwrap();
        let drawn = Arrivals { mean, count: Some(2_000) }.draw(3, 5);
        assert_eq!(drawn, Arrivals { mean, count: Some(2_000) }.draw(3, 5));
        assert!(drawn.is_sorted_by_key(|(at, _)| *at) && drawn[0].0.as_millis() == 0);
        let between = drawn[1_999].0.as_millis() as f64 / 1_999.0;
        assert!((between / 600_000.0 - 1.0).abs() < 0.1, "{between}");
        for file in 0..3 {
            let share = drawn.iter().filter(|(_, of)| *of == file).count();
            assert!((550..780).contains(&share), "{share}");
        }
        let once: Vec<usize> =
            Arrivals { mean, count: None }.draw(4, 5).into_iter().map(|(_, file)| file).collect();
        assert_eq!(once, [0, 1, 2, 3]);
    }

    #[test]
    fn lists_are_read_or_refused_by_line() {
        let text = "workflow,submit,user,budget,deadline\nb.json,60,,,\na.xml,1.5,4,2.5,90\n";
        let listed = read_list(Table::new(text.as_bytes())).unwrap();
        let seen: Vec<_> =
            listed.iter().map(|it| (it.line, it.file.as_str(), it.submit.as_millis())).collect();
        assert_eq!(seen, [(3, "a.xml", 1_500), (2, "b.json", 60_000)]);
        assert_eq!((listed[0].user, listed[0].budget), (Some(4), Some(Money::from_micros(2_500_000))));
        let error = |text: &str| read_list(Table::new(text.as_bytes())).unwrap_err().to_string();
        assert_eq!(error("workflow,submit\na.xml,\n"), "line 2: has nothing in a column 'submit'");
        assert_eq!(error("workflow,submit\na.xml,-1\n"), "line 2: submit: is out of range");
        assert_eq!(error("submit\n3\n"), "line 2: has nothing in a column 'workflow' or 'file'");
        assert_eq!(error("file,submit,budget\na,3,-1\n"), "line 2: budget: must not be negative");
    }
}
