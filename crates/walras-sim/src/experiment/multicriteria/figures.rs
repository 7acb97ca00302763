//! The tables as figures, and how to read them.

use super::paper::{self, SOUND, TABLE_3, TABLE_6};
use super::product::{Choices, Chosen};
use super::{Assignment, Config, name};
use crate::experiment::fits;
use crate::results::{Figure, Fitted, Tolerance};

/// Why most of table 3 is only shown.
const TABLE_3_BROKEN: &str = "Table 3 is inconsistent: rows A2B1C3 and A1B2C3 repeat values of table 6, and the values on provider \
    2, the totals, C_max and the times do not follow from tables 1 and 2.";
/// Why a value of table 6 is only shown.
const TABLE_6_BROKEN: &str =
    "Printed as 0.590; the printed data give 0.592 (a cost of 35 instead of 25 would give 0.590).";
/// Why satisfaction in the product's form is only shown.
const PRODUCT: &str = "How content the users are in the form that Walras uses (distance to the ideal); the paper prints no such \
    figure.";

const USERS: [&str; 3] = ["A", "B", "C"];
/// Printed with three digits, some of them cut off rather than rounded.
const DIGIT: f64 = 0.001;

/// All tables, then what is best, then the baselines.
pub(super) fn figures(config: &Config, choices: &Choices) -> Vec<Figure> {
    let mut figures = table_3(config);
    figures.extend(table_6(config));
    figures.extend(best(config));
    figures.extend(product("model (i)", &choices.queues, &[("shortest queue", choices.shortest_queue)]));
    figures.extend(product("model (ii)", &choices.slots, &[("MST", choices.mst), ("MCT", choices.mct)]));
    figures
}

fn table_3(config: &Config) -> Vec<Figure> {
    let values = paper::queue_values(config);
    let mut figures = Vec::new();
    for (job, provider, printed) in SOUND {
        let name = format!("table 3: {}{}", USERS[job], provider + 1);
        let ours = Some(values[job][provider]);
        figures.push(Figure::compared(&name, printed, ours, Tolerance::absolute(printed, DIGIT)).fitted());
    }
    for (assignment, printed) in TABLE_3 {
        let row = name(assignment);
        for job in 0..3 {
            let provider = assignment[job];
            let sound = SOUND.iter().any(|(user, at, value)| {
                (*user, *at) == (job, provider) && (value - printed[job]).abs() < DIGIT / 2.0
            });
            if !sound {
                let name = format!("table 3: {row}, {}{}", USERS[job], provider + 1);
                let ours = Some(values[job][provider]);
                figures.push(Figure::shown(&name, Some(printed[job]), ours, TABLE_3_BROKEN));
            }
        }
        for (what, place) in [("total", 3), ("C_max", 4), ("time", 5)] {
            let name = format!("table 3: {row}, {what}");
            figures.push(Figure::shown(&name, Some(printed[place]), None, TABLE_3_BROKEN));
        }
    }
    figures
}

fn table_6(config: &Config) -> Vec<Figure> {
    let values = paper::slot_values(config);
    let mut figures = Vec::new();
    for (assignment, printed) in TABLE_6 {
        let row = name(assignment);
        for job in 0..3 {
            let name = format!("table 6: {row}, {}", USERS[job]);
            let ours = Some(values[job][assignment[job]]);
            figures.push(if (job, assignment[job]) == (2, 1) {
                Figure::shown(&name, Some(printed[job]), ours, TABLE_6_BROKEN)
            } else {
                Figure::compared(&name, printed[job], ours, Tolerance::absolute(printed[job], DIGIT)).fitted()
            });
        }
        let (name, total) = (format!("table 6: {row}, total"), paper::total(&values, assignment));
        let tolerance = Tolerance::absolute(printed[3], DIGIT);
        figures.push(Figure::compared(&name, printed[3], Some(total), tolerance).fitted());
    }
    figures.push(sums(config));
    figures
}

/// C_max and the mean start are the greatest and the mean of what the paper prints elsewhere: that its table agrees with itself is
/// one figure, however many rows it has.
fn sums(config: &Config) -> Figure {
    let agrees = |printed: f64, ours: f64| usize::from((printed - ours).abs() <= DIGIT);
    let agreeing = TABLE_6.iter().map(|(assignment, printed)| {
        agrees(printed[4], makespan(config, *assignment))
            + agrees(printed[5], mean_start(config, *assignment))
    });
    let (agreeing, all) = (agreeing.sum::<usize>() as f64, 2.0 * TABLE_6.len() as f64);
    let name = "table 6: C_max and mean starts that follow from its slots";
    Figure::compared(name, all, Some(agreeing), Tolerance::Between(all, all))
}

fn makespan(config: &Config, assignment: Assignment) -> f64 {
    (0..3).map(|job| config.slots[job][assignment[job]][1]).fold(0.0, f64::max)
}

fn mean_start(config: &Config, assignment: Assignment) -> f64 {
    (0..3).map(|job| config.slots[job][assignment[job]][0]).sum::<f64>() / 3.0
}

/// Whether A1B2C3 is the best of all, under the paper's total.
fn best(config: &Config) -> Vec<Figure> {
    let values = paper::slot_values(config);
    let total = |assignment| paper::total(&values, assignment);
    let best = |distinct| total(paper::best(distinct, total));
    let tolerance = Tolerance::absolute(1.1, DIGIT);
    vec![
        Figure::compared(
            "model (ii): best total of 24 distinct assignments",
            1.1,
            Some(best(true)),
            tolerance,
        ),
        Figure::compared("model (ii): best total of all 64 assignments", 1.1, Some(best(false)), tolerance),
    ]
}

/// How content the users are in the product's form: with its choice, and with the baselines.
fn product(model: &str, chosen: &Chosen, baselines: &[(&str, Assignment)]) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut row = |what: &str, assignment: Assignment| {
        let each = [0, 1, 2].map(|job| chosen.satisfaction[job][assignment[job]]);
        let who = name(assignment);
        let least = each.into_iter().fold(1.0, f64::min);
        let mean = each.iter().sum::<f64>() / 3.0;
        let mut shown = |name: &str, ours: f64| {
            figures.push(Figure::shown(&format!("{model}, {what} {who}: {name}"), None, Some(ours), PRODUCT));
        };
        shown("least satisfaction", least);
        shown("mean satisfaction", mean);
    };
    row("Walras", chosen.best);
    for (what, assignment) in baselines {
        row(what, *assignment);
    }
    figures
}

/// The forms of the value were chosen so that the printed digits come out.
pub(super) fn fitted() -> Vec<Fitted> {
    fits([
        ["model (i): V = 1 - [max w(1-s) + 0.01 Σ w(1-s)]", "seven values of table 3"],
        [
            "model (ii): V = max w·s + 0.01 Σ w·s, min-maxed over the listed solutions; total = min + 0.1 mean",
            "table 6",
        ],
    ])
}

/// How to read the figures.
pub(super) fn notes(config: &Config, choices: &Choices) -> Vec<String> {
    let values = paper::slot_values(config);
    let best = name(paper::best(false, |assignment| paper::total(&values, assignment)));
    let rows = |rows: &[[f64; 3]]| -> String {
        let row = |row: &[f64; 3]| format!("({}, {}, {})", row[0], row[1], row[2]);
        rows.iter().map(row).collect::<Vec<_>>().join(" ")
    };
    let mut notes = vec![format!(
        "Table 1, weights of wait, speed and memory for A, B, C: {}.",
        rows(&config.weights_queues)
    )];
    notes.push(format!("Table 2, wait, speed and memory of rp1 to rp4: {}.", rows(&config.queues)));
    notes.push(format!(
        "Table 4, weights of start, completion and cost for A, B, C: {}.",
        rows(&config.weights_slots)
    ));
    for (user, offers) in USERS.iter().zip(&config.slots) {
        notes
            .push(format!("Table 5, start, completion and cost of rp1 to rp4 for {user}: {}.", rows(offers)));
    }
    notes.push(
        "Read as: model (i) V = 1 − [max w(1−s) + 0.01·Σ w(1−s)]; model (ii) V = max w·s + 0.01·Σ w·s, min–maxed over \
         the listed solutions, total = min + 0.1·mean. The least printed differences are of cut-off digits."
            .to_owned(),
    );
    notes.push(format!("The best of all assignments under the paper's total is {best}."));
    notes.push(format!(
        "In the product's form (distance to the ideal, 0.01 for criteria and 0.1 for users) the best compromise is {} in \
         model (i), the paper's winner, and {} in model (ii).",
        name(choices.queues.best),
        name(choices.slots.best),
    ));
    notes
}
