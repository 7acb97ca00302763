//! Every directive of the table, as a job that has it alone and beside others.

use super::super::directive::{DIRECTIVES, DirectiveKind, Takes};
use super::super::script::read_script;
use super::*;
use jiff::tz::TimeZone;
use walras_model::Time;

fn submitter() -> Submitter {
    let environment = [("LAB", "7"), ("HOME", "/home/ada"), ("WALRAS_TOKEN", "hush"), ("PATH", "/opt/bin")];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Submitter { environment: Some(environment.into()), ..Submitter::in_zone(TimeZone::UTC) }
}

/// The job of a script with these directives, without what every job has.
fn job_with(directives: &str, options: &[Flag], submitter: &Submitter) -> Result<Value, String> {
    let text = format!("#!/bin/sh\n#SBATCH -t 1\n#SBATCH {directives}\necho\n");
    let draft =
        read_script(text.as_bytes(), "run.sh", submitter, options).map_err(|error| error.to_string())?;
    let job = draft.finish(Time::from_millis(1_000_000_000).unwrap()).map_err(|error| error.to_string())?;
    let Value::Object(mut job) = job else { return Err("no map".to_owned()) };
    for key in ["walras", "script"] {
        job.remove(key);
    }
    for (key, usual) in [("work", json!(60)), ("name", json!("run.sh"))] {
        if job.get(key) == Some(&usual) {
            job.remove(key);
        }
    }
    Ok(job.into())
}

fn job(directives: &str) -> Result<Value, String> {
    job_with(directives, &[], &submitter())
}

/// One example of each directive, and what it comes to.
fn examples() -> Vec<(&'static str, &'static str, Value)> {
    let tasks = |count: u64| json!({"SLURM_NTASKS": count.to_string(), "SLURM_NPROCS": count.to_string()});
    vec![
        ("nodes", "-N 2", json!({"tasks": 2, "separate_nodes": true, "env": tasks(2)})),
        ("ntasks", "-n 3", json!({"tasks": 3, "env": tasks(3)})),
        (
            "ntasks-per-node",
            "--ntasks-per-node=4",
            json!({"requires": {"cores": {"min": 4}},
                "env": {"SLURM_NTASKS": "4", "SLURM_NPROCS": "4", "SLURM_NTASKS_PER_NODE": "4"}}),
        ),
        (
            "cpus-per-task",
            "-c 8",
            json!({"requires": {"cores": {"min": 8}}, "env": {"SLURM_CPUS_PER_TASK": "8"}}),
        ),
        ("mincpus", "--mincpus=6", json!({"requires": {"cores": {"min": 6}}})),
        (
            "mem",
            "--mem=16G",
            json!({"requires": {"memory_gb": {"min": 16}}, "env": {"SLURM_MEM_PER_NODE": "16384"}}),
        ),
        (
            "mem-per-cpu",
            "--mem-per-cpu=500M",
            json!({"requires": {"memory_gb": {"min": 0.488_282}}, "env": {"SLURM_MEM_PER_CPU": "500"}}),
        ),
        (
            "gres",
            "--gres=gpu:a100:2",
            json!({"requires": {"gpus": {"min": 2}, "gpu_type": "a100"}, "env": gpus(2)}),
        ),
        ("gpus", "-G 4", json!({"requires": {"gpus": {"min": 4}}, "env": gpus(4)})),
        (
            "gpus-per-node",
            "--gpus-per-node=v100:1",
            json!({"requires": {"gpus": {"min": 1}, "gpu_type": "v100"}, "env": gpus(1)}),
        ),
        ("gpus-per-task", "--gpus-per-task=1", json!({"requires": {"gpus": {"min": 1}}, "env": gpus(1)})),
        ("constraint", "-C 'intel&(ib|opa)'", json!({"requires": {"intel": true, "ib|opa": true}})),
        ("time", "--time=1-02:03:04", json!({"work": 93_784})),
        ("begin", "-b now+1hour", json!({"earliest": "1970-01-12T14:46:40.000Z"})),
        ("deadline", "--deadline=18:00", json!({"deadline": "1970-01-12T18:00:00.000Z"})),
        ("job-name", "-J 'two words'", json!({"name": "two words"})),
        ("output", "-o %x-%j.out", json!({"output": "%x-%j.out"})),
        ("error", "-e %x-%j.err", json!({"error": "%x-%j.err"})),
        ("chdir", "-D /scratch/ada", json!({"directory": "/scratch/ada"})),
        ("export", "--export=LAB,MODE=fast", json!({"env": {"LAB": "7", "MODE": "fast"}})),
        ("account", "-A physics", json!({"account": "physics", "env": {"SLURM_JOB_ACCOUNT": "physics"}})),
        ("partition", "-p long", json!({"partition": "long", "env": {"SLURM_JOB_PARTITION": "long"}})),
        ("qos", "-q high", json!({"qos": "high", "env": {"SLURM_JOB_QOS": "high"}})),
        ("comment", "--comment='for the paper'", json!({"comment": "for the paper"})),
        ("array", "-a 1-10:2%4", json!({"array": "1-10:2%4"})),
        (
            "dependency",
            "--dependency=afterok:17:18_3,singleton",
            json!({"after": {"ok": ["17", "18_3"]}, "singleton": true}),
        ),
        ("hold", "-H", json!({"held": true})),
        ("exclusive", "--exclusive=user", json!({"requires": {"exclusive": true}})),
        ("requeue", "--requeue", json!({})),
        ("mail-type", "--mail-type=END,FAIL", json!({"notify": {"on": ["end", "fail"]}})),
        (
            "mail-user",
            "--mail-user=ada@example.org --mail-type=BEGIN",
            json!({"notify": {"on": ["begin"], "mail": "ada@example.org"}}),
        ),
        ("verbose", "-v", json!({})),
        ("quiet", "-Q", json!({})),
        ("parsable", "--parsable", json!({})),
        ("wckey", "--wckey=x", json!({})),
    ]
}

fn gpus(count: u64) -> Value {
    json!({"SLURM_GPUS_ON_NODE": count.to_string(), "SLURM_GPUS_PER_NODE": count.to_string()})
}

#[test]
fn every_directive_of_the_table_means_something() {
    let examples = examples();
    for (name, written, expected) in &examples {
        assert_eq!(job(written).as_ref(), Ok(expected), "{name}");
    }
    let with_example: Vec<&str> = examples.iter().map(|(name, ..)| *name).collect();
    let all: Vec<&str> = DIRECTIVES.iter().map(|directive| directive.name).collect();
    assert_eq!(with_example, all, "each has an example, in the order of the table");
}

#[test]
fn every_directive_is_an_option_too_and_goes_over_the_script() {
    for (name, written, expected) in examples() {
        let flags = slurm::flags(written);
        assert_eq!(job_with("", &flags, &submitter()), Ok(expected.clone()), "{name}");
    }
    let options = [Flag::new("time", Some("5".into())), Flag::new("cpus-per-task", Some("2".into()))];
    let text = "#!/bin/sh\n#SBATCH -t 1 -c 8 --ntasks-per-node=3\n#WALRAS work 7\n#WALRAS requires {cores: {min: 1}, os: linux}\n";
    let draft = read_script(text.as_bytes(), "run.sh", &submitter(), &options).unwrap();
    let job = draft.finish(Time::from_millis(0).unwrap()).unwrap();
    assert_eq!(job["work"], 300);
    assert_eq!(job["requires"], json!({"cores": {"min": 6}, "os": "linux"}));
}

#[test]
fn what_is_noted_is_told_and_what_holds_is_not() {
    for directive in DIRECTIVES {
        let value = if directive.takes == Takes::Value { "=x" } else { "" };
        let text = format!("#!/bin/sh\n#SBATCH --{}{value}\n", directive.name);
        let Ok(draft) = read_script(text.as_bytes(), "run.sh", &submitter(), &[]) else { continue };
        let told = draft.left_out().iter().any(|left_out| left_out.line == Some(2));
        assert_eq!(told, directive.kind() == DirectiveKind::Noted, "{}", directive.name);
    }
}

#[test]
fn directives_that_mean_something_together() {
    let of = |directives: &str| {
        let job = job(directives).unwrap();
        (job["tasks"].clone(), job["requires"].clone())
    };
    assert_eq!(of("-N 2 -n 8"), (json!(2), json!({"cores": {"min": 4}})));
    assert_eq!(of("-N 8 -n 2"), (json!(2), Value::Null));
    assert_eq!(of("-n 10 --ntasks-per-node=4 -c 2"), (json!(3), json!({"cores": {"min": 8}})));
    assert_eq!(of("-n 2 --ntasks-per-node=4"), (json!(1), json!({"cores": {"min": 2}})));
    assert_eq!(of("-N 2-4 --gpus=8"), (json!(2), json!({"gpus": {"min": 4}})));
    assert_eq!(
        of("-N 2 --ntasks-per-node=2 --gpus-per-task=1"),
        (json!(2), json!({"cores": {"min": 2}, "gpus": {"min": 2}}))
    );
    assert_eq!(
        of("-c 4 --mem-per-cpu=2G"),
        (Value::Null, json!({"cores": {"min": 4}, "memory_gb": {"min": 8}}))
    );
    assert_eq!(of("--mem=0 --gres=none -c 1"), (Value::Null, Value::Null));
    // The last counts.
    assert_eq!(of("-N 2 --nodes=3"), (json!(3), Value::Null));
    let separate = |directives: &str| job(directives).unwrap().get("separate_nodes").is_some();
    let all = ["-N 2", "-N 2 -n 8", "-n 10 --ntasks-per-node=4", "-n 8", "-N 1", "-n 2 --ntasks-per-node=4"];
    assert_eq!(all.map(separate), [true, true, true, false, false, false]);
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let wrong = |directives: &str| job(directives).unwrap_err();
    insta::assert_snapshot!(wrong("--signal=USR1@60"), @"run.sh:3:1: #SBATCH: --signal=USR1@60 is not understood, and what runs may depend on it; --ignore-unknown goes on without it");
    insta::assert_snapshot!(wrong("--mem=-4G"), @"run.sh:3:1: --mem: -4G is not an amount of memory: expected mebibytes, or a number with K, M, G or T");
    insta::assert_snapshot!(wrong("--mem=4G --mem-per-cpu=1G"), @"run.sh:3:1: --mem-per-cpu: 1G stands beside --mem: give one of the two");
    insta::assert_snapshot!(wrong("--mem-per-cpu=999999999T -c 1000"), @"run.sh:3:1: --mem-per-cpu: 999999999T is not an amount of memory: expected mebibytes, or a number with K, M, G or T");
    insta::assert_snapshot!(wrong("--gres=lscratch:100"), @"run.sh:3:1: --gres: lscratch:100 is not understood: of resources, gpu is, such as gpu:2 or gpu:a100:2");
    insta::assert_snapshot!(wrong("--gres=gpu:a100:1,gpu:v100:1"), @"run.sh:3:1: --gres: gpu:a100:1,gpu:v100:1 asks for another type of GPU: a node has one");
    insta::assert_snapshot!(wrong("--gpus=many:2:3"), @"run.sh:3:1: --gpus: many:2:3 is not a number of GPUs: expected one such as 2 or a100:2");
    insta::assert_snapshot!(wrong("-C [rack1|rack2]"), @"run.sh:3:1: --constraint: [rack1|rack2] is not understood: expected features such as a&b, a|b or (a|b)&c, without counts and brackets");
    insta::assert_snapshot!(wrong("-N 2 -n 9 --ntasks-per-node=4"), @"run.sh:3:1: --ntasks: 9 is more than 2 nodes with 4 tasks each have");
    insta::assert_snapshot!(wrong("--begin=soon"), @"run.sh:3:1: --begin: soon is not a point in time: expected one such as now+2hours, 16:00 or 2026-11-15T12:30");
    insta::assert_snapshot!(wrong("--time=UNLIMITED"), @"run.sh:3:1: --time: UNLIMITED is not a time limit: expected minutes, hours:minutes:seconds or days-hours");
    insta::assert_snapshot!(wrong("-o ../logs/%j.out"), @"run.sh:3:1: output: ../logs/%j.out is not a file in the job's directory: expected a relative path such as logs/%j.out, no dot at the begin of a name, at most 200 bytes; or /dev/null");
    assert!(wrong("-o /home/ada/%j.out").contains("is not a file in the job's directory"));
    insta::assert_snapshot!(wrong("-D work"), @"run.sh:3:1: directory: work is not a directory on a site: expected an absolute path, such as /scratch/ada");
    insta::assert_snapshot!(wrong("--export=MISSING"), @"run.sh:3:1: --export: MISSING is not set where it is submitted");
    insta::assert_snapshot!(wrong("--export=1A=x"), @"run.sh:3:1: --export: 1A=x is not understood: expected ALL, NONE, NAME or NAME=value, without spaces");
    insta::assert_snapshot!(wrong("--nodes"), @"run.sh:3:1: #SBATCH: --nodes has no value");
    insta::assert_snapshot!(wrong("stray"), @"run.sh:3:1: #SBATCH: stray is not understood, and what runs may depend on it; --ignore-unknown goes on without it");
    let option = job_with("", &[Flag::new("time", Some("soon".into()))], &submitter()).unwrap_err();
    insta::assert_snapshot!(option, @"options: --time: soon is not a time limit: expected minutes, hours:minutes:seconds or days-hours");
}

#[test]
fn what_is_not_understood_is_left_out_on_demand() {
    let lenient = Submitter { ignore_unknown: true, ..submitter() };
    let text = "#!/bin/sh\n#SBATCH -t 1 --signal=USR1@60\n#SBATCH --licenses matlab\n";
    let draft = read_script(text.as_bytes(), "run.sh", &lenient, &[]).unwrap();
    let left_out: Vec<(Option<u32>, &str)> =
        draft.left_out().iter().map(|it| (it.line, it.directive.as_str())).collect();
    assert_eq!(left_out, [(Some(2), "--signal=USR1@60"), (Some(3), "--licenses matlab")]);
    // What is understood and wrong stays an error.
    assert!(read_script(b"#!/bin/sh\n#SBATCH --mem=lots\n", "run.sh", &lenient, &[]).is_err());
}

#[test]
fn an_environment_goes_along_without_what_is_of_the_login() {
    assert_eq!(
        job("--export=ALL,MODE=slow").unwrap()["env"],
        json!({"LAB": "7", "PATH": "/opt/bin", "MODE": "slow"})
    );
    assert_eq!(job("--export=NONE").unwrap(), json!({}));
    let nobody = Submitter::in_zone(TimeZone::UTC);
    let text = "#!/bin/sh\n#SBATCH -t 1 --export=ALL\n";
    let draft = read_script(text.as_bytes(), "run.sh", &nobody, &[]).unwrap();
    assert_eq!(draft.left_out()[0].why, "is known only where it is submitted");
    let there = Submitter { directory: Some("/home/ada".to_owned()), ..submitter() };
    assert_eq!(job_with("", &[], &there).unwrap()["env"], json!({"SLURM_SUBMIT_DIR": "/home/ada"}));
}

#[test]
fn the_documents_have_the_table() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/jobs.md");
    let text = std::fs::read_to_string(page).unwrap();
    let cell = |text: &str| text.replace('|', "\\|");
    for directive in DIRECTIVES {
        let row = format!("| {} | {} |", directive.written(), cell(directive.means));
        assert!(text.contains(&row), "docs/jobs.md lacks:\n{row}");
    }
}
