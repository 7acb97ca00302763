//! Who can pay: the least that a job can cost, against what its user has left.
//!
//! **Problem.** A job that its user cannot pay is planned in vain, and takes a place from one that could be.
//!
//! **Method.** A bound from below: all of the work, at the least price for work that any node has in any hour. What costs
//! more than the user has beside what is promised cannot be paid, whatever a plan finds.
//!
//! **Complexity.** O(nodes) once, O(1) for a parallel job and O(tasks) for a workflow.

use super::budgets::{self, funds};
use crate::model::account::{Account, Unpayable};
use crate::model::job::{Job, Why};
use crate::model::site::{NodeSpec, SiteKind};
use crate::model::state::{SiteState, State};
use std::collections::BTreeMap;
use walras_model::quantity::{MILLION, rounding};
use walras_model::{Money, Performance, Rate, TaskId, Time};

/// What everybody can pay at a moment.
pub(crate) struct Means<'a> {
    state: &'a State,
    now: Time,
    committed: BTreeMap<&'a str, Money>,
    cheapest: Option<(Rate, Performance)>,
}

impl<'a> Means<'a> {
    pub(crate) fn of(state: &'a State, now: Time) -> Means<'a> {
        let all = state.sites.iter().filter(|site| site.sells()).flat_map(prices);
        // The least price for work: prices over performances, multiplied out.
        let cheapest = all.min_by_key(|(rate, performance)| {
            let work = i128::from(rate.as_micros_per_second()) * i128::from(MILLION);
            rounding::down(work * i128::from(MILLION), i128::from(performance.as_millionths()))
        });
        Means { state, now, committed: state.committed(), cheapest }
    }

    /// What a user can spend beside what is promised.
    pub(crate) fn left(&self, user: &str) -> Money {
        self.state.unpromised(user, self.now, &self.committed)
    }

    /// The least that what is left of a job can cost.
    pub(crate) fn least(&self, job: &Job) -> Money {
        let Some((rate, performance)) = self.cheapest else { return Money::ZERO };
        let millis = work_left(job).checked_mul(i128::from(MILLION));
        let millis = millis.map(|work| rounding::down(work, i128::from(performance.as_millionths())));
        let micros = millis.and_then(|millis| i128::from(rate.as_micros_per_second()).checked_mul(millis));
        let micros = micros.map(|micros| rounding::down(micros, 1_000));
        // A bound from below: what costs more than can be counted costs no less than the end of the range, which nobody has.
        micros.and_then(|micros| i64::try_from(micros).ok()).map_or(Money::MAX, Money::from_micros)
    }

    /// Why a user cannot pay an amount, where that is so.
    pub(crate) fn unpayable(&self, user: &str, needed: Money) -> Option<Why> {
        let available = self.left(user);
        if needed <= available {
            return None;
        }
        let account = Account::User(user.to_owned());
        // What is short is named: a budget, if the account alone would do.
        let of_account = self.state.books.available(&account);
        let over = budgets::check(self.state, user, self.now, needed).err();
        let spent = funds(self.state, user, self.now) < of_account;
        Some(match over.filter(|_| spent) {
            Some(over) => Why::OverBudget(over),
            None => Why::NoMoney(Unpayable::Short { account, available, needed }),
        })
    }
}

/// The work that is left of a job, in milliseconds at performance 1; less where tasks say how long they take.
fn work_left(job: &Job) -> i128 {
    let Some(of) = &job.spec.workflow else { return job.spec.work_millis() };
    let tasks = of.workflow.tasks().iter().enumerate();
    let left = tasks.filter(|(place, task)| {
        let done = TaskId::from_index(*place).is_some_and(|task| job.done.contains(&task));
        task.estimates.is_empty() && !done
    });
    left.filter_map(|(_, task)| task.work).map(|work| i128::from(work.as_millis())).sum()
}

/// The least price of each of a site's nodes in any hour, with its performance.
fn prices(site: &SiteState) -> Vec<(Rate, Performance)> {
    let rules = &site.spec.prices;
    let least = |base: Rate| rules.least_rate(base, site.demand);
    match &site.spec.kind {
        SiteKind::Queue(queue) => vec![(least(rules.least_of("", None)), queue.performance)],
        SiteKind::Slots | SiteKind::Capacity => {
            let node = |node: &NodeSpec| {
                (least(rules.least_of(&node.name, node.class.as_deref())), node.performance)
            };
            // Neighbours that are alike have one price.
            let alike = |one: &NodeSpec, other: &NodeSpec| {
                rules.nodes.is_empty() && one.class == other.class && one.performance == other.performance
            };
            site.spec.nodes.chunk_by(alike).filter_map(|alike| alike.first()).map(node).collect()
        }
    }
}
