//! Every reader of Walras, fed with anything.
//!
//! A reader must answer whatever it is given: with what it read, or with an error that says where and what is wrong in one
//! line of plain characters. Each function here reads bytes so, panics where that does not hold, and says whether they
//! were accepted. `fuzz/` makes targets for `cargo fuzz` of them, with `seeds/` as their first corpus; the tests of this crate
//! feed them mutated seeds, a bounded number of them.
//!
//! A new file format gets a function, a line in [`READERS`], a seed and a target.
//!
//! ```
//! let (name, read) = walras_fuzz::READERS[0];
//! assert_eq!(name, "choices");
//! assert!(!read(b"\xffanything"), "refused, and without a panic");
//! ```

use jiff::tz::TimeZone;
use walras_api::service::{
    JobDraft, PolicyFile, PricesFile, Submitter, WishFile, read_job, read_object, read_script,
};
use walras_api::{
    JournalReader, ReadError, Syntax, WorkflowFormat, read_choices, read_orlib_gap, read_plan, read_runnable,
    read_scenario, read_workflow, workflow_json,
};
use walras_broker::policy::Policy;
use walras_model::Time;
use walras_service::config::Config;
use walras_service::journal::decode;
use walras_sim::config::read_config;
use walras_sim::experiment::Experiment;
use walras_sim::outage::read_outages;
use walras_sim::study::{PriceList, Sweep, read_sites, sites_of};
use walras_sim::table::Table;
use walras_sim::trace::read_swf;
use walras_sim::workload::{GwfJobs, read_jobs};
use walras_sites::slurm::parse;
use walras_sites::slurm::settings::settings;

/// A reader: whether it accepted the bytes.
pub type Reader = fn(&[u8]) -> bool;

/// All of them, by the names of their targets and of the directories of their seeds.
pub const READERS: &[(&str, Reader)] = &[
    ("choices", choices),
    ("config", config),
    ("entry", entry),
    ("experiment", experiment),
    ("gwf", gwf),
    ("job", job),
    ("journal", journal),
    ("orlib", orlib),
    ("outages", outages),
    ("plan", plan),
    ("policy", policy),
    ("price_list", price_list),
    ("prices", prices),
    ("runnable", runnable),
    ("scenario", scenario),
    ("script", script),
    ("site_table", site_table),
    ("slurm", slurm),
    ("sweep", sweep),
    ("swf", swf),
    ("wish", wish),
    ("workflow_dax", workflow_dax),
    ("workflow_stg", workflow_stg),
    ("workflow_wfcommons", workflow_wfcommons),
    ("workflow_yaml", workflow_yaml),
    ("workload", workload),
];

/// The name of every file that is read here.
const SOURCE: &str = "some.file";

/// When files are read: somewhen in 2026.
const NOW: i64 = 1_767_225_600_000;

/// The longest sentence that anybody would read.
const SENTENCE_MAX: usize = 1_000;

/// A refusal names the file, and is one line that a terminal can show.
fn one_line(text: &str) {
    assert!(text.starts_with(SOURCE), "{text:?} does not name the file");
    assert!(!text.chars().any(char::is_control), "{text:?} is more than a line of text");
    assert!(text.chars().count() < SENTENCE_MAX, "{text:?} is too long");
}

fn accepted<T>(result: Result<T, ReadError>) -> Option<T> {
    let refused = |error: &ReadError| {
        one_line(&error.to_string());
        assert!(!error.problem.is_empty(), "{error:?} says nothing");
    };
    result.inspect_err(refused).ok()
}

/// Both syntaxes, one after the other.
fn either<T>(read: impl Fn(Syntax) -> Result<T, ReadError>) -> Option<T> {
    let json = accepted(read(Syntax::Json));
    let yaml = accepted(read(Syntax::Yaml));
    json.or(yaml)
}

/// `scenario/1`.
pub fn scenario(bytes: &[u8]) -> bool {
    either(|syntax| read_scenario(bytes, SOURCE, syntax)).is_some()
}

/// `plan/1`.
pub fn plan(bytes: &[u8]) -> bool {
    accepted(read_plan(bytes, SOURCE)).is_some()
}

/// What somebody chose.
pub fn choices(bytes: &[u8]) -> bool {
    either(|syntax| read_choices(bytes, SOURCE, syntax)).is_some()
}

/// A workflow that was read can be written and read again, and is the same.
fn workflow(bytes: &[u8], format: WorkflowFormat) -> bool {
    let Some(workflow) = accepted(read_workflow(bytes, SOURCE, format)) else { return false };
    let text = workflow_json(&workflow).to_string();
    let again = read_workflow(text.as_bytes(), SOURCE, WorkflowFormat::Json);
    assert!(again.as_ref() == Ok(&workflow), "{again:?} is not {workflow:?}");
    true
}

/// `workflow/1`.
pub fn workflow_yaml(bytes: &[u8]) -> bool {
    workflow(bytes, WorkflowFormat::Yaml)
}

/// WfCommons.
pub fn workflow_wfcommons(bytes: &[u8]) -> bool {
    workflow(bytes, WorkflowFormat::Json)
}

/// Pegasus DAX.
pub fn workflow_dax(bytes: &[u8]) -> bool {
    workflow(bytes, WorkflowFormat::Dax)
}

/// Standard Task Graphs.
pub fn workflow_stg(bytes: &[u8]) -> bool {
    workflow(bytes, WorkflowFormat::Stg)
}

/// The OR-Library's generalised assignment problems.
pub fn orlib(bytes: &[u8]) -> bool {
    accepted(read_orlib_gap(bytes, SOURCE)).is_some()
}

/// Traces in the Standard Workload Format; lines that cannot be read are listed, not refused.
pub fn swf(bytes: &[u8]) -> bool {
    let trace = read_swf(bytes);
    !trace.jobs.is_empty()
}

/// `job/1`: as a client reads it, and as the service reads what the client sends.
pub fn job(bytes: &[u8]) -> bool {
    let draft = either(|syntax| JobDraft::read(bytes, SOURCE, syntax));
    draft.is_some_and(sent)
}

/// Batch scripts with `#SBATCH` and like lines.
pub fn script(bytes: &[u8]) -> bool {
    accepted(read_script(bytes, SOURCE, &Submitter::in_zone(TimeZone::UTC), &[])).is_some_and(sent)
}

/// What a client sends is JSON that the service can read, whatever it then says to it.
fn sent(draft: JobDraft) -> bool {
    // A name of another file, which is not here.
    if draft.workflow_file().is_some() {
        return true;
    }
    let Some(body) = Time::from_millis(NOW).and_then(|now| accepted(draft.finish(now))) else { return false };
    let Some(job) = accepted(read_job(body.to_string().as_bytes(), SOURCE)) else {
        return false;
    };
    accepted(job.check(SOURCE)).is_some()
}

/// Changes of the VO's rules.
pub fn policy(bytes: &[u8]) -> bool {
    let Some(value) = either(|syntax| read_object(bytes, SOURCE, syntax)) else { return false };
    let Ok(file) = serde_json::from_value::<PolicyFile>(value) else { return false };
    accepted(file.apply(&Policy::default(), SOURCE)).is_some()
}

/// Owners' prices.
pub fn prices(bytes: &[u8]) -> bool {
    let Some(value) = either(|syntax| read_object(bytes, SOURCE, syntax)) else { return false };
    let Ok(file) = serde_json::from_value::<PricesFile>(value) else { return false };
    accepted(file.rules(SOURCE)).is_some()
}

/// `walras.toml`.
pub fn config(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    Config::parse(text, SOURCE).inspect_err(|error| one_line(&error.to_string())).is_ok()
}

/// Journals as text, entry by entry.
pub fn journal(bytes: &[u8]) -> bool {
    let Some(mut reader) = accepted(JournalReader::new(bytes, SOURCE)) else { return false };
    loop {
        match accepted(reader.entry()) {
            None => return false,
            Some(None) => return true,
            Some(Some(_)) => {}
        }
    }
}

/// Entries as the service keeps them.
pub fn entry(bytes: &[u8]) -> bool {
    decode(1, walras_broker::journal::VERSION, bytes).is_ok()
}

/// Workflows in every format with what their tasks run.
pub fn runnable(bytes: &[u8]) -> bool {
    let formats = [WorkflowFormat::Yaml, WorkflowFormat::Json, WorkflowFormat::Dax, WorkflowFormat::Stg];
    formats.map(|format| accepted(read_runnable(bytes, SOURCE, format)).is_some()).contains(&true)
}

/// What an owner or the administrator wants of plans.
pub fn wish(bytes: &[u8]) -> bool {
    let Some(value) = either(|syntax| read_object(bytes, SOURCE, syntax)) else { return false };
    let Ok(file) = serde_json::from_value::<WishFile>(value) else { return false };
    accepted(file.wish(SOURCE)).is_some()
}

/// Traces in the Grid Workload Format, of either dialect; lines that cannot be read are counted.
pub fn gwf(bytes: &[u8]) -> bool {
    GwfJobs::new(bytes).count() > 0
}

/// Workloads that somebody wrote.
pub fn workload(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| read_jobs(text).is_ok_and(|jobs| !jobs.is_empty()))
}

/// Tables of sites for the simulator.
pub fn site_table(bytes: &[u8]) -> bool {
    read_sites(Table::new(bytes), &PriceList::default()).is_ok_and(|sites| !sites.is_empty())
}

/// Price lists of instances.
pub fn price_list(bytes: &[u8]) -> bool {
    PriceList::default().read(Table::new(bytes)).is_ok_and(|rows| rows > 0)
}

/// Outages of two sites of a hundred nodes each.
pub fn outages(bytes: &[u8]) -> bool {
    let sites = sites_of("north:100,south:100", &PriceList::default(), 1).expect("these are sites");
    read_outages(Table::new(bytes), &sites).is_ok_and(|outages| !outages.is_empty())
}

/// Configurations of the papers' experiments: whichever takes it.
pub fn experiment(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    Experiment::ALL.map(|experiment| experiment.check(text).is_ok()).contains(&true)
}

/// What a sweep of simulations varies.
pub fn sweep(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    read_config::<Sweep>(text).is_ok_and(|sweep| sweep.points().len() > 1)
}

/// What Slurm prints, as any of the things that it prints; what cannot be read is left out.
pub fn slurm(bytes: &[u8]) -> bool {
    let read = [
        !parse::nodes(bytes).items.is_empty(),
        !parse::reservations(bytes).items.is_empty(),
        !parse::jobs(bytes).items.is_empty(),
        !parse::jobs_with_uses(bytes).items.is_empty(),
    ];
    settings(bytes);
    read.contains(&true)
}
