//! What goes wrong at a site: nodes fail, owners need them, all of it fails.

use super::{SimSite, news};
use crate::chance::{later, span};
use walras_broker::allocation::Hold;
use walras_broker::input::SiteMessage;
use walras_broker::job::PartEnd;
use walras_model::{Interval, Span, Time};
use walras_random::Stream;

/// How long a site stays away, at least and at most.
pub const OUTAGE: (i64, i64) = (60_000, 1_800_000);

impl SimSite {
    /// A node fails: what runs on it is lost.
    pub fn lose_node(&mut self, now: Time, place: usize) -> Option<SiteMessage> {
        let node = self.nodes.get_mut(place).filter(|node| !node.lost)?;
        (node.lost, node.since) = (true, now);
        let (id, said) = (node.id, news(node));
        self.stop(now, PartEnd::Lost, |hold| hold.node == Some(id));
        Some(said)
    }

    /// A node is back.
    pub fn bring_back(&mut self, now: Time, place: usize) -> Option<SiteMessage> {
        let node = self.nodes.get_mut(place).filter(|node| node.lost && now > node.since)?;
        (node.lost, node.since) = (false, now);
        Some(news(node))
    }

    /// The owner needs a node: what runs on it, or would, has to go.
    pub fn take(&mut self, now: Time, place: usize, interval: Interval) -> Option<SiteMessage> {
        let node = self.nodes.get_mut(place)?;
        let id = node.id;
        node.owner.push(interval);
        self.stop(now, PartEnd::TakenBack, |hold| hold.node == Some(id) && hold.interval.overlaps(interval));
        Some(SiteMessage::Taken { node: id, interval })
    }

    /// The site fails: everything that runs is lost, and what was only prepared is forgotten.
    pub fn fail(&mut self, now: Time) {
        (self.lost, self.since) = (true, now);
        self.stop(now, PartEnd::Lost, |_| true);
        self.bookings.retain(|_, booking| booking.expiry.is_none());
    }

    /// Ends the parts on some holds that have not ended.
    fn stop(&mut self, now: Time, end: PartEnd, on: impl Fn(&Hold) -> bool) {
        for booking in self.bookings.values_mut() {
            for part in booking.parts.values_mut().filter(|part| part.ends > now) {
                if booking.holds.get(part.hold as usize).is_some_and(&on) {
                    (part.ends, part.end, part.end_told) = (now, end, false);
                    part.begins = part.begins.min(now);
                }
            }
        }
    }
}

/// The length of an interval that an owner takes.
pub fn owner_needs(now: Time, chance: &mut Stream) -> Option<Interval> {
    let start = later(now, chance.between(1, 1_800_000));
    let length = span(chance, 60_000, 1_200_000).max(Span::from_millis(1)?);
    Interval::new(start, start.checked_add(length)?)
}
