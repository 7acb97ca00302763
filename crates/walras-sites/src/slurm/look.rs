//! Looks: what is ours in Slurm against the book, and what has become of others' plans.
//!
//! Every look asks the controller four times, however many reservations there are, and not at all where something was read for another purpose since the last. Strangers under our name go: what was revived,
//! expired, or made by a service that was killed. What is missing, moved, shrunk, or on a node that was drained or failed is said to be
//! taken, unless its supervisor is up: what runs goes on. A node that does not answer is said to be down: nothing is planned there. And when an owner's job is planned later than it was before we came, we give way.

use super::command::{self, Instance, Tag, Wanted};
use super::execute::Slurm;
use super::free::Snapshot;
use super::parse::JobState;
use super::seen::{has_cores_alone, is_running, stands};
use super::settings::Settings;
use super::units::{Taken, fits};
use super::{FRESH, Kept, SlurmConnector};
use crate::clock::{later, wall_millis};
use crate::contract::{Hold, JobNumber, ReservationNumber, SiteAnswer, SiteError, SiteMessage, SiteRefusal};
use crate::local::sweep::{set_aside, sweep};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use walras_model::Time;

/// A reservation may overlap from this long before its start on, in milliseconds: since parts are sent so long ahead, a service that is away at
/// the start misses none. Earlier, Slurm would not refuse what somebody else reserves there.
pub(super) const OVERLAP_BEFORE: i64 = 30_000;
/// A controller saves what it knows within this time; it should within 5 s.
const SAVED_WITHIN: Duration = Duration::from_secs(12);
/// A cluster where nothing of ours is is looked at so many times as seldom.
const QUIET_TIMES: u32 = 6;
/// Old directories are looked for this often.
const SWEEP_EVERY: Duration = Duration::from_secs(3_600);
/// A node is not sold after so many supervisors have ended on it before anything began, and for so long.
const BARREN_AFTER: u32 = 2;
const BARREN_FOR: Duration = Duration::from_secs(3_600);
/// A plan that changes by no more than this, in seconds, has not changed.
const MOVED_BY: i64 = 1;

/// Owners' jobs as they were planned before a reservation was made.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    pub(super) reservation: ReservationNumber,
    /// When the scheduler has made a pass since.
    due: Instant,
    /// The jobs and when they were to start.
    planned: Vec<(String, i64)>,
}

impl Watch {
    /// The jobs of others that were planned to start before a reservation ends; nothing when there are none.
    pub(super) fn of(
        before: &Snapshot,
        reservation: ReservationNumber,
        until: i64,
        settings: &Settings,
        ours: &Instance,
    ) -> Option<Watch> {
        let waiting =
            before.jobs.iter().filter(|job| job.state == JobState::Pending && ours.read(&job.name).is_none());
        let planned: Vec<(String, i64)> = waiting
            .filter_map(|job| Some((job.id.clone(), job.start.filter(|start| *start < until)?)))
            .collect();
        let pass = Duration::from_secs(settings.backfill_every.unsigned_abs() + 1);
        (!planned.is_empty()).then(|| Watch { reservation, due: Instant::now() + pass, planned })
    }

    /// Whether one of them is planned for later than it was.
    fn is_moved(&self, snapshot: &Snapshot) -> bool {
        let start = |id: &str| {
            let job = snapshot.jobs.iter().find(|job| job.id == id && job.state == JobState::Pending)?;
            job.start
        };
        self.planned.iter().any(|(id, before)| start(id).is_some_and(|now| now > before + MOVED_BY))
    }
}

impl<S: Slurm> SlurmConnector<S> {
    /// Lets the reservations that begin soon overlap the next ones, or their jobs, whose limits are whole minutes, would not start.
    pub(super) fn let_overlap(&mut self, now: Time) -> Result<(), SiteError> {
        let soon = later(now, OVERLAP_BEFORE).as_millis().div_euclid(1_000);
        let numbers =
            self.book.iter().filter(|(_, it)| it.expiry.is_none() && !it.leaving).map(|(number, _)| number);
        let mut due: Vec<(Tag, Wanted)> = Vec::new();
        for number in numbers.collect::<Vec<_>>() {
            let open = self.all_wanted(number).into_iter().filter(|(_, hold, _)| hold.interval.end() > now);
            let new = open.filter(|(tag, _, wanted)| wanted.start <= soon && !self.flagged.contains(tag));
            due.extend(new.map(|(tag, _, wanted)| (tag, wanted)));
        }
        if due.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = due.iter().map(|(_, wanted)| wanted.name.clone()).collect();
        self.call(&command::may_overlap(&names))?;
        self.flagged.extend(due.into_iter().map(|(tag, _)| tag));
        Ok(())
    }

    /// Looks, when it is time to: often where something of ours may be there, and now and then otherwise, for the cluster may grow or shrink.
    pub(super) fn look(&mut self, now: Time) -> SiteAnswer {
        let quiet = !self.untidy && self.book.iter().next().is_none() && self.down.is_empty();
        let every = self.options.look_every.saturating_mul(if quiet { QUIET_TIMES } else { 1 });
        if self.looked.is_some_and(|at| at.elapsed() < every) {
            return Ok(Vec::new());
        }
        self.looked = Some(Instant::now());
        let snapshot = self.read_to_look(every)?;
        self.tidy(&snapshot)?;
        self.find_barren(now, &snapshot);
        let mut messages = self.news_of_nodes(now, &snapshot)?;
        messages.extend(self.taken_back(now, &snapshot));
        messages.extend(self.give_way(now, &snapshot));
        messages.extend(self.take_census(now));
        Ok(messages)
    }

    /// What was read since the last look, for whatever it was; what is there now, where that is nothing.
    fn read_to_look(&mut self, every: Duration) -> Result<Arc<Snapshot>, SiteError> {
        let is_news = self.seen.as_ref().is_some_and(|(at, _)| self.looked_at.is_none_or(|last| *at > last));
        let snapshot = self.read(if is_news { every } else { Duration::ZERO })?;
        self.looked_at = self.seen.as_ref().map(|(at, _)| *at);
        Ok(snapshot)
    }

    /// Removes the directories of what has been over for long.
    pub(super) fn sweep(&mut self) {
        if self.swept.is_none_or(|since| since.elapsed() >= SWEEP_EVERY) {
            self.swept = Some(Instant::now());
            let held = |number| self.book.get(ReservationNumber::new(number)).is_some();
            let tasks = || self.book.iter().flat_map(|(_, it)| it.parts.values()).map(|part| &part.task);
            let uses = |number| tasks().any(|task| task.is_of(JobNumber::new(number)));
            sweep(&self.directory, self.options.keep, held, uses);
        }
    }

    /// Whether nothing is in the place of a reservation that the book has never heard of; what is there is taken out of Slurm, and set aside.
    pub(super) fn is_clear(&mut self, reservation: ReservationNumber) -> Result<bool, SiteError> {
        if !self.directory.join(reservation.to_string()).exists() {
            return Ok(true);
        }
        let snapshot = self.read(FRESH)?;
        let of_it = |name: &String| self.instance.read(name).is_some_and(|tag| tag.number == reservation);
        let left: Vec<String> = self.strangers(&snapshot).into_iter().filter(of_it).collect();
        let clear = self.remove_named(&left)?;
        if clear {
            set_aside(&self.directory, reservation)?;
        }
        Ok(clear)
    }

    /// Removes what is under our name and not in the book.
    pub(super) fn tidy(&mut self, snapshot: &Snapshot) -> Result<(), SiteError> {
        let strangers = self.strangers(snapshot);
        if !strangers.is_empty() {
            tracing::info!(?strangers, "removed from Slurm: nobody knows of them");
        }
        self.remove_named(&strangers)?;
        // What was removed comes back when the controller is killed before it has saved that: it is looked at until then.
        let saved = self.removed.is_none_or(|at| at.elapsed() > SAVED_WITHIN);
        self.untidy = !saved || self.book.iter().next().is_some();
        Ok(())
    }

    /// What is under our name in Slurm and not in the book.
    pub(super) fn strangers(&self, snapshot: &Snapshot) -> Vec<String> {
        let reservations = snapshot.reservations.keys();
        let live =
            snapshot.jobs.iter().filter(|job| matches!(job.state, JobState::Pending | JobState::Active));
        let names: BTreeSet<&String> = reservations.chain(live.map(|job| &job.name)).collect();
        let stranger =
            |name: &&&String| self.instance.read(name).is_some_and(|tag| self.book.get(tag.number).is_none());
        names.iter().filter(stranger).map(|name| (**name).clone()).collect()
    }

    /// Finds nodes on which supervisors end before anything has begun, again and again: they do not see the shared directory, or cannot run the
    /// program. Whatever is sold there is lost.
    fn find_barren(&mut self, now: Time, snapshot: &Snapshot) {
        let ended =
            |name: &str| snapshot.jobs.iter().any(|job| job.name == name && job.state == JobState::Over);
        let mut found = Vec::new();
        for (tag, _) in self.submitted.iter().filter(|(_, (_, times))| *times >= BARREN_AFTER) {
            let hold = self.book.confirmed(tag.number).and_then(|_| self.hold_at(tag));
            let Some((node, interval)) = hold.and_then(|hold| Some((hold.node?, hold.interval))) else {
                continue;
            };
            let name = self.instance.tag(tag);
            let open = interval.end() > now && !self.is_up(tag);
            if open && ended(&name) && !is_running(snapshot, &name) {
                found.extend(self.node_name(node).map(|name| (node.number(), name.to_owned())));
            }
        }
        for (number, name) in found {
            if self.is_barren(number) {
                continue;
            }
            let directory = self.directory.display();
            tracing::warn!(
                "node {name}: supervisors end as soon as they begin; does it see {directory}, and may it run the program?"
            );
            self.barren.insert(number, Instant::now());
        }
    }

    pub(super) fn is_barren(&self, number: u32) -> bool {
        self.barren.get(&number).is_some_and(|since| since.elapsed() < BARREN_FOR)
    }

    /// The nodes that do not answer any more, and those that do again. What was said of them is written down first: a service that begins
    /// again knows which it has yet to call back.
    fn news_of_nodes(&mut self, now: Time, snapshot: &Snapshot) -> SiteAnswer {
        let (mut down, mut news) = (self.down.clone(), Vec::new());
        for (node, name) in &self.options.nodes {
            let Some(seen) = snapshot.nodes.get(name) else { continue };
            let (node, number) = (*node, node.number());
            let barren = self.is_barren(number);
            if (seen.down || barren) && down.insert(number) {
                news.push(SiteMessage::NodeDown { node, at: now });
            } else if seen.usable && !barren && down.remove(&number) {
                news.push(SiteMessage::NodeBack { node, at: now });
            }
        }
        if !news.is_empty() {
            let instance = self.instance.name().to_owned();
            self.book.store().save_state(&Kept { instance, down: down.clone() })?;
            self.down = down;
        }
        Ok(news)
    }

    /// What is confirmed and cannot be had as it was.
    fn taken_back(&mut self, now: Time, snapshot: &Snapshot) -> Vec<SiteMessage> {
        let numbers =
            self.book.iter().filter(|(_, it)| it.expiry.is_none() && !it.leaving).map(|(number, _)| number);
        let mut messages = Vec::new();
        let seconds = wall_millis() / 1_000;
        let others = snapshot.in_the_way(&self.instance, seconds);
        // Where others leave too little for all that is ours on a node, what was asked for last goes first.
        for number in numbers.collect::<Vec<_>>().into_iter().rev() {
            for (tag, hold, wanted) in self.all_wanted(number) {
                let node = snapshot.nodes.get(&wanted.node);
                // That it does not answer is said of the node itself, and no fault of its owner's.
                let usable = node.is_some_and(|node| node.usable || node.down || node.unknown);
                let good = usable
                    && stands(snapshot, &wanted)
                    && has_cores_alone(snapshot, &wanted, &self.instance)
                    && self.is_left(others.get(wanted.node.as_str()), &hold, &wanted);
                if !good && hold.interval.end() > now && !self.is_up(&tag) {
                    messages.extend(self.say_taken(tag, &hold));
                }
            }
        }
        messages
    }

    /// Whether others leave what is held of a node that is sold in units.
    fn is_left(&self, others: Option<&Vec<Taken>>, hold: &Hold, wanted: &Wanted) -> bool {
        let (Some(others), Some((_, of)), Some(node)) = (others, wanted.share, hold.node) else {
            return true;
        };
        fits(others.iter().copied().chain(self.ours_on(node)), of, wanted.start, wanted.end)
    }

    /// Whether something of a hold has begun, so that it goes on whatever becomes of its reservation.
    fn is_up(&self, tag: &Tag) -> bool {
        let parts = self.book.get(tag.number).map(|booking| &booking.parts);
        let mut on_hold = parts.into_iter().flatten().filter(|(_, part)| part.hold == tag.place);
        on_hold.any(|(part, _)| self.reported.of(tag.number, *part).start)
    }

    /// Of a node that is sold in units others may hold something at the same time: what is taken there is this reservation's alone.
    fn say_taken(&mut self, tag: Tag, hold: &Hold) -> Option<SiteMessage> {
        let (node, interval) = (hold.node?, hold.interval);
        let (reservation, refusal) = (tag.number, SiteRefusal::TakenBack);
        let of = self.options.units.get(&node).copied().unwrap_or(1);
        let said = if hold.units < of {
            SiteMessage::Refused { reservation, refusal }
        } else {
            SiteMessage::Taken { node, interval }
        };
        self.taken.insert(tag).then_some(said)
    }

    /// Gives back what has moved an owner's job.
    fn give_way(&mut self, now: Time, snapshot: &Snapshot) -> Vec<SiteMessage> {
        let (due, later): (Vec<Watch>, Vec<Watch>) =
            std::mem::take(&mut self.watched).into_iter().partition(|watch| watch.due <= Instant::now());
        self.watched = later;
        let mut messages = Vec::new();
        for watch in due.into_iter().filter(|watch| watch.is_moved(snapshot)) {
            tracing::info!("reservation {} has moved an owner's job, and is given back", watch.reservation);
            for (tag, hold, _) in self.all_wanted(watch.reservation) {
                if hold.interval.start() > now {
                    messages.extend(self.say_taken(tag, &hold));
                }
            }
        }
        messages
    }
}
