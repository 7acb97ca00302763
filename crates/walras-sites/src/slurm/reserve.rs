//! The two phases: what is prepared is a reservation of Slurm's for every hold, all of them or none; what is confirmed was read again.

use super::command::{self, Tag, Wanted};
use super::execute::{self, Slurm};
use super::free::Snapshot;
use super::look::Watch;
use super::seen::{is_running, stands};
use super::{FRESH, SlurmConnector};
use crate::clock::{later, wall_millis};
use crate::contract::{Hold, ReservationNumber, SiteAnswer, SiteError, SiteMessage, SiteRefusal};
use std::sync::Arc;
use std::time::Instant;
use walras_model::{Interval, Time};

/// A supervisor comes up at least this long before its hold, in milliseconds, or the hold is refused.
const COMES_UP: i64 = 2_000;

impl<S: Slurm> SlurmConnector<S> {
    /// Holds time, or says why not. Asked again, it makes what is missing.
    pub(super) fn reserve(
        &mut self,
        now: Time,
        reservation: ReservationNumber,
        holds: &[Hold],
        expiry: Time,
    ) -> SiteAnswer {
        match self.book.settled(now, reservation, expiry)? {
            Some(SiteMessage::Prepared(_)) => return self.make(now, reservation),
            Some(answer) => return Ok(vec![answer]),
            None => {}
        }
        if !self.has_room(now, holds) || !self.is_free(reservation, holds)? {
            return Ok(busy(reservation));
        }
        // Written down first: what is made and not heard of is found again.
        match self.book.prepare(now, reservation, holds, expiry, |_| true)? {
            SiteMessage::Prepared(_) => self.make(now, reservation),
            answer => Ok(vec![answer]),
        }
    }

    /// Whether the book has room for holds with their margins, and there is time for supervisors to come up.
    fn has_room(&self, now: Time, holds: &[Hold]) -> bool {
        let margin = self.options.margin;
        // Reservations are whole seconds: one more on each side.
        let apart = margin.before + margin.after + 2_000;
        let widened = |hold: &Hold| {
            let (from, to) = (later(hold.interval.start(), -apart), later(hold.interval.end(), apart));
            Interval::new(from, to).map(|interval| Hold { interval, ..*hold })
        };
        let wide: Option<Vec<Hold>> = holds.iter().map(widened).collect();
        let soonest = later(now, COMES_UP.min(margin.before));
        let in_time = margin.before == 0 || holds.iter().all(|hold| hold.interval.start() >= soonest);
        in_time && wide.is_some_and(|wide| self.book.in_the_way(&wide).next().is_none())
    }

    /// Whether nobody else has, or is planned on, what is asked for.
    fn is_free(&mut self, reservation: ReservationNumber, holds: &[Hold]) -> Result<bool, SiteError> {
        let places = holds.iter().zip(0_u32..);
        let wanted = places.map(|(hold, place)| self.wanted(&Tag { number: reservation, place }, hold));
        let Some(wanted) = wanted.collect::<Option<Vec<Wanted>>>() else { return Ok(false) };
        let instance = self.instance.clone();
        let snapshot = self.read(FRESH)?;
        let now = wall_millis() / 1_000;
        let free = |it: &Wanted| {
            let usable = snapshot.nodes.get(&it.node).is_some_and(|node| node.usable);
            usable && !snapshot.is_busy(&it.node, it.start, it.end, &instance, now)
        };
        Ok(snapshot.blocked.is_none() && wanted.iter().all(free))
    }

    /// Makes what is missing of a reservation that is written down: all of it, or nothing is left of it.
    fn make(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer {
        let all = self.all_wanted(reservation);
        let snapshot = self.tidied()?;
        let missing: Vec<Wanted> = all
            .iter()
            .filter(|(_, _, it)| !stands(&snapshot, it))
            .map(|(_, _, it)| Wanted { over_jobs: self.is_under_ours(&snapshot, it), ..it.clone() })
            .collect();
        if missing.is_empty() {
            return Ok(vec![SiteMessage::Prepared(reservation)]);
        }
        let changed: Vec<String> = missing
            .iter()
            .filter(|it| snapshot.reservations.contains_key(&it.name))
            .map(|it| it.name.clone())
            .collect();
        self.seen = None;
        if !changed.is_empty() {
            self.call(&command::delete(&changed))?;
        }
        let printed = self.call(&command::create(&missing, rustix::process::geteuid().as_raw()))?;
        let out = String::from_utf8_lossy(&printed.out).into_owned();
        let made = |it: &Wanted| {
            out.lines().any(|line| line.trim_end().ends_with(&format!("Reservation created: {}", it.name)))
        };
        if missing.iter().all(made) {
            self.watch(&snapshot, reservation, &all);
            return Ok(vec![SiteMessage::Prepared(reservation)]);
        }
        tracing::info!(wrong = printed.wrong, "Slurm does not reserve");
        self.give_up(now, reservation)?;
        match execute::is_denied(&printed.wrong) {
            true => Err(SiteError::Denied(printed.wrong)),
            false => Ok(busy(reservation)),
        }
    }

    /// What the cluster says, without what is under our name and nobody knows of: it may be in the way.
    fn tidied(&mut self) -> Result<Arc<Snapshot>, SiteError> {
        let snapshot = self.read(FRESH)?;
        if self.strangers(&snapshot).is_empty() {
            return Ok(snapshot);
        }
        self.tidy(&snapshot)?;
        self.read(FRESH)
    }

    /// Whether one of our own jobs has its limit, in whole minutes, within what is asked for.
    fn is_under_ours(&self, snapshot: &Snapshot, wanted: &Wanted) -> bool {
        let reaches = |end: Option<i64>| end.is_none_or(|end| end > wanted.start);
        let ours = snapshot.jobs.iter().filter(|job| self.instance.read(&job.name).is_some());
        ours.filter(|job| is_running(snapshot, &job.name))
            .any(|job| job.nodes.contains(&wanted.node) && reaches(job.end))
    }

    /// Nothing is held under this number, now or ever. What cannot be taken away at once goes at the next look.
    fn give_up(&mut self, now: Time, reservation: ReservationNumber) -> Result<(), SiteError> {
        let names: Vec<String> = self.all_wanted(reservation).into_iter().map(|(_, _, it)| it.name).collect();
        (self.untidy, self.removed) = (true, Some(Instant::now()));
        self.seen = None;
        self.book.release(now, reservation)?;
        if let Err(error) = self.call(&command::delete(&names)) {
            tracing::debug!("reservation {reservation}: {error}");
        }
        Ok(())
    }

    /// What owners' jobs were planned for before we came: they are looked at again after the scheduler's next pass.
    fn watch(&mut self, before: &Snapshot, reservation: ReservationNumber, all: &[(Tag, Hold, Wanted)]) {
        let until = all.iter().map(|(_, _, it)| it.end).max().unwrap_or(0);
        let Ok(settings) = self.settings() else { return };
        self.watched.extend(Watch::of(before, reservation, until, &settings, &self.instance));
    }

    /// Keeps what was prepared, once it was read that it stands as asked.
    pub(super) fn keep(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer {
        self.book.expire(now)?;
        let prepared = self.book.get(reservation).is_some_and(|it| it.expiry.is_some() && !it.leaving);
        if prepared {
            let all = self.all_wanted(reservation);
            let snapshot = self.read(FRESH)?;
            if !all.iter().all(|(_, _, it)| stands(&snapshot, it)) {
                self.give_up(now, reservation)?;
                return Ok(busy(reservation));
            }
        }
        let answer = self.book.confirm(now, reservation)?;
        // What cannot be submitted now is tried again.
        if let Err(error) = self.submit_soon(now, reservation) {
            tracing::warn!("reservation {reservation}: {error}");
        }
        Ok(vec![answer])
    }

    /// Submits at once what begins before the next look would; all else can wait for that.
    fn submit_soon(&mut self, now: Time, reservation: ReservationNumber) -> Result<(), SiteError> {
        let soon = later(now, self.options.margin.before + 10_000);
        let begins = self.all_wanted(reservation).iter().map(|(_, hold, _)| hold.interval.start()).min();
        if begins.is_some_and(|begins| begins <= soon) { self.submit_missing(now) } else { Ok(()) }
    }
}

fn busy(reservation: ReservationNumber) -> Vec<SiteMessage> {
    vec![SiteMessage::Refused { reservation, refusal: SiteRefusal::Busy }]
}
