//! Snapshots: the broker's state at a position, one file each, so that writing one never holds up the journal.
//!
//! A file is its header (the format's name, the position, a SHA-256 of the rest) and the state in MessagePack. It is
//! written beside its place, synced and renamed. A file that is damaged, or of another format, is passed over: the state
//! always follows from the journal too.

use rmp_serde::{decode, encode};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use walras_broker::State;

const MAGIC: &[u8; 18] = b"walras.snapshot/1\n";
const HASH_BYTES: usize = 32;
/// So many are kept: the newest, and one to fall back to.
const KEPT: usize = 2;

/// Where the snapshots lie.
#[derive(Clone, Debug)]
pub struct Snapshots {
    directory: PathBuf,
}

impl Snapshots {
    /// In this directory, which is made where it is missing.
    pub fn open(directory: &Path) -> io::Result<Snapshots> {
        fs::create_dir_all(directory)?;
        Ok(Snapshots { directory: directory.to_owned() })
    }

    /// The newest state that can be read, and how many entries it holds.
    pub fn newest(&self) -> Option<(u64, State)> {
        self.positions().into_iter().rev().find_map(|position| {
            let state = self.read(position);
            if state.is_none() {
                tracing::warn!(position, "a snapshot cannot be read and is passed over");
            }
            state.map(|state| (position, state))
        })
    }

    /// Removes snapshots of more entries than there are: they are of another journal, as after one was restored.
    pub fn forget_after(&self, end: u64) -> io::Result<()> {
        for position in self.positions().into_iter().filter(|position| *position > end) {
            tracing::warn!(position, end, "a snapshot of another journal is removed");
            fs::remove_file(self.path(position))?;
        }
        Ok(())
    }

    /// Writes a state; older snapshots go.
    pub fn save(&self, position: u64, state: &State) -> io::Result<()> {
        let mut body = Vec::with_capacity(1 << 16);
        encode::write_named(&mut body, state).map_err(io::Error::other)?;
        let path = self.path(position);
        let draft = path.with_extension("draft");
        let mut file = File::create(&draft)?;
        file.write_all(MAGIC)?;
        file.write_all(&position.to_le_bytes())?;
        file.write_all(&Sha256::digest(&body))?;
        file.write_all(&body)?;
        file.sync_all()?;
        fs::rename(&draft, &path)?;
        File::open(&self.directory)?.sync_all()?;
        let positions = self.positions();
        for old in positions.iter().take(positions.len().saturating_sub(KEPT)) {
            fs::remove_file(self.path(*old))?;
        }
        Ok(())
    }

    fn path(&self, position: u64) -> PathBuf {
        self.directory.join(format!("{position:020}.snapshot"))
    }

    /// Of all snapshots, oldest first.
    fn positions(&self) -> Vec<u64> {
        let files = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        let mut positions: Vec<u64> = files
            .filter_map(|file| file.file_name().to_str()?.strip_suffix(".snapshot")?.parse().ok())
            .collect();
        positions.sort_unstable();
        positions
    }

    fn read(&self, position: u64) -> Option<State> {
        let mut bytes = Vec::new();
        File::open(self.path(position)).ok()?.read_to_end(&mut bytes).ok()?;
        let rest = bytes.strip_prefix(MAGIC)?;
        let (said, rest) = rest.split_at_checked(size_of::<u64>())?;
        let (hash, body) = rest.split_at_checked(HASH_BYTES)?;
        if said != position.to_le_bytes() || hash != Sha256::digest(body).as_slice() {
            return None;
        }
        decode::from_slice(body).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_broker::Broker;
    use walras_broker::input::{Input, User};
    use walras_model::{Money, Time};

    fn state(users: u32) -> State {
        let mut broker = Broker::default();
        for number in 0..users {
            let user = User { name: format!("u{number}"), group: None, share: 1, lowest: Money::ZERO };
            broker.handle(Time::from_millis(5).unwrap(), &Input::SetUser(user)).unwrap();
        }
        broker.state().clone()
    }

    #[test]
    fn a_damaged_snapshot_is_passed_over() {
        let directory = tempfile::tempdir().unwrap();
        let snapshots = Snapshots::open(directory.path()).unwrap();
        assert!(snapshots.newest().is_none());
        for position in 1..=4 {
            snapshots.save(position, &state(u32::try_from(position).unwrap())).unwrap();
        }
        assert_eq!(snapshots.positions(), [3, 4]);
        assert_eq!(snapshots.newest().map(|(position, state)| (position, state.users.len())), Some((4, 4)));
        snapshots.save(9, &state(9)).unwrap();
        snapshots.save(4, &state(4)).unwrap();
        snapshots.forget_after(8).unwrap();
        assert_eq!(snapshots.positions(), [4]);
        snapshots.save(3, &state(3)).unwrap();
        let mut bytes = fs::read(snapshots.path(4)).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(snapshots.path(4), bytes).unwrap();
        assert_eq!(snapshots.newest().map(|(position, state)| (position, state.users.len())), Some((3, 3)));
    }
}
