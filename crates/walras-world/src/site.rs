//! A site of the world: the simulated site that the service uses too, with faults on top.
//!
//! The site itself is honest. Here it may refuse for no reason, cannot be reached at times, and notes what no honest broker
//! asks for.

use std::collections::BTreeMap;
use walras_broker::Effect;
use walras_broker::site::NodeSpec;
use walras_model::{Interval, NodeId, Share, SiteId, Span, Time};
use walras_random::Stream;
use walras_sites::clock::later;
use walras_sites::simulated::{SimulatedNode, SimulatedSite};
use walras_sites::store::VolatileStore;
use walras_sites::{Hold, ReservationNumber, SiteAnswer, SiteMessage, SiteRefusal, Start};

/// How long a site stays away, at least and at most, in milliseconds.
pub const OUTAGE: (i64, i64) = (60_000, 1_800_000);

/// A site with faults.
#[derive(Clone, Debug)]
pub struct FaultySite {
    /// The number that the broker knows it by.
    pub id: SiteId,
    /// The site without the faults.
    pub site: SimulatedSite<VolatileStore>,
    /// Until when nothing reaches it, and nothing that it says arrives; what runs goes on.
    pub cut_until: Time,
    /// How likely it refuses for no reason.
    pub unwilling: Share,
    /// How often it was.
    pub unwillingly: u64,
    /// What it saw that must not be.
    pub wrong: Vec<String>,
    /// What it was told to let go.
    pub released: Vec<ReservationNumber>,
    /// The nodes that it has, and their numbers where it knows them.
    pub nodes: Vec<(Option<NodeId>, NodeSpec)>,
    /// When they last changed.
    pub changed: Option<Time>,
}

impl FaultySite {
    /// A site that can be reached and is willing.
    pub fn new(id: SiteId, site: SimulatedSite<VolatileStore>) -> FaultySite {
        FaultySite {
            id,
            site,
            cut_until: Time::MIN,
            unwilling: Share::NOTHING,
            unwillingly: 0,
            wrong: Vec::new(),
            released: Vec::new(),
            nodes: Vec::new(),
            changed: None,
        }
    }

    /// With the nodes with which it joins.
    pub fn with_nodes(self, specs: &[NodeSpec]) -> FaultySite {
        let numbers = self.site.nodes().iter().map(|node| Some(node.id));
        FaultySite { nodes: numbers.zip(specs.iter().cloned()).collect(), ..self }
    }

    /// Which nodes it has, once they have changed: news may have been lost, so that it says so again and again.
    pub fn says_nodes(&self) -> Option<SiteMessage> {
        let nodes = self.nodes.iter().map(|(_, spec)| spec.clone()).collect();
        self.changed.map(|at| SiteMessage::Nodes { at, nodes, rates: BTreeMap::new() })
    }

    /// The broker has given numbers to nodes that were said. One that has come and gone meanwhile is not there.
    fn number(&mut self, later: &[(NodeId, String)]) {
        for (number, name) in later {
            let is_known = self.nodes.iter().any(|(known, _)| *known == Some(*number));
            let new = self.nodes.iter_mut().find(|(known, spec)| known.is_none() && spec.name == *name);
            if let Some((known, spec)) = new.filter(|_| !is_known) {
                *known = Some(*number);
                let units = spec.division.units();
                self.site.grow(SimulatedNode { units, ..SimulatedNode::new(*number) });
            }
        }
    }

    /// What the site answers to an effect that reaches it.
    pub fn hear(&mut self, now: Time, effect: &Effect, chance: &mut Stream) -> Vec<SiteMessage> {
        if self.site.is_lost() {
            return Vec::new();
        }
        let answer = match effect {
            Effect::AskOffers { cycle, horizon, later_nodes, .. } => {
                self.number(later_nodes);
                // News may have been lost: with every answer the site says again how its nodes are.
                let news = self.says_nodes().into_iter().chain(self.site.node_news());
                Ok(news.chain(self.site.offers(now, *cycle, *horizon, chance)).collect())
            }
            Effect::Prepare { reservation, holds, expiry, .. } => {
                self.prepare(now, *reservation, holds, *expiry, chance)
            }
            Effect::Confirm { reservation, .. } => self.confirm(now, *reservation, chance),
            Effect::Start { reservation, job, parts, size, peers, program, together, .. } => {
                let (reservation, job, size, together) = (*reservation, *job, *size, *together);
                let start = Start { reservation, job, parts, size, peers, program, together };
                self.site.start(now, &start, chance)
            }
            Effect::Observe { reservation, .. } => Ok(self.site.observe(now, *reservation)),
            Effect::Release { reservation, .. } | Effect::Cancel { reservation, .. } => {
                self.released.push(*reservation);
                self.site.release(now, *reservation)
            }
            Effect::Go { reservation, .. } => self.site.go(now, *reservation).map(|()| Vec::new()),
            Effect::Plan(_) | Effect::Move(_) | Effect::Notify { .. } => Ok(Vec::new()),
        };
        self.heard(answer)
    }

    /// The messages of an answer. That a site of this world cannot do what it is asked for is a mistake of somebody's.
    fn heard(&mut self, answer: SiteAnswer) -> Vec<SiteMessage> {
        answer.unwrap_or_else(|error| {
            self.wrong.push(format!("site {}: {error}", self.id.number()));
            Vec::new()
        })
    }

    /// That another hold is in the way is a mistake of the broker's.
    fn prepare(
        &mut self,
        now: Time,
        reservation: ReservationNumber,
        holds: &[Hold],
        expiry: Time,
        chance: &mut Stream,
    ) -> SiteAnswer {
        if let Some(answer) = self.site.book_mut().settled(now, reservation, expiry)? {
            return Ok(vec![answer]);
        }
        if chance.happens_in_million(self.unwilling.as_millionths()) {
            self.unwillingly += 1;
            let why = [SiteRefusal::Unwilling, SiteRefusal::Busy, SiteRefusal::PriceChanged];
            let refusal = *chance.one_of(&why).unwrap_or(&SiteRefusal::Busy);
            return Ok(vec![SiteMessage::Refused { reservation, refusal }]);
        }
        let at = self.id.number();
        for other in self.site.book().overbooked_by(holds) {
            self.wrong.push(format!("site {at}: reservation {reservation} asks for time that {other} holds"));
        }
        self.site.prepare(now, reservation, holds, expiry)
    }

    fn confirm(&mut self, now: Time, reservation: ReservationNumber, chance: &mut Stream) -> SiteAnswer {
        let unwilling = chance.happens_in_million(self.unwilling.as_millionths());
        let waits = |until: Time| now < until;
        let prepared = self.site.book().get(reservation).is_some_and(|it| it.expiry.is_some_and(waits));
        if unwilling && prepared {
            self.unwillingly += 1;
            let refusal = SiteRefusal::Unwilling;
            return Ok(vec![SiteMessage::Refused { reservation, refusal }]);
        }
        self.site.confirm(now, reservation)
    }

    /// The site's node at a place; nothing where it has no such node.
    pub fn node(&self, place: usize) -> Option<walras_model::NodeId> {
        self.site.nodes().get(place).map(|node| node.id)
    }
}

/// When an owner needs a node, some time from now.
pub fn owner_needs(now: Time, chance: &mut Stream) -> Option<Interval> {
    let start = later(now, chance.between(1, 1_800_000));
    let length = Span::from_millis(chance.between(60_000, 1_200_000))?;
    Interval::new(start, start.checked_add(length)?)
}
