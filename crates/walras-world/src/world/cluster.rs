//! What real clusters do beside failing: they repeat starts, forget holds, revive what was cancelled, move reservations, and do not answer
//! for nodes on which everything goes on.

use super::{Parcel, World};
use crate::setup::MINUTE;
use walras_broker::id::ReservationNumber;
use walras_broker::input::SiteMessage;
use walras_broker::site::NodeSpec;
use walras_model::{Interval, NodeId, SiteId};
use walras_random::Stream;
use walras_sites::Hold;
use walras_sites::clock::later;

/// A mistake of a cluster's happens at most this many minutes after another.
const PAUSE_MAX: i64 = 8;

/// What a cluster does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mistake {
    /// What runs is said to start once more.
    RepeatsStart,
    /// A hold that was confirmed is gone.
    ForgetsHold,
    /// What was let go is said to be there again.
    Revives,
    /// A hold begins later than it was asked for.
    Moves,
    /// A node does not answer, and what runs there goes on.
    Hides,
    /// There is one more node, under a name that was there before or not.
    Grows,
    /// A node is gone for good, and what runs there goes on.
    Shrinks,
}

const ALL: [Mistake; 7] = [
    Mistake::RepeatsStart,
    Mistake::ForgetsHold,
    Mistake::Revives,
    Mistake::Moves,
    Mistake::Hides,
    Mistake::Grows,
    Mistake::Shrinks,
];
/// A site has at most so many nodes.
const NODES_MAX: usize = 6;

impl World {
    /// A cluster makes a mistake, and the next one is on its way.
    pub(super) fn mistake(&mut self) {
        let Some(mut chance) = self.clusters.take().filter(|_| !self.calm) else { return };
        let pause = chance.between(1, PAUSE_MAX) * MINUTE;
        self.post(later(self.now, pause), Parcel::Mistake);
        let mistake = chance.one_of(&ALL).copied();
        let last = i64::try_from(self.sites.len()).unwrap_or(1) - 1;
        let place = usize::try_from(chance.between(0, last.max(0))).unwrap_or(0);
        let id = self.sites.get(place).filter(|site| !site.site.is_lost()).map(|site| site.id);
        if let (Some(id), Some(mistake)) = (id, mistake) {
            match mistake {
                Mistake::RepeatsStart => self.repeats_start(id, &mut chance),
                Mistake::ForgetsHold => self.changes_hold(id, None, &mut chance),
                Mistake::Moves => self.changes_hold(id, Some(20_000), &mut chance),
                Mistake::Revives => self.revives(id, &mut chance),
                Mistake::Hides => self.hides(id, &mut chance),
                Mistake::Grows => self.grows(id, &mut chance),
                Mistake::Shrinks => self.shrinks(id, &mut chance),
            }
        }
        self.clusters = Some(chance);
    }

    /// Parts that run, or have run, start once more by what the site says. They do not: a part begins once for ever.
    fn repeats_start(&mut self, id: SiteId, chance: &mut Stream) {
        let booked = self.sites[id.index()].site.book().iter();
        let all: Vec<(ReservationNumber, u32)> =
            booked.flat_map(|(number, it)| it.parts.keys().map(move |part| (number, *part))).collect();
        if let Some((reservation, part)) = chance.one_of(&all).copied() {
            let again = SiteMessage::Started { reservation, parts: vec![part], at: self.now };
            self.deliver(id, [again]);
        }
    }

    /// A confirmed hold that has not begun is gone, or moved. Every look of a connector compares, so that the site says so; sooner or later.
    fn changes_hold(&mut self, id: SiteId, by: Option<i64>, chance: &mut Stream) {
        let now = self.now;
        let booked = self.sites[id.index()].site.book().iter();
        let open = booked.filter(|(_, it)| it.expiry.is_none() && !it.leaving && it.parts.is_empty());
        let ahead = |hold: &&Hold| hold.node.is_some() && hold.interval.start() > now;
        let all: Vec<(ReservationNumber, Hold)> = open
            .flat_map(|(number, it)| it.holds.iter().filter(ahead).map(move |hold| (number, *hold)))
            .collect();
        let Some((number, hold)) = chance.one_of(&all).copied() else { return };
        let book = self.sites[id.index()].site.book_mut();
        let done = match (by, book.get(number).cloned()) {
            (Some(by), Some(mut booking)) => {
                // Into itself: the broker may sell what lies around it.
                let (from, to) = (later(hold.interval.start(), by), hold.interval.end());
                for other in booking.holds.iter_mut().filter(|other| **other == hold) {
                    other.interval = Interval::new(from, to).unwrap_or(other.interval);
                }
                book.put(number, booking)
            }
            (None, Some(_)) => book.release(now, number).map(|_| ()),
            (_, None) => Ok(()),
        };
        self.checker.possible(done);
        if let Some(node) = hold.node.filter(|_| chance.happens(700)) {
            self.deliver(id, [SiteMessage::Taken { node, interval: hold.interval }]);
        }
    }

    /// What was let go is said to be held, confirmed and running.
    fn revives(&mut self, id: SiteId, chance: &mut Stream) {
        let Some(reservation) = chance.one_of(&self.sites[id.index()].released).copied() else { return };
        let started = SiteMessage::Started { reservation, parts: vec![0], at: self.now };
        self.deliver(id, [SiteMessage::Prepared(reservation), SiteMessage::Confirmed(reservation), started]);
    }

    /// A site has one more node. It may be called as one that is gone, and is another.
    fn grows(&mut self, id: SiteId, chance: &mut Stream) {
        let now = self.now;
        let site = &mut self.sites[id.index()];
        let Some((_, like)) = site.nodes.first().cloned() else { return };
        let free: Vec<String> = (0..NODES_MAX)
            .map(|place| format!("n{place}"))
            .filter(|name| site.nodes.iter().all(|(_, spec)| spec.name != *name))
            .collect();
        let Some(name) = chance.one_of(&free).cloned() else { return };
        site.nodes.push((None, NodeSpec { name, class: None, ..like }));
        site.changed = Some(now);
        let said = site.says_nodes();
        self.deliver(id, said);
    }

    /// A site does not have a node any more; the last stays. What runs there goes on, and nothing new is held there.
    fn shrinks(&mut self, id: SiteId, chance: &mut Stream) {
        let now = self.now;
        let site = &mut self.sites[id.index()];
        if site.nodes.len() < 2 {
            return;
        }
        let last = i64::try_from(site.nodes.len()).unwrap_or(1) - 1;
        let place = usize::try_from(chance.between(0, last)).unwrap_or(0);
        if let (Some(number), _) = site.nodes.remove(place) {
            site.site.shrink(number);
        }
        site.changed = Some(now);
        let said = site.says_nodes();
        self.deliver(id, said);
    }

    /// A node does not answer for a while. Its site says so, and nothing else happens to it.
    fn hides(&mut self, id: SiteId, chance: &mut Stream) {
        let nodes: Vec<NodeId> = self.sites[id.index()].site.nodes().iter().map(|node| node.id).collect();
        if let Some(node) = chance.one_of(&nodes).copied() {
            self.deliver(id, [SiteMessage::NodeDown { node, at: self.now }]);
            let back = later(self.now, chance.between(1, 30) * MINUTE);
            // Said until it is heard.
            for place in 0..6 {
                let message = SiteMessage::NodeBack { node, at: later(back, place) };
                self.post(later(back, 1_000 * place), Parcel::Message(id, message));
            }
        }
    }
}
