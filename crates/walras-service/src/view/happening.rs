//! What has happened to one job, as its user reads it afterwards: what they were told while it happened, and the steps between, where those
//! are wanted.

use super::event::reason;
use std::collections::BTreeMap;
use std::sync::Arc;
use walras_api::sentence::{Window, ended_text, event_text, own_event_text, task_names};
use walras_api::service::HappeningView;
use walras_broker::event::{JobEvent, ReservationEvent};
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_broker::job::JobSpec;
use walras_broker::journal::Entry;
use walras_broker::told::Told;
use walras_broker::{Event, State};
use walras_model::Time;

/// What has happened to a job, from the entries that are about it; every step of its window, where these are wanted. Names are those of today.
pub fn history(state: &State, job: JobNumber, entries: &[Entry], steps: bool) -> Vec<HappeningView> {
    let spec = state.jobs.get(&job).map(|job| Arc::clone(&job.spec));
    let mut reader = Reader { state, job, spec, own: BTreeMap::new(), latest: Vec::new(), told: None, steps };
    let mut happened = Vec::new();
    for entry in entries {
        for event in &entry.events {
            if let Some(text) = reader.read(entry.at, event) {
                happened.push(HappeningView { at: entry.at.into(), text, reason: reason(state, event) });
            }
        }
    }
    happened
}

/// Reads what happened in order, and knows what was told until then.
struct Reader<'a> {
    state: &'a State,
    job: JobNumber,
    spec: Option<Arc<JobSpec>>,
    /// The job's reservations so far, and of which tasks their parts are.
    own: BTreeMap<ReservationNumber, Vec<Option<String>>>,
    /// The same of the latest.
    latest: Vec<Option<String>>,
    /// The window that its user was told of last.
    told: Option<Told>,
    /// Whether to say what nobody was told of, too.
    steps: bool,
}

impl Reader<'_> {
    /// An event in the words of the job's history; `None` of what is nothing to it, or was not told.
    fn read(&mut self, at: Time, event: &Event) -> Option<String> {
        match event {
            Event::Job(event) => self.read_job(at, event),
            Event::Reservation(ReservationEvent::Asked { reservation, job, allocation, .. }) => {
                if *job != self.job {
                    return None;
                }
                self.latest = task_names(self.spec.as_deref(), allocation.parts.iter().map(|part| part.task));
                self.own.insert(*reservation, self.latest.clone());
                event_text(self.state, at, event).map(|(_, text)| text)
            }
            Event::Reservation(event) => own_event_text(self.state, event, self.spec.as_deref(), &self.own),
            Event::Vo(_) | Event::Site(_) | Event::Quote(_) | Event::Cycle(_) => None,
        }
    }

    fn read_job(&mut self, at: Time, event: &JobEvent) -> Option<String> {
        let text = || event_text(self.state, at, &Event::Job(event.clone())).map(|(_, text)| text);
        match event {
            JobEvent::Queued { job, spec, .. } | JobEvent::Offered { job, spec, .. } if *job == self.job => {
                let text = text();
                self.spec = Some(Arc::clone(spec));
                text
            }
            JobEvent::Planned { job, plan, promise, renewed } if *job == self.job => {
                let spec = self.spec.as_deref();
                let window = Window { job: *job, spec, plan, promise, renewed: *renewed };
                match window.news(self.state, at, self.told.as_ref()) {
                    Some((text, told)) => {
                        self.told = told;
                        Some(text)
                    }
                    None => self.steps.then(|| window.step(self.state)),
                }
            }
            JobEvent::Returned { job, .. } if *job == self.job => {
                let text = text();
                self.told = None;
                text
            }
            JobEvent::Withdrawn(job)
            | JobEvent::Freed(job)
            | JobEvent::Released(job)
            | JobEvent::Drawn { array: job, .. }
            | JobEvent::Cut { array: job, .. }
                if *job == self.job =>
            {
                text()
            }
            JobEvent::Ended { job, end, .. } if *job == self.job => {
                text().map(|_| ended_text(self.state, *job, end, &self.latest))
            }
            JobEvent::Queued { .. }
            | JobEvent::Offered { .. }
            | JobEvent::Planned { .. }
            | JobEvent::Returned { .. }
            | JobEvent::Withdrawn(_)
            | JobEvent::Freed(_)
            | JobEvent::Released(_)
            | JobEvent::Drawn { .. }
            | JobEvent::Cut { .. }
            | JobEvent::Ended { .. }
            | JobEvent::Noticed(_) => None,
        }
    }
}
