//! How much of what everybody shares one caller may take, and all together: bytes of bodies, streams, requests at a time.
//!
//! **Problem.** A hundred bodies that are sent to the half, five thousand streams that nobody reads: each is allowed, and
//! together they leave nothing for anybody else.
//!
//! **Method.** Counts, in total and by whose it is, so that nobody has more by having more tokens. What is taken is given back when it is dropped, so that nobody has to remember to.
//! Bodies are counted as they come in, and not by what they say that they will be.

use crate::token::Whose;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// So much of something, in total and for one caller.
pub(super) struct Budget {
    most: usize,
    most_each: usize,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    all: usize,
    each: HashMap<Whose, usize>,
}

/// Why there is no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spent {
    /// They have all that one may have.
    Own,
    /// All that there is was taken by others together.
    All,
}

/// What was taken; it is given back when this goes.
pub(super) struct Share {
    budget: Arc<Budget>,
    whose: Whose,
    amount: usize,
}

impl Budget {
    pub(super) fn new(most: usize, most_each: usize) -> Arc<Budget> {
        Arc::new(Budget { most, most_each, taken: Mutex::default() })
    }

    /// How much is taken, by all together.
    pub(super) fn taken(&self) -> usize {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).all
    }

    /// Nothing yet, for somebody.
    pub(super) fn open(self: &Arc<Budget>, whose: Whose) -> Share {
        Share { budget: self.clone(), whose, amount: 0 }
    }

    /// So much, for somebody.
    pub(super) fn take(self: &Arc<Budget>, whose: Whose, amount: usize) -> Result<Share, Spent> {
        let mut share = self.open(whose);
        share.grow_to(amount)?;
        Ok(share)
    }
}

impl Share {
    /// Takes as much as is missing to an amount.
    pub(super) fn grow_to(&mut self, amount: usize) -> Result<(), Spent> {
        let more = amount.saturating_sub(self.amount);
        if more == 0 {
            return Ok(());
        }
        let mut taken = self.budget.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.each.get(&self.whose).copied().unwrap_or(0);
        if own + more > self.budget.most_each {
            return Err(Spent::Own);
        }
        if taken.all + more > self.budget.most {
            return Err(Spent::All);
        }
        taken.all += more;
        taken.each.insert(self.whose.clone(), own + more);
        self.amount = amount;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.budget.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.all = taken.all.saturating_sub(self.amount);
        let left = taken.each.get(&self.whose).map_or(0, |own| own.saturating_sub(self.amount));
        if left == 0 {
            taken.each.remove(&self.whose);
        } else {
            taken.each.insert(self.whose.clone(), left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::Caller;
    use walras_api::service::Role;

    fn whose(number: usize) -> Whose {
        let name = ["ada", "ben", "eve"][number - 1].to_owned();
        let (scope, site, expires_at) = (None, None, None);
        Caller { token: 7, role: Role::User, name, scope, site, expires_at }.whose()
    }

    #[test]
    fn one_never_has_all_and_what_is_dropped_is_there_again() {
        let budget = Budget::new(10, 6);
        let take = |number: usize, amount| budget.take(whose(number), amount);
        let mut first = take(1, 4).ok().unwrap();
        assert_eq!(first.grow_to(7), Err(Spent::Own));
        assert_eq!(first.grow_to(6), Ok(()));
        assert_eq!(take(1, 1).err(), Some(Spent::Own));
        let second = take(2, 4).ok().unwrap();
        assert_eq!(take(3, 1).err(), Some(Spent::All));
        drop(first);
        assert!(take(3, 6).is_ok() && take(1, 6).is_ok());
        drop(second);
        let taken = budget.taken.lock().unwrap();
        assert!(taken.all == 0 && taken.each.is_empty());
    }
}
