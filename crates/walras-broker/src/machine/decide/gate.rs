//! Jobs that wait for others: freed, or given up, by what becomes of those.

use super::HEARD;
use super::draft::Draft;
use crate::model::event::JobEvent;
use crate::model::id::JobNumber;
use crate::model::input::{Answer, Refusal};
use crate::model::job::{JobEnd, Why};
use crate::rules::gating::Standing;
use std::collections::{BTreeSet, VecDeque};

/// Ends a job, and all who wait for what can then never be; frees those who wait for nothing else.
pub(super) fn end_job(draft: &mut Draft<'_>, job: JobNumber, end: JobEnd) {
    let mut ending = VecDeque::from([(job, end)]);
    let mut given_up = BTreeSet::from([job]);
    while let Some((job, end)) = ending.pop_front() {
        let spec = draft.before.jobs.get(&job).map(|job| job.spec.clone());
        let mut concerned = draft.before.dependents_of(job);
        draft.push(JobEvent::Ended { job, end });
        let namesake = spec.and_then(|spec| draft.state().first_namesake(&spec));
        concerned.extend(namesake);
        for other in concerned {
            match draft.state().standing(other) {
                Standing::Stays => {}
                Standing::Free => draft.push(JobEvent::Freed(other)),
                Standing::Never(on) => {
                    if given_up.insert(other) {
                        ending.push_back((other, JobEnd::GivenUp(Why::NeverMet(on))));
                    }
                }
            }
        }
    }
}

/// Something of a job has begun: those who waited for that go on.
pub(super) fn begun(draft: &mut Draft<'_>, job: JobNumber) {
    for other in draft.before.dependents_of(job) {
        if draft.state().standing(other) == Standing::Free {
            draft.push(JobEvent::Freed(other));
        }
    }
}

/// A user lets a job go.
pub(super) fn release(draft: &mut Draft<'_>, user: &str, number: JobNumber) -> Result<Answer, Refusal> {
    let job = draft.before.jobs.get(&number).filter(|job| job.offered.is_none());
    let job = job.ok_or(Refusal::NoJob(number))?;
    if job.spec.user != user {
        return Err(Refusal::NotYours(number));
    }
    if !job.waits.held {
        return Err(Refusal::NotHeld(number));
    }
    draft.push(JobEvent::Released(number));
    if draft.state().standing(number) == Standing::Free {
        draft.push(JobEvent::Freed(number));
    }
    Ok(HEARD)
}
