//! The sites around the broker: what they answer, what runs there and when it ends.

use super::Setup;
use crate::owners::Uses;
use crate::record::{Site, wholes, with_firsts};
use std::collections::{BTreeMap, BTreeSet};
use walras_broker::Effect;
use walras_broker::allocation::Hold;
use walras_broker::effect::StartPart;
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_broker::input::SiteMessage;
use walras_broker::job::{PartEnd, SiteRefusal};
use walras_broker::site::{Free, FreeTime};
use walras_model::interval::complement;
use walras_model::{Division, Interval, NodeId, SiteId, Span, Time};
use walras_sites::clock::later;

/// All sites.
pub(super) struct Grid {
    sites: Vec<GridSite>,
    /// By the moment at which something ends.
    ends: BTreeSet<(Time, SiteId, ReservationNumber)>,
}

struct GridSite {
    /// The kinds of its nodes.
    kinds: Vec<Kind>,
    lost: BTreeSet<NodeId>,
    booked: BTreeMap<ReservationNumber, Booking>,
    /// What is held on every node, by its start, by whom, and which of what they hold: until when, and how many units.
    held: BTreeMap<(NodeId, Time, ReservationNumber, usize), (Time, u32)>,
}

/// Nodes that are alike.
struct Kind {
    spec: Site,
    /// In how many units each is sold.
    units: u32,
    /// The number of the first of them among those of all sites.
    first: u32,
    uses: Option<Uses>,
}

#[derive(Default)]
struct Booking {
    holds: Vec<Hold>,
    /// Parts that run: when they end, and how.
    parts: BTreeMap<u32, (Time, PartEnd, Option<NodeId>)>,
}

impl Grid {
    pub(super) fn new(setup: &Setup) -> Grid {
        let mut all = with_firsts(&setup.sites).enumerate().map(|(place, (first, spec))| {
            let uses = setup.owners.as_ref().and_then(|owners| owners.of_site(setup.seed, place, first));
            let units = setup.shares.divisions.get(&spec.name).map_or(1, Division::units);
            Kind { spec: spec.clone(), units, first, uses }
        });
        let sites = wholes(&setup.sites).map(|kinds| GridSite {
            kinds: all.by_ref().take(kinds.len()).collect(),
            lost: BTreeSet::new(),
            booked: BTreeMap::new(),
            held: BTreeMap::new(),
        });
        Grid { sites: sites.collect(), ends: BTreeSet::new() }
    }

    /// When something ends next.
    pub(super) fn next(&self) -> Option<Time> {
        self.ends.first().map(|end| end.0)
    }

    /// What has ended by now, one reservation after the other.
    pub(super) fn ended(&mut self, now: Time) -> Option<(SiteId, Vec<SiteMessage>)> {
        let (at, id, reservation) = self.ends.first().copied().filter(|end| end.0 <= now)?;
        self.ends.pop_first();
        let booking = self.sites.get_mut(id.index())?.booked.get_mut(&reservation)?;
        let over: Vec<u32> =
            booking.parts.iter().filter(|(_, part)| part.0 <= at).map(|(place, _)| *place).collect();
        let ended = over.into_iter().filter_map(|part| {
            let (_, end, _) = booking.parts.remove(&part)?;
            Some(SiteMessage::Ended { reservation, part, at, end, used: None })
        });
        Some((id, ended.collect()))
    }

    /// What a site answers to an effect; `lasts` says how long a part of a job runs on nodes of performance 1 and whether it is
    /// killed.
    /// An error is a law that the broker broke.
    pub(super) fn hear(
        &mut self,
        now: Time,
        effect: &Effect,
        lasts: impl Fn(JobNumber, &StartPart) -> Option<(Span, PartEnd)>,
    ) -> Result<Vec<SiteMessage>, String> {
        let Some(id) = effect.site() else { return Ok(Vec::new()) };
        let Some(site) = self.sites.get_mut(id.index()) else {
            return Err(format!("there is no site {}", id.number()));
        };
        Ok(match effect {
            Effect::AskOffers { cycle, horizon, .. } => {
                vec![SiteMessage::Offers { cycle: *cycle, free: site.free(now, *horizon) }]
            }
            Effect::Prepare { reservation, holds, .. } => vec![site.prepare(*reservation, holds)?],
            Effect::Confirm { reservation, .. } => vec![SiteMessage::Confirmed(*reservation)],
            Effect::Start { reservation, job, parts, .. } => {
                let begun = site.begin(now, *reservation, parts, |part| lasts(*job, part));
                self.ends.extend(begun.into_iter().map(|end| (end, id, *reservation)));
                let parts = parts.iter().map(|part| part.part).collect();
                vec![SiteMessage::Started { reservation: *reservation, parts, at: now }]
            }
            Effect::Release { reservation, .. } | Effect::Cancel { reservation, .. } => {
                for end in site.release(*reservation) {
                    self.ends.remove(&(end, id, *reservation));
                }
                vec![SiteMessage::Released(*reservation)]
            }
            Effect::Observe { .. }
            | Effect::Go { .. }
            | Effect::Plan(_)
            | Effect::Move(_)
            | Effect::Notify { .. } => Vec::new(),
        })
    }

    /// A node by its number among those of its kind; `None` where there is no such node.
    pub(super) fn node(&self, place: u32, number: u32) -> Option<(SiteId, NodeId)> {
        let mut kinds =
            (0_u32..).zip(&self.sites).flat_map(|(id, site)| site.kinds.iter().map(move |kind| (id, kind)));
        let (id, kind) = kinds.nth(place as usize).filter(|(_, kind)| number < kind.spec.nodes)?;
        Some((SiteId::new(id), NodeId::new(kind.first + number)))
    }

    /// A node fails or is back; what the site says of it.
    pub(super) fn strike(&mut self, now: Time, id: SiteId, node: NodeId, back: bool) -> Vec<SiteMessage> {
        let Some(site) = self.sites.get_mut(id.index()) else { return Vec::new() };
        if back {
            site.lost.remove(&node);
            return vec![SiteMessage::NodeBack { node, at: now }];
        }
        site.lost.insert(node);
        let mut messages = Vec::new();
        for (reservation, booking) in &mut site.booked {
            let struck: Vec<u32> = booking
                .parts
                .iter()
                .filter(|(_, part)| part.2 == Some(node))
                .map(|(place, _)| *place)
                .collect();
            for part in struck {
                booking.parts.remove(&part);
                let (reservation, end) = (*reservation, PartEnd::Lost);
                messages.push(SiteMessage::Ended { reservation, part, at: now, end, used: None });
            }
        }
        messages.push(SiteMessage::NodeLost { node, at: now });
        messages
    }
}

impl Kind {
    fn nodes(&self) -> impl Iterator<Item = NodeId> {
        (self.first..self.first + self.spec.nodes).map(NodeId::new)
    }

    /// What their owner uses of a node in a time.
    fn used(&self, node: NodeId, within: Interval) -> Vec<Interval> {
        self.uses.as_ref().map(|uses| uses.of(node, within)).unwrap_or_default()
    }
}

impl GridSite {
    /// The kind of a node of this site.
    fn kind(&self, node: NodeId) -> Option<&Kind> {
        let kinds = self.kinds.partition_point(|kind| kind.first <= node.number());
        self.kinds.get(kinds.checked_sub(1)?)
    }

    fn free(&self, now: Time, horizon: Interval) -> Free {
        let ahead = Interval::new(now.max(horizon.start()), horizon.end());
        let nodes = self.kinds.iter().flat_map(|kind| kind.nodes().map(move |node| (kind, node)));
        let standing = nodes.filter(|(_, node)| !self.lost.contains(node));
        let times = standing.flat_map(|(kind, node)| {
            let free = ahead.map(|ahead| complement(ahead, &kind.used(node, ahead)));
            free.into_iter().flatten().map(move |interval| FreeTime::whole(node, interval))
        });
        Free::Slots(times.collect())
    }

    fn prepare(&mut self, reservation: ReservationNumber, holds: &[Hold]) -> Result<SiteMessage, String> {
        if self.booked.contains_key(&reservation) {
            return Ok(SiteMessage::Prepared(reservation));
        }
        for hold in holds {
            let Some(node) = hold.node else { return Err(format!("{reservation} asks for a queue")) };
            if self.lost.contains(&node) {
                return Ok(SiteMessage::Refused { reservation, refusal: SiteRefusal::Unwilling });
            }
            if let Some(other) = self.beyond(reservation, node, hold, holds) {
                return Err(format!("{reservation} asks for time that {other} holds"));
            }
            let used = self.kind(node).map(|kind| kind.used(node, hold.interval)).unwrap_or_default();
            if !used.is_empty() {
                return Err(format!("{reservation} asks for time that its owner uses"));
            }
        }
        for (place, hold) in holds.iter().enumerate() {
            if let Some(node) = hold.node {
                let key = (node, hold.interval.start(), reservation, place);
                self.held.insert(key, (hold.interval.end(), hold.units));
            }
        }
        self.booked.insert(reservation, Booking { holds: holds.to_vec(), parts: BTreeMap::new() });
        Ok(SiteMessage::Prepared(reservation))
    }

    /// Who holds so much of a node that a hold, with what is asked for beside it, would be more than there is. Each of those that are counted
    /// begins before it ends, so that the most is held when one of them begins.
    fn beyond(
        &self,
        reservation: ReservationNumber,
        node: NodeId,
        hold: &Hold,
        asked: &[Hold],
    ) -> Option<ReservationNumber> {
        let until = (node, hold.interval.end(), ReservationNumber::default(), 0);
        let first = (node, Time::MIN, ReservationNumber::default(), 0);
        let held = self.held.range(first..until);
        let there: Vec<(Time, Time, u32, ReservationNumber)> = held
            .filter(|(_, (end, _))| *end > hold.interval.start())
            .map(|((_, start, other, _), (end, units))| (*start, *end, *units, *other))
            .collect();
        let beside = |at: Time| {
            let mine = asked
                .iter()
                .filter(|it| it.node == Some(node) && it.interval.start() <= at && at < it.interval.end());
            let others = there.iter().filter(|(start, end, ..)| *start <= at && at < *end);
            mine.map(|it| it.units).sum::<u32>() + others.map(|it| it.2).sum::<u32>()
        };
        let all = self.kind(node).map_or(1, |kind| kind.units);
        let starts = there.iter().map(|it| it.0.max(hold.interval.start()));
        let most = starts.chain([hold.interval.start()]).map(beside).max().unwrap_or(0);
        (most > all).then(|| there.first().map_or(reservation, |it| it.3))
    }

    /// Runs parts; gives the moments at which some end.
    fn begin(
        &mut self,
        now: Time,
        reservation: ReservationNumber,
        parts: &[StartPart],
        lasts: impl Fn(&StartPart) -> Option<(Span, PartEnd)>,
    ) -> BTreeSet<Time> {
        let Some(mut booking) = self.booked.remove(&reservation) else { return BTreeSet::new() };
        let mut moments = BTreeSet::new();
        for part in parts {
            let hold = booking.holds.get(part.hold as usize);
            let kind = hold.and_then(|hold| self.kind(hold.node?));
            let takes = |(lasts, end)| Some((kind?.spec.takes(lasts)?, end));
            let Some((takes, end)) = lasts(part).and_then(takes) else { continue };
            let until = hold.map_or(part.end, |hold| hold.interval.end());
            let wanted = later(now, takes.as_millis());
            // Who starts late has less time.
            let (ends, end) =
                if wanted > until { (until.max(now), PartEnd::TimedOut) } else { (wanted, end) };
            booking.parts.entry(part.part).or_insert((ends, end, hold.and_then(|hold| hold.node)));
            moments.insert(ends);
        }
        self.booked.insert(reservation, booking);
        moments
    }

    /// Lets go of a reservation; gives the moments at which something of it would have ended.
    fn release(&mut self, reservation: ReservationNumber) -> Vec<Time> {
        let Some(booking) = self.booked.remove(&reservation) else { return Vec::new() };
        for (place, hold) in booking.holds.iter().enumerate() {
            if let Some(node) = hold.node {
                self.held.remove(&(node, hold.interval.start(), reservation, place));
            }
        }
        booking.parts.values().map(|part| part.0).collect()
    }
}
