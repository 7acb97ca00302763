//! When a part has ended, for the bill.
//!
//! Its supervisor writes that down, and runs as the user, who could write anything: an end long before the true one, at any time. Three things
//! nobody can forge: when the file came to be (the file system's own stamp), that Slurm's job still has the node, and when Slurm's job ended. The bill
//! takes the latest. Who watched the file come need not ask Slurm: what goes on after it is ended at once. Who was away asks.

use super::SlurmConnector;
use super::command::Tag;
use super::execute::Slurm;
use super::free::Snapshot;
use super::parse::JobState;
use crate::clock::later;
use crate::contract::PartEnd;
use crate::local::part::{Ended, PartDirectory, changed};
use std::time::Duration;
use walras_model::Time;

/// An end that is noticed within this time, in milliseconds, was watched.
const WATCHED: i64 = 3_000;
/// Slurm has said what became of a job so long, in milliseconds, after its supervisor was gone, or does not say it any more.
const WORD_WITHIN: i64 = 15_000;

/// What Slurm says of the end of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// It has its node.
    Goes,
    /// It has ended, in seconds since 1970.
    Over(i64),
    /// Slurm has forgotten it, or never knew.
    Unknown,
}

impl<S: Slurm> SlurmConnector<S> {
    /// When a part that says that it has ended has done so. `alone` is whether its hold ends with it.
    pub(super) fn end_of(
        &mut self,
        now: Time,
        directory: &PartDirectory,
        tag: &Tag,
        ended: &Ended,
        alone: bool,
        until: Time,
    ) -> Time {
        let claimed = Time::from_millis(ended.at).unwrap_or(now);
        let written = stamp(directory).unwrap_or(claimed);
        let mut at = claimed.max(written);
        if alone && later(written, WATCHED) < now {
            // A controller that does not answer leaves it at what the files say.
            // Read since it was written, for whichever part.
            let since = Duration::from_millis((now.as_millis() - written.as_millis()).unsigned_abs());
            let seen = self
                .read(since.min(self.options.look_every))
                .map_or(Seen::Unknown, |snapshot| self.seen_end(&snapshot, tag));
            at = match seen {
                Seen::Goes => now,
                Seen::Over(end) => at.max(Time::from_millis(end.saturating_mul(1_000)).unwrap_or(at)),
                Seen::Unknown => at,
            };
        }
        // Nothing runs longer than its hold with what it needs to end, and nothing ends in the future.
        at.min(self.last_moment(until)).min(now.max(claimed))
    }

    /// What became of a part that is said to be lost. A program can end its supervisor, and is to be paid for all the same: lost is what Slurm, or
    /// somebody by way of Slurm, has ended, by Slurm's own word. Nothing while that is still to come.
    pub(super) fn lost(&mut self, now: Time, tag: &Tag, ended: &Ended) -> Option<PartEnd> {
        let waits = now < later(Time::from_millis(ended.at).unwrap_or(now), WORD_WITHIN);
        let Ok(snapshot) = self.read(self.options.look_every) else {
            return (!waits).then_some(PartEnd::Lost);
        };
        let name = self.job_name(tag);
        let jobs = snapshot.jobs.iter().filter(|job| job.name == name);
        let states: Vec<JobState> = jobs.map(|job| job.state).collect();
        let is_over = |state: &JobState| *state == JobState::Over;
        match states.as_slice() {
            [] => (!waits).then_some(PartEnd::Lost),
            states if states.contains(&JobState::Active) => (!waits).then_some(PartEnd::Vanished),
            states if states.iter().all(is_over) => Some(PartEnd::Vanished),
            _ => Some(PartEnd::Lost),
        }
    }

    fn seen_end(&self, snapshot: &Snapshot, tag: &Tag) -> Seen {
        let name = self.job_name(tag);
        let mut seen = Seen::Unknown;
        for job in snapshot.jobs.iter().filter(|job| job.name == name) {
            seen = match (job.state, job.end, seen) {
                (JobState::Active, ..) | (_, _, Seen::Goes) => Seen::Goes,
                (JobState::Over | JobState::Stopped, Some(end), Seen::Over(other)) => {
                    Seen::Over(end.max(other))
                }
                (JobState::Over | JobState::Stopped, Some(end), Seen::Unknown) => Seen::Over(end),
                (JobState::Over | JobState::Stopped, None, seen)
                | (JobState::Pending | JobState::NodeFailed, _, seen) => seen,
            };
        }
        seen
    }
}

/// When the end was written.
fn stamp(directory: &PartDirectory) -> Option<Time> {
    Time::from_millis(changed(&std::fs::symlink_metadata(directory.0.join("ended.json")).ok()?))
}
