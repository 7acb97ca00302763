//! `walras workflow`, and jobs that are workflows.

use crate::{printed, walras};
use serde_json::Value;
use std::fs;

#[test]
fn a_workflow_is_placed() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    fs::write(at.join("p.yaml"), printed(at, &["example", "pipeline"])).unwrap();
    let nodes = ["workflow", "p.yaml", "--nodes", "2x1@1,2x2@2.5"];
    let json =
        printed(at, &[&nodes[..], &["--json", "--baselines", "--supports", "--gantt", "p.svg"]].concat());
    let plan: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(plan["schema"], "walras.tasks/1");
    assert_eq!(plan["tasks"].as_array().unwrap().len(), 7);
    let makespan = plan["makespan"].as_f64().unwrap();
    for result in plan["baselines"].as_array().unwrap() {
        assert!(makespan <= result["makespan"].as_f64().unwrap(), "{result}");
    }
    assert!(plan["lower_bound"].as_f64().unwrap() <= makespan);
    assert!(!plan["supports"].as_array().unwrap().is_empty());
    assert!(fs::read_to_string(at.join("p.svg")).unwrap().contains("piece3"));
    // The same call gives the same bytes.
    let again = printed(at, &[&nodes[..], &["--json", "--baselines", "--supports"]].concat());
    assert_eq!(json, again);
}

#[test]
fn strategies_keep_their_terms() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    fs::write(at.join("p.yaml"), printed(at, &["example", "pipeline"])).unwrap();
    for (strategy, term, value) in [
        ("alap", "--deadline", "5000"),
        ("cheapest", "--deadline", "5000"),
        ("balanced", "--deadline", "5000"),
        ("fastest", "--budget", "9500"),
    ] {
        let call = ["workflow", "p.yaml", "--nodes", "2x1@1,2x2@2.5", "--json", "--strategy", strategy];
        let plan: Value = serde_json::from_str(&printed(at, &[&call[..], &[term, value]].concat())).unwrap();
        let limit: f64 = value.parse().unwrap();
        let kept = if term == "--budget" { &plan["cost"] } else { &plan["makespan"] };
        assert!(kept.as_f64().unwrap() <= limit, "{strategy}: {kept}");
        // Nodes that are made up are free for as long as anybody may wait.
        assert!(strategy != "alap" || kept.as_f64().unwrap().total_cmp(&limit).is_eq(), "{kept}");
        let without = walras(at, &call);
        assert_eq!(without.status.code(), Some(2), "{strategy} needs {term}");
    }
}

#[test]
fn a_plan_with_workflows_is_verified_task_by_task() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    fs::write(at.join("pipeline.yaml"), printed(at, &["example", "pipeline"])).unwrap();
    fs::write(at.join("s.yaml"), printed(at, &["example", "two-tier"])).unwrap();
    let text = printed(at, &["plan", "s.yaml", "--json"]);
    fs::write(at.join("plan.json"), &text).unwrap();
    printed(at, &["verify", "plan.json", "s.yaml"]);
    let mut plan: Value = serde_json::from_str(&text).unwrap();
    plan["workflows"][0]["tasks"][1]["node"] = "nowhere".into();
    fs::write(at.join("plan.json"), plan.to_string()).unwrap();
    let refuted = walras(at, &["verify", "plan.json", "s.yaml"]);
    assert_eq!(refuted.status.code(), Some(1));
    assert!(String::from_utf8(refuted.stdout).unwrap().contains("workflows[0] (job soon): task piece1"));
}

#[test]
fn bad_calls_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    fs::write(at.join("p.yaml"), printed(at, &["example", "pipeline"])).unwrap();
    for (call, said) in [
        (vec!["workflow", "p.toml", "--nodes", "4"], "the name of a workflow file must end in"),
        (vec!["workflow", "p.yaml", "--nodes", "4x"], "'4x' must be COUNT[xPERFORMANCE][@PRICE]"),
        (vec!["workflow", "p.yaml", "--nodes", "4", "--bandwidth", "0"], "--bandwidth: '0' is not"),
        (vec!["workflow", "p.yaml", "--nodes", "4", "--strategy", "best"], "'best' is not a strategy"),
        (
            vec!["workflow", "p.yaml", "--nodes", "4", "--deadline", "100.0001"],
            "'100.0001' is not a time: it must be a number, not negative, of at most 3 decimals",
        ),
        (vec!["workflow", "p.yaml", "--nodes", "4", "--budget", "0.0000001"], "of at most 6 decimals"),
    ] {
        let output = walras(at, &call);
        assert_eq!(output.status.code(), Some(2), "{call:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(said), "{error}");
    }
    let call = ["workflow", "p.yaml", "--nodes", "4", "--deadline", "100", "--json"];
    let output = walras(at, &call);
    assert_eq!(output.status.code(), Some(1), "there is no schedule");
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (plan["status"].as_str(), plan["tasks"].as_array().map(Vec::len)),
        (Some("infeasible"), Some(0))
    );
}

/// A task on three nodes between two others, on sites of two and four.
const GANG: &str = "walras: workflow/1
tasks:
  - {name: mesh, work: 60}
  - {name: solve, work: 600, nodes: 3}
  - {name: plot, work: 30}
edges:
  - {from: mesh, to: solve, bytes: 1000000}
  - {from: solve, to: plot, bytes: 1000000}
";

#[test]
fn a_task_on_several_nodes_is_placed_planned_and_verified() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    fs::write(at.join("gang.yaml"), GANG).unwrap();
    let call = ["workflow", "gang.yaml", "--nodes", "2x2@1/3x1@0.5,1x2@1"];
    let table = printed(at, &call);
    let solve = table.lines().find(|line| line.starts_with("solve")).unwrap();
    let node = solve.split_whitespace().last().unwrap();
    assert!(node.starts_with("site2/") && node.matches(',').count() == 2, "{table}");
    assert!(table.contains("proven best"), "{table}");
    let plan: Value =
        serde_json::from_str(&printed(at, &[&call[..], &["--json", "--gantt", "g.svg"]].concat())).unwrap();
    let solve = &plan["tasks"][1];
    assert_eq!(
        (&plan["status"], solve["others"].as_array().map(Vec::len)),
        (&"optimal".into(), Some(2)),
        "{plan}"
    );
    let drawn = fs::read_to_string(at.join("g.svg")).unwrap();
    assert!(drawn.matches("solve").count() >= 3, "it is drawn on each of its nodes");
    let narrow = walras(at, &["workflow", "gang.yaml", "--nodes", "2x2/2x1"]);
    assert_eq!(narrow.status.code(), Some(1));
    let said = String::from_utf8(narrow.stdout).unwrap();
    assert!(
        said.contains(
            "No site has 3 nodes with the cores, the memory and the attributes that task solve needs."
        ),
        "{said}"
    );
    // In a scenario it gets a window of one site that holds it, and the plan is verified node by node.
    let nodes = |site: &str, count: u32| {
        let nodes = (0..count)
            .map(|node| format!("      - {{name: {site}{node}, price: 0.01, free: [[0, 10000]]}}\n"));
        format!("  - name: {site}\n    nodes:\n{}", nodes.collect::<String>())
    };
    let sites = format!("{}{}", nodes("a", 2), nodes("b", 4));
    let scenario = format!(
        "walras: scenario/1\nhorizon: [0, 10000]\nsites:\n{sites}jobs:\n  - {{name: flow, workflow: gang.yaml}}\n"
    );
    fs::write(at.join("s.yaml"), scenario).unwrap();
    let text = printed(at, &["plan", "s.yaml", "--json"]);
    fs::write(at.join("plan.json"), &text).unwrap();
    printed(at, &["verify", "plan.json", "s.yaml"]);
    let plan: Value = serde_json::from_str(&text).unwrap();
    let solve = &plan["workflows"][0]["tasks"][1];
    assert_eq!(
        (solve["site"].as_str(), solve["others"].as_array().map(Vec::len)),
        (Some("b"), Some(2)),
        "{plan}"
    );
    let mut torn = plan.clone();
    torn["workflows"][0]["tasks"][1]["others"].as_array_mut().unwrap().pop();
    fs::write(at.join("plan.json"), torn.to_string()).unwrap();
    let refuted = walras(at, &["verify", "plan.json", "s.yaml"]);
    assert_eq!(refuted.status.code(), Some(1));
    let said = String::from_utf8(refuted.stdout).unwrap();
    assert!(said.contains("task solve takes 3 nodes at a time and is on 2"), "{said}");
}
