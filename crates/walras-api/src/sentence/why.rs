//! Why a job is not running, or not running any more; and what users are told of their jobs.

use super::files::link_text;
use super::likely::span_text;
use super::{Context, credits, listed, sentence};
use crate::error::echo;
use crate::service::Stamp;
use std::collections::BTreeSet;
use std::fmt;
use walras_broker::account::{Account, Unpayable};
use walras_broker::array::ArrayCounts;
use walras_broker::budget::{Overspent, Spender};
use walras_broker::gate::{Condition, Dependency, Waits};
use walras_broker::id::JobNumber;
use walras_broker::job::{JobEnd, OutputFault, PartEnd, SiteRefusal, Why};
use walras_broker::notice::News;
use walras_broker::used::Used;
use walras_core::agenda::Promise;
use walras_model::quantity::rounding;

impl Context<'_> {
    /// Why a job is where it is, in a sentence or two.
    pub fn why(&self, why: &Why) -> String {
        match why {
            Why::NoFit(explanation) => self.no_fit(explanation),
            Why::OverQuota => "An owner's quota left no window for the job in this cycle.".to_owned(),
            Why::NodesHad { had, most } => {
                format!(
                    "Workflows of its user have {had} of the {most} nodes or units of nodes that they may have at a time, now or later."
                )
            }
            Why::LeftOut => "The VO's limits left no window for the job in this cycle.".to_owned(),
            Why::MakingRoom(job) => format!("Room is made for job {job}, which has waited too long."),
            Why::Unassigned(why) => self.unassigned(why),
            Why::NotAdmitted => "The owners' rules of access admit the job nowhere.".to_owned(),
            Why::NoMoney(why) => sentence(&unpayable_text(why)),
            Why::OverBudget(why) => sentence(&overspent_text(why)),
            Why::Outdated(wrong) => {
                let told: BTreeSet<String> = wrong.iter().map(|it| self.mismatch(it)).collect();
                let told: Vec<String> = told.into_iter().collect();
                format!("The plan does not hold any more: {}.", told.join("; "))
            }
            Why::Refused { site, refusal } => {
                format!("Site {} refused: {}.", self.site(*site), site_refusal_text(*refusal))
            }
            Why::Silent(sites) => {
                // A site may have held several pieces of it.
                let mut names: Vec<String> = sites.iter().map(|site| self.site(*site)).collect();
                names.dedup();
                let noun = if names.len() == 1 { "Site" } else { "Sites" };
                format!("{noun} {} did not answer in time.", listed(&names))
            }
            Why::NodeLost(node) => format!("Node {} failed.", self.node(*node)),
            Why::SiteLost(site) => format!("Site {} failed.", self.site(*site)),
            Why::TakenBack(node) => format!("The owner of node {} needed it.", self.node(*node)),
            Why::PartEnded { part, end } => format!("{} {}.", self.part(*part), part_end_text(*end)),
            Why::Late => "A task took so long that the others do not fit any more.".to_owned(),
            Why::StartMissed => "The moment to start was missed.".to_owned(),
            Why::NotBrought { task, to, fault } => self.not_brought(task, *to, fault),
            Why::NoOutput { part, file, fault } => {
                format!("{} ended without its output: {}.", self.part(*part), output_text(Some(file), *fault))
            }
            Why::FilesLost(_) => {
                "The files of a task could not be brought to where they are read.".to_owned()
            }
            Why::NotPlanned => "Planning took too long.".to_owned(),
            Why::DeadlinePassed => "The deadline cannot be kept any more.".to_owned(),
            Why::TooOften(last) => {
                format!("Given up after too many failures; the last: {}", self.why(last))
            }
            Why::Cancelled => "Its user cancelled it.".to_owned(),
            Why::NotTaken => "It was held for a quote, and not taken.".to_owned(),
            Why::Waits(waits) => waits_text(waits),
            Why::Elements(counts) => elements_text(counts),
            Why::NeverMet(on) => never_text(on),
        }
    }

    /// How a job ended, in a sentence or two.
    pub fn job_end(&self, job: impl fmt::Display, end: &JobEnd) -> String {
        match end {
            JobEnd::Done => format!("Job {job} is done."),
            JobEnd::Failed(why) => format!("Job {job} failed. {}", self.why(why)),
            JobEnd::Cancelled => format!("Job {job} was cancelled."),
            JobEnd::GivenUp(why) => format!("Job {job} was given up. {}", self.why(why)),
        }
    }

    /// What a user is told of a job.
    pub fn news(&self, job: JobNumber, news: &News) -> String {
        match news {
            News::Promised { start, promise, renewed } => {
                let (start, by) = (self.moment(*start), promised(promise));
                let lost = if *renewed { "What it was promised before cannot be kept. " } else { "" };
                format!("{lost}Job {job} {by}. By the plan of now it starts at {start}.")
            }
            News::Held { sites, start, end, cost } => {
                let names: Vec<String> = sites.iter().map(|site| self.site(*site)).collect();
                let (start, end) = (self.moment(*start), self.moment(*end));
                let (place, cost) = (listed(&names), credits(*cost));
                format!("Job {job} runs from {start} to {end} on {place} for at most {cost}.")
            }
            News::Begun => format!("Job {job} has begun."),
            News::ReservationLost(why) => format!("Job {job} lost its reservation. {}", self.why(why)),
            News::Rescheduled(why) => format!("Tasks of job {job} got other times. {}", self.why(why)),
            News::Ended(end) => self.job_end(job, end),
        }
    }
}

/// What a job is promised, as the rest of a sentence about it.
pub(super) fn promised(promise: &Promise) -> String {
    let (start, finish) = (Stamp::from(promise.start), Stamp::from(promise.finish));
    format!("starts by {start} and ends by {finish} for at most {}", credits(promise.cost))
}

/// How a part ended, as the rest of a sentence about it.
pub fn part_end_text(end: PartEnd) -> String {
    match end {
        PartEnd::Done => "ended well".to_owned(),
        PartEnd::Failed(code) => format!("failed with code {code}"),
        PartEnd::TimedOut => "needed more time than it had".to_owned(),
        PartEnd::Lost => "was lost with its node".to_owned(),
        PartEnd::TakenBack => "had to make way for its owner".to_owned(),
        PartEnd::Vanished => "vanished: what watched over it was ended while its machine went on".to_owned(),
        PartEnd::NoOutput { fault, .. } => format!("ended without its output: {}", output_text(None, fault)),
        PartEnd::OutOfMemory { limit } => {
            format!("used more than the {} that its share of the node has", memory_text(limit))
        }
    }
}

/// The same, with what it used where that is known.
pub fn part_ended_text(end: PartEnd, used: Option<Used>) -> String {
    let processor = used.and_then(|used| used.processor);
    let processor = processor.map(|it| format!("{} of processor time", span_text(it)));
    let memory = used.and_then(|used| used.memory);
    let memory = memory.map(|bytes| format!("at most {} of memory", about_memory_text(bytes)));
    let used: Vec<String> = processor.into_iter().chain(memory).collect();
    let used = if used.is_empty() { used.concat() } else { format!("; it used {}", used.join(" and ")) };
    part_end_text(end) + &used
}

/// About how much memory that is, as people say it.
fn about_memory_text(bytes: u64) -> String {
    let tenths = |unit: u32| rounding::up(i128::from(bytes) * 10, 1 << unit);
    let text = |tenths: i128, unit: &str| format!("{}.{} {unit}", tenths / 10, tenths % 10);
    if bytes < 1 << 30 { text(tenths(20), "MB") } else { text(tenths(30), "GB") }
}

/// An amount of memory as people say it.
fn memory_text(bytes: u64) -> String {
    let of = |unit: u32| (bytes > 0 && bytes.trailing_zeros() >= unit).then_some(bytes >> unit);
    match (of(30), of(20)) {
        (Some(gigabytes), _) => format!("{gigabytes} GB"),
        (None, Some(megabytes)) => format!("{megabytes} MB"),
        (None, None) => format!("{} MB", bytes.div_ceil(1 << 20)),
    }
}

/// What is wrong with a file that a task should have written.
fn output_text(file: Option<&str>, fault: OutputFault) -> String {
    let file = file.map_or_else(|| "a file".to_owned(), echo);
    match fault {
        OutputFault::NotThere => format!("{file} is not there"),
        OutputFault::Directory => format!("{file} is a directory, and no file"),
        OutputFault::Special => format!("{file} is no plain file, but a pipe, a socket or a device"),
        OutputFault::Link => link_text(&file),
        OutputFault::Refused => format!("the system does not let anybody look at {file}"),
    }
}

fn site_refusal_text(refusal: SiteRefusal) -> &'static str {
    match refusal {
        SiteRefusal::Busy => "its time is taken",
        SiteRefusal::Expired => "its hold had expired",
        SiteRefusal::PriceChanged => "its price has changed",
        SiteRefusal::Unknown => "it knows of no such reservation",
        SiteRefusal::Unwilling => "its owner does not take the job",
        SiteRefusal::NoAccount => "it has no account for you",
        SiteRefusal::TakenBack => "its owner needs that part of the node",
    }
}

/// Why a transaction cannot be posted, as a clause.
pub(super) fn unpayable_text(why: &Unpayable) -> String {
    match why {
        Unpayable::Unbalanced => "the postings do not sum to zero".to_owned(),
        Unpayable::Short { account, available, needed } => {
            let available = credits(*available);
            format!("{} has {available} available, and {needed} are needed", account_text(account))
        }
        Unpayable::NoAccount(account) => format!("{} does not exist", account_text(account)),
        Unpayable::Overflow => "the amounts are too large to be summed".to_owned(),
    }
}

/// Why a budget does not allow a lien, as a clause.
pub(super) fn overspent_text(why: &Overspent) -> String {
    let Overspent { spender, left, needed } = why;
    let needed = credits(*needed);
    format!("{needed} are needed, and the budget of {} has {left} left in this period", spender_text(spender))
}

/// An account as people call it.
pub fn account_text(account: &Account) -> String {
    match account {
        Account::World => "the account of the outside world".to_owned(),
        Account::Held => "the account of held money".to_owned(),
        Account::Fee => "the account of the VO's fees".to_owned(),
        Account::User(name) => format!("the account of user {name}"),
        Account::Owner(name) => format!("the account of owner {name}"),
    }
}

/// Whose budget, as people call them.
pub fn spender_text(spender: &Spender) -> String {
    match spender {
        Spender::User(name) => format!("user {name}"),
        Spender::Group(name) => format!("group {name}"),
        Spender::Vo => "the VO".to_owned(),
    }
}

/// How the elements of an array ended, of which not all ended well.
fn elements_text(counts: &ArrayCounts) -> String {
    let all = [
        (counts.failed, "failed"),
        (counts.given_up, "given up"),
        (counts.cancelled, "cancelled"),
        (counts.done, "done"),
    ];
    let told = all.into_iter().filter(|(count, _)| *count > 0);
    let told: Vec<String> = told.map(|(count, how)| format!("{count} {how}")).collect();
    format!("Not all of its elements ended well: {}.", listed(&told))
}

/// What must become of another job, as the rest of a sentence about whoever waits for it.
fn awaited_text(on: &Dependency) -> String {
    let becomes = match on.condition {
        Condition::Ok => "to end well",
        Condition::Any => "to end",
        Condition::Failed => "to fail",
        Condition::Started => "to start",
    };
    format!("job {} {becomes}", on.on)
}

fn never_text(on: &Dependency) -> String {
    format!("It waits for {}, which cannot be any more.", awaited_text(on))
}

/// What a job waits for, in a sentence or two.
fn waits_text(waits: &Waits) -> String {
    /// So many are named; of the others it is said how many they are.
    const NAMED: usize = 5;
    let all = waits.on.iter().map(|(_, on)| awaited_text(on));
    let mut things: Vec<String> = all.take(NAMED).collect();
    let more = waits.on.len().saturating_sub(NAMED);
    things.extend((more > 0).then(|| format!("{more} other jobs")));
    things.extend(waits.singleton.then(|| "earlier jobs of its name".to_owned()));
    things.extend(waits.held.then(|| "its user to release it".to_owned()));
    let waits_for =
        if things.is_empty() { String::new() } else { format!("It waits for {}.", listed(&things)) };
    let never = waits.never.as_ref().map(never_text);
    let parts = [Some(waits_for).filter(|it| !it.is_empty()), never];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}
