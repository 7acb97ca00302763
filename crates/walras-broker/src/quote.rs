//! Quotes: what a job would cost and when it would run, binding for a while.
//!
//! **Problem.** A user wants to know before submitting: what are my choices, and what do they cost?
//!
//! **Method.** The policy's own search, the cheapest window and the one that ends first, and every queue, on what is for
//! sale now. Of all these, only those stay to which none is at once no dearer and no later; at most as many as the policy
//! says, spread from the earliest to the cheapest. Each says how sure its time is, from how long jobs like it have run,
//! and how well it suits the user. Without any, the quote carries the reasons and the smallest change of each kind that
//! would help.
//!
//! Whoever asks may search before ([`Inquiry`]), so that a long search keeps nobody waiting; the broker then only looks
//! whether what was found can be had.

use crate::check::Prices;
use crate::decide::{Draft, Wanted, check_job, stands};
use crate::input::Refusal;
use crate::job::JobSpec;
use crate::plan::{self, Problem, ProblemJob, Ways};
use crate::state::State;
use crate::way::Way;
use serde::{Deserialize, Serialize};
use walras_core::predict::{JobFeatures, Predicted};
use walras_core::prefer::{Preference, SCALE, User};
use walras_core::{Algorithm, Criterion, SearchConfig};
use walras_model::{Explanation, Money, Reason, Share, SiteId, Span, Time};

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
    pub satisfaction: Share,
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
    pub at_least: Share,
    /// How many jobs that is from.
    pub jobs: u32,
}

/// What was found for a quote: ways, each with what its user loses by it; without any, why. Nothing about it is trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// To none of them another is at once no later and no dearer; earliest first.
    pub ways: Vec<(Way, i64)>,
    /// Why there is none.
    pub why: Option<Explanation>,
}

/// What a quote is searched in: a copy of what is for sale, so that the search needs nobody to wait for it.
pub struct Inquiry {
    problem: Problem,
}

impl Inquiry {
    /// What a job could have now; `None` when no site has said what is free. Refuses jobs that make no sense.
    pub fn new(state: &State, now: Time, spec: &JobSpec) -> Result<Option<Inquiry>, Refusal> {
        check_job(state, spec)?;
        let now = now.max(state.clock);
        let oldest = now.as_millis().saturating_sub(2 * state.policy.quotes.offers_age_max.as_millis());
        let market = state.market(now, Time::from_millis(oldest).unwrap_or(Time::MIN));
        let Some(market) = market else { return Ok(None) };
        let wanted = wanted(state, now, spec);
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
        Ok(Some(Inquiry { problem }))
    }

    /// Searches.
    pub fn search(&self) -> Findings {
        let policy = &self.problem.policy;
        let Ways { found, why } = plan::ways(&self.problem, &searches(&policy.search));
        let ways = undominated(found, policy.quotes.options_max as usize);
        let why = ways.is_empty().then(|| why.unwrap_or_default());
        Findings { ways, why }
    }
}

/// What a job would cost, and when it would run.
pub(crate) struct Found {
    pub(crate) options: Vec<QuoteOption>,
    pub(crate) why: Option<Explanation>,
}

/// What a job wants before it is one.
fn wanted(state: &State, now: Time, spec: &JobSpec) -> Wanted {
    let wanted = Wanted::new(state, state.last.job.next(), spec, &Default::default(), Money::ZERO);
    wanted.payable(state, now)
}

/// What of the findings can be had now; searches where there are none, and refuses where none of them stands any more.
pub(crate) fn find(
    draft: &mut Draft<'_>,
    spec: &JobSpec,
    findings: Option<&Findings>,
) -> Result<Found, Refusal> {
    let (state, now) = (draft.state, draft.now);
    let wanted = wanted(state, now, spec);
    let confidence = confidence(state, spec);
    let Findings { ways, why } = match findings {
        Some(findings) => {
            let mut ways = findings.ways.clone();
            ways.retain(|(way, _)| stands(draft, &wanted, way, Prices::AsNow).is_ok());
            if ways.is_empty() && (!findings.ways.is_empty() || findings.why.is_none()) {
                return Err(Refusal::Outdated);
            }
            Findings { ways, why: findings.why.clone() }
        }
        None => Inquiry::new(state, now, spec)?.map_or_else(Findings::unexamined, |it| it.search()),
    };
    let options: Vec<QuoteOption> =
        ways.into_iter().map(|(way, loss)| option(way, loss, confidence)).collect();
    let why = if options.is_empty() { why } else { None };
    Ok(Found { options, why })
}

impl Findings {
    /// Nobody has looked: there was nothing to look at.
    fn unexamined() -> Findings {
        let why = Explanation { reasons: vec![Reason::NotExamined], ..Explanation::default() };
        Findings { ways: Vec::new(), why: Some(why) }
    }
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
    QuoteOption {
        start: way.start(),
        finish: way.finish(),
        price: way.cost(),
        sites: way.legs.iter().map(|leg| leg.site).collect(),
        satisfaction: Share::of_whole(i128::from(SCALE - loss), i128::from(SCALE)),
        confidence,
        way,
    }
}

/// Those to which none is at once no later and no dearer, earliest first; at most so many, the ends among them.
fn undominated(mut ways: Vec<(Way, i64)>, most: usize) -> Vec<(Way, i64)> {
    ways.sort_by_key(|(way, _)| (way.finish(), way.cost(), way.start()));
    let mut kept: Vec<(Way, i64)> = Vec::new();
    for (way, loss) in ways {
        if kept.last().is_none_or(|(last, _)| way.cost() < last.cost()) {
            kept.push((way, loss));
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
        Share::NOTHING
    } else {
        let square = spare * spare;
        Share::of_whole(square, square + variance)
    };
    Some(Confidence { expected: summary.mean, at_least, jobs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::way::{Hold, Leg};
    use walras_model::{Interval, Rate};

    /// Held from 0 on.
    fn way(finish: i64, price: i64) -> (Way, i64) {
        let at = |millis| Time::from_millis(millis).unwrap();
        let hold = Hold {
            node: None,
            interval: Interval::new(at(0), at(finish)).unwrap(),
            rate: Rate::from_micros_per_second(1).unwrap(),
            cost: Money::from_micros(price),
        };
        let leg = Leg { site: SiteId::new(0), holds: vec![hold] };
        (Way { legs: vec![leg], parts: vec![], supports: vec![] }, 0)
    }

    fn pairs(kept: &[(Way, i64)]) -> Vec<(i64, i64)> {
        kept.iter().map(|(way, _)| (way.finish().as_millis(), way.cost().as_micros())).collect()
    }

    #[test]
    fn no_way_is_worse_than_another_in_every_respect() {
        let all = vec![way(30, 5), way(10, 9), way(20, 9), way(20, 7), way(40, 5), way(30, 6)];
        assert_eq!(pairs(&undominated(all, 5)), [(10, 9), (20, 7), (30, 5)]);
    }

    #[test]
    fn the_earliest_and_the_cheapest_always_stay() {
        let all = (1..10).map(|step| way(step, 100 - step)).collect();
        let kept = pairs(&undominated(all, 3));
        assert_eq!((kept.len(), kept[0].0, kept[2].1), (3, 1, 91));
    }
}
