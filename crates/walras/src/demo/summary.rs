//! What came of it: jobs, money, the last plan, and what the auditor says.

use super::jobs::Samples;
use super::people::People;
use crate::client::http::{Client, with_query};
use crate::client::show::{clean, table};
use crate::failure::Failure;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use walras_api::Num;
use walras_api::sentence::{Context, NameList, Setting};
use walras_api::service::{AccountsView, CycleView, ExplanationView, JobView, JobsView, StatusView};
use walras_audit::Auditor;
use walras_service::journal::Journal;
use walras_service::journal::sqlite::SqliteJournal;

/// How many jobs and entries are asked for at a time.
const AT_ONCE: usize = 1_000;
const PAGE: u32 = 200;

/// The last plan that served somebody.
#[derive(Default)]
pub(super) struct Last(Option<CycleView>);

impl Last {
    /// Looks whether there is a newer one.
    pub(super) fn look(&mut self, client: &Client) -> Result<(), Failure> {
        let cycle = client.get("/v1/status")?.view::<StatusView>()?.cycle;
        if cycle.served > 0 && cycle.proof.is_some() {
            self.0 = Some(cycle);
        }
        Ok(())
    }
}

fn all_jobs(client: &Client) -> Result<Vec<JobView>, Failure> {
    let (mut jobs, mut before) = (Vec::new(), None);
    loop {
        let query = [("limit", Some(PAGE.to_string())), ("before", before.map(|job: u64| job.to_string()))];
        let page: JobsView = client.get(&with_query("/v1/jobs", &query))?.view()?;
        jobs.extend(page.jobs);
        match page.next {
            Some(next) => before = Some(next),
            None => return Ok(jobs),
        }
    }
}

/// What came of it.
#[derive(Serialize)]
pub(super) struct Summary {
    /// How many there are.
    jobs: usize,
    /// How many are where.
    states: BTreeMap<&'static str, usize>,
    /// Whether all samples have ended that can.
    ended: bool,
    /// The last plan that served anybody.
    plan: Option<CycleView>,
    /// What became of the quote.
    quote: String,
    users: Vec<Paid>,
    owners: Vec<Earned>,
    /// The job that ran here.
    local: Printed,
    /// The job that cannot fit.
    unfit: ExplanationView,
}

#[derive(Serialize)]
struct Paid {
    user: String,
    jobs: usize,
    paid: Num,
}

#[derive(Serialize)]
struct Earned {
    owner: String,
    earned: Num,
}

#[derive(Serialize)]
struct Printed {
    job: u64,
    /// As far as it has.
    printed: Option<String>,
}

impl Summary {
    /// Asks the service.
    pub(super) fn gather(people: &People, samples: &Samples, last: Last) -> Result<Summary, Failure> {
        let client = &people.administrator;
        let jobs = all_jobs(client)?;
        let mut states = BTreeMap::new();
        for job in &jobs {
            *states.entry(job.state.text()).or_default() += 1;
        }
        let has_ended = |it: &u64| jobs.iter().any(|job| job.job == *it && job.state.is_over());
        let output = client.get(&format!("/v1/jobs/{}/output?part=0", samples.local));
        Ok(Summary {
            jobs: jobs.len(),
            states,
            ended: samples.jobs.iter().all(has_ended),
            plan: last.0,
            quote: samples.quote.clone(),
            users: paid(&jobs),
            owners: earned(client)?,
            local: Printed { job: samples.local, printed: output.ok().map(|answer| answer.text) },
            unfit: client.get(&format!("/v1/jobs/{}/explanation", samples.impossible))?.view()?,
        })
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let states: Vec<String> =
            self.states.iter().map(|(state, count)| format!("{count} {state}")).collect();
        let mut text = format!("\n{} jobs: {}\n", self.jobs, states.join(", "));
        if !self.ended {
            text.push_str("some of the samples have not ended yet: the next start carries on\n");
        }
        text.push_str(&self.plan.as_ref().map_or_else(String::new, plan_line));
        text.push_str(&format!("{}\n\n", self.quote));
        let paid = self.users.iter().map(|it| [it.user.clone(), it.jobs.to_string(), it.paid.to_string()]);
        text.push_str(&table(["user", ">jobs", ">paid"], &paid.collect::<Vec<_>>()));
        let earned = self.owners.iter().map(|it| [it.owner.clone(), it.earned.to_string()]);
        text.push('\n');
        text.push_str(&table(["owner", ">earned"], &earned.collect::<Vec<_>>()));
        if let Printed { job, printed: Some(printed) } = &self.local {
            text.push_str(&format!("\njob {job} ran here and printed: {}\n", clean(printed.trim_end())));
        }
        text.push_str(&unfit_lines(&self.unfit));
        text
    }
}

fn plan_line(cycle: &CycleView) -> String {
    format!(
        "the last plan that served anybody, cycle {}: {} served, {} left out, {}\n",
        cycle.cycle,
        cycle.served,
        cycle.unserved,
        clean(cycle.proof.as_ref().map_or("", |proof| proof.text.as_str()))
    )
}

/// What users paid.
fn paid(jobs: &[JobView]) -> Vec<Paid> {
    let mut paid: BTreeMap<&str, (usize, i64)> = BTreeMap::new();
    for job in jobs {
        let (count, sum) = paid.entry(&job.user).or_default();
        *count += 1;
        *sum = sum.saturating_add(job.charged.millionths().unwrap_or_default());
    }
    let users = paid.into_iter().map(|(user, (jobs, sum))| Paid {
        user: user.to_owned(),
        jobs,
        paid: Num::of_millionths(sum),
    });
    users.collect()
}

/// What owners earned.
fn earned(client: &Client) -> Result<Vec<Earned>, Failure> {
    let accounts: AccountsView = client.get("/v1/accounts")?.view()?;
    let owners = accounts.accounts.into_iter().filter_map(|account| {
        let name =
            account.account.strip_prefix("owner:").or((account.account == "fee").then_some("the VO"))?;
        Some(Earned { owner: name.to_owned(), earned: account.balance })
    });
    Ok(owners.collect())
}

/// What became of the job that could not fit.
fn unfit_lines(view: &ExplanationView) -> String {
    let mut text = format!("\njob {}, which asks for too much, is {}\n", view.job, view.state.text());
    for reason in &view.reasons {
        text.push_str(&format!("  {}\n", clean(&reason.text)));
    }
    for change in &view.changes {
        text.push_str(&format!("  would help: {}\n", clean(&change.text)));
    }
    text
}

/// What the auditor says.
#[derive(Serialize)]
pub(super) struct Audit {
    entries: u64,
    clean: bool,
    findings: Vec<String>,
}

impl Audit {
    /// Fails when it is not clean.
    pub(super) fn verdict(&self) -> Result<(), Failure> {
        if self.clean { Ok(()) } else { Err(Failure::Refuted) }
    }

    /// For people.
    pub(super) fn text(&self, path: &Path) -> String {
        let findings: String = self.findings.iter().map(|finding| format!("{finding}\n")).collect();
        let verdict = if self.clean { "clean: every promise was kept" } else { "not clean" };
        format!("{findings}\naudit of {}: {} entries, {verdict}\n", path.display(), self.entries)
    }
}

/// Reads the journal with the auditor, who trusts nobody.
pub(super) fn audit(path: &Path) -> Result<Audit, Failure> {
    let wrong = |error| Failure::Input(format!("{}: {error}", path.display()));
    let mut journal = SqliteJournal::open_to_read(path).map_err(wrong)?;
    let (mut auditor, mut position, mut findings) = (Auditor::default(), 0_u64, Vec::new());
    let mut names = NameList::default();
    loop {
        let entries = journal.read(position, AT_ONCE).map_err(wrong)?;
        if entries.is_empty() {
            break;
        }
        for entry in &entries {
            position += 1;
            entry.events.iter().for_each(|event| names.take(event));
            let context = Context::new(&names, Setting::Service);
            findings.extend(auditor.entry(position, entry).iter().map(|it| context.finding(it)));
        }
    }
    Ok(Audit { entries: position, clean: findings.is_empty(), findings })
}
