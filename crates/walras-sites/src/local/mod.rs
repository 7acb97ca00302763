//! A site that runs real commands on this machine, one supervised process for each part.
//!
//! What is held is written down in the site's own memory; what runs is in directories, `DIR/<reservation>/<part>/`, one for
//! each part, and belongs to supervisors that do not need the service to be there. So a service that was killed finds
//! everything again by looking: a part that has begun and has a supervisor runs; one that has ended says how; one that has
//! begun, not ended, and has no supervisor any more has vanished, or was lost where the machine was started again since; what is left
//! of it is killed before that is said.
//!
//! A part is executed at most once: whoever first writes down that it has begun runs it. Cancelling writes that down as
//! well, so that nothing that was released ever begins.
//!
//! Time limits are real time: what is left of the hold, by the service's clock.
//!
//! What a part uses is counted and limited in a control group of its own, where the machine has them ([`Groups`], [`NodeLimits`]).
//!
//! Programs of different users are kept apart by accounts, namespaces or Landlock ([`Isolation`], [`Accounts`]); one user's own jobs are not kept
//! from reading what that user has left elsewhere on the machine.

mod account;
mod fence;
mod group;
mod hierarchy;
mod isolation;
pub(crate) mod part;
pub(crate) mod process;
mod program;
mod run;
mod share;
pub(crate) mod shared;
mod stop;
pub(crate) mod supervise;
pub(crate) mod sweep;
pub(crate) mod told;

pub use account::{Account, Accounts, UidRange};
pub use hierarchy::{Groups, LimitDemand};
pub use isolation::{Demand, Isolation};
pub use part::{bad_file_name, make_directory, open_output};
pub use share::{NodeLimits, PartLimits, ProcessLimits, Supply};
pub use supervise::supervise;

use crate::book::{Book, Room};
use crate::clock::{Clock, later};
use crate::contract::{
    Connector, CycleNumber, Fault, Free, FreeTime, JobNumber, Offering, Prepare, ReservationNumber,
    SiteAnswer, SiteError, SiteMessage, SiteRefusal, Start, Stream,
};
use crate::files::{Directory, FileInside};
use crate::reported::{Reported, gather};
use crate::store::SqliteStore;
use account::{DrawnAccounts, NoAccount};
use part::{PartDirectory, Task};
use serde::{Deserialize, Serialize};
use shared::{Runs, directory_of};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};
use sweep::sweep;
use walras_model::{Interval, NodeId, Span, Time};

/// How often what runs is looked at.
const LOOK_EVERY: i64 = 100;
/// How often old directories are looked for.
const SWEEP_EVERY: Duration = Duration::from_secs(3_600);

/// What a local site is like.
#[derive(Clone, Debug)]
pub struct LocalOptions {
    /// How it sells its time.
    pub offering: Offering,
    /// The number of its first node.
    pub first_node: u32,
    /// What its nodes are called; none for a queue.
    pub nodes: Vec<String>,
    /// In how many units each is sold; whole, beyond its end.
    pub units: Vec<u32>,
    /// What one process may use.
    pub limits: ProcessLimits,
    /// What each node has for what runs on it, in the order of nodes; a queue has one for all.
    pub node_limits: Vec<NodeLimits>,
    /// Whether what runs must be kept within that.
    pub limit_demand: LimitDemand,
    /// Where its control groups are in each hierarchy, if not where they are by themselves.
    pub cgroup: Option<PathBuf>,
    /// As whom programs run.
    pub accounts: Accounts,
    /// Whether users must be kept apart.
    pub isolation: Demand,
    /// What no program may see, beside the site's own directory.
    pub hidden: Vec<PathBuf>,
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

/// The connector of a local site.
#[derive(Debug)]
pub struct LocalConnector {
    options: LocalOptions,
    clock: Clock,
    directory: PathBuf,
    book: Book<LocalPart, SqliteStore>,
    reported: Reported,
    /// When a supervisor was last started for a part.
    launched: BTreeMap<(ReservationNumber, u32), Instant>,
    /// Supervisors that this process has started and not yet seen the end of.
    children: Vec<Child>,
    swept: Option<Instant>,
    isolation: Isolation,
    groups: Groups,
    drawn: DrawnAccounts,
}

/// A part that was asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct LocalPart {
    hold: u32,
    begins: Time,
    until: Time,
    task: Task,
}

impl LocalConnector {
    /// Opens a site: its memory is a file, what it runs is in a directory.
    pub fn open(
        options: LocalOptions,
        clock: Clock,
        memory: &Path,
        directory: &Path,
    ) -> Result<LocalConnector, SiteError> {
        let wrong = |error: std::io::Error| SiteError::file(directory, error);
        make_directory(directory, options.accounts != Accounts::Service).map_err(wrong)?;
        let directory = directory.canonicalize().map_err(wrong)?;
        let hidden = [options.hidden.as_slice(), std::slice::from_ref(&directory)].concat();
        let isolation = Isolation::probe(&options.accounts, options.isolation, &hidden)?;
        if !isolation.is_there() {
            tracing::warn!("{}: isolation: {isolation}", directory.display());
        }
        let groups = Groups::probe(options.limit_demand, options.cgroup.as_deref(), &directory)?;
        if !groups.are_there() && options.limit_demand != LimitDemand::Off {
            tracing::warn!("{}: limits: {groups}", directory.display());
        }
        // No site can have this name: none begins with a dot.
        let drawn = DrawnAccounts::open(&memory.with_file_name(".accounts.db"))?;
        let numbers = options.nodes.iter().zip(options.first_node..);
        let units = options.units.iter().copied().chain(std::iter::repeat(1));
        let room = Room::of(options.offering, numbers.map(|(_, number)| NodeId::new(number)).zip(units));
        let book = Book::open(SqliteStore::open(memory)?, room)?;
        let (reported, launched, children) = (Reported::default(), BTreeMap::new(), Vec::new());
        let swept = None;
        Ok(LocalConnector {
            options,
            clock,
            directory,
            book,
            reported,
            launched,
            children,
            swept,
            isolation,
            groups,
            drawn,
        })
    }

    fn part(&self, reservation: ReservationNumber, part: u32) -> PartDirectory {
        PartDirectory(self.directory.join(reservation.to_string()).join(part.to_string()))
    }

    fn runs(&self) -> Runs<'_> {
        Runs { site: &self.directory, open: self.options.accounts != Accounts::Service }
    }

    fn sweep(&mut self) {
        if self.swept.is_none_or(|since| since.elapsed() >= SWEEP_EVERY) {
            self.swept = Some(Instant::now());
            let held = |number| self.book.get(ReservationNumber::new(number)).is_some();
            let tasks = || self.book.iter().flat_map(|(_, it)| it.parts.values()).map(|part| &part.task);
            let uses = |number| tasks().any(|task| task.is_of(JobNumber::new(number)));
            sweep(&self.directory, self.options.keep, held, uses);
            self.end_left_groups();
        }
    }
}

impl Connector for LocalConnector {
    fn offers(&mut self, now: Time, cycle: CycleNumber, horizon: Interval) -> SiteAnswer {
        let free = match self.book.room() {
            Room::Queue(units) => Free::Queue { wait: Span::ZERO, units: *units },
            Room::Nodes(nodes) if self.options.offering == Offering::Capacity => {
                Free::Capacity(u32::try_from(nodes.len()).unwrap_or(u32::MAX))
            }
            Room::Nodes(nodes) => {
                let ahead = Interval::new(now.max(horizon.start()), horizon.end());
                let times = nodes.keys().zip(ahead.into_iter().cycle());
                Free::Slots(times.map(|(node, interval)| FreeTime::whole(*node, interval)).collect())
            }
        };
        Ok(vec![SiteMessage::Offers { cycle, free }])
    }

    fn prepare(&mut self, now: Time, asked: &Prepare<'_>) -> SiteAnswer {
        let Prepare { reservation, customer, holds, expiry } = *asked;
        // What is held already stays: it was for the same user.
        if self.book.get(reservation).is_none() && !self.options.accounts.has(&customer.user) {
            return Ok(vec![SiteMessage::Refused { reservation, refusal: SiteRefusal::NoAccount }]);
        }
        if !self.book.is_known(reservation)? && !self.is_clear(reservation)? {
            return Ok(vec![SiteMessage::Refused { reservation, refusal: SiteRefusal::Busy }]);
        }
        Ok(vec![self.book.prepare(now, reservation, holds, expiry, |_| true)?])
    }

    fn confirm(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer {
        Ok(vec![self.book.confirm(now, reservation)?])
    }

    fn release(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer {
        self.let_go(now, reservation)
    }

    fn cancel(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer {
        self.let_go(now, reservation)
    }

    fn start(&mut self, now: Time, start: Start<'_>) -> SiteAnswer {
        let reservation = start.reservation;
        let Some(booking) = self.book.confirmed(reservation).cloned() else {
            return Ok(vec![SiteMessage::Refused { reservation, refusal: SiteRefusal::Unknown }]);
        };
        self.take_on(now, &start, booking)?;
        // What was said of them may not have been heard.
        for part in start.parts {
            self.reported.forget_part(reservation, part.part);
        }
        self.advance_all(now, Some(reservation))
    }

    fn observe(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer {
        self.reported.forget(reservation);
        self.advance_all(now, Some(reservation))
    }

    fn poll(&mut self, now: Time) -> SiteAnswer {
        let mut messages = Vec::new();
        let leaving = self.book.iter().filter(|(_, booking)| booking.leaving).map(|(number, _)| number);
        for reservation in leaving.collect::<Vec<_>>() {
            // One that cannot be stopped yet does not keep the others from being looked at.
            match self
                .is_stopped(reservation)
                .and_then(|stopped| if stopped { self.let_go(now, reservation) } else { Ok(Vec::new()) })
            {
                Ok(more) => messages.extend(more),
                Err(error) => tracing::warn!("reservation {reservation}: {error}"),
            }
        }
        self.sweep();
        gather([Ok(messages), self.advance_all(now, None)].into_iter())
    }

    fn next(&self, now: Time) -> Option<Time> {
        let soon = later(now, LOOK_EVERY.saturating_mul(i64::from(self.clock.speed())));
        let parts = self.book.iter().flat_map(|(number, booking)| {
            let leaving = booking.leaving.then_some(soon);
            let open = booking.parts.iter().filter(move |(part, _)| !self.reported.of(number, **part).end);
            open.map(move |(_, part)| soon.max(part.begins)).chain(leaving)
        });
        let hour = SWEEP_EVERY.as_millis().saturating_mul(u128::from(self.clock.speed()));
        let sweep = later(now, i64::try_from(hour).unwrap_or(i64::MAX));
        Some(parts.min().unwrap_or(sweep))
    }

    fn files(&mut self, job: JobNumber, user: &str) -> Result<Option<Directory>, SiteError> {
        match self.drawn.of(user, &self.options.accounts) {
            Ok(account) => self.runs().directory(job, user, account).map(Some),
            Err(NoAccount::Memory(error)) => Err(error),
            Err(error @ (NoAccount::NotNamed(_) | NoAccount::UsedUp(_))) => {
                Err(SiteError::Denied(error.to_string()))
            }
        }
    }

    fn left(&self, reservation: ReservationNumber, part: u32) -> Option<Directory> {
        let directory = self.part(reservation, part);
        let task: Task = directory.read("task.json").ok()??;
        Some(directory_of(&task, &directory.work_of(Some(&task))))
    }

    fn output(&self, reservation: ReservationNumber, part: u32, stream: Stream) -> Option<FileInside> {
        let directory = self.part(reservation, part);
        let task: Task = directory.read("task.json").ok()??;
        let work = Directory::new(directory.work_of(Some(&task)), None);
        Some(FileInside::new(work, task.file_of(stream)?))
    }

    fn fault(&mut self, _: Time, _: &Fault) -> SiteAnswer {
        Err(SiteError::NoSuchFault("a site that runs real commands does not fail on demand"))
    }
}
