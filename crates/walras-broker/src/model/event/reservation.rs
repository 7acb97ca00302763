//! What has become of reservations: from asking sites to the last release.

use crate::model::account::Transaction;
use crate::model::allocation::{Allocation, Part};
use crate::model::id::{JobNumber, ReservationNumber};
use crate::model::job::{PartEnd, Why};
use crate::model::moving::MoveStep;
use crate::model::reservation::Origin;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use walras_model::{SiteId, TaskId, Time};

/// What has become of reservations: from asking sites to the last release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReservationEvent {
    /// Sites are asked to prepare; the price is held.
    Asked {
        /// Its number.
        reservation: ReservationNumber,
        /// For which job.
        job: JobNumber,
        /// Where it comes from.
        origin: Origin,
        /// What is to be held.
        allocation: Arc<Allocation>,
        /// Other alternatives, ready for when this one fails.
        spares: Vec<Arc<Allocation>>,
        /// How the lien was booked.
        transaction: Transaction,
        /// Until when all sites must have prepared.
        until: Time,
        /// When what sites have prepared expires.
        expiry: Time,
    },
    /// A site has prepared.
    LegPrepared {
        /// Which reservation.
        reservation: ReservationNumber,
        /// Which site.
        site: SiteId,
    },
    /// All sites have prepared and are asked to confirm.
    Confirming {
        /// Which reservation.
        reservation: ReservationNumber,
        /// Until when all must have.
        until: Time,
    },
    /// A site has confirmed.
    LegConfirmed {
        /// Which reservation.
        reservation: ReservationNumber,
        /// Which site.
        site: SiteId,
    },
    /// All sites have confirmed: the job has its window.
    Held(ReservationNumber),
    /// Parts are to be started.
    PartsDue {
        /// Of which reservation.
        reservation: ReservationNumber,
        /// Which parts.
        parts: Vec<u32>,
    },
    /// A part runs.
    PartStarted {
        /// Of which reservation.
        reservation: ReservationNumber,
        /// Which part.
        part: u32,
        /// Since when.
        at: Time,
    },
    /// A part has ended.
    PartEnded {
        /// Of which reservation.
        reservation: ReservationNumber,
        /// Which part.
        part: u32,
        /// When.
        at: Time,
        /// How.
        end: PartEnd,
    },
    /// Files of a task that are read on another site than where it ran are on their way.
    Files {
        /// For which reservation.
        reservation: ReservationNumber,
        /// Whose files.
        task: TaskId,
        /// Where to.
        to: SiteId,
        /// What has happened to them.
        step: MoveStep,
    },
    /// The parts that have not started run at other times or places.
    Rescheduled {
        /// Of which reservation.
        reservation: ReservationNumber,
        /// All parts.
        parts: Vec<Part>,
        /// Why.
        why: Why,
    },
    /// The reservation is over, one way or another: sites are told, and money is settled.
    Closed {
        /// Which reservation.
        reservation: ReservationNumber,
        /// Why; `None` when the job ended well.
        why: Option<Why>,
        /// How it was settled.
        transaction: Transaction,
        /// Tasks whose results are kept.
        kept: Vec<TaskId>,
    },
    /// A site holds and runs nothing of the reservation any more.
    LegReleased {
        /// Which reservation.
        reservation: ReservationNumber,
        /// Which site.
        site: SiteId,
    },
}
