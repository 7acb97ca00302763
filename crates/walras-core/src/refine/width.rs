//! How many nodes are tried for a workflow: every number up to six, and from then on each about a third more than the one before.

use walras_model::offer::Offers;
use walras_model::workflow::Workflow;

/// As many nodes as a workflow has tasks for side by side, and as there are.
pub(super) fn most_nodes(workflow: &Workflow, offers: &Offers) -> u32 {
    u32::try_from(workflow.width().min(offers.nodes().len())).unwrap_or(u32::MAX)
}

/// The same of places on nodes, of which one that is sold in units has no more than these.
pub(super) fn most_places(workflow: &Workflow, offers: &Offers) -> u32 {
    let units = offers.nodes().iter().map(|node| node.division.units()).fold(0, u32::saturating_add);
    u32::try_from(workflow.width()).unwrap_or(u32::MAX).min(units)
}

/// Numbers of nodes worth trying: 1, 2, 3, 4, 5, 6, 8, 10 … up to `most`, which is always there.
pub(super) fn widths(most: u32) -> Vec<u32> {
    let mut widths = Vec::new();
    let mut next = 1_u32;
    while next < most {
        widths.push(next);
        next = next.saturating_add((next / 3).max(1));
    }
    widths.push(most.max(1));
    widths
}

/// The same for a workflow with tasks that take several nodes: no fewer than the widest of them takes.
pub(super) fn widths_of_gangs(workflow: &Workflow, mut widths: Vec<u32>, most: u32) -> Vec<u32> {
    let widest = workflow.widest();
    if widest > 1 {
        widths.iter_mut().for_each(|width| *width = (*width).max(widest));
        widths.retain(|width| *width <= most);
        widths.dedup();
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_grow_by_a_third() {
        assert_eq!(widths(1), [1]);
        assert_eq!(widths(7), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(widths(20), [1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 20]);
    }
}
