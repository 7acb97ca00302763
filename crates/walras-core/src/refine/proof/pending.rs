//! What a search has yet to look at, and when it begins anew.

use std::collections::VecDeque;

/// What must be looked at again.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// Tasks that may start later: those that wait for them are looked at.
    pub(super) forwards: Queue,
    /// Tasks that must start sooner: those that they wait for are looked at.
    pub(super) backwards: Queue,
    pub(super) lanes: Queue,
}

impl Pending {
    /// Every task and every lane: what a search begins with.
    pub(super) fn all(tasks: usize, lanes: usize) -> Pending {
        Pending { forwards: Queue::all(tasks), backwards: Queue::all(tasks), lanes: Queue::all(lanes) }
    }

    pub(super) fn clear(&mut self) {
        self.forwards.clear();
        self.backwards.clear();
        self.lanes.clear();
    }
}

/// Numbers, each at most once, the first first.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    waits: Vec<bool>,
    line: VecDeque<usize>,
}

impl Queue {
    fn all(size: usize) -> Queue {
        Queue { waits: vec![true; size], line: (0..size).collect() }
    }

    pub(super) fn push(&mut self, number: usize) {
        if !std::mem::replace(&mut self.waits[number], true) {
            self.line.push_back(number);
        }
    }

    pub(super) fn pop(&mut self) -> Option<usize> {
        let number = self.line.pop_front()?;
        self.waits[number] = false;
        Some(number)
    }

    fn clear(&mut self) {
        while self.pop().is_some() {}
    }
}

/// 1, 1, 2, 1, 1, 2, 4, ... from 1 on (Luby, Sinclair and Zuckerman 1993).
pub(super) fn luby(at: u64) -> u64 {
    let mut at = at;
    loop {
        let bits = u64::BITS - at.leading_zeros();
        if at + 1 == 1 << bits {
            return 1 << (bits - 1);
        }
        at -= (1 << (bits - 1)) - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_are_spread() {
        assert_eq!((1..=15).map(luby).collect::<Vec<_>>(), [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }

    #[test]
    fn nothing_waits_twice() {
        let mut queue = Queue::all(2);
        queue.push(1);
        assert_eq!((queue.pop(), queue.pop(), queue.pop()), (Some(0), Some(1), None));
        queue.push(1);
        assert_eq!(queue.pop(), Some(1));
    }
}
