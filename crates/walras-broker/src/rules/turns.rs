//! Filling a batch in turn between users.
//!
//! **Problem.** A batch holds so many jobs, and what is planned ahead is only so much of the nodes' time. One user with twenty
//! thousand jobs that came first would have all of it, and everybody else would wait for them.
//!
//! **Method.** Fair queueing: the next place goes to the user who has the least by share, counting what they were served of
//! late, what is planned and reserved for them, and what they have in the batch already; among a user's own jobs rank decides.
//! What their user cannot pay beside the jobs before it is left out. Where no more may be planned ahead, only those go on
//! who have less by share than all together, up to their part. A user's first overdue job goes before everybody's other jobs.
//! Of workflows only so many tasks are in one batch, or one workflow: placing tens of thousands of tasks takes as long as planning
//! hundreds of jobs, and however many such workflows somebody sends, a plan waits for one of them. A user's workflows have so many nodes
//! together ([`super::widths`]); whoever would have none waits.
//!
//! So nobody's place depends on how many jobs others have, but on how many others there are.
//!
//! **Complexity.** O(n log users) for n jobs in rank order.
//!
//! **Source.** A. Demers, S. Keshav, S. Shenker, "Analysis and simulation of a fair queueing algorithm", SIGCOMM 1989; weights by
//! share as there.

use super::means::Means;
use super::widths::Widths;
use crate::model::account::{Account, Unpayable};
use crate::model::id::JobNumber;
use crate::model::job::{Job, Phase, Planned, Why};
use crate::model::rank::Ranked;
use crate::model::reservation::{PartState, Reservation, ReservationPhase};
use crate::model::sharing::SharePolicy;
use crate::model::state::State;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use walras_model::quantity::{MILLION, rounding};
use walras_model::{Money, NodeId, Rate, Time};

/// Who is planned, in order, and who is not, for a reason that they have not been told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Queue {
    pub(crate) batch: Vec<Ranked>,
    pub(crate) turned_away: Vec<(JobNumber, Why)>,
}

/// What a user has ahead, and what they have had.
#[derive(Clone, Debug, Default)]
struct Standing {
    share: i128,
    /// Served of late, planned, reserved, and taken into this batch: milliseconds of one node.
    service: i128,
    /// Planned or reserved and not begun.
    ahead: i128,
    jobs: u64,
    money: i64,
}

/// The batch, of jobs in rank order.
pub(crate) fn fill(
    state: &State,
    rules: &SharePolicy,
    ranked: Vec<Ranked>,
    means: &Means<'_>,
    now: Time,
) -> Queue {
    let mut queue = Queue::default();
    let mut lists: BTreeMap<&str, Vec<Ranked>> = BTreeMap::new();
    for one in ranked {
        if let Some(job) = state.jobs.get(&one.job) {
            lists.entry(&job.spec.user).or_default().push(one);
        }
    }
    for (user, list) in &mut lists {
        let left = means.left(user);
        list.retain(|one| {
            let job = state.jobs.get(&one.job);
            let needed = job.map_or(Money::ZERO, |job| means.least(job));
            let pays = needed <= left;
            if !pays && job.is_some_and(|job| queue.has_room_for(state, job)) {
                queue.turned_away.extend(means.unpayable(user, needed).map(|why| (one.job, why)));
            }
            pays
        });
    }
    lists.retain(|_, list| !list.is_empty());
    let standings = standings(state, rules, now, lists.keys().copied(), means);
    Turns::new(state, rules, lists, standings).take(means, &mut queue);
    queue
}

impl Queue {
    /// Whether a job that cannot be paid is told so now: once, and only so many at a time.
    fn has_room_for(&self, state: &State, job: &Job) -> bool {
        let told = matches!(job.why, Some(Why::NoMoney(_) | Why::OverBudget(_)));
        !told && self.may_tell(state)
    }

    /// Only so many are told at a time why they are not planned.
    fn may_tell(&self, state: &State) -> bool {
        self.turned_away.len() < state.policy.batch_max as usize
    }
}

fn standings<'a>(
    state: &'a State,
    rules: &SharePolicy,
    now: Time,
    waiting: impl Iterator<Item = &'a str>,
    means: &Means<'_>,
) -> BTreeMap<&'a str, Standing> {
    let mut all: BTreeMap<&str, Standing> = waiting.map(|user| (user, Standing::default())).collect();
    for (job, plan) in state.planned() {
        let millis = planned_millis(state, job, plan);
        let standing = all.entry(&job.spec.user).or_default();
        standing.jobs += 1;
        standing.ahead += millis;
        standing.service += millis;
    }
    let open = |it: &&Reservation| it.phase != ReservationPhase::Closing;
    for reservation in state.reservations.values().filter(open) {
        let millis = held_millis(state, reservation);
        let standing = all.entry(&reservation.user).or_default();
        standing.service += millis;
        let begun = reservation.parts.iter().any(|part| part.state != PartState::Waiting);
        standing.ahead += if begun { 0 } else { millis };
    }
    for (user, standing) in &mut all {
        let Some(known) = state.users.get(*user) else { continue };
        standing.share = i128::from(known.user.share.max(1));
        standing.service += i128::from(known.served.at(now, rules.half_life));
        standing.money = means.left(user).as_micros();
    }
    all
}

/// Time on nodes that a reservation holds, or its part of that where it holds units.
fn held_millis(state: &State, reservation: &Reservation) -> i128 {
    reservation.holds_left().map(|(_, hold)| state.time_of(hold)).sum()
}

/// The same of a plan, as if all nodes had performance 1.
fn planned_millis(state: &State, job: &Job, plan: &Planned) -> i128 {
    let work = i128::from(job.spec.request.work.as_millis());
    let part = |(node, _): &(NodeId, Rate)| {
        let known = state.known.node(*node);
        let units =
            known.and_then(|node| Some((node.units_needed(&job.spec.request)?, node.division.units())));
        units.map_or(work, |(units, of)| rounding::up(work * i128::from(units), of.into()))
    };
    plan.places.iter().map(part).sum()
}

/// A user's turn: who has least by share is next, then whose next job ranks higher.
type Turn = (Reverse<i128>, bool, i64, Reverse<JobNumber>, usize);

struct Turns<'a> {
    state: &'a State,
    users: Vec<(Standing, std::vec::IntoIter<Ranked>, Option<Ranked>)>,
    shares: i128,
    /// What may be ahead of everybody together: time on nodes, and jobs.
    ahead_max: i128,
    jobs_max: i128,
    ahead: i128,
    jobs: i128,
    /// What all have.
    service: i128,
}

impl<'a> Turns<'a> {
    fn new(
        state: &'a State,
        rules: &SharePolicy,
        lists: BTreeMap<&str, Vec<Ranked>>,
        mut standings: BTreeMap<&str, Standing>,
    ) -> Turns<'a> {
        let nodes = state.nodes.iter().filter(|node| !node.lost).count();
        let nodes = i128::try_from(nodes).unwrap_or(i128::MAX);
        let queues = state.sites.iter().any(|site| site.spec.nodes.is_empty());
        let shares = standings.values().map(|it| it.share).sum::<i128>().max(1);
        let ahead = standings.values().map(|it| it.ahead).sum();
        let jobs = standings.values().map(|it| i128::from(it.jobs)).sum();
        let service = standings.values().map(|it| it.service).sum();
        let users = lists.into_iter().map(|(user, list)| {
            let mut list = list.into_iter();
            let head = list.next();
            (standings.remove(user).unwrap_or_default(), list, head)
        });
        Turns {
            state,
            users: users.collect(),
            shares,
            // What queues have beside their nodes is not known.
            ahead_max: if queues { i128::MAX } else { nodes.saturating_mul(rules.ahead.as_millis().into()) },
            jobs_max: state.promises().map_or(i128::MAX, |promises| promises.replanned_max.into()),
            ahead,
            jobs,
            service,
        }
    }

    fn turn(&self, place: usize) -> Option<Turn> {
        let (standing, _, head) = &self.users[place];
        let head = head.as_ref()?;
        let service = rounding::down(standing.service * i128::from(MILLION), standing.share.max(1));
        Some((Reverse(service), head.overdue, head.score, Reverse(head.job), place))
    }

    /// Takes jobs until the batch is full or nobody may have more.
    fn take(mut self, means: &Means<'_>, queue: &mut Queue) {
        let room = self.state.policy.batch_max as usize;
        let mut first: Vec<Ranked> = Vec::new();
        let mut then: Vec<Ranked> = Vec::new();
        let mut heap: BinaryHeap<Turn> = (0..self.users.len()).filter_map(|place| self.turn(place)).collect();
        let mut overdue = vec![false; self.users.len()];
        let (mut workflows, mut widths) = (Workflows::default(), Widths::of(self.state));
        while first.len() + then.len() < room
            && let Some((.., place)) = heap.pop()
        {
            if !self.may_have_more(place) {
                continue;
            }
            let (standing, list, head) = &mut self.users[place];
            let Some(one) = std::mem::replace(head, list.next()) else { continue };
            let Some(job) = self.state.jobs.get(&one.job) else { continue };
            let needed = means.least(job);
            if !workflows.has_room_for(job) {
                // It waits for the next batch; its user's other jobs do not.
            } else if !widths.has_room_for(job) {
                if queue.may_tell(self.state) && !matches!(job.why, Some(Why::NodesHad { .. })) {
                    queue.turned_away.push((one.job, widths.why(job)));
                }
            } else if !pays(standing, needed) {
                if queue.has_room_for(self.state, job) {
                    queue.turned_away.push((one.job, short(job, standing, needed)));
                }
            } else {
                let millis = means.node_millis(job);
                workflows.take(job);
                widths.take(job);
                standing.service = standing.service.saturating_add(millis);
                standing.ahead = standing.ahead.saturating_add(millis);
                standing.jobs += 1;
                self.service = self.service.saturating_add(millis);
                self.ahead = self.ahead.saturating_add(millis);
                self.jobs += 1;
                let leads = one.overdue && !std::mem::replace(&mut overdue[place], true);
                if leads { &mut first } else { &mut then }.push(one);
            }
            heap.extend(self.turn(place));
        }
        first.sort_by_key(|it| (Reverse(it.score), it.job));
        first.extend(then);
        queue.batch = first;
    }

    /// Whether a user may have more planned ahead: while there is room for all; and when there is not, while they have less by share
    /// than all together, and less than their part is ahead.
    fn may_have_more(&self, place: usize) -> bool {
        let (standing, ..) = &self.users[place];
        let room = self.ahead < self.ahead_max && self.jobs < self.jobs_max;
        let less = |own: i128, of: i128| own.saturating_mul(self.shares) < of.saturating_mul(standing.share);
        let part = less(standing.ahead, self.ahead_max) && less(standing.jobs.into(), self.jobs_max);
        room || part && less(standing.service, self.service)
    }
}

/// Workflows of one batch have so many tasks together, unless there is only one: the others wait for the next, so that a plan takes no
/// longer because of how many there are.
const WORKFLOW_TASKS_MAX: usize = 5_000;

/// The tasks of workflows in a batch.
#[derive(Default)]
struct Workflows {
    tasks: usize,
}

impl Workflows {
    fn tasks_of(job: &Job) -> usize {
        job.spec.workflow.as_ref().map_or(0, |of| of.workflow.tasks().len())
    }

    /// Whether there is room for a job: always, where it is none, or the first.
    fn has_room_for(&self, job: &Job) -> bool {
        let own = Self::tasks_of(job);
        own == 0 || self.tasks == 0 || self.tasks.saturating_add(own) <= WORKFLOW_TASKS_MAX
    }

    fn take(&mut self, job: &Job) {
        self.tasks = self.tasks.saturating_add(Self::tasks_of(job));
    }
}

/// Takes the least that a job costs from what its user has; false where that is too little.
fn pays(standing: &mut Standing, least: Money) -> bool {
    let pays = least.as_micros() <= standing.money;
    if pays {
        standing.money -= least.as_micros();
    }
    pays
}

/// What a user has beside the jobs before it does not pay a job.
fn short(job: &Job, standing: &Standing, needed: Money) -> Why {
    let account = Account::User(job.spec.user.clone());
    Why::NoMoney(Unpayable::Short { account, available: Money::from_micros(standing.money), needed })
}

impl State {
    /// Whether a job is a workflow without which the last plan of its batch was made, since with it that took too long.
    pub(crate) fn was_left_out(&self, job: &Job) -> bool {
        job.why == Some(Why::NotPlanned) && job.missed.is_some() && job.spec.workflow.is_some()
    }

    /// Whether a job that fitted nowhere is left alone for now.
    ///
    /// After the first time it is left alone for a cycle, then for two, four and so on, unless something has come since that it
    /// could make use of.
    pub(crate) fn rests(&self, job: &Job, rules: &SharePolicy, now: Time) -> bool {
        let Some((times, at)) = job.missed else { return false };
        let funded = self.users.get(job.spec.user.as_str()).map_or(Time::MIN, |user| user.funded_at);
        let freed = times <= FREED_MAX && self.freed_at > at;
        if self.helped_at > at || funded > at || freed || job.phase != Phase::Queued {
            return false;
        }
        let doubled =
            self.policy.cycle_every.as_millis().saturating_mul(1 << times.saturating_sub(1).min(40));
        let rest = doubled.min(rules.rest_max.as_millis());
        // A cycle that begins a moment early counts as the next.
        now.as_millis() < at.as_millis().saturating_add(rest).saturating_sub(rest / 16)
    }
}

/// Time that is given back ends the rest of who has missed no more plans than this.
const FREED_MAX: u32 = 3;
