//! A simulated site: the one of the simulated world, with a memory of its own and things that go wrong on demand.
//!
//! Everything follows from the time that is passed in, a seed, and what is written down, so a site that was closed and
//! opened again is as if nothing had happened: what ended meanwhile is told at the next look.

use super::store::Store;
use super::{Connector, Fault, Said, SiteError, Start};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use walras_broker::Effect;
use walras_broker::allocation::Hold;
use walras_broker::effect::Program;
use walras_broker::id::{CycleNumber, ReservationNumber};
use walras_broker::input::SiteMessage;
use walras_broker::job::SiteRefusal;
use walras_model::{Interval, NodeId, SiteId, Time};
use walras_random::Stream;
use walras_world::chance::later;
use walras_world::owner::Load;
use walras_world::site::{Behaviour, Booking, Kind, SimNode, SimSite};

/// Which stream of the seed the site's own chances come from.
const STREAM: u64 = 1 << 32;
/// Owners' needs that ended so long ago are forgotten, in milliseconds.
const FORGOTTEN: i64 = 86_400_000;

/// What a simulated site is like.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its number.
    pub id: SiteId,
    /// How it sells its time.
    pub kind: Kind,
    /// The number of its first node.
    pub first_node: u32,
    /// What its nodes are called; none for a queue.
    pub nodes: Vec<String>,
    /// What everything is drawn from.
    pub seed: u64,
    /// How what runs behaves.
    pub behaviour: Behaviour,
    /// What the owner runs there.
    pub load: Option<Load>,
}

/// A simulated site.
#[derive(Debug)]
pub struct Simulated {
    site: SimSite,
    store: Store,
    seed: u64,
    names: Vec<String>,
    /// Whether how the nodes and the site are is to be said again.
    news_due: bool,
}

/// What is written down beside the bookings.
#[derive(Debug, Serialize, Deserialize)]
struct Health {
    nodes: Vec<SimNode>,
    lost: bool,
    since: Time,
    cut_until: Time,
}

impl Simulated {
    /// Opens a site over what it has written down.
    pub fn open(model: Model, path: &Path) -> Result<Simulated, SiteError> {
        let store = Store::open(path)?;
        let numbers = model.first_node..;
        let fresh = |id| SimNode { id: NodeId::new(id), lost: false, since: Time::MIN, owner: Vec::new() };
        let mut nodes: Vec<SimNode> = model.nodes.iter().zip(numbers).map(|(_, id)| fresh(id)).collect();
        let health: Option<Health> = store.state()?;
        let (mut lost, mut since, mut cut_until) = (false, Time::MIN, Time::MIN);
        if let Some(health) = health {
            (lost, since, cut_until) = (health.lost, health.since, health.cut_until);
            for node in &mut nodes {
                if let Some(known) = health.nodes.iter().find(|known| known.id == node.id) {
                    *node = known.clone();
                }
            }
        }
        let site = SimSite {
            id: model.id,
            kind: model.kind,
            nodes,
            bookings: store.bookings::<Booking>()?.into_iter().collect::<BTreeMap<_, _>>(),
            released: BTreeSet::new(),
            lost,
            since,
            cut_until,
            unwilling: 0,
            behaviour: model.behaviour,
            load: model.load,
            wrong: Vec::new(),
        };
        Ok(Simulated { site, store, seed: model.seed, names: model.nodes, news_due: true })
    }

    fn is_silent(&self, now: Time) -> bool {
        now < self.site.cut_until
    }

    /// What the site answers; what it then keeps is written down before anybody hears of it.
    fn hear(&mut self, now: Time, purpose: u64, effect: &Effect, number: Option<ReservationNumber>) -> Said {
        if self.is_silent(now) || self.site.lost {
            return Ok(Vec::new());
        }
        let mut chance = Stream::open(self.seed, STREAM ^ purpose);
        let expired: Vec<ReservationNumber> = self.expired(now);
        let said = self.site.hear(now, effect, &mut chance);
        for wrong in self.site.wrong.drain(..) {
            tracing::error!("{wrong}");
        }
        for number in expired {
            self.store.drop_booking(number)?;
        }
        if let Some((number, booking)) = number.and_then(|it| self.site.bookings.get_key_value(&it)) {
            self.store.save(*number, booking)?;
        }
        Ok(said)
    }

    fn expired(&self, now: Time) -> Vec<ReservationNumber> {
        let bookings = self.site.bookings.iter();
        let past = bookings.filter(|(_, booking)| booking.expiry.is_some_and(|expiry| expiry <= now));
        past.map(|(number, _)| *number).collect()
    }

    fn let_go(&mut self, now: Time, reservation: ReservationNumber) -> Said {
        if self.is_silent(now) || self.site.lost {
            return Ok(Vec::new());
        }
        self.store.release(reservation, now)?;
        self.site.bookings.remove(&reservation);
        Ok(vec![SiteMessage::Released(reservation)])
    }

    fn place(&self, name: &str) -> Result<usize, SiteError> {
        let place = self.names.iter().position(|node| node == name);
        place.ok_or_else(|| {
            SiteError(format!("there is no node '{name}': the nodes are {}", self.names.join(", ")))
        })
    }

    /// How the site and its nodes are, and what their owner needs.
    fn news(&self, now: Time) -> Vec<SiteMessage> {
        let mut said = Vec::new();
        if self.site.since > Time::MIN {
            let at = self.site.since;
            said.push(if self.site.lost { SiteMessage::Lost(at) } else { SiteMessage::Back(at) });
        }
        for SimNode { id: node, lost, since: at, owner } in &self.site.nodes {
            let (node, at) = (*node, *at);
            if at > Time::MIN {
                let lost = *lost;
                said.push(if lost {
                    SiteMessage::NodeLost { node, at }
                } else {
                    SiteMessage::NodeBack { node, at }
                });
            }
            let ahead = owner.iter().filter(|interval| interval.end() > now);
            said.extend(ahead.map(|interval| SiteMessage::Taken { node, interval: *interval }));
        }
        said
    }

    /// Writes everything down after something has gone wrong.
    fn keep(&mut self, now: Time) -> Result<(), SiteError> {
        let past = later(now, -FORGOTTEN);
        for node in &mut self.site.nodes {
            node.owner.retain(|interval| interval.end() > past);
        }
        let SimSite { nodes, lost, since, cut_until, .. } = &self.site;
        let (nodes, lost, since, cut_until) = (nodes.clone(), *lost, *since, *cut_until);
        self.store.save_state(&Health { nodes, lost, since, cut_until })?;
        for (number, booking) in &self.site.bookings {
            self.store.save(*number, booking)?;
        }
        Ok(())
    }

    /// A node fails, is back, or is taken.
    fn node_fault(&mut self, now: Time, fault: &Fault) -> Result<(), SiteError> {
        match fault {
            Fault::NodeLost { node } => {
                let place = self.place(node)?;
                let now = after(now, self.site.nodes.get(place).map(|node| node.since));
                self.site.lose_node(now, place);
            }
            Fault::NodeBack { node } => {
                let place = self.place(node)?;
                let now = after(now, self.site.nodes.get(place).map(|node| node.since));
                self.site.bring_back(now, place);
            }
            Fault::Taken { node, seconds } => {
                let place = self.place(node)?;
                if self.site.kind != Kind::Slots {
                    let why = "only nodes of a site that sells slots can be taken back";
                    return Err(SiteError(why.to_owned()));
                }
                let interval = Interval::new(now, later(now, i64::from(*seconds) * 1_000));
                let interval = interval.ok_or_else(|| SiteError("taken for no time at all".to_owned()))?;
                self.site.take(now, place, interval);
            }
            Fault::SiteLost {} | Fault::SiteBack {} | Fault::Silent { .. } => {}
        }
        Ok(())
    }
}

/// Now, or just after an earlier moment: news of one kind never have the same time.
fn after(now: Time, earlier: Option<Time>) -> Time {
    earlier.map_or(now, |earlier| now.max(later(earlier, 1)))
}

impl Connector for Simulated {
    fn offers(&mut self, now: Time, cycle: CycleNumber, horizon: Interval) -> Said {
        if self.is_silent(now) {
            return Ok(Vec::new());
        }
        let mut said = self.news(now);
        let effect = Effect::AskOffers { site: self.site.id, cycle, horizon };
        let answer = self.hear(now, cycle.get(), &effect, None)?;
        said.extend(answer.into_iter().filter(|message| matches!(message, SiteMessage::Offers { .. })));
        Ok(said)
    }

    fn prepare(&mut self, now: Time, reservation: ReservationNumber, holds: &[Hold], expiry: Time) -> Said {
        if !self.is_silent(now) && !self.site.lost && self.store.is_released(reservation)? {
            return Ok(vec![SiteMessage::Refused { reservation, refusal: SiteRefusal::Unknown }]);
        }
        let (site, holds) = (self.site.id, holds.to_vec());
        let effect = Effect::Prepare { site, reservation, holds, expiry };
        self.hear(now, reservation.get(), &effect, Some(reservation))
    }

    fn confirm(&mut self, now: Time, reservation: ReservationNumber) -> Said {
        let effect = Effect::Confirm { site: self.site.id, reservation };
        self.hear(now, reservation.get(), &effect, Some(reservation))
    }

    fn release(&mut self, now: Time, reservation: ReservationNumber) -> Said {
        self.let_go(now, reservation)
    }

    fn cancel(&mut self, now: Time, reservation: ReservationNumber) -> Said {
        self.let_go(now, reservation)
    }

    fn start(&mut self, now: Time, start: Start<'_>) -> Said {
        let Start { reservation, job, parts, .. } = start;
        // Every part has chances of its own, however many are started at once.
        let mut said = Vec::new();
        for part in parts {
            let purpose = reservation.get().wrapping_mul(1 << 20) ^ u64::from(part.part);
            let (site, parts, program) = (self.site.id, vec![part.clone()], Box::<Program>::default());
            let effect = Effect::Start { site, reservation, job, parts, program };
            for message in self.hear(now, purpose, &effect, Some(reservation))? {
                if !said.contains(&message) {
                    said.push(message);
                }
            }
        }
        Ok(said)
    }

    fn observe(&mut self, now: Time, reservation: ReservationNumber) -> Said {
        let effect = Effect::Observe { site: self.site.id, reservation };
        self.hear(now, reservation.get(), &effect, None)
    }

    fn poll(&mut self, now: Time) -> Said {
        if self.is_silent(now) {
            return Ok(Vec::new());
        }
        let news = std::mem::take(&mut self.news_due);
        let mut said = if news { self.news(now) } else { Vec::new() };
        said.extend(self.site.pass(now));
        Ok(said)
    }

    fn next(&self, now: Time) -> Option<Time> {
        let next = if self.news_due { Some(now) } else { self.site.next() };
        next.map(|next| next.max(self.site.cut_until))
    }

    fn fault(&mut self, now: Time, fault: &Fault) -> Said {
        match fault {
            Fault::SiteLost {} if !self.site.lost => {
                let at = after(now, Some(self.site.since));
                let prepared: Vec<_> =
                    self.site.bookings.iter().filter(|(_, it)| it.expiry.is_some()).collect();
                for (number, _) in prepared {
                    self.store.drop_booking(*number)?;
                }
                self.site.fail(at);
            }
            Fault::SiteBack {} if self.site.lost => {
                (self.site.lost, self.site.since) = (false, after(now, Some(self.site.since)));
            }
            Fault::Silent { seconds } => {
                let until = later(now, i64::from(*seconds) * 1_000);
                self.site.cut_until = until;
            }
            fault => self.node_fault(now, fault)?,
        }
        self.keep(now)?;
        self.news_due = true;
        self.poll(now)
    }

    fn owner_use(&self, within: Interval) -> Vec<(NodeId, Interval)> {
        let used = |node: &SimNode| {
            let (id, used) = (node.id, self.site.owner_use(node, within));
            used.into_iter().filter(move |used| used.overlaps(within)).map(move |used| (id, used))
        };
        self.site.nodes.iter().flat_map(used).collect()
    }
}
