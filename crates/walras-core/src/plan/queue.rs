//! What a job may expect of a queue.

use crate::prefer::QueueOffer;
use walras_model::interval::Interval;
use walras_model::quantity::{Money, Time};
use walras_model::request::Request;

impl QueueOffer {
    /// When a job that joins now is expected to run, and what each of its tasks is expected to cost.
    pub fn expected(&self, request: &Request, now: Time) -> Option<(Interval, Money)> {
        let runtime = request.work.runtime_on(self.performance)?;
        let start = now.checked_add(self.wait)?.max(request.earliest.unwrap_or(now));
        let interval = Interval::new(start, start.checked_add(runtime)?)?;
        Some((interval, self.rate.cost_of(runtime)?))
    }
}
