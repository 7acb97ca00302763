//! What a VO has lived through, as a workload: `--from JOURNAL`.
//!
//! A job is taken from its submission; how long it would run on a node of performance 1 follows from how long each of its tasks ran and on
//! which node.
//! Its estimate is what it asked for. Workflows, jobs that never ran to an end, and what failed are left out and counted.
//! Nodes of a site that are alike in speed become a site of the simulation, at the base price that its owner asked last. The policy `recorded`
//! is the rules that the VO had last.

use crate::failure::Failure;
use crate::journal;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use walras_broker::Event;
use walras_broker::allocation::Allocation;
use walras_broker::event::{JobEvent, ReservationEvent, SiteEvent, VoEvent};
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_broker::job::{JobEnd, JobSpec};
use walras_broker::policy::Policy;
use walras_broker::site::SiteSpec;
use walras_model::{NodeId, Performance, Span, Time, Work};
use walras_sim::record::Site;
use walras_sim::workload::{Job, Jobs, Workflows};

/// What the journal says of jobs and sites.
#[derive(Default)]
struct Recorded {
    sites: Vec<SiteSpec>,
    /// The speeds of all nodes, in order of their numbers.
    speeds: Vec<Performance>,
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
    /// The speeds of the nodes of its parts, as it is reserved now.
    speeds: Vec<Performance>,
    /// When each of them started.
    started: BTreeMap<u32, Time>,
    /// What the part that did most has done: milliseconds on a node of performance 1.
    worked: i128,
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
            Event::Site(SiteEvent::Added(spec)) => {
                self.speeds.extend(spec.nodes.iter().map(|node| node.performance));
                self.sites.push((**spec).clone());
            }
            Event::Site(SiteEvent::NodesAdded { site, nodes, .. }) => {
                self.speeds.extend(nodes.iter().map(|node| node.performance));
                if let Some(site) = self.sites.get_mut(site.index()) {
                    site.nodes.extend(nodes.iter().cloned());
                }
            }
            Event::Site(SiteEvent::PricesSet { site, prices }) => {
                if let Some(site) = self.sites.get_mut(site.index()) {
                    site.prices = (**prices).clone();
                }
            }
            Event::Job(JobEvent::Queued { job, spec, .. }) => {
                let (spec, speeds, started) = (spec.clone(), Vec::new(), BTreeMap::new());
                self.jobs.insert(*job, Seen { spec, submit: at, speeds, started, worked: 0 });
            }
            Event::Job(JobEvent::Ended { job, end }) => self.ended(*job, end),
            Event::Reservation(ReservationEvent::Asked { reservation, job, allocation, .. }) => {
                self.reserved.insert(*reservation, *job);
                let speeds = self.speeds_of(allocation);
                if let Some(seen) = self.jobs.get_mut(job) {
                    (seen.speeds, seen.started, seen.worked) = (speeds, BTreeMap::new(), 0);
                }
            }
            Event::Reservation(ReservationEvent::PartStarted { reservation, part, at }) => {
                if let Some(seen) = self.seen(*reservation) {
                    seen.started.insert(*part, *at);
                }
            }
            Event::Reservation(ReservationEvent::PartEnded { reservation, part, at, .. }) => {
                if let Some(seen) = self.seen(*reservation) {
                    let speed = seen.speeds.get(*part as usize).copied().unwrap_or(Performance::ONE);
                    let ran = seen.started.get(part).map_or(0, |start| *at - *start);
                    seen.worked = seen.worked.max(speed.work_in_millis(ran));
                }
            }
            _ => {}
        }
    }

    /// The speeds of the nodes of all parts; in a queue nobody knows them.
    fn speeds_of(&self, allocation: &Allocation) -> Vec<Performance> {
        let nodes = allocation.parts.iter().map(|part| allocation.hold_of(part).and_then(|hold| hold.node));
        let speed = |node: NodeId| self.speeds.get(node.index()).copied();
        nodes.map(|node| node.and_then(speed).unwrap_or(Performance::ONE)).collect()
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
    let start = *seen.started.values().min()?;
    let run = Span::from_millis(i64::try_from(seen.worked).ok()?).filter(|run| *run > Span::ZERO)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use walras_broker::account::{Account, Purpose, Transaction};
    use walras_broker::allocation::Hold;
    use walras_broker::input::RequestKey;
    use walras_broker::job::PartEnd;
    use walras_broker::price::PriceRules;
    use walras_broker::reservation::Origin;
    use walras_broker::site::{NodeSpec, SiteKind};
    use walras_model::{Attributes, Interval, Money, Rate, Request, SiteId};

    fn at(seconds: i64) -> Time {
        Time::from_millis(1_000 * seconds).unwrap()
    }

    fn site(name: &str, speeds: &[i64]) -> Event {
        let node = |(place, speed): (usize, &i64)| NodeSpec {
            division: Default::default(),
            name: format!("n{place}"),
            class: None,
            performance: Performance::from_millionths(*speed * 1_000_000).unwrap(),
            watts: None,
            attributes: Attributes::new(),
        };
        Event::Site(SiteEvent::Added(Box::new(SiteSpec {
            name: name.to_owned(),
            owner: name.to_owned(),
            kind: SiteKind::Slots,
            nodes: speeds.iter().enumerate().map(node).collect(),
            prices: PriceRules::flat(Rate::from_micros_per_second(1).unwrap()),
            access: Default::default(),
            timing: Default::default(),
        })))
    }

    /// A job on the fast node of a site and on one of another: each part did what its own node does in that time.
    #[test]
    fn what_a_job_did_follows_from_its_own_nodes() {
        let mut recorded = Recorded::default();
        recorded.event(at(0), &site("mixed", &[1, 3]));
        recorded.event(at(0), &site("plain", &[2]));
        let (job, reservation) = (JobNumber::new(1), ReservationNumber::new(1));
        let request = Request::new("j", 2, Work::from_millis(500_000).unwrap());
        let spec = Arc::new(JobSpec::plain("ada".to_owned(), request));
        let key = RequestKey { by: "ada".to_owned(), key: "k".to_owned() };
        recorded.event(at(5), &Event::Job(JobEvent::Queued { job, key, spec }));
        let hold = |node: u32| Hold {
            node: Some(NodeId::new(node)),
            units: 1,
            interval: Interval::new(at(10), at(500)).unwrap(),
            rate: Rate::from_micros_per_second(1).unwrap(),
            cost: Money::ZERO,
        };
        let allocation = Arc::new(Allocation::plain([(SiteId::new(0), hold(1)), (SiteId::new(1), hold(2))]));
        let transaction =
            Transaction::transfer(Purpose::Lien, Account::User("ada".to_owned()), Account::Held, Money::ZERO);
        let (origin, spares) = (Origin::Plan, Vec::new());
        let (until, expiry) = (at(10), at(10));
        let asked = ReservationEvent::Asked {
            reservation,
            job,
            origin,
            allocation,
            spares,
            transaction,
            until,
            expiry,
        };
        recorded.event(at(6), &Event::Reservation(asked));
        for (part, end) in [(0, 70), (1, 90)] {
            let started = ReservationEvent::PartStarted { reservation, part, at: at(10) };
            recorded.event(at(10), &Event::Reservation(started));
            let ended = ReservationEvent::PartEnded { reservation, part, at: at(end), end: PartEnd::Done };
            recorded.event(at(end), &Event::Reservation(ended));
        }
        recorded.event(at(90), &Event::Job(JobEvent::Ended { job, end: JobEnd::Done }));
        // Three times sixty seconds on the fast node, and twice eighty on the other.
        let (done, wait) = &recorded.done[0];
        assert_eq!((done.run.as_millis(), wait.as_millis()), (180_000, 5_000));
    }
}
