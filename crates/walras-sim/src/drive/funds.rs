//! Money for users: nobody waits for it in a trace, so everybody has more than the jobs that are here can cost.
//!
//! The books count in whole micro-credits, so that all users together can be given only so much: a user gets some at first, and more
//! where what is left does not cover the open jobs at their dearest.

use super::course::Driver;
use super::setup::DriveError;
use crate::record::Record;
use walras_broker::Input;
use walras_broker::account::Account;
use walras_broker::input::User;
use walras_model::Money;

/// What a user has at first and gets more of at a time, in micro-credits: the most that a deposit can be.
const FUNDS: i64 = 1_000_000_000_000_000;
/// So often all users together may be given that: the books count no more.
const TIMES_MAX: u32 = 2_300;

impl Driver<'_> {
    /// A user joins.
    pub(super) fn welcome(&mut self, user: &str, sink: &mut dyn FnMut(Record)) -> Result<(), DriveError> {
        if !self.users.insert(user.to_owned()) {
            return Ok(());
        }
        let known = User { name: user.to_owned(), group: None, share: 1, lowest: Money::ZERO };
        self.say(Input::SetUser(known), sink)?;
        self.give(user, "funds".to_owned(), sink)
    }

    /// A user has more than the jobs that are here can cost: nobody waits for money in a trace.
    pub(super) fn fund(
        &mut self,
        user: &str,
        needed: i128,
        sink: &mut dyn FnMut(Record),
    ) -> Result<(), DriveError> {
        let has = self.broker.state().books.balance(&Account::User(user.to_owned())).as_micros();
        let mut short = needed - i128::from(has);
        while short > 0 {
            self.give(user, format!("funds-{}", self.given), sink)?;
            short -= i128::from(FUNDS);
        }
        Ok(())
    }

    /// As much as can be given at a time.
    fn give(&mut self, user: &str, key: String, sink: &mut dyn FnMut(Record)) -> Result<(), DriveError> {
        if self.given >= TIMES_MAX {
            return Err(self.too_dear());
        }
        self.given += 1;
        let account = Account::User(user.to_owned());
        self.say(Input::Deposit { key, account, amount: Money::from_micros(FUNDS) }, sink)?;
        Ok(())
    }

    fn too_dear(&self) -> DriveError {
        let why = "jobs cost more than the books can count: take fewer of them, or lower prices";
        DriveError::Refused { at: self.now, why: why.to_owned() }
    }
}
