//! What `walras plan` chooses, and where it writes pictures.

use crate::{printed, walras};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// What the papers' two phases choose.
fn plan(arguments: &[&str]) -> Value {
    let arguments = [&["plan", "--example", "--json", "--plan", "papers"][..], arguments].concat();
    serde_json::from_str(&printed(Path::new("."), &arguments)).unwrap()
}

fn refused(arguments: &[&str]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let output = walras(directory.path(), &[&["plan", "--example"][..], arguments].concat());
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert!(output.stdout.is_empty() && fs::read_dir(directory.path()).unwrap().next().is_none());
    String::from_utf8(output.stderr).unwrap().lines().next().unwrap_or_default().to_owned()
}

#[test]
fn every_objective_is_chosen_and_verifies() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("s.yaml"), printed(path, &["example"])).unwrap();
    for objective in ["min-cost", "min-time", "max-income", "max-use", "min-makespan"] {
        for more in [&[][..], &["--on-the-fly"], &["--time-limit", "9000", "--budget-limit", "200"]] {
            let arguments =
                [&["plan", "s.yaml", "--json", "--plan", "papers", "--objective", objective][..], more]
                    .concat();
            let text = printed(path, &arguments);
            let plan: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(
                (&plan["objective"], &plan["status"], &plan["gap"]),
                (&objective.into(), &"optimal".into(), &0.into())
            );
            fs::write(path.join("p.json"), text).unwrap();
            printed(path, &["verify", "p.json", "s.yaml"]);
        }
    }
}

#[test]
fn the_default_is_the_least_cost_within_the_derived_time() {
    let plan = plan(&[]);
    assert_eq!((&plan["objective"], &plan["status"]), (&"min-cost".into(), &"optimal".into()));
    assert_eq!(plan["limits"]["budget"], Value::Null);
    assert!(plan["totals"]["time"].as_f64() <= plan["limits"]["time"].as_f64());
    assert_eq!(plan["totals"]["jobs"], 5);
}

#[test]
fn prices_show_what_no_plan_can_cost_less_than() {
    let improved: Value =
        serde_json::from_str(&printed(Path::new("."), &["plan", "--example", "--json"])).unwrap();
    let papers = plan(&[]);
    for of in [&improved, &papers] {
        let clearing = &of["clearing"];
        let (cost, least) = (clearing["cost"].as_f64().unwrap(), clearing["cost_least"].as_f64().unwrap());
        assert_eq!(
            (&clearing["jobs"], cost),
            (&of["totals"]["jobs"], of["totals"]["cost"].as_f64().unwrap())
        );
        assert!(least > 0.0 && least <= cost, "{clearing}");
        assert_eq!(of["above_any_plan"], clearing["above"]);
        assert_eq!(clearing["jobs_most"], 6, "the improved plan serves all");
    }
    assert!(plan(&["--bound", "0"]).get("clearing").is_none());
    assert!(plan(&["--objective", "min-time"]).get("clearing").is_none());
    let few = plan(&["--objective", "min-time", "--bound", "12"]);
    assert!(few["clearing"]["searches"].as_u64().unwrap() <= 12 && few["clearing"]["limit_hit"] == true);
    let text = printed(Path::new("."), &["plan", "--example", "--show", "0", "--bound", "600"]);
    assert!(text.contains("No plan of these 6 jobs costs less than"), "{text}");
}

#[test]
fn without_a_word_the_choice_is_improved_by_search() {
    let improved: Value =
        serde_json::from_str(&printed(Path::new("."), &["plan", "--example", "--json"])).unwrap();
    assert_eq!((&plan(&[])["totals"]["jobs"], &improved["totals"]["jobs"]), (&5.into(), &6.into()));
    assert!(improved["improvement"].is_object() && plan(&[]).get("improvement").is_none());
}

/// A limit that follows from listed windows knows nothing of a job that has none: the short job's stand in the way of the long one's.
#[test]
fn whoever_has_no_listed_window_is_served_where_there_is_room() {
    let directory = tempfile::tempdir().unwrap();
    let scenario = "walras: scenario/1\nhorizon: [0, 100]\nsites:\n  - name: s\n    nodes: [{name: cheap, price: 1}, {name: dear, price: 2, free: [[0, 40]]}]\njobs:\n  - {name: short, work: 30}\n  - {name: long, work: 80}\n";
    std::fs::write(directory.path().join("s.yaml"), scenario).unwrap();
    for objective in ["min-cost", "min-time", "max-income", "max-use"] {
        let call = ["plan", "s.yaml", "--objective", objective, "--json"];
        let plan: Value = serde_json::from_str(&printed(directory.path(), &call)).unwrap();
        assert_eq!(plan["totals"]["jobs"], 2, "{objective}: {plan}");
        let (time, limit) = (&plan["totals"]["time"], &plan["limits"]["time"]);
        assert!(limit.is_null() || time.as_f64() <= limit.as_f64(), "{objective}: {time} {limit}");
    }
    let papers = printed(directory.path(), &["plan", "s.yaml", "--plan", "papers", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&papers).unwrap()["totals"]["jobs"], 1);
}

/// Where nobody may be left out, a quota that drops somebody from the first choice does not end the plan: others can be found places.
#[test]
fn quotas_and_nobody_left_out_go_together_where_they_can() {
    let directory = tempfile::tempdir().unwrap();
    let scenario = |quota: u32| {
        format!(
            "walras: scenario/1\nhorizon: [0, 100]\nsites:\n  - name: cheap\n    nodes: [{{name: a, price: 1}}, {{name: b, price: 1}}]\n  - name: dear\n    nodes: [{{name: c, price: 2}}]\njobs:\n  - {{name: j1, work: 30, user: bob}}\n  - {{name: j2, work: 30, user: bob}}\n  - {{name: j3, work: 30, user: bob}}\npreferences:\n  users:\n    - {{name: bob, jobs: [j1, j2, j3]}}\n  owners:\n    - {{site: cheap, quotas: [{{user: bob, jobs: {quota}}}]}}\n    - {{site: dear, quotas: [{{user: bob, jobs: 2}}]}}\n"
        )
    };
    let call = ["plan", "s.yaml", "--leave-out", "never", "--json"];
    std::fs::write(directory.path().join("s.yaml"), scenario(1)).unwrap();
    let plan: Value = serde_json::from_str(&printed(directory.path(), &call)).unwrap();
    assert_eq!(plan["totals"]["jobs"], 3, "{plan}");
    std::fs::write(directory.path().join("s.yaml"), scenario(0)).unwrap();
    let refused = walras(directory.path(), &call);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(1), "{said}");
}

/// By satisfaction everybody counts alike; improving it leaves nobody of higher priority out who was served before.
#[test]
fn improving_satisfaction_keeps_those_of_higher_priority() {
    let directory = tempfile::tempdir().unwrap();
    let scenario = include_str!("choices/priority.json");
    std::fs::write(directory.path().join("s.json"), scenario).unwrap();
    for scheme in ["papers", "improved"] {
        let call = ["plan", "s.json", "--search", "alp", "--plan", scheme, "--json"];
        let plan: Value = serde_json::from_str(&printed(directory.path(), &call)).unwrap();
        let chosen: Vec<&Value> = plan["chosen"].as_array().unwrap().iter().map(|it| &it["job"]).collect();
        assert!(chosen.contains(&&Value::from("j2")), "{scheme}: {chosen:?}");
    }
}

#[test]
fn limits_that_nothing_keeps_are_reported() {
    let none = plan(&["--time-limit", "9000", "--leave-out", "never"]);
    assert_eq!((&none["status"], &none["gap"]), (&"infeasible".into(), &Value::Null));
    assert_eq!(
        (&none["infeasible"]["limit"], &none["infeasible"]["short_by"]),
        (&"time".into(), &3000.into())
    );
    let some = plan(&["--time-limit", "7000"]);
    assert_eq!(some["left_out"], serde_json::json!(["sweep", "train", "render"]));
    let arguments = ["plan", "--example", "--budget-limit", "100", "--leave-out", "never"];
    let text = printed(Path::new("."), &arguments);
    assert!(
        text.contains("nothing chosen by min-cost: infeasible\n  The budget limit of 100 credits is "),
        "{text}"
    );
}

#[test]
fn no_choice_leaves_it_out() {
    let plan = plan(&["--no-choice"]);
    for key in ["objective", "status", "gap", "limits", "totals", "chosen", "left_out", "infeasible"] {
        assert!(plan.get(key).is_none(), "{key}");
    }
}

#[test]
fn the_command_line_goes_before_the_policy() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let text = printed(path, &["example", "worked-example"]);
    let policy = "policy: {objective: lexicographic, order: [finish, cost], limits: {time: none}, budget_factor: 0.9}\n";
    fs::write(path.join("s.yaml"), format!("{text}{policy}")).unwrap();
    let plan = |more: &[&str]| -> Value {
        serde_json::from_str(&printed(path, &[&["plan", "s.yaml", "--json"][..], more].concat())).unwrap()
    };
    let (own, other) =
        (plan(&[]), plan(&["--objective", "min-cost", "--time-limit", "1000", "--budget-factor", "1"]));
    assert_eq!((&own["objective"], &own["limits"]["time"]), (&"lexicographic".into(), &Value::Null));
    assert_eq!(own["search"]["budget_factor"], 0.9);
    assert_eq!((&other["objective"], &other["limits"]["time"]), (&"min-cost".into(), &1000.into()));
    assert_eq!(other["search"]["budget_factor"], 1);
}

#[test]
fn wrong_limits_are_refused() {
    insta::assert_snapshot!(refused(&["--time-limit", "soon"]), @"walras: --time-limit: 'soon' is not a limit: expected a number of seconds, to the millisecond and not negative, derived or none");
    insta::assert_snapshot!(refused(&["--budget-limit=-1"]), @"walras: --budget-limit: '-1' is not a limit: expected a number of credits, to the millionth and not negative, derived or none");
    insta::assert_snapshot!(refused(&["--objective", "weighted"]), @"error: invalid value 'weighted' for '--objective <NAME>'");
    insta::assert_snapshot!(refused(&["--no-choice", "--leave-out", "never"]), @"error: the argument '--no-choice' cannot be used with '--leave-out <WHEN>'");
    insta::assert_snapshot!(refused(&["--budget-factor", "0.0000001"]), @"error: invalid value '0.0000001' for '--budget-factor <K>': '0.0000001' has too many decimals: a factor is read to the millionth");
    insta::assert_snapshot!(refused(&["--gantt", "plan.png"]), @"walras: plan.png: the name of a picture must end in .svg");
}

#[cfg(unix)]
#[test]
fn pictures_follow_links_and_replace_files_only() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("real.svg"), "old").unwrap();
    std::os::unix::fs::symlink("real.svg", path.join("link.svg")).unwrap();
    printed(path, &["plan", "--example", "--gantt", "link.svg"]);
    assert!(fs::symlink_metadata(path.join("link.svg")).unwrap().is_symlink());
    assert!(fs::read_to_string(path.join("real.svg")).unwrap().starts_with("<svg "));
    fs::create_dir(path.join("dir.svg")).unwrap();
    let output = walras(path, &["plan", "--example", "--gantt", "dir.svg"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(error, "walras: dir.svg: cannot be written: it is not a regular file\n");
}
