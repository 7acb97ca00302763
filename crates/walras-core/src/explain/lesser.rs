//! How much less of what a job asks of its nodes would give it a window.
//!
//! **Problem.** A job that asks for 16 GB a task may have no window where it would with 12: because no node has so much, because no part of a node
//! that is free has, or because the part that does is too dear.
//!
//! **Method.** Where an amount falls and all else stays, no task takes more of any node than before, none costs more, and every node that
//! fitted still does: so a bisection over the amounts at which anything changes finds the most that would do. These are, where a node counts the
//! resource, the amounts of its units, and the values of its attribute elsewhere. Of nodes that are sold in units, feasibility is looked for step by step, since other
//! amounts make other lanes. Where owners keep nodes for tasks that ask for so much of something, less than that loses these: so the
//! amounts are looked through part by part, from the most on, each from one such amount to the next.
//!
//! What no node counts is an attribute like any other, and no change is named for it. An amount that some node does not count and that must be met exactly does not become easier by falling, and is left alone.
//!
//! **Complexity.** A search for each step of a bisection, and one pass over the nodes, for each amount that is asked for.

use super::{Case, greatest};
use crate::search::has_window_on;
use std::collections::{BTreeMap, BTreeSet};
use walras_model::amount_asked;
use walras_model::attribute::{Requirement, Test, Value};
use walras_model::offer::Node;
use walras_model::quantity::{Fixed, MILLION};
use walras_model::request::Request;

impl Case<'_> {
    /// By what is asked for: the most below what the job asks that would give it a window, where there is any.
    pub(super) fn less_of_each(&self) -> BTreeMap<String, Fixed> {
        let all = self.request.requires.iter().enumerate();
        all.filter_map(|(place, it)| Some((it.attribute.clone(), self.less_of(place, it)?))).collect()
    }

    fn less_of(&self, place: usize, requirement: &Requirement) -> Option<Fixed> {
        let lesser = self.lesser_amounts(requirement)?;
        let mut end = lesser.len();
        for kept in self.kept_amounts(requirement).into_iter().rev().chain([None]) {
            let from = kept.map_or(0, |kept| lesser.partition_point(|amount| *amount < kept)).min(end);
            let part = &lesser[from..end];
            let at = |index: i64| usize::try_from(index).ok().and_then(|index| part.get(index)).copied();
            let fits = |index: i64| {
                let test = at(index).and_then(|amount| with_amount(&requirement.test, amount));
                test.is_some_and(|test| self.fits_with(place, test))
            };
            let last = i64::try_from(part.len()).ok()? - 1;
            if let Some(most) = greatest(0, last, fits).and_then(at) {
                return Some(most);
            }
            end = from;
        }
        None
    }

    /// The amounts below which some node has no place any more for who asks for this, the least first.
    fn kept_amounts(&self, requirement: &Requirement) -> Vec<Option<Fixed>> {
        let kept = |node: &Node| {
            let only_for = node.division.only_for()?;
            requirement.attribute.split('|').filter_map(|name| only_for.get(name)).min().copied()
        };
        let amounts: BTreeSet<u64> = self.sold.offers.nodes().iter().filter_map(kept).collect();
        let millionths = |amount: u64| i64::try_from(amount).ok()?.checked_mul(MILLION);
        amounts.into_iter().map(|it| millionths(it).map(Fixed::from_millionths)).collect()
    }

    /// Whether there is a window with another test in this place.
    fn fits_with(&self, place: usize, test: Test) -> bool {
        let Some(shared) = self.sold.shared else {
            return self.has_window(|request| request.requires[place].test = test);
        };
        let mut request = self.request.clone();
        request.requires[place].test = test;
        self.counting(|slots_read| has_window_on(shared, self.sold.offers, &request, self.config, slots_read))
    }

    /// The amounts below what is asked for at which any node changes what it says to it, the least first; `None` where less is not easier.
    fn lesser_amounts(&self, requirement: &Requirement) -> Option<Vec<Fixed>> {
        let own = amount_asked(&requirement.test)?;
        let must_be_counted = !matches!(requirement.test, Test::Range { .. });
        let mut counted: BTreeSet<(u64, u32)> = BTreeSet::new();
        let mut amounts: BTreeSet<Fixed> = BTreeSet::new();
        for node in self.sold.offers.nodes() {
            for name in requirement.attribute.split('|') {
                if let Some(amount) = node.division.resources().get(name) {
                    counted.insert((*amount, node.division.units()));
                } else if let Some(value) = stated(node, name) {
                    if must_be_counted {
                        return None;
                    }
                    amounts.insert(value);
                }
            }
        }
        if counted.is_empty() {
            return None;
        }
        for (amount, units) in counted {
            let unit = i64::try_from(amount / u64::from(units)).ok()?.checked_mul(MILLION)?;
            amounts.extend(
                (1..=i64::from(units)).map(|count| Fixed::from_millionths(unit.saturating_mul(count))),
            );
        }
        Some(amounts.into_iter().filter(|amount| *amount < own && amount.as_millionths() > 0).collect())
    }
}

/// Makes a request ask for another amount of this.
pub(crate) fn lessen(request: &mut Request, name: &str, amount: Fixed) {
    for requirement in request.requires.iter_mut().filter(|it| it.attribute == name) {
        if let Some(test) = with_amount(&requirement.test, amount) {
            requirement.test = test;
        }
    }
}

/// The number that a node says it has of something that it does not count.
fn stated(node: &Node, name: &str) -> Option<Fixed> {
    match node.attributes.get(name) {
        Some(Value::Number(number)) => Some(*number),
        Some(Value::Text(_) | Value::Flag(_)) | None => None,
    }
}

/// The same test for another amount; `None` where it names several, or none.
pub(super) fn with_amount(test: &Test, amount: Fixed) -> Option<Test> {
    match test {
        Test::Equals(Value::Number(_)) => Some(Test::Equals(Value::Number(amount))),
        Test::Range { min: Some(_), max } => Some(Test::Range { min: Some(amount), max: *max }),
        Test::Equals(Value::Text(_) | Value::Flag(_)) | Test::Range { min: None, .. } | Test::OneOf(_) => {
            None
        }
    }
}
