//! Files of tasks, brought from site to site beside the engine.
//!
//! Every move has a thread of its own, at most [`MOVES_MAX`] at a time: it asks both sites for the directory of the job, and brings one file
//! after the other, read in pieces, written beside its place, read again and compared by SHA-256. What came of it is an input like any other.
//! A service that is killed begins again with what was not acknowledged, and a file that was brought twice is the same file.

use super::command::Command;
use super::core::Engine;
use super::line::SiteLine;
use super::sites::Site;
use crate::journal::Journal;
use walras_broker::Input;
use walras_broker::effect::FileMove;
use walras_broker::moving::{MoveEnd, MoveFault};
use walras_model::SiteId;
use walras_sites::files::{Directory, FileFault};

/// So many moves are under way at a time; the others are begun when they are asked for again.
const MOVES_MAX: usize = 8;

impl<J: Journal> Engine<J> {
    /// Brings files on a thread of its own, unless they are on their way.
    pub(super) fn bring(&self, wanted: FileMove) {
        let key = (wanted.reservation, wanted.task, wanted.to);
        let line = |site: SiteId| self.sites.get(site.index()).map(Site::line);
        let (Some(from), Some(to)) = (line(wanted.from), line(wanted.to)) else { return };
        let movers = self.movers.clone();
        if !movers.change(|busy| busy.len() < MOVES_MAX && busy.insert(key)) {
            return;
        }
        let site = |id: SiteId| self.broker.state().site(id).map(|site| site.spec.name.clone());
        let names = [wanted.from, wanted.to].map(|id| site(id).unwrap_or_else(|| id.number().to_string()));
        let (commands, ended) = (self.handle.commands.clone(), movers.clone());
        let work = move || {
            let way = Way { from: &from, to: &to, names: &names };
            let end = brought(&wanted, &way);
            let FileMove { reservation, task, to, .. } = wanted;
            // It may be asked for again as soon as the engine knows what came of it.
            ended.change(|busy| busy.remove(&key));
            let _ = commands.send(Command::Own(Box::new(Input::Moved { reservation, task, to, end })));
        };
        if let Err(error) = std::thread::Builder::new().name("move".to_owned()).spawn(work) {
            movers.change(|busy| busy.remove(&key));
            tracing::error!(%error, "no thread for files");
        }
    }
}

/// From where files are brought, and where to.
struct Way<'a> {
    from: &'a SiteLine,
    to: &'a SiteLine,
    /// What the two sites are called.
    names: &'a [String; 2],
}

impl Way<'_> {
    /// Says in the log what could not be brought.
    fn warn(&self, wanted: &FileMove, why: &dyn std::fmt::Display) {
        let (job, task, [from, to]) = (wanted.job.get(), wanted.name.as_str(), self.names);
        tracing::warn!(job, task, from, to, "a file could not be brought: {why}");
    }
}

/// What came of bringing files. Of a site that keeps none there are none to bring.
fn brought(wanted: &FileMove, way: &Way<'_>) -> MoveEnd {
    let directory = |line: &SiteLine, site: SiteId| -> Result<Option<Directory>, MoveEnd> {
        line.files(wanted.job, &wanted.user).map_err(|error| {
            way.warn(wanted, &format_args!("{}: {error}", wanted.files.join(", ")));
            MoveEnd::Failed(MoveFault::Silent(site))
        })
    };
    let both = directory(way.from, wanted.from).and_then(|from| Ok((from, directory(way.to, wanted.to)?)));
    let (from, to) = match both {
        Ok((Some(from), Some(to))) => (from, to),
        Ok(_) => return MoveEnd::Done { files: 0, bytes: 0 },
        Err(end) => return end,
    };
    let (mut files, mut bytes) = (0_u32, 0_u64);
    for name in &wanted.files {
        match to.fetch(name, &from) {
            Ok(sum) => (files, bytes) = (files.saturating_add(1), bytes.saturating_add(sum.bytes)),
            Err(fault) => {
                way.warn(wanted, &fault);
                return MoveEnd::Failed(fault_of(name, &fault));
            }
        }
    }
    MoveEnd::Done { files, bytes }
}

fn fault_of(name: &str, fault: &FileFault) -> MoveFault {
    let name = name.to_owned();
    match fault {
        FileFault::Outside(_) => MoveFault::Outside(name),
        FileFault::NotThere(_) | FileFault::Directory(_) | FileFault::Special(_) => MoveFault::NotThere(name),
        FileFault::TooLarge { .. } => MoveFault::TooLarge(name),
        FileFault::Damaged(_) => MoveFault::Damaged(name),
        FileFault::System { .. } => MoveFault::Refused(name),
    }
}
