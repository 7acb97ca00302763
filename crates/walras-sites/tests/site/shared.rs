//! The directory that the tasks of a workflow share, and the files that go with jobs: on local sites and on a cluster.

use crate::bench::{Bench, after, command, hold, local, now, number, slurm};
use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use walras_broker::program::TaskProgram;
use walras_sites::files::FileFault;
use walras_sites::{JobNumber, OutputFault, PartEnd, Program, Start, StartPart};

const JOB: JobNumber = JobNumber::new(9);

/// A task that runs something of its own in a shell.
fn task(text: &str, outputs: &[&str]) -> TaskProgram {
    TaskProgram {
        command: ["sh", "-c", text].map(str::to_owned).to_vec(),
        env: BTreeMap::from([("WHO".to_owned(), "task".to_owned())]),
        outputs: outputs.iter().map(|name| (*name).to_owned()).collect(),
        ..TaskProgram::default()
    }
}

fn flow() -> Program {
    let mut program = Program { shares: true, ..command(&["sh", "-c", "echo the job says >> said"]) };
    program.particulars.env =
        BTreeMap::from([("WHO", "job"), ("WHERE", "here")].map(|(a, b)| (a.into(), b.into())));
    program.particulars.inputs = BTreeMap::from([("raw/1".to_owned(), "aGkK".to_owned())]);
    program
}

/// Runs tasks one after the other, each under a reservation of its own, and gives their ends.
fn run(bench: &mut Bench, first: u64, program: &Program, tasks: &[Option<TaskProgram>]) -> Vec<PartEnd> {
    let mut ends = Vec::new();
    for (task, reservation) in tasks.iter().zip(first..) {
        bench.book(number(reservation), &[hold(0, now(), 60_000)]);
        let (start, end) = (now(), after(now(), 60_000));
        let program_of = task.clone().map(Box::new);
        let parts = [StartPart {
            part: 0,
            hold: 0,
            gang: None,
            task: Some("t".into()),
            program: program_of,
            start,
            end,
        }];
        let start = Start {
            reservation: number(reservation),
            job: JOB,
            parts: &parts,
            size: 1,
            peers: &[],
            program,
            together: false,
        };
        let said = bench.site.start(now(), start).unwrap();
        ends.push(bench.wait_end(said, 0));
        bench.cancel(number(reservation));
    }
    ends
}

fn tasks_share_a_directory(mut bench: Bench) {
    let ends = run(
        &mut bench,
        1,
        &flow(),
        &[
            Some(task("cat raw/1 > a; echo $WHO $WHERE >> a; ls ~ | grep -c raw || true", &["a"])),
            None,
            Some(task("cat a said > b", &["b"])),
        ],
    );
    assert_eq!(ends, [PartEnd::Done, PartEnd::Done, PartEnd::Done]);
    let files = bench.site.files(JOB, "ada").unwrap().unwrap();
    let text = |name: &str| std::io::read_to_string(files.open(name).unwrap().0).unwrap();
    assert_eq!(text("b"), "hi\ntask here\nthe job says\n");
    assert_eq!(bench.site.left(number(3), 0).unwrap(), files);
    assert!(matches!(files.open("output"), Err(FileFault::NotThere(_))), "what they print is beside it");
    let other = bench.site.files(JobNumber::new(10), "ada").unwrap().unwrap();
    assert!(other != files && other.open("a").is_err(), "another job has another");
}

#[test]
fn tasks_of_a_workflow_share_a_directory() {
    tasks_share_a_directory(Bench::local(local()));
}

#[test]
fn tasks_of_a_workflow_share_a_directory_on_a_cluster() {
    tasks_share_a_directory(slurm().0);
}

#[test]
fn a_task_that_does_not_write_its_files_has_failed() {
    let mut bench = Bench::local(local());
    let linked = format!("ln -s /etc/passwd x; echo {} > /dev/null", bench.data.path().display());
    let tries = [
        task("true", &["x"]),
        task("mkdir x", &["x"]),
        task(&format!("rmdir x; {linked}"), &["x"]),
        task("rm -r x d; ln -s / d; true", &["d/etc/passwd"]),
        task("rm d; echo 1 > x", &["x"]),
        task("exit 4", &["nothing"]),
    ];
    let ends = run(&mut bench, 1, &flow(), &tries.map(Some));
    let missing = |fault| PartEnd::NoOutput { file: 0, fault };
    let (gone, link) = (missing(OutputFault::NotThere), missing(OutputFault::Link));
    let directory = missing(OutputFault::Directory);
    assert_eq!(ends, [gone, directory, link, link, PartEnd::Done, PartEnd::Failed(4)]);
    assert!(bench.printed(1).contains("it should have written x"), "{}", bench.printed(1));
    assert!(bench.printed(3).contains("leads out of the job's directory"), "{}", bench.printed(3));
}

/// The directories that a task's files lie in are there when it begins, in a workflow's directory and in that of a part.
#[test]
fn a_task_need_not_make_the_directories_of_its_files() {
    let mut bench = Bench::local(local());
    let ends = run(&mut bench, 1, &flow(), &[Some(task("echo 1 > results/by/a", &["results/by/a"]))]);
    assert_eq!(ends, [PartEnd::Done]);
}

/// What a job on one node lists is there when it has ended well; of several parts any may leave it.
#[test]
fn a_plain_job_that_does_not_write_its_files_has_failed() {
    let mut bench = Bench::local(local());
    let end = |bench: &mut Bench, reservation: u64, parts: u32, text: &str| {
        let mut program = command(&["sh", "-c", text]);
        program.particulars.outputs = vec!["out/a".to_owned(), "b".to_owned()];
        let holds: Vec<_> = (0..parts).map(|node| hold(node, now(), 60_000)).collect();
        bench.book(number(reservation), &holds);
        let said = bench.start(number(reservation), parts, &program);
        let end = bench.wait_end(said, 0);
        bench.cancel(number(reservation));
        end
    };
    assert_eq!(end(&mut bench, 1, 1, "echo 1 > out/a; echo 2 > b"), PartEnd::Done);
    for (reservation, text, fault) in [
        (2, "echo 1 > out/a", OutputFault::NotThere),
        (3, "echo 1 > out/a; mkdir b", OutputFault::Directory),
        (4, "echo 1 > out/a; mkfifo b", OutputFault::Special),
        (5, "echo 1 > out/a; ln -s out/a b", OutputFault::Link),
    ] {
        let expected = PartEnd::NoOutput { file: 1, fault };
        assert_eq!(end(&mut bench, reservation, 1, text), expected, "{text}");
    }
    assert_eq!(end(&mut bench, 6, 1, "exit 3"), PartEnd::Failed(3), "what failed has failed by itself");
    assert_eq!(end(&mut bench, 7, 2, "true"), PartEnd::Done);
}

#[test]
fn files_that_come_with_a_plain_job_are_in_the_directory_of_every_part() {
    let mut bench = Bench::local(local());
    let mut program = command(&["sh", "-c", "cat raw/1 > result; cat raw/1"]);
    program.particulars.inputs = BTreeMap::from([("raw/1".to_owned(), "aGkK".to_owned())]);
    bench.book(number(1), &[hold(0, now(), 60_000), hold(1, now(), 60_000)]);
    let said = bench.start(number(1), 2, &program);
    assert_eq!(bench.wait_end(said.clone(), 0), PartEnd::Done);
    let said = bench.site.observe(now(), number(1)).unwrap();
    assert_eq!(bench.wait_end(said, 1), PartEnd::Done);
    for part in [0, 1] {
        let left = bench.site.left(number(1), part).unwrap();
        assert_eq!(std::io::read_to_string(left.open("result").unwrap().0).unwrap(), "hi\n");
        // What a program leaves there leads nowhere.
        symlink("/etc/passwd", left.path().join("link")).unwrap();
        assert!(matches!(left.open("link"), Err(FileFault::Outside(_))));
    }
}

/// Numbers of jobs are given out again by a service that was put back from a backup.
#[test]
fn what_a_job_of_another_user_and_the_same_number_has_left_is_not_shared() {
    let mut bench = Bench::local(local());
    let ends = run(&mut bench, 1, &flow(), &[Some(task("cat raw/1 > a", &["a"]))]);
    assert_eq!(ends, [PartEnd::Done]);
    let other = Program { user: "bob".to_owned(), ..flow() };
    let ends = run(&mut bench, 2, &other, &[Some(task("test ! -e a && cat raw/1 > b", &["b"]))]);
    assert_eq!(ends, [PartEnd::Done]);
    let files = bench.site.files(JOB, "bob").unwrap().unwrap();
    assert!(files.open("a").is_err() && files.open("b").is_ok());
}
