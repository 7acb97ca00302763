//! A site that runs real commands on this machine, one supervised process for each part.
//!
//! What is held is written down in the site's own memory; what runs is in directories, `DIR/<reservation>/<part>/`, one for
//! each part, and belongs to supervisors that do not need the service to be there. So a service that was killed finds
//! everything again by looking: a part that has begun and has a supervisor runs; one that has ended says how; one that has
//! begun, not ended, and has no supervisor any more was lost, and what is left of it is killed before that is said.
//!
//! A part is executed at most once: whoever first writes down that it has begun runs it. Cancelling writes that down as
//! well, so that nothing that was released ever begins.
//!
//! Time limits are real time: what is left of the hold, by the service's clock.

use super::book::{Book, Booking, Room};
use super::part::{Begun, Ended, Limits, OUTPUT, PartDirectory, Task, bad_file_name, wall};
use super::process::signal;
use super::store::Store;
use super::sweep::sweep;
use super::{Connector, Fault, Said, SiteError, Start};
use crate::clock::Clock;
use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use walras_broker::effect::StartPart;
use walras_broker::id::{CycleNumber, ReservationNumber};
use walras_broker::input::SiteMessage;
use walras_broker::job::{PartEnd, SiteRefusal};
use walras_broker::site::{Free, FreeTime};
use walras_broker::way::Hold;
use walras_core::{Interval, NodeId, Span, Time};
use walras_world::chance::later;
use walras_world::site::Kind;

/// A supervisor has so long to say that it has begun; then another is started.
const BEGIN_WITHIN: Duration = Duration::from_secs(10);
/// Stopping what runs is waited for so long; then it is looked at again later.
const STOP_WITHIN: Duration = Duration::from_millis(300);
/// How often what runs is looked at.
const LOOK_EVERY: i64 = 100;
/// How often old directories are looked for.
const SWEEP_EVERY: Duration = Duration::from_secs(3_600);

/// What a local site is like.
#[derive(Clone, Debug)]
pub struct Machine {
    /// How it sells its time.
    pub kind: Kind,
    /// The number of its first node.
    pub first_node: u32,
    /// What its nodes are called; none for a queue.
    pub nodes: Vec<String>,
    /// What one process may use.
    pub limits: Limits,
    /// As whom programs run; as the service does, without.
    pub uid: Option<u32>,
    /// With which group.
    pub gid: Option<u32>,
    /// Where programs are looked for.
    pub path: String,
    /// Their language.
    pub lang: String,
    /// How long a program has between being asked to end and being killed.
    pub grace: Duration,
    /// How long directories are kept after the last of their parts has ended.
    pub keep: Duration,
    /// The program that supervises a part: it is called with `supervise DIRECTORY`.
    pub executable: PathBuf,
}

/// A local site.
#[derive(Debug)]
pub struct Local {
    machine: Machine,
    clock: Clock,
    directory: PathBuf,
    room: Room,
    book: Book<LocalPart>,
    /// What was said of a part; not written down, so that it is said again after a restart.
    told: BTreeMap<(ReservationNumber, u32), Told>,
    /// When a supervisor was last started for a part.
    launched: BTreeMap<(ReservationNumber, u32), Instant>,
    /// Supervisors that this process has started and not yet seen the end of.
    children: Vec<Child>,
    swept: Option<Instant>,
}

/// A part that was asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct LocalPart {
    hold: u32,
    begins: Time,
    until: Time,
    task: Task,
}

#[derive(Clone, Copy, Debug, Default)]
struct Told {
    start: bool,
    end: bool,
}

impl Local {
    /// Opens a site: its memory is a file, what it runs is in a directory.
    pub fn open(machine: Machine, clock: Clock, memory: &Path, directory: &Path) -> Result<Local, SiteError> {
        let wrong = |error: std::io::Error| SiteError(format!("{}: {error}", directory.display()));
        let directory = std::path::absolute(directory).map_err(wrong)?;
        let own = rustix::process::geteuid();
        if machine.uid.is_some_and(|uid| uid != own.as_raw()) && !own.is_root() {
            return Err(SiteError(
                "local.uid: only a service that runs as root can run programs as somebody else".to_owned(),
            ));
        }
        super::part::make_directory(&directory, machine.uid.is_some()).map_err(wrong)?;
        let room = match machine.kind {
            Kind::Queue(units) => Room::Queue(units),
            Kind::Slots | Kind::Capacity => {
                let numbers = machine.nodes.iter().zip(machine.first_node..);
                Room::Nodes(numbers.map(|(_, number)| NodeId::new(number)).collect())
            }
        };
        let book = Book::open(Store::open(memory)?)?;
        let (told, launched) = (BTreeMap::new(), BTreeMap::new());
        Ok(Local { machine, clock, directory, room, book, told, launched, children: Vec::new(), swept: None })
    }

    fn part(&self, reservation: ReservationNumber, part: u32) -> PartDirectory {
        PartDirectory(self.directory.join(reservation.to_string()).join(part.to_string()))
    }

    fn task(&self, start: &Start<'_>, part: &StartPart, hold: &Hold) -> Task {
        let first = self.machine.first_node;
        let place = hold.node.and_then(|node| node.number().checked_sub(first));
        let node = place.and_then(|place| self.machine.nodes.get(place as usize));
        let program = start.program;
        let mut environment = vec![
            ("PATH".to_owned(), self.machine.path.clone()),
            ("LANG".to_owned(), self.machine.lang.clone()),
            ("WALRAS_JOB".to_owned(), start.job.to_string()),
            ("WALRAS_NAME".to_owned(), program.name.clone()),
            ("WALRAS_PART".to_owned(), part.part.to_string()),
            ("WALRAS_USER".to_owned(), program.user.clone()),
        ];
        environment.extend(part.task.clone().map(|task| ("WALRAS_TASK".to_owned(), task)));
        environment.extend(node.map(|node| ("WALRAS_NODE".to_owned(), node.clone())));
        let name = program.output.as_deref().unwrap_or(OUTPUT);
        let bad = bad_file_name(name);
        Task {
            command: program.command.clone(),
            script: program.script.clone(),
            output: if bad.is_some() { OUTPUT } else { name }.to_owned(),
            refused: bad.map(|why| format!("bad name of the output file {name:?}: {why}")),
            environment,
            until: 0,
            grace: u64::try_from(self.machine.grace.as_millis()).unwrap_or(u64::MAX),
            limits: self.machine.limits,
            uid: self.machine.uid,
            gid: self.machine.gid,
        }
    }

    /// Writes down the parts that are new.
    fn take_on(
        &mut self,
        now: Time,
        start: &Start<'_>,
        mut booking: Booking<LocalPart>,
    ) -> Result<(), SiteError> {
        let queue = matches!(self.machine.kind, Kind::Queue(_));
        let before = booking.parts.len();
        for part in start.parts {
            if booking.parts.contains_key(&part.part) {
                continue;
            }
            let Some(hold) = booking.holds.get(part.hold as usize).copied() else { continue };
            let (begins, until) = if queue {
                (now, later(now, hold.interval.span().as_millis()))
            } else {
                (now.max(hold.interval.start()), hold.interval.end())
            };
            let task = self.task(start, part, &hold);
            booking.parts.insert(part.part, LocalPart { hold: part.hold, begins, until, task });
        }
        if booking.parts.len() > before { self.book.put(start.reservation, booking) } else { Ok(()) }
    }

    /// Looks at a part, does what is due, and says what is new.
    fn advance(&mut self, now: Time, reservation: ReservationNumber, number: u32) -> Said {
        let directory = self.part(reservation, number);
        let (begun, ended) = self.look(&directory)?;
        let Some(begun) = begun else {
            self.begin(now, reservation, number, &directory)?;
            return Ok(Vec::new());
        };
        let told = self.told.get(&(reservation, number)).copied().unwrap_or_default();
        let mut said = Vec::new();
        if !told.start && begun.supervisor.is_some() {
            let (parts, at) = (vec![number], self.clock.at(begun.at));
            said.push(SiteMessage::Started { reservation, parts, at });
        }
        if let Some(Ended { at, end }) = ended {
            let at = self.clock.at(at);
            said.push(SiteMessage::Ended { reservation, part: number, at, end });
        }
        self.told.insert((reservation, number), Told { start: true, end: ended.is_some() });
        Ok(said)
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
            let orphans = supervisor.orphans(&directory.work());
            if !orphans.is_empty() {
                signal(&orphans, Signal::KILL);
                return Ok((Some(begun), None));
            }
        }
        let lost = Ended { at: wall(), end: PartEnd::Lost };
        directory.write_once("ended.json", &lost).map_err(|error| directory.wrong(&error))?;
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
            let never = Begun { supervisor: None, at: wall() };
            let made = super::part::make_directory(&directory.0, part.task.uid.is_some());
            made.and_then(|()| directory.write_once("begun.json", &never))
                .map_err(|error| directory.wrong(&error))?;
        } else if now >= part.begins && !waits && !self.is_busy(reservation, number, part.hold)? {
            let left = self.clock.real(part.until.span_since(now).unwrap_or(Span::ZERO));
            let until = wall().saturating_add(i64::try_from(left.as_millis()).unwrap_or(i64::MAX));
            directory.write(&Task { until, ..part.task.clone() })?;
            let child = self.launch(directory)?;
            self.children.push(child);
            self.launched.insert(key, Instant::now());
        }
        Ok(())
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
        let executable = &self.machine.executable;
        let mut command = Command::new(executable);
        command.arg("supervise").arg(&directory.0).env_clear();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().map_err(|error| SiteError(format!("cannot run {}: {error}", executable.display())))
    }

    /// Everything that is new of some parts. What cannot be looked at does not keep the others from being.
    fn advance_all(&mut self, now: Time, only: Option<ReservationNumber>) -> Said {
        self.children.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
        let wanted =
            self.book.iter().filter(|(number, it)| !it.leaving && only.is_none_or(|it| it == *number));
        let parts =
            wanted.flat_map(|(number, booking)| booking.parts.keys().map(move |part| (number, *part)));
        let open: Vec<_> = parts.filter(|key| self.told.get(key).is_none_or(|told| !told.end)).collect();
        let (mut said, mut wrong) = (Vec::new(), None);
        for (reservation, number) in open {
            match self.advance(now, reservation, number) {
                Ok(more) => said.extend(more),
                Err(error) => wrong = Some(error),
            }
        }
        match wrong {
            Some(error) if said.is_empty() => Err(error),
            _ => Ok(said),
        }
    }

    /// Stops what runs of a reservation; whether nothing does any more.
    fn is_stopped(&mut self, reservation: ReservationNumber) -> Result<bool, SiteError> {
        let directory = self.directory.join(reservation.to_string());
        let wrong = |error: std::io::Error| SiteError(format!("{}: {error}", directory.display()));
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

    fn stop(&mut self, directory: &PartDirectory) -> Result<bool, SiteError> {
        let wrong = |error: std::io::Error| directory.wrong(&error);
        let never = Begun { supervisor: None, at: wall() };
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
        let orphans = supervisor.orphans(&directory.work());
        signal(&orphans, Signal::KILL);
        Ok(orphans.is_empty())
    }

    fn let_go(&mut self, now: Time, reservation: ReservationNumber) -> Said {
        self.book.leave(reservation)?;
        let begun = Instant::now();
        while !self.is_stopped(reservation)? {
            if begun.elapsed() > STOP_WITHIN {
                return Ok(Vec::new());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.told.retain(|(number, _), _| *number != reservation);
        self.launched.retain(|(number, _), _| *number != reservation);
        Ok(vec![self.book.release(now, reservation)?])
    }

    fn sweep(&mut self) {
        if self.swept.is_none_or(|since| since.elapsed() >= SWEEP_EVERY) {
            self.swept = Some(Instant::now());
            let held = |number| self.book.get(ReservationNumber::new(number)).is_some();
            sweep(&self.directory, self.machine.keep, held);
        }
    }
}

impl Connector for Local {
    fn offers(&mut self, now: Time, cycle: CycleNumber, horizon: Interval) -> Said {
        let free = match &self.room {
            Room::Queue(units) => Free::Queue { wait: Span::ZERO, units: *units },
            Room::Nodes(nodes) if self.machine.kind == Kind::Capacity => {
                Free::Capacity(u32::try_from(nodes.len()).unwrap_or(u32::MAX))
            }
            Room::Nodes(nodes) => {
                let ahead = Interval::new(now.max(horizon.start()), horizon.end());
                let times = nodes.iter().zip(ahead.into_iter().cycle());
                Free::Slots(times.map(|(node, interval)| FreeTime { node: *node, interval }).collect())
            }
        };
        Ok(vec![SiteMessage::Offers { cycle, free }])
    }

    fn prepare(&mut self, now: Time, reservation: ReservationNumber, holds: &[Hold], expiry: Time) -> Said {
        Ok(vec![self.book.prepare(now, reservation, holds, expiry, &self.room)?])
    }

    fn confirm(&mut self, now: Time, reservation: ReservationNumber) -> Said {
        Ok(vec![self.book.confirm(now, reservation)?])
    }

    fn release(&mut self, now: Time, reservation: ReservationNumber) -> Said {
        self.let_go(now, reservation)
    }

    fn cancel(&mut self, now: Time, reservation: ReservationNumber) -> Said {
        self.let_go(now, reservation)
    }

    fn start(&mut self, now: Time, start: Start<'_>) -> Said {
        let reservation = start.reservation;
        let Some(booking) = self.book.confirmed(reservation).cloned() else {
            return Ok(vec![SiteMessage::Refused { reservation, refusal: SiteRefusal::Unknown }]);
        };
        self.take_on(now, &start, booking)?;
        // What was said of them may not have been heard.
        for part in start.parts {
            self.told.remove(&(reservation, part.part));
        }
        self.advance_all(now, Some(reservation))
    }

    fn observe(&mut self, now: Time, reservation: ReservationNumber) -> Said {
        self.told.retain(|(number, _), _| *number != reservation);
        self.advance_all(now, Some(reservation))
    }

    fn poll(&mut self, now: Time) -> Said {
        let mut said = Vec::new();
        let leaving = self.book.iter().filter(|(_, booking)| booking.leaving).map(|(number, _)| number);
        for reservation in leaving.collect::<Vec<_>>() {
            // One that cannot be stopped yet does not keep the others from being looked at.
            match self
                .is_stopped(reservation)
                .and_then(|stopped| if stopped { self.let_go(now, reservation) } else { Ok(Vec::new()) })
            {
                Ok(more) => said.extend(more),
                Err(error) => tracing::warn!("reservation {reservation}: {error}"),
            }
        }
        self.sweep();
        let more = self.advance_all(now, None);
        if said.is_empty() {
            return more;
        }
        said.extend(more.unwrap_or_default());
        Ok(said)
    }

    fn next(&self, now: Time) -> Option<Time> {
        let soon = later(now, LOOK_EVERY.saturating_mul(i64::from(self.clock.speed())));
        let parts = self.book.iter().flat_map(|(number, booking)| {
            let leaving = booking.leaving.then_some(soon);
            let open = booking
                .parts
                .iter()
                .filter(move |(part, _)| self.told.get(&(number, **part)).is_none_or(|told| !told.end));
            open.map(move |(_, part)| soon.max(part.begins)).chain(leaving)
        });
        let hour = SWEEP_EVERY.as_millis().saturating_mul(u128::from(self.clock.speed()));
        let sweep = later(now, i64::try_from(hour).unwrap_or(i64::MAX));
        Some(parts.min().unwrap_or(sweep))
    }

    fn output(&self, reservation: ReservationNumber, part: u32) -> Option<PathBuf> {
        let directory = self.part(reservation, part);
        let task: Task = directory.read("task.json").ok()??;
        Some(directory.work().join(task.output))
    }

    fn fault(&mut self, _: Time, _: &Fault) -> Said {
        Err(SiteError("a site that runs real commands does not fail on demand".to_owned()))
    }
}
