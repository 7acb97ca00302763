//! `walras audit`

use crate::failure::Failure;
use crate::{files, journal};
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;
use walras_api::sentence::{Context, NameList, Setting, summary_text};
use walras_audit::{Auditor, Finding};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The journal: a file of lines, or the file or data directory of a service, which may be running
    journal: PathBuf,

    /// Print what was found as JSON
    #[arg(long)]
    json: bool,
}

/// At most so many findings are printed.
const FINDINGS_MAX: usize = 1_000;

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut entries = journal::open(&args.journal, None)?;
    let mut auditor = Auditor::default();
    let mut findings: Vec<Finding> = Vec::new();
    let mut names = NameList::default();
    while let Some(entry) = entries.entry()? {
        entry.events.iter().for_each(|event| names.take(event));
        findings.extend(auditor.entry(entries.number(), &entry));
        if findings.len() >= FINDINGS_MAX {
            break;
        }
    }
    let context = Context::new(&names, Setting::Service);
    let mut text = String::new();
    if args.json {
        let all: Vec<String> = findings.iter().map(|finding| context.finding(finding)).collect();
        let summary = serde_json::to_value(auditor.finish()).map_err(Failure::fault)?;
        let report = json!({
            "schema": "walras.audit/1", "clean": all.is_empty(), "findings": all, "summary": summary,
        });
        let _ = writeln!(text, "{report:#}");
    } else {
        for finding in &findings {
            let _ = writeln!(text, "{}", context.finding(finding));
        }
        let summary = auditor.finish();
        let _ = writeln!(text, "{}", summary_text(&summary));
        let verdict = match (findings.is_empty(), summary.promises_renewed) {
            (true, 0) => "clean: every promise was kept",
            (true, _) => "clean: every promise was kept or, where that could not be, given anew",
            (false, _) => "not clean",
        };
        let _ = writeln!(text, "{verdict}");
    }
    files::print(&text)?;
    if findings.is_empty() { Ok(()) } else { Err(Failure::Refuted) }
}
