//! `job`: everything about one.

use super::columns::elements_text;
use super::http::{Client, encode};
use super::say::say;
use super::settings::Connect;
use super::show::{clean, or_dash, table, time, time_or, told};
use crate::failure::Failure;
use walras_api::service::{JobView, LikelyView, Meant, PartView, PromiseView, UsedView};

#[derive(clap::Args)]
pub(crate) struct OneArgs {
    /// The job's number, or an element of an array: 17 or 18_3; 18_[5-9], as lists show it, is the array
    pub(super) job: Meant,
    #[command(flatten)]
    pub(super) connect: Connect,
}

impl OneArgs {
    /// The job in an address.
    pub(super) fn path(&self) -> String {
        encode(&self.job.to_string())
    }
}

pub(crate) fn one(args: &OneArgs) -> Result<(), Failure> {
    let answer = Client::of(&args.connect)?.get(&format!("/v1/jobs/{}", args.path()))?;
    say(&args.connect, &answer, job_text)
}

fn job_text(job: &JobView) -> String {
    let kind = if job.workflow { " (workflow)" } else { "" };
    let mut rows: Vec<(&str, String)> = vec![
        ("job", format!("{} {}{kind}", job.id, job.name)),
        ("user", job.user.clone()),
        ("state", job.state.text().to_owned()),
        ("tasks", job.tasks.to_string()),
        ("queued", time(job.queued_at)),
        ("start", starts(job)),
        ("finish", time_or(job.finish)),
        ("deadline", time_or(job.deadline)),
        ("budget", or_dash(job.budget.as_ref())),
        ("held", job.held.to_string()),
        ("charged", job.charged.to_string()),
        ("sites", job.sites.join(", ")),
        ("attempts", job.attempts.to_string()),
    ];
    rows.extend(job.strategy.as_ref().map(|strategy| ("strategy", strategy.text())));
    rows.extend(job.array.as_ref().map(|array| ("array", array.elements.clone())));
    rows.extend(job.array.as_ref().map(|array| ("elements", elements_text(array))));
    rows.extend(job.promise.as_ref().map(|promise| ("promised", promise_text(promise))));
    rows.extend(job.likely.as_ref().map(|likely| ("runs", likely_text(likely))));
    rows.extend(job.why.as_deref().map(|why| ("why", told(why))));
    let lines = rows.iter().map(|(name, value)| format!("{:<9} {}", name, clean(value)));
    let mut text: String = lines.map(|line| format!("{}\n", line.trim_end())).collect();
    if !job.satisfaction.is_empty() {
        let rows = job.satisfaction.iter().map(|(name, share)| [name.clone(), share.to_string()]);
        text.push('\n');
        text.push_str(&table(["stakeholder", ">satisfaction"], &rows.collect::<Vec<_>>()));
    }
    if !job.parts.is_empty() {
        text.push('\n');
        text.push_str(&parts_text(&job.parts));
    }
    text
}

/// A table of parts; with what they used, where that is known of any.
fn parts_text(parts: &[PartView]) -> String {
    let rows: Vec<[String; 9]> = parts
        .iter()
        .map(|part| {
            let task = or_dash(part.task.as_ref());
            let node = or_dash(part.node.as_ref());
            let (start, end) = (time(part.start), time(part.end));
            let [processor, memory] = used_cells(part.used.as_ref());
            let (number, state) = (part.part.to_string(), part_state(part));
            [number, task, part.site.clone(), node, start, end, state, processor, memory]
        })
        .collect();
    let heading = [">part", "task", "site", "node", "start", "end", "state", ">processor, s", ">memory, MB"];
    if parts.iter().any(|part| part.used.is_some()) {
        return table(heading, &rows);
    }
    let [part, task, site, node, start, end, state, ..] = heading;
    let rows: Vec<[String; 7]> =
        rows.into_iter().map(|[a, b, c, d, e, f, g, ..]| [a, b, c, d, e, f, g]).collect();
    table([part, task, site, node, start, end, state], &rows)
}

/// Seconds on processors, and the most memory in MB, rounded up to a tenth.
fn used_cells(used: Option<&UsedView>) -> [String; 2] {
    let processor = used.and_then(|used| used.processor_seconds.as_ref());
    let memory = used.and_then(|used| used.memory_bytes);
    let tenths = memory.map(|bytes| (u128::from(bytes) * 10).div_ceil(1 << 20));
    let memory = tenths.map(|tenths| format!("{}.{}", tenths / 10, tenths % 10));
    [or_dash(processor), or_dash(memory.as_ref())]
}

fn promise_text(promise: &PromiseView) -> String {
    let (start, finish) = (time(promise.start), time(promise.finish));
    format!("starts by {start}, ends by {finish}, costs at most {}", promise.cost)
}

/// How long it is likely to run, by how many jobs, and when it would then have ended.
fn likely_text(likely: &LikelyView) -> String {
    let ended = likely.finish.map_or_else(String::new, |at| format!("; likely done at {}", time(at)));
    format!("{} (by {} jobs){ended}", likely.text, likely.jobs)
}

fn part_state(part: &PartView) -> String {
    let code = part.exit_code.map_or_else(String::new, |code| format!(" with code {code}"));
    format!("{}{code}", part.state.text())
}

/// When a job starts; about when, where it has no window and others were waited for.
fn starts(job: &JobView) -> String {
    match (job.start, job.likely_start) {
        (None, Some(likely)) => format!("~{}", time(likely)),
        (start, _) => time_or(start),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_parts_used_is_in_the_table_where_any_of_it_is_known() {
        let part = |used: &str| {
            let part = format!(
                r#"{{"part":0,"task":null,"site":"campus","node":"n1","start":"2026-11-15T12:00:00Z",
                "end":"2026-11-15T12:01:00Z","state":"done"{used}}}"#
            );
            serde_json::from_str::<PartView>(&part).unwrap()
        };
        let known = part(r#","used":{"processor_seconds":12.34,"memory_bytes":1048577}"#);
        let text = parts_text(&[part(""), known]);
        let words: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert!(words[0].ends_with(&["processor,", "s", "memory,", "MB"]), "{text}");
        assert!(
            words[1].ends_with(&["done", "-", "-"]) && words[2].ends_with(&["done", "12.34", "1.1"]),
            "{text}"
        );
        let text = parts_text(&[part("")]);
        assert!(text.lines().all(|line| line.ends_with("state") || line.ends_with("done")), "{text}");
    }
}
