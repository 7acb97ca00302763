//! The connector of a simulated site: a memory of its own, and things that go wrong on demand.
//!
//! Everything follows from the time that is passed in, a seed, and what is written down, so a site that was closed and
//! opened again is as if nothing had happened: what ended meanwhile is told at the next look.

use super::{Behaviour, Health, Load, SimulatedNode, SimulatedSite};
use crate::clock::later;
use crate::contract::{
    Connector, CycleNumber, Fault, Offering, Prepare, ReservationNumber, SiteAnswer, SiteError, SiteMessage,
    Start,
};
use crate::store::SqliteStore;
use serde::{Deserialize, Serialize};
use std::path::Path;
use walras_model::{Interval, NodeId, Time};
use walras_random::Stream;

/// Which stream of the seed the site's own chances come from.
const STREAM: u64 = 1 << 32;
/// Owners' needs that ended so long ago are forgotten, in milliseconds.
const FORGOTTEN: i64 = 86_400_000;

/// What a simulated site is like.
#[derive(Clone, Debug)]
pub struct SimulatedOptions {
    /// How it sells its time.
    pub offering: Offering,
    /// The number of its first node; the others follow.
    pub first_node: u32,
    /// What its nodes are called; none for a queue.
    pub nodes: Vec<String>,
    /// In how many units each is sold; whole, beyond its end.
    pub units: Vec<u32>,
    /// What everything is drawn from.
    pub seed: u64,
    /// How what runs behaves.
    pub behaviour: Behaviour,
    /// What the owner runs there.
    pub load: Option<Load>,
}

/// The connector of a simulated site.
#[derive(Debug)]
pub struct SimulatedConnector {
    site: SimulatedSite<SqliteStore>,
    seed: u64,
    names: Vec<String>,
    /// Until when it neither hears nor says anything.
    silent_until: Time,
    /// Whether how the nodes and the site are is to be said again.
    news_due: bool,
}

/// What is written down beside the bookings.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    health: Health,
    silent_until: Time,
}

impl SimulatedConnector {
    /// Opens a site over what it has written down.
    pub fn open(options: SimulatedOptions, path: &Path) -> Result<SimulatedConnector, SiteError> {
        let SimulatedOptions { offering, first_node, nodes: names, units, seed, behaviour, load } = options;
        let store = SqliteStore::open(path)?;
        let kept: Option<Kept> = store.state()?;
        let numbers = names.iter().zip(first_node..).map(|(_, number)| NodeId::new(number));
        let units = units.into_iter().chain(std::iter::repeat(1));
        let nodes = numbers.zip(units).map(|(id, units)| SimulatedNode { units, ..SimulatedNode::new(id) });
        let nodes = nodes.collect();
        let mut site = SimulatedSite::open(offering, nodes, behaviour, load, store)?;
        let mut silent_until = Time::MIN;
        if let Some(kept) = kept {
            silent_until = kept.silent_until;
            (site.health.lost, site.health.since) = (kept.health.lost, kept.health.since);
            for node in &mut site.health.nodes {
                if let Some(known) = kept.health.nodes.iter().find(|known| known.id == node.id) {
                    *node = SimulatedNode { units: node.units, ..known.clone() };
                }
            }
        }
        Ok(SimulatedConnector { site, seed, names, silent_until, news_due: true })
    }

    fn is_silent(&self, now: Time) -> bool {
        now < self.silent_until
    }

    fn chance(&self, purpose: u64) -> Stream {
        Stream::open(self.seed, STREAM ^ purpose)
    }

    fn node(&self, name: &str) -> Result<&SimulatedNode, SiteError> {
        let place = self.names.iter().position(|node| node == name);
        place
            .and_then(|place| self.site.nodes().get(place))
            .ok_or_else(|| SiteError::UnknownNode { name: name.to_owned(), known: self.names.clone() })
    }

    /// How the site and its nodes are, and what their owner needs.
    fn news(&self, now: Time) -> Vec<SiteMessage> {
        let Health { nodes, lost, since } = &self.site.health;
        let mut news = Vec::new();
        if *since > Time::MIN {
            news.push(if *lost { SiteMessage::Lost(*since) } else { SiteMessage::Back(*since) });
        }
        for node in nodes {
            news.extend(node.news());
            let ahead = node.owner.iter().filter(|interval| interval.end() > now);
            news.extend(ahead.map(|interval| SiteMessage::Taken { node: node.id, interval: *interval }));
        }
        news
    }

    /// Writes down what has happened to the site.
    fn keep(&mut self, now: Time) -> Result<(), SiteError> {
        let past = later(now, -FORGOTTEN);
        for node in &mut self.site.health.nodes {
            node.owner.retain(|interval| interval.end() > past);
        }
        let kept = Kept { health: self.site.health.clone(), silent_until: self.silent_until };
        self.site.book().store().save_state(&kept)
    }

    /// Lets something go wrong, or come right again.
    fn happen(&mut self, now: Time, fault: &Fault) -> Result<(), SiteError> {
        match fault {
            Fault::NodeLost { node } => {
                let SimulatedNode { id, since, .. } = *self.node(node)?;
                self.site.lose_node(after(now, since), id)?;
            }
            Fault::NodeBack { node } => {
                let SimulatedNode { id, since, .. } = *self.node(node)?;
                self.site.bring_back(after(now, since), id)?;
            }
            Fault::Taken { node, seconds } => {
                let id = self.node(node)?.id;
                if self.site.offering() != Offering::Slots {
                    let why = "only nodes of a site that sells slots can be taken back";
                    return Err(SiteError::NoSuchFault(why));
                }
                let interval = Interval::new(now, later(now, i64::from(*seconds) * 1_000));
                let interval = interval.ok_or(SiteError::NoSuchFault("taken for no time at all"))?;
                self.site.take(now, id, interval)?;
            }
            Fault::SiteLost if !self.site.is_lost() => self.site.fail(after(now, self.site.health.since))?,
            Fault::SiteBack if self.site.is_lost() => self.site.recover(after(now, self.site.health.since)),
            Fault::SiteLost | Fault::SiteBack => {}
            Fault::Silent { seconds } => self.silent_until = later(now, i64::from(*seconds) * 1_000),
        }
        Ok(())
    }
}

/// Now, or just after an earlier moment: news of one kind never have the same time.
fn after(now: Time, earlier: Time) -> Time {
    now.max(later(earlier, 1))
}

impl Connector for SimulatedConnector {
    fn offers(&mut self, now: Time, cycle: CycleNumber, horizon: Interval) -> SiteAnswer {
        if self.is_silent(now) {
            return Ok(Vec::new());
        }
        // News may not have been heard: with every answer the site says again how it is.
        let mut messages = self.news(now);
        messages.extend(self.site.offers(now, cycle, horizon, &mut self.chance(cycle.get())));
        Ok(messages)
    }

    fn prepare(&mut self, now: Time, asked: &Prepare<'_>) -> SiteAnswer {
        if self.is_silent(now) {
            return Ok(Vec::new());
        }
        self.site.prepare(now, asked.reservation, asked.holds, asked.expiry)
    }

    fn confirm(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer {
        if self.is_silent(now) { Ok(Vec::new()) } else { self.site.confirm(now, reservation) }
    }

    fn release(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer {
        if self.is_silent(now) { Ok(Vec::new()) } else { self.site.release(now, reservation) }
    }

    fn cancel(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer {
        self.release(now, reservation)
    }

    fn start(&mut self, now: Time, start: Start<'_>) -> SiteAnswer {
        if self.is_silent(now) {
            return Ok(Vec::new());
        }
        if let Some(booking) = self.site.book().confirmed(start.reservation) {
            booking.check(&start)?;
        }
        // Every part has chances of its own, however many are started at once.
        let mut messages = Vec::new();
        for part in start.parts {
            let purpose = start.reservation.get().wrapping_mul(1 << 20) ^ u64::from(part.part);
            let one = Start { parts: std::slice::from_ref(part), ..start };
            for message in self.site.start(now, &one, &mut self.chance(purpose))? {
                if !messages.contains(&message) {
                    messages.push(message);
                }
            }
        }
        Ok(messages)
    }

    fn observe(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer {
        if self.is_silent(now) { Ok(Vec::new()) } else { Ok(self.site.observe(now, reservation)) }
    }

    fn poll(&mut self, now: Time) -> SiteAnswer {
        if self.is_silent(now) {
            return Ok(Vec::new());
        }
        let due = std::mem::take(&mut self.news_due);
        let mut messages = if due { self.news(now) } else { Vec::new() };
        messages.extend(self.site.pass(now));
        Ok(messages)
    }

    fn next(&self, now: Time) -> Option<Time> {
        let next = if self.news_due { Some(now) } else { self.site.next() };
        next.map(|next| next.max(self.silent_until))
    }

    fn fault(&mut self, now: Time, fault: &Fault) -> SiteAnswer {
        self.happen(now, fault)?;
        self.keep(now)?;
        self.news_due = true;
        self.poll(now)
    }

    fn owner_use(&self, within: Interval) -> Vec<(NodeId, Interval)> {
        let used = |node: &SimulatedNode| {
            let (id, used) = (node.id, self.site.owner_use(node, within));
            used.into_iter().filter(move |used| used.overlaps(within)).map(move |used| (id, used))
        };
        self.site.nodes().iter().flat_map(used).collect()
    }
}
