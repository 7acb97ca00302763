//! Why a job of a batch has no window, on what is left for it.
//!
//! **Problem.** Nodes that are sold in units are searched step by step, and explained on lanes, where every search is at hand.
//!
//! **Method.** Lanes of the job's kind are made when somebody without a window asks, and kept until somebody finds one, since jobs of a kind often fail together.

use super::super::view::View;
use super::{LimitHit, Run};
use crate::explain::{Sold, explain_counting};
use crate::slots::SlotList;
use walras_model::id::JobId;
use walras_model::{Explanation, Reason};

impl Run<'_> {
    pub(super) fn explanation(&mut self, job: JobId) -> Explanation {
        let problem = self.problems.of(job);
        let config = problem.config_of(job);
        if self.explanation_slots > config.limits.explanation_slots_max {
            self.result.limits_hit.insert(LimitHit::Explanations);
            return not_examined();
        }
        if let Some(steps) = &problem.steps {
            // What is free is the same until somebody finds a window.
            let now = (steps.kind_of(job), self.result.found.len());
            if self.lanes_now.as_ref().is_none_or(|(known, ..)| *known != now) {
                self.lanes_now = steps.lanes(job).map(|(lanes, list)| (now, lanes, list));
            }
        }
        let (offers, list) = match (&problem.steps, &self.lanes_now) {
            (None, _) => (problem.offers, &problem.list),
            (Some(_), Some((_, lanes, list))) => (&lanes.offers, list),
            (Some(_), None) => return not_examined(),
        };
        let request = problem.batch.request(job);
        let whole = self.shared.is_none();
        let shared = match &problem.steps {
            Some(steps) => Some(&steps.shared),
            None => self.shared.as_ref().map(|(shared, _)| shared),
        };
        let on = (offers, Sold { offers: self.sold, whole, shared });
        let mut explanation = explain_counting(list, on, request, config, &mut self.explanation_slots);
        if !self.result.found.is_empty() {
            let view = View::new(problem.offers, request, &config.algorithm, config.budget_factor);
            let had_window = match (&problem.steps, &self.shared) {
                (Some(steps), Some((before, _))) => {
                    steps.earliest_on(before, job, &view, &mut self.explanation_slots).is_some()
                }
                _ => {
                    let place = self.problems.place_of(job);
                    let untouched =
                        self.untouched.entry(place).or_insert_with(|| SlotList::from_offers(offers));
                    super::super::has_window(untouched, &view, &mut self.explanation_slots)
                }
            };
            if had_window {
                explanation.reasons.push(Reason::TakenByOthers);
            }
        }
        explanation
    }
}

/// What is said of a job that was not looked at.
pub(super) fn not_examined() -> Explanation {
    Explanation { reasons: vec![Reason::NotExamined], ..Explanation::default() }
}
