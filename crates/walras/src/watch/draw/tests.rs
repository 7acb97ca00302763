//! Screens of several sizes.

use super::super::scene::Snapshot;
use super::*;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const STATUS: &str = r#"{"now":"2026-11-15T12:30:00Z","speed":60,"version":"0.1.0","writable":true,"queued":3,"reserved":2,
"running":1,"ended":17,"cycle":{"cycle":12,"open":false,"next_at":"2026-11-15T12:31:00Z","proof":{"kind":"optimal","text":"best of the listed alternatives"},"served":5,"unserved":1},"entries":0,"alarms":[],"sites":[]}"#;

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
    };
    let mut scene = Scene::new(snapshot, TimeZone::UTC);
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
    walras 0.1.0  2026-11-15 12:30:00 (time x60)
    queued 3  reserved 2  running 1  ended 17
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


    q quit  arrows scroll  +/- zoom  n nodes  j jobs  e events
    ");
}

#[test]
fn a_small_screen() {
    insta::assert_snapshot!(screen(&scene(), 40, 10), @r"
    walras 0.1.0  2026-11-15 12:30:00 (time
    queued 3  reserved 2  running 1  ended 1
    cycle 12 planned: 5 served, 1 left out,
                  12:18:00          13:18:00
    campus/c1     15+17####### .............
    campus/c2 los      |
       job  name              user        st
        18  scan              ada         re
        17  fit               ada         ru
        16  too-dear          ada         qu
    ");
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
        scene.trouble = trouble.then(|| "trouble".to_owned());
        screen(&scene, width, height);
    }
}
