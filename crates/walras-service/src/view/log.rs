//! Who has changed what.

use crate::journal::FoundAct;
use crate::journal::act::Act;
use walras_api::sentence::{Context, token_made_text, token_revoked_text};
use walras_api::service::LogLine;
use walras_broker::{Input, State};

/// Whether an input changes something of the VO's or of an owner's: what users do with their own jobs is in the jobs' histories.
pub fn is_act(input: &Input) -> bool {
    match input {
        Input::SetPolicy(_)
        | Input::SetUser(_)
        | Input::AddSite(_)
        | Input::ChangeSite { .. }
        | Input::RemoveSite(_)
        | Input::SetPrices { .. }
        | Input::Drain { .. }
        | Input::Resume { .. }
        | Input::Reclaim { .. }
        | Input::SetBudget { .. }
        | Input::SetWish { .. }
        | Input::Deposit { .. }
        | Input::CycleNow => true,
        Input::Submit { .. }
        | Input::AskQuote { .. }
        | Input::AskChain { .. }
        | Input::Accept { .. }
        | Input::CancelJob { .. }
        | Input::CancelElements { .. }
        | Input::Release { .. }
        | Input::Site { .. }
        | Input::Decided { .. }
        | Input::Bounded { .. }
        | Input::Noticed(_)
        | Input::Moved { .. }
        | Input::ServiceBack
        | Input::Tick => false,
    }
}

/// A line of the log.
pub fn log_line(state: &State, found: FoundAct) -> LogLine {
    let context = Context::of_service(state);
    let text = match (&found.entry, &found.act) {
        (Some((_, entry)), _) => context.act(&entry.input),
        (None, Some(Act::TokenMade(token))) => token_made_text(token),
        (None, Some(Act::TokenRevoked(token))) => token_revoked_text(token),
        (None, None) => String::new(),
    };
    LogLine {
        line: found.number,
        at: found.at.into(),
        role: found.by.role,
        name: found.by.name,
        token: found.by.token,
        entry: found.entry.map(|(position, _)| position),
        text,
    }
}
