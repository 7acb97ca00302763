//! What happens to sites, owners and prices.

use super::{Parcel, World};
use crate::fault::Faults;
use crate::setup::MINUTE;
use crate::site::{OUTAGE, owner_needs};
use walras_broker::input::SiteMessage;
use walras_broker::price::PriceRules;
use walras_broker::{Broker, Input};
use walras_model::{NodeId, Rate, Share, SiteId, Time};
use walras_sites::Offering;
use walras_sites::clock::later;

/// After so many kills the broker is away for minutes.
const AWAY_EVERY: u64 = 4;

impl World {
    /// The broker dies and is built anew from its journal.
    pub(super) fn kill(&mut self) {
        self.kills += 1;
        self.is_back = true;
        // Now and then it takes its time to come back, and what is said meanwhile nobody hears.
        if self.kills.is_multiple_of(AWAY_EVERY) {
            self.away_until = later(self.now, MINUTE * (1 + i64::try_from(self.kills % 7).unwrap_or(0)));
        }
        let mut broker = Broker::default();
        for entry in &self.journal {
            broker.restore(entry);
        }
        self.broker = broker;
        self.planning = None;
        if let Some(entry) = self.journal.last() {
            self.checker.entry(&self.broker, entry);
        }
    }

    /// Whether something goes wrong now, of which there is a chance; it is counted.
    pub(super) fn goes_wrong(&mut self, rate: impl Fn(&Faults) -> Share) -> bool {
        let happens = self.chance.happens_in_million(rate(&self.faults).as_millionths());
        self.happened += u64::from(happens);
        happens
    }

    /// Something happens to a site, an owner, a price.
    pub(super) fn mishap(&mut self) {
        if self.calm {
            return;
        }
        let every = self.faults.event_every;
        let pause = if every == 0 { 30 } else { self.chance.between(1, every.max(1)) };
        self.post(later(self.now, pause * MINUTE), Parcel::Mishap);
        let last = i64::try_from(self.sites.len()).unwrap_or(1) - 1;
        let Ok(place) = usize::try_from(self.chance.between(0, last)) else { return };
        let Some(id) = self.sites.get(place).filter(|_| every > 0).map(|site| site.id) else { return };
        self.happened += 1;
        match self.chance.between(0, 12) {
            0 => self.site_fails(id),
            1..=2 => self.node_fails(id),
            3..=5 => self.owner_takes(id),
            6..=7 => {
                let until = later(self.now, self.chance.between(OUTAGE.0, OUTAGE.1));
                self.sites[place].cut_until = until;
            }
            8..=9 => self.price_changes(id),
            _ => self.owner_says(id),
        }
    }

    fn site_fails(&mut self, id: SiteId) {
        let site = &mut self.sites[id.index()];
        if site.site.is_lost() {
            return;
        }
        let failed = site.site.fail(self.now);
        // Its neighbours notice; it can say nothing itself.
        site.cut_until = Time::MIN;
        self.checker.possible(failed);
        let back = later(self.now, self.chance.between(OUTAGE.0, OUTAGE.1));
        self.send(&Parcel::Message(id, SiteMessage::Lost(self.now)));
        self.post(back, Parcel::SiteBack(id));
    }

    pub(super) fn site_back(&mut self, id: SiteId) {
        let site = &mut self.sites[id.index()];
        site.site.recover(self.now);
        site.cut_until = Time::MIN;
        // Said until it is heard: a site that nobody believes to be back would earn nothing.
        for _ in 0..6 {
            self.send(&Parcel::Message(id, SiteMessage::Back(self.now)));
        }
        self.sites_pass();
    }

    fn node_fails(&mut self, id: SiteId) {
        let site = &mut self.sites[id.index()].site;
        if site.is_lost() {
            return;
        }
        // Sites that count processors lose the last ones first.
        let Some(node) = site.nodes().iter().rev().find(|node| !node.lost).map(|node| node.id) else {
            return;
        };
        let news = site.lose_node(self.now, node);
        let news = self.checker.possible(news).flatten();
        self.deliver(id, news);
        let back = later(self.now, self.chance.between(OUTAGE.0, OUTAGE.1));
        self.post(back, Parcel::NodeBack(id, node));
        self.sites_pass();
    }

    fn owner_takes(&mut self, id: SiteId) {
        let Some(interval) = owner_needs(self.now, &mut self.chance) else { return };
        let site = &mut self.sites[id.index()];
        if site.site.offering() != Offering::Slots {
            return;
        }
        // Of three nodes, one; a site with two is spared now and then.
        let place = usize::try_from(self.chance.between(0, 2)).unwrap_or(usize::MAX);
        if let Some(node) = site.node(place) {
            let news = site.site.take(self.now, node, interval);
            let news = self.checker.possible(news);
            self.deliver(id, news);
        }
        self.sites_pass();
    }

    /// An owner drains a node, sells all of them again, or needs one.
    fn owner_says(&mut self, site: SiteId) {
        let known = &self.sites[site.index()];
        let nodes: Vec<NodeId> = (0..3).filter_map(|place| known.node(place)).collect();
        let place = usize::try_from(self.chance.between(0, 2)).unwrap_or(usize::MAX);
        let (what, interval) = (self.chance.between(0, 2), owner_needs(self.now, &mut self.chance));
        let (Some(node), Some(interval)) = (nodes.get(place).copied(), interval) else { return };
        let input = match what {
            0 => Input::Drain { site, nodes: vec![node], interval },
            1 => Input::Resume { site, nodes },
            _ => Input::Reclaim { site, nodes: vec![node], interval },
        };
        self.say(&input);
    }

    fn price_changes(&mut self, id: SiteId) {
        if let Some(base) = Rate::from_micros_per_second(1_000 * self.chance.between(1, 15)) {
            self.say(&Input::SetPrices { site: id, prices: PriceRules::flat(base) });
        }
    }
}
