//! What was submitted as a job, found again in the journal.

use super::JournalError;
use super::register::{FoundEntry, Register};
use crate::columns::sought;
use rusqlite::params;
use std::sync::Arc;
use walras_broker::Event;
use walras_broker::event::{JobEvent, QuoteEvent};
use walras_broker::id::QuoteNumber;
use walras_broker::job::JobSpec;
use walras_broker::journal::Entry;

/// A quote is looked for among so many entries before it was taken, so many at a time: it binds for a short while only.
const LOOKED_AT: usize = 5_000;
const AT_A_TIME: usize = 500;

impl Register {
    /// What was submitted as a job, or as the quote that it came of; `None` where that cannot be found.
    pub fn asked(&self, job: u64) -> Result<Option<Arc<JobSpec>>, JournalError> {
        let Some((position, entry)) = self.first_about(job)? else { return Ok(None) };
        let submitted = entry.events.iter().find_map(|event| submitted(event, job));
        if submitted.is_some() {
            return Ok(submitted);
        }
        let Some(quote) = entry.events.iter().find_map(|event| taken(event, job)) else { return Ok(None) };
        let mut before = position;
        for _ in 0..LOOKED_AT / AT_A_TIME {
            let entries = self.entries_before(Some(before), AT_A_TIME)?;
            let found = entries.iter().flat_map(|(_, entry)| &entry.events).find_map(|it| given(it, quote));
            let Some((earliest, _)) = entries.last().filter(|_| found.is_none()) else { return Ok(found) };
            before = *earliest;
        }
        Ok(None)
    }

    /// The first entry that is about a job, with its position.
    fn first_about(&self, job: u64) -> Result<Option<(u64, Entry)>, JournalError> {
        let text = "SELECT position, format, body FROM entry WHERE position =
                    (SELECT MIN(position) FROM about WHERE job = ?1)";
        let found: Option<FoundEntry> = self.with(|connection| {
            let mut statement = connection.prepare_cached(text)?;
            let mut rows = statement.query(params![sought(job)])?;
            rows.next()?.map(FoundEntry::read).transpose()
        })?;
        found.map(|found| Ok((found.position, found.decoded()?))).transpose()
    }
}

fn submitted(event: &Event, number: u64) -> Option<Arc<JobSpec>> {
    let Event::Job(JobEvent::Queued { job, spec, .. } | JobEvent::Offered { job, spec, .. }) = event else {
        return None;
    };
    (job.get() == number).then(|| spec.clone())
}

fn taken(event: &Event, number: u64) -> Option<QuoteNumber> {
    let Event::Quote(QuoteEvent::Accepted { quote, job, .. }) = event else { return None };
    (job.get() == number).then_some(*quote)
}

fn given(event: &Event, number: QuoteNumber) -> Option<Arc<JobSpec>> {
    let Event::Quote(QuoteEvent::Given { quote, spec, .. }) = event else { return None };
    (*quote == number).then(|| spec.clone())
}
