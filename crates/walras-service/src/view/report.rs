//! What owners have earned: sales and offered time, added up by day, site, node and user.
//!
//! Sales are seen one by one and only sums are kept: time O(sales · days of each), memory O(days · sites + nodes + users).

use super::sold::{by_day, day_of, span};
use super::{node_name, site_name};
use crate::journal::{FoundOffered, FoundSale};
use std::collections::BTreeMap;
use walras_api::Num;
use walras_api::service::{IncomeLine, IncomeView};
use walras_broker::State;
use walras_broker::reservation::{Reservation, ReservationPhase};
use walras_model::{Interval, Money, NodeId, Share, SiteId, Time};

/// So many lines of each kind are listed at most.
const LINES_MAX: usize = 1_000;

/// What was earned and used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    sales: u64,
    charged: i128,
    income: i128,
    sold: i64,
    offered: Option<i64>,
}

/// A report that is being added up.
pub struct Income {
    period: Interval,
    /// The sites that it is about.
    sites: Vec<SiteId>,
    total: Sums,
    by_day: BTreeMap<(i64, SiteId), Sums>,
    by_site: BTreeMap<SiteId, Sums>,
    by_node: BTreeMap<(SiteId, Option<NodeId>), Sums>,
    by_user: BTreeMap<String, Sums>,
}

impl Income {
    /// Of some sites in a period.
    pub fn new(period: Interval, sites: Vec<SiteId>) -> Income {
        Income {
            period,
            total: Sums::default(),
            by_day: BTreeMap::new(),
            by_site: sites.iter().map(|site| (*site, Sums::default())).collect(),
            sites,
            by_node: BTreeMap::new(),
            by_user: BTreeMap::new(),
        }
    }

    /// Adds something to all the sums that it belongs to.
    fn add(
        &mut self,
        day: i64,
        site: SiteId,
        node: Option<NodeId>,
        user: Option<&str>,
        add: impl Fn(&mut Sums),
    ) {
        add(&mut self.total);
        add(self.by_day.entry((day, site)).or_default());
        add(self.by_site.entry(site).or_default());
        add(self.by_node.entry((site, node)).or_default());
        if let Some(user) = user {
            add(self.by_user.entry(user.to_owned()).or_default());
        }
    }

    /// Sees a sale: its money counts on the day it was settled, its time on the days it was used.
    pub fn see_sale(&mut self, sale: &FoundSale) {
        if !self.sites.contains(&sale.site) {
            return;
        }
        let user = Some(sale.user.as_str());
        if sale.at < self.period.end() {
            self.add(day_of(sale.at), sale.site, sale.node, user, |sums| {
                sums.sales += 1;
                sums.charged += i128::from(sale.charged.as_micros());
                sums.income += i128::from(sale.income.as_micros());
            });
        }
        if let Some(used) = sale.used {
            self.see_use((sale.site, sale.node), &sale.user, used, sale.part);
        }
    }

    /// Sees that a part of a node was used: its time counts by that part.
    fn see_use(&mut self, (site, node): (SiteId, Option<NodeId>), user: &str, used: Interval, of: Share) {
        let Some(used) = used.intersection(self.period) else { return };
        for (day, part) in by_day(used) {
            let millis = of.of_count(part.span().as_millis());
            self.add(day, site, node, Some(user), |sums| sums.sold = sums.sold.saturating_add(millis));
        }
    }

    /// Sees a reservation that runs: what it has used so far counts, and is paid for when it ends.
    pub fn see_running(&mut self, state: &State, reservation: &Reservation, now: Time) {
        if reservation.phase != ReservationPhase::Held
            || !reservation.parts.iter().any(|it| it.state.has_begun())
        {
            return;
        }
        for (site, hold) in reservation.holds_left() {
            let used = Interval::new(hold.interval.start(), hold.interval.end().min(now));
            if let Some(used) = used.filter(|_| hold.node.is_some() && self.sites.contains(&site)) {
                self.see_use((site, hold.node), &reservation.user, used, state.part_of_node(hold));
            }
        }
    }

    /// Sees what was offered on a day.
    pub fn see_offered(&mut self, offered: FoundOffered) {
        if self.sites.contains(&offered.site) {
            self.add(offered.day, offered.site, offered.node, None, |sums| {
                sums.offered = Some(sums.offered.unwrap_or(0).saturating_add(offered.millis));
            });
        }
    }

    /// How many milliseconds a site had for sale that nobody used, where that is known.
    pub fn unsold(&self, site: SiteId) -> Option<i64> {
        let sums = self.by_site.get(&site)?;
        sums.offered.map(|offered| offered.saturating_sub(sums.sold).max(0))
    }

    /// What it comes to.
    pub fn view(self, state: &State, since: Time) -> IncomeView {
        let by_income = |lines: &mut Vec<(IncomeLine, i128)>| lines.sort_by_key(|(_, income)| -income);
        let days = self.by_day.iter().map(|((day, site), sums)| IncomeLine {
            day: Some(day_text(*day)),
            site: Some(site_name(state, *site)),
            ..line(sums)
        });
        let sites = self
            .by_site
            .iter()
            .map(|(site, sums)| IncomeLine { site: Some(site_name(state, *site)), ..line(sums) });
        // What is known of all nodes of a site together is none of one of them.
        let mut nodes: Vec<(IncomeLine, i128)> = Vec::new();
        for ((site, node), sums) in self.by_node.iter().filter(|(_, sums)| sums.sales > 0 || sums.sold > 0) {
            let of = (Some(site_name(state, *site)), node.map(|node| node_name(state, node)));
            nodes.push((IncomeLine { site: of.0, node: of.1, ..line(sums) }, sums.charged));
        }
        let idle = self
            .by_node
            .iter()
            .filter(|((_, node), sums)| node.is_some() && sums.sales == 0 && sums.sold == 0);
        for ((site, node), sums) in idle {
            let of = (Some(site_name(state, *site)), node.map(|node| node_name(state, node)));
            nodes.push((IncomeLine { site: of.0, node: of.1, ..line(sums) }, 0));
        }
        by_income(&mut nodes);
        let users = self.by_user.iter().map(|(user, sums)| {
            let plain = Sums { offered: None, ..*sums };
            (IncomeLine { user: Some(user.clone()), ..line(&plain) }, sums.charged)
        });
        let mut users: Vec<(IncomeLine, i128)> = users.collect();
        by_income(&mut users);
        let more = [self.by_day.len(), nodes.len(), users.len()].iter().any(|count| *count > LINES_MAX);
        let skipped = self.by_day.len().saturating_sub(LINES_MAX);
        IncomeView {
            from: self.period.start().into(),
            until: self.period.end().into(),
            since: (since > self.period.start()).then(|| since.into()),
            total: line(&self.total),
            days: days.skip(skipped).collect(),
            sites: sites.collect(),
            nodes: nodes.into_iter().take(LINES_MAX).map(|(line, _)| line).collect(),
            users: users.into_iter().take(LINES_MAX).map(|(line, _)| line).collect(),
            more,
        }
    }
}

fn line(sums: &Sums) -> IncomeLine {
    let money = |micros: i128| Num::of_money(Money::from_micros(i64::try_from(micros).unwrap_or(i64::MAX)));
    let seconds = |millis: i64| Num::of_span(span(millis));
    // What is sold and not known to have been offered was offered all the same.
    let offered = sums.offered.map(|offered| offered.max(sums.sold));
    let share = |offered: i64| Share::of_whole(sums.sold.into(), offered.into());
    IncomeLine {
        day: None,
        site: None,
        node: None,
        user: None,
        sales: sums.sales,
        charged: money(sums.charged),
        income: money(sums.income),
        sold: seconds(sums.sold),
        offered: offered.map(seconds),
        unsold: offered.map(|offered| seconds(offered - sums.sold)),
        utilisation: offered.filter(|it| *it > 0).map(|it| Num::of_millionths(share(it).as_millionths())),
    }
}

/// A day as people write it.
fn day_text(day: i64) -> String {
    let start = Time::from_millis(day.saturating_mul(super::sold::DAY)).unwrap_or(Time::MIN);
    walras_api::service::Stamp::from(start).to_string().chars().take(10).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sold::DAY;
    use super::*;

    fn at(millis: i64) -> Time {
        Time::from_millis(millis).unwrap()
    }

    fn during(from: i64, until: i64) -> Interval {
        Interval::new(at(from), at(until)).unwrap()
    }

    fn sale(settled: i64, used: Interval, user: &str, income: i64) -> FoundSale {
        FoundSale {
            at: at(settled),
            site: SiteId::new(0),
            node: Some(NodeId::new(0)),
            user: user.to_owned(),
            charged: Money::from_micros(income + 1_000_000),
            income: Money::from_micros(income),
            used: Some(used),
            part: Share::WHOLE,
        }
    }

    /// Four tasks side by side for ten seconds, each an eighth of the node, have sold half of it.
    #[test]
    fn parts_of_a_node_count_as_parts() {
        let mut income = Income::new(during(0, DAY), vec![SiteId::new(0)]);
        let part = Share::of_whole(1, 8);
        for user in ["ada", "ada", "ben", "ben"] {
            income.see_sale(&FoundSale { part, ..sale(20_000, during(0, 10_000), user, 1_000_000) });
        }
        let offered =
            FoundOffered { day: 0, site: SiteId::new(0), node: Some(NodeId::new(0)), millis: 10_000 };
        income.see_offered(offered);
        let view = income.view(&State::default(), at(0));
        let share = view.total.utilisation.as_ref().map(ToString::to_string);
        assert_eq!((view.total.sold.to_string(), share), ("5".to_owned(), Some("0.5".to_owned())));
        assert_eq!(view.users[0].sold.to_string(), "2.5");
    }

    #[test]
    fn money_counts_where_it_was_settled_and_time_where_it_was_used() {
        let mut income = Income::new(during(0, 2 * DAY), vec![SiteId::new(0)]);
        income.see_sale(&sale(DAY + 7_000, during(DAY - 3_000, DAY + 7_000), "ada", 4_000_000));
        // It is settled after the period: its money is not of it, some of its time is.
        income.see_sale(&sale(2 * DAY + 9_000, during(2 * DAY - 1_000, 2 * DAY + 9_000), "ben", 9_000_000));
        // Of another site.
        let other = FoundSale { site: SiteId::new(1), ..sale(5, during(0, 5), "cyd", 1) };
        income.see_sale(&other);
        for day in [0, 1] {
            let node = Some(NodeId::new(0));
            income.see_offered(FoundOffered { day, site: SiteId::new(0), node, millis: 10_000 });
        }
        let view = income.view(&State::default(), at(0));
        let figures = |line: &IncomeLine| {
            let text = |number: &Option<Num>| number.as_ref().map_or("-".to_owned(), ToString::to_string);
            format!(
                "{} {} sold {} of {} unsold {} {}",
                line.sales,
                line.income,
                line.sold,
                text(&line.offered),
                text(&line.unsold),
                text(&line.utilisation)
            )
        };
        assert_eq!(figures(&view.total), "1 4 sold 11 of 20 unsold 9 0.55");
        let days: Vec<String> = view
            .days
            .iter()
            .map(|line| format!("{} {}", line.day.as_ref().unwrap(), figures(line)))
            .collect();
        assert_eq!(
            days,
            ["1970-01-01 0 0 sold 3 of 10 unsold 7 0.3", "1970-01-02 1 4 sold 8 of 10 unsold 2 0.8"]
        );
        let users: Vec<String> = view
            .users
            .iter()
            .map(|line| format!("{} {}", line.user.as_ref().unwrap(), figures(line)))
            .collect();
        assert_eq!(users, ["ada 1 4 sold 10 of - unsold - -", "ben 0 0 sold 1 of - unsold - -"]);
        assert_eq!(view.nodes.len(), 1);
        assert_eq!((view.more, view.since), (false, None));
    }
}
