//! Scripts: what is understood, what is left out, what is refused.

use super::*;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use serde_json::json;
use walras_model::Time;

fn nobody() -> Submitter {
    Submitter::in_zone(TimeZone::UTC)
}

fn draft(header: &str) -> Result<JobDraft, String> {
    let text = format!("#!/bin/sh\n{header}\necho\n#WALRAS nonsense after the first command\n");
    read_script(text.as_bytes(), "dir/run.sh", &nobody(), &[]).map_err(|error| error.to_string())
}

fn job(header: &str) -> Result<Value, String> {
    let draft = draft(header)?;
    let mut job = draft.finish(Time::from_millis(0).unwrap()).map_err(|error| error.to_string())?;
    job.as_object_mut().unwrap().remove("script");
    Ok(job)
}

#[test]
fn what_is_understood() {
    let base = |more: Value| {
        let mut all = json!({"walras": "job/1", "name": "run.sh", "work": 60});
        let Value::Object(mut more) = more else { panic!("an object") };
        all.as_object_mut().unwrap().append(&mut more);
        all
    };
    let ntasks = |count: u64| json!({"SLURM_NTASKS": count.to_string(), "SLURM_NPROCS": count.to_string()});
    let cases = [
        ("", json!({})),
        ("#WALRAS env {A: 1, B: x}", json!({"env": {"A": 1, "B": "x"}})),
        ("#WALRAS env {A: 1}\n#SBATCH --export=A=2,B=3", json!({"env": {"A": 1, "B": "3"}})),
        (
            "#WALRAS resources {cores: 4, gpus: 1}\n#SBATCH --gpus-per-node=2 --exclusive",
            json!({"resources": {"cores": 4, "gpus": 1}, "requires": {"exclusive": true}, "env": {
                "SLURM_GPUS_ON_NODE": "2", "SLURM_GPUS_PER_NODE": "2"}}),
        ),
        (
            "#WALRAS requires {os: linux}\n#SBATCH --mem=1G",
            json!({"requires": {"os": "linux", "memory_gb": {"min": 1}},
            "env": {"SLURM_MEM_PER_NODE": "1024"}}),
        ),
        (
            "#SBATCH --nodes=6\n\n# a comment\n#SBATCH --ntasks=6",
            json!({"tasks": 6, "separate_nodes": true, "env": ntasks(6)}),
        ),
        ("#SBATCH -a 1-10:2%4 -H", json!({"array": "1-10:2%4", "held": true})),
        (
            "#SBATCH --dependency=afterok:17:18_3,singleton",
            json!({"after": {"ok": ["17", "18_3"]}, "singleton": true}),
        ),
        ("#WALRAS array 1-3\n#WALRAS after {any: [4]}", json!({"array": "1-3", "after": {"any": [4]}})),
        ("#WALRAS held\n#WALRAS singleton", json!({"held": true, "singleton": true})),
        ("#SBATCH --job-name=\"two words\"", json!({"name": "two words"})),
        ("#SBATCH -J fit -o %x.out", json!({"name": "fit", "output": "%x.out"})),
        ("#SBATCH --output=a\n#WALRAS output b", json!({"output": "b"})),
        ("#WALRAS tasks 3\n#SBATCH -n 5", json!({"tasks": 3, "env": ntasks(5)})),
        ("#SBATCH --deadline=now+1hour", json!({"deadline": "1970-01-01T01:00:00.000Z"})),
        ("#SBATCH --begin=2026-11-15T12:30", json!({"earliest": "2026-11-15T12:30:00.000Z"})),
        ("#WALRAS --deadline=90m", json!({"deadline": "1970-01-01T01:30:00.000Z"})),
        ("#WALRAS budget 12.5 # at most", json!({"budget": 12.5})),
        ("#WALRAS --price-max=5\n#WALRAS performance_min 2", json!({"price_max": 5, "performance_min": 2})),
        (
            "#WALRAS requires {os: linux, memory_gb: {min: 16}}",
            json!({"requires": {"os": "linux", "memory_gb": {"min": 16}}}),
        ),
        ("#WALRAS sites campus, cloud", json!({"sites": ["campus", "cloud"]})),
        ("#WALRAS sites [campus]", json!({"sites": ["campus"]})),
        ("#WALRAS same_site", json!({"same_site": true})),
        ("#WALRAS --same-site=false", json!({"same_site": false})),
        (
            "#WALRAS outputs a.txt, b.txt\n#WALRAS rerun",
            json!({"outputs": ["a.txt", "b.txt"], "rerun": true}),
        ),
        ("#WALRAS separate-nodes", json!({"separate_nodes": true})),
        ("#WALRAS search criterion=finish", json!({"search": "criterion=finish"})),
        ("#WALRAS prefers {cost: 2, finish: 1}", json!({"prefers": {"cost": 2, "finish": 1}})),
        (
            "#WALRAS user ada\n#WALRAS priority -3\n#WALRAS name 17",
            json!({"user": "ada", "priority": -3, "name": "17"}),
        ),
    ];
    for (header, expected) in cases {
        assert_eq!(job(&format!("#SBATCH -t 1\n{header}")), Ok(base(expected)), "{header}");
    }
    assert_eq!(job("#WALRAS work 7").unwrap()["work"], 7);
}

#[test]
fn what_is_left_out_is_named() {
    let header = "#SBATCH --wckey=x --time=5\n#SBATCH -v\n#SBATCHES";
    let left_out: Vec<String> = draft(header)
        .unwrap()
        .left_out()
        .iter()
        .map(|left_out| format!("{}: {} {}", left_out.line.unwrap(), left_out.directive, left_out.why))
        .collect();
    assert_eq!(left_out, ["2: --wckey=x does nothing here", "3: -v does nothing here"]);
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let error = |header: &str| job(header).unwrap_err();
    insta::assert_snapshot!(error("#SBATCH -t 1\n#WALRAS colour red"), @"dir/run.sh:3:1: #WALRAS: colour is not understood: expected one of account, after, alternatives, array, budget, comment, deadline, delay_after, delay_cost, directory, earliest, env, error, held, inputs, name, notify, output, outputs, partition, performance_min, prefers, price_max, priority, qos, requires, rerun, resources, same_site, search, segments, separate_nodes, singleton, sites, tasks, together, user, work");
    insta::assert_snapshot!(error("#WALRAS budget 1\n#WALRAS --budget=2"), @"dir/run.sh:3:1: #WALRAS: budget is there twice: give it once");
    insta::assert_snapshot!(error("#WALRAS budget"), @"dir/run.sh:2:1: budget: '' is not a value: expected one as in a job file");
    insta::assert_snapshot!(error("#WALRAS requires {os: "), @"dir/run.sh:2:1: requires: {os: is not a value: expected one as in a job file");
    insta::assert_snapshot!(error("#SBATCH -t 1\n#WALRAS budget -4"), @"dir/run.sh:3:1: budget: -4 is not a budget: it must be greater than 0");
    insta::assert_snapshot!(error("#SBATCH --time=soon"), @"dir/run.sh:2:1: --time: soon is not a time limit: expected minutes, hours:minutes:seconds or days-hours");
    insta::assert_snapshot!(error("#SBATCH --nodes=many"), @"dir/run.sh:2:1: --nodes: many is not a number of them");
    insta::assert_snapshot!(error("#SBATCH --nodes"), @"dir/run.sh:2:1: #SBATCH: --nodes has no value");
    insta::assert_snapshot!(error(""), @"dir/run.sh:1:1: work: it does not say how long it may run: expected a line such as `#SBATCH --time=30`, or `walras submit --time=30` (minutes)");
    let dos =
        |text: &str| read_script(text.as_bytes(), "dir/run.sh", &nobody(), &[]).unwrap_err().to_string();
    insta::assert_snapshot!(dos("#!/bin/sh\r\n#SBATCH -t 1\r\necho\r\n"), @"dir/run.sh:1:1: script: dir/run.sh has line breaks of DOS (CR LF), with which nothing finds its program: expected those of Unix (LF), as `dos2unix` makes them");
    assert!(dos("#!/bin/sh\n#SBATCH -t 1\r\n").starts_with("dir/run.sh:2:1: "));
}

#[test]
fn a_job_is_told_from_a_program() {
    assert!(has_directives(b"#!/bin/sh\n\n#SBATCH -t 1\n") && has_directives(b"#!/bin/sh\n#WALRAS work 1\n"));
    for other in ["#!/bin/sh\necho\n#SBATCH -t 1\n", "#SBATCH -t 1\n", "#!/bin/sh\n#SBATCHES\n", ""] {
        assert!(!has_directives(other.as_bytes()), "{other}");
    }
}

#[test]
fn the_script_itself_is_kept_and_arguments_are_added() {
    let text = "#!/bin/sh\n#SBATCH -t 1\necho $1\n";
    let mut draft = read_script(text.as_bytes(), "run.sh", &nobody(), &[]).unwrap();
    draft.add_arguments(["a b".to_owned()]);
    let job = draft.finish(Time::from_millis(0).unwrap()).unwrap();
    assert_eq!((job["script"].as_str(), &job["command"]), (Some(text), &json!(["a b"])));
}

proptest! {
    #[test]
    fn no_script_makes_it_panic(lines in prop::collection::vec("(#WALRAS |#SBATCH |#|)[-a-zN=:{\\[\"'% 0-9é]{0,24}", 0..8)) {
        let text = format!("#!\n{}", lines.join("\n"));
        if let Ok(draft) = read_script(text.as_bytes(), "any.sh", &nobody(), &[]) {
            let _ = draft.finish(Time::from_millis(0).unwrap());
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes: Vec<u8>) {
        let _ = read_script(&bytes, "any.sh", &nobody(), &[]);
    }
}
