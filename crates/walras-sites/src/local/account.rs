//! As whom programs run: as the service does, as one account for all, or each user under an account of their own.
//!
//! An account of one's own is one that the site's owner has named, or a number that nobody else has, drawn from a range. What was drawn
//! is written down once for all sites of a service, and is never given to another user, also when its user is gone: files that were left
//! behind would be theirs.
//!
//! Drawing takes time in proportion to what was drawn before; everything else is a look into a table.

use crate::contract::SiteError;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS account (user TEXT PRIMARY KEY, uid INTEGER NOT NULL UNIQUE);";
/// Numbers below this belong to the system.
const UID_MIN: u32 = 1_000;
/// The range from which accounts are drawn unless another is set.
const USUAL: UidRange = UidRange { first: 200_000, last: 265_535 };

/// An account of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    /// The user's number.
    pub uid: u32,
    /// The group's.
    pub gid: u32,
}

/// As whom programs run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accounts {
    /// As the service does.
    Service,
    /// As one account, whosever they are.
    Shared(Account),
    /// Each user under an account of their own.
    Own {
        /// Those that were named.
        named: BTreeMap<String, Account>,
        /// From where the others' are drawn; without, others run nothing.
        drawn: Option<UidRange>,
    },
}

/// Numbers of accounts, from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UidRange {
    first: u32,
    last: u32,
}

impl Default for UidRange {
    fn default() -> UidRange {
        USUAL
    }
}

impl UidRange {
    /// None for numbers of the system's, and for those that stand for nobody.
    pub fn new(first: u32, last: u32) -> Option<UidRange> {
        (UID_MIN <= first && first <= last && last < u32::MAX - 1).then_some(UidRange { first, last })
    }

    /// As it is written: `200000-265535`.
    ///
    /// ```
    /// use walras_sites::local::UidRange;
    /// assert_eq!(UidRange::from_text("200000-265535"), Some(UidRange::default()));
    /// assert_eq!(UidRange::from_text("0-10"), None);
    /// ```
    pub fn from_text(text: &str) -> Option<UidRange> {
        let (first, last) = text.split_once('-')?;
        UidRange::new(first.trim().parse().ok()?, last.trim().parse().ok()?)
    }
}

/// Why a user has no account here.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoAccount {
    /// What was drawn cannot be looked up.
    #[error(transparent)]
    Memory(#[from] SiteError),
    /// The owner has named accounts, and none for this user.
    #[error("user {0} has no account on this site")]
    NotNamed(String),
    /// All that could be drawn were.
    #[error("no account is left for user {0}")]
    UsedUp(String),
}

impl From<rusqlite::Error> for NoAccount {
    fn from(error: rusqlite::Error) -> NoAccount {
        NoAccount::Memory(error.into())
    }
}

impl Account {
    /// The account of a name or of a number, as the machine knows it; a number that it does not know has a group of the same number.
    pub fn find(text: &str) -> Result<Account, SiteError> {
        let wrong = |why: &str| SiteError::Setup { key: "local.accounts", why: format!("'{text}': {why}") };
        let account = match (Account::known(text), text.parse()) {
            (Some(account), _) => account,
            (None, Ok(uid)) => Account { uid, gid: uid },
            (None, Err(_)) => return Err(wrong("the machine has no such account")),
        };
        if !account.is_ordinary() {
            return Err(wrong("programs of users do not run as root"));
        }
        Ok(account)
    }

    /// Whether it is not root's: programs of users never run as that.
    pub fn is_ordinary(&self) -> bool {
        self.uid != 0 && self.gid != 0
    }

    /// What the machine knows of an account, whoever tells it: files, directories of an organisation.
    pub fn known(name: &str) -> Option<Account> {
        let mut getent = Command::new("getent");
        getent.args(["--", "passwd", name]).stdin(Stdio::null()).stderr(Stdio::null());
        let said = getent.output().ok().filter(|said| said.status.success() && !name.is_empty())?;
        let line = String::from_utf8(said.stdout).ok()?;
        let mut fields = line.trim().split(':').skip(2);
        Some(Account { uid: fields.next()?.parse().ok()?, gid: fields.next()?.parse().ok()? })
    }
}

impl Accounts {
    /// Whether users do not share one.
    pub(crate) fn are_own(&self) -> bool {
        matches!(self, Accounts::Own { .. })
    }

    /// Whether a user has one, or will.
    pub(crate) fn has(&self, user: &str) -> bool {
        match self {
            Accounts::Service | Accounts::Shared(_) => true,
            Accounts::Own { named, drawn } => drawn.is_some() || named.contains_key(user),
        }
    }

    /// One of them, to try with.
    pub(crate) fn any(&self) -> Option<Account> {
        match self {
            Accounts::Service => None,
            Accounts::Shared(account) => Some(*account),
            Accounts::Own { named, drawn } => {
                let drawn = drawn.map(|range| Account { uid: range.first, gid: range.first });
                drawn.or_else(|| named.values().next().copied())
            }
        }
    }
}

/// The accounts that were drawn.
#[derive(Debug)]
pub(crate) struct DrawnAccounts {
    connection: Connection,
}

impl DrawnAccounts {
    pub(crate) fn open(path: &Path) -> Result<DrawnAccounts, SiteError> {
        let named = |error: rusqlite::Error| SiteError::file(path, error);
        let connection = Connection::open(path).map_err(named)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.pragma_update(None, "journal_mode", "WAL").map_err(named)?;
        // An account that was forgotten would be given to another.
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute_batch(TABLE).map_err(named)?;
        Ok(DrawnAccounts { connection })
    }

    /// As whom a user's programs run; none when as the service.
    pub(crate) fn of(&mut self, user: &str, accounts: &Accounts) -> Result<Option<Account>, NoAccount> {
        match accounts {
            Accounts::Service => Ok(None),
            Accounts::Shared(account) => Ok(Some(*account)),
            Accounts::Own { named, drawn } => match (named.get(user), drawn) {
                (Some(account), _) => Ok(Some(*account)),
                (None, Some(range)) => self.drawn(user, *range, named).map(Some),
                (None, None) => Err(NoAccount::NotNamed(user.to_owned())),
            },
        }
    }

    fn drawn(
        &mut self,
        user: &str,
        range: UidRange,
        named: &BTreeMap<String, Account>,
    ) -> Result<Account, NoAccount> {
        // Another site of the service may draw at the same moment.
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let kept: Option<u32> = transaction
            .query_row("SELECT uid FROM account WHERE user = ?1", [user], |row| row.get(0))
            .optional()?;
        if let Some(uid) = kept {
            return Ok(Account { uid, gid: uid });
        }
        let mut taken: BTreeSet<u32> = named.values().map(|account| account.uid).collect();
        let mut query = transaction.prepare("SELECT uid FROM account")?;
        for uid in query.query_map([], |row| row.get(0))? {
            taken.insert(uid?);
        }
        drop(query);
        let free = |uid: &u32| !taken.contains(uid) && Account::known(&uid.to_string()).is_none();
        let uid = (range.first..=range.last).find(free).ok_or_else(|| NoAccount::UsedUp(user.to_owned()))?;
        transaction.execute("INSERT INTO account VALUES (?1, ?2)", (user, uid))?;
        transaction.commit()?;
        Ok(Account { uid, gid: uid })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accounts(first: u32, last: u32) -> Accounts {
        let named = BTreeMap::from([("eve".to_owned(), Account { uid: first, gid: 77 })]);
        Accounts::Own { named, drawn: UidRange::new(first, last) }
    }

    #[test]
    fn everybody_keeps_an_account_that_nobody_else_has() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("accounts.db");
        let rules = accounts(3_000_000_000, 3_000_000_002);
        let mut first = DrawnAccounts::open(&path).unwrap();
        let mut other = DrawnAccounts::open(&path).unwrap();
        let uid = |drawn: &mut DrawnAccounts, user| drawn.of(user, &rules).unwrap().unwrap().uid;
        assert_eq!(uid(&mut first, "eve"), 3_000_000_000);
        assert_eq!(uid(&mut first, "ada"), 3_000_000_001);
        assert_eq!(uid(&mut other, "bob"), 3_000_000_002);
        assert_eq!(uid(&mut other, "ada"), 3_000_000_001);
        let error = other.of("zoe", &rules).unwrap_err();
        assert_eq!(error.to_string(), "no account is left for user zoe");
        drop((first, other));
        assert_eq!(uid(&mut DrawnAccounts::open(&path).unwrap(), "bob"), 3_000_000_002);
    }

    #[test]
    fn without_a_range_those_who_are_not_named_run_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let mut drawn = DrawnAccounts::open(&directory.path().join("accounts.db")).unwrap();
        let rules = Accounts::Own { named: BTreeMap::new(), drawn: None };
        assert!(matches!(drawn.of("ada", &rules), Err(NoAccount::NotNamed(_))));
        assert_eq!(drawn.of("ada", &Accounts::Service).unwrap(), None);
    }

    #[test]
    fn nobody_runs_as_root_and_unknown_names_are_refused() {
        assert!(Account::find("root").is_err() && Account::find("0").is_err());
        assert!(Account::find("no-such-account").unwrap_err().to_string().contains("no such account"));
        assert_eq!(Account::find("3000000000").unwrap(), Account { uid: 3_000_000_000, gid: 3_000_000_000 });
        assert_eq!(Account::find("nobody").unwrap().uid, 65_534);
        for text in ["", "1000", "5-4", "0-70000", "200000-4294967295"] {
            assert_eq!(UidRange::from_text(text), None, "{text}");
        }
    }
}
