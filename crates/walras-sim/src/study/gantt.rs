//! Who ran where in a stretch of time, as a picture: one row for every node.
//!
//! Baselines count nodes and do not name them, so jobs are put on the first rows that are free when they start: a
//! job's rows may lie apart. What a policy decided is when a job ran, on which site and on how many nodes.

use super::Study;
use super::sketch::Sketch;
use crate::record::Site;
use std::fmt::Write as _;

/// At most so many rows are drawn; larger sites are cut, which the picture says.
const ROWS_MAX: usize = 160;
/// The width of the picture, and of its drawing.
const WIDTH: (f64, f64) = (960.0, 880.0);
/// The colours of users, in turn.
const COLOURS: [&str; 8] =
    ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1", "#9c755f"];

/// What a run did in the interval that was asked for.
pub(super) fn gantt(study: &Study, policy: &str, sketch: &Sketch) -> String {
    let (from, until) = sketch.interval;
    let mut rows: Vec<usize> = Vec::new();
    let mut first = 0;
    for site in &study.sites {
        rows.push(first);
        first += site.nodes as usize;
    }
    let drawn = first.min(ROWS_MAX);
    let height = (480.0 / drawn.max(1) as f64).clamp(2.0, 16.0);
    let bottom = 30.0 + drawn as f64 * height;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" \
         font-family=\"system-ui, sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        WIDTH.0,
        bottom + 34.0
    );
    let scale = WIDTH.1 / (until - from).max(1) as f64;
    let mut free: Vec<i64> = vec![i64::MIN; first];
    let mut ran = sketch.shown.clone();
    ran.sort_by_key(|(ran, job)| (ran.start, ran.end, job.number));
    for (ran, job) in ran {
        let (start, end) = (ran.start.as_millis(), ran.end.as_millis());
        let mut left = job.nodes;
        for row in rows_of(study, &rows, ran.site as usize) {
            if left == 0 {
                break;
            }
            if free[row] > start {
                continue;
            }
            free[row] = end;
            left -= 1;
            if row >= drawn || end <= from || start >= until {
                continue;
            }
            let x = 70.0 + (start.max(from) - from) as f64 * scale;
            let width = ((end.min(until) - start.max(from)) as f64 * scale).max(0.3);
            let user = job.user.unwrap_or(0).unsigned_abs();
            let colour = usize::try_from(user).unwrap_or(0) % COLOURS.len();
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{}\"><title>job {} of user {}</title></rect>",
                30.0 + row as f64 * height,
                height * 0.9,
                COLOURS[colour],
                job.number,
                job.user.map_or("?".to_owned(), |user| user.to_string()),
            );
        }
    }
    for (site, row) in study.sites.iter().zip(&rows).filter(|(_, row)| **row < drawn) {
        let y = 30.0 + *row as f64 * height;
        let name: String = site.name.chars().take(10).filter(|it| !"<>&\"".contains(*it)).collect();
        let _ = writeln!(
            svg,
            "<line x1=\"0\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#cfd6de\"/><text x=\"4\" y=\"{:.1}\" fill=\"#5c6773\">{name}</text>",
            WIDTH.0,
            y + 12.0
        );
    }
    for tick in 0..=8 {
        let at = f64::from(tick) / 8.0;
        let hours = at * (until - from) as f64 / 3_600_000.0;
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"#5c6773\" text-anchor=\"{}\">{hours:.1} h</text>",
            70.0 + at * WIDTH.1,
            bottom + 18.0,
            if tick == 8 { "end" } else { "middle" }
        );
    }
    let cut = if drawn < first { format!(" (the first {drawn} of {first} nodes)") } else { String::new() };
    let name: String = policy.chars().filter(|it| !"<>&\"".contains(*it)).collect();
    let _ =
        writeln!(svg, "<text x=\"4\" y=\"18\" font-size=\"14\" fill=\"#1c2430\">{name}{cut}</text>\n</svg>");
    svg
}

/// The rows on which a job of a site, or kind of nodes, may lie: those of its kind, then those of others at its site.
fn rows_of<'a>(study: &'a Study, rows: &'a [usize], place: usize) -> impl Iterator<Item = usize> + use<'a> {
    let whole = study.sites.get(place).map(Site::whole);
    let others = study.sites.iter().enumerate();
    let others = others.filter(move |(other, site)| *other != place && Some(site.whole()) == whole);
    let own = study.sites.iter().enumerate().filter(move |(own, _)| *own == place);
    own.chain(others).flat_map(|(place, site)| rows[place]..rows[place] + site.nodes as usize)
}
