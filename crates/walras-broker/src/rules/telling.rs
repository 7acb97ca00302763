//! What there is to tell of a job's window.

use crate::model::job::{JobSpec, Planned};
use crate::model::state::State;
use crate::model::told::Told;
use walras_model::{Money, Span, Time};

impl State {
    /// How long a job runs where it is planned, and what that costs; `None` where a node is not known any more.
    pub fn lasting_and_cost(&self, spec: &JobSpec, plan: &Planned) -> Option<(Span, Money)> {
        let mut longest = Span::ZERO;
        let mut cost = Money::ZERO;
        for (node, rate) in &plan.places {
            let span = spec.request.work.runtime_on(self.node_spec(*node)?.performance)?;
            longest = longest.max(span);
            cost = cost.checked_add(rate.cost_of(span)?)?;
        }
        Some((longest, cost))
    }

    /// What a job's user knows of its window with this plan, who knew that before; the same where the plan is nothing to tell them.
    pub fn told_of(&self, now: Time, spec: &JobSpec, plan: &Planned, known: Option<Told>) -> Option<Told> {
        let (_, cost) = self.lasting_and_cost(spec, plan)?;
        Some(known.map_or_else(
            || Told::new(plan.start, cost),
            |known| known.followed_by(now, plan.start, cost).unwrap_or(known),
        ))
    }
}
