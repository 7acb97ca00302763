//! Batch scripts as people write them for Slurm, run by a service on this machine, with what they print.

use assert_cmd::cargo::cargo_bin;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

const CONFIG: &str = r#"
listen = "127.0.0.1:0"
data = "data"

[policy]
cycle_every = 1
horizon = 7200
lead = 1
offers_within = 5
plan_within = 30
prepare_within = 10
confirm_within = 10

[batch.account.physics]
group = "physics"
budget = 900

[batch.partition.short]
sites = ["here"]

[batch.qos.high]
priority = 10

[[site]]
name = "here"
owner = "you"
connector = "local"
count = 16
price = 0.01
attributes = { cores = 8, memory_gb = 16, gpus = 2, gpu_type = "a100", ib = true }
"#;

/// A service on this machine, and who uses it.
struct Vo {
    directory: tempfile::TempDir,
    service: Option<Child>,
    url: String,
    token: String,
}

impl Drop for Vo {
    fn drop(&mut self) {
        if let Some(service) = &mut self.service {
            let _ = service.kill();
            let _ = service.wait();
        }
    }
}

impl Vo {
    fn open() -> Vo {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("walras.toml"), CONFIG).unwrap();
        let mut command = Command::new(cargo_bin("walras"));
        command.current_dir(directory.path()).args(["serve", "--config", "walras.toml"]);
        let mut service = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines: Vec<String> =
            BufReader::new(service.stdout.take().unwrap()).lines().take(2).map(Result::unwrap).collect();
        let url = format!("http://{}", lines[0].split_once("://").expect("it says where it listens").1);
        let mut vo = Vo { directory, service: Some(service), url, token: String::new() };
        vo.token = fs::read_to_string(vo.path().join("data/administrator.token")).unwrap();
        vo.done(&["user", "set", "ada", "--group", "physics"]);
        vo.done(&["deposit", "user:ada", "1000"]);
        vo.token = vo.done(&["token", "make", "user", "ada"]);
        vo
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn walras(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = Command::new(cargo_bin("walras"));
        command.current_dir(self.path()).args(arguments).env("LAB", "7").env("TZ", "UTC");
        command.env("WALRAS_URL", &self.url).env("WALRAS_TOKEN", self.token.trim());
        command.env("XDG_CONFIG_HOME", self.path());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    /// What it printed, when it was content.
    fn done(&self, arguments: &[&str]) -> String {
        let output = self.walras(arguments, "");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{arguments:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
        text
    }

    /// Submits a script by its text; its number.
    fn submit(&self, name: &str, text: &str, arguments: &[&str]) -> String {
        fs::write(self.path().join(name), text).unwrap();
        let printed = self.done(&[&["submit", name], arguments].concat());
        printed.trim().strip_prefix("job ").unwrap().to_owned()
    }

    /// Exit code and complaint of a call that is refused.
    fn refused(&self, arguments: &[&str], input: &str) -> (Option<i32>, String) {
        let output = self.walras(arguments, input);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{arguments:?}");
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }
}

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
    refusals(&vo);
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
    assert!(code == Some(2) && complaint.contains("the job weighs energy"), "{complaint}");
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
    assert_eq!(vo.done(&["jobs", "--json"]), before, "nothing was submitted");
}
