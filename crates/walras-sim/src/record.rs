//! What became of the jobs of a workload, whoever scheduled them.

use crate::workload::Job;
use serde::Serialize;
use walras_model::{Money, Performance, Rate, Span, Time, Watts, Work};

/// A site of a simulation, or one kind of its nodes: so many nodes alike.
///
/// Neighbours in a list whose names are the same up to a `/` are the kinds of nodes of one site: the broker may give a job several of them at
/// once, and they earn for one owner. Where only alike nodes can be given to a job, each kind has a queue of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its name.
    pub name: String,
    /// How many nodes it has.
    pub nodes: u32,
    /// How fast each is.
    pub speed: Performance,
    /// What each costs.
    pub price: Rate,
    /// The power that each draws while it computes.
    pub watts: Option<Watts>,
}

impl Site {
    /// So many nodes of performance 1 at one credit a second.
    pub fn plain(name: &str, nodes: u32) -> Site {
        let price = Rate::from_micros_per_second(1_000_000).expect("a credit a second is a price");
        Site { name: name.to_owned(), nodes, speed: Performance::ONE, price, watts: None }
    }

    /// The name of the whole site.
    pub fn whole(&self) -> &str {
        self.name.split_once('/').map_or(self.name.as_str(), |(whole, _)| whole)
    }

    /// How long a time on nodes of performance 1 takes here; `None` beyond the range of time.
    pub fn takes(&self, time: Span) -> Option<Span> {
        if time == Span::ZERO {
            return Some(time);
        }
        Work::from_millis(time.as_millis())?.runtime_on(self.speed)
    }

    /// What so many nodes cost here for a time; `None` beyond the range of money.
    pub fn cost(&self, nodes: u32, time: Span) -> Option<Money> {
        let one = self.price.cost_of(time)?.as_micros();
        one.checked_mul(i64::from(nodes)).map(Money::from_micros)
    }
}

/// Whole sites, each as the kinds of its nodes.
pub(crate) fn wholes(sites: &[Site]) -> impl Iterator<Item = &[Site]> {
    sites.chunk_by(|one, other| one.whole() == other.whole())
}

/// Every site, or kind of nodes, and the number of its first node among those of all.
pub(crate) fn with_firsts(sites: &[Site]) -> impl Iterator<Item = (u32, &Site)> {
    sites.iter().scan(0, |next, site| {
        let first = *next;
        *next += site.nodes;
        Some((first, site))
    })
}

/// What became of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The job.
    pub job: Job,
    /// How it ended.
    pub fate: Fate,
    /// Where and when it ran, last.
    pub ran: Option<Ran>,
    /// The start that it was promised first.
    pub promised: Option<Time>,
}

/// Where and when a job ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Its site, or the kind of nodes there, by place; of several the first.
    pub site: u32,
    /// When it started.
    pub start: Time,
    /// When it ended.
    pub end: Time,
    /// What it cost.
    pub cost: Money,
    /// Node-milliseconds that it used.
    pub used: i128,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// It ran to its end.
    Done,
    /// It was killed at its estimate.
    Killed,
    /// It was never run: no site is large enough, or none is left alone by its owner for as long as it takes.
    TooWide,
    /// It was never run: every site costs more than its budget.
    TooDear,
    /// It was given up: its deadline passed, or it failed too often.
    GivenUp,
    /// It was still there when the simulation ended.
    LeftOver,
}

impl Fate {
    /// All of them.
    pub const ALL: [Fate; 6] =
        [Fate::Done, Fate::Killed, Fate::TooWide, Fate::TooDear, Fate::GivenUp, Fate::LeftOver];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Fate::Done => "done",
            Fate::Killed => "killed",
            Fate::TooWide => "too-wide",
            Fate::TooDear => "too-dear",
            Fate::GivenUp => "given-up",
            Fate::LeftOver => "left-over",
        }
    }

    /// How a job ends that runs as long as it may.
    pub fn of_run(job: &Job) -> Fate {
        if job.run > job.estimate { Fate::Killed } else { Fate::Done }
    }
}

impl Record {
    /// The record of a job that starts now, on a site that it was placed on: what it asks for can be counted there, and it
    /// runs no longer than that. What would go on beyond the end of time ends with it.
    ///
    /// # Panics
    /// When the job's estimate, or what that costs, is beyond every range on the site.
    pub(crate) fn begun(index: usize, site: &Site, now: i64, job: &Job, promised: Option<i64>) -> Record {
        let time = |millis: i64| Time::from_millis(millis).unwrap_or(Time::MAX);
        let lasts = site.takes(job.lasts()).expect("a job is placed where its estimate is a time");
        let ran = Ran {
            site: u32::try_from(index).expect("there are no more sites than numbers of them"),
            start: time(now),
            end: time(now.saturating_add(lasts.as_millis())),
            cost: site.cost(job.nodes, lasts).expect("a job is placed where its estimate has a cost"),
            used: i128::from(job.nodes) * i128::from(lasts.as_millis()),
        };
        Record { job: *job, fate: Fate::of_run(job), ran: Some(ran), promised: promised.map(time) }
    }

    /// From submission to start.
    pub fn wait(&self) -> Option<Span> {
        self.ran?.start.span_since(self.job.submit)
    }

    /// From submission to end.
    pub fn response(&self) -> Option<Span> {
        self.ran?.end.span_since(self.job.submit)
    }

    /// The response against the run time, or against ten seconds where that is more; at least 1.
    pub fn bounded_slowdown(&self) -> Option<f64> {
        let ran = self.ran?;
        let run = ran.end.span_since(ran.start)?.as_millis().max(SLOWDOWN_BOUND);
        Some((self.response()?.as_millis() as f64 / run as f64).max(1.0))
    }

    /// Whether it started later than it was promised first.
    pub fn is_late(&self) -> bool {
        self.promised.zip(self.ran).is_some_and(|(promised, ran)| ran.start > promised)
    }

    /// Whether it has a deadline and did not end well by then.
    pub fn misses_deadline(&self) -> bool {
        self.job.deadline.is_some_and(|deadline| self.ran.is_none_or(|ran| ran.end > deadline))
    }
}

/// Jobs that ran for less count as if they had run for as long, in milliseconds.
const SLOWDOWN_BOUND: i64 = 10_000;
