//! Checksums that are chained from one entry to the next.
//!
//! **Problem.** A bit that flips on a disk, or a line that somebody changes, must not become somebody's balance. A checksum for
//! each entry finds the one, but not an entry that is missing, exchanged, or put in from another journal.
//!
//! **Method.** Every entry carries the SHA-256 of the sum before it, its position, its time and its bytes. Whoever reads entries in order
//! works each out again; the first that differs is named. Journals that began before there were sums have none at their beginning: the
//! chain begins with the first entry that has one, and from there on none may be without.
//!
//! The sums are not keyed: they find what breaks, and not who would forge a whole journal.

use super::JournalError;
use sha2::{Digest, Sha256};
use walras_model::Time;

/// The sum of an entry, and of all before it.
pub type Sum = [u8; 32];

/// The sums so far; `None` before the first entry that has one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chain(pub Option<Sum>);

impl Chain {
    /// The sum of an entry that comes next.
    pub fn next(self, position: u64, at: Time, body: &[u8]) -> Sum {
        let mut hash = Sha256::new();
        hash.update(self.0.unwrap_or_default());
        hash.update(position.to_le_bytes());
        hash.update(at.as_millis().to_le_bytes());
        hash.update(body);
        hash.finalize().into()
    }

    /// Takes in an entry as it was read, with the sum that it carries.
    pub fn take(
        &mut self,
        position: u64,
        at: Time,
        body: &[u8],
        carried: Option<&[u8]>,
    ) -> Result<(), JournalError> {
        let expected = self.next(position, at, body);
        match carried {
            None if self.0.is_none() => Ok(()),
            Some(sum) if sum == expected => {
                self.0 = Some(expected);
                Ok(())
            }
            None | Some(_) => Err(JournalError::Damaged(position)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_changed_moved_or_left_out_is_found() {
        let at = |millis| Time::from_millis(millis).unwrap();
        let bodies: [&[u8]; 3] = [b"one", b"two", b"three"];
        let mut chain = Chain::default();
        let mut written = Vec::new();
        for (position, body) in (1..).zip(bodies) {
            chain = Chain(Some(chain.next(position, at(5), body)));
            written.push((position, body, chain.0.unwrap()));
        }
        let read = |entries: &[(u64, &[u8], Sum)]| {
            let mut chain = Chain::default();
            let mut taken =
                entries.iter().map(|(position, body, sum)| chain.take(*position, at(5), body, Some(sum)));
            taken.find_map(Result::err)
        };
        assert_eq!(read(&written), None);
        let mut changed = written.clone();
        changed[1].1 = b"twx";
        assert_eq!(read(&changed), Some(JournalError::Damaged(2)));
        assert_eq!(read(&[written[0], written[2]]), Some(JournalError::Damaged(3)));
        let mut unsummed = Chain::default();
        assert_eq!(unsummed.take(1, at(5), b"old", None), Ok(()));
        assert_eq!(unsummed.take(2, at(5), b"two", Some(&Chain::default().next(2, at(5), b"two"))), Ok(()));
        assert_eq!(unsummed.take(3, at(5), b"old", None), Err(JournalError::Damaged(3)));
    }
}
