//! What has become of quotes.

use crate::model::account::Transaction;
use crate::model::chain::QuotedMember;
use crate::model::id::{JobNumber, QuoteNumber, ReservationNumber};
use crate::model::input::RequestKey;
use crate::model::job::{JobSpec, Why};
use crate::model::quote::QuoteOption;
use crate::model::stand_in::{is_stand_in, stand_in};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use walras_model::{Explanation, Money, Time};

/// What has become of quotes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuoteEvent {
    /// A quote was given.
    Given {
        /// Its number.
        quote: QuoteNumber,
        /// The request.
        key: RequestKey,
        /// The job that was asked about; accepting makes it a job.
        #[serde(default = "stand_in", skip_serializing_if = "is_stand_in")]
        spec: Arc<JobSpec>,
        /// The alternatives, none better than another in every way.
        options: Arc<[QuoteOption]>,
        /// Until when it binds.
        until: Time,
        /// Why there is no alternative, and what would help.
        why: Option<Box<Explanation>>,
        /// By alternative: the job that it becomes when it is taken, where sites are asked to hold it meanwhile.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        holds: Vec<JobNumber>,
    },
    /// A quote for a whole chain was given.
    ChainGiven {
        /// Its number.
        quote: QuoteNumber,
        /// The request.
        key: RequestKey,
        /// The jobs, each after those it waits for, with what they would be promised.
        members: Arc<[QuotedMember]>,
        /// Until when it can be taken.
        until: Time,
    },
    /// A quote for a whole chain was accepted; its jobs follow, planned as they were quoted.
    ChainAccepted {
        /// The quote, by its number; it is gone after this.
        quote: QuoteNumber,
        /// The request.
        key: RequestKey,
        /// The jobs that it has become, in its order.
        jobs: Vec<JobNumber>,
    },
    /// A quote was accepted; a reservation follows, unless it is held already.
    Accepted {
        /// The quote, by its number; it is gone after this.
        quote: QuoteNumber,
        /// The request.
        key: RequestKey,
        /// The alternative that was taken, by its place from 0 on.
        option: u32,
        /// The job that it has become.
        job: JobNumber,
        /// Its reservation.
        reservation: ReservationNumber,
    },
    /// A quote could not be honoured.
    Broken {
        /// The quote, by its number; it is gone after this.
        quote: QuoteNumber,
        /// The request.
        key: RequestKey,
        /// The alternative that was to be taken, by its place from 0 on.
        option: u32,
        /// What stood in the way when it was accepted.
        why: Why,
        /// What the user got for it.
        compensation: Money,
        /// How that was booked.
        transaction: Transaction,
    },
    /// A quote binds no more.
    Expired(QuoteNumber),
}
