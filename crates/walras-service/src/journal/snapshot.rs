//! Snapshots: the broker's state at a position, one file each, so that writing one never holds up the journal.
//!
//! A file is its header (the format's name, the position, the checksum of the journal's entry there, a SHA-256 of the rest) and the
//! state in MessagePack. A snapshot of another journal is told by the checksum. It is written beside its place, synced and renamed. A file that is damaged, or of another format, is passed over: the state
//! always follows from the journal too.

use super::JournalError;
use super::chain::{Chain, Sum};
use rmp_serde::{decode, encode};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use walras_broker::State;

const MAGIC: &[u8; 18] = b"walras.snapshot/2\n";
/// Those of before there were chains have the same without the chain's sum.
const MAGIC_UNCHAINED: &[u8; 18] = b"walras.snapshot/1\n";
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

    /// In this directory, where it is there: nothing is made.
    pub fn to_read(directory: &Path) -> Snapshots {
        Snapshots { directory: directory.to_owned() }
    }

    /// Whether there is any.
    pub fn is_empty(&self) -> bool {
        self.positions().is_empty()
    }

    /// The newest state that can be read and belongs to the chain of a journal, and how many entries it holds.
    pub fn newest(
        &self,
        mut chain_at: impl FnMut(u64) -> Result<Chain, JournalError>,
    ) -> Result<Option<(u64, State)>, JournalError> {
        for position in self.positions().into_iter().rev() {
            let chain = chain_at(position)?;
            match self.read(position) {
                Some((named, state)) if named.0.is_none() || named == chain => {
                    return Ok(Some((position, state)));
                }
                Some(_) => tracing::warn!(position, "a snapshot of another journal is passed over"),
                None => tracing::warn!(position, "a snapshot cannot be read and is passed over"),
            }
        }
        Ok(None)
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
    pub fn save(&self, position: u64, chain: Chain, state: &State) -> io::Result<()> {
        let mut body = Vec::with_capacity(1 << 16);
        encode::write_named(&mut body, state).map_err(io::Error::other)?;
        let path = self.path(position);
        let draft = path.with_extension("draft");
        let mut file = File::create(&draft)?;
        file.write_all(MAGIC)?;
        file.write_all(&position.to_le_bytes())?;
        file.write_all(&chain.0.unwrap_or_default())?;
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

    fn read(&self, position: u64) -> Option<(Chain, State)> {
        let mut bytes = Vec::new();
        File::open(self.path(position)).ok()?.read_to_end(&mut bytes).ok()?;
        let chained = bytes.strip_prefix(MAGIC);
        let rest = chained.or_else(|| bytes.strip_prefix(MAGIC_UNCHAINED))?;
        let (said, rest) = rest.split_at_checked(size_of::<u64>())?;
        let (sum, rest) = rest.split_at_checked(if chained.is_some() { HASH_BYTES } else { 0 })?;
        let chain = Chain(Sum::try_from(sum).ok().filter(|sum| *sum != Sum::default()));
        let (hash, body) = rest.split_at_checked(HASH_BYTES)?;
        if said != position.to_le_bytes() || hash != Sha256::digest(body).as_slice() {
            return None;
        }
        decode::from_slice(body).ok().map(|state| (chain, state))
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

    fn newest(snapshots: &Snapshots) -> Option<(u64, usize)> {
        let found = snapshots.newest(|_| Ok(Chain::default())).unwrap();
        found.map(|(position, state)| (position, state.users.len()))
    }

    #[test]
    fn a_damaged_snapshot_is_passed_over() {
        let directory = tempfile::tempdir().unwrap();
        let snapshots = Snapshots::open(directory.path()).unwrap();
        assert!(snapshots.is_empty() && newest(&snapshots).is_none());
        let save = |position: u64| {
            snapshots.save(position, Chain::default(), &state(u32::try_from(position).unwrap())).unwrap();
        };
        (1..=4).for_each(save);
        assert_eq!(snapshots.positions(), [3, 4]);
        assert_eq!(newest(&snapshots), Some((4, 4)));
        save(9);
        save(4);
        snapshots.forget_after(8).unwrap();
        assert_eq!(snapshots.positions(), [4]);
        save(3);
        let mut bytes = fs::read(snapshots.path(4)).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(snapshots.path(4), bytes).unwrap();
        assert_eq!(newest(&snapshots), Some((3, 3)));
    }

    #[test]
    fn a_snapshot_of_another_chain_is_passed_over_and_one_of_before_there_were_chains_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let snapshots = Snapshots::open(directory.path()).unwrap();
        snapshots.save(3, Chain(Some([1; 32])), &state(3)).unwrap();
        snapshots.save(4, Chain(Some([2; 32])), &state(4)).unwrap();
        let of = |sum: u8| {
            let found = snapshots.newest(|_| Ok(Chain(Some([sum; 32])))).unwrap();
            found.map(|(position, _)| position)
        };
        assert_eq!((of(2), of(1), of(9)), (Some(4), Some(3), None));
        let bytes = fs::read(snapshots.path(4)).unwrap();
        let old = [&MAGIC_UNCHAINED[..], &bytes[18..26], &bytes[26 + HASH_BYTES..]].concat();
        fs::write(snapshots.path(4), old).unwrap();
        assert_eq!(of(1), Some(4));
    }
}
