//! How many nodes workflows may have.
//!
//! A workflow takes as many nodes as there are, for as long as its tasks need: a user who pays would have all of them for hours, and nobody else
//! could start. Fewer nodes keep it from nothing but ending as soon, so that workflows of one user hold at most a share of the nodes at a time
//! ([`SharePolicy::workflow_nodes`](crate::model::sharing::SharePolicy)). Those of a batch get what is left in the order of the batch, each
//! as much as it could use. What is reserved for later, as by `alap`, leaves the nodes until then to who is done by then; who would get nothing waits
//! until some are given back. What was quoted and accepted counts, and stands.
//!
//! O(r log r) in the reservations of workflows, once for a batch, and again in those of its user for each workflow.

use crate::model::job::{Job, JobSpec, Why, WorkflowSpec};
use crate::model::reservation::{Reservation, ReservationPhase};
use crate::model::state::State;
use crate::plan::{OwnNext, Width};
use std::collections::BTreeMap;
use walras_core::refine::Strategy;
use walras_model::quantity::{MILLION, rounding};
use walras_model::workflow::Task;
use walras_model::{Performance, Share, Span, Time, Work, Workflow};

/// What is left of the nodes that workflows of each user may hold.
pub(crate) struct Widths {
    now: Time,
    /// Without limit, where there is none.
    most: Option<u32>,
    held: BTreeMap<String, Vec<Held>>,
}

/// Nodes of one user's workflows from one moment to another.
#[derive(Clone, Copy, Debug)]
struct Held {
    from: Time,
    until: Time,
    nodes: u32,
}

impl Widths {
    /// How it is now.
    pub(crate) fn of(state: &State) -> Widths {
        let most = state.workflow_nodes_max();
        let held = if most.is_some() { state.workflow_nodes() } else { BTreeMap::new() };
        Widths { now: state.clock, most, held }
    }

    /// How many nodes a user's workflows hold at the most at any moment of some time.
    fn peak(&self, user: &str, from: Time, until: Time) -> u32 {
        let all = self.held.get(user).map_or(&[][..], Vec::as_slice);
        let there = all.iter().filter(|held| held.from < until && held.until > from);
        let mut steps: Vec<(Time, i64)> = there
            .flat_map(|held| {
                [(held.from.max(from), i64::from(held.nodes)), (held.until, -i64::from(held.nodes))]
            })
            .collect();
        // Who goes makes room for who comes at that moment.
        steps.sort_unstable();
        let mut sum = 0;
        let peak = steps.into_iter().map(|(_, by)| {
            sum += by;
            sum
        });
        u32::try_from(peak.max().unwrap_or(0)).unwrap_or(u32::MAX)
    }

    /// How many more nodes a user's workflows may hold for good from a moment on; without limit, nothing.
    fn left_from(&self, user: &str, from: Time) -> Option<u32> {
        self.most.map(|most| most.saturating_sub(self.peak(user, from, Time::MAX)))
    }

    /// How many more they may hold for good; without limit, nothing.
    pub(crate) fn left(&self, user: &str) -> Option<u32> {
        self.left_from(user, self.now)
    }

    /// What a workflow may have that was told so the last time; nothing where that is less than it cannot do without.
    pub(crate) fn width(
        &self,
        user: &str,
        of: &WorkflowSpec,
        performance: Performance,
        told: Option<&Why>,
    ) -> Option<Width> {
        let (least, left) = (self.least(&of.workflow), self.left(user)?);
        let for_good = Some(Width { nodes: left, until: None }).filter(|_| left >= least);
        // Who got no window until then looks for one among fewer nodes, and the other way round.
        let again = matches!(told, Some(Why::NodesHad { .. })) && for_good.is_some();
        let soon = if again { None } else { self.soon(user, of, performance, self.now) };
        soon.or(for_good)
    }

    /// What a workflow may have from a moment on until its user's others take more, where it is done by then.
    fn soon(&self, user: &str, of: &WorkflowSpec, performance: Performance, from: Time) -> Option<Width> {
        let width = self.until_next(user, from)?;
        let enough = width.nodes >= self.least(&of.workflow) && of.strategy != Strategy::Alap;
        (enough && self.is_done_by(of, performance, from, width)).then_some(width)
    }

    /// The first moment from which on a workflow may have as many nodes as it cannot do without, and how many these are: for good, or until it is done.
    fn first_room(&self, user: &str, of: &WorkflowSpec, performance: Performance) -> Option<(Time, Width)> {
        let mut moments: Vec<Time> = self.held.get(user)?.iter().map(|held| held.until).collect();
        moments.retain(|end| *end > self.now);
        moments.push(self.now);
        moments.sort_unstable();
        moments.into_iter().find_map(|from| {
            let left = self.left_from(user, from)?;
            let for_good = (left >= self.least(&of.workflow)).then_some(Width { nodes: left, until: None });
            Some((from, self.soon(user, of, performance, from).or(for_good)?))
        })
    }

    /// What is left until the user has fewest left, where that is more.
    fn until_next(&self, user: &str, from: Time) -> Option<Width> {
        let (most, left) = (self.most?, self.left_from(user, from)?);
        let mut later: Vec<Time> =
            self.held.get(user)?.iter().map(|held| held.from).filter(|it| *it > from).collect();
        later.sort_unstable();
        let had = most.saturating_sub(left);
        let at = later.into_iter().find(|at| self.peak(user, from, after(*at)) >= had)?;
        let nodes = most.saturating_sub(self.peak(user, from, at));
        let until = Some(OwnNext { at, had, most });
        (nodes > left).then_some(Width { nodes, until })
    }

    /// Whether list scheduling would have it done by then, were the nodes free: no longer than all of its work on them and its longest chain.
    fn is_done_by(&self, of: &WorkflowSpec, performance: Performance, from: Time, soon: Width) -> bool {
        let work = |task: &Task| task.work.map_or(0, Work::as_millis);
        let useful = u32::try_from(useful(&of.workflow)).unwrap_or(u32::MAX);
        let nodes = i64::from(soon.nodes.min(useful).max(1));
        let all = of.workflow.tasks().iter().map(|task| work(task).saturating_mul(i64::from(task.nodes)));
        let all = i128::from(all.fold(0, i64::saturating_add));
        let shared = i64::try_from(rounding::up(all, i128::from(nodes))).unwrap_or(i64::MAX);
        let longest = of.workflow.ends_in_turn(work).into_iter().max().unwrap_or(0);
        let millis = longest.saturating_add(shared);
        let takes = Work::from_millis(millis.max(1)).and_then(|work| work.runtime_on(performance));
        let done = takes.and_then(|takes| from.checked_add(takes));
        done.is_some_and(|done| soon.until.is_none_or(|until| done <= until.at))
    }

    /// Whether a job gets as many nodes as it cannot do without, where it is a workflow: one, or what its widest task takes.
    pub(crate) fn has_room_for(&self, job: &Job) -> bool {
        job.spec.workflow.is_none() || self.most.is_none() || self.width_of(job).is_some()
    }

    fn width_of(&self, job: &Job) -> Option<Width> {
        let of = job.spec.workflow.as_ref()?;
        self.width(&job.spec.user, of, job.spec.request.performance_min, job.why.as_ref())
    }

    /// How many nodes a workflow cannot do without.
    fn least(&self, workflow: &Workflow) -> u32 {
        workflow.widest().min(self.most.unwrap_or(u32::MAX)).max(1)
    }

    /// Why there is none for it.
    pub(crate) fn why(&self, job: &Job) -> Why {
        let had = self.peak(&job.spec.user, self.now, Time::MAX);
        Why::NodesHad { had, most: self.most.unwrap_or(u32::MAX) }
    }

    /// Gives a workflow as many of what is left as it could use, and says how many, and until when.
    pub(crate) fn take(&mut self, job: &Job) -> Option<Width> {
        let (of, left) = (job.spec.workflow.as_ref()?, self.left(&job.spec.user)?);
        let width = self.width_of(job).unwrap_or(Width { nodes: left, until: None });
        let nodes = u32::try_from(useful(&of.workflow)).unwrap_or(u32::MAX).min(width.nodes);
        let until = width.until.map_or(Time::MAX, |until| until.at);
        let held = Held { from: self.now, until, nodes };
        self.held.entry(job.spec.user.clone()).or_default().push(held);
        Some(Width { nodes: nodes.max(1), ..width })
    }
}

/// The next moment.
fn after(moment: Time) -> Time {
    moment.checked_add(Span::from_millis(1).unwrap_or(Span::ZERO)).unwrap_or(moment)
}

/// At most so many different demands are counted.
const DEMANDS_MAX: usize = 64;

/// How many nodes a workflow could use: tasks that ask for different nodes need those of their own, even one after the other.
fn useful(workflow: &Workflow) -> usize {
    let mut known: Vec<&Task> = Vec::new();
    for task in workflow.tasks() {
        if known.len() == DEMANDS_MAX {
            break;
        }
        if !known.iter().any(|known| known.asks_like(task)) {
            known.push(task);
        }
    }
    let demand = |task: &Task| known.iter().position(|known| known.asks_like(task));
    workflow.widths_by(demand).into_values().fold(0, usize::saturating_add).max(workflow.width())
}

impl State {
    /// How many nodes a user's workflows may hold beside those that they have.
    pub(crate) fn workflow_room(&self, user: &str) -> Option<u32> {
        Widths::of(self).left(user).map(|left| left.max(1))
    }

    /// What a workflow that came now may have before its user's others take more, where that is more than it may have for good; and from when on it has
    /// as many nodes as it cannot do without where it has fewer now, with how many it gets then.
    pub(crate) fn workflow_rooms(&self, spec: &JobSpec) -> (Option<Width>, Option<(Time, Width)>) {
        let Some(of) = &spec.workflow else { return (None, None) };
        let (widths, user, performance) = (Widths::of(self), &spec.user, spec.request.performance_min);
        let soon = widths.soon(user, of, performance, widths.now);
        let lacks = widths.left(user).is_some_and(|left| left < widths.least(&of.workflow));
        (soon, lacks.then(|| widths.first_room(user, of, performance)).flatten())
    }

    /// How many nodes workflows of one user may hold at a time: of all there are that part, and one at least.
    pub(crate) fn workflow_nodes_max(&self) -> Option<u32> {
        let share = self.policy.sharing?.workflow_nodes;
        if share == Share::WHOLE {
            return None;
        }
        let nodes = self.nodes.iter().filter(|node| !node.lost).count();
        let part = i128::try_from(nodes).unwrap_or(i128::MAX).saturating_mul(share.as_millionths().into());
        Some(u32::try_from(rounding::up(part, MILLION.into())).unwrap_or(u32::MAX).max(1))
    }

    /// When the workflows of each user hold how many nodes.
    fn workflow_nodes(&self) -> BTreeMap<String, Vec<Held>> {
        let mut held: BTreeMap<String, Vec<Held>> = BTreeMap::new();
        for reservation in self.of_workflows() {
            let ends = reservation.holds().map(|(_, hold)| hold.interval.end()).max();
            // Nobody knows when that ends which should have ended.
            let until = ends.filter(|end| *end > self.clock).unwrap_or(Time::MAX);
            let nodes = nodes_left(reservation);
            let of = Held { from: reservation.start(), until, nodes };
            held.entry(reservation.user.clone()).or_default().push(of);
        }
        held
    }

    /// What is reserved for workflows and not being closed.
    fn of_workflows(&self) -> impl Iterator<Item = &Reservation> {
        let open = |it: &&Reservation| it.phase != ReservationPhase::Closing;
        let job = |it: &Reservation| self.jobs.get(&it.job);
        let is_workflow = move |it: &&Reservation| job(it).is_some_and(|job| job.spec.workflow.is_some());
        self.reservations.values().filter(open).filter(is_workflow)
    }
}

fn nodes_left(reservation: &Reservation) -> u32 {
    u32::try_from(reservation.holds_left().count()).unwrap_or(u32::MAX)
}
