//! What came of everything, for the end of an audit.

use crate::Auditor;
use crate::state::Phase;
use serde::Serialize;
use walras_broker::id::{JobNumber, QuoteNumber, ReservationNumber};

/// What was counted on the allocation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) entries: u64,
    pub(crate) cycles: u64,
    pub(crate) jobs: u64,
    pub(crate) done: u64,
    pub(crate) failed: u64,
    pub(crate) cancelled: u64,
    pub(crate) given_up: u64,
    pub(crate) reservations: u64,
    pub(crate) quotes: u64,
    pub(crate) quotes_accepted: u64,
    pub(crate) quotes_broken: u64,
    pub(crate) promises_renewed: u64,
    pub(crate) deposits: i128,
    pub(crate) charges: i128,
    pub(crate) income: i128,
    pub(crate) fees: i128,
    pub(crate) refunds: i128,
    pub(crate) compensations: i128,
}

/// What a journal came to. Amounts are in micro-credits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Entries.
    pub entries: u64,
    /// Cycles that were opened.
    pub cycles: u64,
    /// Jobs that were queued.
    pub jobs: u64,
    /// Jobs that ended well.
    pub done: u64,
    /// Jobs that failed by themselves.
    pub failed: u64,
    /// Jobs that were cancelled.
    pub cancelled: u64,
    /// Jobs that could not be run.
    pub given_up: u64,
    /// Reservations that were asked for.
    pub reservations: u64,
    /// Quotes that were given.
    pub quotes: u64,
    /// Quotes that were accepted.
    pub quotes_accepted: u64,
    /// Quotes that could not be honoured.
    pub quotes_broken: u64,
    /// Promises that could not be kept, since what they rested on was gone, and were given anew.
    pub promises_renewed: u64,
    /// What came in, less what went out.
    pub deposits: i128,
    /// What users were charged.
    pub charges: i128,
    /// What owners earned of it.
    pub income: i128,
    /// What the VO kept of it.
    pub fees: i128,
    /// What was given back of liens.
    pub refunds: i128,
    /// What users got for broken promises.
    pub compensations: i128,
    /// What is held for reservations.
    pub held: i128,
    /// The sum over all accounts; zero.
    pub total: i128,
    /// Jobs that have not ended.
    pub open_jobs: Vec<JobNumber>,
    /// Reservations that are not settled.
    pub open_reservations: Vec<ReservationNumber>,
    /// Reservations that are settled, and of which sites have not let go.
    pub unreleased: Vec<ReservationNumber>,
    /// Quotes that bind.
    pub open_quotes: Vec<QuoteNumber>,
}

impl Auditor {
    pub(crate) fn summary(&self) -> Summary {
        let counts = self.counts;
        let of = |closed: bool| {
            let all = self.reservations.iter().filter(move |(_, it)| (it.phase == Phase::Closed) == closed);
            all.map(|(number, _)| *number).collect()
        };
        Summary {
            entries: counts.entries,
            cycles: counts.cycles,
            jobs: counts.jobs,
            done: counts.done,
            failed: counts.failed,
            cancelled: counts.cancelled,
            given_up: counts.given_up,
            reservations: counts.reservations,
            quotes: counts.quotes,
            quotes_accepted: counts.quotes_accepted,
            quotes_broken: counts.quotes_broken,
            promises_renewed: counts.promises_renewed,
            deposits: counts.deposits,
            charges: counts.charges,
            income: counts.income,
            fees: counts.fees,
            refunds: counts.refunds,
            compensations: counts.compensations,
            held: self.ledger.balance(&walras_broker::account::Account::Held),
            total: self.ledger.total(),
            open_jobs: self.jobs.keys().copied().collect(),
            open_reservations: of(false),
            unreleased: of(true),
            open_quotes: self.quotes.keys().copied().collect(),
        }
    }
}
