//! Files that jobs leave, brought by `walras output --get`: all that are there, whatever is missing.

use crate::vo::Vo;
use std::fs;

/// Submits a job file by its text; its number.
fn submit(vo: &Vo, name: &str, text: &str) -> String {
    vo.submit(name, &format!("walras: job/1\nname: {name}\nwork: 1m\n{text}"), &[])
}

/// What a call says on standard output and on standard error, with its exit code.
fn said(vo: &Vo, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = vo.walras(arguments, "");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn what_jobs_leave_is_brought_and_what_they_do_not_is_told() {
    let vo = Vo::open();
    a_job_without_its_outputs(&vo);
    elements(&vo);
    several_parts(&vo);
}

fn a_job_without_its_outputs(vo: &Vo) {
    let listed = "outputs: [a, by/b, gone, dir, pipe, link]\n";
    let command = "command: [sh, -c, 'echo 1 > a; echo 2 > by/b; mkdir dir; mkfifo pipe; ln -s a link']\n";
    let job = submit(vo, "bad.yaml", &format!("{listed}{command}"));
    let (code, out, _) = said(vo, &["wait", &job]);
    let why = "Part 0 ended without its output: gone is not there.";
    assert_eq!((code, out), (Some(1), format!("job {job} is failed: {why}\n")));
    for call in [["job", &job], ["explain", &job]] {
        let told = vo.done(&call);
        assert!(told.contains(why), "{told}");
    }
    assert!(vo.done(&["history", "--csv"]).contains(why));
    let (code, out, err) = said(vo, &["output", &job, "--get", "--to", "here"]);
    assert_eq!((code, out.as_str()), (Some(1), "here/a\nhere/by/b\n"), "{err}");
    assert_eq!(fs::read_to_string(vo.path().join("here/by/b")).unwrap(), "2\n");
    let expected = [
        format!("there is no file gone of job {job} "),
        format!("file dir of job {job} is not sent: it is a directory "),
        format!("file pipe of job {job} is not sent: it is no plain file, but a pipe, a socket or a device "),
        format!("file link of job {job} is not sent: it is a link or behind one, and no link is followed "),
        "4 of 6 files have not been brought\n".to_owned(),
    ];
    for (line, expected) in err.split_inclusive('\n').zip(&expected) {
        assert!(line.starts_with(&format!("walras: {expected}")), "{line}");
    }
    assert_eq!(err.lines().count(), expected.len(), "{err}");
}

fn elements(vo: &Vo) {
    let command = "command: [sh, -c, 'echo $SLURM_ARRAY_TASK_ID > out']\n";
    let array = submit(vo, "array.yaml", &format!("array: 2-6:2\noutputs: [out]\n{command}"));
    vo.done(&["wait", &array]);
    let files = "all/2/out\nall/4/out\nall/6/out\n";
    assert_eq!(vo.done(&["output", &array, "--get", "--to", "all"]), files);
    assert_eq!(vo.done(&["output", &array, "--get", "out", "--to", "all"]), files, "by their name, too");
    assert_eq!(fs::read_to_string(vo.path().join("all/4/out")).unwrap(), "4\n");
    let one = vo.done(&["output", &format!("{array}_6"), "--get", "--to", "one"]);
    assert_eq!(one, "one/out\n");
}

fn several_parts(vo: &Vo) {
    let command = "command: [sh, -c, 'echo part $WALRAS_PART | tee out']\n";
    let job = submit(vo, "wide.yaml", &format!("tasks: 2\noutputs: [out]\n{command}"));
    vo.done(&["wait", &job]);
    let (code, out, err) = said(vo, &["output", &job, "--get", "--to", "wide"]);
    assert_eq!((code, out.as_str()), (Some(0), "wide/out\n"));
    assert!(err.contains("has 2 parts"), "{err}");
    let (_, out, err) = said(vo, &["output", &job, "--follow"]);
    assert!(out == "part 0\n" && err.contains("has 2 parts: this is what part 0 prints"), "{out}{err}");
    assert_eq!(vo.done(&["output", &job, "--follow", "--part", "1"]), "part 1\n");
    vo.done(&["output", &job, "--get", "--part", "1", "--to", "wide"]);
    assert_eq!(fs::read_to_string(vo.path().join("wide/out")).unwrap(), "part 1\n");
    let flow = "walras: workflow/1\ntasks: [{name: g, work: 1m, nodes: 2, command: [sh, -c, 'echo rank $WALRAS_PART']}]\n";
    fs::write(vo.path().join("flow.yaml"), flow.replace("1m", "60")).unwrap();
    fs::write(vo.path().join("gang.yaml"), "walras: job/1\nname: gang\nworkflow: flow.yaml\n").unwrap();
    let gang = vo.done(&["submit", "gang.yaml"]);
    let gang = gang.trim().strip_prefix("job ").unwrap();
    vo.done(&["wait", gang]);
    for rank in ["0", "1"] {
        let printed = vo.done(&["output", gang, "--task", "g", "--part", rank]);
        assert_eq!(printed, format!("rank {rank}\n"));
    }
    let (code, complaint) = vo.refused(&["output", gang, "--task", "g", "--part", "2"], "");
    assert!(code == Some(1) && complaint.contains("task g of job"), "{complaint}");
}
