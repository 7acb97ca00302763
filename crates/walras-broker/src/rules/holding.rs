//! When a window that is planned is reserved: as late as its sites allow, since whoever comes meanwhile can only go ahead of what is not held.
//!
//! Every site has as long as it needs to answer and to come up ([`State::lead_of`], twice what it has taken of late). A window is asked for by the plan
//! that is made twice `replan_every` before that time begins, and where none comes, half as long before it. Nothing is asked
//! for more than `ahead` of its start, and everything is that early where the rules say so (by half of that at the latest, where no plan comes).
//!
//! O(sites), and for a plan O(its nodes) where sites differ.

use crate::model::job::Planned;
use crate::model::policy::PromisePolicy;
use crate::model::state::State;
use walras_model::{SiteId, Span, Time};

/// How long before the start of a window something is done, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Ahead {
    /// It is asked for by the plan of that moment.
    at: i64,
    /// It is asked for although no plan has come since.
    by: i64,
}

/// How long before their start windows are reserved, by site.
pub(crate) struct Aheads {
    sites: Vec<Ahead>,
    /// The longest.
    most: Ahead,
    alike: bool,
}

impl State {
    /// How long before their start windows are reserved; nothing where they are at once.
    pub(crate) fn aheads(&self) -> Option<Aheads> {
        let rules = self.promises()?;
        let sites = (0..self.sites.len()).filter_map(SiteId::from_index);
        let sites: Vec<Ahead> = sites.map(|site| self.ahead_of(site, rules)).collect();
        let most = sites.iter().copied().max().unwrap_or_else(|| earliest(rules));
        let alike = sites.iter().all(|ahead| *ahead == most);
        Some(Aheads { sites, most, alike })
    }

    fn ahead_of(&self, site: SiteId, rules: &PromisePolicy) -> Ahead {
        let earliest = earliest(rules);
        if rules.early {
            return earliest;
        }
        let sent = self.site(site).map_or(Span::ZERO, |site| site.spec.timing.ahead);
        let needs = self.lead_of(site).as_millis().saturating_add(sent.as_millis());
        let replan = rules.replan_every.as_millis();
        let at = needs.saturating_add(replan.saturating_mul(2));
        if at < earliest.at { Ahead { at, by: needs.saturating_add(replan) } } else { earliest }
    }
}

/// As early as anything is asked for.
fn earliest(rules: &PromisePolicy) -> Ahead {
    Ahead { at: rules.ahead.as_millis(), by: rules.ahead.as_millis() / 2 }
}

impl Aheads {
    /// From when on a window is asked for, by the plan of that moment: another may go ahead of it then.
    pub(crate) fn hold_at(&self, state: &State, plan: &Planned) -> Time {
        before(plan, self.of(state, plan).at)
    }

    /// When it is asked for although no plan has come since.
    pub(crate) fn hold_by(&self, state: &State, plan: &Planned) -> Time {
        before(plan, self.of(state, plan).by)
    }

    /// As long before its start as a window is asked for by a plan, wherever it is.
    pub(crate) fn longest(&self) -> Span {
        Span::from_millis(self.most.at).unwrap_or(Span::ZERO)
    }

    /// What starts by then is asked for by the plan of this moment, wherever it is.
    pub(crate) fn held(&self, now: Time) -> Time {
        let ahead = self.sites.iter().copied().min().unwrap_or(self.most);
        Time::from_millis(now.as_millis().saturating_add(ahead.at)).unwrap_or(Time::MAX)
    }

    fn of(&self, state: &State, plan: &Planned) -> Ahead {
        if self.alike {
            return self.most;
        }
        let sites = plan.places.iter().filter_map(|(node, _)| state.node(*node)).map(|node| node.site);
        sites.filter_map(|site| self.sites.get(site.index())).copied().max().unwrap_or(self.most)
    }
}

fn before(plan: &Planned, millis: i64) -> Time {
    Time::from_millis(plan.start.as_millis().saturating_sub(millis)).unwrap_or(Time::MIN)
}
