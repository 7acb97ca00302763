//! Who can pay: the least that a job can cost, against what its user has left.
//!
//! **Problem.** A job that its user cannot pay is planned in vain, and takes a place from one that could be.
//!
//! **Method.** A bound from below: all of the work, at the least price for work that any node has in any hour. A parallel job pays for the
//! units that its tasks take of a node that is sold in units, a workflow for what all of its tasks take at least. What costs more than the user has beside what is
//! promised cannot be paid, whatever a plan finds.
//!
//! **Complexity.** O(nodes) once, and O(d log d) for d kinds of nodes that are sold in units; O(1) for a parallel job where there are none,
//! O(d) at most where there are, and O(tasks) for a workflow.

use super::budgets::{self, funds};
use crate::model::account::{Account, Unpayable};
use crate::model::job::{Job, Why};
use crate::model::site::{NodeSpec, SiteKind};
use crate::model::state::{SiteState, State};
use std::collections::BTreeMap;
use walras_model::division::price_of_units;
use walras_model::quantity::{MILLION, rounding};
use walras_model::{Money, Performance, Rate, TaskId, Time};

/// What everybody can pay at a moment.
pub(crate) struct Means<'a> {
    state: &'a State,
    now: Time,
    committed: BTreeMap<&'a str, Money>,
    /// Of those that are sold whole.
    undivided: Option<Price>,
    /// Those that are sold in units, by the price of work on one unit.
    divided: Vec<(Price, &'a NodeSpec)>,
}

/// What a node costs at least, and how fast it is.
#[derive(Clone, Copy)]
struct Price {
    rate: Rate,
    performance: Performance,
}

/// Where a job costs least: the price of what a task takes there, and which part of a node that is.
struct Cheapest {
    price: Price,
    units: u32,
    of: u32,
}

impl Price {
    /// For work: the price over the performance, multiplied out.
    fn of_work(&self) -> i128 {
        let work = i128::from(self.rate.as_micros_per_second()) * i128::from(MILLION);
        rounding::down(work * i128::from(MILLION), i128::from(self.performance.as_millionths()))
    }

    /// The same of so many units.
    fn of_units(self, units: u32, of: u32) -> Price {
        Price { rate: price_of_units(self.rate, units, of), ..self }
    }
}

impl<'a> Means<'a> {
    pub(crate) fn of(state: &'a State, now: Time) -> Means<'a> {
        let prices = || state.sites.iter().filter(|site| site.sells()).flat_map(prices);
        let is_divided = |node: &Option<&NodeSpec>| node.is_some_and(|node| node.division.is_divided());
        let least = |all: &mut dyn Iterator<Item = Price>| all.min_by_key(Price::of_work);
        let undivided = least(&mut prices().filter(|(_, node)| !is_divided(node)).map(|(price, _)| price));
        let mut divided: Vec<(Price, &NodeSpec)> = prices()
            .filter_map(|(price, node)| node.filter(|node| node.division.is_divided()).map(|it| (price, it)))
            .collect();
        divided.sort_by_key(|(price, node)| price.of_units(1, node.division.units()).of_work());
        Means { state, now, committed: state.committed(), undivided, divided }
    }

    /// What a user can spend beside what is promised.
    pub(crate) fn left(&self, user: &str) -> Money {
        self.state.unpromised(user, self.now, &self.committed)
    }

    /// Where a job costs least.
    fn cheapest(&self, job: &Job) -> Option<Cheapest> {
        let whole = |price: Price| Cheapest { price, units: 1, of: 1 };
        let mut best = self.undivided.map(whole);
        for (price, node) in &self.divided {
            let of = node.division.units();
            let dearer = |price: Price, than: &Cheapest| price.of_work() >= than.price.of_work();
            // Nobody takes less than one unit, and those that follow have none for less.
            if best.as_ref().is_some_and(|best| dearer(price.of_units(1, of), best)) {
                break;
            }
            let units = match job.spec.workflow {
                // A place for its tasks takes no less, whatever each of them needs beside.
                Some(_) => node.division.units_of_all(&job.spec.request.requires, &node.attributes),
                None => node.units_needed(&job.spec.request),
            };
            let Some(units) = units else { continue };
            let price = price.of_units(units, of);
            if !best.as_ref().is_some_and(|best| dearer(price, best)) {
                best = Some(Cheapest { price, units, of });
            }
        }
        best
    }

    /// Time on nodes of a job where it costs least, as if all nodes had performance 1: of a node that is sold in units, its part of that.
    pub(crate) fn node_millis(&self, job: &Job) -> i128 {
        let work = job.spec.work_millis();
        self.cheapest(job).map_or(work, |it| rounding::up(work.saturating_mul(it.units.into()), it.of.into()))
    }

    /// The least that what is left of a job can cost.
    pub(crate) fn least(&self, job: &Job) -> Money {
        let Some(Cheapest { price: Price { rate, performance }, .. }) = self.cheapest(job) else {
            return Money::ZERO;
        };
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

/// The least price of each kind of a site's nodes in any hour, and a node of it; none of a queue.
fn prices(site: &SiteState) -> Vec<(Price, Option<&NodeSpec>)> {
    let rules = &site.spec.prices;
    let price = |base: Rate, performance| Price { rate: rules.least_rate(base, site.demand), performance };
    match &site.spec.kind {
        SiteKind::Queue(queue) => vec![(price(rules.least_of("", None), queue.performance), None)],
        SiteKind::Slots | SiteKind::Capacity => {
            let node =
                |node: &NodeSpec| price(rules.least_of(&node.name, node.class.as_deref()), node.performance);
            // Neighbours that are alike have one price; what a task takes of them is the same where their units and attributes are.
            let alike = |one: &NodeSpec, other: &NodeSpec| {
                let sold_alike = one.division == other.division
                    && (!one.division.is_divided() || one.attributes == other.attributes);
                rules.nodes.is_empty()
                    && one.class == other.class
                    && one.performance == other.performance
                    && sold_alike
            };
            let kinds = site.spec.nodes.chunk_by(alike).filter_map(|alike| alike.first());
            kinds.map(|kind| (node(kind), Some(kind))).collect()
        }
    }
}
