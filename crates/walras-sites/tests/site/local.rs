//! Commands on this machine.

use crate::bench::{Bench, Options, after, command, executable, hold, local, now, number};
use crate::process::{line, runs};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;
use walras_sites::local::{Account, Accounts, LocalOptions, ProcessLimits, open_output};
use walras_sites::{Fault, JobNumber, PartEnd, Program, SiteMessage, Start, StartPart, Stream};

fn kill(pid: &str) {
    assert!(Command::new("sh").args(["-c", "kill -9 \"$0\"", pid]).status().unwrap().success());
}

/// The supervisor of the first part.
fn supervisor(bench: &Bench, reservation: u64) -> String {
    let path = bench.file(reservation, 0, "").parent().unwrap().join("begun.json");
    let begun: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    begun["supervisor"]["pid"].to_string()
}

#[test]
fn arguments_arrive_as_they_are() {
    let mut bench = Bench::local(local());
    let words = ["$HOME; rm -rf *", "`id`", "a  b", "", "'\"\\", "--", "*", "ä\n!"];
    let program = command(&[&["printf", "[%s]"], words.as_slice()].concat());
    assert_eq!(bench.run(1, &program), PartEnd::Done);
    assert_eq!(bench.printed(1), words.map(|word| format!("[{word}]")).concat());
}

#[test]
fn a_script_runs_by_its_own_first_line_with_its_arguments() {
    let mut bench = Bench::local(local());
    let script = Some("#!/bin/sh\necho \"$1|$PWD|$(cat)\"\nexit 3\n".to_owned());
    let output = Some("result.txt".to_owned());
    let program = Program { script, output, ..command(&["; a"]) };
    assert_eq!(bench.run(1, &program), PartEnd::Failed(3));
    let home = bench.file(1, 0, "").canonicalize().unwrap();
    assert_eq!(line(&bench.file(1, 0, "result.txt")), format!("; a|{}|", home.display()));
    let program = Program { script: Some("echo no".to_owned()), ..command(&[]) };
    assert_eq!(bench.run_on(2, &program), PartEnd::Failed(126));
    assert!(bench.printed(2).contains("its first line must begin with #!"));
}

#[test]
fn the_environment_is_clean() {
    let mut bench = Bench::local(local());
    assert_eq!(bench.run(1, &command(&["env"])), PartEnd::Done);
    let printed = bench.printed(1);
    let mut names: Vec<&str> = printed.lines().filter_map(|line| line.split('=').next()).collect();
    names.sort_unstable();
    let expected = "HOME LANG PATH SLURMD_NODENAME SLURM_CPUS_ON_NODE SLURM_JOBID SLURM_JOB_ID SLURM_JOB_NAME SLURM_JOB_NODELIST \
        SLURM_JOB_NUM_NODES SLURM_JOB_USER SLURM_LOCALID SLURM_NNODES SLURM_NODEID SLURM_NODELIST SLURM_NPROCS SLURM_NTASKS \
        SLURM_PROCID SLURM_SUBMIT_DIR WALRAS_JOB WALRAS_NAME WALRAS_NODE WALRAS_NODES WALRAS_PART WALRAS_PARTS WALRAS_USER";
    assert_eq!(names.join(" "), expected);
    assert!(printed.contains("WALRAS_NODE=n1\n") && printed.contains("WALRAS_JOB=9\n"));
}

#[test]
fn a_script_of_slurms_users_finds_what_it_looks_for() {
    let mut bench = Bench::local(local());
    let script = r#"#!/bin/sh
echo "$SLURM_JOB_ID $SLURM_JOB_NAME $SLURM_JOB_NUM_NODES $SLURM_NTASKS $SLURM_JOB_NODELIST"
echo "$SLURM_PROCID $SLURM_NODEID $SLURMD_NODENAME $SLURM_JOB_USER $LAB"
[ "$SLURM_CPUS_ON_NODE" -ge 1 ] && cd "$SLURM_SUBMIT_DIR" && pwd
echo oops >&2
"#;
    let mut program = Program { script: Some(script.to_owned()), ..command(&[]) };
    program.output = Some("logs/%x/%j.%t".to_owned());
    program.particulars.error = Some("%N.err".to_owned());
    program.particulars.env.insert("LAB".to_owned(), "7".to_owned());
    bench.book(number(1), &[hold(0, now(), 60_000), hold(1, now(), 60_000)]);
    let mut said = bench.start(number(1), 2, &program);
    for part in 0..2 {
        said = bench.wait(said, |it| matches!(it, SiteMessage::Ended { part: it, .. } if *it == part));
    }
    for (part, node) in [(0, "n1"), (1, "n2")] {
        let work = bench.file(1, part, "").canonicalize().unwrap();
        let text = std::fs::read_to_string(work.join(format!("logs/a job/9.{part}"))).unwrap();
        let expected = format!("9 a job 2 2 n1,n2\n{part} {part} {node} ada 7\n{}\n", work.display());
        assert_eq!(text, expected);
        assert_eq!(line(&work.join(format!("{node}.err"))), "oops");
        let of = |stream| bench.site.output(number(1), part, stream).unwrap().path();
        assert_eq!(of(Stream::Error).file_name().unwrap(), format!("{node}.err").as_str());
        assert!(of(Stream::Output).ends_with(format!("logs/a job/9.{part}")));
        // A program that puts a link in the way shows nothing else.
        let output = bench.site.output(number(1), part, Stream::Output).unwrap();
        assert!(output.open().is_ok());
        std::fs::rename(work.join("logs"), work.join("moved")).unwrap();
        std::os::unix::fs::symlink(work.join("moved"), work.join("logs")).unwrap();
        assert!(output.open().is_err());
    }
}

#[test]
fn a_program_begins_where_it_is_told() {
    let mut bench = Bench::local(local());
    let mut program = Program { script: Some("#!/bin/sh\npwd; echo $1\n".to_owned()), ..command(&["a b"]) };
    program.particulars.directory = Some("/usr".to_owned());
    assert_eq!(bench.run(1, &program), PartEnd::Done);
    assert_eq!(bench.printed(1), "/usr\na b\n");
    program.particulars.directory = Some("/no/such/directory".to_owned());
    assert_eq!(bench.run_on(2, &program), PartEnd::Failed(126));
    assert_eq!(bench.printed(2), "walras: there is no directory /no/such/directory on this site\n");
}

#[test]
fn what_cannot_run_fails_and_says_why() {
    let mut bench = Bench::local(local());
    assert_eq!(bench.run(1, &command(&[])), PartEnd::Failed(127));
    assert_eq!(bench.printed(1), "walras: nothing to run: the job has neither a command nor a script\n");
    assert_eq!(bench.run_on(2, &command(&["no-such-program"])), PartEnd::Failed(127));
    assert!(bench.printed(2).starts_with("walras: cannot run \"no-such-program\""));
    assert_eq!(bench.run_on(3, &command(&["/etc/passwd"])), PartEnd::Failed(126));
    assert_eq!(bench.run_on(4, &command(&["a\0b"])), PartEnd::Failed(126));
    assert_eq!(bench.run_on(5, &command(&["sh", "-c", "kill -6 $$"])), PartEnd::Failed(134));
}

#[test]
fn tricks_with_output_files_are_refused() {
    let mut bench = Bench::local(local());
    let tricks = [
        "../escaped",
        "/tmp/escaped",
        "..",
        ".",
        "",
        "a/../b",
        "/dev/zero",
        "a/.profile",
        ".profile",
        "a\nb",
        "a\0b",
    ];
    for (trick, number) in tricks.iter().zip(1..) {
        let program = Program { output: Some((*trick).to_owned()), ..command(&["echo", "hello"]) };
        assert_eq!(bench.run_on(number, &program), PartEnd::Failed(126), "{trick:?}");
        assert!(bench.printed(number).contains("bad name of the output file"), "{trick:?}");
        let files: Vec<_> = std::fs::read_dir(bench.file(number, 0, "")).unwrap().flatten().collect();
        assert_eq!(files.len(), 1);
    }
}

#[test]
fn what_was_put_in_the_place_of_the_output_is_not_read() {
    let mut bench = Bench::local(local());
    let file =
        |bench: &Bench| open_output(&bench.file(1, 0, "output")).map(|_| ()).map_err(|error| error.kind());
    assert_eq!(bench.run(1, &command(&["true"])), PartEnd::Done);
    assert_eq!(file(&bench), Ok(()));
    for trick in
        ["rm output; ln -s /etc/passwd output", "rm output; mkfifo output", "rm output; mkdir output"]
    {
        let path = bench.file(1, 0, "");
        assert!(Command::new("sh").args(["-c", trick]).current_dir(path).status().unwrap().success());
        assert!(file(&bench).is_err(), "{trick}");
    }
}

#[test]
fn the_time_limit_kills_everything_below() {
    let mut bench = Bench::local(local());
    let pids = bench.data.path().join("pids");
    // One that will not listen, in a session of its own, and one below it.
    let text = r#"trap '' TERM; setsid sh -c 'trap "" TERM; sleep 60 & echo $$ $! > "$0"; sleep 60' "$0" & sleep 60; sleep 60"#;
    // On a machine that starts it late its time is cut short, which is no fault of its own: with more time it is.
    let ends = (1..=4).map(|tried| {
        let _ = std::fs::remove_file(&pids);
        bench.book(number(tried), &[hold(0, now(), 2_000 << tried)]);
        let said = bench.start(number(tried), 1, &command(&["sh", "-c", text, pids.to_str().unwrap()]));
        let below = line(&pids);
        assert!(below.split(' ').all(runs));
        let end = bench.wait_end(said, 0);
        assert!(!below.split(' ').any(runs), "{below}");
        end
    });
    let ends: Vec<_> = ends.skip_while(|end| *end == PartEnd::Lost).take(1).collect();
    assert_eq!(ends, [PartEnd::TimedOut]);
}

#[test]
fn what_is_left_behind_ends_with_the_program() {
    let mut bench = Bench::local(local());
    assert_eq!(bench.run(1, &command(&["sh", "-c", "setsid sleep 60 & echo $!"])), PartEnd::Done);
    assert!(!runs(bench.printed(1).trim()));
}

#[test]
fn parts_on_one_hold_run_one_after_another() {
    let mut bench = Bench::local(local());
    let trace = bench.data.path().join("trace");
    let text = r#"echo in >> "$0"; sleep 0.2; echo out >> "$0""#;
    let program = command(&["sh", "-c", text, trace.to_str().unwrap()]);
    bench.book(number(1), &[hold(0, now(), 60_000)]);
    let end = after(now(), 100);
    let parts = [0, 1, 2].map(|part| StartPart {
        part,
        hold: 0,
        gang: None,
        task: Some(format!("t{part}")),
        program: None,
        start: now(),
        end,
    });
    let start = Start {
        reservation: number(1),
        job: JobNumber::new(1),
        parts: &parts,
        size: 1,
        peers: &[],
        program: &program,
        together: false,
    };
    let mut said = bench.site.start(now(), start).unwrap();
    bench.reopen();
    for part in 0..3 {
        said = bench.wait(said, |it| matches!(it, SiteMessage::Ended { part: it, .. } if *it == part));
    }
    assert_eq!(std::fs::read_to_string(trace).unwrap(), "in\nout\n".repeat(3));
}

#[test]
fn cancelling_kills_what_will_not_listen() {
    let mut bench = Bench::local(local());
    let program = command(&["sh", "-c", "trap '' TERM; sleep 60 & echo $! $$; wait; sleep 60"]);
    bench.book(number(1), &[hold(0, now(), 60_000)]);
    bench.start(number(1), 1, &program);
    let pids = line(&bench.file(1, 0, "output"));
    bench.cancel(number(1));
    assert!(!pids.split(' ').any(runs));
}

#[test]
fn what_was_cancelled_before_it_began_never_begins() {
    let mut bench = Bench::local(local());
    for round in 1..20 {
        let trace = bench.data.path().join(round.to_string());
        let program = command(&["touch", trace.to_str().unwrap()]);
        bench.book(number(round), &[hold(0, now(), 60_000)]);
        bench.start(number(round), 1, &program);
        bench.cancel(number(round));
        let there = trace.exists();
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(trace.exists(), there);
    }
}

/// Waits until a supervisor gives a sign of life a second after it began: this file changes.
fn wait_for_sign(begun: &std::path::Path) {
    let changed = || std::fs::metadata(begun).and_then(|it| it.modified()).unwrap();
    let (first, since) = (changed(), std::time::Instant::now());
    while changed().duration_since(first).unwrap_or_default() < Duration::from_millis(900) {
        assert!(since.elapsed() < Duration::from_secs(20), "no sign of life");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A part that runs, and what it has started, when its supervisor is killed.
fn killed(bench: &mut Bench) -> (Vec<SiteMessage>, String) {
    bench.book(number(1), &[hold(0, now(), 60_000)]);
    let said = bench.start(number(1), 1, &command(&["sh", "-c", "setsid sleep 60 & echo $$ $!; sleep 60"]));
    let pids = line(&bench.file(1, 0, "output"));
    let said = bench.wait_start(said);
    wait_for_sign(&bench.file(1, 0, "").parent().unwrap().join("begun.json"));
    kill(&supervisor(bench, 1));
    (said, pids)
}

#[test]
fn a_part_whose_supervisor_was_killed_has_vanished_and_nothing_of_it_runs_on() {
    let mut bench = Bench::local(local());
    let (said, pids) = killed(&mut bench);
    let at_kill = now();
    std::thread::sleep(Duration::from_millis(500));
    let said = bench.wait(said, |it| matches!(it, SiteMessage::Ended { .. }));
    let started = said.iter().find_map(|it| match it {
        SiteMessage::Started { at, .. } => Some(*at),
        _ => None,
    });
    let ended = said.iter().find_map(|it| match it {
        SiteMessage::Ended { at, end, .. } => Some((*at, *end)),
        _ => None,
    });
    let ((at, end), started) = (ended.unwrap(), started.unwrap());
    assert_eq!(end, PartEnd::Vanished);
    // It counts until its last sign of life, which it gives every second; files know the time to a few milliseconds.
    assert!(at <= at_kill && at >= after(started, 900), "{started} {at} {at_kill}");
    assert!(!pids.split(' ').any(runs));
}

#[test]
fn a_part_of_a_machine_that_was_started_again_is_lost() {
    let mut bench = Bench::local(local());
    let (said, pids) = killed(&mut bench);
    pids.split(' ').for_each(kill);
    let path = bench.file(1, 0, "").parent().unwrap().join("begun.json");
    let mut begun: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    begun["supervisor"]["boot"] = "another".into();
    std::fs::write(&path, begun.to_string()).unwrap();
    assert_eq!(bench.wait_end(said, 0), PartEnd::Lost);
}

#[test]
fn a_killed_service_does_not_lose_a_running_command() {
    let mut bench = Bench::local(local());
    let mut service = Command::new(executable());
    let text = r#"while [ ! -e "$0/gate" ]; do sleep 0.02; done; echo done"#;
    service.arg("hold").arg(bench.data.path()).args(["7", "sh", "-c", text]).arg(bench.data.path());
    let mut service = service.stdout(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(service.stdout.take().unwrap()).read_line(&mut said).unwrap();
    assert_eq!(said, "started\n");
    service.kill().unwrap();
    service.wait().unwrap();
    bench.reopen();
    let said = bench.site.poll(now()).unwrap();
    assert!(matches!(said.as_slice(), [SiteMessage::Started { .. }]), "{said:?}");
    bench.open_gate();
    assert_eq!(bench.wait_end(said, 0), PartEnd::Done);
    assert_eq!(bench.printed(7), "done\n");
}

#[test]
fn resources_are_limited() {
    let limits = ProcessLimits {
        file_size: Some(1 << 20),
        cpu_seconds: Some(1),
        open_files: Some(20),
        address_space: Some(512 << 20),
        processes: None,
    };
    let mut bench = Bench::local(LocalOptions { limits, ..local() });
    let big = command(&["sh", "-c", "head -c 3000000 /dev/zero > big; stat -c %s big"]);
    assert_eq!(bench.run(1, &big), PartEnd::Done);
    assert!(bench.printed(1).lines().any(|line| line == "1048576"), "{}", bench.printed(1));
    let limits = command(&["sh", "-c", "ulimit -n; ulimit -v; ulimit -c"]);
    assert_eq!(bench.run_on(2, &limits), PartEnd::Done);
    assert_eq!(bench.printed(2), "20\n524288\n0\n");
    let busy = command(&["sh", "-c", "while :; do :; done"]);
    assert!(matches!(bench.run_on(3, &busy), PartEnd::Failed(137 | 152)));
}

#[test]
fn old_directories_go_and_recent_ones_stay() {
    let mut bench = Bench::local(local());
    assert_eq!(bench.run(1, &command(&["true"])), PartEnd::Done);
    bench.cancel(number(1));
    bench.reopen();
    bench.site.poll(now()).unwrap();
    assert!(bench.file(1, 0, "output").exists());
    bench.options = Options::Local(LocalOptions { keep: Duration::ZERO, ..local() });
    bench.reopen();
    bench.book(number(2), &[hold(0, now(), 60_000)]);
    bench.start(number(2), 1, &command(&["sleep", "60"]));
    bench.site.poll(now()).unwrap();
    assert!(!bench.file(1, 0, "").exists());
    assert!(bench.file(2, 0, "").parent().unwrap().exists());
    bench.cancel(number(2));
}

#[test]
fn a_supervisor_that_cannot_run_is_an_error_and_a_part_that_never_began_is_lost() {
    let mut bench = Bench::local(local());
    bench.options = Options::Local(LocalOptions { executable: PathBuf::from("/no/such/program"), ..local() });
    bench.reopen();
    bench.book(number(1), &[hold(0, now(), 60_000)]);
    let error = bench.site.poll(now()).and_then(|_| bench.try_start(number(1)));
    assert!(error.unwrap_err().to_string().starts_with("cannot run /no/such/program"));
    bench.ahead = 60_000;
    assert_eq!(bench.wait_end(Vec::new(), 0), PartEnd::Lost);
    let error = bench.site.fault(after(now(), 1), &Fault::SiteLost).unwrap_err();
    assert_eq!(error.to_string(), "a site that runs real commands does not fail on demand");
}

#[test]
fn programs_can_run_as_somebody_else() {
    // Only root may do that.
    if Command::new("id").arg("-u").output().unwrap().stdout != b"0\n" {
        return;
    }
    let mut bench = Bench::local(LocalOptions {
        accounts: Accounts::Shared(Account { uid: 65_534, gid: 65_534 }),
        ..local()
    });
    let script = Some("#!/bin/sh\nid -u; id -G; touch mine && echo ok\n".to_owned());
    let end = bench.run(1, &Program { script, ..command(&[]) });
    assert_eq!(bench.printed(1), "65534\n65534\nok\n");
    assert_eq!(end, PartEnd::Done);
}
