//! Asking a cluster: no more often than it answers, and once for all who want to know.

use super::SlurmConnector;
use super::command::{self, Call};
use super::execute::{self, Printed, Slurm};
use super::free::Snapshot;
use super::parse;
use super::partition;
use super::settings::{Settings, settings};
use super::units::Size;
use crate::contract::SiteError;
use std::sync::Arc;
use std::time::{Duration, Instant};

impl<S: Slurm> SlurmConnector<S> {
    /// Runs a program of Slurm's, unless the controller has just been silent.
    pub(super) fn call(&mut self, call: &Call) -> Result<Printed, SiteError> {
        if let Some(why) = self.wrong.as_ref().filter(|_| !self.backoff.is_due(Instant::now())) {
            return Err(why.clone());
        }
        let printed = self.slurm.run(call);
        match &printed {
            Err(why @ SiteError::Unreachable(_)) => {
                self.backoff.failed(Instant::now());
                self.wrong = Some(why.clone());
            }
            Err(why) => self.wrong = Some(why.clone()),
            Ok(_) => {
                self.backoff.went_well();
                self.wrong = None;
            }
        }
        printed
    }

    /// One of the calls that only look.
    fn ask(&mut self, call: &Call) -> Result<Vec<u8>, SiteError> {
        let printed = self.call(call)?;
        if printed.well {
            return Ok(printed.out);
        }
        let wrong = match execute::is_denied(&printed.wrong) {
            true => SiteError::Denied(printed.wrong),
            false => SiteError::NotUnderstood(format!("{}: {}", call.program, printed.wrong)),
        };
        self.wrong = Some(wrong.clone());
        Err(wrong)
    }

    /// What the cluster says, no older than that.
    pub(super) fn read(&mut self, oldest: Duration) -> Result<Arc<Snapshot>, SiteError> {
        if let Some((_, snapshot)) = self.seen.as_ref().filter(|(at, _)| at.elapsed() <= oldest) {
            return Ok(snapshot.clone());
        }
        let at = Instant::now();
        let nodes = parse::nodes(&self.ask(&command::nodes())?);
        let partitions = partition::partitions(&self.ask(&command::partitions())?);
        let jobs = match self.options.units.is_empty() {
            true => parse::jobs(&self.ask(&command::jobs())?),
            false => parse::jobs_with_uses(&self.ask(&command::jobs_with_uses())?),
        };
        let reservations = parse::reservations(&self.ask(&command::reservations())?);
        let snapshot = self.sized(Snapshot::new(nodes, partitions, jobs, reservations))?;
        if snapshot.left_out != self.left_out {
            self.left_out.clone_from(&snapshot.left_out);
            tracing::warn!(left_out = ?snapshot.left_out, blocked = ?snapshot.blocked, "Slurm says what is not understood");
        }
        self.seen = Some((at, snapshot.clone()));
        Ok(snapshot)
    }

    /// The same with what nodes that are sold in units have. One that cannot be divided as it should be is left out, and not sold.
    fn sized(&mut self, mut snapshot: Snapshot) -> Result<Arc<Snapshot>, SiteError> {
        if self.options.units.is_empty() {
            return Ok(Arc::new(snapshot));
        }
        let counts_memory = self.settings()?.counts_memory();
        for (number, name) in &self.options.nodes {
            let Some((units, seen)) = self.options.units.get(number).zip(snapshot.nodes.get(name)) else {
                continue;
            };
            match Size::of(seen, *units, counts_memory) {
                Ok(size) => {
                    snapshot.sizes.insert(name.clone(), size);
                }
                Err(wrong) => snapshot.left_out.push(wrong),
            }
        }
        Ok(Arc::new(snapshot))
    }

    /// What is wrong with the cluster at the moment.
    pub(super) fn in_trouble(&self) -> Option<SiteError> {
        let blocked = || self.seen.as_ref().and_then(|(_, seen)| seen.blocked.clone());
        self.wrong.clone().or_else(|| blocked().map(SiteError::NotUnderstood))
    }

    pub(super) fn settings(&mut self) -> Result<Settings, SiteError> {
        if let Some(settings) = &self.settings {
            return Ok(settings.clone());
        }
        let settings = settings(&self.ask(&command::settings())?);
        self.settings = Some(settings.clone());
        Ok(settings)
    }
}
