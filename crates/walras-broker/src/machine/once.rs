//! A job that stands in the input of a journal's entry is not written again in its events.
//!
//! What is submitted may be megabytes, scripts and files, and every event that brings it into being has all of it. While an entry is
//! written, events whose job is the very one of the input have a stand-in, which is left out; while it is read, the job of the
//! input takes the stand-in's place. Nobody else ever sees it.
//!
//! Entries of before have the job in both, and are read as they are.

use crate::model::event::{Event, JobEvent, QuoteEvent};
use crate::model::input::Input;
use crate::model::job::JobSpec;
use crate::model::stand_in::{is_stand_in, stand_in};
use std::sync::Arc;

/// The job that an input brings.
fn job_of(input: &Input) -> Option<&JobSpec> {
    let (Input::Submit { job, .. } | Input::AskQuote { job, .. }) = input else { return None };
    Some(job)
}

/// The job that an event has as a whole.
fn job_in(event: &mut Event) -> Option<&mut Arc<JobSpec>> {
    let (Event::Job(JobEvent::Queued { spec, .. } | JobEvent::Offered { spec, .. })
    | Event::Quote(QuoteEvent::Given { spec, .. })) = event
    else {
        return None;
    };
    Some(spec)
}

/// Events as they are written beside an input; none where they are written as they are.
pub(crate) fn shortened(input: &Input, events: &[Event]) -> Option<Vec<Event>> {
    let job = job_of(input)?;
    let mut events = events.to_vec();
    for spec in events.iter_mut().filter_map(job_in).filter(|spec| ***spec == *job) {
        *spec = stand_in();
    }
    Some(events)
}

/// Events as they were, of what was written beside an input.
pub(crate) fn restored(input: &Input, mut events: Vec<Event>) -> Result<Vec<Event>, &'static str> {
    let mut whole: Option<Arc<JobSpec>> = None;
    for spec in events.iter_mut().filter_map(job_in).filter(|spec| is_stand_in(spec)) {
        let job = job_of(input).ok_or("an event is without its job, and so is its input")?;
        *spec = whole.get_or_insert_with(|| Arc::new(job.clone())).clone();
    }
    Ok(events)
}
