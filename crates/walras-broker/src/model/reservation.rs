//! Reservations: what is asked of sites for one job, and how far each of its legs and parts is.

use super::allocation::{Allocation, Hold, LateParts, Part, SupportingParts};
use super::budget::Spender;
use super::glance::KeptGlance;
use super::id::{CycleNumber, JobNumber, QuoteNumber};
use super::job::PartEnd;
use super::moving::Moving;
use super::used::Used;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use walras_model::{Money, SiteId, TaskId, Time};

/// All sites of a window must be ready so long before it begins, in milliseconds, or it does not.
const READY_BEFORE: i64 = 1_000;

/// Where a reservation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// A cycle chose it.
    Cycle(CycleNumber),
    /// A user accepted a quote.
    Quote(QuoteNumber),
    /// It is held for a quote, and may be taken or not.
    Offered(QuoteNumber),
    /// A spare alternative took the place of one that failed.
    Spare,
    /// It was planned, and starts soon.
    Plan,
}

/// What is asked of sites for one job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reservation {
    /// For which job.
    pub job: JobNumber,
    /// Whose job it is.
    pub user: String,
    /// Where it comes from.
    pub origin: Origin,
    /// What every site holds, and how far it is.
    pub legs: Vec<ReservedLeg>,
    /// What runs, as it is planned now, and how far it is.
    pub parts: Vec<ReservedPart>,
    /// What is ready for the loss of a node, for workflows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supports: Vec<SupportingParts>,
    /// What is ready for tasks that may be late.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub late: Vec<LateParts>,
    /// How far all of it is.
    pub phase: ReservationPhase,
    /// What is held of the user's money.
    pub lien: Money,
    /// In whose budgets that counts.
    pub spenders: Vec<Spender>,
    /// When sites were asked to prepare.
    pub asked_at: Time,
    /// Files that are on their way: of which task, and where to.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub moving: BTreeMap<(TaskId, SiteId), Moving>,
    /// When what sites have prepared expires.
    pub expiry: Time,
    /// When something of it is due; it follows from the rest, and is not written down.
    #[serde(skip)]
    pub(crate) glance: KeptGlance,
}

/// What one site holds for a reservation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReservedLeg {
    /// The site that holds it, or is asked to.
    pub site: SiteId,
    /// What it holds, or is asked to.
    pub holds: Vec<Hold>,
    /// How far it is.
    pub state: LegState,
    /// Whether it is ready; nothing where it begins by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readiness: Option<Readiness>,
}

/// Whether a site is ready for its parts of a window over several sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Readiness {
    /// It has not said so.
    Awaited,
    /// It has: it begins them at their time once it is told that all sites have.
    Ready,
}

/// A part of a reservation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReservedPart {
    /// Where and when it should run.
    pub plan: Part,
    /// How far it is.
    pub state: PartState,
    /// What it used, where it has ended and its site counts that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<Used>,
}

/// How far a reservation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReservationPhase {
    /// Sites prepare, until then.
    Preparing(Time),
    /// Sites confirm, until then.
    Confirming(Time),
    /// All sites have confirmed.
    Held,
    /// It is over, and sites are told.
    Closing,
}

/// How far a site is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LegState {
    /// It was asked to prepare.
    Asked,
    /// It has prepared.
    Prepared,
    /// It has confirmed.
    Confirmed,
    /// It was asked to let go.
    Leaving,
    /// It has let go.
    Gone,
}

/// How far a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartState {
    /// Its time has not come.
    Waiting,
    /// Its site was asked to start it.
    Due,
    /// It runs.
    Running(Time),
    /// It has ended.
    Ended {
        /// When it started.
        since: Time,
        /// When it ended, by the site's word.
        at: Time,
        /// Whether it ended well, and if not, how.
        end: PartEnd,
    },
}

impl PartState {
    /// Whether its site was asked to start it, and has not said that it ended.
    pub fn has_begun(self) -> bool {
        matches!(self, PartState::Due | PartState::Running(_))
    }

    /// Whether it ended, well or not.
    pub fn has_ended(self) -> bool {
        matches!(self, PartState::Ended { .. })
    }

    /// Whether it ended well.
    pub fn is_done(self) -> bool {
        matches!(self, PartState::Ended { end: PartEnd::Done, .. })
    }
}

impl Reservation {
    /// The legs of an alternative, whose sites were just asked to prepare. Where several begin a parallel job, those that can wait for the others
    /// do.
    pub(crate) fn legs_asked(allocation: &Allocation, waits: impl Fn(SiteId) -> bool) -> Vec<ReservedLeg> {
        let parallel = allocation.parts.iter().all(|part| part.task.is_none()) && !allocation.is_queue();
        let together = allocation.legs.len() > 1 && parallel;
        let asked = allocation.legs.iter().map(|leg| ReservedLeg {
            site: leg.site,
            holds: leg.holds.clone(),
            state: LegState::Asked,
            readiness: (together && waits(leg.site)).then_some(Readiness::Awaited),
        });
        asked.collect()
    }

    /// The parts of an alternative, none of which has begun.
    pub(crate) fn parts_waiting(allocation: &Allocation) -> Vec<ReservedPart> {
        let waiting =
            |part: &Part| ReservedPart { plan: part.clone(), state: PartState::Waiting, used: None };
        allocation.parts.iter().map(waiting).collect()
    }

    /// The leg of a site.
    pub fn leg(&self, site: SiteId) -> Option<&ReservedLeg> {
        self.legs.iter().find(|leg| leg.site == site)
    }

    /// All holds with their sites.
    pub fn holds(&self) -> impl Iterator<Item = (SiteId, &Hold)> {
        self.legs.iter().flat_map(|leg| leg.holds.iter().map(move |hold| (leg.site, hold)))
    }

    /// The holds that sites have not let go.
    pub fn holds_left(&self) -> impl Iterator<Item = (SiteId, &Hold)> {
        let left = self.legs.iter().filter(|leg| leg.state != LegState::Gone);
        left.flat_map(|leg| leg.holds.iter().map(move |hold| (leg.site, hold)))
    }

    /// The hold of a part.
    pub fn hold_of(&self, part: &Part) -> Option<&Hold> {
        self.leg(part.site)?.holds.get(part.hold as usize)
    }

    /// Whether it is in a queue, where no time is guaranteed: then none of its holds has a node, and otherwise each.
    pub fn is_queue(&self) -> bool {
        self.holds().next().is_some_and(|(_, hold)| hold.node.is_none())
    }

    /// When its first hold starts.
    pub fn start(&self) -> Time {
        self.holds().map(|(_, hold)| hold.interval.start()).min().unwrap_or(Time::MIN)
    }

    /// When its last part should have ended.
    pub fn finish(&self) -> Time {
        self.parts.iter().map(|part| part.plan.end).max().unwrap_or(Time::MIN)
    }

    /// Whether any part on a site was ever to be started.
    pub fn started_on(&self, site: SiteId) -> bool {
        self.parts.iter().any(|part| part.plan.site == site && part.state != PartState::Waiting)
    }

    /// Whether some site has yet to say that it is ready.
    pub fn is_awaited(&self) -> bool {
        self.legs.iter().any(|leg| leg.readiness == Some(Readiness::Awaited))
    }

    /// Whether a site begins its parts only when it is told that all sites are ready.
    pub fn is_held_back(&self, site: SiteId) -> bool {
        self.leg(site).is_some_and(|leg| leg.readiness.is_some())
    }

    /// When it is too late for a site to become ready: who is told later than that may not hear of it in time. Nothing where none is awaited.
    pub fn ready_by(&self) -> Option<Time> {
        let first = self.parts.iter().map(|part| part.plan.start).min().filter(|_| self.is_awaited())?;
        Some(Time::from_millis(first.as_millis().saturating_sub(READY_BEFORE)).unwrap_or(first))
    }

    /// Whether every part has ended well.
    pub fn is_done(&self) -> bool {
        self.parts.iter().all(|part| part.state.is_done())
    }
}
