//! A site that is a real Slurm cluster: free time is read from it, held by reservations of its own, and used by one job for each hold,
//! which is our supervisor.
//!
//! ```text
//!   prepare   write down -> read -> refuse what others have -> create all or delete all
//!   confirm   read that all stand as asked; submit the supervisors
//!   start     write what to run into the hold's directory; the supervisor waits for the moment
//!   release   nothing begins any more -> what runs is ended -> cancel, delete, read again
//!   look      what is ours in Slurm against the book: strangers go, what was moved is taken
//! ```
//!
//! Slurm forgets jobs and exit codes, repeats starts, revives what was cancelled, and its operators move reservations without telling
//! anybody. So nothing that it says is final: the book says what should be, the marks in the shared directory say what was, and every look
//! compares. A controller that does not answer is asked again after a while, longer every time; what runs goes on, and starts, cancels
//! and ends need none.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`command`] | argument vectors, and names |
//! | `ask` | asking, no more often than there is an answer |
//! | [`execute`] | running them, within limits |
//! | [`parse`], [`hostlist`] | what is printed, as data |
//! | [`settings`], [`partition`] | how the cluster is set up, which nodes take jobs, and how long these may be |
//! | [`free`], `sell` | free time, and what of it is sold |
//! | [`amount`], [`uses`], [`units`] | what jobs have of nodes, and what that leaves of those that are sold in units |
//! | `census` | nodes that come and go |
//! | `ends` | when parts have ended, whatever users say |
//! | `go` | windows over several sites, begun on all of them or on none |
//! | [`probe`] | what a cluster has to sell, when it joins |
//! | `queue` | a cluster on which we may not reserve: jobs wait in Slurm's own queue |
//! | `run_as` | whose account a user's jobs run under |
//! | `reserve`, `holds`, `parts`, `stop`, `look` | the protocol |
//! | `supervise` | the process on the node |

mod alike;
pub mod amount;
mod ask;
mod census;
pub mod command;
mod ends;
pub mod execute;
pub mod free;
mod go;
mod holds;
pub mod hostlist;
mod look;
mod options;
pub mod parse;
pub mod partition;
mod parts;
pub mod probe;
mod queue;
mod reserve;
mod run_as;
mod seen;
mod sell;
pub mod settings;
mod stop;
mod supervise;
pub mod units;
pub mod uses;

pub use census::{Census, Described};
pub use execute::{Programs, Slurm};
pub use hostlist::expand;
pub use options::SlurmOptions;
pub use run_as::RunAs;
pub use supervise::supervise_hold;
pub use units::Margin;

use crate::backoff::Backoff;
use crate::book::{Book, Room};
use crate::clock::later;
use crate::contract::{
    Connector, CycleNumber, Effect, Fault, Free, Herald, JobNumber, Prepare, ReservationNumber, SiteAnswer,
    SiteError, SiteMessage, SiteRefusal, Start, Stream, perform_one,
};
use crate::files::{Directory, FileInside};
use crate::local::make_directory;
use crate::local::part::Task;
use crate::reported::{Reported, gather};
use crate::store::SqliteStore;
use alike::{left, prepare_of};
use command::{Instance, Tag};
use free::Snapshot;
use go::{Awaited, SlurmHerald};
use look::Watch;
use run_as::AccountBook;
use serde::{Deserialize, Serialize};
use settings::Settings;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use walras_model::{Interval, NodeId, Span, Time};

/// What was read this long ago is still taken for what is, by those who ask for something.
const FRESH: Duration = Duration::from_millis(250);
/// What runs is looked at this often, in milliseconds.
const PARTS_EVERY: i64 = 100;

/// What is written down of the site itself.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// What begins all its names in Slurm.
    instance: String,
    /// The nodes that were said not to answer, by number.
    #[serde(default)]
    down: BTreeSet<u32>,
}

/// A part that was asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SlurmPart {
    hold: u32,
    /// When it must have ended; never, where it is not known when it begins.
    until: Time,
    /// In a queue: how long it may take from its begin on, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lasts: Option<i64>,
    task: Task,
}

/// The connector of a Slurm cluster.
pub struct SlurmConnector<S = Programs> {
    options: SlurmOptions,
    slurm: S,
    instance: Instance,
    directory: PathBuf,
    book: Book<SlurmPart, SqliteStore>,
    reported: Reported,
    settings: Option<Settings>,
    seen: Option<(Instant, Arc<Snapshot>)>,
    /// When the controller is asked again, and what was wrong the last time.
    backoff: Backoff,
    wrong: Option<SiteError>,
    accounts: AccountBook,
    /// Supervisors of what was just confirmed are to be submitted.
    submit_due: bool,
    /// When the supervisor of a hold was last submitted, and how often.
    submitted: BTreeMap<Tag, (Instant, u32)>,
    /// Since when no supervisor comes up on a node, by number.
    barren: BTreeMap<u32, Instant>,
    /// Holds whose reservations may overlap by now.
    flagged: BTreeSet<Tag>,
    /// The nodes that were said not to answer, by number.
    down: BTreeSet<u32>,
    /// Holds that were said to be taken.
    taken: BTreeSet<Tag>,
    /// Owners' jobs that must not start later than they were planned.
    watched: Vec<Watch>,
    looked: Option<Instant>,
    /// When what was looked at last was read.
    looked_at: Option<Instant>,
    /// When it was last tried to take out of Slurm what is being given up.
    left: Option<Instant>,
    swept: Option<Instant>,
    /// Since when nothing runs of what is to be given up.
    stopped: BTreeMap<ReservationNumber, Time>,
    /// When something of ours was last taken out of Slurm.
    removed: Option<Instant>,
    /// Something of ours may be in Slurm that is not in the book.
    untidy: bool,
    /// What was last said to be left out.
    left_out: Vec<String>,
    /// Which nodes are missing.
    missing: census::Missing,
    /// What Slurm does not take into its queue.
    refused: BTreeSet<ReservationNumber>,
    /// What begins together with other sites.
    awaited: Awaited,
    /// How long its queue is, and when that was said.
    estimate: Option<(Instant, Span)>,
}

impl<S: Slurm> SlurmConnector<S> {
    /// Opens a site: its memory is a file; `shared` is a directory that this machine and all nodes see under the same name.
    pub fn open(options: SlurmOptions, slurm: S, memory: &Path, shared: &Path) -> Result<Self, SiteError> {
        let wrong = |error: std::io::Error| SiteError::file(shared, error);
        let store = SqliteStore::open(memory)?;
        let (instance, down) = match store.state::<Kept>()? {
            Some(kept) => (Instance::new(&kept.instance), kept.down),
            None => (draw(&store)?, BTreeSet::new()),
        };
        let directory = std::path::absolute(shared).map_err(wrong)?.join(instance.name());
        make_directory(&directory, options.run_as != RunAs::Service).map_err(wrong)?;
        let all = options.nodes.iter().chain(&options.gone);
        let units = |number: &NodeId| options.units.get(number).copied().unwrap_or(1);
        let nodes = || Room::Nodes(all.map(|(number, _)| (*number, units(number))).collect());
        let book = Book::open(store, options.queue.map_or_else(nodes, Room::Queue))?;
        let accounts = AccountBook::new(options.run_as.clone());
        let seed = u64::from_str_radix(instance.name(), 16).unwrap_or_default();
        let connector = SlurmConnector {
            options,
            slurm,
            instance,
            directory,
            book,
            reported: Reported::default(),
            settings: None,
            seen: None,
            backoff: Backoff::new(seed),
            wrong: None,
            accounts,
            submit_due: false,
            submitted: BTreeMap::new(),
            barren: BTreeMap::new(),
            flagged: BTreeSet::new(),
            down,
            taken: BTreeSet::new(),
            watched: Vec::new(),
            looked: None,
            looked_at: None,
            left: None,
            swept: None,
            stopped: BTreeMap::new(),
            removed: None,
            untidy: true,
            left_out: Vec::new(),
            missing: census::Missing::default(),
            refused: BTreeSet::new(),
            awaited: Awaited::default(),
            estimate: None,
        };
        connector.write_script()?;
        Ok(connector)
    }

    fn node_name(&self, node: NodeId) -> Option<&str> {
        let mut all = self.options.nodes.iter().chain(&self.options.gone);
        all.find(|(number, _)| *number == node).map(|(_, name)| name.as_str())
    }
}

/// A new name for a new memory: a restored copy of an old one keeps its own, and finds what it knows of again. What it does not know of goes, or
/// is set aside (`is_clear`).
fn draw(store: &SqliteStore) -> Result<Instance, SiteError> {
    let mut bytes = [0_u8; 5];
    getrandom::fill(&mut bytes).map_err(|error| SiteError::Memory(error.to_string()))?;
    let instance: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    store.save_state(&Kept { instance: instance.clone(), down: BTreeSet::new() })?;
    Ok(Instance::new(&instance))
}

impl<S: Slurm> Connector for SlurmConnector<S> {
    /// A cluster that does not answer has nothing to sell; others need not wait for it.
    fn offers(&mut self, now: Time, cycle: CycleNumber, horizon: Interval) -> SiteAnswer {
        if let Some(units) = self.options.queue {
            return Ok(vec![SiteMessage::Offers { cycle, free: self.queue_offer(units) }]);
        }
        let free = self.free(now, horizon).unwrap_or_else(|error| {
            tracing::warn!(%error, "nothing is sold");
            Vec::new()
        });
        let offers = SiteMessage::Offers { cycle, free: Free::Slots(free) };
        Ok(self.take_census(now).into_iter().chain([offers]).collect())
    }

    fn number(&mut self, later_nodes: &[(NodeId, String)]) {
        self.take_on_nodes(later_nodes);
    }

    /// Prepares that come together are made together, and what is let go together goes together.
    fn perform(&mut self, now: Time, effects: &[Effect]) -> Vec<SiteAnswer> {
        let mut answers = Vec::with_capacity(effects.len());
        let together = |one: &Effect, other: &Effect| {
            prepare_of(one).is_some() && prepare_of(other).is_some()
                || left(one).is_some() && left(other).is_some()
        };
        for alike in effects.chunk_by(together) {
            let asked: Vec<Prepare<'_>> = alike.iter().filter_map(prepare_of).collect();
            let leaving: Vec<ReservationNumber> = alike.iter().filter_map(left).collect();
            match alike {
                [effect] => answers.push(perform_one(self, now, effect)),
                _ if asked.is_empty() => answers.extend(self.let_go_together(now, &leaving)),
                _ => answers.extend(self.reserve_all(now, &asked)),
            }
        }
        answers
    }

    fn trouble(&self) -> Option<SiteError> {
        self.in_trouble()
    }

    fn prepare(&mut self, now: Time, asked: &Prepare<'_>) -> SiteAnswer {
        self.reserve_all(now, std::slice::from_ref(asked)).pop().unwrap_or_else(|| Ok(Vec::new()))
    }

    fn confirm(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer {
        self.keep(now, reservation)
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
        self.take_on(&start, booking)?;
        // What was said of them may not have been heard.
        for part in start.parts {
            self.reported.forget_part(reservation, part.part);
        }
        if start.together {
            self.look_for_ready(reservation);
        }
        let said = self.advance_all(now, Some(reservation))?;
        self.submit_at_start(now, reservation);
        Ok(said)
    }

    fn herald(&self) -> Option<Box<dyn Herald>> {
        let (directory, awaited) = (self.directory.clone(), self.awaited.clone());
        Some(Box::new(SlurmHerald { directory, awaited }))
    }

    fn observe(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer {
        self.reported.forget(reservation);
        self.advance_all(now, Some(reservation))
    }

    /// What cannot be done now does not keep the rest from being done, and is tried again.
    fn poll(&mut self, now: Time) -> SiteAnswer {
        let advanced = self.advance_all(now, None);
        let mut messages = Vec::new();
        self.book.expire(now)?;
        messages.extend(self.let_go_again(now));
        for result in [self.let_overlap(now), self.submit_missing(now)] {
            if let Err(error) = result {
                tracing::debug!("{error}");
            }
        }
        self.sweep();
        match self.look(now) {
            Ok(more) => messages.extend(more),
            Err(error) => tracing::debug!("a look: {error}"),
        }
        gather([advanced, Ok(messages)].into_iter())
    }

    fn next(&self, now: Time) -> Option<Time> {
        let soon = later(now, PARTS_EVERY);
        let look = later(now, i64::try_from(self.options.look_every.as_millis()).unwrap_or(i64::MAX));
        let mut next = if self.submit_due { now } else { look };
        for (number, booking) in self.book.iter() {
            if booking.leaving {
                next = next.min(later(now, 2 * PARTS_EVERY));
            }
            let open = booking.parts.iter().filter(|(part, _)| !self.reported.of(number, **part).end);
            // What waits in a queue is looked at when Slurm is.
            let waits = |part: u32| self.is_queue() && !self.reported.of(number, part).start;
            next = open
                .filter(|(part, _)| !waits(**part))
                .map(|(_, part)| soon.max(Time::from_millis(part.task.begins).unwrap_or(soon)))
                .fold(next, Time::min);
            for hold in booking.holds.iter().filter(|hold| hold.node.is_some()) {
                let comes_up =
                    later(hold.interval.start(), -self.options.margin.before - look::OVERLAP_BEFORE);
                if comes_up > now {
                    next = next.min(comes_up);
                }
            }
        }
        Some(next)
    }

    fn fault(&mut self, _: Time, _: &Fault) -> SiteAnswer {
        Err(SiteError::NoSuchFault("a real cluster does not fail on demand"))
    }

    fn files(&mut self, job: JobNumber, user: &str) -> Result<Option<Directory>, SiteError> {
        match self.accounts.of(user) {
            run_as::Runs::AsService => self.runs().directory(job, user, None).map(Some),
            run_as::Runs::As(account) => self.runs().directory(job, user, Some(account)).map(Some),
            run_as::Runs::Nowhere => Ok(None),
        }
    }

    fn left(&self, reservation: ReservationNumber, part: u32) -> Option<Directory> {
        self.left_by(reservation, part)
    }

    fn output(&self, reservation: ReservationNumber, part: u32, stream: Stream) -> Option<FileInside> {
        self.output_of(reservation, part, stream)
    }
}
