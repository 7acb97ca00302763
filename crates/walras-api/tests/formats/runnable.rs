//! What tasks run, and the files that pass between them.

use walras_api::{Runnable, WorkflowFormat, read_runnable, read_workflow, runnable_json};

fn read(text: &str, format: WorkflowFormat) -> Result<Runnable, String> {
    read_runnable(text.as_bytes(), "w", format).map(|(read, _)| read).map_err(|error| error.to_string())
}

const OWN: &str = "walras: workflow/1
tasks:
  - {name: a, work: 1, command: [tool, x], env: {N: 4}, outputs: [d/x]}
  - name: b
    work: 1
    script: |
      #!/bin/sh
      cat d/x raw > y
    inputs: [d/x, raw]
    outputs: [y]
";

#[test]
fn tasks_say_what_they_run_and_files_join_them() {
    let read = read(OWN, WorkflowFormat::Yaml).unwrap();
    assert_eq!(read.workflow.edges().len(), 1, "by the file that passes between them");
    assert_eq!(read.programs[0].env["N"], "4");
    assert_eq!(read.programs[1].script.as_deref(), Some("#!/bin/sh\ncat d/x raw > y\n"));
    assert_eq!(read.programs[1].inputs, ["d/x", "raw"]);
    let text = runnable_json(&read).to_string();
    let again = read_runnable(text.as_bytes(), "w", WorkflowFormat::Json).unwrap().0;
    assert_eq!(again.programs, read.programs, "what is written reads back");
    assert_eq!(
        (again.workflow.tasks(), again.workflow.edges()),
        (read.workflow.tasks(), read.workflow.edges())
    );
}

#[test]
fn what_cannot_be_is_refused_with_its_line() {
    for (from, to, expected) in [
        ("outputs: [d/x]", "outputs: [../x]", "w:3: tasks[0].outputs[0]: ../x is not a file"),
        ("outputs: [y]", "outputs: [/y]", "w:10: tasks[1].outputs[0]: /y is not a file"),
        ("inputs: [d/x, raw]", "inputs: [d/x, a/../b]", "w:9: tasks[1].inputs[1]: a/../b is not a file"),
        ("inputs: [d/x, raw]", "inputs: [d/x, d/x]", "w:9: tasks[1].inputs[1]: d/x is there twice"),
        ("outputs: [y]", "outputs: [d/x]", "w:10: tasks[1].outputs: d/x is written by two tasks"),
        ("inputs: [d/x, raw]", "inputs: [y]", "w:9: tasks[1].inputs: y is read and written by one task"),
        ("#!/bin/sh", "echo", "w:7: tasks[1].script: echo is not how a script begins"),
        ("{N: 4}", "{WALRAS_X: 4}", "w:3: tasks[0].env.WALRAS_X: WALRAS_X is not a variable"),
    ] {
        let error = read(&OWN.replacen(from, to, 1), WorkflowFormat::Yaml).unwrap_err();
        let words: Vec<&str> = error.splitn(4, ':').collect();
        let error = format!("{}:{}:{}", words[0], words[1], words[3]);
        assert!(error.starts_with(expected), "{error}\nis not\n{expected}");
    }
    let cycle = OWN.replace("outputs: [d/x]", "inputs: [y], outputs: [d/x]");
    let error = read(&cycle, WorkflowFormat::Yaml).unwrap_err();
    assert!(error.contains("a -> b -> a is a cycle"), "{error}");
}

#[test]
fn an_instance_of_wfcommons_runs_what_was_run() {
    let text = r#"{"name": "w", "schemaVersion": "1.5", "workflow": {
            "specification": {"tasks": [
                {"id": "a", "children": ["b"], "inputFiles": ["/data/raw"], "outputFiles": ["x"]},
                {"id": "b", "parents": ["a"], "inputFiles": ["x"], "outputFiles": ["y"]}],
              "files": [{"id": "x", "sizeInBytes": 7}]},
            "execution": {"tasks": [
                {"id": "a", "runtimeInSeconds": 1, "command": {"program": "head", "arguments": ["-c 7"]}},
                {"id": "b", "runtimeInSeconds": 1, "command": {"program": "cat", "arguments": ["x"]}}]}}}"#;
    let found = read(text, WorkflowFormat::Json).unwrap();
    assert_eq!(found.programs[0].command, ["head", "-c", "7"]);
    assert_eq!((found.programs[0].inputs.len(), found.programs[0].outputs[0].as_str()), (0, "x"));
    assert_eq!(found.programs[1].inputs, ["x"]);
    assert_eq!(found.workflow.edges()[0].data.as_bytes(), 7);
    // Where files lead out there is nothing to run; to plan it is as good as before.
    let out = text.replace(r#"["y"]"#, r#"["/y"]"#);
    assert!(
        read(&out, WorkflowFormat::Json).unwrap_err().contains("/y is not a file in the job's directory")
    );
    assert!(read_workflow(out.as_bytes(), "w", WorkflowFormat::Json).is_ok());
    let plain = text.replace("command", "commando");
    assert_eq!(read(&plain, WorkflowFormat::Json).unwrap().programs, []);
    // Arguments are words, or several as they were typed.
    let typed = text.replace(r#"["-c 7"]"#, r#"["-o 'two words'", "plain", "a\\ b"]"#);
    let found = read(&typed, WorkflowFormat::Json).unwrap();
    assert_eq!(found.programs[0].command, ["head", "-o", "two words", "plain", "a b"]);
    let open = text.replace(r#""-c 7""#, r#""it's""#);
    let error = read(&open, WorkflowFormat::Json).unwrap_err();
    let what = "arguments[0]: it's is no argument: the quote ' is not closed";
    assert!(error.contains(":7:") && error.contains(what), "{error}");
    assert!(read_workflow(open.as_bytes(), "w", WorkflowFormat::Json).is_ok());
}

#[test]
fn jobs_of_a_dax_with_arguments_run() {
    let text = r#"<adag name="w">
            <job id="a" name="cut" runtime="1"><argument>-b 1-3 <file name="raw"/></argument>
              <uses file="raw" link="input"/><uses file="x" link="output" size="3"/></job>
            <job id="b" name="/bin/cat" runtime="1"><argument><filename file="x"/></argument>
              <uses file="x" link="input" size="3"/></job>
            <job id="c" name="idle" runtime="1"><argument/></job>
            <child ref="b"><parent ref="a"/></child></adag>"#;
    let found = read(text, WorkflowFormat::Dax).unwrap();
    assert_eq!(found.programs[0].command, ["cut", "-b", "1-3", "raw"]);
    assert_eq!(found.programs[1].command, ["/bin/cat", "x"]);
    assert_eq!((found.programs[1].inputs[0].as_str(), found.programs[2].runs()), ("x", false));
    let plain = text.replace("argument", "comment");
    assert_eq!(read(&plain, WorkflowFormat::Dax).unwrap().programs, []);
}

#[test]
fn no_task_writes_a_file_where_another_needs_a_directory() {
    let text = |other: &str| {
        format!(
            "{{walras: workflow/1, tasks: [{{name: a, work: 1, command: [a], outputs: [q]}}, {{name: b, work: 1, command: [b], outputs: [{other}]}}]}}"
        )
    };
    assert!(read(&text("qq/r"), WorkflowFormat::Yaml).is_ok());
    for other in ["q/r", "q/r/s"] {
        let error = read(&text(other), WorkflowFormat::Yaml).unwrap_err();
        let what = format!(
            "tasks[1].outputs: {other} cannot be there beside q: that would be a directory and a file"
        );
        assert!(error.contains(&what), "{error}");
    }
}

#[test]
fn work_is_given_as_in_jobs() {
    let of = |work: &str| {
        let text =
            format!("{{walras: workflow/1, unit: ms, tasks: [{{name: a, work: {work}, command: [a]}}]}}");
        let found = read(&text, WorkflowFormat::Yaml);
        found.map(|found| found.workflow.tasks()[0].work.map(walras_model::Work::as_millis))
    };
    for (work, millis) in [("1h", 3_600_000), ("2h 30m", 9_000_000), ("1.5s", 1_500), ("250", 250)] {
        assert_eq!(of(work), Ok(Some(millis)), "{work}");
    }
    assert_eq!((of("0"), of("0s")), (Ok(None), Ok(None)));
    for work in ["soon", "-1h", "'5'"] {
        let error = of(work).unwrap_err();
        assert!(
            error.contains("is not an amount of work: expected a number, or a time such as 10h"),
            "{error}"
        );
    }
}
