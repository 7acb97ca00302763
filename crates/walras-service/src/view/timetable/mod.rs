//! Who has which node when: node by node, or of very many nodes in sums.
//!
//! Nobody reads ten thousand rows. Where there are more nodes than are listed, they are summed up by blocks of some hundred nodes
//! that follow each other in a site; whoever wants to see the rows of a block asks for that stretch of the site's nodes. What
//! a timetable costs is linear in what is reserved and planned, beside sorting it, and in the nodes that are listed.

mod sums;

use super::{node_name, site_name};
use crate::journal::record::{Record, v1};
use std::collections::{BTreeMap, BTreeSet};
use walras_api::service::{BarKind, TimetableBar, TimetableRow, TimetableView};
use walras_broker::State;
use walras_broker::job::{Job, Phase};
use walras_broker::reservation::{PartState, Reservation, ReservationPhase};
use walras_broker::site::Free;
use walras_broker::state::NodeState;
use walras_model::interval::complement;
use walras_model::{Interval, NodeId, SiteId, Time};

/// At most so many nodes are shown.
pub const ROWS_MAX: usize = 2_000;

/// Some nodes that follow each other, of a site or of all.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// Of this site; of all, without.
    pub site: Option<SiteId>,
    /// From this one on, counted from 0.
    pub first: usize,
    /// At most so many.
    pub most: usize,
}

impl Stretch {
    /// The nodes, in the order of sites and nodes.
    pub fn nodes<'a>(&self, state: &'a State) -> impl Iterator<Item = (NodeId, &'a NodeState)> + use<'a> {
        self.all(state).skip(self.first).take(self.most)
    }

    /// All nodes of the site, or of all sites.
    fn all<'a>(&self, state: &'a State) -> impl Iterator<Item = (NodeId, &'a NodeState)> + use<'a> {
        let site = self.site;
        let all = state.nodes.iter().zip(0_u32..).map(|(node, number)| (NodeId::new(number), node));
        all.filter(move |(_, node)| site.is_none_or(|site| node.site == site))
    }
}

/// What is asked of a timetable.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Of these nodes.
    pub stretch: Stretch,
    /// In this time.
    pub shown: Interval,
    /// Only nodes that are called so, or that somebody's job which may be seen uses: a part of its number, name or user.
    pub find: Option<String>,
    /// Sums by blocks, where there are more nodes than are listed.
    pub sums: bool,
}

/// What may be known of a job.
#[derive(Clone, Copy)]
struct Known<'a> {
    job: u64,
    name: Option<&'a str>,
    user: &'a str,
}

/// A stretch of a node's time.
struct Use<'a> {
    node: NodeId,
    interval: Interval,
    kind: BarKind,
    of: Option<Known<'a>>,
}

/// Who has which node when; whose jobs they are only where `seen` says so, of a user's job on these sites. `past` are jobs that
/// have ended.
pub fn timetable_view(
    state: &State,
    now: Time,
    wanted: &Wanted,
    past: &[Record],
    seen: impl Fn(&str, &[SiteId]) -> bool,
) -> TimetableView {
    let shown = wanted.shown;
    let mut uses = of_reservations(state, now, shown, &seen);
    uses.extend(of_plans(state, shown, &seen));
    uses.extend(of_past(state, past, shown, &seen));
    uses.extend(of_owners(state, shown));
    let found = wanted.find.as_ref().map(|word| found(state, &word.to_lowercase(), &uses));
    let takes = |node: &NodeId| found.as_ref().is_none_or(|found| found.contains(node));
    let all = wanted.stretch.all(state).filter(|(node, _)| takes(node)).count();
    let summed = wanted.sums && all > wanted.stretch.most;
    let (mut rows, mut blocks) = (Vec::new(), Vec::new());
    if summed {
        blocks = sums::blocks(state, wanted.stretch.site, &uses, shown);
    } else {
        let listed = wanted.stretch.all(state).filter(|(node, _)| takes(node));
        let listed = listed.skip(wanted.stretch.first).take(wanted.stretch.most);
        let mut bars: BTreeMap<NodeId, Vec<&Use<'_>>> = listed.map(|(node, _)| (node, Vec::new())).collect();
        for it in &uses {
            if let Some(bars) = bars.get_mut(&it.node) {
                bars.push(it);
            }
        }
        rows = bars.into_iter().map(|(node, bars)| row(state, node, bars)).collect();
    }
    TimetableView {
        now: now.into(),
        from: shown.start().into(),
        to: shown.end().into(),
        rows,
        nodes: u32::try_from(all).unwrap_or(u32::MAX),
        blocks,
    }
}

fn row(state: &State, node: NodeId, mut bars: Vec<&Use<'_>>) -> TimetableRow {
    bars.sort_by_key(|bar| bar.interval.start());
    let of = state.node(node);
    TimetableRow {
        site: of.map_or_else(String::new, |of| site_name(state, of.site)),
        node: node_name(state, node),
        lost: of.is_some_and(|of| of.lost),
        bars: bars.into_iter().map(bar).collect(),
    }
}

fn bar(it: &Use<'_>) -> TimetableBar {
    TimetableBar {
        start: it.interval.start().into(),
        end: it.interval.end().into(),
        kind: it.kind,
        job: it.of.map(|of| of.job),
        name: it.of.and_then(|of| of.name).map(str::to_owned),
        user: it.of.map(|of| of.user.to_owned()),
    }
}

/// The nodes that somebody means by a word in lower case: by their own names, or by those of the jobs on them.
fn found(state: &State, word: &str, uses: &[Use<'_>]) -> BTreeSet<NodeId> {
    let means = |text: &str| text.to_lowercase().contains(word);
    let meant =
        |of: &Known<'_>| of.job.to_string().contains(word) || of.name.is_some_and(means) || means(of.user);
    let by_job = uses.iter().filter(|it| it.of.as_ref().is_some_and(meant)).map(|it| it.node);
    let called = |(node, of): &(NodeId, &NodeState)| {
        means(&format!("{}/{}", site_name(state, of.site), node_name(state, *node)))
    };
    let whole = Stretch { site: None, first: 0, most: usize::MAX };
    by_job.chain(whole.nodes(state).filter(called).map(|(node, _)| node)).collect()
}

/// What sites hold, and what runs.
fn of_reservations<'a>(
    state: &'a State,
    now: Time,
    shown: Interval,
    seen: &impl Fn(&str, &[SiteId]) -> bool,
) -> Vec<Use<'a>> {
    let mut all = Vec::new();
    for reservation in state.reservations.values() {
        let sites: Vec<SiteId> = reservation.legs.iter().map(|leg| leg.site).collect();
        let of = seen(&reservation.user, &sites).then(|| Known {
            job: reservation.job.get(),
            name: state.jobs.get(&reservation.job).map(|job| job.spec.request.name.as_str()),
            user: &reservation.user,
        });
        for (node, interval, kind) in uses(reservation, now) {
            let Some(interval) = interval.intersection(shown) else { continue };
            all.push(Use { node, interval, kind, of });
        }
    }
    all
}

/// What is planned, and may move.
fn of_plans<'a>(state: &'a State, shown: Interval, seen: &impl Fn(&str, &[SiteId]) -> bool) -> Vec<Use<'a>> {
    let mut all = Vec::new();
    for job in state.jobs.values() {
        let sites: Vec<SiteId> = state.planned_sites(job).into_iter().collect();
        let of = seen(&job.spec.user, &sites).then(|| Known {
            job: job.number.get(),
            name: Some(&job.spec.request.name),
            user: &job.spec.user,
        });
        for (node, interval) in planned(state, job) {
            let Some(interval) = interval.intersection(shown) else { continue };
            all.push(Use { node, interval, kind: BarKind::Planned, of });
        }
    }
    all
}

/// What has run, of jobs that have ended.
fn of_past<'a>(
    state: &State,
    past: &'a [Record],
    shown: Interval,
    seen: &impl Fn(&str, &[SiteId]) -> bool,
) -> Vec<Use<'a>> {
    let mut all = Vec::new();
    for Record::V1(job) in past {
        // As long as the reservation is here it has been seen above.
        if job.reservation.is_some_and(|number| state.reservations.contains_key(&number)) {
            continue;
        }
        let of = seen(&job.user, &job.sites).then(|| Known {
            job: job.number.get(),
            name: Some(&job.name),
            user: &job.user,
        });
        let ran = job.parts.iter().filter(|part| matches!(part.stage, v1::Stage::Ended(_)));
        for (node, part) in ran.filter_map(|part| Some((part.node?, part))) {
            let interval = Interval::new(part.start, part.end).and_then(|it| it.intersection(shown));
            let Some(interval) = interval else { continue };
            all.push(Use { node, interval, kind: BarKind::Ended, of });
        }
    }
    all
}

/// Where a job is planned, while nothing is held for it.
pub(super) fn planned(state: &State, job: &Job) -> Vec<(NodeId, Interval)> {
    let plan = job.plan.as_ref().filter(|_| job.phase == Phase::Planned);
    let places = plan.into_iter().flat_map(|plan| plan.places.iter().map(|(node, _)| (plan.start, *node)));
    let taken = places.filter_map(|(start, node)| {
        let span = job.spec.request.work.runtime_on(state.node_spec(node)?.performance)?;
        Some((node, Interval::new(start, start.checked_add(span)?)?))
    });
    taken.collect()
}

/// What a reservation uses: its holds, and within them what runs or has run.
fn uses(reservation: &Reservation, now: Time) -> Vec<(NodeId, Interval, BarKind)> {
    let mut all = Vec::new();
    for (site, hold) in reservation.holds_left() {
        let Some(node) = hold.node else { continue };
        let ran = reservation.parts.iter().filter(|part| {
            part.plan.site == site && reservation.hold_of(&part.plan).is_some_and(|it| std::ptr::eq(it, hold))
        });
        let mut busy = Vec::new();
        for part in ran {
            let (since, until, kind) = match part.state {
                PartState::Running(since) => (since, hold.interval.end(), BarKind::Running),
                PartState::Ended { since, at, .. } => (since, at, BarKind::Ended),
                PartState::Waiting | PartState::Due => continue,
            };
            if let Some(interval) = Interval::new(since, until) {
                busy.push(interval);
                all.push((node, interval, kind));
            }
        }
        let kind = match reservation.phase {
            ReservationPhase::Preparing(_) | ReservationPhase::Confirming(_) => BarKind::Asked,
            ReservationPhase::Held => BarKind::Held,
            ReservationPhase::Closing => continue,
        };
        let rest = complement(hold.interval, &busy).into_iter().filter(|it| it.end() > now);
        all.extend(rest.map(|interval| (node, interval, kind)));
    }
    all
}

/// When nodes are not offered, as the sites said last.
fn of_owners(state: &State, shown: Interval) -> Vec<Use<'static>> {
    let mut all = Vec::new();
    for site in state.sites.iter() {
        let Some((at, free)) = &site.free else { continue };
        let Free::Slots(free) = &**free else { continue };
        // Beyond the horizon nobody was asked.
        let asked = at.checked_add(state.policy.horizon).unwrap_or(Time::MAX);
        let Some(known) = Interval::new(shown.start().max(*at), shown.end().min(asked)) else { continue };
        let mut by_node: BTreeMap<NodeId, Vec<Interval>> = BTreeMap::new();
        for time in free {
            by_node.entry(time.node).or_default().push(time.interval);
        }
        for (node, _) in state.nodes_of(site) {
            let mut busy = complement(known, by_node.get(&node).map_or(&[][..], Vec::as_slice));
            if let Some(state) = state.node(node) {
                busy.extend(state.taken.iter().filter_map(|taken| taken.intersection(shown)));
            }
            let busy = walras_model::interval::merge(&busy).into_iter();
            all.extend(busy.map(|interval| Use { node, interval, kind: BarKind::Owner, of: None }));
        }
    }
    all
}
