//! How the market is at a moment, for charts.

use super::job::state_of_job;
use std::collections::BTreeSet;
use walras_api::Num;
use walras_api::service::{JobState, SampleView, SiteSample};
use walras_broker::State;
use walras_broker::account::Account;
use walras_broker::reservation::PartState;
use walras_model::{Money, NodeId, SiteId, Time};

/// How the market is at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The moment that the figures are of.
    pub at: Time,
    /// Jobs that wait, that have a window, that run, that have ended.
    pub jobs: [u64; 4],
    /// Every site.
    pub sites: Vec<SiteFigures>,
}

/// How a site is at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteFigures {
    nodes: u32,
    sold: u32,
    /// The mean price of what it offers, in micro-credits a second.
    price: Option<i64>,
    balance: Money,
}

impl Sample {
    /// Nothing, at no time.
    pub const EMPTY: Sample = Sample { at: Time::MIN, jobs: [0; 4], sites: Vec::new() };
}

/// How many jobs that have not ended wait, have a window, run.
fn counts(state: &State) -> [u64; 3] {
    let mut counts = [0_u64; 3];
    for job in state.jobs.values().filter(|job| job.offered.is_none()) {
        let place = match state_of_job(state, job) {
            JobState::Running => 2,
            JobState::Reserved | JobState::Reserving => 1,
            JobState::Held
            | JobState::Waiting
            | JobState::Queued
            | JobState::Planning
            | JobState::Planned
            | JobState::Done
            | JobState::Failed
            | JobState::Cancelled
            | JobState::GivenUp => 0,
        };
        counts[place] += 1;
    }
    counts
}

/// The nodes on which something of ours runs.
fn at_work(state: &State) -> BTreeSet<NodeId> {
    let mut nodes = BTreeSet::new();
    for reservation in state.reservations.values() {
        let running = reservation.parts.iter().filter(|part| matches!(part.state, PartState::Running(_)));
        nodes.extend(running.filter_map(|part| reservation.hold_of(&part.plan)?.node));
    }
    nodes
}

/// The mean price of what each site offers now.
fn prices(state: &State, now: Time) -> Vec<Option<i64>> {
    let mut sums = vec![(0_i128, 0_i128); state.sites.len()];
    if let Some(market) = state.market(now, Time::MIN) {
        for slot in market.offers.slots() {
            let site = state.node(slot.node()).and_then(|node| sums.get_mut(node.site.index()));
            if let Some((sum, count)) = site {
                *sum += i128::from(slot.rate().as_micros_per_second());
                *count += 1;
            }
        }
    }
    sums.into_iter().map(|(sum, count)| i64::try_from(sum.checked_div(count)?).ok()).collect()
}

/// Looks at the market.
pub fn sample(state: &State, now: Time) -> Sample {
    let [queued, reserved, running] = counts(state);
    let totals = &state.totals;
    let ended = totals.done + totals.failed + totals.cancelled + totals.given_up;
    let mut sold = vec![0_u32; state.sites.len()];
    for node in at_work(state) {
        if let Some(count) = state.node(node).and_then(|node| sold.get_mut(node.site.index())) {
            *count += 1;
        }
    }
    let figures = (0_u32..).zip(prices(state, now)).zip(sold).filter_map(|((number, price), sold)| {
        let site = state.site(SiteId::new(number))?;
        let nodes = u32::try_from(state.nodes_of(site).count()).unwrap_or(u32::MAX);
        let balance = state.books.balance(&Account::Owner(site.spec.owner.clone()));
        Some(SiteFigures { nodes, sold, price, balance })
    });
    Sample { at: now, jobs: [queued, reserved, running, ended], sites: figures.collect() }
}

/// A sample as the API shows it; what owners earn only where it may be seen.
pub fn sample_view(sample: &Sample, seen: &[bool]) -> SampleView {
    let [queued, reserved, running, ended] = sample.jobs;
    let seen = seen.iter().copied().chain(std::iter::repeat(false));
    let sites = sample.sites.iter().zip(seen).map(|(site, seen)| SiteSample {
        nodes: site.nodes,
        sold: site.sold,
        price: site.price.map(Num::of_millionths),
        balance: seen.then(|| Num::of_money(site.balance)),
    });
    SampleView { at: sample.at.into(), queued, reserved, running, ended, sites: sites.collect() }
}
