//! What a VO has lived through, as a workload: `--from JOURNAL`.
//!
//! A job is taken from its submission; how long it would run on a node of performance 1 follows from how long each of its tasks ran and on
//! which node.
//! Its estimate is what it asked for. Workflows, jobs that never ran to an end, and what failed are left out and counted.
//! The nodes of a site that are alike in speed, price and power are one kind of the nodes of that site, at the price that its owner asked last;
//! what else its owner asked (by hours, days and demand, and what is not for sale) goes to the broker. When owners used their
//! nodes follows from what their sites said was free. The policy `recorded` is the rules that the VO had last, and what owners and
//! the administrator wanted of plans is what they wanted last.

use super::kinds::{Whole, alike, changes, used};
use crate::failure::Failure;
use crate::journal;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use walras_broker::Event;
use walras_broker::allocation::Allocation;
use walras_broker::event::{CycleEvent, JobEvent, ReservationEvent, SiteEvent, VoEvent};
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_broker::job::{JobEnd, JobSpec};
use walras_broker::policy::Policy;
use walras_broker::price::PriceRules;
use walras_broker::site::NodeSpec;
use walras_broker::wish::{Wish, Wisher};
use walras_model::{NodeId, Performance, SiteId, Span, Time, Work};
use walras_sim::drive::Wishes;
use walras_sim::owners::{Owners, Seen as Uses};
use walras_sim::record::Site;
use walras_sim::workload::{Job, Jobs, Workflows};

/// What the journal says of jobs and sites.
#[derive(Default)]
struct Recorded {
    sites: Vec<Whole>,
    /// The speeds of all nodes, in order of their numbers.
    speeds: Vec<Performance>,
    /// When owners use them.
    uses: Uses,
    jobs: BTreeMap<JobNumber, Seen>,
    reserved: BTreeMap<ReservationNumber, (JobNumber, Arc<Allocation>)>,
    users: BTreeMap<String, i64>,
    done: Vec<(Job, Span)>,
    /// The rules that there were last.
    policy: Option<Box<Policy>>,
    /// What was wanted of plans last.
    wishes: BTreeMap<Wisher, Wish>,
    left_out: u64,
}

/// The nodes of a site, by their numbers.
fn nodes_of(sites: &[Whole], site: SiteId) -> &[NodeId] {
    sites.get(site.index()).map_or(&[], |whole| &whole.nodes)
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
    /// The VO that all of it comes from.
    pub(super) vo: Vo,
}

/// What is known of a VO beside its jobs and sites; nothing of what is none.
#[derive(Default)]
pub(super) struct Vo {
    /// Its rules.
    pub(super) policy: Option<Box<Policy>>,
    /// When owners used their nodes.
    pub(super) owners: Option<Owners>,
    /// What they asked for time, by site.
    pub(super) prices: BTreeMap<String, PriceRules>,
    /// What they and the administrator wanted of plans.
    pub(super) wishes: Wishes,
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
    Ok(recorded.given(&path.display().to_string()))
}

impl Recorded {
    /// All of it as a workload; and what there is to say of it, by the journal's name.
    fn given(self, name: &str) -> Given {
        let left_out = self.left_out + self.jobs.len() as u64;
        let count = self.done.len();
        let waited: i64 = self.done.iter().map(|(_, wait)| wait.as_millis()).sum();
        let mean = waited as f64 / 1_000.0 / count.max(1) as f64;
        let mut notes = vec![format!(
            "{name}: {count} jobs, which waited for {mean:.0} s on average as it was; left out: {left_out} that are workflows or did not end well"
        )];
        let specs = || self.sites.iter().map(|site| &site.spec);
        if specs().flat_map(|site| &site.nodes).any(|node| node.division.is_divided()) {
            notes.push("Nodes that are sold in units are simulated whole: what shared one waits for it, or is too wide, and pays for all of it.".to_owned());
        }
        if specs().any(|site| changes(&site.prices)) {
            notes.push("Prices that change with the hour, the day or demand, and time that is not for sale, are known to the broker's policies; the others pay the price of the node.".to_owned());
        }
        let prices = specs().map(|site| (site.name.clone(), site.prices.clone())).collect();
        let kinds: Vec<(Site, Vec<NodeId>)> = self.sites.iter().flat_map(alike).collect();
        let owners = used(&kinds, self.uses.finish());
        notes.extend(owners.as_ref().map(|(_, hours)| {
            format!(
                "Owners used their nodes for {hours:.0} node-hours, or they were away: nobody gets them then."
            )
        }));
        let mut wishes = Wishes::default();
        for (of, wish) in self.wishes {
            match of {
                Wisher::Administrator => wishes.administrator = Some(wish),
                Wisher::Owner(site) => {
                    let name = self.sites.get(site.index()).map(|site| site.spec.name.clone());
                    wishes.owners.extend(name.map(|name| (name, wish)));
                }
            }
        }
        let vo = Vo { policy: self.policy, owners: owners.map(|(owners, _)| owners), prices, wishes };
        let mut jobs: Vec<Job> = self.done.into_iter().map(|(job, _)| job).collect();
        jobs.sort_by_key(|job| (job.submit, job.number));
        let sites = kinds.into_iter().map(|(site, _)| site).collect();
        Given { jobs: Jobs::held(jobs), workflows: Workflows::default(), sites, notes, vo }
    }

    fn event(&mut self, at: Time, event: &Event) {
        match event {
            Event::Vo(VoEvent::PolicySet(policy)) => self.policy = Some(policy.clone()),
            Event::Vo(VoEvent::WishSet { of, wish }) => match wish {
                Some(wish) => drop(self.wishes.insert(*of, (**wish).clone())),
                None => drop(self.wishes.remove(of)),
            },
            Event::Site(event) => self.site(event),
            Event::Cycle(CycleEvent::OffersReceived { site, free, .. }) => {
                self.uses.offered(at, *site, nodes_of(&self.sites, *site), free);
            }
            Event::Cycle(CycleEvent::OffersChanged { site, change, .. }) => {
                self.uses.changed(at, *site, nodes_of(&self.sites, *site), change);
            }
            Event::Job(JobEvent::Queued { job, spec, .. }) => {
                let (spec, speeds, started) = (spec.clone(), Vec::new(), BTreeMap::new());
                self.jobs.insert(*job, Seen { spec, submit: at, speeds, started, worked: 0 });
            }
            Event::Job(JobEvent::Ended { job, end }) => self.ended(*job, end),
            Event::Reservation(ReservationEvent::Closed { reservation, .. }) => {
                if let Some((_, allocation)) = self.reserved.remove(reservation) {
                    self.uses.lets_go(*reservation, &allocation);
                }
            }
            Event::Reservation(ReservationEvent::Asked { reservation, job, allocation, .. }) => {
                self.reserved.insert(*reservation, (*job, allocation.clone()));
                let sites = &self.sites;
                self.uses.holds(*reservation, allocation, |site| {
                    let timing = sites.get(site.index()).map(|it| it.spec.timing).unwrap_or_default();
                    (timing.before, timing.after)
                });
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

    fn site(&mut self, event: &SiteEvent) {
        match event {
            SiteEvent::Added(spec) => {
                let nodes = self.number(&spec.nodes);
                self.sites.push(Whole { spec: (**spec).clone(), nodes });
            }
            SiteEvent::NodesAdded { site, nodes, .. } => {
                let numbers = self.number(nodes);
                if let Some(site) = self.sites.get_mut(site.index()) {
                    site.spec.nodes.extend(nodes.iter().cloned());
                    site.nodes.extend(numbers);
                }
            }
            SiteEvent::PricesSet { site, prices } => {
                if let Some(site) = self.sites.get_mut(site.index()) {
                    site.spec.prices = (**prices).clone();
                }
            }
            SiteEvent::NodeTaken { node, interval } => self.uses.taken(*node, *interval),
            SiteEvent::TermsSet { .. }
            | SiteEvent::Leaving(_)
            | SiteEvent::Stays(_)
            | SiteEvent::NodeLost { .. }
            | SiteEvent::NodeDown { .. }
            | SiteEvent::NodeBack { .. }
            | SiteEvent::NodeGone { .. }
            | SiteEvent::NodeDrained { .. }
            | SiteEvent::NodeResumed { .. }
            | SiteEvent::Lost { .. }
            | SiteEvent::Back { .. } => {}
        }
    }

    /// New nodes have the next numbers.
    fn number(&mut self, nodes: &[NodeSpec]) -> Vec<NodeId> {
        let first = self.speeds.len();
        self.speeds.extend(nodes.iter().map(|node| node.performance));
        (first..self.speeds.len()).filter_map(|number| u32::try_from(number).ok()).map(NodeId::new).collect()
    }

    /// The speeds of the nodes of all parts; in a queue nobody knows them.
    fn speeds_of(&self, allocation: &Allocation) -> Vec<Performance> {
        let nodes = allocation.parts.iter().map(|part| allocation.hold_of(part).and_then(|hold| hold.node));
        let speed = |node: NodeId| self.speeds.get(node.index()).copied();
        nodes.map(|node| node.and_then(speed).unwrap_or(Performance::ONE)).collect()
    }

    fn seen(&mut self, reservation: ReservationNumber) -> Option<&mut Seen> {
        self.jobs.get_mut(&self.reserved.get(&reservation)?.0)
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

#[cfg(test)]
mod tests {
    use super::*;
    use walras_broker::account::{Account, Purpose, Transaction};
    use walras_broker::allocation::Hold;
    use walras_broker::id::CycleNumber;
    use walras_broker::input::RequestKey;
    use walras_broker::job::PartEnd;
    use walras_broker::price::PriceRules;
    use walras_broker::reservation::Origin;
    use walras_broker::site::{Free, FreeTime, SiteKind, SiteSpec};
    use walras_core::prefer::Preference;
    use walras_model::{Attributes, Interval, Money, Rate, Request};

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
            let end_at = at(end);
            let ended =
                ReservationEvent::PartEnded { reservation, part, at: end_at, end: PartEnd::Done, used: None };
            recorded.event(at(end), &Event::Reservation(ended));
        }
        recorded.event(at(90), &Event::Job(JobEvent::Ended { job, end: JobEnd::Done }));
        // Three times sixty seconds on the fast node, and twice eighty on the other.
        let (done, wait) = &recorded.done[0];
        assert_eq!((done.run.as_millis(), wait.as_millis()), (180_000, 5_000));
    }
    /// Nodes that differ are kinds of one site, and what was neither free nor held was their owner's.
    #[test]
    fn sites_are_as_they_were() {
        let mut recorded = Recorded::default();
        recorded.event(at(0), &site("plain", &[2]));
        recorded.event(at(0), &site("mixed", &[3, 1, 3]));
        let time = |node: u32, from: i64| {
            FreeTime::whole(NodeId::new(node), Interval::new(at(from), at(100)).unwrap())
        };
        let free = Arc::new(Free::Slots(vec![time(1, 40), time(2, 0), time(3, 70)]));
        let (site, cycle) = (SiteId::new(1), CycleNumber::new(1));
        recorded.event(at(0), &Event::Cycle(CycleEvent::OffersReceived { site, cycle, free }));
        let of = [Wisher::Owner(site), Wisher::Owner(SiteId::new(0)), Wisher::Administrator];
        let wish = Wish { weight: 2, preference: Preference::plain() };
        for (of, wish) in of.map(|of| (of, Some(Box::new(wish.clone())))).into_iter().chain([(of[1], None)]) {
            recorded.event(at(0), &Event::Vo(VoEvent::WishSet { of, wish }));
        }
        let given = recorded.given("w.jsonl");
        let owners = BTreeMap::from([("mixed".to_owned(), wish.clone())]);
        assert_eq!(given.vo.wishes, Wishes { administrator: Some(wish), owners });
        let seen: Vec<(&str, u32, i64)> =
            given.sites.iter().map(|it| (it.name.as_str(), it.nodes, it.speed.as_millionths())).collect();
        assert_eq!(seen, [("plain", 1, 2_000_000), ("mixed/1", 1, 1_000_000), ("mixed/2", 2, 3_000_000)]);
        let until = |end: i64| vec![Interval::new(at(0), at(end)).unwrap()];
        let used = vec![vec![vec![]], vec![vec![]], vec![until(40), until(70)]];
        assert_eq!(given.vo.owners, Some(Owners::Recorded(used.into())));
        assert!(given.notes[1].starts_with("Owners used their nodes"), "{:?}", given.notes);
        assert_eq!(given.vo.prices.len(), 2);
    }
}
