//! The end of a reservation: nothing of it begins any more, what runs is ended, and nothing is left of it in Slurm.
//!
//! Only the marks in the shared directory make that true: Slurm revives what was cancelled just before a crash. So a release is said as
//! soon as every part has ended or never will begin, whether the controller answers or not; what is left in Slurm goes when it does. A job
//! that Slurm keeps completing for minutes is waited for a little, and no job of ours waits for it longer: its node is not free, and not sold.

use super::SlurmConnector;
use super::command::{self, Tag};
use super::execute::Slurm;
use super::parts::until_of;
use super::seen::is_running;
use crate::clock::{later, wall_millis};
use crate::contract::{ReservationNumber, SiteAnswer, SiteError, SiteMessage};
use crate::local::make_directory;
use crate::local::part::{Begun, PartDirectory};
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};
use walras_model::Time;

/// Stopping what runs is waited for so long; then it is looked at again later.
const STOP_WITHIN: Duration = Duration::from_millis(300);
/// What cannot be given up at once is tried again so long after.
const LEAVE_AGAIN: Duration = Duration::from_secs(1);
/// Slurm is given so many milliseconds to let go of what has ended.
const LEFT_WITHIN: i64 = 10_000;
const PAUSE: Duration = Duration::from_millis(20);

impl<S: Slurm> SlurmConnector<S> {
    /// Gives up everything of a reservation. It says so once that is true; until then it is tried again and again.
    pub(super) fn let_go(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer {
        self.book.leave(reservation)?;
        let begun = Instant::now();
        while !self.is_stopped(now, reservation)? && begun.elapsed() < STOP_WITHIN {
            std::thread::sleep(PAUSE);
        }
        let said = self.try_to_leave(now, reservation)?;
        if !said.is_empty() || begun.elapsed() >= STOP_WITHIN {
            return Ok(said);
        }
        std::thread::sleep(STOP_WITHIN.saturating_sub(begun.elapsed()));
        self.try_to_leave(now, reservation)
    }

    /// Tries once more what could not be given up at once: all of it together, and not at every poll.
    pub(super) fn let_go_again(&mut self, now: Time) -> Vec<SiteMessage> {
        let leaving: Vec<ReservationNumber> =
            self.book.iter().filter(|(_, it)| it.leaving).map(|(number, _)| number).collect();
        if leaving.is_empty() || self.left.is_some_and(|at| at.elapsed() < LEAVE_AGAIN) {
            return Vec::new();
        }
        self.left = Some(Instant::now());
        let mut messages = Vec::new();
        for (reservation, said) in leaving.iter().zip(self.let_go_together(now, &leaving)) {
            match said {
                Ok(more) => messages.extend(more),
                Err(error) => tracing::debug!("reservation {reservation}: {error}"),
            }
        }
        messages
    }

    /// The same for several, without waiting: what they have in Slurm is taken out by one process for all.
    pub(super) fn let_go_together(&mut self, now: Time, numbers: &[ReservationNumber]) -> Vec<SiteAnswer> {
        let (mut stopped, mut names) = (Vec::with_capacity(numbers.len()), Vec::new());
        for number in numbers {
            let left = self.book.leave(*number);
            stopped.push(left.and_then(|()| self.is_stopped(now, *number)));
            names.extend(self.names_of(*number));
        }
        let removed = self.remove_named(&names);
        let all = numbers.iter().zip(stopped);
        all.map(|(number, stopped)| self.end(now, *number, stopped?, removed.as_ref().err())).collect()
    }

    /// Says that a reservation is gone, once nothing of it runs and, where Slurm answers, nothing of it is there.
    fn end(
        &mut self,
        now: Time,
        reservation: ReservationNumber,
        stopped: bool,
        wrong: Option<&SiteError>,
    ) -> SiteAnswer {
        let there = self.names_of(reservation).iter().any(|name| self.is_there(name));
        match wrong {
            _ if !stopped => return Ok(Vec::new()),
            None if there && !self.is_kept(now, reservation) => return Ok(Vec::new()),
            None => {}
            Some(error) => {
                tracing::debug!("reservation {reservation}: {error}");
                self.untidy = true;
            }
        }
        self.forget(reservation);
        Ok(vec![self.book.release(now, reservation)?])
    }

    /// Whether something of that name was there at the last look.
    fn is_there(&self, name: &str) -> bool {
        let seen = self.seen.as_ref();
        seen.is_some_and(|(_, it)| it.reservations.contains_key(name) || is_running(it, name))
    }

    /// The same as letting go, without waiting.
    pub(super) fn try_to_leave(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer {
        if self.book.get(reservation).is_none() {
            // Never heard of, or long gone: what is under this number in Slurm is a stranger's.
            self.untidy = true;
            return Ok(vec![self.book.release(now, reservation)?]);
        }
        let stopped = self.is_stopped(now, reservation)?;
        let removed = self.remove(reservation);
        match removed {
            Ok(gone) if stopped && (gone || self.is_kept(now, reservation)) => {}
            Ok(_) => return Ok(Vec::new()),
            Err(error) if stopped => {
                tracing::debug!("reservation {reservation}: {error}");
                self.untidy = true;
            }
            Err(error) => return Err(error),
        }
        self.forget(reservation);
        Ok(vec![self.book.release(now, reservation)?])
    }

    /// Whether Slurm has had its time to let go of something of which nothing runs.
    fn is_kept(&mut self, now: Time, reservation: ReservationNumber) -> bool {
        let since = *self.stopped.entry(reservation).or_insert(now);
        now >= later(since, LEFT_WITHIN)
    }

    fn forget(&mut self, reservation: ReservationNumber) {
        self.reported.forget(reservation);
        self.stopped.remove(&reservation);
        self.refused.remove(&reservation);
        self.awaited.forget(reservation);
        let other = |tag: &Tag| tag.number != reservation;
        self.submitted.retain(|tag, _| other(tag));
        self.flagged.retain(other);
        self.taken.retain(other);
        self.watched.retain(|it| it.reservation != reservation);
    }

    /// Lets nothing of a reservation begin, and ends what runs; whether nothing does any more.
    fn is_stopped(&mut self, now: Time, reservation: ReservationNumber) -> Result<bool, SiteError> {
        let mut stopped = true;
        for (tag, _) in self.holds_of(reservation) {
            let directory = self.hold_directory(&tag);
            match directory.try_exists() {
                Ok(false) => continue,
                Ok(true) => {}
                Err(error) => return Err(SiteError::file(&directory, error)),
            }
            self.say_stop(&tag, &directory)?;
            let parts = self.book.get(reservation).map(|booking| booking.parts.clone()).unwrap_or_default();
            for (part, known) in parts.into_iter().filter(|(_, part)| part.hold == tag.place) {
                let directory = self.part_directory(reservation, known.hold, part);
                let until = until_of(&known, &directory)?;
                stopped &= self.is_part_stopped(now, &tag, &directory, until)?;
            }
        }
        Ok(stopped)
    }

    /// Leaves word for the supervisor of a hold.
    fn say_stop(&self, tag: &Tag, directory: &Path) -> Result<(), SiteError> {
        let stop = directory.join("stop");
        let said = File::create(&stop).and_then(|_| match self.account_of(tag.number) {
            Some(account) => PartDirectory(directory.to_owned()).give("stop", account),
            None => Ok(()),
        });
        said.map_err(|error| SiteError::file(&stop, error))
    }

    fn is_part_stopped(
        &self,
        now: Time,
        tag: &Tag,
        directory: &PartDirectory,
        until: Time,
    ) -> Result<bool, SiteError> {
        let wrong = |error: std::io::Error| directory.wrong(&error);
        // Whatever is in its place of what should be: by then every supervisor has ended what it runs.
        if now >= self.last_moment(until) {
            return Ok(true);
        }
        // An end is only written down when nothing runs any more.
        if directory.ended()?.is_some() {
            return Ok(true);
        }
        let never = Begun { supervisor: None, at: wall_millis() };
        if directory.begun()?.is_none() {
            make_directory(&directory.0, false).map_err(wrong)?;
            if directory.write_once("begun.json", &never).map_err(wrong)? {
                return Ok(true);
            }
        }
        let supervised = directory.begun()?.is_some_and(|begun| begun.supervisor.is_some());
        Ok(!supervised || self.is_dead(now, tag, until))
    }

    /// Takes the jobs and reservations of a number out of Slurm; whether nothing of it is there any more.
    fn remove(&mut self, reservation: ReservationNumber) -> Result<bool, SiteError> {
        self.remove_named(&self.names_of(reservation))
    }

    /// Whether a job of that name was submitted since Slurm was last read.
    fn is_submitted_since(&self, name: &str) -> bool {
        let tag = self.instance.read(name);
        let at = tag.and_then(|tag| self.submitted.get(&tag)).map(|(at, _)| *at);
        self.seen.as_ref().zip(at).is_none_or(|((seen, _), at)| at >= *seen) && at.is_some()
    }

    pub(super) fn remove_named(&mut self, names: &[String]) -> Result<bool, SiteError> {
        if names.is_empty() {
            return Ok(true);
        }
        self.removed = Some(Instant::now());
        self.untidy = true;
        let before = self.read(self.options.look_every)?;
        for name in names {
            if is_running(&before, name) || self.is_submitted_since(name) {
                self.call(&command::cancel(name))?;
            }
        }
        if !self.is_queue() {
            self.call(&command::delete(names))?;
        }
        let snapshot = self.read(Duration::ZERO)?;
        let there = |name: &String| snapshot.reservations.contains_key(name) || is_running(&snapshot, name);
        Ok(!names.iter().any(there))
    }
}
