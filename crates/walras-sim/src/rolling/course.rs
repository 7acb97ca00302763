//! The broker, driven from round to round.

use super::{Assign, Course, GivenUp, LEAD, Periods, RollError, Run};
use crate::generate::market::{Submission, market_at};
use std::collections::{BTreeMap, BTreeSet};
use walras_assign::MarketRules;
use walras_broker::account::Account;
use walras_broker::allocation::{Allocation, Hold, Part};
use walras_broker::decision::{Chosen, Decision, Proof, Verdict};
use walras_broker::id::{CycleNumber, JobNumber, ReservationNumber};
use walras_broker::input::{SiteMessage, User};
use walras_broker::job::{JobSpec, PartEnd, Phase};
use walras_broker::plan::PlanningProblem;
use walras_broker::policy::{Deciding, Policy};
use walras_broker::price::PriceRules;
use walras_broker::site::{Free, NodeSpec, SiteKind, SiteSpec};
use walras_broker::{Answer, Broker, Effect, Input};
use walras_model::market::{Capacity, Splitting};
use walras_model::{Attributes, Interval, Money, NodeId, Performance, Request, SiteId, Span, Time};

/// Long enough for everything.
const EVER: i64 = 10_000_000_000;
/// What every user is given.
const FUNDS: Money = Money::from_micros(1_000_000_000_000_000);

/// A broker, and what it is driven through.
pub(super) struct Driver<'a> {
    pub(super) course: Course,
    broker: Broker,
    sites: &'a [Capacity],
    jobs: &'a [Submission],
    now: Time,
    /// By site, its number in the broker; sites without processors have none.
    numbers: Vec<Option<SiteId>>,
    submitted: BTreeMap<JobNumber, usize>,
    unsubmitted: BTreeSet<usize>,
    /// Parts that run, by their ends.
    ends: BTreeSet<(Time, ReservationNumber, u32, SiteId)>,
}

fn time(millis: i64) -> Time {
    Time::from_millis(millis).expect("a course is within the range of time")
}

fn span(millis: i64) -> Span {
    Span::from_millis(millis).expect("a course is within the range of time")
}

/// Who pays for a job.
fn user_of(job: &Submission) -> String {
    job.demand.user.clone().unwrap_or_else(|| "somebody".to_owned())
}

fn policy(periods: Periods) -> Policy {
    Policy {
        deciding: Deciding::AtOnce,
        cycle_every: span(periods.interval.as_millis().max(LEAD)),
        batch_max: u32::MAX,
        horizon: span(EVER),
        lead: span(LEAD),
        offers_within: span(EVER),
        plan_within: span(EVER),
        prepare_within: span(LEAD / 2),
        confirm_within: span(LEAD / 2),
        grace: span(EVER),
        spares_max: 0,
        overdue_after: span(EVER),
        repeat_within: span(EVER),
        ..Policy::default()
    }
}

impl<'a> Driver<'a> {
    pub(super) fn new(
        sites: &'a [Capacity],
        jobs: &'a [Submission],
        periods: Periods,
    ) -> Result<Driver<'a>, RollError> {
        let mut driver = Driver {
            course: Course::default(),
            broker: Broker::default(),
            sites,
            jobs,
            now: time(0),
            numbers: Vec::new(),
            submitted: BTreeMap::new(),
            unsubmitted: (0..jobs.len()).collect(),
            ends: BTreeSet::new(),
        };
        driver.say(Input::SetPolicy(Box::new(policy(periods))))?;
        let users: BTreeSet<String> = jobs.iter().map(user_of).collect();
        for name in users {
            driver.say(Input::SetUser(User {
                name: name.clone(),
                group: None,
                share: 1,
                lowest: Money::ZERO,
            }))?;
            driver.say(Input::Deposit { key: name.clone(), account: Account::User(name), amount: FUNDS })?;
        }
        for (index, capacity) in sites.iter().enumerate() {
            let number = driver.join(index, capacity)?;
            driver.numbers.push(number);
        }
        Ok(driver)
    }

    /// A site joins, unless it has no processors.
    fn join(&mut self, index: usize, capacity: &Capacity) -> Result<Option<SiteId>, RollError> {
        if capacity.processors == 0 {
            return Ok(None);
        }
        let node = |number: u32| NodeSpec {
            division: Default::default(),
            name: format!("#{}", number + 1),
            class: None,
            performance: capacity.speed,
            watts: None,
            attributes: Attributes::new(),
        };
        let spec = SiteSpec {
            name: format!("site {index}"),
            owner: format!("owner {index}"),
            kind: SiteKind::Capacity,
            nodes: (0..capacity.processors).map(node).collect(),
            prices: PriceRules { users: capacity.prices.clone(), ..PriceRules::flat(capacity.price) },
            access: Default::default(),
            timing: Default::default(),
        };
        match self.say(Input::AddSite(Box::new(spec)))? {
            Answer::Site(site) => Ok(Some(site)),
            _ => Ok(None),
        }
    }

    fn refused(&self, why: impl ToString) -> RollError {
        RollError::Refused { round: self.course.rounds, why: why.to_string() }
    }

    /// Says something to the broker; sites do at once what it then wants of them.
    fn say(&mut self, input: Input) -> Result<Answer, RollError> {
        let mut waiting = vec![input];
        let mut answer = None;
        while let Some(input) = waiting.pop() {
            let handled = self.broker.handle(self.now, &input).map_err(|why| self.refused(why))?;
            answer = answer.or(Some(handled.answer));
            for effect in handled.effects {
                waiting.extend(self.site(&effect));
            }
        }
        Ok(answer.unwrap_or(Answer::Done))
    }

    /// What a site answers.
    fn site(&mut self, effect: &Effect) -> Option<Input> {
        let site = effect.site()?;
        let message = match effect {
            Effect::AskOffers { cycle, .. } => {
                let place = self.numbers.iter().position(|number| *number == Some(site))?;
                SiteMessage::Offers { cycle: *cycle, free: Free::Capacity(self.sites[place].processors) }
            }
            Effect::Prepare { reservation, .. } => SiteMessage::Prepared(*reservation),
            Effect::Confirm { reservation, .. } => SiteMessage::Confirmed(*reservation),
            Effect::Release { reservation, .. } | Effect::Cancel { reservation, .. } => {
                SiteMessage::Released(*reservation)
            }
            Effect::Start { reservation, parts, .. } => {
                self.ends.extend(parts.iter().map(|part| (part.end, *reservation, part.part, site)));
                let parts = parts.iter().map(|part| part.part).collect();
                SiteMessage::Started { reservation: *reservation, parts, at: self.now }
            }
            _ => return None,
        };
        Some(Input::Site { site, message })
    }

    /// Whether a job waits, or has not come yet.
    pub(super) fn someone_waits(&self) -> bool {
        !self.unsubmitted.is_empty() || !self.waiting().is_empty()
    }

    /// Jobs in the queue, by their place.
    fn waiting(&self) -> BTreeSet<usize> {
        let queued = self.broker.state().jobs.values().filter(|job| !matches!(job.phase, Phase::Reserved(_)));
        queued.filter_map(|job| self.submitted.get(&job.number).copied()).collect()
    }

    /// Lets time pass: what ends by then ends.
    fn pass_until(&mut self, until: Time) -> Result<(), RollError> {
        while let Some((at, reservation, part, site)) =
            self.ends.first().copied().filter(|end| end.0 <= until)
        {
            self.ends.pop_first();
            self.now = self.now.max(at);
            let message = SiteMessage::Ended { reservation, part, at, end: PartEnd::Done, used: None };
            self.say(Input::Site { site, message })?;
        }
        self.now = self.now.max(until);
        Ok(())
    }

    /// One round, at the end of an interval.
    pub(super) fn round(&mut self, now: Span, assign: &mut Assign<'_>) -> Result<(), RollError> {
        self.course.rounds += 1;
        // What ends with the interval is free for the next: sites say so before the broker plans.
        self.pass_until(time(now.as_millis() - LEAD))?;
        self.finish_by(time(now.as_millis()))?;
        let arrived: Vec<usize> =
            self.unsubmitted.iter().copied().filter(|job| self.jobs[*job].arrival <= now).collect();
        for job in arrived {
            self.submit(job)?;
        }
        self.give_up(now)?;
        if !self.waiting().is_empty() {
            self.cycle(now, assign)?;
        }
        self.now = time(now.as_millis());
        self.say(Input::Tick).map(|_| ())
    }

    /// What ends at this very moment has ended, as far as the next plan is concerned.
    fn finish_by(&mut self, end: Time) -> Result<(), RollError> {
        while let Some((at, reservation, part, site)) = self.ends.first().copied().filter(|it| it.0 <= end) {
            self.ends.pop_first();
            let (at, end) = (at.min(self.now), PartEnd::Done);
            let message = SiteMessage::Ended { reservation, part, at, end, used: None };
            self.say(Input::Site { site, message })?;
        }
        Ok(())
    }

    fn submit(&mut self, place: usize) -> Result<(), RollError> {
        let job = &self.jobs[place];
        let mut request = Request::new(&format!("job {place}"), job.demand.tasks, job.demand.work);
        request.performance_min = Performance::from_millionths(1).unwrap_or(Performance::ONE);
        request.budget = job.demand.budget;
        request.deadline = Time::from_millis(job.arrival.as_millis() + job.deadline.as_millis());
        request.scope.same_site = job.demand.kind == Splitting::SingleSite;
        request.scope.sites = job.demand.sites.as_ref().map(|sites| {
            sites.iter().filter_map(|site| self.numbers.get(*site as usize).copied().flatten()).collect()
        });
        let spec = JobSpec::plain(user_of(job), request);
        let answer = self.say(Input::Submit { key: format!("job {place}"), job: Box::new(spec) })?;
        if let Answer::Job(number) = answer {
            self.submitted.insert(number, place);
            self.unsubmitted.remove(&place);
        }
        Ok(())
    }

    /// Cancels the jobs that even empty sites could not serve any more.
    fn give_up(&mut self, now: Span) -> Result<(), RollError> {
        let waiting: Vec<usize> = self.waiting().into_iter().collect();
        let batch: Vec<Submission> = waiting.iter().map(|job| self.jobs[*job].clone()).collect();
        let market = market_at(self.sites.to_vec(), &batch, now);
        for (at, place) in waiting.into_iter().enumerate() {
            let Some(reason) = market.unfit(at) else { continue };
            self.course.given_up.push(GivenUp { job: place, round: self.course.rounds, reason });
            let number = self.submitted.iter().find(|(_, job)| **job == place).map(|(number, _)| *number);
            if let Some(job) = number {
                self.say(Input::CancelJob { user: user_of(&self.jobs[place]), job })?;
            }
        }
        Ok(())
    }

    /// A cycle of the broker's, planned by the method.
    fn cycle(&mut self, now: Span, assign: &mut Assign<'_>) -> Result<(), RollError> {
        self.say(Input::CycleNow)?;
        let number = self.broker.state().last.cycle;
        let problem = self.broker.problem(number).ok_or_else(|| self.refused("there is nothing to plan"))?;
        let (decision, runs) = self.decide(number, &problem, now, assign)?;
        self.say(Input::Decided { cycle: number, decision: Box::new(decision) })?;
        for run in runs {
            let number = self.submitted.iter().find(|(_, job)| **job == run.job).map(|(number, _)| *number);
            let job = number.and_then(|number| self.broker.state().jobs.get(&number));
            match job {
                Some(job) if matches!(job.phase, Phase::Reserved(_)) => self.course.runs.push(run),
                Some(job) => {
                    let why = job.why.as_ref().map_or("no reason".to_owned(), |why| format!("{why:?}"));
                    return Err(self.refused(why));
                }
                None => return Err(self.refused("a job has gone")),
            }
        }
        Ok(())
    }

    /// The method's assignment as a plan.
    fn decide(
        &self,
        cycle: CycleNumber,
        problem: &PlanningProblem,
        now: Span,
        assign: &mut Assign<'_>,
    ) -> Result<(Decision, Vec<Run>), RollError> {
        let mut free = self.free_nodes(problem);
        let mut sites = self.sites.to_vec();
        for (site, nodes) in sites.iter_mut().zip(&free) {
            site.processors = u32::try_from(nodes.len()).unwrap_or(u32::MAX);
        }
        let waiting: Vec<usize> = self.waiting().into_iter().collect();
        let batch: Vec<Submission> = waiting.iter().map(|job| self.jobs[*job].clone()).collect();
        let market = market_at(sites, &batch, now);
        let instance = market.instance().map_err(RollError::Instance)?;
        let assignment = assign(&market, &instance);
        if assignment.worth(&instance).is_none() {
            return Err(RollError::Unfitting { round: self.course.rounds });
        }
        let (mut chosen, mut runs) = (Vec::new(), Vec::new());
        for (at, place) in waiting.into_iter().enumerate() {
            let Some(site) = assignment.sites[at] else { continue };
            let job = &self.jobs[place];
            let Some(number) = self.submitted.iter().find(|(_, it)| **it == place).map(|(number, _)| *number)
            else {
                continue;
            };
            let runtime = market.terms(at, site as usize).map(|terms| terms.runtime);
            let allocation =
                runtime.and_then(|runtime| self.allocation(job, site as usize, now, runtime, &mut free));
            let (Some(allocation), Some(runtime)) = (allocation, runtime) else { continue };
            let end = span(now.as_millis() + runtime.as_millis());
            runs.push(Run {
                job: place,
                site,
                round: self.course.rounds,
                start: now,
                end,
                cost: allocation.cost(),
            });
            chosen.push(Chosen { job: number, allocation, spares: Vec::new() });
        }
        let verdict = Verdict {
            objective: None,
            proof: Proof::Nothing,
            rivals: None,
            value: 0,
            served: u32::try_from(chosen.len()).unwrap_or(u32::MAX),
            cost: chosen.iter().map(|chosen| chosen.allocation.cost()).sum(),
            satisfaction: BTreeMap::new(),
            unserved: Vec::new(),
            bound: None,
            faults: Vec::new(),
            plainly: Vec::new(),
            assigned: None,
        };
        debug_assert_eq!(cycle, problem.cycle, "one cycle at a time");
        let (basis, late) = (problem.basis, problem.late);
        Ok((Decision { basis, late, verdict, chosen, planned: Vec::new() }, runs))
    }

    /// A job on as many free nodes of a site as it has tasks; they are free no more.
    fn allocation(
        &self,
        job: &Submission,
        site: usize,
        now: Span,
        runtime: Span,
        free: &mut [Vec<NodeId>],
    ) -> Option<Allocation> {
        let rate = self.sites[site].price_for(job.demand.user.as_deref());
        let start = time(now.as_millis());
        let interval = Interval::new(start, start.checked_add(runtime)?)?;
        let (cost, id) = (rate.cost_of(runtime)?, self.numbers[site]?);
        let left = free[site].len().checked_sub(job.demand.tasks as usize)?;
        let nodes = free[site].split_off(left);
        let hold = |node: NodeId| (id, Hold { units: 1, node: Some(node), interval, rate, cost });
        let legs = Allocation::legs_of(nodes.into_iter().map(hold));
        let part = |hold: u32| Part {
            task: None,
            site: id,
            hold,
            start: interval.start(),
            end: interval.end(),
            after: Vec::new(),
        };
        let parts = (0..job.demand.tasks).map(part).collect();
        Some(Allocation { legs, parts, supports: Vec::new(), late: Vec::new() })
    }

    /// By site, the nodes that are free from the first moment on.
    fn free_nodes(&self, problem: &PlanningProblem) -> Vec<Vec<NodeId>> {
        let mut free: Vec<Vec<NodeId>> = vec![Vec::new(); self.sites.len()];
        let offers = &problem.offers;
        for slot in offers.slots().iter().filter(|slot| slot.start() == offers.horizon().start()) {
            let site = offers.node(slot.node()).site;
            if let Some(place) = self.numbers.iter().position(|number| *number == Some(site)) {
                free[place].push(slot.node());
            }
        }
        free
    }

    /// Ends the run: all that happened, and who is left over.
    pub(super) fn finish(mut self) -> Course {
        self.course.left_over = self.waiting().into_iter().chain(self.unsubmitted.iter().copied()).collect();
        self.course.left_over.sort_unstable();
        self.course
    }
}
