//! The files of a report.

use crate::run;
use serde_json::Value;
use walras_sim::experiment::Experiment;
use walras_sim::report;

fn names(experiment: Experiment) -> Vec<String> {
    let files = report::files(&run(experiment, 1, 20, 1)).unwrap();
    files.into_iter().map(|file| file.name).collect()
}

#[test]
fn every_experiment_has_its_files() {
    assert_eq!(
        names(Experiment::SlotSearch),
        ["results.json", "figure-4.svg", "figure-5.svg", "figure-6.svg", "report.html"]
    );
    assert_eq!(
        names(Experiment::BatchOptimisation),
        ["results.json", "gains.svg", "gains-by-alternatives.svg", "report.html"]
    );
    assert_eq!(
        names(Experiment::Multicriteria),
        ["results.json", "figure-3a.svg", "figure-3b.svg", "figure-4a.svg", "figure-4b.svg", "report.html"]
    );
}

/// Keys and the types of what they hold; of a list, the first item.
fn shape(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(_) => "bool".into(),
        Value::Number(_) => "number".into(),
        Value::String(_) => "text".into(),
        Value::Array(items) => format!("[{}]", items.first().map(shape).unwrap_or_default()),
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("{key}: {}", shape(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}

#[test]
fn the_json_has_its_shape() {
    let text = report::json(&run(Experiment::SlotSearch, 1, 20, 1)).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    let fields = json.as_object().unwrap().iter().filter(|(key, _)| *key != "config");
    let fields: Vec<String> = fields.map(|(key, value)| format!("{key}: {}", shape(value))).collect();
    insta::assert_snapshot!(fields.join("\n"), @r"
    cycles: number
    experiment: text
    figures: [{fitted: bool, interval: null, kind: text, name: text, ours: number, paper: number, tolerance: {high: number, low: number}, why: null, within: null}]
    fitted: [{parameter: text, to: text}]
    notes: [text]
    seed: number
    series: [{name: text, x: [number], y: [number]}]
    tables: []
    tally: {compared: {all: number, held: number, judged: number}, compared_fitted: number, laws: {all: number, held: number, judged: number}, shown: number}
    unjudged: text
    ");
    let figures = json["figures"].as_array().unwrap();
    let shown = figures.iter().find(|figure| figure["kind"] == "shown").unwrap();
    assert!(shown["tolerance"].is_null() && shown["within"].is_null() && shown["why"].is_string());
}

#[test]
fn the_page_needs_nothing_else() {
    let reproduction = run(Experiment::BatchOptimisation, 1, 20, 1);
    let files = report::files(&reproduction).unwrap();
    let page = &files.last().unwrap().text;
    for forbidden in ["<script", "<link", "src=", "@import", "url("] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    let addresses = page.matches("http").count();
    assert_eq!(addresses, page.matches("http://www.w3.org/2000/svg").count());
    for figure in &reproduction.results.figures {
        assert!(page.contains(&figure.name), "{}", figure.name);
    }
    for kind in ["compared", "laws", "shown"] {
        assert!(page.contains(&format!("<section class=\"{kind}\">")), "{kind}");
        assert!(page.contains(&format!("<li class=\"{kind}\">")), "{kind}");
    }
    assert!(page.contains("not judged: a small run, 20 of 5000 cycles"));
    assert!(page.contains("What was fitted") && page.contains("money_unit 1.42"));
}
