//! Taking turns: what somebody asks for many times at once is worked on one after the other, so that it keeps nobody else waiting.
//!
//! **Problem.** Whoever waits for something that few can have at a time waits behind all who came before: one caller with a hundred requests
//! makes everybody wait for a hundred.
//!
//! **Method.** Every caller has a turn of their own, and takes it before joining the common line: in that line there is then at most one
//! of each. A turn that nobody holds or waits for is forgotten. Time O(log n) for n callers who have one now.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The turns of callers, each known by a key.
#[derive(Debug)]
pub(crate) struct Turns<K>(Mutex<BTreeMap<K, Weak<Semaphore>>>);

impl<K> Default for Turns<K> {
    fn default() -> Turns<K> {
        Turns(Mutex::default())
    }
}

/// A turn; it is the next one's when this goes.
pub(crate) type Turn = OwnedSemaphorePermit;

impl<K: Ord + Clone> Turns<K> {
    /// Waits for a caller's turn, behind whatever else they ask for. None never comes: nothing closes a turn.
    pub(crate) async fn take(&self, caller: &K) -> Option<Turn> {
        self.of(caller).acquire_owned().await.ok()
    }

    fn of(&self, caller: &K) -> Arc<Semaphore> {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turn| turn.strong_count() > 0);
        let turn = turns.get(caller).and_then(Weak::upgrade).unwrap_or_else(|| Arc::new(Semaphore::new(1)));
        turns.insert(caller.clone(), Arc::downgrade(&turn));
        turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn one_at_a_time_for_each_and_others_do_not_wait() {
        let turns = Turns::default();
        let first = turns.take(&1).await;
        assert!(turns.take(&2).await.is_some(), "another caller has a turn of their own");
        let soon = Duration::from_millis(20);
        assert!(tokio::time::timeout(soon, turns.take(&1)).await.is_err(), "it is taken");
        drop(first);
        assert!(turns.take(&1).await.is_some());
        turns.of(&3);
        assert!(turns.0.lock().unwrap().len() <= 2, "who has none is forgotten");
    }
}
