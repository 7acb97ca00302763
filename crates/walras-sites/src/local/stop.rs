//! The end of a reservation: what runs is stopped, and nothing of it begins any more.

use super::LocalConnector;
use super::part::{Begun, PartDirectory};
use super::process::{Identity, signal};
use super::share::PartLimits;
use super::sweep::set_aside;
use crate::clock::wall_millis;
use crate::contract::{ReservationNumber, SiteAnswer, SiteError};
use rustix::process::Signal;
use std::io::ErrorKind;
use std::time::{Duration, Instant};
use walras_model::Time;

/// Stopping what runs is waited for so long; then it is looked at again later.
const STOP_WITHIN: Duration = Duration::from_millis(300);

/// What the control group of a part is called.
pub(super) fn group_name(reservation: ReservationNumber, part: u32) -> String {
    format!("{reservation}-{part}")
}

/// Ends what a supervisor that is gone has left; whether nothing of it runs any more.
pub(super) fn is_over(directory: &PartDirectory, supervisor: &Identity) -> bool {
    let orphans = supervisor.orphans(&directory.work());
    signal(&orphans, Signal::KILL);
    let ended = directory.group().is_none_or(|group| {
        let ended = group.end();
        group.leave();
        ended
    });
    ended && orphans.is_empty()
}

impl LocalConnector {
    /// Ends control groups that nobody watches over: of supervisors that were killed while no service was there, and of tries.
    pub(super) fn end_left_groups(&self) {
        for name in self.groups.left() {
            let part = name.split_once('-').and_then(|(reservation, part)| {
                let (reservation, part) = (reservation.parse().ok()?, part.parse().ok()?);
                Some(self.part(ReservationNumber::new(reservation), part))
            });
            let begun = part.and_then(|part| part.begun().ok()?);
            let watched = begun.and_then(|begun| begun.supervisor).is_some_and(|it| it.is_alive());
            let Some(group) = self.groups.of(&name, PartLimits::default()).filter(|_| !watched) else {
                continue;
            };
            let begun = Instant::now();
            while !group.end() {
                if begun.elapsed() > STOP_WITHIN {
                    tracing::warn!("control group {name}: what was left in it does not end");
                    break;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            group.leave();
        }
    }

    /// Stops what runs of a reservation; whether nothing does any more.
    pub(super) fn is_stopped(&mut self, reservation: ReservationNumber) -> Result<bool, SiteError> {
        let directory = self.directory.join(reservation.to_string());
        let wrong = |error: std::io::Error| SiteError::file(&directory, error);
        let entries = match std::fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
            Err(error) => return Err(wrong(error)),
        };
        let mut stopped = true;
        for entry in entries {
            stopped &= self.stop(&PartDirectory(entry.map_err(wrong)?.path()))?;
        }
        Ok(stopped)
    }

    /// Whether nothing is in the place of a reservation that the site has no memory of; what is there is stopped, and set aside.
    pub(super) fn is_clear(&mut self, reservation: ReservationNumber) -> Result<bool, SiteError> {
        if !self.directory.join(reservation.to_string()).exists() {
            return Ok(true);
        }
        let stopped = self.is_stopped(reservation)?;
        if stopped {
            set_aside(&self.directory, reservation)?;
        }
        Ok(stopped)
    }

    fn stop(&mut self, directory: &PartDirectory) -> Result<bool, SiteError> {
        let wrong = |error: std::io::Error| directory.wrong(&error);
        let never = Begun { supervisor: None, at: wall_millis() };
        // An end is only written down when nothing runs any more.
        if directory.ended()?.is_some() {
            return Ok(true);
        }
        if directory.begun()?.is_none() && directory.write_once("begun.json", &never).map_err(wrong)? {
            return Ok(true);
        }
        let Some(supervisor) = directory.begun()?.and_then(|begun| begun.supervisor) else { return Ok(true) };
        self.children.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
        if supervisor.is_alive() {
            directory.ask_to_stop();
            return Ok(false);
        }
        Ok(is_over(directory, &supervisor))
    }

    pub(super) fn let_go(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer {
        self.book.leave(reservation)?;
        let begun = Instant::now();
        while !self.is_stopped(reservation)? {
            if begun.elapsed() > STOP_WITHIN {
                return Ok(Vec::new());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.reported.forget(reservation);
        self.launched.retain(|(number, _), _| *number != reservation);
        Ok(vec![self.book.release(now, reservation)?])
    }
}
