//! What windows for a workflow are looked for on: nodes, or places on nodes that are sold in units.
//!
//! **Problem.** The tasks of a workflow take turns on what its window holds. Where a node is sold in units, a window needs no more of it than
//! the dearest of the tasks takes that the node can run, and may hold several such places on one node, side by side.
//!
//! **Method.** A place is a lane ([`crate::search`]) of as many units as the workflow's request takes of the node. Windows are searched on lanes
//! and told in terms of nodes. Where each place must be on a node of its own (gangs, and tasks that need different nodes), there is one
//! lane of a node, with the node's number.
//!
//! **Complexity.** That of making the lanes; nothing where all nodes are sold whole.

use crate::search::{Lanes, SearchConfig, SharedTime, find_window, lane_key};
use crate::slots::SlotList;
use std::borrow::Cow;
use walras_model::offer::Offers;
use walras_model::request::Request;
use walras_model::window::Window;

/// What is for sale, and what of it nobody has taken yet.
pub(crate) struct Unsold<'a> {
    offers: &'a Offers,
    free: Free,
}

enum Free {
    /// Of nodes that are all sold whole.
    Nodes(SlotList),
    Units(SharedTime),
}

impl<'a> Unsold<'a> {
    /// All that is for sale.
    pub(crate) fn new(offers: &'a Offers) -> Unsold<'a> {
        let free = match offers.is_divided() {
            true => Free::Units(SharedTime::new(offers)),
            false => Free::Nodes(SlotList::from_offers(offers)),
        };
        Unsold { offers, free }
    }

    /// Takes a window out, where it is free; whether it was.
    pub(crate) fn take(&mut self, window: &Window) -> bool {
        match &mut self.free {
            Free::Nodes(list) => list.subtract(window).is_ok(),
            Free::Units(shared) => {
                let holds = shared.holds(window);
                if holds {
                    shared.take(window);
                }
                holds
            }
        }
    }

    /// The places for a request, no more than so many of a node, and the same with one of each; `None` where there would be too many.
    pub(crate) fn places(&self, request: &Request, most: u32) -> Option<PlacesOf<'_>> {
        let shared = match &self.free {
            Free::Nodes(list) => {
                let any =
                    Places { offers: self.offers, list: Cow::Borrowed(list), lanes: None, one_each: true };
                return Some(PlacesOf { any, apart: None });
            }
            Free::Units(shared) => shared,
        };
        let (units, user, separate) = lane_key(self.offers, request);
        let on_lanes = |separate: bool| {
            let most = if separate { 1 } else { most };
            let lanes = Lanes::few(self.offers, shared, &(units.clone(), user, separate), most)?;
            let list = Cow::Owned(SlotList::from_offers(&lanes.offers));
            Some(Places { offers: self.offers, list, lanes: Some(lanes), one_each: separate })
        };
        let apart = if separate { None } else { Some(on_lanes(true)?) };
        Some(PlacesOf { any: on_lanes(separate)?, apart })
    }
}

/// The places for a workflow.
pub(crate) struct PlacesOf<'a> {
    any: Places<'a>,
    /// One of each node, where there are more.
    apart: Option<Places<'a>>,
}

impl<'a> PlacesOf<'a> {
    /// All of them, as many of a node as there may be.
    pub(crate) fn any(&self) -> &Places<'a> {
        &self.any
    }

    /// One of each node.
    pub(crate) fn apart(&self) -> &Places<'a> {
        self.apart.as_ref().unwrap_or(&self.any)
    }
}

/// Places on nodes, and when they are free.
pub(crate) struct Places<'a> {
    offers: &'a Offers,
    list: Cow<'a, SlotList>,
    lanes: Option<Lanes>,
    /// Whether every node has one, with its number.
    pub(crate) one_each: bool,
}

impl Places<'_> {
    /// What the searches see.
    pub(crate) fn seen(&self) -> &Offers {
        self.lanes.as_ref().map_or(self.offers, |lanes| &lanes.offers)
    }

    /// When they are free.
    pub(crate) fn list(&self) -> &SlotList {
        &self.list
    }

    /// Whether they are parts of nodes.
    pub(crate) fn are_parts(&self) -> bool {
        self.lanes.is_some()
    }

    /// The first window on what a list has left of them.
    pub(crate) fn window(&self, left: &SlotList, asked: &Request, config: &SearchConfig) -> Option<Window> {
        find_window(left, self.seen(), asked, config).found()
    }

    /// A window of them, told in terms of nodes.
    pub(crate) fn told<'w>(&self, window: &'w Window) -> Cow<'w, Window> {
        let Some(lanes) = &self.lanes else { return Cow::Borrowed(window) };
        let told = lanes.told(window);
        assert!(told.is_some(), "a window on lanes is one on their nodes");
        told.map_or(Cow::Borrowed(window), Cow::Owned)
    }
}
