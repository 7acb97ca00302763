//! From inputs to events: everything that the broker decides.
//!
//! Nothing here changes the state. A [`Draft`] collects the events of one input and folds them onto a copy, so that
//! several decisions within one input see each other.

mod admin;
mod agenda;
mod array;
mod bring;
mod chain;
mod client;
mod cycle;
mod draft;
mod failover;
mod gate;
mod hold;
mod joining;
mod nodes;
mod owner;
mod quote;
mod reschedule;
mod reserve;
mod site;
mod staging;
mod tick;

use crate::machine::change::Change;
use crate::model::input::{Answer, Input, Refusal};
use crate::model::state::State;
use draft::Draft;
use walras_model::Time;

/// What an input comes to at a moment.
pub(crate) fn decide(state: &State, now: Time, input: &Input) -> Result<Change, Refusal> {
    let mut draft = Draft::new(state, now);
    let answer = match input {
        Input::SetPolicy(policy) => admin::set_policy(&mut draft, policy)?,
        Input::SetUser(user) => admin::set_user(&mut draft, user)?,
        Input::AddSite(spec) => joining::add(&mut draft, spec)?,
        Input::ChangeSite { site, terms } => joining::change(&mut draft, *site, terms)?,
        Input::RemoveSite(site) => joining::remove(&mut draft, *site)?,
        Input::SetPrices { site, prices } => admin::set_prices(&mut draft, *site, prices)?,
        Input::Drain { site, nodes, interval } => owner::drain(&mut draft, *site, nodes, *interval)?,
        Input::Resume { site, nodes } => owner::resume(&mut draft, *site, nodes)?,
        Input::Reclaim { site, nodes, interval } => owner::reclaim(&mut draft, *site, nodes, *interval)?,
        Input::SetBudget { spender, budget } => admin::set_budget(&mut draft, spender, *budget)?,
        Input::SetWish { of, wish } => admin::set_wish(&mut draft, *of, wish.as_ref())?,
        Input::Deposit { key, account, amount } => admin::deposit(&mut draft, key, account, *amount)?,
        Input::Submit { key, job } => client::submit(&mut draft, key, job)?,
        Input::AskQuote { key, job, findings, hold } => {
            client::ask_quote(&mut draft, key, job, findings.as_deref(), *hold)?
        }
        Input::AskChain { key, members } => chain::ask(&mut draft, key, members)?,
        Input::Accept { user, key, quote, option } => {
            client::accept(&mut draft, user.as_deref(), key, *quote, *option)?
        }
        Input::CancelJob { user, job } => client::cancel(&mut draft, user, *job)?,
        Input::CancelElements { user, array, elements } => {
            client::cancel_elements(&mut draft, user, *array, elements)?
        }
        Input::Release { user, job } => gate::release(&mut draft, user, *job)?,
        Input::CycleNow => cycle::open(&mut draft),
        Input::Site { site, message } => site::hear(&mut draft, *site, message)?,
        Input::Decided { cycle, decision } => cycle::decided(&mut draft, *cycle, decision)?,
        Input::Bounded { cycle, bound } => cycle::bounded(&mut draft, *cycle, *bound)?,
        Input::Moved { reservation, task, to, end } => {
            staging::moved(&mut draft, *reservation, *task, *to, end);
            HEARD
        }
        Input::Noticed(notice) => admin::noticed(&mut draft, *notice),
        Input::ServiceBack => admin::service_back(&mut draft),
        Input::Tick => tick::pass(&mut draft),
    };
    Ok(draft.finish(answer))
}

/// What everybody is told who only wanted to be heard.
const HEARD: Answer = Answer::Done;
