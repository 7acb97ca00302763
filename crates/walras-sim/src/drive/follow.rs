//! What became of each job, read from the broker's events.

use super::Course;
use crate::record::{Fate, Ran, Record, Site, with_firsts};
use crate::workload::{Job, Workflows};
use std::collections::BTreeMap;
use walras_broker::Event;
use walras_broker::account::Purpose;
use walras_broker::decision::{PlanBound, Proof};
use walras_broker::effect::StartPart;
use walras_broker::event::{CycleEvent, JobEvent, ReservationEvent};
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_broker::job::{JobEnd, PartEnd, Why};
use walras_model::quantity::rounding;
use walras_model::{Money, NodeId, Span, Time, Work};

/// Who waits for so long, and so many moments, without anybody having a place waits in vain: plans look days ahead.
const STILL_MILLIS: i64 = 24 * 60 * 60 * 1_000;
const STILL_MOMENTS: u64 = 100;

/// The jobs that the broker knows, and what has happened to them.
#[derive(Default)]
pub(super) struct Followed {
    jobs: BTreeMap<JobNumber, Open>,
    /// The job of every open reservation.
    reserved: BTreeMap<ReservationNumber, JobNumber>,
    /// What the open jobs of every user can cost at the most.
    owed: BTreeMap<Option<i64>, i128>,
    /// When a job last came, was planned, or had something reserved, begun or ended; and the count of moments then.
    moved: Option<(Time, u64)>,
    /// The number of the first node of every site and kind of nodes.
    firsts: Vec<u32>,
    pub(super) course: Course,
}

struct Open {
    job: Job,
    promised: Option<Time>,
    /// Whether a plan has a place for it.
    planned: bool,
    site: u32,
    start: Option<Time>,
    end: Option<Time>,
    cost: Money,
    /// What it can cost at the most, in micro-credits.
    most: i128,
    /// Parts that run, since when, and node-milliseconds of those that have ended.
    running: BTreeMap<u32, Time>,
    used: i128,
    /// Tasks of a workflow that are done stay done.
    is_workflow: bool,
    /// By when it should have ended at the latest, and at what cost at most, where a quote was accepted.
    quoted: Option<(Time, Money)>,
}

impl Followed {
    pub(super) fn new(sites: &[Site]) -> Followed {
        let firsts = with_firsts(sites).map(|(first, _)| first);
        Followed { firsts: firsts.collect(), ..Followed::default() }
    }

    pub(super) fn add(&mut self, number: JobNumber, job: Job, is_workflow: bool, most: i128) {
        *self.owed.entry(job.user).or_default() += most;
        let (promised, start, end, running) = (None, None, None, BTreeMap::new());
        let (planned, site, cost, used, quoted) = (false, 0, Money::ZERO, 0, None);
        let open =
            Open { job, promised, planned, site, start, end, cost, most, running, used, is_workflow, quoted };
        self.jobs.insert(number, open);
        self.moved = None;
    }

    /// A quote was accepted for a job.
    pub(super) fn quote(&mut self, number: JobNumber, finish: Time, price: Money) {
        if let Some(open) = self.jobs.get_mut(&number) {
            open.quoted = Some((finish, price));
        }
    }

    /// How long a part of a job runs on nodes of performance 1, and how it ends.
    pub(super) fn lasts(
        &self,
        workflows: &Workflows,
        number: JobNumber,
        part: &StartPart,
    ) -> Option<(Span, PartEnd)> {
        let job = &self.jobs.get(&number)?.job;
        if let Some(workflow) = workflows.get(job.number) {
            let task = workflow.tasks().iter().find(|task| Some(&task.name) == part.task.as_ref())?;
            let work = task.work.map_or(0, Work::as_millis);
            return Some((Span::from_millis(work)?, PartEnd::Done));
        }
        let end = if Fate::of_run(job) == Fate::Killed { PartEnd::TimedOut } else { PartEnd::Done };
        Some((job.lasts(), end))
    }

    /// What the open jobs of a user can cost at the most, in micro-credits.
    pub(super) fn owed(&self, user: Option<i64>) -> i128 {
        self.owed.get(&user).copied().unwrap_or(0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// Whether a job is there and has not started.
    pub(super) fn waits(&self, number: JobNumber) -> bool {
        self.jobs.get(&number).is_some_and(|open| open.start.is_none())
    }

    /// Whether those who are there wait in vain: for a day and a hundred moments nothing has happened to anybody, and nobody has a place.
    pub(super) fn stands_still(&mut self, now: Time) -> bool {
        let moments = self.course.moments;
        let (since, then) = *self.moved.get_or_insert((now, moments));
        now - since >= STILL_MILLIS
            && moments - then >= STILL_MOMENTS
            && self.reserved.is_empty()
            && !self.jobs.values().any(|open| open.planned)
    }

    /// Takes in an event.
    pub(super) fn event(&mut self, at: Time, event: &Event, sink: &mut dyn FnMut(Record)) {
        if matches!(
            event,
            Event::Reservation(_) | Event::Job(JobEvent::Planned { .. } | JobEvent::Ended { .. })
        ) {
            self.moved = None;
        }
        match event {
            Event::Reservation(event) => self.reservation(event),
            Event::Job(JobEvent::Returned { job, .. }) => {
                if let Some(open) = self.jobs.get_mut(job) {
                    open.planned = false;
                }
            }
            Event::Job(JobEvent::Ended { job, end }) => self.ended(*job, end, sink),
            Event::Job(JobEvent::Planned { job, promise, .. }) => {
                if let Some(open) = self.jobs.get_mut(job) {
                    // A promise may become firmer; a later one does not make the first good.
                    let before = open.promised.unwrap_or(promise.start);
                    open.promised = Some(before.min(promise.start));
                    open.planned = true;
                }
            }
            Event::Cycle(CycleEvent::Opened { batch, demand, .. }) => {
                if !batch.is_empty() {
                    self.course.cycles += 1;
                    self.course.batched += batch.len() as u64;
                }
                if self.course.demand.last().is_none_or(|(_, last)| last != demand) {
                    self.course.demand.push((at, demand.clone()));
                }
            }
            Event::Cycle(CycleEvent::Decided { verdict, .. }) => {
                if let Proof::Gap(gap) = verdict.proof {
                    self.course.gaps = (self.course.gaps.0 + 1, self.course.gaps.1.saturating_add(gap));
                }
                if let Some(above) = verdict.bound.as_ref().and_then(above_bound) {
                    self.course.bounds =
                        (self.course.bounds.0 + 1, self.course.bounds.1.saturating_add(above));
                }
                for (who, content) in &verdict.satisfaction {
                    let sum = self.course.satisfaction.entry(who.clone()).or_default();
                    *sum = (sum.0.saturating_add(content.as_millionths()), sum.1 + 1);
                }
            }
            _ => {}
        }
    }

    fn reservation(&mut self, event: &ReservationEvent) {
        match event {
            ReservationEvent::Asked { reservation, job, allocation, .. } => {
                self.course.reservations += 1;
                self.reserved.insert(*reservation, *job);
                let node = allocation.legs.first().and_then(|leg| leg.holds.first()?.node);
                let node = node.map_or(0, NodeId::number);
                let sites = self.firsts.partition_point(|first| *first <= node);
                if let Some(open) = self.jobs.get_mut(job) {
                    open.promised = open.promised.or(Some(allocation.start()));
                    open.planned = false;
                    open.site = u32::try_from(sites.saturating_sub(1)).unwrap_or(u32::MAX);
                    open.running.clear();
                    if !open.is_workflow {
                        // What it did before was for nothing.
                        (open.start, open.end, open.used) = (None, None, 0);
                    }
                }
            }
            ReservationEvent::PartStarted { reservation, at, part } => {
                if let Some(open) = self.open(*reservation) {
                    open.running.insert(*part, *at);
                    open.start = Some(open.start.map_or(*at, |start| start.min(*at)));
                }
            }
            ReservationEvent::PartEnded { reservation, at, part, .. } => {
                if let Some(open) = self.open(*reservation) {
                    let ran = open.running.remove(part).map_or(0, |since| *at - since);
                    open.used += i128::from(ran.max(0));
                    open.end = Some(open.end.map_or(*at, |end| end.max(*at)));
                }
            }
            ReservationEvent::Closed { reservation, why, transaction, .. } => {
                self.course.broken += u64::from(why.as_ref().is_some_and(|why| !is_own(why)));
                let charged: i64 = transaction
                    .postings
                    .iter()
                    .filter(|posting| posting.purpose == Purpose::Charge)
                    .map(|posting| posting.amount.as_micros())
                    .sum();
                if let Some(open) = self.open(*reservation) {
                    open.cost = Money::from_micros(open.cost.as_micros().saturating_sub(charged));
                }
                self.reserved.remove(reservation);
            }
            _ => {}
        }
    }

    fn open(&mut self, reservation: ReservationNumber) -> Option<&mut Open> {
        self.jobs.get_mut(self.reserved.get(&reservation)?)
    }

    fn ended(&mut self, number: JobNumber, end: &JobEnd, sink: &mut dyn FnMut(Record)) {
        let Some(open) = self.jobs.remove(&number) else { return };
        self.owed.entry(open.job.user).and_modify(|owed| *owed -= open.most);
        let fate = match end {
            JobEnd::Done => Fate::Done,
            JobEnd::Failed(_) => Fate::Killed,
            JobEnd::Cancelled | JobEnd::GivenUp(_) => Fate::GivenUp,
        };
        sink(self.record(open, fate));
    }

    fn record(&mut self, open: Open, fate: Fate) -> Record {
        let Open { job, promised, site, start, end, cost, running, mut used, quoted, .. } = open;
        // A job that is killed ends with its first part: the others ran as long.
        if let Some(end) = end {
            used += running.values().map(|since| i128::from((end - *since).max(0))).sum::<i128>();
        }
        if let Some((finish, price)) = quoted {
            let met = end.is_some_and(|end| end <= finish) && cost <= price && fate != Fate::GivenUp;
            let (accepted, all_met) = self.course.accepted;
            self.course.accepted = (accepted + 1, all_met + u64::from(met));
        }
        let ran = start.zip(end).map(|(start, end)| Ran { site, start, end, cost, used });
        let late = start.zip(promised).is_some_and(|(start, promised)| start > promised);
        self.course.late += u64::from(late);
        Record { job, fate, ran, promised }
    }

    /// Those that are still there are left over.
    pub(super) fn finish(&mut self, sink: &mut dyn FnMut(Record)) {
        for (_, open) in std::mem::take(&mut self.jobs) {
            let record = self.record(open, Fate::LeftOver);
            sink(record);
        }
    }
}

/// Whether a reservation ended by what its job did itself, or by its user.
fn is_own(why: &Why) -> bool {
    matches!(
        why,
        Why::PartEnded {
            end: PartEnd::Done
                | PartEnd::Failed(_)
                | PartEnd::TimedOut
                | PartEnd::Vanished
                | PartEnd::OutOfMemory { .. },
            ..
        } | Why::Cancelled
    )
}
/// By how much a plan is above its bound, in millionths of what it costs; `None` where it costs nothing.
fn above_bound(bound: &PlanBound) -> Option<i64> {
    let (cost, least) = (bound.cost.as_micros(), bound.cost_least.as_micros());
    let above = i128::from(cost.saturating_sub(least).max(0)) * 1_000_000;
    i64::try_from(rounding::up(above, i128::from((cost > 0).then_some(cost)?))).ok()
}
