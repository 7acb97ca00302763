//! What people have changed, one clause each: it goes behind the name of whoever did it.

#![deny(
    clippy::wildcard_enum_match_arm,
    reason = "a new input must not compile until it is clear how the log tells of it"
)]

use super::{Context, account_text, counted, spender_text};
use crate::number::Num;
use crate::service::{Stamp, TokenView};
use walras_broker::Input;
use walras_broker::wish::Wisher;
use walras_model::{Interval, NodeId, SiteId, Time};

impl Context<'_> {
    /// What somebody has done.
    pub fn act(&self, input: &Input) -> String {
        match input {
            Input::SetPolicy(_) => "set the VO's rules".to_owned(),
            Input::SetUser(user) => {
                let group = user.group.as_ref().map_or_else(String::new, |group| format!(", group {group}"));
                let lowest = Num::of_money(user.lowest);
                format!("set user {}: share {}{group}, lowest {lowest}", user.name, user.share)
            }
            Input::AddSite(site) => format!("added site {} of {}", site.name, site.owner),
            Input::ChangeSite { site, .. } => format!("changed site {}", self.site(*site)),
            Input::RemoveSite(site) => format!("told site {} to leave", self.site(*site)),
            Input::SetPrices { site, .. } => format!("set the prices of site {}", self.site(*site)),
            Input::Drain { site, nodes, interval } => {
                format!("drained {} {}", self.some_nodes(*site, nodes), during(*interval))
            }
            Input::Resume { site, nodes } => format!("resumed {}", self.some_nodes(*site, nodes)),
            Input::Reclaim { site, nodes, interval } => {
                format!("reclaimed {} {}", self.some_nodes(*site, nodes), during(*interval))
            }
            Input::SetBudget { spender, budget: None } => {
                format!("lifted the budget of {}", spender_text(spender))
            }
            Input::SetBudget { spender, budget: Some(budget) } => {
                let (amount, period) = (Num::of_money(budget.amount), Num::of_span(budget.period));
                format!("limited {} to {amount} credits in {period} s", spender_text(spender))
            }
            Input::SetWish { of, wish } => {
                let whose = match of {
                    Wisher::Owner(site) => format!("of site {}", self.site(*site)),
                    Wisher::Administrator => "of the administrator".to_owned(),
                };
                let verb = if wish.is_some() { "set" } else { "removed" };
                format!("{verb} the preferences {whose}")
            }
            Input::Deposit { account, amount, .. } => {
                format!("paid {} credits into {}", Num::of_money(*amount), account_text(account))
            }
            Input::CycleNow => "asked for a plan at once".to_owned(),
            Input::Submit { .. } => "submitted a job".to_owned(),
            Input::AskQuote { .. } => "asked for a quote".to_owned(),
            Input::AskChain { .. } => "asked for a quote for a chain".to_owned(),
            Input::Accept { quote, .. } => format!("accepted quote {}", quote.get()),
            Input::Release { job, .. } => format!("released job {}", job.get()),
            Input::CancelJob { job, .. } => format!("cancelled job {}", job.get()),
            Input::CancelElements { array, elements, .. } => {
                format!("cancelled {} of array {}", counted(elements.len(), "element"), array.get())
            }
            Input::Site { site, .. } => format!("heard of site {}", self.site(*site)),
            Input::Decided { .. } => "planned".to_owned(),
            Input::Bounded { .. } => "worked out what no plan could beat".to_owned(),
            Input::Moved { .. } => "brought files".to_owned(),
            Input::Noticed(_) => "told a user".to_owned(),
            Input::ServiceBack => "listened to the sites again".to_owned(),
            Input::Tick => "looked at the clock".to_owned(),
        }
    }

    fn some_nodes(&self, site: SiteId, nodes: &[NodeId]) -> String {
        /// So many nodes are named.
        const NAMED: usize = 8;
        match nodes {
            [] => format!("site {}", self.site(site)),
            few if few.len() <= NAMED => {
                let names: Vec<String> = few.iter().map(|node| self.node(*node)).collect();
                names.join(", ")
            }
            many => format!("{} nodes of site {}", many.len(), self.site(site)),
        }
    }
}

fn during(interval: Interval) -> String {
    let from = Stamp::from(interval.start());
    match interval.end() < Time::MAX {
        true => format!("from {from} until {}", Stamp::from(interval.end())),
        false => format!("from {from} on"),
    }
}

/// That somebody has made a token.
pub fn token_made_text(token: &TokenView) -> String {
    format!("made token {} for {} {}", token.token, token.role.text(), token.name)
}

/// That somebody has revoked one.
pub fn token_revoked_text(token: &TokenView) -> String {
    format!("revoked token {} of {} {}", token.token, token.role.text(), token.name)
}
