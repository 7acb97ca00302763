//! What goes wrong at a site: nodes fail, owners need them, all of it fails.

use super::{SimulatedNode, SimulatedSite};
use crate::contract::{Hold, PartEnd, SiteError, SiteMessage};
use crate::reported::Report;
use crate::store::Store;
use walras_model::{Interval, NodeId, Time};

impl<S: Store> SimulatedSite<S> {
    fn node_mut(&mut self, id: NodeId) -> Result<&mut SimulatedNode, SiteError> {
        let nodes = &mut self.health.nodes;
        let Some(place) = nodes.iter().position(|node| node.id == id) else {
            let known = nodes.iter().map(|node| node.id.number().to_string()).collect();
            return Err(SiteError::UnknownNode { name: id.number().to_string(), known });
        };
        Ok(&mut nodes[place])
    }

    /// A node fails: what runs on it is lost. No news when it had failed before.
    pub fn lose_node(&mut self, now: Time, id: NodeId) -> Result<Option<SiteMessage>, SiteError> {
        let node = self.node_mut(id)?;
        if node.lost {
            return Ok(None);
        }
        (node.lost, node.since) = (true, now);
        let news = node.news();
        self.stop(now, PartEnd::Lost, |hold| hold.node == Some(id))?;
        Ok(news)
    }

    /// A node is back. No news when it had not failed, or failed just now.
    pub fn bring_back(&mut self, now: Time, id: NodeId) -> Result<Option<SiteMessage>, SiteError> {
        let node = self.node_mut(id)?;
        if !node.lost || now <= node.since {
            return Ok(None);
        }
        (node.lost, node.since) = (false, now);
        Ok(node.news())
    }

    /// There is one more node; nothing happens when it is there already.
    pub fn grow(&mut self, node: SimulatedNode) {
        if !self.health.nodes.iter().any(|known| known.id == node.id) {
            self.book.grow(node.id, node.units);
            self.health.nodes.push(node);
        }
    }

    /// A node is no longer sold. What runs there goes on.
    pub fn shrink(&mut self, id: NodeId) {
        self.health.nodes.retain(|node| node.id != id);
    }

    /// The owner needs a node: what runs on it, or would, has to go.
    pub fn take(&mut self, now: Time, id: NodeId, interval: Interval) -> Result<SiteMessage, SiteError> {
        self.node_mut(id)?.owner.push(interval);
        let taken = |hold: &Hold| hold.node == Some(id) && hold.interval.overlaps(interval);
        self.stop(now, PartEnd::TakenBack, taken)?;
        Ok(SiteMessage::Taken { node: id, interval })
    }

    /// The site fails: everything that runs is lost, and what was only prepared is forgotten.
    pub fn fail(&mut self, now: Time) -> Result<(), SiteError> {
        (self.health.lost, self.health.since) = (true, now);
        self.stop(now, PartEnd::Lost, |_| true)?;
        self.book.forget_prepared()
    }

    /// The site is back.
    pub fn recover(&mut self, now: Time) {
        (self.health.lost, self.health.since) = (false, now);
    }

    /// Ends the parts on some holds that have not ended.
    fn stop(&mut self, now: Time, end: PartEnd, on: impl Fn(&Hold) -> bool) -> Result<(), SiteError> {
        let mut changed = Vec::new();
        for (reservation, booking) in self.book.iter() {
            let mut stopped = booking.clone();
            let (holds, parts) = (&booking.holds, &mut stopped.parts);
            for (place, part) in parts.iter_mut().filter(|(_, part)| part.ends > now) {
                let hold = usize::try_from(part.hold).ok().and_then(|hold| holds.get(hold));
                if hold.is_some_and(&on) {
                    (part.ends, part.end, part.begins) = (now, end, part.begins.min(now));
                    let told = self.reported.of(reservation, *place);
                    self.reported.note(reservation, *place, Report { end: false, ..told });
                }
            }
            if stopped != *booking {
                changed.push((reservation, stopped));
            }
        }
        changed.into_iter().try_for_each(|(reservation, booking)| self.book.put(reservation, booking))
    }
}
