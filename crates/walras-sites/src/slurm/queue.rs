//! A cluster on which we may not reserve: jobs wait in Slurm's own queue, and begin when Slurm likes.
//!
//! Any user of a cluster may sell so, without being its operator. What is sold is best effort: the wait is Slurm's own estimate for a node and an
//! hour (`sbatch --test-only`), and no start is promised. A reservation is one job of Slurm's over as many nodes as it has holds, so that all
//! its parts begin together; on each node a supervisor runs the part of its place, as in a reservation of Slurm's. It is submitted when it is
//! known what to run, and has as much time as was bought from its own begin on.
//!
//! What Slurm forgets is submitted again: a part begins once for ever, whatever Slurm starts twice. What it turns away before it has begun is
//! lost, and planned elsewhere.
//!
//! An offer costs one call of Slurm's, at most as often as it is looked at.

use super::SlurmConnector;
use super::command::{self, Submission, Tag, Where};
use super::execute::Slurm;
use super::parse::JobState;
use crate::clock::{later, wall_millis};
use crate::contract::{Free, ReservationNumber, SiteError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use walras_model::{Span, Time};

/// What Slurm starts: a supervisor for each place, on as many nodes. One alone needs no step of its own, and has all that the job has.
pub(super) const QUEUED: &str = r#"#!/bin/sh
[ "$3" -gt 1 ] || exec "$1" supervise-hold "$2/0" >>"$2/0/supervisor.log" 2>&1
exec srun --nodes="$3" --ntasks="$3" --ntasks-per-node=1 --cpu-bind=none --kill-on-bad-exit=0 --wait=0 --input=none \
  sh -c 'exec "$0" supervise-hold "$1/$SLURM_PROCID" >>"$1/$SLURM_PROCID/supervisor.log" 2>&1' "$1" "$2"
"#;
/// The estimate is for a job of so many minutes; where no job may take that long, for one of a minute.
const MINUTES: [i64; 2] = [60, 1];
/// Slurm ends jobs so many milliseconds after their supervisor should have.
const SPARE: i64 = 30_000;
/// A begin that is told so many milliseconds after Slurm's own is not believed.
const COMES_UP: i64 = 10_000;
/// What Slurm said so long ago is still taken for what is, where a begin is told.
const LATELY: Duration = Duration::from_secs(2);

impl<S: Slurm> SlurmConnector<S> {
    pub(super) fn is_queue(&self) -> bool {
        self.options.queue.is_some()
    }

    /// The hold that the Slurm job of another is named after: in a queue one job serves all.
    pub(super) fn job_tag(&self, of: &Tag, place: u32) -> Tag {
        Tag { number: of.number, place: if self.is_queue() { 0 } else { place } }
    }

    pub(super) fn job_name(&self, tag: &Tag) -> String {
        self.instance.tag(&self.job_tag(tag, tag.place))
    }

    /// What a reservation has in Slurm.
    pub(super) fn names_of(&self, reservation: ReservationNumber) -> Vec<String> {
        let mut names: Vec<String> =
            self.holds_of(reservation).iter().map(|(tag, _)| self.job_name(tag)).collect();
        names.dedup();
        names
    }

    pub(super) fn width_of(&self, reservation: ReservationNumber) -> usize {
        self.book.get(reservation).map_or(0, |booking| booking.holds.len())
    }

    /// The queue as it is: a cluster that does not answer, or takes no job, has no place in it.
    pub(super) fn queue_offer(&mut self, units: u32) -> Free {
        match self.estimated() {
            Ok(wait) => Free::Queue { wait, units },
            Err(error) => {
                tracing::warn!(%error, "nothing is sold");
                Free::Queue { wait: Span::ZERO, units: 0 }
            }
        }
    }

    /// How long a job would wait that came now, as Slurm reckons.
    fn estimated(&mut self) -> Result<Span, SiteError> {
        let known = self.estimate.filter(|(at, _)| at.elapsed() < self.options.look_every);
        if let Some((_, wait)) = known {
            return Ok(wait);
        }
        let mut wrong = String::new();
        for minutes in MINUTES {
            let partitions = self.partitions();
            let call = command::estimate(&Submission { minutes, ..self.submission(&partitions) });
            let printed = self.call(&call)?;
            if let Some(start) = start_in(&printed.wrong).filter(|_| printed.well) {
                let millis = start.saturating_mul(1_000).saturating_sub(wall_millis()).max(0);
                let wait = Span::from_millis(millis).unwrap_or(Span::ZERO);
                self.estimate = Some((Instant::now(), wait));
                return Ok(wait);
            }
            wrong = printed.wrong;
        }
        Err(SiteError::NotUnderstood(format!("sbatch --test-only: {wrong}")))
    }

    /// Slurm chooses among all of them.
    fn partitions(&self) -> String {
        self.options.partitions.join(",")
    }

    /// A job for a node, of which nothing is known but where it may run.
    fn submission<'a>(&'a self, partitions: &'a str) -> Submission<'a> {
        Submission {
            name: "",
            place: Where::Queued(1),
            partition: Some(partitions).filter(|names| !names.is_empty()),
            project: self.options.project.as_deref(),
            qos: self.options.qos.as_deref(),
            account: None,
            minutes: 1,
            script: Path::new(""),
            arguments: &[],
        }
    }

    /// Where it waits in a queue, what is to run is submitted at once; what cannot be now is tried again.
    pub(super) fn submit_at_start(&mut self, now: Time, reservation: ReservationNumber) {
        if !self.is_queue() {
            return;
        }
        if let Err(error) = self.submit_missing(now) {
            tracing::warn!("reservation {reservation}: {error}");
        }
    }

    /// Submits the jobs of everything that is to run and has none.
    pub(super) fn submit_waiting(&mut self) -> Result<(), SiteError> {
        let to_run = self.book.iter().filter(|(_, it)| !it.leaving && !it.parts.is_empty());
        let to_run = to_run.filter(|(number, _)| !self.refused.contains(number));
        let numbers: Vec<ReservationNumber> = to_run.map(|(number, _)| number).collect();
        let tags = numbers.into_iter().map(|number| Tag { number, place: 0 });
        let missing: Vec<Tag> = tags.filter(|tag| self.is_unsubmitted(tag)).collect();
        self.submit_due = false;
        if missing.is_empty() {
            return Ok(());
        }
        // Those that a service before this one has submitted are there, or have been.
        let snapshot = self.read(self.options.look_every)?;
        for tag in missing {
            let name = self.instance.tag(&tag);
            let known = snapshot.jobs.iter().any(|job| job.name == name);
            if known || self.is_finished(&tag) {
                self.submitted.insert(tag, (Instant::now(), 1));
                continue;
            }
            self.submit_place(&tag)?;
        }
        Ok(())
    }

    fn submit_place(&mut self, tag: &Tag) -> Result<(), SiteError> {
        let holds = self.holds_of(tag.number);
        for (tag, hold) in &holds {
            self.make_hold(tag, hold)?;
        }
        let lasts = holds.iter().map(|(_, hold)| hold.interval.span().as_millis()).max().unwrap_or(0);
        let grace = i64::try_from(self.options.grace.as_millis()).unwrap_or(i64::MAX);
        let minutes = lasts.saturating_add(grace).saturating_add(SPARE).div_euclid(60_000) + 1;
        let (name, partitions) = (self.instance.tag(tag), self.partitions());
        let (script, directory) = (self.script(), self.directory.join(tag.number.to_string()));
        let width = PathBuf::from(holds.len().to_string());
        let call = command::submit(&Submission {
            name: &name,
            place: Where::Queued(holds.len()),
            account: self.account_of(tag.number).map(|account| (account.uid, account.gid)),
            minutes,
            script: &script,
            arguments: &[&self.options.executable, &directory, &width],
            ..self.submission(&partitions)
        });
        match self.send(tag, &call) {
            // Asked again, it would say the same: too long for its partition, over a limit of its own accounting, or the like.
            Err(error @ SiteError::NotUnderstood(_)) => {
                tracing::warn!("reservation {}: {error}", tag.number);
                self.refused.insert(tag.number);
                Ok(())
            }
            sent => sent,
        }
    }

    /// Whether Slurm has done with the job of a hold before anything of it began: somebody has cancelled it, or it could not be.
    pub(super) fn is_turned_away(&self, tag: &Tag) -> bool {
        if !self.is_queue() || self.refused.contains(&tag.number) {
            return self.is_queue();
        }
        let Some((_, snapshot)) = &self.seen else { return false };
        let name = self.job_name(tag);
        let mut jobs = snapshot.jobs.iter().filter(|job| job.name == name).peekable();
        jobs.peek().is_some() && jobs.all(|job| job.state.is_over() || job.state == JobState::NodeFailed)
    }

    /// When a part has begun, for the bill. Its supervisor runs as the user, who could tell a later begin: Slurm has seen when the node was taken.
    pub(super) fn begin_of(&mut self, tag: &Tag, told: Time) -> Time {
        if !self.is_queue() {
            return told;
        }
        let Ok(snapshot) = self.read(LATELY) else { return told };
        let name = self.job_name(tag);
        let ours = snapshot.jobs.iter().filter(|job| job.name == name && job.state != JobState::Pending);
        let seen = ours.filter_map(|job| Time::from_millis(job.start?.checked_mul(1_000)?)).min();
        seen.filter(|seen| told > later(*seen, COMES_UP)).unwrap_or(told)
    }
}

/// The start that `sbatch --test-only` reckons with, in seconds since 1970: its times are printed so.
fn start_in(text: &str) -> Option<i64> {
    let (_, after) = text.split_once(" to start at ")?;
    after.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_is_read() {
        let said =
            "sbatch: Job 12 to start at 1794929080 using 2 processors on nodes n[1-2] in partition all";
        assert_eq!(start_in(said), Some(1_794_929_080));
        for other in ["", "sbatch: Job 12 to start at Unknown using", "allocation failure: Invalid qos"] {
            assert_eq!(start_in(other), None, "{other}");
        }
    }
}
