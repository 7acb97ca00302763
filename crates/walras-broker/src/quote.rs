//! Quotes: what a job would cost and when it would run, binding for a while.
//!
//! **Problem.** A user wants to know before submitting: what are my choices, and what do they cost?
//!
//! **Method.** The policy's own search, the cheapest window and the one that ends first, and every queue, on what is for
//! sale now. Of all these, only those stay to which none is at once no dearer and no later; at most as many as the policy
//! says, spread from the earliest to the cheapest. Each says how sure its time is, from how long jobs like it have run,
//! and how well it suits the user. Without any, the quote carries the reasons and the smallest change of each kind that
//! would help.

use crate::decide::Wanted;
use crate::job::JobSpec;
use crate::plan::{self, Problem, ProblemJob};
use crate::price::MILLION;
use crate::state::State;
use crate::way::Way;
use serde::{Deserialize, Serialize};
use walras_core::predict::{JobFeatures, Predicted};
use walras_core::prefer::{Preference, SCALE, User};
use walras_core::{Algorithm, Criterion, Explanation, Money, Reason, SearchConfig, SiteId, Span, Time};

/// One of a quote's alternatives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuoteOption {
    /// When it starts; only expected, in a queue.
    pub start: Time,
    /// When it has ended.
    pub finish: Time,
    /// What it costs at most.
    pub price: Money,
    /// Where it runs.
    pub sites: Vec<SiteId>,
    /// How well it suits the user, in millionths.
    pub satisfaction: i64,
    /// How sure it is that the job ends in the time that it asks for.
    pub confidence: Option<Confidence>,
    /// What would be reserved.
    pub way: Way,
}

/// What history says of a job's run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confidence {
    /// How long jobs like it took, at performance 1.
    pub expected: Span,
    /// The job ends in the time that it asks for with at least this probability, in millionths (Cantelli's inequality).
    pub at_least: i64,
    /// How many jobs that is from.
    pub jobs: u32,
}

/// What was found for a quote.
pub(crate) struct Found {
    pub(crate) options: Vec<QuoteOption>,
    pub(crate) why: Option<Explanation>,
}

/// What a job would cost, and when it would run.
pub(crate) fn find(state: &State, now: Time, spec: &JobSpec) -> Found {
    let nothing = |why: Explanation| Found { options: Vec::new(), why: Some(why) };
    let oldest = now.as_millis().saturating_sub(2 * state.policy.quotes.offers_age_max.as_millis());
    let market = state.market(now, Time::from_millis(oldest).unwrap_or(Time::MIN));
    let Some(market) = market else {
        return nothing(Explanation { reasons: vec![Reason::NotExamined], ..Explanation::default() });
    };
    let wanted = Wanted::new(state, state.last.job.next(), spec, &Default::default(), Money::ZERO);
    let wanted = wanted.payable(state, now);
    let user = state.users.get(&spec.user);
    let users = vec![User {
        name: spec.user.clone(),
        group: user.and_then(|user| user.user.group.clone()),
        weight: 1,
    }];
    let job = ProblemJob {
        number: wanted.job,
        request: wanted.request,
        workflow: wanted.remaining,
        preference: spec.preference.clone().unwrap_or_else(Preference::plain),
        user: 0,
        overdue: false,
    };
    let rules = state.sites.iter().map(|site| site.spec.access.clone()).collect();
    let problem = Problem {
        cycle: state.last.cycle,
        basis: state.version,
        now,
        offers: market.offers,
        open: None,
        queues: market.queues,
        jobs: vec![job],
        users,
        rules,
        policy: state.policy.clone(),
    };
    let ways = plan::ways(&problem, &searches(&problem.policy.search));
    let confidence = confidence(state, spec);
    let options: Vec<QuoteOption> =
        ways.found.into_iter().map(|(way, loss)| option(way, loss, confidence)).collect();
    let options = undominated(options, state.policy.quotes.options_max as usize);
    let why = options.is_empty().then(|| ways.why.unwrap_or_default());
    Found { options, why }
}

/// The policy's search, the cheapest and the fastest.
fn searches(config: &SearchConfig) -> Vec<SearchConfig> {
    let by = |criterion| SearchConfig { algorithm: Algorithm::Criterion(criterion), ..config.clone() };
    let mut all = vec![config.clone(), by(Criterion::Cost), by(Criterion::Finish)];
    for (place, search) in all.iter_mut().enumerate() {
        let most = if place == 0 { 8 } else { 2 };
        search.limits.alternatives_per_job_max = search.limits.alternatives_per_job_max.min(most);
        search.limits.branches_max = search.limits.branches_max.min(200_000);
    }
    all
}

fn option(way: Way, loss: i64, confidence: Option<Confidence>) -> QuoteOption {
    let content = i128::from(SCALE - loss) * i128::from(MILLION) / i128::from(SCALE);
    QuoteOption {
        start: way.start(),
        finish: way.finish(),
        price: way.cost(),
        sites: way.legs.iter().map(|leg| leg.site).collect(),
        satisfaction: i64::try_from(content).unwrap_or(0),
        confidence,
        way,
    }
}

/// Those to which none is at once no later and no dearer, earliest first; at most so many, the ends among them.
fn undominated(mut options: Vec<QuoteOption>, most: usize) -> Vec<QuoteOption> {
    options.sort_by_key(|option| (option.finish, option.price, option.start));
    let mut kept: Vec<QuoteOption> = Vec::new();
    for option in options {
        if kept.last().is_none_or(|last| option.price < last.price) {
            kept.push(option);
        }
    }
    while kept.len() > most.max(1) {
        // The one in the middle that costs least to miss: the ends always stay.
        let middle = kept.len() / 2;
        kept.remove(middle);
    }
    kept
}

/// What is known of a job before it runs, as the history sees it.
pub(crate) fn features(state: &State, spec: &JobSpec) -> JobFeatures {
    let work = spec.request.work.as_millis();
    // Estimates are kept to two binary digits, so that likeness does not hang on a second.
    let digits = work.ilog2().saturating_sub(1);
    JobFeatures {
        user: state.users.get(&spec.user).map(|user| user.number),
        size: Some(spec.request.tasks),
        estimate: Span::from_millis((work >> digits) << digits),
        ..JobFeatures::default()
    }
}

fn confidence(state: &State, spec: &JobSpec) -> Option<Confidence> {
    if spec.workflow.is_some() {
        return None;
    }
    let prediction = state.history.predict(&features(state, spec))?;
    let Predicted::Template { jobs, summary, .. } = prediction.by else { return None };
    let deviation = i128::from(summary.deviation?.as_millis());
    let spare = i128::from(spec.request.work.as_millis()) - i128::from(summary.mean.as_millis());
    let variance = deviation * deviation;
    let at_least = if spare <= 0 {
        0
    } else {
        let square = spare * spare;
        i64::try_from(square * i128::from(MILLION) / (square + variance)).unwrap_or(0)
    };
    Some(Confidence { expected: summary.mean, at_least, jobs })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(finish: i64, price: i64) -> QuoteOption {
        QuoteOption {
            start: Time::from_millis(0).unwrap(),
            finish: Time::from_millis(finish).unwrap(),
            price: Money::from_micros(price),
            sites: vec![],
            satisfaction: 0,
            confidence: None,
            way: Way { legs: vec![], parts: vec![], supports: vec![] },
        }
    }

    #[test]
    fn no_option_is_worse_than_another_in_every_way() {
        let all =
            vec![option(30, 5), option(10, 9), option(20, 9), option(20, 7), option(40, 5), option(30, 6)];
        let kept = undominated(all, 5);
        let pairs: Vec<(i64, i64)> =
            kept.iter().map(|it| (it.finish.as_millis(), it.price.as_micros())).collect();
        assert_eq!(pairs, [(10, 9), (20, 7), (30, 5)]);
    }

    #[test]
    fn the_earliest_and_the_cheapest_always_stay() {
        let all = (0..9).map(|step| option(step, 100 - step)).collect();
        let kept = undominated(all, 3);
        assert_eq!(kept.len(), 3);
        assert_eq!((kept[0].finish.as_millis(), kept[2].price.as_micros()), (0, 92));
    }
}
