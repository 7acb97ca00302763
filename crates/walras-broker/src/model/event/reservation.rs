//! What has become of reservations: from asking sites to the last release.

use crate::model::account::Transaction;
use crate::model::allocation::{Allocation, Part};
use crate::model::id::{JobNumber, ReservationNumber};
use crate::model::job::{PartEnd, Why};
use crate::model::moving::MoveStep;
use crate::model::reservation::Origin;
use crate::model::used::Used;
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
        /// The reservation that it holds time for.
        reservation: ReservationNumber,
        /// The site that has prepared.
        site: SiteId,
    },
    /// All sites have prepared and are asked to confirm.
    Confirming {
        /// The reservation that all have prepared.
        reservation: ReservationNumber,
        /// Until when all must have.
        until: Time,
    },
    /// A site has confirmed.
    LegConfirmed {
        /// The reservation that it keeps time for.
        reservation: ReservationNumber,
        /// The site that has confirmed.
        site: SiteId,
    },
    /// All sites have confirmed: the job has its window.
    Held(ReservationNumber),
    /// Parts are to be started.
    PartsDue {
        /// Of which reservation.
        reservation: ReservationNumber,
        /// The parts that their sites are asked to start, by place.
        parts: Vec<u32>,
        /// When they start, where that is sooner than planned.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sooner: Option<Time>,
    },
    /// A site is ready to begin its parts. Once all are, they are told so; without that none of them begins.
    LegReady {
        /// The reservation that has parts there.
        reservation: ReservationNumber,
        /// The site that is ready.
        site: SiteId,
    },
    /// A part runs.
    PartStarted {
        /// Of which reservation.
        reservation: ReservationNumber,
        /// The part, by its place among the reservation's.
        part: u32,
        /// When it began by the site's word; never before sites were asked, nor after now.
        at: Time,
    },
    /// A part has ended.
    PartEnded {
        /// Of which reservation.
        reservation: ReservationNumber,
        /// The part, by its place among the reservation's.
        part: u32,
        /// When it ended by the site's word; never before it began, nor after now.
        at: Time,
        /// Whether it ended well, and if not, how.
        end: PartEnd,
        /// What it used, where its site counts that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        used: Option<Used>,
    },
    /// Files of a task that are read on another site than where it ran are on their way.
    Files {
        /// For which reservation.
        reservation: ReservationNumber,
        /// The task that has written them.
        task: TaskId,
        /// The site where they are read.
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
        /// What made the earlier schedule impossible.
        why: Why,
    },
    /// The reservation is over, one way or another: sites are told, and money is settled.
    Closed {
        /// The reservation that ends.
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
        /// The reservation that it has let go.
        reservation: ReservationNumber,
        /// The site that has let go.
        site: SiteId,
    },
}
