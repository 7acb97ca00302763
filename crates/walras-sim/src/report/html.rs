//! The report as one page that needs nothing else: inline pictures, tables and style, no scripts.

use super::table::{HEADINGS, cells};
use crate::experiment::{Experiment, Reproduction};
use crate::results::{Figure, Results};

pub(crate) const STYLE: &str = include_str!("report.css");

/// The page.
pub(super) fn page(reproduction: &Reproduction) -> serde_json::Result<String> {
    let results = &reproduction.results;
    let name = escape(&results.experiment);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Walras: {name}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
    );
    page += &heading(results);
    for picture in &reproduction.pictures {
        let caption = escape(&picture.caption);
        page += &format!("<figure aria-label=\"{caption}\">\n{}</figure>\n", picture.svg);
    }
    page += "<h2>Figures</h2>\n";
    page += &table(&results.figures);
    page += "<h2>How to read them</h2>\n<ul>\n";
    for note in &results.notes {
        page += &format!("<li>{}</li>\n", marked(note));
    }
    page += "</ul>\n<h2>Configuration</h2>\n";
    page += "<p>Every parameter; save it as a file, change it, and pass it with <code>--config</code>.</p>\n";
    page += &format!("<pre>{}</pre>\n", escape(&serde_json::to_string_pretty(&results.config)?));
    page += "</main>\n</body>\n</html>\n";
    Ok(page)
}

fn heading(results: &Results) -> String {
    let summary = results.experiment.parse().map_or("", Experiment::summary);
    let (judged, held) = results.held();
    let verdict = if judged == held { "good" } else { "bad" };
    format!(
        "<header>\n<p class=\"kicker\">Walras · reproduction</p>\n<h1>{}</h1>\n<p>{}</p>\n\
         <p>Seed {}, {} cycles. <strong class=\"{verdict}\">{held} of {judged} figures with a tolerance are within \
         it.</strong></p>\n</header>\n",
        escape(&results.experiment),
        escape(summary),
        results.seed,
        results.cycles,
    )
}

fn table(figures: &[Figure]) -> String {
    let mut table = String::from("<div class=\"scroll\"><table>\n<thead><tr>");
    for heading in HEADINGS {
        table += &format!("<th scope=\"col\">{heading}</th>");
    }
    table += "</tr></thead>\n<tbody>\n";
    for figure in figures {
        let [name, rest @ ..] = cells(figure);
        let class = match figure.within {
            Some(true) => " class=\"good\"",
            Some(false) => " class=\"bad\"",
            None => "",
        };
        table += &format!("<tr{class}><th scope=\"row\">{}</th>", escape(&name));
        for cell in rest {
            table += &format!("<td>{}</td>", escape(&cell));
        }
        table += "</tr>\n";
    }
    table + "</tbody>\n</table></div>\n"
}

/// A note whose first word tells its kind has that word set apart.
fn marked(note: &str) -> String {
    let text = escape(note);
    for kind in ["Fitted:", "Read as:"] {
        if let Some(rest) = text.strip_prefix(kind) {
            return format!("<strong>{kind}</strong>{rest}");
        }
    }
    text
}

/// Text that is safe inside an element or an attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_kinds_are_marked() {
        assert_eq!(escape("a < b & \"c\""), "a &lt; b &amp; &quot;c&quot;");
        assert_eq!(marked("Fitted: x < y"), "<strong>Fitted:</strong> x &lt; y");
        assert_eq!(marked("plain"), "plain");
    }
}
