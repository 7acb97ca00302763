//! Whether an entry's input says what its events say was said.
//!
//! Consequences that the broker draws by itself (reservations, settlements, starts) are judged elsewhere; here only what
//! somebody must have said: requests of clients and messages of sites. Time O(size of the event).

use walras_broker::event::Event;
use walras_broker::input::{Input, SiteMessage};

/// The name of an event that nobody has said; `None` when it was said, or need not be.
pub(crate) fn unsaid(input: &Input, event: &Event) -> Option<&'static str> {
    let (fits, name) = match event {
        Event::PolicySet(set) => (matches!(input, Input::SetPolicy(said) if said == set), "policy-set"),
        Event::UserSet(set) => (matches!(input, Input::SetUser(said) if said == set), "user-set"),
        Event::SiteAdded(spec) => (matches!(input, Input::AddSite(said) if said == spec), "site-added"),
        Event::PricesSet { site, prices } => {
            let said =
                matches!(input, Input::SetPrices { site: at, prices: said } if at == site && said == prices);
            (said, "prices-set")
        }
        Event::BudgetSet { spender, budget } => {
            let said = matches!(input, Input::SetBudget { spender: of, budget: said } if of == spender && said == budget);
            (said, "budget-set")
        }
        Event::Deposited { key, account, .. } => {
            let said = matches!(input, Input::Deposit { key: named, account: to, .. }
                if *named == key.key && to == account);
            (said, "deposited")
        }
        Event::Noticed(notice) => (*input == Input::Noticed(*notice), "noticed"),
        Event::CycleDecided { cycle, .. } => {
            (matches!(input, Input::Decided { cycle: said, .. } if said == cycle), "cycle-decided")
        }
        Event::JobQueued { .. }
        | Event::QuoteGiven { .. }
        | Event::QuoteAccepted { .. }
        | Event::QuoteBroken { .. } => return by_client(input, event),
        _ => return by_site(input, event),
    };
    (!fits).then_some(name)
}

fn by_client(input: &Input, event: &Event) -> Option<&'static str> {
    let (fits, name) = match (event, input) {
        (Event::JobQueued { key, spec, .. }, Input::Submit { key: named, job }) => {
            (key.key == *named && spec == job, "job-queued")
        }
        (Event::JobQueued { key, .. }, Input::Accept { key: named, .. }) => (key.key == *named, "job-queued"),
        (Event::QuoteGiven { key, spec, .. }, Input::AskQuote { key: named, job, .. }) => {
            (key.key == *named && spec == job, "quote-given")
        }
        (
            Event::QuoteAccepted { quote, key, option, .. } | Event::QuoteBroken { quote, key, option, .. },
            Input::Accept { key: named, quote: asked, option: wanted, .. },
        ) => (key.key == *named && quote == asked && option == wanted, "quote-accepted"),
        (Event::JobQueued { .. }, _) => (false, "job-queued"),
        (Event::QuoteGiven { .. }, _) => (false, "quote-given"),
        _ => (false, "quote-accepted"),
    };
    (!fits).then_some(name)
}

fn by_site(input: &Input, event: &Event) -> Option<&'static str> {
    let said = match input {
        Input::Site { site, message } => Some((*site, message)),
        _ => None,
    };
    let (fits, name) = match event {
        Event::OffersReceived { site, cycle, free } => {
            let told = matches!(said, Some((by, SiteMessage::Offers { cycle: of, free: told }))
                if by == *site && of == cycle && told == free);
            (told, "offers-received")
        }
        Event::LegPrepared { reservation, site } => {
            (said == Some((*site, &SiteMessage::Prepared(*reservation))), "leg-prepared")
        }
        Event::LegConfirmed { reservation, site } => {
            (said == Some((*site, &SiteMessage::Confirmed(*reservation))), "leg-confirmed")
        }
        Event::LegReleased { reservation, site } => {
            (said == Some((*site, &SiteMessage::Released(*reservation))), "leg-released")
        }
        Event::PartStarted { reservation, part, .. } => {
            let told = matches!(said, Some((_, SiteMessage::Started { reservation: of, parts, .. }))
                if of == reservation && parts.contains(part));
            (told, "part-started")
        }
        Event::PartEnded { reservation, part, end, .. } => {
            let told = matches!(said, Some((_, SiteMessage::Ended { reservation: of, part: which, end: how, .. }))
                if of == reservation && which == part && how == end);
            (told, "part-ended")
        }
        Event::NodeLost { node, at } => {
            let told = SiteMessage::NodeLost { node: *node, at: *at };
            (said.is_some_and(|(_, message)| *message == told), "node-lost")
        }
        Event::NodeBack { node, at } => {
            let told = SiteMessage::NodeBack { node: *node, at: *at };
            (said.is_some_and(|(_, message)| *message == told), "node-back")
        }
        Event::NodeTaken { node, interval } => {
            let told = matches!(said, Some((_, SiteMessage::Taken { node: which, interval: when }))
                if which == node && when == interval);
            (told, "node-taken")
        }
        Event::SiteLost { site, at } => (said == Some((*site, &SiteMessage::Lost(*at))), "site-lost"),
        Event::SiteBack { site, at } => (said == Some((*site, &SiteMessage::Back(*at))), "site-back"),
        _ => return None,
    };
    (!fits).then_some(name)
}
