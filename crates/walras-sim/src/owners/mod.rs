//! What owners use of their own nodes in a simulation: the same moments under every policy, drawn from a seed or as it was.

mod seen;

pub use seen::Seen;

use std::sync::Arc;
use walras_model::{Interval, NodeId, Share, Span};
use walras_sites::simulated::Load;

/// When owners use their nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owners {
    /// At moments that are drawn from a seed.
    Drawn(OwnerLoad),
    /// As they did: by site and by node there, each in order and apart.
    Recorded(Arc<[Vec<Vec<Interval>>]>),
}

/// How much of their nodes owners use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnerLoad {
    /// The share of all time.
    pub share: Share,
    /// The mean length of a use.
    pub mean: Span,
}

impl Owners {
    /// What the owner of a site uses, by the site's place and the number of its first node; `None` where that is nothing.
    pub(crate) fn of_site(&self, seed: u64, place: usize, first: u32) -> Option<Uses> {
        match self {
            Owners::Drawn(OwnerLoad { share, mean }) => {
                Load::new(seed.wrapping_add(place as u64), *share, *mean).map(Uses::Drawn)
            }
            Owners::Recorded(all) => {
                let any = all.get(place)?.iter().any(|uses| !uses.is_empty());
                any.then(|| Uses::Recorded { all: all.clone(), place, first })
            }
        }
    }
}

/// What the owner of one site uses.
#[derive(Clone, Debug)]
pub(crate) enum Uses {
    /// A function of a seed and of time.
    Drawn(Load),
    /// What was, of a site by its place, whose first node has that number.
    Recorded { all: Arc<[Vec<Vec<Interval>>]>, place: usize, first: u32 },
}

impl Uses {
    /// When the owner uses a node, as far as it touches an interval, in order.
    pub(crate) fn of(&self, node: NodeId, within: Interval) -> Vec<Interval> {
        match self {
            Uses::Drawn(load) => load.of(node, within),
            Uses::Recorded { all, place, first } => {
                let number =
                    node.number().checked_sub(*first).and_then(|number| usize::try_from(number).ok());
                let uses =
                    number.and_then(|number| all.get(*place)?.get(number)).map_or(&[][..], Vec::as_slice);
                let later = uses.partition_point(|used| used.end() <= within.start());
                uses[later..].iter().take_while(|used| used.start() < within.end()).copied().collect()
            }
        }
    }

    /// Once in so much time the owner uses each node, where that is known.
    pub(crate) fn period(&self) -> Option<Span> {
        match self {
            Uses::Drawn(load) => Some(load.period()),
            Uses::Recorded { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::Time;

    fn interval(from: i64, to: i64) -> Interval {
        Interval::new(Time::from_millis(from).unwrap(), Time::from_millis(to).unwrap()).unwrap()
    }

    #[test]
    fn what_was_recorded_is_found_by_node_and_time() {
        let uses = vec![interval(10, 20), interval(30, 40), interval(50, 60)];
        let all: Arc<[Vec<Vec<Interval>>]> = vec![vec![vec![]], vec![vec![], uses.clone()]].into();
        let owners = Owners::Recorded(all);
        assert!(owners.of_site(1, 0, 0).is_none() && owners.of_site(1, 2, 9).is_none());
        let of = owners.of_site(1, 1, 1).unwrap();
        assert_eq!(of.of(NodeId::new(2), interval(20, 51)), uses[1..]);
        assert_eq!(of.of(NodeId::new(2), interval(15, 30)), uses[..1]);
        assert!(of.of(NodeId::new(1), interval(0, 99)).is_empty());
        assert!(of.of(NodeId::new(0), interval(0, 99)).is_empty());
    }
}
