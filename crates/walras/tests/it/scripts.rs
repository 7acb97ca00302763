//! Batch scripts as people write them for Slurm, run by a service on this machine, with what they print.

use crate::vo::Vo;
use std::fs;
use std::path::{Path, PathBuf};

/// By file: the script, its arguments, and what its parts print; `{job}` stands for its number.
const SCRIPTS: [(&str, &str, &[&str], &[&str]); 10] = [
    ("hello.sh", include_str!("scripts/hello.sh"), &[], &["hello from hello, job {job}\n"]),
    (
        "mpi.sh",
        include_str!("scripts/mpi.sh"),
        &[],
        &["rank 0 of 2 nodes, 4 tasks: first\n", "rank 1 of 2 nodes, 4 tasks\n"],
    ),
    ("gpu.sh", include_str!("scripts/gpu.sh"), &[], &["training on 2 GPUs, seed 42\n"]),
    ("openmp.sh", include_str!("scripts/openmp.sh"), &[], &["4 threads, 2048 MB\n"]),
    ("sum.awk", include_str!("scripts/sum.awk"), &[], &["5050\n"]),
    ("sweep.sh", include_str!("scripts/sweep.sh"), &["alpha", "two words"], &["alpha|two words|2\n"]),
    ("modules.sh", include_str!("scripts/modules.sh"), &[], &["no module gcc/12\nsteps: 1 2 3\nclean\n"]),
    ("errors.sh", include_str!("scripts/errors.sh"), &[], &["result\n"]),
    ("export.sh", include_str!("scripts/export.sh"), &[], &["lab 7, mode fast, home of its own\n"]),
    ("accounting.sh", include_str!("scripts/accounting.sh"), &[], &["physics short high ada\n"]),
];

#[test]
fn ten_scripts_print_what_they_would() {
    let vo = Vo::open();
    let jobs: Vec<String> =
        SCRIPTS.iter().map(|(name, text, arguments, _)| vo.submit(name, text, arguments)).collect();
    let input = "#!/bin/sh\n#SBATCH -t 1\necho \"from standard input, $SLURM_JOB_NAME\"\n";
    let piped = String::from_utf8(vo.walras(&["submit", "-"], input).stdout).unwrap();
    let wrapped =
        vo.done(&["submit", "--time=1", "-J", "wrapped", "--wrap", "echo \"$SLURM_JOB_NAME $((6 * 7))\""]);
    let more = [piped, wrapped].map(|text| text.trim().strip_prefix("job ").unwrap().to_owned());
    let all: Vec<&str> = jobs.iter().chain(&more).map(String::as_str).collect();
    vo.done(&[&["wait"], all.as_slice()].concat());
    for ((name, _, _, parts), job) in SCRIPTS.iter().zip(&jobs) {
        for (part, expected) in parts.iter().enumerate() {
            let printed = vo.done(&["output", job, "--part", &part.to_string()]);
            assert_eq!(printed, expected.replace("{job}", job), "{name}, part {part}");
        }
    }
    assert_eq!(vo.done(&["output", &jobs[7], "--error"]), "a complaint\n");
    assert_eq!(vo.done(&["output", &more[0]]), "from standard input, stdin\n");
    assert_eq!(vo.done(&["output", &more[1]]), "wrapped 42\n");
    array_and_chain(&vo);
    output_places(&vo);
    refusals(&vo);
}

/// Every file below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    let found = entries.map(|entry| match entry.path() {
        path if path.is_dir() => files(&path),
        path => vec![path],
    });
    found.flatten().collect()
}

/// An array whose elements say what they are told, and a job that comes after all of them.
fn array_and_chain(vo: &Vo) {
    let array = vo.submit("array.sh", include_str!("scripts/array.sh"), &[]);
    let after = format!("--dependency=afterok:{array}");
    let chained = vo.submit("chain.sh", include_str!("scripts/chain.sh"), &[&after]);
    vo.done(&["wait", &array, &format!("{array}_6"), &chained]);
    for index in [2, 4, 6] {
        let element = format!("{array}_{index}");
        let expected = format!("element {index} of {array}: 3 elements from 2 to 6\n");
        assert_eq!(vo.done(&["output", &element]), expected, "{element}");
        let name = format!("many-{array}-{index}.out");
        let found = files(&vo.path().join("data"))
            .into_iter()
            .filter(|file| file.file_name().is_some_and(|it| it == name.as_str()))
            .map(|file| fs::read_to_string(file).unwrap());
        assert_eq!(found.collect::<Vec<_>>(), [expected], "what --output says: {name}");
    }
    assert_eq!(vo.done(&["output", &chained]), "all elements are done\n");
    let ends = |id: &str| vo.done(&["history", "--name", id, "--json"]);
    let past: serde_json::Value = serde_json::from_str(&ends("many")).unwrap();
    assert_eq!(past["jobs"][0]["elements"], 3, "an array is one line: {past}");
    let bills: serde_json::Value =
        serde_json::from_str(&vo.done(&["statement", "--by-job", "--json"])).unwrap();
    let bills: Vec<&serde_json::Value> =
        bills["bills"].as_array().unwrap().iter().filter(|bill| bill["name"] == "many").collect();
    let [bill] = bills[..] else { panic!("the bill of an array is one line: {bills:?}") };
    assert_eq!(bill["job"].to_string(), array);
    let paid = -bill["amount"].as_f64().unwrap();
    assert!((paid - past["jobs"][0]["charged"].as_f64().unwrap()).abs() < 1e-9, "{bill} {past}");
}

/// What a script prints goes where it says: to directories that are made, or nowhere.
fn output_places(vo: &Vo) {
    let logs = "#!/bin/sh\n#SBATCH -t 1 -o ./logs/%x/%j.out -e logs/%x/%j.err\necho told; echo moaned >&2\n";
    let job = vo.submit("logs.sh", logs, &[]);
    let quiet = vo.submit(
        "quiet.sh",
        "#!/bin/sh\n#SBATCH -t 1 -o /dev/null -e oops.err\necho told; echo oops >&2\n",
        &[],
    );
    vo.done(&["wait", &job, &quiet]);
    assert_eq!(vo.done(&["output", &job]), "told\n");
    assert_eq!(vo.done(&["output", &job, "--error"]), "moaned\n");
    assert_eq!(vo.done(&["output", &quiet, "--error"]), "oops\n");
    let (code, complaint) = vo.refused(&["output", &quiet], "");
    assert!(code == Some(1) && complaint.contains("there is no output of part 0"), "{complaint}");
    let kept = format!("logs/logs.sh/{job}.out");
    assert!(files(&vo.path().join("data")).iter().any(|file| file.ends_with(&kept)), "{kept}");
    let (code, complaint) = vo.refused(&["output", &job, "--get", "fit.csv"], "");
    assert!(
        code == Some(1) && complaint.contains(&format!("there is no file fit.csv of job {job}")),
        "{complaint}"
    );
}

/// What could never run, or is not understood, is refused at once, and nothing of it is there.
fn refusals(vo: &Vo) {
    let before = vo.done(&["jobs", "--json"]);
    let wrap =
        |options: &[&str]| vo.refused(&[&["submit", "-t", "1", "--wrap", "true"], options].concat(), "");
    let (code, complaint) = wrap(&["--gpus-per-node=8"]);
    assert_eq!(code, Some(2), "{complaint}");
    assert!(
        complaint.contains(
            "no site can ever run it: it needs 1 node with gpus >= 8 at once, and 0 of 16 nodes have that; nodes state \
             cores 8, gpu_type a100, gpus 2, ib true, memory_gb 16"
        ),
        "{complaint}"
    );
    let (code, complaint) = wrap(&["-N", "17"]);
    assert!(
        code == Some(2) && complaint.contains("it needs 17 nodes at once, and there are 16"),
        "{complaint}"
    );
    let (code, complaint) = wrap(&["-A", "biology"]);
    assert!(
        code == Some(2) && complaint.contains("biology is not known here: expected one of physics"),
        "{complaint}"
    );
    let (code, complaint) =
        vo.refused(&["submit", "-"], "#!/bin/sh\n#SBATCH -t 1\n#SBATCH --signal=USR1@60\n");
    assert!(
        code == Some(2)
            && complaint.starts_with("walras: stdin:3:1: #SBATCH: --signal=USR1@60 is not understood"),
        "{complaint}"
    );
    let (code, complaint) = vo.refused(&["submit", "-"], "{walras: job/1, name: empty, work: 1}");
    assert!(code == Some(2) && complaint.contains("here would really run it"), "{complaint}");
    // No node here says what it draws.
    let unknown = "{walras: job/1, name: a, work: 1, command: [\"true\"], prefers: {energy: 1}}";
    let (code, complaint) = vo.refused(&["submit", "-"], unknown);
    assert!(code == Some(2) && complaint.contains("the job goes by energy"), "{complaint}");
    // A workflow's task that runs nothing is named, in its own file.
    let flow = "walras: workflow/1\ntasks:\n  - {name: make, work: 1, command: [\"true\"]}\n  - {name: draw, work: 1}\n";
    fs::write(vo.path().join("flow.yaml"), flow).unwrap();
    fs::write(vo.path().join("j.yaml"), "walras: job/1\nname: j\nworkflow: flow.yaml\n").unwrap();
    let (code, complaint) = vo.refused(&["submit", "j.yaml"], "");
    let place =
        "walras: flow.yaml:4:5: tasks[1]: task draw has neither a command nor a script, and here would";
    assert!(code == Some(2) && complaint.starts_with(place), "{complaint}");
    let past = "#!/bin/sh\n#SBATCH -t 1\n#SBATCH --deadline=2020-01-01T00:00\n";
    let (code, complaint) = vo.refused(&["submit", "-"], past);
    assert!(
        code == Some(2)
            && complaint.starts_with("walras: stdin:3:1: deadline: 2020-01-01 00:00:00 has passed"),
        "{complaint}"
    );
    // Asked without submitting.
    let asked = vo.done(&["submit", "--test-only", "-t", "1", "--wrap", "true"]);
    assert!(asked.starts_with("starts about ") && asked.contains(" on here, about 0.6 credits"), "{asked}");
    fs::write(
        vo.path().join("dear.yaml"),
        "{walras: job/1, name: a, work: 60, budget: 0.1, command: [\"true\"]}",
    )
    .unwrap();
    let output = vo.walras(&["submit", "--test-only", "dear.yaml"], "");
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains("would not start as things are\n")
            && told.contains("would help: a budget of 0.6 credits"),
        "{told}"
    );
    // Of several none is submitted where one is refused, and what refuses it is told by file and line.
    let good = "{walras: job/1, name: good, work: 60, command: [\"true\"]}";
    fs::write(vo.path().join("good.yaml"), good).unwrap();
    let bad = "walras: job/1\nname: bad\nwork: 60\nafter: {ok: [99999]}\ncommand: [\"true\"]\n";
    fs::write(vo.path().join("bad.yaml"), bad).unwrap();
    let (code, complaint) = vo.refused(&["submit", "good.yaml", "bad.yaml"], "");
    let place = "walras: bad.yaml:4:13: after.ok: 99999 is not a job";
    assert!(code == Some(2) && complaint.starts_with(place), "{complaint}");
    let bag =
        "walras: job/1\nname: bag\ntasks: 12\ntogether: false\nwork: 60\nbudget: 0.5\ncommand: [\"true\"]\n";
    fs::write(vo.path().join("bag.yaml"), bag).unwrap();
    let (code, complaint) = vo.refused(&["submit", "bag.yaml"], "");
    let place = "walras: bag.yaml:6:9: budget: 0.5 credits do not pay all 12 elements, which cost 7.2 credits or more";
    assert!(code == Some(2) && complaint.starts_with(place), "{complaint}");
    let (code, complaint) = vo.refused(&["submit", "-"], "#!/bin/sh\n#SBATCH -t 1\n#SBATCH -A biology\n");
    assert!(code == Some(2) && complaint.starts_with("walras: stdin:3:1: account: biology"), "{complaint}");
    assert_eq!(vo.done(&["jobs", "--json"]), before, "nothing was submitted");
}
