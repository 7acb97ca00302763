//! Parts on their way: asked for, begun by a supervisor, looked at until they have ended.

use super::account::NoAccount;
use super::group::{Group, Used};
use super::part::{Begun, Ended, PartDirectory, Surroundings, Task, make_directory};
use super::share::NodeLimits;
use super::shared::unguessable;
use super::stop::{group_name, is_over};
use super::told::{Placed, Usual};
use super::{LocalConnector, LocalOptions, LocalPart};
use crate::book::Booking;
use crate::clock::{later, wall_millis};
use crate::contract::{
    Hold, Offering, PartEnd, ReservationNumber, SiteAnswer, SiteError, SiteMessage, Start, StartPart,
};
use crate::reported::{Report, gather};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use walras_model::{Span, Time};

/// A supervisor has so long to say that it has begun; then another is started.
const BEGIN_WITHIN: Duration = Duration::from_secs(10);

impl LocalConnector {
    fn task(
        &mut self,
        start: &Start<'_>,
        part: &StartPart,
        hold: &Hold,
        all: &[Hold],
    ) -> Result<Task, SiteError> {
        let LocalOptions { path, lang, grace, limits, nodes, first_node, .. } = &self.options;
        let name = |hold: &Hold| {
            let place = hold.node?.number().checked_sub(*first_node)?;
            nodes.get(place as usize).map(String::as_str)
        };
        let placed =
            Placed { node: name(hold), nodes: all.iter().filter_map(name).collect(), width: all.len() };
        let site = Surroundings { usual: Usual { path, lang }, grace: *grace };
        let task = Task::new(start, part, &placed, &site);
        let (account, refused) = match self.drawn.of(&start.program.user, &self.options.accounts) {
            Ok(account) => (account, task.refused.clone()),
            Err(NoAccount::Memory(error)) => return Err(error),
            Err(error @ (NoAccount::NotNamed(_) | NoAccount::UsedUp(_))) => (None, Some(error.to_string())),
        };
        let (uid, gid) = (account.map(|it| it.uid), account.map(|it| it.gid));
        let (cage, fence) = (self.isolation.cage(), self.isolation.fence());
        let (work, limits) = (unguessable("work-")?, *limits);
        let shares = start.program.shares && refused.is_none();
        let user = &start.program.user;
        let shared = if shares { Some(self.runs().directory(start.job, user, account)?) } else { None };
        let shared = shared.map(|shared| shared.path().to_owned());
        let brought = self.runs().bring(start.job, user, &start.program.particulars.inputs)?;
        Ok(Task { limits, refused, uid, gid, cage, fence, work, shared, brought, ..task })
    }

    /// Writes down the parts that are new.
    pub(super) fn take_on(
        &mut self,
        now: Time,
        start: &Start<'_>,
        mut booking: Booking<LocalPart>,
    ) -> Result<(), SiteError> {
        booking.check(start)?;
        let queue = matches!(self.options.offering, Offering::Queue(_));
        let before = booking.parts.len();
        for part in start.parts {
            if booking.parts.contains_key(&part.part) {
                continue;
            }
            let hold = booking.hold_of(start.reservation, part)?;
            let (begins, until) = if queue {
                (now, later(now, hold.interval.span().as_millis()))
            } else {
                (now.max(hold.interval.start()).max(part.start), hold.interval.end())
            };
            let task = self.task(start, part, &hold, &booking.holds)?;
            booking.parts.insert(part.part, LocalPart { hold: part.hold, begins, until, task });
        }
        if booking.parts.len() > before { self.book.put(start.reservation, booking) } else { Ok(()) }
    }

    /// Looks at a part, does what is due, and says what is new.
    fn advance(&mut self, now: Time, reservation: ReservationNumber, number: u32) -> SiteAnswer {
        let directory = self.part(reservation, number);
        let (begun, ended) = self.look(&directory)?;
        let Some(begun) = begun else {
            self.begin(now, reservation, number, &directory)?;
            return Ok(Vec::new());
        };
        let told = self.reported.of(reservation, number);
        let mut messages = Vec::new();
        if !told.start && begun.supervisor.is_some() {
            let (parts, at) = (vec![number], self.clock.at(begun.at));
            messages.push(SiteMessage::Started { reservation, parts, at });
        }
        if let Some(Ended { at, end, used }) = ended {
            let (at, used) = (self.clock.at(at), used.map(Used::told));
            messages.push(SiteMessage::Ended { reservation, part: number, at, end, used });
        }
        self.reported.note(reservation, number, Report { start: true, end: ended.is_some() });
        Ok(messages)
    }

    /// Whether a part has begun and how it ended. One that has lost its supervisor ends here.
    fn look(&self, directory: &PartDirectory) -> Result<(Option<Begun>, Option<Ended>), SiteError> {
        let Some(begun) = directory.begun()? else { return Ok((None, None)) };
        if let Some(ended) = directory.ended()? {
            return Ok((Some(begun), Some(ended)));
        }
        if let Some(supervisor) = &begun.supervisor {
            if supervisor.is_alive() {
                return Ok((Some(begun), None));
            }
            // It may have ended between the two looks.
            if let Some(ended) = directory.ended()? {
                return Ok((Some(begun), Some(ended)));
            }
            if !is_over(directory, supervisor) {
                return Ok((Some(begun), None));
            }
        }
        // On a machine that goes on a supervisor does not end by itself; on one that has failed, everything has.
        let ended = match &begun.supervisor {
            Some(supervisor) if supervisor.is_of_this_run() => {
                let at =
                    directory.last_sign().unwrap_or(begun.at).clamp(begun.at, wall_millis().max(begun.at));
                Ended { at, end: PartEnd::Vanished, used: None }
            }
            Some(_) | None => Ended { at: wall_millis(), end: PartEnd::Lost, used: None },
        };
        directory.write_once("ended.json", &ended).map_err(|error| directory.wrong(&error))?;
        let ended = directory.ended()?;
        Ok((Some(begun), ended))
    }

    /// Starts a supervisor for a part whose time has come; gives up one whose time is over.
    fn begin(
        &mut self,
        now: Time,
        reservation: ReservationNumber,
        number: u32,
        directory: &PartDirectory,
    ) -> Result<(), SiteError> {
        let key = (reservation, number);
        let Some(part) = self.book.get(reservation).and_then(|booking| booking.parts.get(&number)) else {
            return Ok(());
        };
        let waits = self.launched.get(&key).is_some_and(|since| since.elapsed() < BEGIN_WITHIN);
        if now >= part.until {
            // It never began, and now it must not.
            let never = Begun { supervisor: None, at: wall_millis() };
            let made = make_directory(&directory.0, part.task.passes_through());
            made.and_then(|()| directory.write_once("begun.json", &never))
                .map_err(|error| directory.wrong(&error))?;
        } else if now >= part.begins && !waits && !self.is_busy(reservation, number, part.hold)? {
            let left = self.clock.real(part.until.span_since(now).unwrap_or(Span::ZERO));
            let until = wall_millis().saturating_add(i64::try_from(left.as_millis()).unwrap_or(i64::MAX));
            let group = self.group(reservation, number, part.hold);
            directory.write(&Task { until, group, ..part.task.clone() })?;
            let child = self.launch(directory)?;
            self.children.push(child);
            self.launched.insert(key, Instant::now());
        }
        Ok(())
    }

    /// The control group that a part runs in: its limits follow from how much of its node it has.
    fn group(&self, reservation: ReservationNumber, number: u32, hold: u32) -> Option<Group> {
        let hold = self.book.get(reservation)?.holds.get(hold as usize)?;
        let place = hold.node.map_or(Some(0), |node| node.number().checked_sub(self.options.first_node))?;
        let node = self.options.node_limits.get(place as usize).unwrap_or(&NodeLimits::NONE);
        self.groups.of(&group_name(reservation, number), node.of(hold.units))
    }

    /// Whether another part runs on the same hold: a node runs one at a time, also when the one before takes longer.
    fn is_busy(&self, reservation: ReservationNumber, number: u32, hold: u32) -> Result<bool, SiteError> {
        let booking = self.book.get(reservation);
        let parts = booking.into_iter().flat_map(|booking| &booking.parts);
        for (other, _) in parts.filter(|(other, part)| **other != number && part.hold == hold) {
            let directory = self.part(reservation, *other);
            let begun = self.launched.contains_key(&(reservation, *other)) || directory.begun()?.is_some();
            if begun && directory.ended()?.is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn launch(&self, directory: &PartDirectory) -> Result<Child, SiteError> {
        let executable = &self.options.executable;
        let mut command = Command::new(executable);
        command.arg("supervise").arg(&directory.0).env_clear();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let cannot = |error: std::io::Error| SiteError::CannotRun {
            program: executable.clone(),
            why: error.to_string(),
        };
        command.spawn().map_err(cannot)
    }

    /// Everything that is new of some parts. What cannot be looked at does not keep the others from being.
    pub(super) fn advance_all(&mut self, now: Time, only: Option<ReservationNumber>) -> SiteAnswer {
        self.children.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
        let open = self.reported.open(&self.book, only);
        gather(open.into_iter().map(|(reservation, part)| self.advance(now, reservation, part)))
    }
}
