//! Jobs that wait for others: freed, or given up, by what becomes of those.

use super::draft::Draft;
use super::{HEARD, array};
use crate::model::event::JobEvent;
use crate::model::id::JobNumber;
use crate::model::input::{Answer, Refusal};
use crate::model::job::{JobEnd, Why};
use crate::rules::gating::Standing;
use std::collections::{BTreeSet, VecDeque};

/// Ends that this input still has to bring, and what has got one.
struct Ends {
    coming: VecDeque<(JobNumber, JobEnd)>,
    seen: BTreeSet<JobNumber>,
}

impl Ends {
    fn add(&mut self, job: JobNumber, end: JobEnd) {
        if self.seen.insert(job) {
            self.coming.push_back((job, end));
        }
    }

    /// Frees those of these who wait for nothing else, and notes who waits in vain.
    fn look_at(&mut self, draft: &mut Draft<'_>, concerned: Vec<JobNumber>) {
        for other in concerned {
            match draft.state().standing(other) {
                Standing::Stays => {}
                Standing::Free => draft.push(JobEvent::Freed(other)),
                Standing::Never(on) => self.add(other, JobEnd::GivenUp(Why::NeverMet(on))),
            }
        }
    }

    fn bring(mut self, draft: &mut Draft<'_>) {
        while let Some((job, end)) = self.coming.pop_front() {
            let mut concerned = draft.before.dependents_of(job);
            if let Some(of) = draft.before.jobs.get(&job).and_then(|job| job.element) {
                draft.push(JobEvent::Ended { job, end });
                if let Some(end) = array::end_of(draft, of.array) {
                    self.add(of.array, end);
                }
            } else {
                let spec = draft.before.spec_of(job).cloned();
                concerned.extend(array::cut_rest(draft, job, &end));
                draft.push(JobEvent::Ended { job, end });
                concerned.extend(spec.and_then(|spec| draft.state().first_namesake(&spec)));
            }
            self.look_at(draft, concerned);
        }
    }
}

/// Ends a job, and all who wait for what can then never be; frees those who wait for nothing else. With its last element an array ends.
pub(super) fn end_job(draft: &mut Draft<'_>, job: JobNumber, end: JobEnd) {
    let ends = Ends { coming: VecDeque::from([(job, end)]), seen: BTreeSet::from([job]) };
    ends.bring(draft);
}

/// Those of these who may go on do, and those who wait in vain end.
pub(super) fn settle(draft: &mut Draft<'_>, concerned: Vec<JobNumber>) {
    let mut ends = Ends { coming: VecDeque::new(), seen: BTreeSet::new() };
    ends.look_at(draft, concerned);
    ends.bring(draft);
}

/// Something of a job has begun: those who waited for that go on.
pub(super) fn begun(draft: &mut Draft<'_>, job: JobNumber) {
    let mut concerned = draft.before.dependents_of(job);
    let element = draft.before.jobs.get(&job).and_then(|job| job.element);
    concerned.extend(element.into_iter().flat_map(|of| draft.before.dependents_of(of.array)));
    if !concerned.is_empty() {
        settle(draft, concerned);
    }
}

/// A user lets a job go.
pub(super) fn release(draft: &mut Draft<'_>, user: &str, number: JobNumber) -> Result<Answer, Refusal> {
    let (owner, waits) = draft.before.waits_for(number).ok_or(Refusal::NoJob(number))?;
    if owner != user {
        return Err(Refusal::NotYours(number));
    }
    if !waits.held {
        return Err(Refusal::NotHeld(number));
    }
    draft.push(JobEvent::Released(number));
    settle(draft, vec![number]);
    Ok(HEARD)
}
