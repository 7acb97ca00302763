//! What is known while one entry is looked at.

use crate::finding::{Finding, FindingKind, Gone};
use crate::state::{Accepted, Decided, Round};
use std::collections::{BTreeMap, BTreeSet};
use walras_broker::chain::QuotedMember;
use walras_broker::id::{JobNumber, QuoteNumber, ReservationNumber};
use walras_broker::input::Input;
use walras_model::{Interval, Time};

/// One entry under the lens.
pub(crate) struct Look<'a> {
    pub(crate) position: u64,
    pub(crate) now: Time,
    pub(crate) input: &'a Input,
    pub(crate) found: Vec<Finding>,
    /// Places that this entry says are gone.
    pub(crate) gone: Vec<(Gone, Option<Interval>)>,
    /// The cycle that this entry has decided.
    pub(crate) decided: Option<Decided>,
    /// What this entry assigns to sites that sell capacity; nothing where the rules changed while it was planned.
    pub(crate) round: Option<Round>,
    /// The quote that this entry has accepted.
    pub(crate) accepted: Option<Accepted>,
    /// The quote for a chain that this entry has accepted, its jobs, and those of them that must still follow.
    pub(crate) chain_quote: Option<QuoteNumber>,
    pub(crate) chain_jobs: Vec<JobNumber>,
    pub(crate) chained: BTreeMap<JobNumber, QuotedMember>,
    /// Jobs whose phase this entry must still say.
    pub(crate) loose: Vec<JobNumber>,
    /// Reservations of which a site has come further.
    pub(crate) stepped: Vec<ReservationNumber>,
    /// Jobs that this entry has planned.
    pub(crate) planned: BTreeSet<JobNumber>,
    /// Alternatives that this entry has asked sites to hold, and for which quotes, which must follow.
    pub(crate) offered: BTreeMap<JobNumber, QuoteNumber>,
    /// Jobs that waited for what this entry has brought.
    pub(crate) concerned: BTreeSet<JobNumber>,
    /// Quotes that this entry has ended, of which something was held.
    pub(crate) quotes_gone: Vec<QuoteNumber>,
}

impl<'a> Look<'a> {
    pub(crate) fn new(position: u64, now: Time, input: &'a Input) -> Look<'a> {
        Look {
            position,
            now,
            input,
            found: Vec::new(),
            gone: Vec::new(),
            decided: None,
            round: None,
            accepted: None,
            chain_quote: None,
            chain_jobs: Vec::new(),
            chained: BTreeMap::new(),
            loose: Vec::new(),
            stepped: Vec::new(),
            planned: BTreeSet::new(),
            offered: BTreeMap::new(),
            concerned: BTreeSet::new(),
            quotes_gone: Vec::new(),
        }
    }

    pub(crate) fn report(&mut self, kind: FindingKind) {
        self.found.push(Finding { position: self.position, kind });
    }
}
