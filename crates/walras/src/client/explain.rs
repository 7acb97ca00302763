//! `explain`: why a job is where it is, and what would help; each thing once.

use super::http::{Client, with_query};
use super::jobs::OneArgs;
use super::say::say;
use super::show::{time, told};
use crate::failure::Failure;
use walras_api::service::ExplanationView;

#[derive(clap::Args)]
pub(crate) struct ExplainArgs {
    /// Show every step of its window, and not only what its user was told
    #[arg(long)]
    steps: bool,
    #[command(flatten)]
    one: OneArgs,
}

pub(crate) fn explain(args: &ExplainArgs) -> Result<(), Failure> {
    let path = format!("/v1/jobs/{}/explanation", args.one.path());
    let path = with_query(&path, &[("steps", args.steps.then(|| "true".to_owned()))]);
    let answer = Client::of(&args.one.connect)?.get(&path)?;
    say(&args.one.connect, &answer, explanation_text)
}

/// An explanation as text: the sentence, what it does not say already, its place, what has happened.
pub(crate) fn explanation_text(view: &ExplanationView) -> String {
    let summary = told(&view.summary);
    let mut text = format!("{summary}\n");
    let mut lines: Vec<String> = Vec::new();
    let reasons = view.reasons.iter().map(|reason| told(&reason.text));
    let unsaid = reasons.filter(|reason| !summary.contains(reason.trim_end_matches('.')));
    lines.extend(unsaid.map(|reason| format!("  because {reason}\n")));
    let changes = view.changes.iter().map(|change| told(&change.text)).filter(|it| !is_named(&summary, it));
    lines.extend(changes.map(|change| format!("  would help: {change}\n")));
    for (index, line) in lines.iter().enumerate() {
        if !lines[..index].contains(line) {
            text.push_str(line);
        }
    }
    if let Some(rank) = &view.rank {
        let overdue = if rank.overdue { "; it has waited so long that it goes first" } else { "" };
        text.push_str(&format!("  place {} of {} in the queue{overdue}\n", rank.place, rank.of));
    }
    if !view.history.is_empty() {
        text.push_str("what has happened\n");
    }
    // The same again and again, as by cycles that leave it out, is told once, with when it was last so.
    let mut happened = view.history.iter().peekable();
    while let Some(first) = happened.next() {
        let (mut last, mut times) = (first, 1);
        while let Some(same) = happened.next_if(|next| next.text == first.text) {
            (last, times) = (same, times + 1);
        }
        let again = match times {
            1 => String::new(),
            times => format!(" So it was {times} times, the last time at {}.", time(last.at)),
        };
        text.push_str(&format!("  {}  {}{again}\n", time(first.at), told(&first.text)));
    }
    text
}

/// Whether a sentence names a change among those that would do: whole, and not as the beginning of another.
fn is_named(summary: &str, change: &str) -> bool {
    let mut found = summary.match_indices(change);
    found.any(|(at, _)| {
        let (before, after) = (&summary[..at], &summary[at + change.len()..]);
        before.ends_with([':', ';', ' '])
            && (after.starts_with([';']) || after == "." || after.starts_with(". "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sentence names the first changes itself.
    #[test]
    fn a_change_is_named_once() {
        let view: ExplanationView = serde_json::from_str(
            r#"{"job":17,"state":"queued",
            "summary":"Job 17 (fit) waits for the next cycle. The budget is too small. Any of these would do: a budget of 60.5 credits; 2 tasks.",
            "reasons":[],"rank":null,"history":[],
            "changes":[{"kind":"budget","text":"a budget of 60.5 credits","amount":60.5},
                {"kind":"tasks","text":"2 tasks","amount":2},{"kind":"budget","text":"a budget of 60","amount":60}]}"#,
        )
        .unwrap();
        let text = explanation_text(&view);
        assert_eq!(text.matches("60.5 credits").count() + text.matches("2 tasks").count(), 2, "{text}");
        assert!(text.ends_with("  would help: a budget of 60\n"), "{text}");
    }

    #[test]
    fn each_thing_is_said_once_and_scores_are_nobodys_matter() {
        let view: ExplanationView = serde_json::from_str(
            r#"{"job":17,"state":"queued",
            "summary":"Job 17 (fit) waits for the next cycle; the last left it out. The budget is too small.",
            "reasons":[{"kind":"budget_too_small","text":"The budget is too small."},
                {"kind":"too_few_nodes","text":"Too few nodes have what it requires."}],
            "changes":[{"kind":"budget","text":"a budget of 60 credits","amount":60}],
            "rank":{"place":2,"of":5,"score":123456,"overdue":false,"aspects":{"price":99}},
            "history":[{"at":"2026-11-15T12:00:00Z","text":"It was submitted."},
                {"at":"2026-11-15T12:01:00Z","text":"It is back in the queue."},
                {"at":"2026-11-15T12:02:00Z","text":"It is back in the queue."},
                {"at":"2026-11-15T12:03:00Z","text":"It is back in the queue."}]}"#,
        )
        .unwrap();
        let text = explanation_text(&view);
        let at = |text: &str| time(text.parse().unwrap());
        let expected = format!(
            "Job 17 (fit) waits for the next cycle; the last left it out. The budget is too small.\n  \
             because Too few nodes have what it requires.\n  would help: a budget of 60 credits\n  \
             place 2 of 5 in the queue\nwhat has happened\n  {}  It was submitted.\n  {}  It is back in the queue. \
             So it was 3 times, the last time at {}.\n",
            at("2026-11-15T12:00:00Z"),
            at("2026-11-15T12:01:00Z"),
            at("2026-11-15T12:03:00Z")
        );
        assert_eq!(text, expected);
    }
}
