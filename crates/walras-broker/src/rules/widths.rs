//! How many nodes workflows may have.
//!
//! A workflow takes as many nodes as there are, for as long as its tasks need: a user who pays would have all of them for hours, and nobody else
//! could start. Fewer nodes keep it from nothing but ending as soon, so that workflows of one user hold at most a share of the nodes at a time
//! ([`SharePolicy::workflow_nodes`](crate::model::sharing::SharePolicy)). Those of a batch get what is left in the order of the batch, each
//! as much as it could use; a place on a node that is sold in units counts as so many of these. What is reserved for later, as by `alap`, leaves the nodes until then to who is done by then; who would get nothing waits
//! until some are given back. What was quoted and accepted counts, and stands.
//!
//! O(r log r) in the reservations of workflows, once for a batch, and again in those of its user for each workflow.

use crate::model::job::{Job, JobSpec, Why, WorkflowSpec};
use crate::model::reservation::{Reservation, ReservationPhase};
use crate::model::state::State;
use crate::plan::{OwnNext, Width};
use std::collections::{BTreeMap, BTreeSet};
use walras_core::refine::Strategy;
use walras_model::quantity::{MILLION, rounding};
use walras_model::workflow::Task;
use walras_model::{Attributes, Division, NodeId, Performance, Share, Span, Time, Work, Workflow};

/// What is left of the nodes that workflows of each user may hold.
pub(crate) struct Widths<'a> {
    now: Time,
    /// Without limit, where there is none.
    most: Option<u32>,
    held: BTreeMap<String, Vec<Held>>,
    /// What there is of nodes that are sold in units.
    kinds: Kinds<'a>,
}

/// Nodes that are sold in units, each kind once.
type Kinds<'a> = BTreeSet<(&'a Division, &'a Attributes)>;

/// What a workflow wants of nodes.
struct Wanting<'a> {
    of: &'a WorkflowSpec,
    performance: Performance,
    /// The most units that one of its places takes of a node.
    each: u32,
}

/// Units of nodes of one user's workflows from one moment to another.
#[derive(Clone, Copy, Debug)]
struct Held {
    from: Time,
    until: Time,
    units: u32,
}

impl<'a> Widths<'a> {
    /// How it is now.
    pub(crate) fn of(state: &'a State) -> Widths<'a> {
        let most = state.workflow_units_max();
        let held = if most.is_some() { state.workflow_units() } else { BTreeMap::new() };
        Widths { now: state.clock, most, held, kinds: state.kinds_in_units() }
    }

    /// How many units of nodes a user's workflows hold at the most at any moment of some time.
    fn peak(&self, user: &str, from: Time, until: Time) -> u32 {
        let all = self.held.get(user).map_or(&[][..], Vec::as_slice);
        let there = all.iter().filter(|held| held.from < until && held.until > from);
        let mut steps: Vec<(Time, i64)> = there
            .flat_map(|held| {
                [(held.from.max(from), i64::from(held.units)), (held.until, -i64::from(held.units))]
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

    /// How many more units a user's workflows may hold for good from a moment on; without limit, nothing.
    fn left_from(&self, user: &str, from: Time) -> Option<u32> {
        self.most.map(|most| most.saturating_sub(self.peak(user, from, Time::MAX)))
    }

    /// How many more they may hold for good; without limit, nothing.
    pub(crate) fn left(&self, user: &str) -> Option<u32> {
        self.left_from(user, self.now)
    }

    /// What a workflow may have that was told so the last time; nothing where that is less than it cannot do without.
    fn width(&self, user: &str, wanting: &Wanting<'_>, told: Option<&Why>) -> Option<Width> {
        let (least, left) = (self.least(wanting), self.left(user)? / wanting.each);
        let for_good = Some(Width { nodes: left, until: None }).filter(|_| left >= least);
        // Who got no window until then looks for one among fewer nodes, and the other way round.
        let again = matches!(told, Some(Why::NodesHad { .. })) && for_good.is_some();
        let soon = if again { None } else { self.soon(user, wanting, self.now) };
        soon.or(for_good)
    }

    /// What a workflow may have from a moment on until its user's others take more, where it is done by then.
    fn soon(&self, user: &str, wanting: &Wanting<'_>, from: Time) -> Option<Width> {
        let width = self.until_next(user, from)?;
        let width = Width { nodes: width.nodes / wanting.each, ..width };
        let enough = width.nodes >= self.least(wanting) && wanting.of.strategy != Strategy::Alap;
        (enough && self.is_done_by(wanting, from, width)).then_some(width)
    }

    /// The first moment from which on a workflow may have as many nodes as it cannot do without, and how many these are: for good, or until it is done.
    fn first_room(&self, user: &str, wanting: &Wanting<'_>) -> Option<(Time, Width)> {
        let mut moments: Vec<Time> = self.held.get(user)?.iter().map(|held| held.until).collect();
        moments.retain(|end| *end > self.now);
        moments.push(self.now);
        moments.sort_unstable();
        moments.into_iter().find_map(|from| {
            let left = self.left_from(user, from)? / wanting.each;
            let for_good = (left >= self.least(wanting)).then_some(Width { nodes: left, until: None });
            Some((from, self.soon(user, wanting, from).or(for_good)?))
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
    fn is_done_by(&self, wanting: &Wanting<'_>, from: Time, soon: Width) -> bool {
        let of = wanting.of;
        let work = |task: &Task| task.work.map_or(0, Work::as_millis);
        let useful = u32::try_from(useful(&of.workflow)).unwrap_or(u32::MAX);
        let nodes = i64::from(soon.nodes.min(useful).max(1));
        let all = of.workflow.tasks().iter().map(|task| work(task).saturating_mul(i64::from(task.nodes)));
        let all = i128::from(all.fold(0, i64::saturating_add));
        let shared = i64::try_from(rounding::up(all, i128::from(nodes))).unwrap_or(i64::MAX);
        let longest = of.workflow.ends_in_turn(work).into_iter().max().unwrap_or(0);
        let millis = longest.saturating_add(shared);
        let takes = Work::from_millis(millis.max(1)).and_then(|work| work.runtime_on(wanting.performance));
        let done = takes.and_then(|takes| from.checked_add(takes));
        done.is_some_and(|done| soon.until.is_none_or(|until| done <= until.at))
    }

    /// Whether a job gets as many nodes as it cannot do without, where it is a workflow: one, or what its widest task takes.
    pub(crate) fn has_room_for(&self, job: &Job) -> bool {
        job.spec.workflow.is_none() || self.most.is_none() || self.width_of(job).is_some()
    }

    fn width_of(&self, job: &Job) -> Option<Width> {
        self.width(&job.spec.user, &self.wanting(&job.spec)?, job.why.as_ref())
    }

    /// What a job wants, where it is a workflow.
    fn wanting<'j>(&self, spec: &'j JobSpec) -> Option<Wanting<'j>> {
        let (of, performance) = (spec.workflow.as_ref()?, spec.request.performance_min);
        Some(Wanting { of, performance, each: units_of_place(&self.kinds, spec) })
    }

    /// How many nodes a workflow cannot do without.
    fn least(&self, wanting: &Wanting<'_>) -> u32 {
        wanting.of.workflow.widest().min(self.most.unwrap_or(u32::MAX) / wanting.each).max(1)
    }

    /// Why there is none for it.
    pub(crate) fn why(&self, job: &Job) -> Why {
        let had = self.peak(&job.spec.user, self.now, Time::MAX);
        Why::NodesHad { had, most: self.most.unwrap_or(u32::MAX) }
    }

    /// Gives a workflow as many of what is left as it could use, and says how many, and until when.
    pub(crate) fn take(&mut self, job: &Job) -> Option<Width> {
        let (wanting, left) = (self.wanting(&job.spec)?, self.left(&job.spec.user)?);
        let width = self.width(&job.spec.user, &wanting, job.why.as_ref());
        let width = width.unwrap_or(Width { nodes: left / wanting.each, until: None });
        let nodes = u32::try_from(useful(&wanting.of.workflow)).unwrap_or(u32::MAX).min(width.nodes);
        let until = width.until.map_or(Time::MAX, |until| until.at);
        let held = Held { from: self.now, until, units: nodes.saturating_mul(wanting.each) };
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
    /// How many nodes, or places on nodes, a workflow may hold beside what others of its user have.
    pub(crate) fn workflow_room(&self, spec: &JobSpec) -> Option<u32> {
        let widths = Widths::of(self);
        let each = widths.wanting(spec)?.each;
        widths.left(&spec.user).map(|left| (left / each).max(1))
    }

    /// What a workflow that came now may have before its user's others take more, where that is more than it may have for good; and from when on it has
    /// as many nodes as it cannot do without where it has fewer now, with how many it gets then.
    pub(crate) fn workflow_rooms(&self, spec: &JobSpec) -> (Option<Width>, Option<(Time, Width)>) {
        let (widths, user) = (Widths::of(self), &spec.user);
        let Some(wanting) = widths.wanting(spec) else { return (None, None) };
        let soon = widths.soon(user, &wanting, widths.now);
        let lacks = widths.left(user).is_some_and(|left| left / wanting.each < widths.least(&wanting));
        (soon, lacks.then(|| widths.first_room(user, &wanting)).flatten())
    }

    /// How many nodes the places of a workflow may be on: of all units there are that part, and one place at least.
    pub(crate) fn workflow_nodes_max(&self, spec: &JobSpec) -> Option<u32> {
        let each = units_of_place(&self.kinds_in_units(), spec);
        self.workflow_units_max().map(|most| (most / each).max(1))
    }

    /// The kinds of nodes that are sold in units.
    fn kinds_in_units(&self) -> Kinds<'_> {
        let sold = self.sites.iter().flat_map(|site| self.nodes_of(site)).map(|(_, spec)| spec);
        sold.filter(|spec| spec.division.is_divided())
            .map(|spec| (&spec.division, &spec.attributes))
            .collect()
    }

    /// How many units of nodes workflows of one user may hold at a time: of all there are that part, and one at least. A node that is sold whole is one.
    fn workflow_units_max(&self) -> Option<u32> {
        let share = self.policy.sharing?.workflow_nodes;
        if share == Share::WHOLE {
            return None;
        }
        let nodes = self.nodes.iter().zip(0..).filter(|(node, _)| !node.lost);
        let specs = nodes.map(|(_, number)| self.node_spec(NodeId::new(number)));
        let units: i128 = specs.map(|spec| spec.map_or(1, |spec| i128::from(spec.division.units()))).sum();
        let part = units.saturating_mul(share.as_millionths().into());
        Some(u32::try_from(rounding::up(part, MILLION.into())).unwrap_or(u32::MAX).max(1))
    }

    /// When the workflows of each user hold how many units of nodes.
    fn workflow_units(&self) -> BTreeMap<String, Vec<Held>> {
        let mut held: BTreeMap<String, Vec<Held>> = BTreeMap::new();
        for reservation in self.of_workflows() {
            let ends = reservation.holds().map(|(_, hold)| hold.interval.end()).max();
            // Nobody knows when that ends which should have ended.
            let until = ends.filter(|end| *end > self.clock).unwrap_or(Time::MAX);
            let units = reservation.holds_left().map(|(_, hold)| hold.units).fold(0, u32::saturating_add);
            let of = Held { from: reservation.start(), until, units };
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

/// The most units that a place for the tasks of a job takes of a node.
fn units_of_place(kinds: &Kinds<'_>, spec: &JobSpec) -> u32 {
    let (false, Some(of)) = (kinds.is_empty(), &spec.workflow) else { return 1 };
    let mut request = spec.request.clone();
    of.workflow.ask_in(&mut request.scope);
    let units = kinds.iter().filter_map(|(division, stated)| division.units_needed(&request, stated));
    units.max().unwrap_or(1)
}
