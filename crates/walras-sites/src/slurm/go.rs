//! Windows over several sites: begun on all of them, or on none.
//!
//! Supervisors begin by themselves, and one site may fail in the last seconds. So what belongs to a window over several sites does not begin
//! because its time has come, but because it was told to:
//!
//! ```text
//!   supervisor  is up, in the margin before the start: PART/ready.json
//!   herald      finds it for all parts of the site, on a thread of its own: Ready
//!   broker      has heard it of all sites, a second before the start at the latest: Go
//!   herald      writes into `go` of every hold
//!   supervisor  begins at the start if there is something in `go`, and never if there is not
//! ```
//!
//! `go` is made with the parts, empty, and written in place: a network file system looks again at a file that is opened again, and may remember
//! for half a minute that there was none. What is left to chance is what fails between that word and the start.

use crate::clock::wall_millis;
use crate::contract::{Herald, ReservationNumber, SiteError};
use crate::local::Account;
use crate::local::part::{Begun, PartDirectory};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const GO: &str = "go";
const READY: &str = "ready.json";

/// Makes the file in which a hold is told to begin, with nothing in it.
pub(super) fn make(directory: &PartDirectory, account: Option<Account>) -> std::io::Result<()> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(directory.0.join(GO));
    match made {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        Ok(_) | Err(_) => {}
    }
    account.map_or(Ok(()), |account| directory.give(GO, account))
}

/// Whether a hold was told to begin.
pub(super) fn is_told_to_go(directory: &Path) -> bool {
    File::open(directory.join(GO)).is_ok_and(|mut file| file.read(&mut [0]).is_ok_and(|read| read > 0))
}

/// Whether a supervisor is up that can begin a part.
pub(super) fn is_ready(part: &PartDirectory) -> bool {
    std::fs::symlink_metadata(part.0.join(READY)).is_ok()
}

pub(super) fn say_ready(part: &PartDirectory) -> std::io::Result<()> {
    part.write_once(READY, &wall_millis()).map(|_| ())
}

pub(super) fn unsay_ready(part: &PartDirectory) {
    // There is none, or nobody looks at it any more.
    let _ = std::fs::remove_file(part.0.join(READY));
}

/// Nobody begins a part any more.
pub(super) fn give_up(part: &PartDirectory) -> std::io::Result<()> {
    part.write_once("begun.json", &Begun { supervisor: None, at: wall_millis() }).map(|_| ())
}

/// Windows whose supervisors are to come up, each with the directories of its parts here. The connector says which, and its herald looks at them.
#[derive(Clone, Debug, Default)]
pub(super) struct Awaited(Arc<Mutex<BTreeMap<ReservationNumber, Vec<PartDirectory>>>>);

impl Awaited {
    fn all(&self) -> MutexGuard<'_, BTreeMap<ReservationNumber, Vec<PartDirectory>>> {
        // Whoever has panicked has left it whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It is to be said when these can begin, once more if it was said before.
    pub(super) fn look_for(&self, reservation: ReservationNumber, parts: Vec<PartDirectory>) {
        self.all().insert(reservation, parts);
    }

    /// Nobody wants to know any more.
    pub(super) fn forget(&self, reservation: ReservationNumber) {
        self.all().remove(&reservation);
    }

    /// Those that can begin; each is given once.
    fn take_ready(&self) -> Vec<ReservationNumber> {
        // A disk that does not answer keeps nobody else waiting.
        let all = self.all().clone();
        let mut ready: Vec<ReservationNumber> = Vec::new();
        ready.extend(all.iter().filter(|(_, parts)| parts.iter().all(is_ready)).map(|(number, _)| *number));
        self.all().retain(|number, _| !ready.contains(number));
        ready
    }
}

/// Looks whether windows can begin on a cluster, and writes into its holds that they do.
pub(super) struct SlurmHerald {
    /// Where the holds of all reservations are.
    pub(super) directory: PathBuf,
    pub(super) awaited: Awaited,
}

impl Herald for SlurmHerald {
    fn ready(&self) -> Vec<ReservationNumber> {
        self.awaited.take_ready()
    }

    fn go(&self, reservation: ReservationNumber) -> Result<(), SiteError> {
        let own = self.directory.join(reservation.to_string());
        let holds = match std::fs::read_dir(&own) {
            Ok(holds) => holds,
            // It is long over.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(SiteError::file(&own, error)),
        };
        for hold in holds {
            let path = hold.map_err(|error| SiteError::file(&own, error))?.path().join(GO);
            let told = OpenOptions::new().write(true).open(&path).and_then(|mut file| {
                file.write_all(b"go\n")?;
                file.sync_all()
            });
            match told {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(SiteError::file(&path, error));
                }
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }
}
