//! Whether what is held for a workflow is what its tasks need, free, and at its price.
//!
//! O(h² + h · p) for h holds and p pieces of free time of their nodes.

use super::market::Piece;
use crate::model::allocation::Allocation;
use crate::model::mismatch::Mismatch;
use crate::model::state::State;
use std::collections::BTreeSet;
use walras_model::division::price_of_units;
use walras_model::{Interval, NodeId, Rate, Request, Workflow};

/// Every hold of a workflow must have the units of its node that the dearest of its tasks needs, within free time that has as many for all of its
/// holds there, at their price; gangs have no two on one node.
pub(super) fn holds<'p>(
    state: &State,
    (request, workflow): (&Request, &Workflow),
    allocation: &Allocation,
    pieces: impl Fn(NodeId) -> &'p [Piece],
) -> Vec<Mismatch> {
    let mut wrong = Vec::new();
    let mut request = request.clone();
    workflow.ask_in(&mut request.scope);
    let mut seen = BTreeSet::new();
    for (_, hold) in allocation.holds() {
        let Some(node) = hold.node else { continue };
        let Some(spec) = state.node_spec(node) else { continue };
        let of = spec.division.units();
        let beside = allocation.holds().map(|(_, it)| it).filter(|it| it.node == Some(node));
        let beside = beside.filter(|it| it.interval.overlaps(hold.interval)).map(|it| it.units);
        let all = beside.fold(0, u32::saturating_add);
        let mut rates = free_at(pieces(node), hold.interval, (all, of))
            .into_iter()
            .map(|rate| price_of_units(rate, hold.units, of));
        // A node that has become another is told by those who look at nodes.
        let expected = spec.division.units_needed(&request, &spec.attributes).unwrap_or(hold.units);
        let asked = rates.clone().next();
        let again = !seen.insert(node);
        if again && (request.scope.separate_nodes || of == 1) {
            wrong.push(Mismatch::NodeTwice(node));
        } else if hold.units != expected {
            wrong.push(Mismatch::WrongUnits { node, held: hold.units, expected });
        } else if !rates.any(|rate| rate == hold.rate) {
            let now = asked.and_then(|rate| rate.cost_of(hold.interval.span()));
            wrong.push(match now {
                Some(now) => Mismatch::PriceChanged { node, was: hold.cost, now },
                None => Mismatch::NotFree { node, interval: hold.interval },
            });
        }
    }
    wrong
}

/// The prices at which so many units are free for all of some time, of so many; several where a node that is sold whole is for sale twice. Time of a node
/// in units that goes on at one price is one.
fn free_at(pieces: &[Piece], interval: Interval, (units, of): (u32, u32)) -> Vec<Rate> {
    let enough = |it: &&Piece| it.units >= units;
    if of == 1 {
        let contains = |it: &&Piece| it.interval.contains(interval);
        return pieces.iter().filter(enough).filter(contains).map(|it| it.rate).collect();
    }
    let mut run: Option<(Interval, Rate)> = None;
    let mut found = Vec::new();
    for piece in pieces.iter().filter(enough) {
        let joined = run.filter(|(time, rate)| (time.end(), *rate) == (piece.interval.start(), piece.rate));
        let begin = joined.map_or(piece.interval.start(), |(time, _)| time.start());
        run = Interval::new(begin, piece.interval.end()).map(|time| (time, piece.rate));
        found.extend(run.filter(|(time, _)| time.contains(interval)).map(|(_, rate)| rate));
    }
    found.dedup();
    found
}
