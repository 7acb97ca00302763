//! What must hold, whatever happens.
//!
//! After every entry: money sums to zero and what is held matches the reservations; no account is below its limit; a job
//! is where its reservation says; no two holds share time on a node. At the sites: nothing starts before every site of
//! its window has confirmed; no job runs twice at once; nobody asks for time that is held. In the end: every job that was
//! acknowledged is done, failed, given up, cancelled, or waits with a reason, and nothing is held for anybody.

use crate::site::FaultySite;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use walras_audit::Auditor;
use walras_broker::account::Account;
use walras_broker::allocation::Allocation;
use walras_broker::event::{JobEvent, QuoteEvent, ReservationEvent};
use walras_broker::gate::{Condition, Dependency, Gate};
use walras_broker::id::{JobNumber, QuoteNumber, ReservationNumber};
use walras_broker::job::{JobEnd, PartEnd, Phase};
use walras_broker::journal::Entry;
use walras_broker::quote::QuoteOption;
use walras_broker::reservation::{Reservation, ReservationPhase};
use walras_broker::state::State;
use walras_broker::{Answer, Broker, Effect, Event, Input, Refusal};
use walras_model::{Interval, NodeId, SiteId, Time};
use walras_sites::SiteError;
use walras_sites::clock::later;

/// Collects what is wrong.
#[derive(Clone, Debug, Default)]
pub struct Checker {
    /// What is wrong.
    pub wrong: Vec<String>,
    /// Who checks the same from the journal alone, and how many entries it has seen.
    auditor: Auditor,
    audited: u64,
    /// The sites of every reservation, and its job.
    windows: BTreeMap<ReservationNumber, (JobNumber, Vec<SiteId>)>,
    /// What clients were told, by key.
    answers: BTreeMap<String, Answer>,
    /// Jobs that have ended, and how.
    ended: BTreeMap<JobNumber, JobEnd>,
    queued: BTreeSet<JobNumber>,
    /// What jobs wait for, and whose parts have begun.
    gates: BTreeMap<JobNumber, Gate>,
    begun: BTreeSet<JobNumber>,
    arrays: BTreeSet<JobNumber>,
    /// Parts of open reservations that have not ended well.
    parts: BTreeMap<ReservationNumber, BTreeSet<u32>>,
    /// What quotes promise.
    quoted: BTreeMap<QuoteNumber, Arc<[QuoteOption]>>,
    /// What a job of an accepted quote was promised.
    promised: BTreeMap<JobNumber, Allocation>,
    /// By quote, what is held for it: a job for each alternative, and those that are still.
    holds: BTreeMap<QuoteNumber, Vec<JobNumber>>,
    offered: BTreeSet<JobNumber>,
}

impl Checker {
    fn complain(&mut self, text: String) {
        self.wrong.push(text);
    }

    /// What a site has done; that it could not is wrong in a world without disks.
    pub fn possible<T>(&mut self, done: Result<T, SiteError>) -> Option<T> {
        done.map_err(|error| self.complain(error.to_string())).ok()
    }

    /// After an entry was written.
    pub fn written(&mut self, entry: &Entry) {
        self.audited += 1;
        let findings = self.auditor.entry(self.audited, entry);
        self.wrong.extend(
            findings.iter().map(|finding| format!("audit: entry {}: {:?}", finding.position, finding.kind)),
        );
    }

    /// After an entry was taken in.
    pub fn entry(&mut self, broker: &Broker, entry: &Entry) {
        let still_held = self.offered.clone();
        for event in &entry.events {
            match event {
                Event::Reservation(ReservationEvent::Asked { reservation, job, allocation, .. }) => {
                    let sites = allocation.legs.iter().map(|leg| leg.site).collect();
                    self.windows.insert(*reservation, (*job, sites));
                    let parts = allocation.parts.iter().zip(0..).map(|(_, place)| place);
                    self.parts.insert(*reservation, parts.collect());
                    if self.ended.contains_key(job) {
                        self.complain(format!("job {job} has ended and is reserved again"));
                    }
                    self.gate(*job);
                    if self.promised.remove(job).is_some_and(|promised| promised != **allocation) {
                        self.complain(format!("job {job} does not get what its quote promised"));
                    }
                }
                Event::Reservation(ReservationEvent::PartEnded { reservation, part, end, .. }) => {
                    if *end == PartEnd::Done {
                        self.parts.entry(*reservation).or_default().remove(part);
                    }
                    // What has ended has begun, even if its start was never heard of.
                    self.begun.extend(self.windows.get(reservation).map(|(job, _)| *job));
                }
                Event::Reservation(ReservationEvent::Closed { reservation, why, .. }) => {
                    let left = self.parts.remove(reservation).unwrap_or_default();
                    if why.is_none() && !left.is_empty() {
                        self.complain(format!(
                            "reservation {reservation} is done, but its parts {left:?} are not"
                        ));
                    }
                }
                Event::Quote(QuoteEvent::Given { quote, options, holds, .. }) => {
                    self.quoted.insert(*quote, options.clone());
                    self.holds.insert(*quote, holds.clone());
                }
                Event::Quote(QuoteEvent::Broken { quote, option, .. }) => {
                    let held = self.holds.get(quote).and_then(|jobs| jobs.get(*option as usize));
                    if held.is_some_and(|job| still_held.contains(job)) {
                        self.complain(format!("quote {quote} was held and not honoured"));
                    }
                }
                Event::Job(JobEvent::Offered { job, .. }) => {
                    self.offered.insert(*job);
                }
                Event::Job(JobEvent::Withdrawn(job)) => {
                    self.offered.remove(job);
                }
                Event::Quote(QuoteEvent::Accepted { quote, option, job, .. }) => {
                    if self.offered.remove(job) {
                        self.queued.insert(*job);
                    }
                    let options = self.quoted.get(quote).and_then(|options| options.get(*option as usize));
                    if let Some(option) = options.filter(|_| !self.windows.values().any(|it| it.0 == *job)) {
                        self.promised.insert(*job, option.allocation.clone());
                    }
                }
                Event::Job(JobEvent::Queued { job, spec, .. }) => {
                    self.queued.insert(*job);
                    if spec.array.is_some() {
                        self.arrays.insert(*job);
                    } else {
                        self.gates.insert(*job, spec.gate.clone());
                    }
                }
                Event::Reservation(ReservationEvent::PartStarted { reservation, .. }) => {
                    self.begun.extend(self.windows.get(reservation).map(|(job, _)| *job));
                }
                Event::Job(JobEvent::Ended { job, end }) => {
                    let before = self.ended.insert(*job, end.clone());
                    if before.is_some_and(|before| before != *end) {
                        self.complain(format!("job {job} has ended twice"));
                    }
                }
                _ => {}
            }
        }
        let state = broker.state();
        self.money(state);
        self.jobs(state);
        self.holds(state);
    }

    /// Nothing is asked for before all has happened that a job waits for.
    fn gate(&mut self, job: JobNumber) {
        let Some(gate) = self.gates.get(&job) else { return };
        let plain = |on: &&Dependency| on.on.element.is_none() && !self.arrays.contains(&on.on.job);
        let unmet = gate.after.iter().filter(plain).find(|on| {
            let end = self.ended.get(&on.on.job).map(|end| *end == JobEnd::Done);
            !match on.condition {
                Condition::Ok => end == Some(true),
                Condition::Failed => end == Some(false),
                Condition::Any => end.is_some(),
                Condition::Started => end.is_some() || self.begun.contains(&on.on.job),
            }
        });
        if let Some(on) = unmet {
            self.complain(format!("job {job} is reserved before {on:?} has come about"));
        }
    }

    fn money(&mut self, state: &State) {
        if state.books.total() != 0 {
            self.complain(format!("the books sum to {}", state.books.total()));
        }
        let open = |it: &&Reservation| it.phase != ReservationPhase::Closing;
        let liens: i64 = state.reservations.values().filter(open).map(|it| it.lien.as_micros()).sum();
        let held = state.books.balance(&Account::Held).as_micros();
        if held != liens {
            self.complain(format!("{held} is held and liens sum to {liens}"));
        }
        for (account, balance) in state.books.balances().filter(|(account, _)| **account != Account::World) {
            if state.books.available(account).as_micros() < 0 {
                self.complain(format!("the account {} is at {balance}, below its limit", account.code()));
            }
        }
    }

    fn jobs(&mut self, state: &State) {
        for (number, job) in &state.jobs {
            if let Phase::Reserved(reservation) = job.phase {
                let there = state.reservations.get(&reservation);
                if there.is_none_or(|it| it.job != *number || it.phase == ReservationPhase::Closing) {
                    self.complain(format!("job {number} has reservation {reservation}, which is not open"));
                }
            }
            if job.phase == Phase::Planning && state.cycle.is_none() {
                self.complain(format!("job {number} is being planned and no cycle is open"));
            }
        }
        for (number, reservation) in &state.reservations {
            let open = reservation.phase != ReservationPhase::Closing;
            let job = state.jobs.get(&reservation.job);
            if open && job.is_none_or(|job| job.phase != Phase::Reserved(*number)) {
                self.complain(format!("reservation {number} is open and its job knows nothing of it"));
            }
        }
    }

    fn holds(&mut self, state: &State) {
        let mut held: BTreeMap<NodeId, Vec<(Interval, ReservationNumber, u32)>> = BTreeMap::new();
        for (number, reservation) in &state.reservations {
            for (_, hold) in reservation.holds_left() {
                if let Some(node) = hold.node {
                    held.entry(node).or_default().push((hold.interval, *number, hold.units));
                }
            }
        }
        for (node, mut holds) in held {
            holds.sort_unstable();
            let units = state.node_spec(node).map_or(1, |spec| spec.division.units());
            for (place, (last, number, _)) in holds.iter().enumerate() {
                // All that begin no later and have not ended when this one begins.
                let beside = holds[..=place].iter().filter(|(it, _, _)| it.end() > last.start());
                if beside.map(|(_, _, taken)| taken).sum::<u32>() > units {
                    self.complain(format!("node {} is booked beyond its units, by {number}", node.number()));
                }
            }
        }
    }

    /// When the broker has been told the time: nobody waits for an answer longer than was said.
    pub fn after_tick(&mut self, broker: &Broker, at: Time) {
        for (number, reservation) in &broker.state().reservations {
            let state = broker.state();
            let (until, within) = match reservation.phase {
                ReservationPhase::Preparing(until) => (until, state.policy.prepare_within),
                ReservationPhase::Confirming(until) => (until, state.policy.confirm_within),
                ReservationPhase::Held | ReservationPhase::Closing => continue,
            };
            // Whom nobody listened to has as long again.
            let until = until.max(later(state.back_at, within.as_millis()));
            if until <= at {
                self.wrong.push(format!("reservation {number} waits for its sites beyond {until} s"));
            }
        }
    }

    /// Before a site hears that it should start something.
    pub fn before_start(&mut self, effect: &Effect, sites: &[FaultySite]) {
        let Effect::Start { reservation, job, .. } = effect else { return };
        if self.offered.contains(job) {
            self.complain(format!("job {job} starts, and nobody has accepted its quote"));
        }
        let Some((_, window)) = self.windows.get(reservation).cloned() else { return };
        let is_released = |site: &FaultySite| site.site.book().is_released(*reservation);
        let released = sites.iter().map(is_released).collect::<Result<Vec<bool>, _>>();
        let Some(released) = self.possible(released) else { return };
        for id in window.iter().filter(|_| !released.contains(&true)) {
            let booking = sites[id.index()].site.book().get(*reservation);
            if booking.is_none_or(|booking| booking.expiry.is_some()) {
                self.complain(format!(
                    "reservation {reservation} starts and site {} has not confirmed",
                    id.number()
                ));
            }
        }
    }

    /// At every moment: no job runs twice, and nobody asked for what is held.
    pub fn sites(&mut self, now: Time, sites: &mut [FaultySite]) {
        let mut running: BTreeMap<JobNumber, ReservationNumber> = BTreeMap::new();
        for site in sites {
            self.wrong.append(&mut site.wrong);
            for (job, reservation) in site.site.running(now) {
                let first = *running.entry(job).or_insert(reservation);
                if first != reservation {
                    self.complain(format!(
                        "job {job} runs twice at {now} s, as {first} and as {reservation}"
                    ));
                }
            }
        }
    }

    /// A client was told something.
    pub fn answered(&mut self, input: &Input, answer: Option<&Answer>) {
        let (Some(key), Some(answer)) = (key_of(input), answer) else { return };
        if let Some(before) = self.answers.insert(key.clone(), answer.clone())
            && before != *answer
        {
            self.complain(format!("{key} was answered by {before:?} and then by {answer:?}"));
        }
    }

    /// The broker refused something.
    pub fn refused(&mut self, input: &Input, refusal: &Refusal) {
        if let Some(key) = key_of(input)
            && matches!(refusal, Refusal::KeyUsed(_))
        {
            self.complain(format!("{key} was refused as another request's"));
        }
    }

    /// When everything is over.
    pub fn finish(&mut self, broker: &Broker, journal: &[Entry], calm: bool) {
        let state = broker.state();
        for (key, answer) in self.answers.clone() {
            let jobs = match answer {
                Answer::Job(job) | Answer::Accepted { job, .. } => vec![job],
                Answer::Chain(jobs) => jobs,
                _ => continue,
            };
            for job in jobs.into_iter().filter(|job| !is_open(state, *job)) {
                if !self.ended.contains_key(&job) {
                    self.complain(format!("{key} was acknowledged as job {job}, which is gone"));
                }
            }
        }
        for job in self.queued.clone() {
            if !is_open(state, job) && !self.ended.contains_key(&job) {
                self.complain(format!("job {job} is lost"));
            }
        }
        if calm {
            for (number, job) in &state.jobs {
                if job.phase == Phase::Queued && job.why.is_none() {
                    self.wrong.push(format!("job {number} waits without a reason"));
                }
            }
        }
        let mut again = Broker::default();
        journal.iter().for_each(|entry| again.restore(entry));
        if again.state() != state {
            self.complain("the journal does not give the same state again".to_owned());
        }
    }
}

fn key_of(input: &Input) -> Option<String> {
    match input {
        Input::Submit { key, .. }
        | Input::AskQuote { key, .. }
        | Input::AskChain { key, .. }
        | Input::Accept { key, .. }
        | Input::Deposit { key, .. } => Some(key.clone()),
        _ => None,
    }
}

/// Whether a job, or an array, has not ended.
fn is_open(state: &State, job: JobNumber) -> bool {
    state.jobs.contains_key(&job) || state.arrays.contains_key(&job)
}
