//! Who submits, as far as a script's directives speak of it: the zone of times of day, the environment, the directory.

use jiff::tz::TimeZone;
use std::collections::BTreeMap;
use walras_broker::particulars::is_variable;

/// What belongs to a login and a machine, and not to a job.
const OF_LOGIN: [&str; 15] = [
    "_", "DISPLAY", "HOME", "HOSTNAME", "LOGNAME", "MAIL", "OLDPWD", "PWD", "SHELL", "SHLVL", "TERM",
    "TMPDIR", "TTY", "USER", "WINDOWID",
];
/// The same, by how their names begin.
const OF_LOGIN_BEGIN: [&str; 5] = ["SLURM_", "SLURMD_", "SSH_", "WALRAS_", "XDG_"];

/// What is known of whoever submits a batch script, and of where they do.
#[derive(Clone, Debug)]
pub struct Submitter {
    /// The zone of times of day.
    pub zone: TimeZone,
    /// The variables that `--export` may take; unknown, without.
    pub environment: Option<BTreeMap<String, String>>,
    /// The directory in which it is submitted, where there is one.
    pub directory: Option<String>,
    /// Directives that are not understood are left out and named; without it, they are errors.
    pub ignore_unknown: bool,
}

impl Submitter {
    /// Of whom nothing else is known.
    pub fn in_zone(zone: TimeZone) -> Submitter {
        Submitter { zone, environment: None, directory: None, ignore_unknown: false }
    }
}

/// What of an environment may go with a job: not what is of the login or the machine, nor what no job may have.
pub(super) fn portable(environment: &BTreeMap<String, String>) -> impl Iterator<Item = (&String, &String)> {
    environment.iter().filter(|(name, value)| {
        let of_login =
            OF_LOGIN.contains(&name.as_str()) || OF_LOGIN_BEGIN.iter().any(|it| name.starts_with(it));
        is_variable(name) && !of_login && !value.contains('\0')
    })
}
