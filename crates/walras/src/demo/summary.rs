//! What came of it: jobs, money, the last plan, and what the auditor says.

use super::jobs::Samples;
use super::people::People;
use crate::client::http::{Client, with_query};
use crate::client::show::{clean, table};
use crate::failure::Failure;
use crate::files;
use std::collections::BTreeMap;
use std::path::Path;
use walras_api::Num;
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

/// The summary.
pub(super) fn text(people: &People, samples: &Samples, last: &Last) -> Result<String, Failure> {
    let client = &people.administrator;
    let jobs = all_jobs(client)?;
    let mut states: BTreeMap<&str, usize> = BTreeMap::new();
    for job in &jobs {
        *states.entry(job.state.text()).or_default() += 1;
    }
    let states: Vec<String> = states.iter().map(|(state, count)| format!("{count} {state}")).collect();
    let mut text = format!("\n{} jobs: {}\n", jobs.len(), states.join(", "));
    if !samples.jobs.iter().all(|it| jobs.iter().any(|job| job.job == *it && job.state.is_over())) {
        text.push_str("some of the samples have not ended yet: the next start carries on\n");
    }
    text.push_str(&plan_line(last));
    text.push_str(&format!("{}\n\n", samples.quote));
    text.push_str(&money(client, &jobs)?);
    text.push_str(&printed(client, samples.local));
    text.push_str(&unfit(client, samples.impossible)?);
    Ok(text)
}

fn plan_line(last: &Last) -> String {
    last.0.as_ref().map_or_else(String::new, |cycle| {
        let proof = cycle.proof.as_deref().unwrap_or_default();
        format!(
            "the last plan that served anybody, cycle {}: {} served, {} left out, {}\n",
            cycle.cycle,
            cycle.served,
            cycle.unserved,
            clean(proof)
        )
    })
}

/// What users paid and owners earned.
fn money(client: &Client, jobs: &[JobView]) -> Result<String, Failure> {
    let mut paid: BTreeMap<&str, (usize, i64)> = BTreeMap::new();
    for job in jobs {
        let (count, sum) = paid.entry(&job.user).or_default();
        *count += 1;
        *sum = sum.saturating_add(job.charged.millionths().unwrap_or_default());
    }
    let rows = paid.iter().map(|(user, (count, sum))| {
        [(*user).to_owned(), count.to_string(), Num::of_millionths(*sum).to_string()]
    });
    let mut text = table(["user", ">jobs", ">paid"], &rows.collect::<Vec<_>>());
    let accounts: AccountsView = client.get("/v1/accounts")?.view()?;
    let earned = accounts.accounts.iter().filter_map(|account| {
        let name =
            account.account.strip_prefix("owner:").or((account.account == "fee").then_some("the VO"))?;
        Some([name.to_owned(), account.balance.to_string()])
    });
    text.push('\n');
    text.push_str(&table(["owner", ">earned"], &earned.collect::<Vec<_>>()));
    Ok(text)
}

/// What the local command printed, as far as it has.
fn printed(client: &Client, job: u64) -> String {
    let output = client.get(&format!("/v1/jobs/{job}/output?part=0")).map(|answer| answer.text);
    output.map_or_else(
        |_| String::new(),
        |text| format!("\njob {job} ran here and printed: {}\n", clean(text.trim_end())),
    )
}

/// What became of the job that could not fit.
fn unfit(client: &Client, job: u64) -> Result<String, Failure> {
    let view: ExplanationView = client.get(&format!("/v1/jobs/{job}/explanation"))?.view()?;
    let mut text = format!("\njob {job}, which asks for too much, is {}\n", view.state.text());
    for reason in &view.reasons {
        text.push_str(&format!("  {}\n", clean(reason)));
    }
    for change in &view.changes {
        text.push_str(&format!("  would help: {}\n", clean(&change.text)));
    }
    Ok(text)
}

/// Reads the journal with the auditor, who trusts nobody.
pub(super) fn audit(path: &Path) -> Result<(), Failure> {
    let wrong = |error| Failure::Input(format!("{}: {error}", path.display()));
    let mut journal = SqliteJournal::open_to_read(path).map_err(wrong)?;
    let (mut auditor, mut position, mut findings) = (Auditor::default(), 0_u64, 0_usize);
    loop {
        let entries = journal.read(position, AT_ONCE).map_err(wrong)?;
        if entries.is_empty() {
            break;
        }
        for entry in &entries {
            position += 1;
            for finding in auditor.entry(position, entry) {
                findings += 1;
                files::print(&format!("{finding}\n"))?;
            }
        }
    }
    let verdict = if findings == 0 { "clean: every promise was kept" } else { "not clean" };
    files::print(&format!("\naudit of {}: {position} entries, {verdict}\n", path.display()))?;
    if findings == 0 { Ok(()) } else { Err(Failure::Refuted) }
}
