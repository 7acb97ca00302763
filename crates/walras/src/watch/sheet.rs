//! Sheets of text over the scene: a job's explanation and output, help, hints.

use super::cursor::{Cursor, dim};
use super::gantt::LEGEND;
use super::scene::{Scene, Sheet};
use crate::client::show::clean;
use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

const HELP: &str = "\
The picture shows what every node does over time; below are the jobs and what happens.

  arrows, Page Up, Page Down, Home, End   choose a job; scroll
  Enter        open the chosen job: why it is where it is; again: what it printed
  Tab          the other side of an open job
  f            other jobs: all, not ended, running, waiting, ended
  /            only jobs in whose number, name or user something is; Enter ends it
  Esc          close what is open; show all jobs again; at last, quit
  n, j, e      nodes, jobs or events alone; again for all
  + and -      less or more time
  h            what to try, in the demo
  ?            this help
  q, Ctrl-C    quit

Of the nodes:";

/// The title of a sheet, and its text.
fn text(scene: &Scene, sheet: Sheet) -> (String, String) {
    let title = |job: u64, what: &str, other: &str| {
        let of = scene.snapshot.jobs.iter().find(|it| it.job == job);
        let named = of.map_or_else(
            || format!("job {job}"),
            |it| format!("job {} ({}) is {}", it.id, clean(&it.name), it.state.text()),
        );
        format!("{named}: {what}   Tab {other}   Esc back")
    };
    let details = |job: u64| scene.snapshot.details.as_ref().filter(|it| it.job == job);
    let or_asked =
        |text: Option<&String>| text.map_or_else(|| "The service is asked.".to_owned(), Clone::clone);
    match sheet {
        Sheet::Help => ("help   Esc back".to_owned(), format!("{HELP} {LEGEND}")),
        Sheet::Hints => ("what to try   Esc back".to_owned(), scene.hints.clone().unwrap_or_default()),
        Sheet::Explanation(job) => {
            let title = title(job, "why", "what it printed");
            (title, or_asked(details(job).map(|it| &it.explanation)))
        }
        Sheet::Output(job) => {
            (title(job, "what it printed", "why"), or_asked(details(job).map(|it| &it.output)))
        }
    }
}

/// Text in lines of at most so many columns, broken between words where that is possible.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = clean(&line.replace('\t', "    "));
        let indent: String = line.chars().take_while(|character| *character == ' ').take(width / 2).collect();
        let mut rest: Vec<char> = line.chars().collect();
        while rest.len() > width {
            let space = rest[..=width].iter().rposition(|character| *character == ' ');
            let at = space.filter(|at| *at > indent.len()).unwrap_or(width);
            lines.push(rest[..at].iter().collect::<String>().trim_end().to_owned());
            let after: String = rest[at..].iter().collect();
            rest = format!("{indent}{}", after.trim_start()).chars().collect();
        }
        lines.push(rest.into_iter().collect());
    }
    lines
}

/// Draws a sheet on what is left of the screen.
pub(super) fn draw(scene: &Scene, sheet: Sheet, cursor: &mut Cursor, buffer: &mut Buffer) {
    let (title, text) = text(scene, sheet);
    cursor.line(buffer, &title, Style::new().add_modifier(Modifier::BOLD));
    let lines = wrapped(&text, cursor.area.width.into());
    let room = usize::from(cursor.left());
    let last = lines.len().saturating_sub(room);
    // Of what was printed the end is of interest, and scrolling goes upwards from there.
    let first = match sheet {
        Sheet::Output(_) => last.saturating_sub(scene.sheet_scroll),
        Sheet::Help | Sheet::Hints | Sheet::Explanation(_) => scene.sheet_scroll.min(last),
    };
    for line in lines.iter().skip(first).take(room) {
        cursor.line(buffer, line, Style::new());
    }
    if lines.is_empty() {
        cursor.line(buffer, "nothing", dim());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_keep_their_indent() {
        assert_eq!(wrapped("  one two three", 9), ["  one two", "  three"]);
        assert_eq!(wrapped("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrapped("a\n\nb", 5), ["a", "", "b"]);
        assert_eq!(wrapped("ä ö ü", 1), ["ä", "ö", "ü"]);
        assert!(wrapped("", 5).is_empty());
        for width in 0..6 {
            assert!(
                wrapped("    deep indent here", width)
                    .iter()
                    .all(|line| line.chars().count() <= width.max(1)),
                "{width}"
            );
        }
    }
}
