//! How many nodes workflows may have.
//!
//! A workflow takes as many nodes as there are, for as long as its tasks need: a user who pays would have all of them for hours, and nobody else
//! could start. Fewer nodes keep it from nothing but ending as soon, so that workflows of one user hold at most a share of the nodes together
//! ([`SharePolicy::workflow_nodes`](crate::model::sharing::SharePolicy)). Those of a batch get what is left in the order of the batch, each
//! as much as it could use; who would get nothing waits until some are given back. What was quoted and accepted counts, and stands.
//!
//! O(reservations), once for a batch.

use crate::model::job::{Job, JobSpec, Why};
use crate::model::reservation::{Reservation, ReservationPhase};
use crate::model::state::State;
use std::collections::BTreeMap;
use walras_model::quantity::{MILLION, rounding};
use walras_model::workflow::Task;
use walras_model::{Share, Time, Workflow};

/// What is left of the nodes that workflows of each user may hold.
pub(crate) struct Widths {
    /// Without limit, where there is none.
    most: Option<u32>,
    held: BTreeMap<String, u32>,
}

impl Widths {
    /// How it is now.
    pub(crate) fn of(state: &State) -> Widths {
        let most = state.workflow_nodes_max();
        let held = if most.is_some() { state.workflow_nodes() } else { BTreeMap::new() };
        Widths { most, held }
    }

    /// How many a user's workflows may hold beside those that they have; without limit, nothing.
    pub(crate) fn left(&self, user: &str) -> Option<u32> {
        let held = self.held.get(user).copied().unwrap_or(0);
        self.most.map(|most| most.saturating_sub(held))
    }

    /// Whether a job gets as many nodes as it cannot do without, where it is a workflow: one, or what its widest task takes.
    pub(crate) fn has_room_for(&self, job: &Job) -> bool {
        let Some(of) = &job.spec.workflow else { return true };
        self.left(&job.spec.user).is_none_or(|left| left >= self.least(&of.workflow))
    }

    /// How many nodes a workflow cannot do without.
    fn least(&self, workflow: &Workflow) -> u32 {
        workflow.widest().min(self.most.unwrap_or(u32::MAX)).max(1)
    }

    /// Why there is none for it.
    pub(crate) fn why(&self, job: &Job) -> Why {
        let had = self.held.get(job.spec.user.as_str()).copied().unwrap_or(0);
        Why::NodesHad { had, most: self.most.unwrap_or(u32::MAX) }
    }

    /// Gives a workflow as many of what is left as it could use, and says how many.
    pub(crate) fn take(&mut self, job: &Job) -> Option<u32> {
        let left = self.left(&job.spec.user)?;
        let width = job.spec.workflow.as_ref().map_or(0, |of| useful(&of.workflow));
        let taken = u32::try_from(width).unwrap_or(u32::MAX).min(left);
        *self.held.entry(job.spec.user.clone()).or_default() += taken;
        Some(taken.max(1))
    }
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

    /// From when on a workflow that came now gets as many nodes as it cannot do without, and how many it gets then, where its user's others
    /// hold too many until then.
    pub(crate) fn workflow_room_from(&self, spec: &JobSpec) -> Option<(Time, u32)> {
        let (of, mut widths) = (spec.workflow.as_ref()?, Widths::of(self));
        let (user, least) = (spec.user.as_str(), widths.least(&of.workflow));
        if widths.left(user)? >= least {
            return None;
        }
        let mut own: Vec<(Time, u32)> = self
            .of_workflows()
            .filter(|it| it.user == user)
            .map(|it| (it.finish(), nodes_left(it)))
            .collect();
        own.sort_unstable();
        own.into_iter().find_map(|(finish, nodes)| {
            let held = widths.held.get_mut(user)?;
            *held = held.saturating_sub(nodes);
            Some((finish, widths.left(user)?)).filter(|(_, left)| *left >= least)
        })
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

    /// How many nodes the workflows of each user hold.
    fn workflow_nodes(&self) -> BTreeMap<String, u32> {
        let mut held: BTreeMap<String, u32> = BTreeMap::new();
        for reservation in self.of_workflows() {
            let sum = held.entry(reservation.user.clone()).or_default();
            *sum = sum.saturating_add(nodes_left(reservation));
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
