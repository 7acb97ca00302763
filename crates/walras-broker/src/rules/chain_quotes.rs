//! Quotes for a whole chain: a window and a promise for each of its jobs, as they would be given if they were submitted together.
//!
//! **Method.** The jobs are newcomers to an agenda of what is neither held nor planned, each behind those it waits for
//! ([`super::chains`]). Whoever takes the quote has jobs that are planned so, all of them or none.
//!
//! **Complexity.** That of an agenda with so many newcomers.

use super::batch::worth_of_spec;
use super::quoting::{Inquiry, wanted};
use super::submission::check_job;
use crate::model::chain::{BadChain, CHAIN_MAX, ChainMember, QuotedMember};
use crate::model::gate::Condition;
use crate::model::input::Refusal;
use crate::model::job::Planned;
use crate::model::policy::PromisePolicy;
use crate::model::state::State;
use walras_core::agenda::{AgendaProblem, AgendaRules, Behind, Placed, Terms, Waiting, plan_agenda};
use walras_model::{Interval, Money, Request, SiteId, Time};

/// Whether a chain is one that can be quoted.
pub(crate) fn check_chain(state: &State, members: &[ChainMember]) -> Result<(), Refusal> {
    let bad = |why: BadChain| Err(Refusal::BadChain(why));
    if !state.plans_chains() {
        return bad(BadChain::NoPromises);
    }
    let first = match members {
        [] | [_] => return bad(BadChain::TooShort),
        [first, ..] => first,
    };
    if members.len() > CHAIN_MAX {
        return bad(BadChain::TooLong { jobs: members.len(), most: CHAIN_MAX });
    }
    for (member, place) in members.iter().zip(0_u32..) {
        let ChainMember { job, after } = member;
        if job.user != first.job.user {
            return bad(BadChain::SeveralUsers);
        }
        check_job(state, job)?;
        if job.workflow.is_some() || job.search.is_some() || job.array.is_some() || !job.gate.is_open() {
            return bad(BadChain::NotPlain(place));
        }
        if let Some((named, _)) = after.iter().find(|(named, _)| *named >= place) {
            return bad(BadChain::NotBefore { job: place, named: *named });
        }
        if after.iter().any(|(_, condition)| *condition == Condition::Failed) {
            return bad(BadChain::ForFailure(place));
        }
    }
    Ok(())
}

/// What the jobs of a chain would be given, each where it has a window.
struct Looked {
    placed: Vec<Option<Placed>>,
    behind: Vec<Vec<Behind>>,
    soonest: Option<Time>,
}

impl Looked {
    /// From when on a job was looked for a window, for those that it waits for.
    fn from(&self, place: usize) -> Option<Time> {
        let others = self.behind.get(place)?.iter().filter_map(|before| {
            let promise = self.placed.get(before.place)?.as_ref()?.promise;
            let moment = if before.ended { promise.finish } else { promise.start };
            moment.checked_add(before.lag)
        });
        others.max().max(self.soonest)
    }
}

/// What the jobs of a chain would be promised; or the first that has no window, and from when on it was looked for one.
pub(crate) fn plan_chain(
    state: &State,
    now: Time,
    members: &[ChainMember],
) -> Result<Vec<QuotedMember>, Refusal> {
    let Some(promises) = state.promises() else { return Err(Refusal::BadChain(BadChain::NoPromises)) };
    let unfit = |member: usize, from: Option<Time>| {
        Err(Refusal::ChainUnfit { member: u32::try_from(member).unwrap_or(u32::MAX), from })
    };
    let Some(looked) = looked(state, promises, now, members) else { return unfit(0, None) };
    if let Some(place) = looked.placed.iter().position(Option::is_none) {
        return unfit(place, looked.from(place));
    }
    let quoted = |(member, placed): (&ChainMember, Placed)| QuotedMember {
        member: member.clone(),
        plan: Planned::of(&placed.window),
        window: Terms::of(&placed.window),
        promise: placed.promise,
    };
    Ok(members.iter().zip(looked.placed.into_iter().flatten()).map(quoted).collect())
}

impl Inquiry {
    /// Why a job of a chain finds no window: it is looked for as for a quote of its own, after those it waits for, with what those before it
    /// leave of nodes and of money; and what these cost.
    pub fn of_chain(
        state: &State,
        now: Time,
        members: &[ChainMember],
        place: usize,
    ) -> Result<Option<(Inquiry, Money)>, Refusal> {
        let now = now.max(state.clock);
        let Some(member) = members.get(place) else { return Ok(None) };
        let Some(looked) = state.promises().and_then(|promises| looked(state, promises, now, members)) else {
            return Ok(None);
        };
        let mut job = (*member.job).clone();
        job.request.earliest = job.request.earliest.max(looked.from(place));
        let Some(mut inquiry) = Inquiry::at_once(state, now, &job)? else { return Ok(None) };
        let before = looked.placed.iter().take(place).flatten();
        let cost = before.clone().fold(Money::ZERO, |sum, it| sum + it.promise.cost);
        let funds = state.unpromised(&job.user, now, &state.committed());
        let left = funds.checked_sub(cost).unwrap_or(Money::ZERO).max(Money::ZERO);
        inquiry.beside(before.map(|it| &it.window), left);
        Ok(Some((inquiry, cost)))
    }
}

/// Looks for windows for the jobs of a chain; `None` where no site has said what is free.
fn looked(state: &State, promises: &PromisePolicy, now: Time, members: &[ChainMember]) -> Option<Looked> {
    let oldest = now.as_millis() - 2 * state.policy.quotes.offers_age_max.as_millis();
    // Before time began nobody has offered anything.
    let market = state.market(now, Time::from_millis(oldest).unwrap_or(Time::MIN))?;
    let lag = state.chain_lag();
    // Whoever is asked has time to take it, and sites to hold it.
    let asking = state.aheads().map_or(lag, |aheads| aheads.longest());
    let soonest = now.checked_add(state.policy.quotes.lead).and_then(|from| from.checked_add(asking));
    let requests: Vec<Request> = members
        .iter()
        .map(|member| {
            let mut request = wanted(state, now, &member.job).request;
            request.earliest = request.earliest.max(soonest);
            request
        })
        .collect();
    let behind: Vec<Vec<Behind>> = members
        .iter()
        .map(|member| {
            let of = |(place, condition): &(u32, Condition)| Behind {
                place: *place as usize,
                ended: *condition != Condition::Started,
                lag,
            };
            member.after.iter().map(of).collect()
        })
        .collect();
    let jobs: Vec<Waiting<'_>> = members
        .iter()
        .zip(requests.iter().zip(&behind))
        .map(|(member, (request, behind))| Waiting {
            request,
            came: now,
            likely: None,
            worth: worth_of_spec(&member.job, now, promises, &market.offers),
            promise: None,
            planned: None,
            payer: Some(0),
            overdue: false,
            owner: 0,
            crowds: false,
            behind,
        })
        .collect();
    let user = members.first().map_or("", |first| first.job.user.as_str());
    let group = state.users.get(user).and_then(|user| user.user.group.as_deref());
    let admits = |_: usize, site: SiteId, interval: Interval| {
        let rules = state.site(site).map(|site| &site.spec.access);
        rules.is_none_or(|rules| rules.admit(user, group, interval, state.policy.calendar).is_ok())
    };
    let limited = state.sites.iter().any(|site| !site.spec.access.access.is_empty());
    let agenda = plan_agenda(&AgendaProblem {
        now,
        held: now,
        soon: now,
        offers: &market.offers,
        jobs: &jobs,
        funds: &[state.unpromised(user, now, &state.committed())],
        admits: if limited { Some(&admits) } else { None },
        rules: rules_of(promises),
    });
    Some(Looked { placed: agenda.placed, behind, soonest })
}

/// Everybody has what is best in turn: nobody who is asked about waits for more.
fn rules_of(promises: &PromisePolicy) -> AgendaRules {
    AgendaRules { trials: 0, ..promises.rules() }
}

/// Until when a chain can be taken: while none of its jobs would have to be asked for at once.
pub(crate) fn taken_by(state: &State, now: Time, members: &[QuotedMember]) -> Time {
    let until = now.checked_add(state.policy.quotes.valid_for).unwrap_or(now);
    let Some(aheads) = state.aheads() else { return now };
    let first = members.iter().map(|member| aheads.hold_by(state, &member.plan)).min();
    first.map_or(until, |first| first.min(until))
}
