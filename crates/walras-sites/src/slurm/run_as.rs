//! As whom jobs run on a cluster: all as the service's user, or each user under an account of the cluster's.
//!
//! An account is one that the owner has named, or that of the same name. It must be known where the service runs, by the same number as on
//! the nodes; Slurm wants that too. What was found is remembered; who has none is looked for again.

use crate::local::Account;
use std::collections::BTreeMap;

/// As whom jobs run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunAs {
    /// As the service does.
    Service,
    /// Each user under an account of the cluster's.
    Users {
        /// Those that were named.
        named: BTreeMap<String, Account>,
        /// Whether others have the account of their own name.
        same: bool,
    },
}

/// As whom a user's jobs run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runs {
    /// As the service does.
    AsService,
    /// Under that account.
    As(Account),
    /// They have none.
    Nowhere,
}

/// Accounts that were looked for.
#[derive(Debug)]
pub(super) struct AccountBook {
    rules: RunAs,
    found: BTreeMap<String, Account>,
}

impl AccountBook {
    pub(super) fn new(rules: RunAs) -> AccountBook {
        AccountBook { rules, found: BTreeMap::new() }
    }

    /// As whom a user's jobs run.
    pub(super) fn of(&mut self, user: &str) -> Runs {
        let RunAs::Users { named, same } = &self.rules else { return Runs::AsService };
        if let Some(account) = named.get(user).or_else(|| self.found.get(user)) {
            return Runs::As(*account);
        }
        // A number would be taken for that of an account.
        let is_name = !user.bytes().all(|byte| byte.is_ascii_digit());
        let account = (*same && is_name).then(|| Account::known(user)).flatten();
        match account.filter(Account::is_ordinary) {
            Some(account) => {
                self.found.insert(user.to_owned(), account);
                Runs::As(account)
            }
            None => Runs::Nowhere,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_those_that_were_named_or_of_the_same_name() {
        assert_eq!(AccountBook::new(RunAs::Service).of("ada"), Runs::AsService);
        let account = Account { uid: 4_321, gid: 5 };
        let named = BTreeMap::from([("ada".to_owned(), account)]);
        let mut own = AccountBook::new(RunAs::Users { named: named.clone(), same: false });
        assert_eq!((own.of("ada"), own.of("nobody")), (Runs::As(account), Runs::Nowhere));
        let mut same = AccountBook::new(RunAs::Users { named, same: true });
        assert!(matches!(same.of("nobody"), Runs::As(Account { uid: 65_534, .. })));
        // Nobody becomes root by a name.
        for user in ["root", "no-such-user", "0", "65534", "-h", ""] {
            assert_eq!(same.of(user), Runs::Nowhere, "{user}");
        }
    }
}
