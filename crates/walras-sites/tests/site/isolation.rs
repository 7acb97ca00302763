//! Users on one machine: what one may do to another. Every way that the machine gives is tried; of one that it does not give, that it is
//! refused.

use crate::bench::{Bench, Options, after, command, hold, local, now, number, refused};
use crate::process::line;
use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use walras_sites::local::{Account, Accounts, Demand, Isolation, LocalOptions, UidRange};
use walras_sites::{Clock, PartEnd, Program, SiteMessage, SiteRefusal};

fn own() -> Accounts {
    Accounts::Own { named: Default::default(), drawn: Some(UidRange::default()) }
}

fn shared() -> Accounts {
    Accounts::Shared(Account { uid: 65_534, gid: 65_534 })
}

/// The ways to keep users apart that this machine gives.
pub(crate) fn ways() -> Vec<LocalOptions> {
    let all = [(own(), Demand::Off), (shared(), Demand::Required), (own(), Demand::Required)];
    let all = all.into_iter().chain([(Accounts::Service, Demand::Required)]);
    let all = all.chain([(shared(), Demand::Landlock)]);
    all.filter_map(|(accounts, isolation)| {
        let options = LocalOptions { accounts, isolation, ..local() };
        match Isolation::probe(&options.accounts, isolation, &[]) {
            Ok(found) => {
                assert!(found.is_there(), "{found}");
                Some(options)
            }
            Err(refused) => {
                let directory = tempfile::tempdir().unwrap();
                let (memory, site) = (directory.path().join("site.db"), directory.path().join("site"));
                let opened = walras_sites::local::LocalConnector::open(options, Clock::WALL, &memory, &site);
                assert_eq!(opened.err().map(|error| error.to_string()), Some(refused.to_string()));
                None
            }
        }
    })
    .collect()
}

fn of(user: &str, text: &str, arguments: &[&Path]) -> Program {
    let arguments = arguments.iter().map(|path| path.to_str().unwrap());
    let words: Vec<&str> = ["sh", "-c", text, "sh"].into_iter().chain(arguments).collect();
    Program { user: user.to_owned(), ..command(&words) }
}

/// A bench on which a job of ada's runs and waits for its gate, and a token of the service's lies.
fn with_victim(options: LocalOptions) -> (Bench, Vec<SiteMessage>) {
    let mut bench = Bench::local(options.clone());
    // As the service does with all that it keeps.
    bench.options = Options::Local(LocalOptions { hidden: vec![bench.data.path().to_owned()], ..options });
    bench.reopen();
    std::fs::set_permissions(bench.data.path(), Permissions::from_mode(0o700)).unwrap();
    std::fs::write(bench.data.path().join("token"), "administrator").unwrap();
    bench.book(number(1), &[hold(0, now(), 60_000)]);
    let waits = "echo mine > secret; echo up; while [ ! -e gate ]; do sleep 0.05; done; cat secret";
    let said = bench.start(number(1), 1, &of("ada", waits, &[]));
    assert_eq!(line(&bench.file(1, 0, "output")), "up");
    let said = bench.wait_start(said);
    (bench, said)
}

/// Runs something of eve's on the other node.
fn attack(bench: &mut Bench, text: &str, arguments: &[&Path]) -> (PartEnd, String) {
    bench.book(number(2), &[hold(1, now(), 60_000)]);
    let said = bench.start(number(2), 1, &of("eve", text, arguments));
    let end = bench.wait_end(said, 0);
    (end, bench.printed(2))
}

fn ends_well(bench: &mut Bench, said: Vec<SiteMessage>) {
    std::fs::write(bench.file(1, 0, "gate"), "").unwrap();
    assert_eq!(bench.wait_end(said, 0), PartEnd::Done);
    assert_eq!(bench.printed(1), "up\nmine\n");
}

/// One at a time: sites draw the same accounts, and who ends all that is theirs ends what another test runs.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn nobody_reads_or_writes_what_others_have() {
    let _turn = turn();
    for options in ways() {
        let (mut bench, said) = with_victim(options);
        let (secret, output) = (bench.file(1, 0, "secret"), bench.file(1, 0, "output"));
        let (token, memory) = (bench.data.path().join("token"), bench.data.path().join("site.db"));
        let text = r#"cat "$1"; cat "$3"; cat "$4"; echo bad >> "$2"; rm -f "$1"; true > "$2"; cat "$2"
            cat "../../../1/0/$(basename "$5")/secret"; ls "$5"; ls -R "$6" | grep -c secret; exit 7"#;
        let place = secret.parent().unwrap();
        let site = bench.data.path().join("site");
        let (end, printed) = attack(&mut bench, text, &[&secret, &output, &token, &memory, place, &site]);
        assert_eq!(end, PartEnd::Failed(7));
        assert!(!printed.contains("mine") && !printed.contains("administrator"), "{printed}");
        assert!(!printed.contains("SQLite") && printed.lines().any(|line| line == "0"), "{printed}");
        ends_well(&mut bench, said);
    }
}

#[test]
fn nobody_ends_what_others_run_or_who_watches_over_it() {
    let _turn = turn();
    for options in ways() {
        let (mut bench, said) = with_victim(options);
        let text = "trap '' HUP; kill -9 -1; kill -9 $PPID; sleep 0.1; echo here";
        let (end, _) = attack(&mut bench, text, &[]);
        // Its own supervisor is there to say how it ended.
        assert!(!matches!(end, PartEnd::Lost | PartEnd::Vanished), "{end:?}");
        ends_well(&mut bench, said);
    }
}

#[test]
fn scripts_of_any_language_run_and_find_their_own_files() {
    let _turn = turn();
    let python = "#!/usr/bin/env python3\nimport json, os, sys, tempfile\nopen('own', 'w').write('x')\n\
                  with tempfile.TemporaryFile() as file:\n    file.write(b'x')\n\
                  print(json.dumps([os.listdir('.') != [], sys.argv[1:]]))\nsys.exit(3)\n";
    let shell = "#!/bin/sh\necho x > own && cat ./own; cd / && cd \"$OLDPWD\"; ls /proc/self/fd > /dev/null; exit 3\n";
    for options in ways() {
        let mut bench = Bench::local(options);
        for (number, (script, printed)) in (1..).zip([(python, "[true, [\"a b\"]]\n"), (shell, "x\n")]) {
            let program = Program { script: Some(script.to_owned()), ..command(&["a b"]) };
            let end = bench.run_on(number, &program);
            assert_eq!(
                (end, bench.printed(number).lines().next()),
                (PartEnd::Failed(3), printed.lines().next())
            );
        }
    }
}

#[test]
fn directories_are_private_and_cannot_be_guessed() {
    let _turn = turn();
    for options in ways() {
        let is_own = matches!(options.accounts, Accounts::Own { .. });
        let mut bench = Bench::local(options);
        let mut owners = Vec::new();
        for (reservation, user) in [(1, "ada"), (2, "eve"), (3, "ada")] {
            assert_eq!(bench.run_on(reservation, &of(user, "id -u", &[])), PartEnd::Done);
            let (work, output) = (bench.file(reservation, 0, ""), bench.file(reservation, 0, "output"));
            let (of_work, of_output) = (work.metadata().unwrap(), output.metadata().unwrap());
            assert_eq!((of_work.mode() & 0o7777, of_output.mode() & 0o7777), (0o700, 0o600));
            assert_eq!(bench.printed(reservation).trim(), of_work.uid().to_string());
            let name = work.components().next_back().unwrap().as_os_str().to_owned();
            assert_eq!(name.len(), "work-".len() + 32, "{name:?}");
            // Its own /tmp went with it.
            assert!(!work.parent().unwrap().join("tmp").exists());
            owners.push((of_work.uid(), name));
        }
        assert_eq!(owners[0].0, owners[2].0);
        assert_ne!(owners[0].1, owners[2].1);
        assert_eq!(owners[0].0 != owners[1].0, is_own, "{owners:?}");
    }
}

#[test]
fn what_is_kept_apart_ends_like_everything_else() {
    let _turn = turn();
    for options in ways() {
        let mut bench = Bench::local(options);
        assert_eq!(bench.run_on(1, &command(&["no-such-program"])), PartEnd::Failed(127));
        assert_eq!(bench.run_on(2, &command(&["/etc/passwd"])), PartEnd::Failed(126));
        assert_eq!(bench.run_on(3, &command(&["sh", "-c", "kill -6 $$"])), PartEnd::Failed(134));
        let gains = command(&["grep", "-c", "NoNewPrivs:.*1", "/proc/self/status"]);
        assert_eq!(bench.run_on(4, &gains), PartEnd::Done);
        bench.cancel(number(4));
        let text = "trap 'echo asked; exit 0' TERM; echo up; while :; do sleep 0.05; done";
        bench.book(number(5), &[hold(0, now(), 60_000)]);
        bench.start(number(5), 1, &of("ada", text, &[]));
        assert_eq!(line(&bench.file(5, 0, "output")), "up");
        bench.cancel(number(5));
        assert!(bench.printed(5).contains("asked\n"), "{}", bench.printed(5));
    }
}

#[test]
fn those_without_an_account_run_nothing() {
    let _turn = turn();
    let accounts = Accounts::Own { named: Default::default(), drawn: None };
    let mut bench = Bench::local(LocalOptions { accounts, ..local() });
    let holds = [hold(0, now(), 60_000)];
    let said = bench.ask(now(), number(1), &holds, after(now(), 60_000)).unwrap();
    assert_eq!(said, refused(number(1), SiteRefusal::NoAccount));
}

#[test]
fn what_keeps_nobody_apart_says_so() {
    let _turn = turn();
    let text = |accounts: &Accounts| Isolation::probe(accounts, Demand::Off, &[]).unwrap().to_string();
    assert!(text(&Accounts::Service).starts_with(
        "none: jobs of different users can read each other's files, and all that the service can, its tokens too"
    ));
    if let Ok(found) = Isolation::probe(&shared(), Demand::Off, &[]) {
        assert!(!found.is_there());
        assert_eq!(
            found.to_string(),
            "none: jobs of different users can read each other's files; no namespaces: they are not wanted; \
             no Landlock: it is not wanted"
        );
    }
}

#[test]
fn a_machine_with_landlock_alone_keeps_users_apart() {
    let _turn = turn();
    // What is wanted is got or refused: never less.
    match Isolation::probe(&shared(), Demand::Landlock, &[]) {
        Ok(found) => {
            assert!(found.is_there());
            assert!(
                found.to_string().starts_with("files and signals by Landlock; no namespaces: "),
                "{found}"
            );
        }
        Err(refused) => assert!(refused.to_string().contains("; no Landlock: "), "{refused}"),
    }
    // The service's own files are those of its programs too; and root's programs are not kept by it at all.
    let refused = Isolation::probe(&Accounts::Service, Demand::Landlock, &[]).unwrap_err().to_string();
    let expected =
        if rustix::process::geteuid().is_root() { "no Landlock: programs of root" } else { "Landlock" };
    assert!(refused.contains(expected), "{refused}");
}

#[test]
fn an_account_that_is_shared_is_locked_out_of_nothing_by_another_job() {
    let _turn = turn();
    let options = LocalOptions { accounts: shared(), isolation: Demand::Landlock, ..local() };
    if Isolation::probe(&options.accounts, options.isolation, &[]).is_err() {
        return;
    }
    // Its name is known, so that it must be nobody's there.
    let mut plain = Bench::local(options.clone());
    let script = Program { script: Some("#!/bin/sh\n".to_owned()), ..command(&[]) };
    assert_eq!(plain.run_on(1, &script), PartEnd::Done);
    let script = plain.file(1, 0, "").parent().unwrap().join("script").metadata().unwrap();
    assert_eq!((script.uid(), script.mode() & 0o7777), (rustix::process::geteuid().as_raw(), 0o750));
    let (mut bench, said) = with_victim(options);
    let site = bench.data.path().join("site");
    let text =
        r#"chmod 0 "$1"/1/0/* "$1"/1/0 "$1"/1 "$1" "$1"/1/0/script "$1"/1/0/task.json "$2"/token; exit 0"#;
    let data = bench.data.path().to_owned();
    assert_eq!(attack(&mut bench, text, &[&site, &data]).0, PartEnd::Done);
    ends_well(&mut bench, said);
}
