//! Who packs jobs, by words: `easy`, `easy:units`, `walras:slack=0`.

use super::{Counting, Packed, Packing, Trial, pack, sell};
use crate::drive::{DriveError, Setup, policy_of};
use std::fmt;
use std::str::FromStr;
use walras_broker::policy::Policy;

/// Who packs jobs, and the words by which it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packer {
    words: String,
    by: By,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum By {
    Queue(Packing, Counting),
    Broker(Box<Policy>),
}

/// What is wrong with the words for a packer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("policy '{words}': {why}")]
pub struct BadPacker {
    /// The words.
    pub words: String,
    /// What is wrong.
    pub why: String,
}

impl Packer {
    /// Runs the jobs of a trial; those that do not fit what a node gives to a task are left out. The auditor may read the broker's journal along.
    pub fn run(&self, trial: &Trial, audit: bool) -> Result<Vec<Packed>, DriveError> {
        match &self.by {
            By::Queue(packing, counting) => {
                let jobs = trial.jobs().iter().copied();
                Ok(pack(&Trial::new(trial.cluster(), jobs, *counting), *packing))
            }
            By::Broker(policy) => {
                let setup = Setup { policy: (**policy).clone(), audit, ..Setup::new(Vec::new()) };
                sell(trial, &setup).map(|(ran, _)| ran)
            }
        }
    }
}

impl fmt::Display for Packer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.words.fmt(f)
    }
}

impl FromStr for Packer {
    type Err = BadPacker;

    fn from_str(words: &str) -> Result<Packer, BadPacker> {
        let bad = |why: String| BadPacker { words: words.to_owned(), why };
        by(words).map(|by| Packer { words: words.to_owned(), by }).map_err(bad)
    }
}

fn by(words: &str) -> Result<By, String> {
    let (name, rest) = words.split_once(':').unwrap_or((words, ""));
    if name == "walras" {
        let mut settings = Vec::new();
        for setting in rest.split(',').filter(|setting| !setting.is_empty()) {
            settings.push(setting.split_once('=').ok_or_else(|| format!("'{setting}' is not KEY=VALUE"))?);
        }
        let policy = policy_of(settings).map_err(|bad| bad.to_string())?;
        return Ok(By::Broker(Box::new(policy)));
    }
    let packing = match name {
        "first-fit" => Packing::FirstFit,
        "best-fit" => Packing::BestFit,
        "easy" => Packing::Easy,
        "conservative" => Packing::Conservative,
        _ => {
            let known = "first-fit, best-fit, easy, conservative or walras";
            return Err(format!("there is no such policy: expected {known}"));
        }
    };
    match words.split_once(':').map(|(_, rest)| rest) {
        None => Ok(By::Queue(packing, Counting::ByResource)),
        Some("units") => Ok(By::Queue(packing, Counting::InUnits)),
        Some(other) => Err(format!("'{other}' is not a setting of it: expected units")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_packers_or_say_what_is_wrong() {
        let read = |words: &str| words.parse::<Packer>().map(|packer| packer.by);
        assert_eq!(read("best-fit"), Ok(By::Queue(Packing::BestFit, Counting::ByResource)));
        assert_eq!(read("easy:units"), Ok(By::Queue(Packing::Easy, Counting::InUnits)));
        assert!(matches!(read("walras:slack=0"), Ok(By::Broker(_))));
        for wrong in ["", "best", "easy:", "easy:cores", "walras:x=1", "walras:slack"] {
            let error = wrong.parse::<Packer>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("policy '{wrong}': ")), "{error}");
        }
    }
}
