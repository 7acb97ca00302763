//! What a VO has lived through, as a workload: `--from JOURNAL`.
//!
//! A job is taken from its submission; how long it would run on a node of performance 1 follows from how long it ran and where.
//! Its estimate is what it asked for. Workflows, jobs that never ran to an end, and what failed are left out and counted.
//! Nodes of a site that are alike in speed become a site of the simulation, at the owner's base price. The policy `recorded` is
//! the rules that the VO had last.

use crate::failure::Failure;
use crate::journal;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use walras_broker::Event;
use walras_broker::event::{JobEvent, ReservationEvent, SiteEvent, VoEvent};
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_broker::job::{JobEnd, JobSpec};
use walras_broker::policy::Policy;
use walras_broker::site::SiteSpec;
use walras_model::{Performance, Span, Time, Work};
use walras_sim::record::Site;
use walras_sim::workload::{Job, Jobs, Workflows};

/// What the journal says of jobs and sites.
#[derive(Default)]
struct Recorded {
    sites: Vec<SiteSpec>,
    jobs: BTreeMap<JobNumber, Seen>,
    reserved: BTreeMap<ReservationNumber, JobNumber>,
    users: BTreeMap<String, i64>,
    done: Vec<(Job, Span)>,
    /// The rules that there were last.
    policy: Option<Box<Policy>>,
    left_out: u64,
}

/// A job that has not ended.
struct Seen {
    spec: Arc<JobSpec>,
    submit: Time,
    speed: Performance,
    start: Option<Time>,
    end: Option<Time>,
}

/// Jobs, sites, and what there is to say of them.
pub(super) struct Given {
    pub(super) jobs: Jobs,
    pub(super) workflows: Workflows,
    pub(super) sites: Vec<Site>,
    pub(super) notes: Vec<String>,
    /// The rules of the VO that all of it comes from.
    pub(super) policy: Option<Box<Policy>>,
}

/// The jobs and sites of a journal, and what there is to say of them.
pub(super) fn read(path: &Path) -> Result<Given, Failure> {
    let mut entries = journal::open(path, None)?;
    let mut recorded = Recorded::default();
    while let Some(entry) = entries.entry()? {
        for event in &entry.events {
            recorded.event(entry.at, event);
        }
    }
    let left_out = recorded.left_out + recorded.jobs.len() as u64;
    let count = recorded.done.len();
    let waited: i64 = recorded.done.iter().map(|(_, wait)| wait.as_millis()).sum();
    let mean = waited as f64 / 1_000.0 / count.max(1) as f64;
    let mut notes = vec![format!(
        "{}: {count} jobs, which waited for {mean:.0} s on average as it was; left out: {left_out} that are workflows or did not end well",
        path.display()
    )];
    if recorded.sites.iter().flat_map(|site| &site.nodes).any(|node| node.division.is_divided()) {
        notes.push("Nodes that are sold in units are simulated whole: what shared one waits for it, or is too wide, and pays for all of it.".to_owned());
    }
    let policy = recorded.policy;
    let mut jobs: Vec<Job> = recorded.done.into_iter().map(|(job, _)| job).collect();
    jobs.sort_by_key(|job| (job.submit, job.number));
    let sites = recorded.sites.iter().flat_map(alike).collect();
    Ok(Given { jobs: Jobs::held(jobs), workflows: Workflows::default(), sites, notes, policy })
}

impl Recorded {
    fn event(&mut self, at: Time, event: &Event) {
        match event {
            Event::Vo(VoEvent::PolicySet(policy)) => self.policy = Some(policy.clone()),
            Event::Site(SiteEvent::Added(spec)) => self.sites.push((**spec).clone()),
            Event::Job(JobEvent::Queued { job, spec, .. }) => {
                let (spec, speed) = (spec.clone(), Performance::ONE);
                self.jobs.insert(*job, Seen { spec, submit: at, speed, start: None, end: None });
            }
            Event::Job(JobEvent::Ended { job, end }) => self.ended(*job, end),
            Event::Reservation(ReservationEvent::Asked { reservation, job, allocation, .. }) => {
                self.reserved.insert(*reservation, *job);
                let site = allocation.legs.first().and_then(|leg| self.sites.get(leg.site.index()));
                let speed = site.and_then(|site| site.nodes.iter().map(|node| node.performance).min());
                if let Some(seen) = self.jobs.get_mut(job) {
                    (seen.speed, seen.start, seen.end) = (speed.unwrap_or(Performance::ONE), None, None);
                }
            }
            Event::Reservation(ReservationEvent::PartStarted { reservation, at, .. }) => {
                if let Some(seen) = self.seen(*reservation) {
                    seen.start = Some(seen.start.map_or(*at, |start| start.min(*at)));
                }
            }
            Event::Reservation(ReservationEvent::PartEnded { reservation, at, .. }) => {
                if let Some(seen) = self.seen(*reservation) {
                    seen.end = Some(seen.end.map_or(*at, |end| end.max(*at)));
                }
            }
            _ => {}
        }
    }

    fn seen(&mut self, reservation: ReservationNumber) -> Option<&mut Seen> {
        self.jobs.get_mut(self.reserved.get(&reservation)?)
    }

    fn ended(&mut self, number: JobNumber, end: &JobEnd) {
        let Some(seen) = self.jobs.remove(&number) else { return };
        let users = i64::try_from(self.users.len()).unwrap_or(i64::MAX);
        let user = *self.users.entry(seen.spec.user.clone()).or_insert(users);
        match Some(*end == JobEnd::Done).filter(|done| *done).and_then(|_| simulated(number, &seen, user)) {
            Some(done) => self.done.push(done),
            None => self.left_out += 1,
        }
    }
}

/// A job that ran to its end, and how long it waited.
fn simulated(number: JobNumber, seen: &Seen, user: i64) -> Option<(Job, Span)> {
    let request = seen.spec.workflow.is_none().then_some(&seen.spec.request)?;
    let (start, end) = seen.start.zip(seen.end)?;
    let worked = seen.speed.work_in_millis(end - start);
    let run = Span::from_millis(i64::try_from(worked).ok()?).filter(|run| *run > Span::ZERO)?;
    let estimate = Span::from_millis(Work::as_millis(request.work))?.max(run);
    let job = Job {
        number: number.get(),
        submit: seen.submit,
        nodes: request.tasks,
        run,
        estimate,
        user: Some(user),
        budget: request.budget,
        deadline: request.deadline,
    };
    Some((job, start.span_since(seen.submit)?))
}

/// The nodes of a site, by their speeds.
fn alike(site: &SiteSpec) -> Vec<Site> {
    let mut speeds: BTreeMap<Performance, u32> = BTreeMap::new();
    for node in &site.nodes {
        *speeds.entry(node.performance).or_default() += 1;
    }
    let several = speeds.len() > 1;
    let one = |((speed, nodes), place): ((Performance, u32), u32)| {
        let name = if several { format!("{}/{place}", site.name) } else { site.name.clone() };
        Site { speed, price: site.prices.base, ..Site::plain(&name, nodes) }
    };
    speeds.into_iter().zip(1..).map(one).collect()
}
