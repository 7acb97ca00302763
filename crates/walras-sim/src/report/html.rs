//! The report as one page that needs nothing else: inline pictures, tables and style, no scripts.

use super::table::{HEADINGS, cells, disagreements, groups, rows};
use crate::experiment::{Experiment, Reproduction};
use crate::results::{Figure, FigureKind, Fitted, Results, Table};

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
    for table in &results.tables {
        page += &several(table);
    }
    for kind in FigureKind::ALL {
        page += &section(results, kind);
    }
    page += &fitted(&results.fitted);
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
    let mut heading = format!(
        "<header>\n<p class=\"kicker\">Walras · reproduction</p>\n<h1>{}</h1>\n<p>{}</p>\n\
         <p>Seed {}, {} cycles.</p>\n<ul class=\"tally\">\n",
        escape(&results.experiment),
        escape(summary),
        results.seed,
        results.cycles,
    );
    for kind in FigureKind::ALL.into_iter().filter(|kind| results.of_kind(*kind).next().is_some()) {
        let (name, verdict) = (kind.name(), escape(&results.verdict(kind)));
        heading += &format!("<li class=\"{name}\"><strong>{name}</strong> {verdict}</li>\n");
    }
    heading + "</ul>\n</header>\n"
}

/// What a kind is, for its heading.
fn title(kind: FigureKind) -> &'static str {
    match kind {
        FigureKind::Compared => "Compared with the paper",
        FigureKind::Law => "Laws, checked in the code",
        FigureKind::Shown => "Shown, not comparable",
    }
}

/// All figures of a kind.
fn section(results: &Results, kind: FigureKind) -> String {
    let groups = groups(results, kind);
    if groups.is_empty() {
        return String::new();
    }
    let mut section = format!("<section class=\"{}\">\n<h2>{}</h2>\n", kind.name(), title(kind));
    for group in groups {
        if let Some(why) = group.why {
            section += &format!("<p class=\"why\">{}</p>\n", escape(why));
        }
        section += &table(&group.figures);
    }
    if kind == FigureKind::Compared {
        for (name, why) in disagreements(results) {
            section += &format!("<p class=\"why\"><strong>{}</strong>: {}</p>\n", escape(name), escape(why));
        }
    }
    section + "</section>\n"
}

/// Things by several measures.
fn several(table: &Table) -> String {
    let mut text =
        format!("<h2>{}</h2>\n<div class=\"scroll\"><table class=\"means\">\n", escape(&table.title));
    for (place, row) in rows(table).into_iter().enumerate() {
        let (scope, tag) = if place == 0 { ("col", "th") } else { ("row", "td") };
        text += "<tr>";
        for (column, cell) in row.iter().enumerate() {
            let cell = escape(cell);
            text += &match column {
                0 => format!("<th scope=\"{scope}\">{cell}</th>"),
                _ => format!("<{tag}>{cell}</{tag}>"),
            };
        }
        text += "</tr>\n";
    }
    text + "</table></div>\n"
}

/// What was fitted, and to what.
fn fitted(fitted: &[Fitted]) -> String {
    if fitted.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "<h2>What was fitted</h2>\n<div class=\"scroll\"><table class=\"words\">\n<thead><tr>\
         <th scope=\"col\">parameter</th><th scope=\"col\">fitted to</th></tr></thead>\n<tbody>\n",
    );
    for Fitted { parameter, to } in fitted {
        text += &format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape(parameter), escape(to));
    }
    text + "</tbody>\n</table></div>\n"
}

fn table(figures: &[&Figure]) -> String {
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
        let mark = if figure.fitted { " <em>fitted</em>" } else { "" };
        table += &format!("<tr{class}><th scope=\"row\">{}{mark}</th>", escape(&name));
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
    for kind in ["Read as:", "Does not come out:"] {
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
        assert_eq!(marked("Read as: x < y"), "<strong>Read as:</strong> x &lt; y");
        assert_eq!(marked("plain"), "plain");
    }
}
