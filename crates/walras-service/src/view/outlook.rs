//! What the next plan would do with a job, as the API shows it.

use super::site_name;
use walras_api::Num;
use walras_api::sentence::{Context, MoneyLimit};
use walras_api::service::OutlookView;
use walras_broker::State;
use walras_broker::allocation::Allocation;
use walras_broker::foreseen::{Foreseen, awaited};
use walras_broker::job::JobSpec;
use walras_broker::quote::Findings;
use walras_core::agenda::Worth;

/// Of what was found for a job, what a plan would choose: by what a delay is worth to it, or else what suits it best; or why there is
/// nothing. Without findings nobody knows what is free. Of a job that waits for others, and nobody knows how long, no times are said.
pub fn outlook_view(
    state: &State,
    spec: &JobSpec,
    findings: Option<&Findings>,
    worth: Option<Worth>,
    foreseen: &Foreseen,
) -> OutlookView {
    let waited = awaited(state, spec);
    let failing = waited.iter().filter(|(_, fails)| **fails);
    let known = OutlookView {
        failing: failing.map(|(which, _)| which.to_string()).collect(),
        after: waited.keys().map(ToString::to_string).collect(),
        elements: spec.array.as_ref().map(|array| array.count()),
        ..OutlookView::default()
    };
    let Some(findings) = findings else { return known };
    let score = |it: &Allocation, loss: i64| match worth {
        Some(worth) => (worth.score_of(it.cost(), it.finish()), it.finish()),
        None => (i128::from(loss), it.start()),
    };
    let best = findings.allocations.iter().min_by_key(|(it, loss)| (score(it, *loss), it.cost()));
    if let Some((best, _)) = best {
        return OutlookView {
            start: Some(best.start().into()).filter(|_| *foreseen != Foreseen::Unknown),
            finish: Some(best.finish().into()).filter(|_| *foreseen != Foreseen::Unknown),
            price: Some(Num::of_money(best.cost())),
            sites: best.legs.iter().map(|leg| site_name(state, leg.site)).collect(),
            ..known
        };
    }
    let why = findings.why.clone().unwrap_or_default();
    let context = Context::of_service(state).about(spec).limited(MoneyLimit::of(state, spec, &why));
    OutlookView {
        reasons: why.reasons.iter().map(|it| context.fit_view(it)).collect(),
        changes: context.change_views(&why.smallest_change),
        ..known
    }
}
