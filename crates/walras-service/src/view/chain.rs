//! Quotes for whole chains, as the API shows them.

use super::site_name;
use std::collections::BTreeSet;
use walras_api::sentence::{Context, MoneyLimit};
use walras_api::service::{ChainAfterView, ChainJobView, ChainView, FitView, Stamp, UnfitView};
use walras_api::{Num, ReasonKind};
use walras_broker::State;
use walras_broker::chain::{ChainQuote, QuotedMember};
use walras_broker::gate::Condition;
use walras_broker::id::QuoteNumber;
use walras_broker::job::JobSpec;
use walras_broker::quote::Findings;
use walras_model::{Money, SiteId, Time};

/// A quote for a chain.
pub fn chain_view(state: &State, number: QuoteNumber, quote: &ChainQuote) -> ChainView {
    let members = || quote.members.iter();
    ChainView {
        quote: Some(number.get()),
        until: Some(quote.until.into()),
        start: members().map(|it| it.window.start).min().map(Stamp::from),
        finish: members().map(|it| it.promise.finish).max().map(Stamp::from),
        price: Some(Num::of_money(quote.price())),
        jobs: members().map(|it| job_view(state, it)).collect(),
        unfit: None,
    }
}

fn job_view(state: &State, quoted: &QuotedMember) -> ChainJobView {
    let QuotedMember { member, plan, window, promise } = quoted;
    let nodes = plan.places.iter().filter_map(|(node, _)| state.node(*node));
    let sites: BTreeSet<SiteId> = nodes.map(|node| node.site).collect();
    let after = |(job, condition): &(u32, Condition)| ChainAfterView {
        job: *job,
        condition: condition.text().to_owned(),
    };
    ChainJobView {
        name: member.job.request.name.clone(),
        after: member.after.iter().map(after).collect(),
        start: window.start.into(),
        finish: window.finish.into(),
        start_by: promise.start.into(),
        finish_by: promise.finish.into(),
        price: Num::of_money(promise.cost),
        sites: sites.into_iter().map(|site| site_name(state, site)).collect(),
    }
}

/// A chain of which a job finds no window: why, and what would help.
pub fn unfit_view(
    state: &State,
    spec: &JobSpec,
    (place, from, before): (u32, Option<Time>, Money),
    findings: Option<&Findings>,
) -> ChainView {
    let mut why = findings.and_then(|it| it.why.clone()).unwrap_or_default();
    let limit = MoneyLimit::of(state, spec, &why);
    let context = Context::of_service(state).about(spec).limited(limit);
    let mut reasons: Vec<FitView> = why.reasons.iter().map(|it| context.fit_view(it)).collect();
    if limit == MoneyLimit::OfUser && before > Money::ZERO {
        // What its user has must pay those before it as well.
        for reason in reasons.iter_mut().filter(|reason| reason.kind == ReasonKind::BudgetTooSmall) {
            reason.text =
                format!("The jobs before it cost {}. {}", Num::of_money(before).credits(), reason.text);
        }
        why.smallest_change.budget = why.smallest_change.budget.map(|budget| budget + before);
    }
    let unfit = UnfitView {
        job: place,
        name: spec.request.name.clone(),
        from: from.map(Stamp::from),
        reasons,
        changes: context.change_views(&why.smallest_change),
    };
    ChainView {
        quote: None,
        until: None,
        start: None,
        finish: None,
        price: None,
        jobs: Vec::new(),
        unfit: Some(unfit),
    }
}
