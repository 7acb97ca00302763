//! Sites behind the broker: what a connector must be able to do.
//!
//! Every site has a thread of its own that calls its connector and sends what it says to the broker, so a connector may
//! block: slow sites never delay others. The broker repeats what was not acknowledged, and it may have been killed at any
//! moment, so everything is idempotent, by the reservation's number:
//!
//! - a number is prepared, confirmed and started once; asking again gives the same answer again;
//! - what was released or cancelled is never held again, and nothing of it runs any more when that is said;
//! - what was only prepared expires by itself;
//! - what was confirmed, and what runs, outlives the process: after a restart `observe` says what became of it.

mod access;
mod amount;
pub mod book;
pub mod config;
mod local;
mod open;
mod part;
mod process;
mod simulated;
mod spec;
pub mod store;
mod supervise;
mod sweep;

pub use access::{AccessConfig, QuotaConfig};
pub use amount::Amount;
pub use config::SiteConfig;
pub use local::{Local, Machine};
pub use open::open;
pub use part::{Limits, bad_file_name, open_output};
pub use simulated::{Model, Simulated};
pub use supervise::supervise;

use std::fmt;
use walras_broker::allocation::Hold;
use walras_broker::effect::{Program, StartPart};
use walras_broker::id::{CycleNumber, JobNumber, ReservationNumber};
use walras_broker::input::SiteMessage;
use walras_model::{Interval, Time};

/// What a site says in answer; nothing when it has nothing to say yet.
pub type Said = Result<Vec<SiteMessage>, SiteError>;

/// A site could not do what it was asked for; the broker will ask again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteError(pub String);

impl fmt::Display for SiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SiteError {}

/// Parts to run on what is held.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Under which number.
    pub reservation: ReservationNumber,
    /// Which job.
    pub job: JobNumber,
    /// Which parts.
    pub parts: &'a [StartPart],
    /// What to run.
    pub program: &'a Program,
}

/// What can be done to a simulated site on demand.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, crate::described::JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
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
        /// How long.
        seconds: u32,
    },
    /// The whole site fails.
    SiteLost {},
    /// The site is back.
    SiteBack {},
    /// The site hears and says nothing for so many seconds; what runs goes on.
    Silent {
        /// How long.
        seconds: u32,
    },
}

/// A site.
pub trait Connector: Send {
    /// What is free in the horizon, for the cycle that asks.
    fn offers(&mut self, now: Time, cycle: CycleNumber, horizon: Interval) -> Said;
    /// Holds time until it expires.
    fn prepare(&mut self, now: Time, reservation: ReservationNumber, holds: &[Hold], expiry: Time) -> Said;
    /// Keeps what was prepared.
    fn confirm(&mut self, now: Time, reservation: ReservationNumber) -> Said;
    /// Gives up what is held.
    fn release(&mut self, now: Time, reservation: ReservationNumber) -> Said;
    /// Stops what runs, and gives up what is held.
    fn cancel(&mut self, now: Time, reservation: ReservationNumber) -> Said;
    /// Runs parts on what is held.
    fn start(&mut self, now: Time, start: Start<'_>) -> Said;
    /// Says what has become of the parts that run.
    fn observe(&mut self, now: Time, reservation: ReservationNumber) -> Said;
    /// What has happened since the last call, by itself.
    fn poll(&mut self, now: Time) -> Said;
    /// When it wants to be polled next; it may be polled at any other time as well.
    fn next(&self, now: Time) -> Option<Time>;
    /// Something goes wrong on demand; `Err` where that cannot be.
    fn fault(&mut self, now: Time, fault: &Fault) -> Said;
    /// When the owner uses the nodes themselves, as far as the site tells: for timetables.
    fn owner_use(&self, _within: Interval) -> Vec<(walras_model::NodeId, Interval)> {
        Vec::new()
    }
    /// The file with what a part has printed, where there is one.
    fn output(&self, _reservation: ReservationNumber, _part: u32) -> Option<std::path::PathBuf> {
        None
    }
}
