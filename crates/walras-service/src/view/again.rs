//! Cycles that were planned again, as the API compares them.

use walras_api::Num;
use walras_api::service::{DecidedAlternative, DisplacedJob, DisplacedView, TrialCycle, TrialFigures};
use walras_broker::again::{BegunCycle, Outlook};
use walras_broker::decision::Decision;
use walras_broker::id::JobNumber;
use walras_broker::job::Job;
use walras_broker::policy::Policy;
use walras_core::agenda::Terms;
use walras_model::quantity::rounding;
use walras_model::{Money, Span};

/// What plans come to, added up.
#[derive(Clone, Debug)]
pub struct Sums {
    jobs: u32,
    served: u32,
    cost: Money,
    /// In milliseconds.
    wait: i128,
    response: i128,
    /// In millionths, and of how many.
    satisfaction: i128,
    asked: u32,
}

impl Sums {
    /// Of no plan.
    pub fn nothing() -> Sums {
        Sums { jobs: 0, served: 0, cost: Money::ZERO, wait: 0, response: 0, satisfaction: 0, asked: 0 }
    }

    fn of(cycle: &BegunCycle, outlook: &Outlook, decision: &Decision) -> Sums {
        let mut sums = Sums::nothing();
        for (number, terms) in outlook {
            sums.jobs += 1;
            let job = cycle.state().jobs.get(number);
            if let Some((job, terms)) = job.zip(*terms) {
                sums.take(job, terms);
            }
        }
        for share in decision.verdict.satisfaction.values() {
            sums.satisfaction += i128::from(share.as_millionths());
            sums.asked += 1;
        }
        sums
    }

    fn take(&mut self, job: &Job, terms: Terms) {
        self.served += 1;
        self.cost = self.cost + terms.cost;
        self.wait += i128::from(terms.start - job.queued_at);
        self.response += i128::from(terms.finish - job.queued_at);
    }

    /// Adds others.
    pub fn add(&mut self, other: &Sums) {
        self.jobs += other.jobs;
        self.served += other.served;
        self.cost = self.cost + other.cost;
        self.wait += other.wait;
        self.response += other.response;
        self.satisfaction += other.satisfaction;
        self.asked += other.asked;
    }

    /// As the API says it.
    pub fn figures(&self) -> TrialFigures {
        let mean = |sum: i128, count: u32| {
            let mean = (count > 0).then(|| rounding::down(sum, i128::from(count)))?;
            i64::try_from(mean).ok()
        };
        let span = |sum: i128| mean(sum, self.served).and_then(Span::from_millis).map(Num::of_span);
        TrialFigures {
            jobs: self.jobs,
            served: self.served,
            cost: Num::of_money(self.cost),
            wait: span(self.wait),
            response: span(self.response),
            satisfaction: mean(self.satisfaction, self.asked).map(Num::of_millionths),
        }
    }
}

/// A cycle under its own rules and under others. Where these leave nothing to plan with, nobody is served.
pub fn trial(cycle: &BegunCycle, policy: Policy) -> (TrialCycle, Sums, Sums) {
    let decision = cycle.plan();
    let outlook = cycle.outlook(&decision);
    let before = Sums::of(cycle, &outlook, &decision);
    let (outlook_after, after) = match cycle.under(policy) {
        Some(other) => {
            let decision = other.plan();
            let outlook = other.outlook(&decision);
            let sums = Sums::of(&other, &outlook, &decision);
            (outlook, sums)
        }
        None => {
            let nobody: Outlook = outlook.keys().map(|job| (*job, None)).collect();
            (nobody, Sums { jobs: before.jobs, ..Sums::nothing() })
        }
    };
    let changed = outlook.iter().filter(|(job, terms)| outlook_after.get(job) != Some(*terms)).count();
    let view = TrialCycle {
        cycle: cycle.number().get(),
        at: cycle.problem().now.into(),
        changed: u32::try_from(changed).unwrap_or(u32::MAX),
        before: before.figures(),
        after: after.figures(),
    };
    (view, before, after)
}

/// What a job's window has cost others: everybody whom a plan without it serves otherwise.
pub fn displaced(cycle: &BegunCycle, decision: &Decision, job: JobNumber) -> DisplacedView {
    let other = cycle.without(job);
    let (with, without) = (cycle.outlook(decision), other.outlook(&other.plan()));
    let way = |terms: Option<Terms>| {
        terms.map(|terms| DecidedAlternative {
            start: terms.start.into(),
            finish: terms.finish.into(),
            cost: Num::of_money(terms.cost),
            nodes: Vec::new(),
        })
    };
    let others = without.iter().filter_map(|(number, terms)| {
        let now = with.get(number).copied().flatten();
        (now != *terms).then(|| DisplacedJob {
            job: number.get(),
            name: cycle.state().jobs.get(number).map(|job| job.spec.request.name.clone()).unwrap_or_default(),
            without: way(*terms),
            with: way(now),
        })
    });
    DisplacedView { job: job.get(), others: others.collect() }
}
