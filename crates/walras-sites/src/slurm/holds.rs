//! Holds: what each is in Slurm, and its directory.

use super::SlurmConnector;
use super::amount::Part;
use super::command::{self, Call, Submission, Tag, Wanted, Where};
use super::execute::Slurm;
use super::free::{Snapshot, minutes};
use super::queue::QUEUED;
use super::seen::is_running;
use super::supervise::HoldFile;
use super::units::Taken;
use crate::contract::{Hold, ReservationNumber, SiteError};
use crate::local::part::{PartDirectory, Task};
use crate::local::shared::put_inputs;
use crate::local::{Account, make_directory};
use rustix::process::geteuid;
use std::fs::{OpenOptions, Permissions, set_permissions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, lchown};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use walras_model::{NodeId, Time};

/// A supervisor that was submitted and is not seen is submitted again after this time: by then the controller has saved what it knows.
const SUBMIT_AGAIN: Duration = Duration::from_secs(6);
/// Where a supervisor complains.
const LOG: &str = "supervisor.log";
/// So many supervisors are submitted before it is looked for something else to do.
const SUBMITTED_AT_ONCE: usize = 20;
/// What Slurm starts on a node: the supervisor, whose complaints are kept beside what it supervises.
const SCRIPT: &str = "#!/bin/sh\nexec \"$1\" supervise-hold \"$2\" >>\"$2/supervisor.log\" 2>&1\n";

impl<S: Slurm> SlurmConnector<S> {
    pub(super) fn hold_directory(&self, tag: &Tag) -> PathBuf {
        self.directory.join(tag.number.to_string()).join(tag.place.to_string())
    }

    pub(super) fn script(&self) -> PathBuf {
        self.directory.join("supervise.sh")
    }

    pub(super) fn write_script(&self) -> Result<(), SiteError> {
        let path = self.script();
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o700).open(&path);
        let text = if self.is_queue() { QUEUED } else { SCRIPT };
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| SiteError::file(&path, error))
    }

    /// As whom what is held runs; as the service does, without.
    pub(super) fn account_of(&self, reservation: ReservationNumber) -> Option<Account> {
        let (uid, gid) = self.book.get(reservation)?.account?;
        Some(Account { uid, gid })
    }

    /// The reservation that a hold needs: whole seconds, with its margins; and so many cores, where they are known, of a node that is sold in units.
    pub(super) fn wanted(&self, tag: &Tag, hold: &Hold) -> Option<Wanted> {
        let margin = self.options.margin;
        let node = self.node_name(hold.node?)?.to_owned();
        let share = self.options.units.get(&hold.node?).map(|of| (hold.units, *of));
        let part = share.and_then(|(units, _)| self.part_of(&node, units));
        Some(Wanted {
            share,
            cores: part.map(|part| part.cores),
            name: self.instance.tag(tag),
            node,
            start: (hold.interval.start().as_millis() - margin.before).div_euclid(1_000),
            end: (hold.interval.end().as_millis() + margin.after + 999).div_euclid(1_000),
            user: self.account_of(tag.number).map_or_else(|| geteuid().as_raw(), |account| account.uid),
            over_jobs: false,
        })
    }

    /// What so many units of a node have, by what was last seen.
    fn part_of(&self, node: &str, units: u32) -> Option<Part> {
        let (_, seen) = self.seen.as_ref()?;
        Some(seen.sizes.get(node)?.part(units))
    }

    /// All that is ours on a node, but what was said to be taken.
    pub(super) fn ours_on(&self, node: NodeId) -> Vec<Taken> {
        let mut all = Vec::new();
        for (number, booking) in self.book.iter() {
            for (hold, place) in booking.holds.iter().zip(0..).filter(|(hold, _)| hold.node == Some(node)) {
                let tag = Tag { number, place };
                let wanted = self.wanted(&tag, hold).filter(|_| !self.taken.contains(&tag));
                all.extend(wanted.map(|it| (it.start, it.end, hold.units)));
            }
        }
        all
    }

    /// The holds of a reservation, each with what it needs.
    pub(super) fn all_wanted(&self, reservation: ReservationNumber) -> Vec<(Tag, Hold, Wanted)> {
        let of = |(tag, hold): (Tag, Hold)| {
            let wanted = self.wanted(&tag, &hold)?;
            Some((tag, hold, wanted))
        };
        self.holds_of(reservation).into_iter().filter_map(of).collect()
    }

    /// The hold of that name.
    pub(super) fn hold_at(&self, tag: &Tag) -> Option<&Hold> {
        self.book.get(tag.number)?.holds.get(usize::try_from(tag.place).ok()?)
    }

    /// The holds of a reservation.
    pub(super) fn holds_of(&self, reservation: ReservationNumber) -> Vec<(Tag, Hold)> {
        let holds = self.book.get(reservation).map(|booking| booking.holds.clone()).unwrap_or_default();
        holds.into_iter().zip(0..).map(|(hold, place)| (Tag { number: reservation, place }, hold)).collect()
    }

    /// Submits the supervisors of everything that is confirmed and has none.
    pub(super) fn submit_missing(&mut self, now: Time) -> Result<(), SiteError> {
        if self.is_queue() {
            return self.submit_waiting();
        }
        let kept = |expiry: Option<Time>, leaving: bool| expiry.is_none() && !leaving;
        let numbers =
            self.book.iter().filter(|(_, it)| kept(it.expiry, it.leaving)).map(|(number, _)| number);
        let mut missing = Vec::new();
        for number in numbers.collect::<Vec<_>>() {
            let open = self.all_wanted(number).into_iter().filter(|(_, hold, _)| hold.interval.end() > now);
            missing.extend(open.filter(|(tag, ..)| self.is_unsubmitted(tag)));
        }
        self.submit_due = false;
        if missing.is_empty() {
            return Ok(());
        }
        // What begins first comes first; what is left is submitted at the next poll.
        missing.sort_by_key(|(_, hold, _)| hold.interval.start());
        let more = missing.len() > SUBMITTED_AT_ONCE;
        // Those that a service before this one has submitted are there.
        let snapshot = self.read(self.options.look_every)?;
        for (tag, hold, wanted) in missing.into_iter().take(SUBMITTED_AT_ONCE) {
            if is_running(&snapshot, &wanted.name) || self.is_finished(&tag) {
                self.submitted.insert(tag, (Instant::now(), 1));
                continue;
            }
            self.submit(&snapshot, &tag, &hold, &wanted)?;
        }
        self.submit_due = more;
        Ok(())
    }

    /// Whether a supervisor is to be submitted: none was, or it was a while ago and the look since has not found it.
    pub(super) fn is_unsubmitted(&self, tag: &Tag) -> bool {
        let Some((at, _)) = self.submitted.get(tag) else { return true };
        let name = self.instance.tag(tag);
        let seen = self.seen.as_ref();
        seen.is_some_and(|(seen, it)| *seen > *at + SUBMIT_AGAIN && !is_running(it, &name))
            && !self.is_finished(tag)
    }

    /// Whether everything that was to be started on a hold has ended, and so needs no supervisor.
    pub(super) fn is_finished(&self, tag: &Tag) -> bool {
        let Some(booking) = self.book.get(tag.number) else { return true };
        let mut parts =
            booking.parts.iter().filter(|(_, part)| self.job_tag(tag, part.hold) == *tag).peekable();
        parts.peek().is_some() && parts.all(|(part, _)| self.reported.of(tag.number, *part).end)
    }

    fn submit(
        &mut self,
        snapshot: &Snapshot,
        tag: &Tag,
        hold: &Hold,
        wanted: &Wanted,
    ) -> Result<(), SiteError> {
        let directory = self.make_hold(tag, hold)?;
        let partition = snapshot.partition_of(&wanted.node, &self.options.partitions);
        let place = match (wanted.share, self.part_of(&wanted.node, hold.units)) {
            (None, _) => Where::Reserved(&wanted.node),
            (Some(_), Some(part)) => Where::Part(&wanted.node, part),
            (Some(_), None) => {
                let why = format!("what node {} has is not known", wanted.node);
                return Err(SiteError::NotUnderstood(why));
            }
        };
        let call = command::submit(&Submission {
            name: &wanted.name,
            place,
            partition: partition.map(|it| it.name.as_str()),
            project: self.options.project.as_deref(),
            qos: self.options.qos.as_deref(),
            account: self.account_of(tag.number).map(|account| (account.uid, account.gid)),
            minutes: minutes(wanted.start, wanted.end),
            script: &self.script(),
            arguments: &[&self.options.executable, &directory],
        });
        self.send(tag, &call)
    }

    /// Sends a job of ours to Slurm, and remembers when.
    pub(super) fn send(&mut self, tag: &Tag, call: &Call) -> Result<(), SiteError> {
        let printed = self.call(call)?;
        if !printed.well {
            return Err(SiteError::NotUnderstood(format!("sbatch: {}", printed.wrong)));
        }
        let before = self.submitted.get(tag).map_or(0, |(_, times)| *times);
        self.submitted.insert(tag.clone(), (Instant::now(), before.saturating_add(1)));
        Ok(())
    }

    /// Makes the directory of a hold. Doing it again changes nothing. It stays ours when others run in it: they can neither end the hold nor put
    /// anything in the place of what is there.
    pub(super) fn make_hold(&self, tag: &Tag, hold: &Hold) -> Result<PathBuf, SiteError> {
        let directory = self.hold_directory(tag);
        let account = self.account_of(tag.number);
        let wrong = |error: std::io::Error| SiteError::file(&directory, error);
        if let Some(above) = directory.parent() {
            make_directory(above, account.is_some()).map_err(wrong)?;
        }
        make_directory(&directory, false).map_err(wrong)?;
        let file = match self.is_queue() {
            true => HoldFile { until: i64::MAX, lasts: Some(hold.interval.span().as_millis()) },
            false => HoldFile { until: hold.interval.end().as_millis(), lasts: None },
        };
        let own = PartDirectory(directory.clone());
        own.write_once("hold.json", &file).map_err(wrong)?;
        if let Some(account) = account {
            // Its supervisor looks for parts in it, and must never find it shut: what is open already stays as it is.
            let mode = directory.metadata().map_err(wrong)?.permissions().mode();
            if mode & 0o777 != 0o755 {
                set_permissions(&directory, Permissions::from_mode(0o755)).map_err(wrong)?;
            }
            own.give("hold.json", account).map_err(wrong)?;
            let log = OpenOptions::new().append(true).create(true).mode(0o600).open(directory.join(LOG));
            log.map_err(wrong)?;
            own.give(LOG, account).map_err(wrong)?;
        }
        Ok(directory)
    }

    /// Makes the directory of a part, and that in which its program runs; both are the account's where it has one.
    pub(super) fn make_part(&self, tag: &Tag, part: u32, task: &Task) -> Result<(), SiteError> {
        let directory = self.part_directory(tag.number, tag.place, part);
        let wrong = |error: std::io::Error| directory.wrong(&error);
        make_directory(&directory.0, false).map_err(wrong)?;
        let account = self.account_of(tag.number);
        // Files that come with the job are ours, and its supervisor is the user's: they are put in their place from here.
        let brought = task.brought.clone().filter(|_| account.is_none());
        directory.write_once("task.json", &Task { brought, ..task.clone() }).map_err(wrong)?;
        if let Some(account) = account {
            let work = directory.work_of(Some(task));
            make_directory(&work, false).map_err(wrong)?;
            let owned = Task { uid: Some(account.uid), gid: Some(account.gid), ..task.clone() };
            put_inputs(&owned, &work).map_err(|why| SiteError::file(&work, why))?;
            for own in [&work, &directory.0] {
                lchown(own, Some(account.uid), Some(account.gid)).map_err(wrong)?;
            }
            directory.give("task.json", account).map_err(wrong)?;
        }
        Ok(())
    }
}
