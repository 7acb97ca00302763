//! What the next plan would do with a job, as the API shows it.

use super::site_name;
use walras_api::Num;
use walras_api::sentence::{Context, MoneyLimit};
use walras_api::service::OutlookView;
use walras_broker::State;
use walras_broker::allocation::Allocation;
use walras_broker::fitting::fitting;
use walras_broker::foreseen::{Foreseen, awaited};
use walras_broker::job::JobSpec;
use walras_broker::quote::Findings;
use walras_core::agenda::Worth;
use walras_core::choose::Objective;
use walras_model::Time;

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
        None if state.policy.choice.objective == Objective::MinCost => {
            (i128::from(it.cost().as_micros()), it.finish())
        }
        None => (i128::from(loss), it.start()),
    };
    let best = findings.allocations.iter().min_by_key(|(it, loss)| (score(it, *loss), it.cost()));
    if let Some((best, _)) = best {
        let rest = Rest::of(state, spec, best).filter(|_| *foreseen != Foreseen::Unknown);
        return OutlookView {
            last_finish: rest.map(|rest| rest.finish.into()),
            in_time: rest.and_then(|rest| rest.in_time),
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

/// What can be said of the elements after the first, without planning them.
#[derive(Clone, Copy)]
struct Rest {
    /// When the last would have ended, at the earliest.
    finish: Time,
    /// How many could have ended by the deadline, where that is not all of them.
    in_time: Option<u32>,
}

impl Rest {
    /// By how long the first takes, and how many may run at once on all nodes that fit, whoever else may want them. Nothing where a queue
    /// does not say how many it has.
    fn of(state: &State, spec: &JobSpec, first: &Allocation) -> Option<Rest> {
        let array = spec.array.as_ref()?;
        // Tasks of one element are on nodes of their own, and those of others beside them.
        let mut any = spec.clone();
        any.request.scope.separate_nodes = false;
        let fits: Option<Vec<u32>> = fitting(state, &any).iter().map(|it| it.nodes).collect();
        let nodes: u64 = fits?.into_iter().map(u64::from).sum();
        let at_once = (nodes / u64::from(spec.request.tasks.max(1))).max(1);
        let at_once = at_once.min(array.limit().map_or(u64::MAX, u64::from));
        let count = u64::from(array.count());
        let takes = u64::try_from(first.finish() - first.start()).ok().filter(|takes| *takes > 0)?;
        let turns = count.div_ceil(at_once);
        let whole = i64::try_from(turns.checked_mul(takes)?).ok()?;
        let finish = Time::from_millis(first.start().as_millis().checked_add(whole)?)?;
        let in_time = spec.request.deadline.map(|deadline| {
            let room = u64::try_from(deadline - first.start()).unwrap_or(0);
            (room / takes).saturating_mul(at_once).min(count)
        });
        let in_time = in_time.filter(|most| *most < count).and_then(|most| u32::try_from(most).ok());
        Some(Rest { finish, in_time })
    }
}
