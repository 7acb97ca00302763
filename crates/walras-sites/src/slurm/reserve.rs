//! The two phases: what is prepared is a reservation of Slurm's for every hold, all of them or none; what is confirmed was read again.

use super::command::{self, Tag, Wanted};
use super::execute::{self, Slurm};
use super::free::{Open, Snapshot};
use super::look::Watch;
use super::run_as::Runs;
use super::seen::{has_cores_alone, is_running, stands};
use super::{FRESH, SlurmConnector};
use crate::clock::{later, wall_millis};
use crate::contract::{Hold, Prepare, ReservationNumber, SiteAnswer, SiteError, SiteMessage, SiteRefusal};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;
use walras_model::{Interval, Time};

/// A supervisor comes up at least this long before its hold, in milliseconds, or the hold is refused.
const COMES_UP: i64 = 2_000;
/// So many reservations are made by one process of Slurm's.
const CREATED_AT_ONCE: usize = 500;

impl<S: Slurm> SlurmConnector<S> {
    /// Holds time for several at once, or says why not: one look and one process of Slurm's serve all. Asked again, it makes what is missing.
    pub(super) fn reserve_all(&mut self, now: Time, asked: &[Prepare<'_>]) -> Vec<SiteAnswer> {
        let mut answers: Vec<Option<SiteAnswer>> = asked.iter().map(|_| None).collect();
        let mut written: BTreeSet<ReservationNumber> = BTreeSet::new();
        let (mut open, begun) = (None, Instant::now());
        for (asked, answer) in asked.iter().zip(&mut answers) {
            match self.write_down(now, asked, &mut open) {
                Ok(Some(said)) => *answer = Some(Ok(vec![said])),
                Ok(None) => {
                    written.insert(asked.reservation);
                }
                Err(error) => *answer = Some(Err(error)),
            }
        }
        let made = self.make_all(now, &written, begun);
        let of = |reservation: ReservationNumber| match &made {
            Ok(made) => made.get(&reservation).cloned().unwrap_or_else(|| Ok(Vec::new())),
            Err(error) => Err(error.clone()),
        };
        asked.iter().zip(answers).map(|(asked, said)| said.unwrap_or_else(|| of(asked.reservation))).collect()
    }

    /// Writes down what is asked for, where it can be had: what is made and not heard of is found again. Nothing is said of what is yet to be
    /// made.
    fn write_down(
        &mut self,
        now: Time,
        asked: &Prepare<'_>,
        open: &mut Option<Open>,
    ) -> Result<Option<SiteMessage>, SiteError> {
        let Prepare { reservation, customer, holds, expiry } = *asked;
        let refuse = |refusal| Ok(Some(SiteMessage::Refused { reservation, refusal }));
        match self.book.settled(now, reservation, expiry)? {
            Some(SiteMessage::Prepared(_)) => return Ok(None),
            Some(answer) => return Ok(Some(answer)),
            None => {}
        }
        let account = match self.accounts.of(&customer.user) {
            Runs::AsService => None,
            Runs::As(account) => Some(account),
            Runs::Nowhere => return refuse(SiteRefusal::NoAccount),
        };
        if !self.is_clear(reservation)? {
            return refuse(SiteRefusal::Busy);
        }
        // How much room a queue has, the book knows.
        let free = self.is_queue() || self.has_room(now, holds) && self.is_free(reservation, holds, open)?;
        if !free {
            return refuse(SiteRefusal::Busy);
        }
        match self.book.prepare(now, reservation, holds, expiry, |_| true)? {
            SiteMessage::Prepared(_) => {
                // One that was not written down in time expires: nothing is made before this.
                account.map_or(Ok(()), |it| self.book.note_account(reservation, (it.uid, it.gid)))?;
                Ok(None)
            }
            answer => Ok(Some(answer)),
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
        let has = |wide: Vec<Hold>| {
            let in_units = |hold: &Hold| hold.node.is_some_and(|node| self.options.units.contains_key(&node));
            let (units, whole): (Vec<Hold>, Vec<Hold>) = wide.into_iter().partition(in_units);
            self.book.in_the_way(&whole).next().is_none() && self.book.has_units(&units)
        };
        in_time && wide.is_some_and(has)
    }

    /// Whether nobody else has, or is planned on, what is asked for. What others have is gathered once for all that are asked for together.
    fn is_free(
        &mut self,
        reservation: ReservationNumber,
        holds: &[Hold],
        open: &mut Option<Open>,
    ) -> Result<bool, SiteError> {
        let places = holds.iter().zip(0_u32..);
        let wanted = places.map(|(hold, place)| self.wanted(&Tag { number: reservation, place }, hold));
        let Some(wanted) = wanted.collect::<Option<Vec<Wanted>>>() else { return Ok(false) };
        let open = match open {
            Some(open) => open,
            None => {
                let snapshot = self.read(FRESH)?;
                open.insert(Open::of(
                    &snapshot,
                    &self.instance,
                    wall_millis() / 1_000,
                    &self.options.partitions,
                ))
            }
        };
        let is_free = |(it, hold): (&Wanted, &Hold)| {
            let asked = wanted.iter().zip(holds).filter(|(other, _)| other.node == it.node);
            let asked = asked.map(|(other, hold)| (other.start, other.end, hold.units));
            let ours = it.share.and(hold.node).map(|node| self.ours_on(node)).unwrap_or_default();
            open.is_free(it, ours.into_iter().chain(asked))
        };
        Ok(wanted.iter().zip(holds).all(is_free))
    }

    /// Makes what is missing of reservations that are written down: all of one, or nothing is left of it.
    fn make_all(
        &mut self,
        now: Time,
        numbers: &BTreeSet<ReservationNumber>,
        begun: Instant,
    ) -> Result<BTreeMap<ReservationNumber, SiteAnswer>, SiteError> {
        if numbers.is_empty() || self.is_queue() {
            let made = |number: &ReservationNumber| (*number, Ok(vec![SiteMessage::Prepared(*number)]));
            return Ok(numbers.iter().map(made).collect());
        }
        let snapshot = self.tidied(begun)?;
        let mut missing: Vec<(ReservationNumber, Wanted)> = Vec::new();
        for number in numbers {
            let gone = self.all_wanted(*number).into_iter().filter(|(_, _, it)| !stands(&snapshot, it));
            missing.extend(gone.map(|(_, _, it)| (*number, it)));
        }
        let seconds = wall_millis() / 1_000;
        for (_, wanted) in &mut missing {
            // Of a node that is sold in units Slurm would choose cores whose jobs go on: those of others.
            let used = || snapshot.is_used(&self.instance, seconds, &wanted.node, wanted.start, wanted.end);
            wanted.over_jobs = self.is_under_ours(&snapshot, wanted) && (wanted.share.is_none() || !used());
        }
        // What nobody knows the cores of cannot be made.
        let (missing, unknown): (Vec<_>, Vec<_>) =
            missing.into_iter().partition(|(_, it)| it.share.is_none() || it.cores.is_some());
        let (made, wrong) = self.create(&snapshot, &missing)?;
        let failed: BTreeSet<ReservationNumber> = (missing.iter().filter(|(_, it)| !made.contains(&it.name)))
            .chain(&unknown)
            .map(|(number, _)| *number)
            .collect();
        if !failed.is_empty() {
            tracing::info!(wrong, "Slurm does not reserve");
            self.give_up(now, &failed)?;
        }
        let new: BTreeSet<ReservationNumber> = missing.iter().map(|(number, _)| *number).collect();
        let answer = |number: &ReservationNumber| match failed.contains(number) {
            true if execute::is_denied(&wrong) => Err(SiteError::Denied(wrong.clone())),
            true => Ok(busy(*number)),
            false => Ok(vec![SiteMessage::Prepared(*number)]),
        };
        let answers = numbers.iter().map(|number| (*number, answer(number))).collect();
        for number in new.difference(&failed) {
            let all = self.all_wanted(*number);
            self.watch(&snapshot, *number, &all);
        }
        Ok(answers)
    }

    /// Makes reservations in Slurm, in place of those of the same names; gives the names of those that were made, and what went wrong.
    fn create(
        &mut self,
        snapshot: &Snapshot,
        missing: &[(ReservationNumber, Wanted)],
    ) -> Result<(BTreeSet<String>, String), SiteError> {
        let there = |it: &&Wanted| snapshot.reservations.contains_key(&it.name);
        let all: Vec<Wanted> = missing.iter().map(|(_, it)| it.clone()).collect();
        let changed: Vec<String> = all.iter().filter(there).map(|it| it.name.clone()).collect();
        let (mut made, mut wrong) = (BTreeSet::new(), String::new());
        if all.is_empty() {
            return Ok((made, wrong));
        }
        self.seen = None;
        if !changed.is_empty() {
            self.call(&command::delete(&changed))?;
        }
        for some in all.chunks(CREATED_AT_ONCE) {
            let printed = self.call(&command::create(some))?;
            let out = String::from_utf8_lossy(&printed.out);
            let names =
                out.lines().filter_map(|line| Some(line.split_once("Reservation created: ")?.1.trim_end()));
            made.extend(names.map(str::to_owned));
            if !printed.wrong.is_empty() {
                wrong = printed.wrong;
            }
        }
        Ok((made, wrong))
    }

    /// What the cluster says since then, without what is under our name and nobody knows of: it may be in the way.
    fn tidied(&mut self, since: Instant) -> Result<Arc<Snapshot>, SiteError> {
        let snapshot = self.read(FRESH + since.elapsed())?;
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

    /// Nothing is held under these numbers, now or ever. What cannot be taken away at once goes at the next look.
    fn give_up(&mut self, now: Time, numbers: &BTreeSet<ReservationNumber>) -> Result<(), SiteError> {
        let mut names: Vec<String> = Vec::new();
        (self.untidy, self.removed) = (true, Some(Instant::now()));
        self.seen = None;
        for number in numbers {
            names.extend(self.all_wanted(*number).into_iter().map(|(_, _, it)| it.name));
            self.book.release(now, *number)?;
        }
        if let Err(error) = self.call(&command::delete(&names)) {
            tracing::debug!("{error}");
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
        if prepared && !self.is_queue() {
            // What was made since was read since, or is read now: for all that are confirmed after it.
            let snapshot = self.read(self.options.look_every)?;
            let all = self.all_wanted(reservation);
            let stands =
                |it: &Wanted| stands(&snapshot, it) && has_cores_alone(&snapshot, it, &self.instance);
            if !all.iter().all(|(_, _, it)| stands(it)) {
                self.give_up(now, &BTreeSet::from([reservation]))?;
                return Ok(busy(reservation));
            }
        }
        let answer = self.book.confirm(now, reservation)?;
        self.submit_soon(now, reservation);
        Ok(vec![answer])
    }

    /// Submits the supervisors of what begins soon at once. All others wait for the next poll: whoever waits for an answer need not wait for them.
    fn submit_soon(&mut self, now: Time, reservation: ReservationNumber) {
        self.submit_due = true;
        let soon = later(now, self.options.margin.before + 10_000);
        let begins = self.all_wanted(reservation).iter().map(|(_, hold, _)| hold.interval.start()).min();
        if begins.is_some_and(|begins| begins <= soon) {
            // What cannot be submitted now is tried again.
            if let Err(error) = self.submit_missing(now) {
                tracing::warn!("reservation {reservation}: {error}");
            }
        }
    }
}

fn busy(reservation: ReservationNumber) -> Vec<SiteMessage> {
    vec![SiteMessage::Refused { reservation, refusal: SiteRefusal::Busy }]
}
