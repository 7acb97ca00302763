//! Quotes for a whole chain: given, and taken, all of its jobs or none.

use super::client::{broken, request_key};
use super::draft::Draft;
use super::reserve::stands;
use crate::model::account::{Account, Unpayable};
use crate::model::chain::{ChainMember, ChainQuote, QuotedMember, price_of};
use crate::model::digest::digest_of_chain;
use crate::model::event::{JobEvent, QuoteEvent};
use crate::model::gate::{Dependency, Gate, Which};
use crate::model::id::{JobNumber, QuoteNumber};
use crate::model::input::{Answer, Refusal, RequestKey};
use crate::model::job::{JobSpec, Why};
use crate::model::limits::JOBS_MAX;
use crate::model::refusal::Countable;
use crate::model::repeated::Asked;
use crate::model::sharing::Tally;
use crate::model::state::State;
use crate::rules::chain_quotes::{check_chain, plan_chain, taken_by};
use crate::rules::check::Prices;
use crate::rules::limiting::check_limits;
use crate::rules::wanted::Wanted;
use std::sync::Arc;
use walras_model::{Interval, Money, NodeId};

/// Answers what a chain would cost, and when it would run.
pub(super) fn ask(draft: &mut Draft<'_>, key: &str, members: &[ChainMember]) -> Result<Answer, Refusal> {
    let state = draft.before;
    let user = members.first().map_or("", |first| first.job.user.as_str());
    let key = request_key(user, key)?;
    if let Some(known) = state.requests.get(&key) {
        return match &known.answer {
            answer @ Answer::Quote(_) if known.asked == Some(Asked::Job(digest_of_chain(members))) => {
                Ok(answer.clone())
            }
            Answer::Quote(_)
            | Answer::Done
            | Answer::Deposited(_)
            | Answer::Job(_)
            | Answer::Accepted { .. }
            | Answer::Chain(_)
            | Answer::Broken { .. }
            | Answer::Site(_) => Err(Refusal::KeyUsed(key.key)),
        };
    }
    check_chain(state, members)?;
    if state.quotes.len() + state.chains.len() >= JOBS_MAX {
        return Err(Refusal::TooMany { what: Countable::Quotes, most: JOBS_MAX });
    }
    let added = members.iter().fold(Tally::KEY, |sum, member| sum.plus(Tally::of_quote(&member.job)));
    check_limits(state, user, added)?;
    let quoted = plan_chain(state, draft.now, members)?;
    let until = taken_by(state, draft.now, &quoted);
    let quote = state.last.quote.next();
    draft.push(QuoteEvent::ChainGiven { quote, key, members: quoted.into(), until });
    Ok(Answer::Quote(quote))
}

/// Makes all jobs of a chain, planned as they were quoted; or none, where one cannot be.
pub(super) fn accept(
    draft: &mut Draft<'_>,
    user: Option<&str>,
    key: &str,
    number: QuoteNumber,
    (quote, option): (&ChainQuote, u32),
) -> Result<Answer, Refusal> {
    let state = draft.before;
    let of = quote.user();
    let key = request_key(of, key)?;
    if state.requests.contains_key(&key) {
        return Err(Refusal::KeyUsed(key.key));
    }
    if draft.now >= quote.until || user.is_some_and(|user| user != of) {
        return Err(Refusal::NoQuote(number));
    }
    if option != 0 {
        return Err(Refusal::NoOption(option));
    }
    let count = quote.members.len();
    if state.jobs.len() + count > JOBS_MAX {
        return Err(Refusal::TooMany { what: Countable::Jobs, most: JOBS_MAX });
    }
    let keys = (0..=count).fold(Tally::default(), |sum, _| sum.plus(Tally::KEY));
    let added = quote.members.iter().fold(keys, |sum, it| sum.plus(Tally::of_job(&it.member.job)));
    check_limits(state, of, added)?;
    if let Err(why) = can_be_had(draft, quote) {
        draft.forget();
        let own = has_taken(state, of, quote);
        return Ok(broken(draft, number, key, option, why, (quote.price(), own)));
    }
    let first = state.last.job;
    let numbers = std::iter::successors(Some(first.next()), |number| Some(number.next()));
    let jobs: Vec<JobNumber> = numbers.take(count).collect();
    let accepted = QuoteEvent::ChainAccepted { quote: number, key: key.clone(), jobs: jobs.clone() };
    draft.push(accepted);
    for (quoted, job) in quote.members.iter().zip(&jobs) {
        let spec = Arc::new(spec_of(&quoted.member, &jobs));
        let key = RequestKey { by: key.by.clone(), key: format!("{}/{job}", key.key) };
        draft.push(JobEvent::Queued { job: *job, key, spec });
        let (plan, promise) = (Arc::new(quoted.plan.clone()), quoted.promise);
        draft.push(JobEvent::Planned { job: *job, plan, promise, renewed: false });
    }
    Ok(Answer::Chain(jobs))
}

/// A job of a chain, with what it waits for by number.
fn spec_of(member: &ChainMember, jobs: &[JobNumber]) -> JobSpec {
    let on = |(place, condition): &(u32, _)| {
        let job = *jobs.get(*place as usize)?;
        Some(Dependency { on: Which::whole(job), condition: *condition })
    };
    let after = member.after.iter().filter_map(on).collect();
    JobSpec { gate: Gate { after, ..Gate::default() }, ..(*member.job).clone() }
}

/// Whether all windows are still free at their prices, and all can be paid. What stands is counted as held for those after it.
fn can_be_had(draft: &mut Draft<'_>, quote: &ChainQuote) -> Result<(), Why> {
    let (state, now, user) = (draft.before, draft.now, quote.user());
    let (needed, available) = (price_of(&quote.members), state.unpromised(user, now, &state.committed()));
    if needed > available {
        let account = Account::User(user.to_owned());
        return Err(Why::NoMoney(Unpayable::Short { account, available, needed }));
    }
    for QuotedMember { member, plan, .. } in quote.members.iter() {
        let wanted = Wanted::new(state, state.last.job.next(), &member.job, &Default::default(), Money::ZERO);
        let allocation = state.allocation_of(&member.job.request, plan);
        let allocation = allocation.ok_or_else(|| Why::Outdated(Vec::new()))?;
        stands(draft, &wanted, &allocation, Prices::AsHeld)?;
        draft.hold(&allocation);
    }
    Ok(())
}

/// Whether a user holds, or is planned for, some of a chain's time already.
fn has_taken(state: &State, user: &str, quote: &ChainQuote) -> bool {
    let own: Vec<(NodeId, Interval)> = quote
        .members
        .iter()
        .filter_map(|quoted| state.allocation_of(&quoted.member.job.request, &quoted.plan))
        .flat_map(|it| {
            it.holds().filter_map(|(_, hold)| Some((hold.node?, hold.interval))).collect::<Vec<_>>()
        })
        .collect();
    let meets = |node: NodeId, interval: Interval| {
        own.iter().any(|(wanted, at)| *wanted == node && at.overlaps(interval))
    };
    let reserved = state.reservations.values().filter(|it| it.user == user);
    let mut holds =
        reserved.flat_map(|it| it.holds_left()).filter_map(|(_, hold)| Some((hold.node?, hold.interval)));
    let mut planned = state.planned().filter(|(job, _)| job.spec.user == user);
    holds.any(|(node, interval)| meets(node, interval))
        || planned.any(|(job, _)| state.planned_times(job).any(|(node, interval, _)| meets(node, interval)))
}
