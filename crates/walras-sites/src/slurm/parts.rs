//! Parts on their way: asked for, begun by the supervisor of their hold, looked at until they have ended.

use super::command::Tag;
use super::execute::Slurm;
use super::go;
use super::parse::JobSeen;
use super::run_as::RunAs;
use super::{SlurmConnector, SlurmPart};
use crate::book::Booking;
use crate::clock::{later, wall_millis};
use crate::contract::{Hold, PartEnd, ReservationNumber, SiteAnswer, SiteError, SiteMessage, Start, Stream};
use crate::files::{Directory, FileInside};
use crate::local::make_directory;
use crate::local::part::{Begun, Ended, PartDirectory, Surroundings, Task};
use crate::local::shared::{Runs, directory_of};
use crate::local::told::{Placed, Usual};
use crate::reported::{Report, gather};
use std::path::PathBuf;
use walras_model::Time;

impl<S: Slurm> SlurmConnector<S> {
    pub(super) fn part_directory(
        &self,
        reservation: ReservationNumber,
        hold: u32,
        part: u32,
    ) -> PartDirectory {
        let tag = Tag { number: reservation, place: hold };
        PartDirectory(self.hold_directory(&tag).join(part.to_string()))
    }

    /// What the directory of a part's program is called. Where it runs under an account, it lies beside the part's own: what leads there stays
    /// ours, and nobody can have us read another file in its place.
    fn work_of(&self, reservation: ReservationNumber, part: u32) -> String {
        match self.account_of(reservation) {
            Some(_) => format!("../{part}.work"),
            None => "work".to_owned(),
        }
    }

    pub(super) fn runs(&self) -> Runs<'_> {
        Runs { site: &self.directory, open: self.options.run_as != RunAs::Service }
    }

    /// Writes down the parts that are new, and then where their supervisors look for them.
    pub(super) fn take_on(
        &mut self,
        start: &Start<'_>,
        mut booking: Booking<SlurmPart>,
    ) -> Result<(), SiteError> {
        booking.check(start)?;
        let before = booking.parts.len();
        for part in start.parts {
            if booking.parts.contains_key(&part.part) {
                continue;
            }
            let hold = booking.hold_of(start.reservation, part)?;
            let (begins, until, lasts) = match self.is_queue() {
                // It begins when Slurm likes.
                true => (0, Time::MAX, Some(hold.interval.span().as_millis())),
                false => (part.start.max(hold.interval.start()).as_millis(), hold.interval.end(), None),
            };
            let name = |hold: &Hold| hold.node.and_then(|node| self.node_name(node));
            let nodes = booking.holds.iter().filter_map(name).collect();
            let placed = Placed { node: name(&hold), nodes, width: booking.holds.len() };
            let usual = Usual { path: &self.options.path, lang: &self.options.lang };
            let site = Surroundings { usual, grace: self.options.grace };
            let task = Task::new(start, part, &placed, &site);
            let runs = self.runs();
            let account = self.account_of(start.reservation);
            let shares = start.program.shares;
            let user = &start.program.user;
            let shared = if shares { Some(runs.directory(start.job, user, account)?) } else { None };
            let task = Task {
                begins,
                until: until.as_millis(),
                work: self.work_of(start.reservation, part.part),
                shared: shared.map(|shared| shared.path().to_owned()),
                // A workflow's tasks come one after another.
                alone: !shares,
                brought: runs.bring(start.job, user, &start.program.particulars.inputs)?,
                ..task
            };
            booking.parts.insert(part.part, SlurmPart { hold: part.hold, until, lasts, task });
        }
        let new = booking.parts.len() > before;
        let parts = booking.parts.clone();
        let holds = booking.holds.clone();
        if new {
            self.book.put(start.reservation, booking)?;
        }
        for part in start.parts {
            let Some(known) = parts.get(&part.part) else { continue };
            let tag = Tag { number: start.reservation, place: known.hold };
            let hold = holds.get(usize::try_from(known.hold).unwrap_or(usize::MAX));
            if let Some(hold) = hold {
                let directory = PartDirectory(self.make_hold(&tag, hold)?);
                if known.task.together {
                    go::make(&directory, self.account_of(tag.number))
                        .map_err(|error| directory.wrong(&error))?;
                }
            }
            self.make_part(&tag, part.part, &known.task)?;
        }
        Ok(())
    }

    /// It is to be said when supervisors are up for everything of a window over several sites.
    pub(super) fn look_for_ready(&self, reservation: ReservationNumber) {
        let parts = self.book.get(reservation).map(|booking| &booking.parts).into_iter().flatten();
        let directory =
            |(part, known): (&u32, &SlurmPart)| self.part_directory(reservation, known.hold, *part);
        self.awaited.look_for(reservation, parts.map(directory).collect());
    }

    /// Looks at a part, and says what is new.
    fn advance(&mut self, now: Time, reservation: ReservationNumber, number: u32) -> SiteAnswer {
        let Some(part) = self.book.get(reservation).and_then(|booking| booking.parts.get(&number)) else {
            return Ok(Vec::new());
        };
        let hold = part.hold;
        let directory = self.part_directory(reservation, hold, number);
        let until = until_of(part, &directory)?;
        let alone = part.task.alone && (!self.is_queue() || self.width_of(reservation) == 1);
        let told = self.reported.of(reservation, number);
        let tag = Tag { number: reservation, place: hold };
        let (begun, ended) = self.look_at(now, &directory, &tag, until)?;
        let Some(begun) = begun else { return Ok(Vec::new()) };
        let mut messages = Vec::new();
        if !told.start && begun.supervisor.is_some() {
            let at = self.begin_of(&tag, Time::from_millis(begun.at).unwrap_or(now));
            messages.push(SiteMessage::Started { reservation, parts: vec![number], at });
        }
        let end = ended.as_ref().and_then(|ended| match ended.end {
            PartEnd::Lost if begun.supervisor.is_some() => self.lost(now, &tag, ended),
            end => Some(end),
        });
        if let Some((ended, end)) = ended.as_ref().zip(end) {
            let at = self.end_of(now, &directory, &tag, ended, alone, until);
            messages.push(SiteMessage::Ended { reservation, part: number, at, end, used: None });
        }
        self.reported.note(reservation, number, Report { start: true, end: end.is_some() });
        Ok(messages)
    }

    /// Whether a part has begun and how it ended. One whose supervisor is gone, or that never had one, ends here: when its time is over
    /// and even a supervisor that nobody can reach has ended it.
    fn look_at(
        &self,
        now: Time,
        directory: &PartDirectory,
        tag: &Tag,
        until: Time,
    ) -> Result<(Option<Begun>, Option<Ended>), SiteError> {
        let wrong = |error: std::io::Error| directory.wrong(&error);
        let begun = directory.begun()?;
        if begun.is_none() {
            if now < until && !self.is_turned_away(tag) {
                return Ok((None, None));
            }
            // It never began, and now it must not.
            let never = Begun { supervisor: None, at: wall_millis() };
            make_directory(&directory.0, false).map_err(wrong)?;
            directory.write_once("begun.json", &never).map_err(wrong)?;
        }
        let begun = directory.begun()?;
        if let Some(ended) = directory.ended()? {
            return Ok((begun, Some(ended)));
        }
        let runs = begun.as_ref().is_some_and(|begun| begun.supervisor.is_some());
        if runs && !self.is_dead(now, tag, until) {
            return Ok((begun, None));
        }
        let until = self.last_moment(until).as_millis();
        let lost = Ended { at: wall_millis().min(until), end: PartEnd::Lost, used: None };
        directory.write_once("ended.json", &lost).map_err(wrong)?;
        let ended = directory.ended()?;
        Ok((begun, ended))
    }

    /// The moment at which every supervisor has ended what it runs.
    pub(super) fn last_moment(&self, until: Time) -> Time {
        let grace = i64::try_from(self.options.grace.as_millis()).unwrap_or(i64::MAX);
        later(until, grace.saturating_add(2_000))
    }

    /// Whether nothing can run any more of a part that has begun: its time is over, or Slurm has seen the end of its job on nodes that
    /// answer. The files are looked at again first: the end may just have been written.
    pub(super) fn is_dead(&self, now: Time, tag: &Tag, until: Time) -> bool {
        if now >= self.last_moment(until) {
            return true;
        }
        let Some((seen, snapshot)) = &self.seen else { return false };
        // What was seen before its supervisor was last submitted is the end of another one.
        if self.submitted.get(&self.job_tag(tag, tag.place)).is_some_and(|(at, _)| seen <= at) {
            return false;
        }
        let name = self.job_name(tag);
        let usable = |node: &String| snapshot.nodes.get(node).is_some_and(|node| node.usable);
        let over = |job: &JobSeen| job.state.is_over() && job.ran_on.iter().all(usable);
        let mut jobs = snapshot.jobs.iter().filter(|job| job.name == name).peekable();
        jobs.peek().is_some() && jobs.all(over) && self.node_of(tag).is_none_or(|node| usable(&node))
    }

    /// The node of a hold; in a queue nobody knows.
    fn node_of(&self, tag: &Tag) -> Option<String> {
        self.node_name(self.hold_at(tag)?.node?).map(str::to_owned)
    }

    /// Everything that is new of some parts. What cannot be looked at does not keep the others from being.
    pub(super) fn advance_all(&mut self, now: Time, only: Option<ReservationNumber>) -> SiteAnswer {
        let open = self.reported.open(&self.book, only);
        gather(open.into_iter().map(|(reservation, part)| self.advance(now, reservation, part)))
    }

    /// What a part was asked to run, and the directory of its own.
    fn asked_of(&self, reservation: ReservationNumber, part: u32) -> Option<(Task, PathBuf)> {
        let holds = std::fs::read_dir(self.directory.join(reservation.to_string())).ok()?.flatten();
        let directory = holds.map(|hold| hold.path().join(part.to_string())).find(|path| path.is_dir())?;
        let directory = PartDirectory(directory);
        let task: Task = directory.read("task.json").ok()??;
        let work = directory.work_of(Some(&task));
        Some((task, work))
    }

    pub(super) fn left_by(&self, reservation: ReservationNumber, part: u32) -> Option<Directory> {
        let (task, work) = self.asked_of(reservation, part)?;
        Some(directory_of(&task, &work))
    }

    pub(super) fn output_of(
        &self,
        reservation: ReservationNumber,
        part: u32,
        stream: Stream,
    ) -> Option<FileInside> {
        let (task, work) = self.asked_of(reservation, part)?;
        Some(FileInside::new(Directory::new(work, None), task.file_of(stream)?))
    }
}

/// When a part must have ended: with its hold; in a queue, so long after it has begun.
pub(super) fn until_of(part: &SlurmPart, directory: &PartDirectory) -> Result<Time, SiteError> {
    let Some(lasts) = part.lasts else { return Ok(part.until) };
    let begun = directory.begun()?.and_then(|begun| Time::from_millis(begun.at));
    Ok(begun.map_or(part.until, |begun| later(begun, lasts)))
}
