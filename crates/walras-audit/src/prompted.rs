//! Whether an entry's input says what its events claim that somebody said.
//!
//! Consequences that the broker draws by itself (reservations, settlements, starts) are judged elsewhere; here only what
//! somebody must have said: requests of clients and messages of sites. Time O(size of the event).

use crate::strategies::is_asked;
use walras_broker::event::{CycleEvent, Event, JobEvent, QuoteEvent, ReservationEvent, SiteEvent, VoEvent};
use walras_broker::input::{Input, SiteMessage};
use walras_broker::moving::{MoveEnd, MoveStep};
use walras_model::SiteId;

/// The name of an event that nobody has asked for; `None` when somebody has, or need not.
pub(crate) fn unprompted(input: &Input, event: &Event) -> Option<&'static str> {
    let message = if let Input::Site { site, message } = input { Some((*site, message)) } else { None };
    let (fits, name) = match event {
        Event::Vo(event) => of_vo(input, event),
        Event::Site(event) => of_site(input, message, event),
        Event::Job(event) => of_job(input, event)?,
        Event::Quote(event) => of_quote(input, event)?,
        Event::Cycle(event) => of_cycle(input, message, event)?,
        Event::Reservation(event) => of_reservation(input, message, event)?,
    };
    (!fits).then_some(name)
}

fn of_vo(input: &Input, event: &VoEvent) -> (bool, &'static str) {
    match event {
        VoEvent::PolicySet(set) => (matches!(input, Input::SetPolicy(told) if told == set), "policy-set"),
        VoEvent::UserSet(set) => (matches!(input, Input::SetUser(told) if told == set), "user-set"),
        VoEvent::BudgetSet { spender, budget } => {
            let told = matches!(input, Input::SetBudget { spender: of, budget: told } if of == spender && told == budget);
            (told, "budget-set")
        }
        VoEvent::WishSet { of, wish } => {
            let told = matches!(input, Input::SetWish { of: told, wish: wanted }
                if told == of && wanted.as_ref() == wish.as_deref());
            (told, "wish-set")
        }
        VoEvent::Deposited { key, account, .. } => {
            let told = matches!(input, Input::Deposit { key: named, account: to, .. }
                if *named == key.key && to == account);
            (told, "deposited")
        }
        VoEvent::ServiceBack => (matches!(input, Input::ServiceBack), "service-back"),
    }
}

fn of_site(
    input: &Input,
    message: Option<(SiteId, &SiteMessage)>,
    event: &SiteEvent,
) -> (bool, &'static str) {
    let says = |told: &SiteMessage| message.is_some_and(|(_, message)| message == told);
    match event {
        SiteEvent::Added(spec) => (matches!(input, Input::AddSite(told) if told == spec), "site-added"),
        SiteEvent::PricesSet { site, prices } => {
            let set = matches!(input, Input::SetPrices { site: at, prices: told } if at == site && *told == **prices);
            let changed = matches!(input, Input::ChangeSite { site: at, terms } if at == site && terms.prices == **prices);
            let again = matches!(input, Input::AddSite(told) if told.prices == **prices);
            (set || changed || again, "prices-set")
        }
        SiteEvent::TermsSet { site, access, timing } => {
            let changed = matches!(input, Input::ChangeSite { site: at, terms }
                if at == site && terms.access == **access && terms.timing == *timing);
            let again =
                matches!(input, Input::AddSite(told) if told.access == **access && told.timing == *timing);
            (changed || again, "terms-set")
        }
        SiteEvent::Leaving(site) => (*input == Input::RemoveSite(*site), "site-leaving"),
        SiteEvent::Stays(_) => (matches!(input, Input::AddSite(_)), "site-stays"),
        SiteEvent::NodeLost { node, at } => {
            (says(&SiteMessage::NodeLost { node: *node, at: *at }), "node-lost")
        }
        SiteEvent::NodeDown { node, at } => {
            (says(&SiteMessage::NodeDown { node: *node, at: *at }), "node-down")
        }
        SiteEvent::NodeBack { node, at } => {
            (says(&SiteMessage::NodeBack { node: *node, at: *at }), "node-back")
        }
        SiteEvent::NodesAdded { site, at, nodes, rates } => {
            let told = matches!(message, Some((of, SiteMessage::Nodes { at: then, nodes: all, rates: told }))
                if of == *site && then == at && nodes.iter().all(|node| all.contains(node))
                    && rates.iter().all(|(name, rate)| told.get(name) == Some(rate)));
            (told, "nodes-added")
        }
        SiteEvent::NodeGone { at, .. } => {
            (matches!(message, Some((_, SiteMessage::Nodes { at: then, .. })) if then == at), "node-gone")
        }
        SiteEvent::NodeTaken { node, interval } => {
            let reclaimed = matches!(input, Input::Reclaim { nodes, interval: told, .. }
                if nodes.contains(node) && told == interval);
            let told = reclaimed || says(&SiteMessage::Taken { node: *node, interval: *interval });
            (told, "node-taken")
        }
        SiteEvent::NodeDrained { node, interval } => {
            let told = matches!(input, Input::Drain { nodes, interval: told, .. }
                if nodes.contains(node) && told == interval);
            (told, "node-drained")
        }
        SiteEvent::NodeResumed { node } => {
            (matches!(input, Input::Resume { nodes, .. } if nodes.contains(node)), "node-resumed")
        }
        SiteEvent::Lost { site, at } => (message == Some((*site, &SiteMessage::Lost(*at))), "site-lost"),
        SiteEvent::Back { site, at } => (message == Some((*site, &SiteMessage::Back(*at))), "site-back"),
    }
}

fn of_job(input: &Input, event: &JobEvent) -> Option<(bool, &'static str)> {
    match event {
        JobEvent::Queued { key, spec, .. } => {
            let submitted = matches!(input, Input::Submit { key: named, job }
                if key.key == *named && is_asked(spec, job));
            // The jobs of a chain have keys of their own, after that of its acceptance.
            let of_chain =
                |named: &str| key.key.strip_prefix(named).is_some_and(|rest| rest.starts_with('/'));
            let accepted =
                matches!(input, Input::Accept { key: named, .. } if key.key == *named || of_chain(named));
            let told = submitted || accepted;
            Some((told, "job-queued"))
        }
        JobEvent::Noticed(notice) => Some((*input == Input::Noticed(*notice), "noticed")),
        JobEvent::Planned { .. } => {
            Some((matches!(input, Input::Decided { .. } | Input::Accept { .. }), "job-planned"))
        }
        JobEvent::Offered { spec, .. } => {
            let told = matches!(input, Input::AskQuote { job, hold: Some(_), .. } if is_asked(spec, job));
            Some((told, "offered"))
        }
        JobEvent::Released(job) => {
            let told = matches!(input, Input::Release { job: told, .. } if told == job);
            Some((told, "job-released"))
        }
        JobEvent::Drawn { .. } | JobEvent::Cut { .. } => None,
        JobEvent::Freed(_) | JobEvent::Withdrawn(_) | JobEvent::Returned { .. } | JobEvent::Ended { .. } => {
            None
        }
    }
}

fn of_quote(input: &Input, event: &QuoteEvent) -> Option<(bool, &'static str)> {
    match event {
        QuoteEvent::Given { key, spec, .. } => {
            let told = matches!(input, Input::AskQuote { key: named, job, .. }
                if key.key == *named && is_asked(spec, job));
            Some((told, "quote-given"))
        }
        QuoteEvent::ChainGiven { key, members, .. } => {
            let told = matches!(input, Input::AskChain { key: named, members: asked }
                if key.key == *named && members.iter().map(|it| &it.member).eq(asked));
            Some((told, "chain-quoted"))
        }
        QuoteEvent::ChainAccepted { quote, key, .. } => {
            let told = matches!(input, Input::Accept { key: named, quote: asked, option: 0, .. }
                if key.key == *named && quote == asked);
            Some((told, "chain-accepted"))
        }
        QuoteEvent::Accepted { quote, key, option, .. } | QuoteEvent::Broken { quote, key, option, .. } => {
            let told = matches!(input, Input::Accept { key: named, quote: asked, option: wanted, .. }
                if key.key == *named && quote == asked && option == wanted);
            Some((told, "quote-accepted"))
        }
        QuoteEvent::Expired(_) => None,
    }
}

fn of_cycle(
    input: &Input,
    message: Option<(SiteId, &SiteMessage)>,
    event: &CycleEvent,
) -> Option<(bool, &'static str)> {
    match event {
        CycleEvent::OffersReceived { site, cycle, free } => {
            let told = matches!(message, Some((by, SiteMessage::Offers { cycle: of, free: told }))
                if by == *site && of == cycle && *told == **free);
            Some((told, "offers-received"))
        }
        CycleEvent::OffersChanged { site, cycle, change } => {
            let told = matches!(message, Some((by, SiteMessage::OffersChanged { cycle: of, change: told }))
                if by == *site && of == cycle && *told == **change);
            Some((told, "offers-changed"))
        }
        CycleEvent::Decided { cycle, .. } => {
            Some((matches!(input, Input::Decided { cycle: told, .. } if told == cycle), "cycle-decided"))
        }
        CycleEvent::Bounded { cycle, bound } => {
            let told =
                matches!(input, Input::Bounded { cycle: of, bound: told } if of == cycle && told == bound);
            Some((told, "cycle-bounded"))
        }
        CycleEvent::Opened { .. } | CycleEvent::Closed { .. } | CycleEvent::Ended(_) => None,
    }
}

fn of_reservation(
    input: &Input,
    message: Option<(SiteId, &SiteMessage)>,
    event: &ReservationEvent,
) -> Option<(bool, &'static str)> {
    let says = |site: SiteId, told: &SiteMessage| message == Some((site, told));
    match event {
        ReservationEvent::LegPrepared { reservation, site } => {
            Some((says(*site, &SiteMessage::Prepared(*reservation)), "leg-prepared"))
        }
        ReservationEvent::LegConfirmed { reservation, site } => {
            Some((says(*site, &SiteMessage::Confirmed(*reservation)), "leg-confirmed"))
        }
        ReservationEvent::LegReady { reservation, site } => {
            Some((says(*site, &SiteMessage::Ready(*reservation)), "leg-ready"))
        }
        ReservationEvent::LegReleased { reservation, site } => {
            Some((says(*site, &SiteMessage::Released(*reservation)), "leg-released"))
        }
        ReservationEvent::PartStarted { reservation, part, .. } => {
            let told = matches!(message, Some((_, SiteMessage::Started { reservation: of, parts, .. }))
                if of == reservation && parts.contains(part));
            Some((told, "part-started"))
        }
        ReservationEvent::PartEnded { reservation, part, end, used, .. } => {
            let told = matches!(message, Some((_, SiteMessage::Ended { reservation: of, part: which, end: how, used: what, .. }))
                if of == reservation && which == part && how == end && what == used);
            Some((told, "part-ended"))
        }
        ReservationEvent::Files { reservation, task, to, step } => {
            let end = match step {
                MoveStep::Begun { .. } => return None,
                MoveStep::Done { files, bytes } => MoveEnd::Done { files: *files, bytes: *bytes },
                MoveStep::Failed(fault) | MoveStep::Lost(fault) => MoveEnd::Failed(fault.clone()),
            };
            let told = Input::Moved { reservation: *reservation, task: *task, to: *to, end };
            Some((*input == told, "files-moved"))
        }
        ReservationEvent::Asked { .. }
        | ReservationEvent::Confirming { .. }
        | ReservationEvent::Held(_)
        | ReservationEvent::PartsDue { .. }
        | ReservationEvent::Rescheduled { .. }
        | ReservationEvent::Closed { .. } => None,
    }
}
