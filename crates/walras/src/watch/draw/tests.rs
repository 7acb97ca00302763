//! Screens of several sizes.

use super::super::scene::{Details, Sheet, Snapshot, Wish};
use super::*;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const STATUS: &str = r#"{"now":"2026-11-15T12:30:00Z","speed":60,"version":"0.1.0","writable":true,"queued":3,"reserved":2,
"running":1,"ended":17,"cycle":{"cycle":12,"open":false,"next_at":"2026-11-15T12:31:00Z","proof":{"kind":"optimal","text":"best of the listed alternatives"},"served":5,"unserved":1},"entries":0,"alarms":[],"sites":[{"name":"campus","lost":false,"nodes":2,"nodes_lost":1,"nodes_drained":0,"nodes_busy":1,"heard_at":null},{"name":"cloud","lost":false,"nodes":1,"nodes_lost":0,"nodes_drained":0,"nodes_busy":0,"heard_at":null}]}"#;

const ACCOUNT: &str =
    r#"{"account":"user:ada","balance":950.5,"held":25,"credit":0,"available":925.5,"budgets":[]}"#;

const TIMETABLE: &str = r#"{"now":"2026-11-15T12:30:00Z","from":"2026-11-15T12:18:00Z","to":"2026-11-15T13:18:00Z","rows":[
{"site":"campus","node":"c1","lost":false,"bars":[
 {"start":"2026-11-15T12:00:00Z","end":"2026-11-15T12:24:00Z","kind":"ended","job":15,"name":"old"},
 {"start":"2026-11-15T12:25:00Z","end":"2026-11-15T12:45:00Z","kind":"running","job":17,"name":"fit"},
 {"start":"2026-11-15T12:50:00Z","end":"2026-11-15T14:00:00Z","kind":"owner","job":null,"name":null}]},
{"site":"campus","node":"c2","lost":true,"bars":[]},
{"site":"cloud","node":"g1","lost":false,"bars":[
 {"start":"2026-11-15T12:40:00Z","end":"2026-11-15T13:00:00Z","kind":"held","job":18,"name":"scan"},
 {"start":"2026-11-15T13:00:00Z","end":"2026-11-15T13:10:00Z","kind":"asked","job":null,"name":null}]}]}"#;

fn job(number: u64, name: &str, state: &str, sites: &str, why: &str) -> String {
    format!(
        r#"{{"job":{number},"id":"{number}","name":"{name}","user":"ada","state":"{state}","tasks":2,"workflow":false,
        "queued_at":"2026-11-15T12:00:00Z","start":null,"finish":null,"deadline":null,"budget":null,"held":12.5,
        "charged":0,"sites":[{sites}],"attempts":0,"why":{why},"parts":[]}}"#
    )
}

/// A scene with something of everything.
pub(in crate::watch) fn scene() -> Scene {
    let jobs = [
        job(18, "scan", "reserved", "\"cloud\"", "null"),
        job(17, "fit", "running", "\"campus\"", "null"),
        job(16, "too-dear", "queued", "", "\"No window is within the budget.\""),
    ];
    let snapshot = Snapshot {
        status: serde_json::from_str(STATUS).unwrap(),
        timetable: serde_json::from_str(TIMETABLE).unwrap(),
        jobs: jobs.iter().map(|text| serde_json::from_str(text).unwrap()).collect(),
        account: Some(serde_json::from_str(ACCOUNT).unwrap()),
        details: None,
    };
    let mut scene = Scene::new(snapshot, TimeZone::UTC, "http://127.0.0.1:7878");
    scene.push_event("2026-11-15 12:25:00  part-started  Job 17 runs on campus.".to_owned());
    scene.push_event("2026-11-15 12:29:00  cycle-planned  Cycle 12 is planned.".to_owned());
    scene
}

fn screen(scene: &Scene, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(scene, frame.area(), frame.buffer_mut())).unwrap();
    let text = terminal.backend().to_string();
    text.lines().map(|line| line.trim_matches('"').trim_end()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_wide_screen() {
    insta::assert_snapshot!(screen(&scene(), 100, 30), @r"
    walras 0.1.0  2026-11-15 12:30:00 (time x60)  http://127.0.0.1:7878
    nodes 1/3 (33%)  ada 950.5, 25 held  queued 3  reserved 2  running 1  ended 17
    cycle 12 planned: 5 served, 1 left out, best of the listed alternatives; next 2026-11-15 12:31:00
                   2026-11-15 12:18:00                                               2026-11-15 13:18:00
    campus/c1      15+++++++17############################      ........................................
    campus/c2 lost                  |
    cloud/g1                        |             18==========================---------------
    # runs  = held  - asked for  : planned  + has run  . owner  | now
       job  name              user        state           price  where, why
        18  scan              ada         reserved         12.5  cloud
        17  fit               ada         running          12.5  campus
        16  too-dear          ada         queued           12.5  No window is within the budget.












    what happens
    2026-11-15 12:25:00  part-started  Job 17 runs on campus.
    2026-11-15 12:29:00  cycle-planned  Cycle 12 is planned.


    ? help  arrows choose  Enter open  f filter  / find  +/- zoom  n j e  q quit
    ");
}

#[test]
fn a_usual_terminal_with_a_job_chosen() {
    let mut scene = scene();
    scene.apply(Wish::Down(2));
    scene.snapshot.jobs[0].id = "18_[3-9]".to_owned();
    let shown = screen(&scene, 80, 24);
    for part in [
        "http://127.0.0.1:7878",
        "nodes 1/3 (33%)  ada 950.5, 25 held  queued 3  reserved 2  running 1  ended 17",
        "campus/c1",
        "18_[3-9]  scan",
        "12.5  No window is within the budget.",
        "part-started",
        "? help",
    ] {
        assert!(shown.contains(part), "{part}:\n{shown}");
    }
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    terminal.draw(|frame| draw(&scene, frame.area(), frame.buffer_mut())).unwrap();
    let reversed = |y: u16| terminal.backend().buffer()[(10, y)].modifier.contains(Modifier::REVERSED);
    let lines: Vec<u16> = (0..24).filter(|y| reversed(*y)).collect();
    assert_eq!(lines.len(), 1, "one line is chosen: {lines:?}");
}

#[test]
fn a_job_that_is_open() {
    let mut scene = scene();
    scene.apply(Wish::Open);
    assert!(screen(&scene, 80, 24).contains("The service is asked."));
    let explanation = "Job 18 (scan) has its window on cloud and starts at 2026-11-15 12:40:00.\nwhat has happened\n  2026-11-15 12:00:00  It was submitted by somebody whose name is rather long, and then more was said of it.\n";
    let output = (0..100).map(|line| format!("line {line}\n")).collect();
    scene.snapshot.details = Some(Details { job: 18, explanation: explanation.to_owned(), output });
    let shown = screen(&scene, 80, 24);
    for part in [
        "job 18 (scan) is reserved: why   Tab what it printed   Esc back",
        "Job 18 (scan) has its window on cloud and starts at 2026-11-15 12:40:00.",
        "  2026-11-15 12:00:00  It was submitted by somebody whose name is rather long,\n  and then more was said of it.",
    ] {
        assert!(shown.contains(part), "{part}:\n{shown}");
    }
    scene.apply(Wish::Turn);
    let shown = screen(&scene, 80, 24);
    assert!(shown.contains("line 99") && !shown.contains("line 70\n"), "its end is shown: {shown}");
}

#[test]
fn help_and_hints_fit_a_usual_terminal() {
    let mut scene = scene();
    scene.hints = Some("To try:\n  walras jobs".to_owned());
    assert!(screen(&scene, 80, 24).contains("h what to try"));
    scene.apply(Wish::Help);
    let help = screen(&scene, 80, 24);
    assert!(help.contains("q, Ctrl-C    quit") && help.contains("| now"), "{help}");
    scene.apply(Wish::Back);
    scene.apply(Wish::Hints);
    assert!(screen(&scene, 80, 24).contains("walras jobs"));
}

#[test]
fn a_small_screen() {
    insta::assert_snapshot!(screen(&scene(), 40, 10), @r"
    2026-11-15 12:30:00 (time x60)
    nodes 1/3 (33%)  queued 3  running 1
    cycle 12 planned: 5 served, 1 left out
                  12:18:00          13:18:00
    campus/c1     15+17####### .............
    … and 2 more (n)
       job  name            state         p…
        18  scan            reserved…
        17  fit             running…
        16  too-dear        queued…
    ");
}

#[test]
fn what_is_hidden_is_announced() {
    let mut scene = scene();
    let row = scene.snapshot.timetable.rows[2].clone();
    scene.snapshot.timetable.rows.extend(vec![row; 17]);
    let shown = screen(&scene, 80, 24);
    let nodes = shown.lines().filter(|line| line.starts_with("c") && line.contains('/')).count();
    assert!(shown.contains(&format!("\n… and {} more (n)\n", 20 - nodes)), "{shown}");
    scene.apply(Wish::Show(Panel::Nodes));
    assert!(screen(&scene, 80, 24).contains(" more (arrows)"));
    scene.scroll = 19;
    assert!(!screen(&scene, 80, 24).contains(" more ("), "the last is shown");
}

#[test]
fn what_jobs_are_chosen_by_is_told_whole() {
    let mut scene = scene();
    scene.apply(Wish::Filter);
    scene.search = "a name that is rather long".to_owned();
    let shown = screen(&scene, 80, 24);
    assert!(shown.contains("[not ended] [with 'a name that…']\n"), "{shown}");
}

#[test]
fn trouble_and_tricks_are_shown_harmlessly() {
    let mut scene = scene();
    scene.trouble = Some("gone \u{1b}[2J".to_owned());
    scene.snapshot.jobs[0].name = "\u{1b}]0;x\u{7}".to_owned();
    let shown = screen(&scene, 100, 30);
    assert!(shown.contains("gone \u{fffd}[2J") && !shown.contains('\u{1b}'), "{shown}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_size_makes_it_panic(width in 1_u16..140, height in 1_u16..60, panel in 0_usize..4, scroll in 0_usize..9, trouble: bool) {
        let mut scene = scene();
        scene.panel = [Panel::All, Panel::Nodes, Panel::Jobs, Panel::Events][panel];
        scene.scroll = scroll;
        scene.selected = (scroll > 4).then_some(16);
        scene.sheet = [None, Some(Sheet::Help), Some(Sheet::Explanation(17)), Some(Sheet::Output(9))][scroll % 4];
        scene.trouble = trouble.then(|| "trouble".to_owned());
        screen(&scene, width, height);
    }
}
