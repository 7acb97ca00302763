//! Offers with nodes that are sold in units.

use super::{Node, Offers, OffersError, Slot};
use std::borrow::Cow;
use std::sync::Arc;

impl Offers {
    /// Whether a node is sold in units.
    pub fn is_divided(&self) -> bool {
        self.nodes.iter().any(|node| node.division.is_divided())
    }

    /// These offers with every node for sale as a whole, or not at all: what is left where all units of it are free.
    pub fn whole(&self) -> Cow<'_, Offers> {
        if !self.is_divided() {
            return Cow::Borrowed(self);
        }
        let is_whole = |slot: &&Slot| slot.units == self.nodes[slot.node.index()].division.units();
        if self.slots.iter().all(|slot| is_whole(&slot)) {
            return Cow::Borrowed(self);
        }
        let slots = self.slots.iter().filter(is_whole).copied().collect();
        Cow::Owned(Offers { slots, ..self.clone() })
    }

    /// The same offers with other nodes and slots in their place, for the same sites and users.
    pub fn with_nodes(&self, nodes: Vec<Node>, slots: Vec<Slot>) -> Result<Offers, OffersError> {
        let mut offers = Offers::of_known(self.horizon, Arc::clone(&self.sites), Arc::new(nodes), slots)?;
        offers.capacities.clone_from(&self.capacities);
        offers.capacity_of_site.clone_from(&self.capacity_of_site);
        Ok(offers)
    }
}
