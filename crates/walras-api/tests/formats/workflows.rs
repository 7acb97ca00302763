//! Workflow files of every format: what is read, and what is refused.

use walras_api::{WorkflowFormat, read_workflow, read_workflow_leniently};
use walras_model::Workflow;

const STG: &str = "  3\n 0 0 0\n 1 5 1 0 # the long one\n\n 2 2.5 2 0 1\n# made by hand\n";

const DAX: &str = r#"<?xml version="1.0"?>
<!-- two jobs -->
<adag xmlns="http://pegasus.isi.edu/schema/DAX" name="pair">
  <job id="A" name="first" runtime="1.5" cores="2">
    <uses file="in.dat" link="input" size="7"/>
    <uses file="mid&amp;dle" link="output" size="1000"/>
  </job>
  <job id="B" runtime="0">
    <uses name="mid&amp;dle" link="input" size="900"/>
  </job>
  <child ref="B">
    <parent ref="A"/>
  </child>
</adag>
"#;

const WFCOMMONS: &str = r#"{
  "name": "pair", "schemaVersion": "1.5", "createdAt": "2026-01-01T00:00:00Z",
  "workflow": {
    "specification": {
      "tasks": [
        {"name": "a", "id": "a", "parents": [], "children": ["b"], "inputFiles": [], "outputFiles": ["f", "g"]},
        {"name": "b", "id": "b", "parents": ["a"], "children": [], "inputFiles": ["f", "h"]}
      ],
      "files": [{"id": "f", "sizeInBytes": 10}, {"id": "g", "sizeInBytes": 5}, {"id": "h", "sizeInBytes": 1}]
    },
    "execution": {
      "makespanInSeconds": 9,
      "tasks": [
        {"id": "a", "runtimeInSeconds": 2.25, "coreCount": 4, "memoryInBytes": 1024},
        {"id": "b", "runtimeInSeconds": 0.0001}
      ]
    }
  }
}"#;

const OWN: &str = "walras: workflow/1
name: pair
tasks:
  - {name: a, work: 10, cores: 2, memory_gb: 1.5, requires: {gpu: true}, estimates: {n1: 4, s/n2: 6}}
  - {name: b, work: 0}
edges:
  - {from: a, to: b, bytes: 5}
";

fn read(text: &str, format: WorkflowFormat) -> Result<Workflow, String> {
    read_workflow(text.as_bytes(), "w", format).map_err(|error| error.to_string())
}

fn millis(workflow: &Workflow) -> Vec<i64> {
    workflow.tasks().iter().map(|task| task.work.map_or(0, |work| work.as_millis())).collect()
}

#[test]
fn all_formats_are_read() {
    let stg = read(STG, WorkflowFormat::Stg).unwrap();
    assert_eq!((millis(&stg), stg.edges().len()), (vec![0, 5_000, 2_500], 3));

    let dax = read(DAX, WorkflowFormat::Dax).unwrap();
    assert_eq!((dax.name(), millis(&dax), dax.tasks()[0].cores), ("pair", vec![1_500, 0], 2));
    assert_eq!(dax.edges()[0].data.as_bytes(), 1_000);

    for version in ["1.5", "1.6"] {
        let text = WFCOMMONS.replace("\"1.5\"", &format!("\"{version}\""));
        let pair = read(&text, WorkflowFormat::Json).unwrap();
        assert_eq!((millis(&pair), pair.edges().len()), (vec![2_250, 1], 1));
        assert_eq!(pair.edges()[0].data.as_bytes(), 10);
        assert_eq!((pair.tasks()[0].cores, pair.tasks()[0].memory.unwrap().as_bytes()), (4, 1_024));
    }

    let own = read(OWN, WorkflowFormat::Yaml).unwrap();
    assert_eq!((millis(&own), own.edges()[0].data.as_bytes()), (vec![10_000, 0], 5));
    assert_eq!(own.tasks()[0].memory.unwrap().as_bytes(), 1_500_000_000);
    assert_eq!(own.tasks()[0].estimates["s/n2"].as_millis(), 6_000);
    let json = r#"{"walras": "workflow/1", "unit": "ms", "tasks": [{"name": "a", "work": 3}]}"#;
    assert_eq!(millis(&read(json, WorkflowFormat::Json).unwrap()), [3]);
}

#[test]
fn bad_task_graphs_are_refused() {
    let wrong = |from: &str, to: &str| read(&STG.replace(from, to), WorkflowFormat::Stg).unwrap_err();
    let lines = [
        wrong("  3", "  7"),
        wrong("  3", "three"),
        wrong("1 5 1 0", "1 -5 1 0"),
        wrong("1 5 1 0", "1 long 1 0"),
        wrong("1 5 1 0", "1 5 2 0"),
        wrong("1 5 1 0", "1 5"),
        wrong("1 5 1 0", "1 5 1 9"),
        wrong("1 5 1 0", "1 5 1 2"),
        wrong("1 5 1 0", "0 5 1 0"),
        wrong("2 2.5 2 0 1", "2 2.5 2 1 1"),
        read("# nothing\n", WorkflowFormat::Stg).unwrap_err(),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r"
    w:1:1: 7 is not the number of tasks: 3 follow
    w:1:1: three is not a number of tasks
    w:3:1: task 1: -5 is not a run time: it must not be negative
    w:3:1: task 1: long is not a run time: it must be a number of seconds
    w:3:1: task 1: 2 is not how many tasks it waits for: 1 follow
    w:3:1: task 1: 2 numbers are too few: a task has its number, its run time and the number of tasks it waits for
    w:3:1: task 1: 9 is not the name of a task: an edge must join two tasks of the workflow
    w:3:1: task 1: 1 -> 2 -> 1 is a cycle: no task may wait for itself
    w:3:1: task 0: 0 is the name of two tasks, first at line 2: names must differ
    w:5:1: task 2: 1 -> 2 is there twice: give all data between two tasks in one edge
    w: there are no tasks: a workflow has at least one
    ");
}

#[test]
fn bad_dax_is_refused() {
    let wrong = |from: &str, to: &str| read(&DAX.replace(from, to), WorkflowFormat::Dax).unwrap_err();
    let lines = [
        wrong(" runtime=\"1.5\"", ""),
        wrong("runtime=\"1.5\"", "runtime=\"-1\""),
        wrong("size=\"7\"", "size=\"-7\""),
        wrong("cores=\"2\"", "cores=\"0\""),
        wrong("id=\"B\"", "id=\"A\""),
        wrong("<parent ref=\"A\"/>", "<parent ref=\"C\"/>"),
        wrong("<parent ref=\"A\"/>", "<parent ref=\"B\"/>"),
        wrong("<parent ref=\"A\"/>", "<parent/>"),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r"
    w:4:3: job A: the attribute `runtime` is missing: every job must state its run time in seconds
    w:4:3: job A: -1 is not a run time: it must not be negative
    w:5:5: job A: -7 is not an amount of data: it must be a number of bytes, not negative
    w:4:3: job A: 0 is not a number of cores: it must be a whole number from 1 on
    w:8:3: job A: A is the name of two tasks, first at line 4: names must differ
    w:12:5: child B: C is not the name of a task: an edge must join two tasks of the workflow
    w:8:3: job B: B -> B is a cycle: no task may wait for itself
    w:12:5: parent: the attribute `ref` is missing
    ");
    assert!(wrong("</adag>", "</job>").contains("not valid XML"));
    assert!(wrong("</adag>", "").contains("the file ends before all its elements are closed"));
}

#[test]
fn bad_instances_are_refused() {
    let wrong = |from: &str, to: &str| read(&WFCOMMONS.replace(from, to), WorkflowFormat::Json).unwrap_err();
    let lines = [
        wrong("\"1.5\"", "\"1.4\""),
        wrong("\"runtimeInSeconds\": 2.25, ", ""),
        wrong("2.25", "-2.25"),
        wrong("{\"id\": \"b\", \"runtimeInSeconds\": 0.0001}", "{\"id\": \"c\", \"runtimeInSeconds\": 1}"),
        wrong("\"sizeInBytes\": 5", "\"sizeInBytes\": -5"),
        wrong("\"parents\": [\"a\"]", "\"parents\": [\"z\"]"),
        wrong("\"parents\": []", "\"parents\": [\"b\"]"),
        wrong("\"id\": \"b\", \"parents\"", "\"id\": \"a\", \"parents\""),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r"
    w:2:36: schemaVersion: 1.4 is not a version of WfFormat that is read here: expected 1.5 or 1.6
    w: workflow.execution.tasks[0].runtimeInSeconds: is missing: every task must have a run time in seconds
    w:14:41: workflow.execution.tasks[0].runtimeInSeconds: -2.25 is not a run time: it must not be negative
    w:7:9: workflow.specification.tasks[1] (b): has no run time: workflow.execution.tasks must have an entry with its id
    w:9:76: workflow.specification.files[1].sizeInBytes: -5 is not an amount of data: it must be a number of bytes, not negative
    w: workflow.specification.tasks[1].parents: z is not the name of a task: an edge must join two tasks of the workflow
    w: workflow.specification.tasks[0] (a): a -> b -> a is a cycle: no task may wait for itself
    w: workflow.specification.tasks[1] (a): a is the name of two tasks, first at workflow.specification.tasks[0] (a): names must differ
    ");
}

#[test]
fn negative_numbers_of_public_files_are_told_by_their_line() {
    let read = |text: &str, format| {
        let (workflow, warnings) = read_workflow_leniently(text.as_bytes(), "w", format).unwrap();
        (millis(&workflow), warnings.lines().join("\n"))
    };
    let (work, said) = read(&STG.replace("1 5 1 0", "1 -5 1 0"), WorkflowFormat::Stg);
    assert_eq!(work, [0, 0, 2_500]);
    insta::assert_snapshot!(said, @"w:3:1: task 1: -5 is not a run time: it must not be negative; no run time is assumed");
    let (work, said) = read(&DAX.replace("runtime=\"1.5\"", "runtime=\"-1\""), WorkflowFormat::Dax);
    assert_eq!(work, [0, 0]);
    insta::assert_snapshot!(said, @"w:4:3: job A: -1 is not a run time: it must not be negative; no run time is assumed");
    let broken = WFCOMMONS.replace("2.25", "-2.25").replace("\"sizeInBytes\": 5", "\"sizeInBytes\": -5");
    let (work, said) = read(&broken, WorkflowFormat::Json);
    assert_eq!(work, [0, 1]);
    insta::assert_snapshot!(said, @r"
    w:9:76: workflow.specification.files[1].sizeInBytes: -5 is not an amount of data: it must be a number of bytes, not negative; no data is assumed
    w:14:41: workflow.execution.tasks[0].runtimeInSeconds: -2.25 is not a run time: it must not be negative; no run time is assumed
    ");
}

#[test]
fn bad_workflows_of_ours_are_refused() {
    let wrong = |from: &str, to: &str| read(&OWN.replace(from, to), WorkflowFormat::Yaml).unwrap_err();
    let lines = [
        wrong("workflow/1", "workflow/2"),
        wrong("work: 10", "work: -10"),
        wrong("work: 10, ", ""),
        wrong("cores: 2", "cores: 0"),
        wrong("name: b", "name: a"),
        wrong("to: b", "to: c"),
        wrong("to: b", "to: a"),
        wrong("bytes: 5", "bytes: -5"),
        wrong("bytes: 5", "size: 5"),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r"
    w:1:9: walras: workflow/2 is not a version that is read here: expected workflow/1
    w:4:21: tasks[0].work: -10 is not an amount of work: it must be greater than 0
    w:4:5: tasks[0]: the key `work` is missing
    w:4:32: tasks[0].cores: 0 is not a number of cores: it must be a whole number from 1 to 4294967295
    w:5:5: tasks[1]: a is the name of two tasks, first at tasks[0]: names must differ
    w:7:5: edges[0]: c is not the name of a task: an edge must join two tasks of the workflow
    w:4:5: tasks[0]: a -> a is a cycle: no task may wait for itself
    w:7:29: edges[0].bytes: -5 is not an amount of data: it must be a whole number from 0 to 9223372036854775807
    w:7:22: edges[0].size: `size` is not known here: expected one of from, to, bytes
    ");
}

proptest::proptest! {
    /// Whatever a file holds, reading it gives a workflow or an error.
    #[test]
    fn reading_never_panics(text in "[0-9 \n#.<>a-z\"=/{}:,\\[\\]-]{0,200}", cut in 0..400_usize) {
        for format in [WorkflowFormat::Yaml, WorkflowFormat::Json, WorkflowFormat::Dax, WorkflowFormat::Stg] {
            let _ = read(&text, format);
            for whole in [STG, DAX, WFCOMMONS, OWN] {
                let start: String = whole.chars().take(cut).collect();
                let _ = read(&(start + &text), format);
            }
        }
    }
}
