//! The contract of a site: what a connector must be able to do, and what the broker counts on.
//!
//! Every site has a thread of its own that calls its connector and sends what it answers to the broker, so a connector may
//! block: slow sites never delay others. The broker repeats what was not acknowledged, and it may have been killed at any
//! moment, so everything is idempotent, by the reservation's number:
//!
//! - a number is prepared, confirmed and started once; asking again gives the same answer again;
//! - what was released or cancelled is never held again, and nothing of it runs any more when that is said;
//! - what was only prepared expires by itself;
//! - what was confirmed, and what runs, outlives the process: after a restart `observe` says what became of it;
//! - nothing runs outside what is held: not before a hold begins, not after it ends, not on time that was never confirmed.
//!
//! `tests/site/laws.rs` holds every connector to it.

pub use walras_broker::Effect;
pub use walras_broker::allocation::Hold;
pub use walras_broker::effect::{ArrayPlace, Customer, GangPlace, Peer, Program, StartPart};
pub use walras_broker::id::{CycleNumber, JobNumber, ReservationNumber};
pub use walras_broker::input::SiteMessage;
pub use walras_broker::job::{OutputFault, PartEnd, SiteRefusal};
pub use walras_broker::site::{Free, FreeTime};

use crate::files::{Directory, FileInside};
use std::path::{Path, PathBuf};
use walras_model::{Interval, NodeId, Time};

/// What a site answers; no messages when it has nothing to say yet.
pub type SiteAnswer = Result<Vec<SiteMessage>, SiteError>;

/// Why a site could not do what it was asked for; the broker will ask again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SiteError {
    /// What the site keeps for itself cannot be read or written.
    #[error("the site's memory: {0}")]
    Memory(String),
    /// A file or a directory cannot be used.
    #[error("{}: {why}", path.display())]
    File {
        /// The file or directory that cannot be used.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// The site was set up in a way that cannot be.
    #[error("{key}: {why}")]
    Setup {
        /// The setting.
        key: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// A program of the site's own cannot be run.
    #[error("cannot run {}: {why}", program.display())]
    CannotRun {
        /// The program that cannot be run.
        program: PathBuf,
        /// What the system says.
        why: String,
    },
    /// The machine lacks what the connector needs.
    #[error("{0} is missing on this machine")]
    Missing(&'static str),
    /// What manages the site does not answer. What runs there goes on.
    #[error("it does not answer: {0}")]
    Unreachable(String),
    /// What manages the site does not let us do it.
    #[error("it is not permitted: {0}")]
    Denied(String),
    /// What manages the site says something that nobody understands.
    #[error("it is not understood: {0}")]
    NotUnderstood(String),
    /// A part is to be started on a hold that its reservation does not have.
    #[error("reservation {reservation} has no hold {hold}, on which part {part} should run")]
    UnknownHold {
        /// Of which reservation.
        reservation: ReservationNumber,
        /// The part that names it, by its place.
        part: u32,
        /// The place of the hold.
        hold: u32,
    },
    /// The site has no node of that name.
    #[error("there is no node '{name}': the nodes are {}", known.join(", "))]
    UnknownNode {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A fault that this site cannot have.
    #[error("{0}")]
    NoSuchFault(&'static str),
    /// More waits for the site than it may be given.
    #[error("the site has too much to do")]
    Overloaded,
    /// The site's thread has ended.
    #[error("the site has stopped")]
    Stopped,
}

/// What kind of trouble a site is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// It does not answer. What runs there goes on.
    Unreachable,
    /// It does not let us.
    Denied,
    /// It says what nobody understands.
    NotUnderstood,
    /// Something of its own is broken.
    Broken,
}

impl Trouble {
    /// All there are.
    pub const ALL: [Trouble; 4] =
        [Trouble::Unreachable, Trouble::Denied, Trouble::NotUnderstood, Trouble::Broken];

    /// One word for it.
    pub fn word(self) -> &'static str {
        match self {
            Trouble::Unreachable => "unreachable",
            Trouble::Denied => "denied",
            Trouble::NotUnderstood => "not-understood",
            Trouble::Broken => "broken",
        }
    }
}

impl SiteError {
    /// What kind of trouble that is; none where the site is well, and only what was asked for cannot be.
    pub fn kind(&self) -> Option<Trouble> {
        match self {
            SiteError::Unreachable(_) => Some(Trouble::Unreachable),
            SiteError::Denied(_) => Some(Trouble::Denied),
            SiteError::NotUnderstood(_) => Some(Trouble::NotUnderstood),
            SiteError::Memory(_)
            | SiteError::File { .. }
            | SiteError::Setup { .. }
            | SiteError::CannotRun { .. }
            | SiteError::Missing(_) => Some(Trouble::Broken),
            SiteError::UnknownHold { .. }
            | SiteError::UnknownNode { .. }
            | SiteError::NoSuchFault(_)
            | SiteError::Overloaded
            | SiteError::Stopped => None,
        }
    }

    /// What the system says of a file.
    pub fn file(path: &Path, why: impl std::fmt::Display) -> SiteError {
        SiteError::File { path: path.to_owned(), why: why.to_string() }
    }
}

/// Time to be held, and for whom.
#[derive(Clone, Copy, Debug)]
pub struct Prepare<'a> {
    /// Under which number.
    pub reservation: ReservationNumber,
    /// For whom: a site that has no account for them refuses.
    pub customer: &'a Customer,
    /// What to hold; parts name their hold by its place here.
    pub holds: &'a [Hold],
    /// Until when, unless it is confirmed.
    pub expiry: Time,
}

/// Parts to run on what is held.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Under which number.
    pub reservation: ReservationNumber,
    /// The job that the parts are of; its files are known by it.
    pub job: JobNumber,
    /// The parts to start, each with the place of its hold.
    pub parts: &'a [StartPart],
    /// How many parts the job has, on all sites.
    pub size: u32,
    /// Where all of them are.
    pub peers: &'a [Peer],
    /// What to run.
    pub program: &'a Program,
    /// Whether they begin only when a [`Herald`] has said so: the window is over several sites, and begins on all of them or on none.
    pub together: bool,
}

/// Says when the parts of a window over several sites can begin, and tells them that those of all sites can. It has a thread of its own: what the
/// connector waits for at that moment must not keep a part from beginning with the others.
pub trait Herald: Send {
    /// What can begin by now, as far as that was not said since it was last to be started.
    fn ready(&self) -> Vec<ReservationNumber>;
    /// The parts of a reservation begin at their time. Saying it again changes nothing.
    fn go(&self, reservation: ReservationNumber) -> Result<(), SiteError>;
}

/// How a site sells its time, as its connector needs to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offering {
    /// Free intervals on nodes.
    Slots,
    /// Free processors.
    Capacity,
    /// A queue with so many nodes.
    Queue(u32),
}

/// What a program prints to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error; the same file as standard output, unless the job says otherwise.
    Error,
}

/// What can be done to a simulated site on demand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A node fails.
    NodeLost {
        /// Its name.
        node: String,
    },
    /// A node is back.
    NodeBack {
        /// Its name.
        node: String,
    },
    /// The owner needs a node for so many seconds from now on.
    Taken {
        /// Its name.
        node: String,
        /// How many seconds the owner needs it.
        seconds: u32,
    },
    /// The whole site fails.
    SiteLost,
    /// The site is back.
    SiteBack,
    /// The site hears and says nothing for so many seconds; what runs goes on.
    Silent {
        /// How many seconds it is silent.
        seconds: u32,
    },
}

/// Does one thing that the broker wants of a site.
pub fn perform_one<C: Connector + ?Sized>(site: &mut C, now: Time, effect: &Effect) -> SiteAnswer {
    match effect {
        Effect::AskOffers { cycle, horizon, later_nodes, .. } => {
            site.number(later_nodes);
            site.offers(now, *cycle, *horizon)
        }
        Effect::Prepare { reservation, customer, holds, expiry, .. } => {
            site.prepare(now, &Prepare { reservation: *reservation, customer, holds, expiry: *expiry })
        }
        Effect::Confirm { reservation, .. } => site.confirm(now, *reservation),
        Effect::Release { reservation, .. } => site.release(now, *reservation),
        Effect::Cancel { reservation, .. } => site.cancel(now, *reservation),
        Effect::Observe { reservation, .. } => site.observe(now, *reservation),
        Effect::Start { reservation, job, parts, size, peers, program, together, .. } => {
            let (reservation, job, size, together) = (*reservation, *job, *size, *together);
            site.start(now, Start { reservation, job, parts, size, peers, program, together })
        }
        // Its herald says it.
        Effect::Go { .. } | Effect::Plan(_) | Effect::Move(_) | Effect::Notify { .. } => Ok(Vec::new()),
    }
}

/// What speaks for a site: the whole of what the broker asks of one.
pub trait Connector: Send {
    /// Does several things at once, in the order in which they are given, with an answer to each: one by one, unless a connector can ask
    /// once for all.
    fn perform(&mut self, now: Time, effects: &[Effect]) -> Vec<SiteAnswer> {
        effects.iter().map(|effect| perform_one(self, now, effect)).collect()
    }
    /// What is wrong with what manages the site at the moment, although the connector goes on.
    fn trouble(&self) -> Option<SiteError> {
        None
    }
    /// Nodes that the site has said it has got since it joined have these numbers. A site whose nodes never change need not listen.
    fn number(&mut self, _later_nodes: &[(NodeId, String)]) {}
    /// What is free in the horizon, for the cycle that asks.
    fn offers(&mut self, now: Time, cycle: CycleNumber, horizon: Interval) -> SiteAnswer;
    /// Holds time until it expires.
    fn prepare(&mut self, now: Time, asked: &Prepare<'_>) -> SiteAnswer;
    /// Keeps what was prepared.
    fn confirm(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer;
    /// Gives up what is held.
    fn release(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer;
    /// Stops what runs, and gives up what is held.
    fn cancel(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer;
    /// Runs parts on what is held: all of them, or none with an error where a part has no hold.
    fn start(&mut self, now: Time, start: Start<'_>) -> SiteAnswer;
    /// Who tells the parts that begin together with others' to do so; nobody, where parts begin by themselves.
    fn herald(&self) -> Option<Box<dyn Herald>> {
        None
    }
    /// Says what has become of the parts that run.
    fn observe(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer;
    /// What has happened since the last call, by itself.
    fn poll(&mut self, now: Time) -> SiteAnswer;
    /// When it wants to be polled next; it may be polled at any other time as well.
    fn next(&self, now: Time) -> Option<Time>;
    /// Something goes wrong on demand; [`SiteError::NoSuchFault`] where that cannot be.
    fn fault(&mut self, now: Time, fault: &Fault) -> SiteAnswer;
    /// When the owner uses the nodes themselves, as far as the site tells: for timetables.
    fn owner_use(&self, _within: Interval) -> Vec<(NodeId, Interval)> {
        Vec::new()
    }
    /// The directory that the tasks of a user's workflow share here, made where there is none; nothing on a site that keeps no files.
    fn files(&mut self, _job: JobNumber, _user: &str) -> Result<Option<Directory>, SiteError> {
        Ok(None)
    }
    /// The directory in which the program of a part began, where its files are.
    fn left(&self, _reservation: ReservationNumber, _part: u32) -> Option<Directory> {
        None
    }
    /// The file with what a part has printed to a stream, where there is one.
    fn output(&self, _reservation: ReservationNumber, _part: u32, _stream: Stream) -> Option<FileInside> {
        None
    }
}
