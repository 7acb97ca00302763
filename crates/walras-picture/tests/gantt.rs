//! What a picture must hold, read back from its XML.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic too")]

#[path = "../examples/gantt/scenes.rs"]
mod scenes;

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use scenes::{Stage, free_slots, job, large, node, seconds, site, small};
use std::collections::{BTreeMap, BTreeSet};
use walras_model::{
    Alternative, Batch, Division, JobId, Money, NodeId, Offers, Placement, Rate, Slot, SlotKey, Time, Window,
};
use walras_picture::{
    ARROWS_MAX, Arrow, Only, Scene, TaskColour, TaskMark, TimeUnit, WINDOW_BLOCKS_MAX, WindowStyle, gantt,
};

/// An element of a picture.
struct Found {
    name: String,
    attributes: BTreeMap<String, String>,
    text: String,
}

/// Reads a picture back; panics unless it is well formed.
fn read(svg: &str) -> Vec<Found> {
    let mut reader = Reader::from_str(svg);
    let mut found: Vec<Found> = Vec::new();
    let mut open = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                open.push(found.len());
                found.push(element(&start));
            }
            Event::Empty(start) => found.push(element(&start)),
            Event::End(_) => drop(open.pop().unwrap()),
            Event::Text(text) => {
                if let Some(innermost) = open.last() {
                    found[*innermost].text += &*text;
                }
            }
            Event::GeneralRef(entity) => {
                found[*open.last().unwrap()].text += resolve_predefined_entity(&entity).unwrap();
            }
            Event::Eof => break,
            other => panic!("unexpected {other:?}"),
        }
    }
    assert!(open.is_empty());
    found
}

fn element(start: &BytesStart<'_>) -> Found {
    let attributes = start.attributes().map(|attribute| {
        let attribute = attribute.unwrap();
        let value = quick_xml::escape::unescape(&attribute.value).unwrap().into_owned();
        (attribute.key.as_ref().to_owned(), value)
    });
    Found { name: start.name().as_ref().to_owned(), attributes: attributes.collect(), text: String::new() }
}

fn draw(stage: &Stage) -> String {
    gantt(&Scene::new("A plan", &stage.offers, &stage.batch, &stage.alternatives))
}

fn texts(found: &[Found]) -> Vec<&str> {
    found.iter().filter(|element| element.name == "text").map(|element| element.text.as_str()).collect()
}

fn number(element: &Found, attribute: &str) -> f64 {
    element.attributes[attribute].parse().unwrap()
}

fn windows(found: &[Found]) -> BTreeSet<&str> {
    found.iter().filter_map(|element| element.attributes.get("data-window")).map(String::as_str).collect()
}

#[test]
fn the_small_scene_reads_as_it_should() {
    let svg = draw(&small());
    insta::assert_snapshot!(texts(&read(&svg)).join(" | "));
}

#[test]
fn every_window_is_drawn_with_its_details() {
    let svg = draw(&small());
    let found = read(&svg);
    let expected = ["J1·1", "J1·2", "J2·1", "J2·2", "J2·3", "J3·1", "J3·2", "J3·3"];
    assert_eq!(windows(&found), BTreeSet::from(expected));
    let tooltips: Vec<&str> =
        found.iter().filter(|element| element.name == "title").map(|title| title.text.as_str()).collect();
    let details = "J2·3: window 3 of J2\nnode cpu5 at campus\n420–450 s\ncost 270 on this node, 750 on all 3";
    assert!(tooltips.contains(&details), "{tooltips:#?}");
    assert!(tooltips.contains(&"owner's work on cpu1: 20–150 s"));
    assert!(tooltips.contains(&"cpu6 at campus: price 12 per s, performance 1"));
}

#[test]
fn it_is_self_contained_accessible_and_the_same_every_time() {
    let svg = draw(&small());
    assert_eq!(svg, draw(&small()));
    let found = read(&svg);
    assert_eq!(found[0].attributes["role"], "img");
    assert_eq!((found[1].name.as_str(), found[1].text.as_str()), ("title", "A plan"));
    assert_eq!(found[2].name, "desc");
    assert!(!svg.contains("<script") && !svg.contains("href") && !svg.contains("@import"));
}

#[test]
fn names_are_escaped_and_illegal_characters_replaced() {
    let nasty = "</text>&amp;\"'<é中\u{1}\u{202E}";
    let shown = "</text>&amp;\"'<é中\u{FFFD}\u{FFFD}";
    let offers = Offers::new(
        seconds(0, 100),
        vec![site(nasty)],
        vec![node(nasty, 0, 10)],
        free_slots(0, 100, &[], 1_000),
    );
    let stage =
        Stage { offers: offers.unwrap(), batch: Batch::new(vec![job(nasty, 1, 10)]), alternatives: vec![] };
    let svg = gantt(&Scene::new(nasty, &stage.offers, &stage.batch, &[]));
    let found = read(&svg);
    assert_eq!(found[1].text, shown);
    // The title, the site, the node (cut to its column) and the job without a window.
    assert_eq!(texts(&found).iter().filter(|text| **text == shown).count(), 4);
}

#[test]
fn two_hundred_nodes_keep_to_a_sane_height() {
    for (nodes, sites) in [(1, 1), (6, 1), (40, 3), (200, 4), (1_500, 30), (300, 300)] {
        let stage = large(nodes, sites, 20);
        let svg = draw(&stage);
        let found = read(&svg);
        assert!(number(&found[0], "height") <= 2_600.0, "{nodes} nodes");
        let height = number(&found[0], "height");
        assert!(found.iter().filter(|element| element.name == "rect").all(|rect| number(rect, "y") < height));
        let note = texts(&found).iter().any(|text| text.starts_with("Not drawn: ") && text.contains("nodes"));
        assert_eq!(note, nodes > 1_000);
    }
}

#[test]
fn all_jobs_are_in_the_legend_or_counted() {
    let svg = draw(&large(100, 2, 100));
    let found = read(&svg);
    let texts = texts(&found);
    let named = texts.iter().filter(|text| text.contains(" × ")).count();
    let more = texts.iter().find_map(|text| text.strip_prefix("+ ")?.strip_suffix(" more")).unwrap();
    let unscheduled = texts.iter().skip_while(|text| **text != "without a window:").skip(1);
    let unscheduled = unscheduled.take_while(|text| text.starts_with('J')).count();
    assert!(unscheduled >= 10);
    assert_eq!(named + more.parse::<usize>().unwrap() + unscheduled, 100);
}

#[test]
fn labels_stay_inside_their_blocks() {
    let svg = draw(&large(60, 2, 20));
    let found = read(&svg);
    for pair in found.windows(2).filter(|pair| pair[0].name == "rect" && pair[1].name == "text") {
        if pair[1].attributes.contains_key("fill") {
            continue; // Legends and rows colour each text; blocks inherit.
        }
        let (left, width, x) = (number(&pair[0], "x"), number(&pair[0], "width"), number(&pair[1], "x"));
        assert!((left + width / 2.0 - x).abs() < 0.02);
        // No proportional font is narrower than a third of its size on these names.
        let least = pair[1].text.chars().count() as f64 * number(&pair[1], "font-size") / 3.0;
        assert!(least <= width, "{} in {width}", pair[1].text);
    }
}

/// One node, a job with many short windows on it.
fn crowded(count: i64) -> Stage {
    let horizon = seconds(0, count);
    let slots = free_slots(0, count, &[], 1_000);
    let offers = Offers::new(horizon, vec![site("s")], vec![node("n", 0, 10)], slots).unwrap();
    let source = SlotKey { start: Time::from_millis(0).unwrap(), node: NodeId::new(0) };
    let window = |start| {
        let interval = seconds(start, start + 1);
        let (node, cost) = (NodeId::new(0), Money::from_micros(1));
        let rate = Rate::from_micros_per_second(1).unwrap();
        Window::new(vec![Placement { units: 1, node, interval, rate, cost, source }])
    };
    let alternative = |start| Alternative { job: JobId::new(0), window: window(start).unwrap(), bound: None };
    Stage {
        offers,
        batch: Batch::new(vec![job("J", 1, 1)]),
        alternatives: (0..count).map(alternative).collect(),
    }
}

#[test]
fn too_many_windows_are_capped_and_the_rest_is_counted() {
    let stage = crowded(25_000);
    let svg = draw(&stage);
    let found = read(&svg);
    assert_eq!(windows(&found).len(), WINDOW_BLOCKS_MAX);
    let note = "Not drawn: 17,000 of 25,000 windows; a picture has at most 8,000 blocks.";
    assert!(texts(&found).contains(&note));
    assert!(svg.len() < 3_500_000, "{}", svg.len());

    let last = [24_999];
    let chosen =
        Scene { chosen: Some(&last), ..Scene::new("", &stage.offers, &stage.batch, &stage.alternatives) };
    assert!(windows(&read(&gantt(&chosen))).contains("J·25000"), "chosen windows come first");
}

#[test]
fn crowded_owners_work_is_joined_and_said_so() {
    let busy: Vec<(i64, i64)> = (0..15_000).map(|n| (3 * n, 3 * n + 1)).collect();
    let slots = free_slots(0, 45_000, &busy, 1_000);
    let offers = Offers::new(seconds(0, 45_000), vec![site("s")], vec![node("n", 0, 10)], slots).unwrap();
    let svg = draw(&Stage { offers, batch: Batch::default(), alternatives: vec![] });
    assert!(texts(&read(&svg)).iter().any(|text| text.contains("pixels apart is drawn as one block")));
}

#[test]
fn chosen_windows_are_solid_and_the_others_outlines() {
    let stage = small();
    let chosen = [0, 4, 2, 99];
    let scene =
        Scene { chosen: Some(&chosen), ..Scene::new("", &stage.offers, &stage.batch, &stage.alternatives) };
    let solid = scene.styles().iter().filter(|style| **style == WindowStyle::Solid).count();
    assert_eq!((solid, scene.styles().len()), (3, 8));
    let svg = gantt(&scene);
    let found = read(&svg);
    assert_eq!(windows(&found).len(), 8);
    let outlined =
        |element: &&Found| element.name == "rect" && element.attributes.contains_key("stroke-dasharray");
    // The five other windows have 3 + 2 + 2 + 3 + 2 blocks; the legend has one more.
    assert_eq!(found.iter().filter(outlined).count(), 13);
}

#[test]
fn strangers_and_emptiness_do_no_harm() {
    let stage = small();
    let other = large(1, 1, 1);
    // Windows on nodes, in jobs and at times that the scene does not have.
    let svg = gantt(&Scene::new("", &other.offers, &Batch::default(), &stage.alternatives));
    let found = read(&svg);
    assert!(windows(&found).contains("job 0·1"));
    let note = "Not drawn: 4 of 8 windows; they use no node and time that the picture shows.";
    assert!(texts(&found).contains(&note), "{:?}", texts(&found));
    let nothing = Offers::new(seconds(0, 1), vec![], vec![], vec![]).unwrap();
    let svg = gantt(&Scene::new("", &nothing, &Batch::default(), &[]));
    assert!(texts(&read(&svg)).contains(&"0 nodes at 0 sites · 0 jobs · 0 windows · 0–1 s"));
}

#[test]
fn milliseconds_are_written_as_such() {
    let stage = small();
    let scene = Scene {
        unit: TimeUnit::Milliseconds,
        ..Scene::new("", &stage.offers, &stage.batch, &stage.alternatives)
    };
    let svg = gantt(&scene);
    let found = read(&svg);
    let texts = texts(&found);
    assert!(texts.contains(&"price/ms") && texts.contains(&"time in ms") && texts.contains(&"0.005"));
    assert!(svg.contains("150000–230000 ms"));
}

/// A task of the first job of the small scene, in its first window.
fn task(place: usize, start: i64, end: i64) -> TaskMark<'static> {
    TaskMark {
        part: 0,
        name: "step",
        node: NodeId::new(0),
        interval: seconds(start, end),
        colour: TaskColour::OfJob { job: 0, place },
        cost: Money::from_micros(1),
        critical: place == 0,
    }
}

#[test]
fn tasks_have_shades_of_their_own_job_and_no_label_shows_through() {
    let stage = small();
    let tasks = [task(0, 150, 170), task(1, 170, 190), task(2, 190, 200)];
    let chosen = [0, 1, 2];
    let plain =
        Scene { chosen: Some(&chosen), ..Scene::new("", &stage.offers, &stage.batch, &stage.alternatives) };
    let label = |svg: &str| texts(&read(svg)).iter().any(|text| text.starts_with("J1·1"));
    assert!(label(&gantt(&plain)));
    let svg = gantt(&Scene { tasks: &tasks, ..plain });
    assert!(!label(&svg), "the tasks are in its place");
    let found = read(&svg);
    // A task is a block with a tooltip, inside a group or around its title.
    let titles = || found.iter().enumerate().filter(|(_, element)| element.text.starts_with("task step"));
    let fills: BTreeSet<&str> = titles()
        .filter_map(|(place, _)| {
            let near = [place.checked_sub(1)?, place + 1];
            near.iter().find_map(|place| found.get(*place).filter(|it| it.name == "rect"))
        })
        .map(|rect| rect.attributes["fill"].as_str())
        .collect();
    assert_eq!((titles().count(), fills.len()), (3, 3), "{fills:?}");
    let of_jobs: BTreeSet<&str> = found
        .windows(2)
        .filter(|pair| {
            pair[0].name == "rect" && pair[1].text.starts_with('J') && pair[1].text.contains(" × ")
        })
        .map(|pair| pair[0].attributes["fill"].as_str())
        .collect();
    assert_eq!(of_jobs.len(), 3);
    assert!(fills.intersection(&of_jobs).count() <= 1, "at most its own job's: {fills:?} {of_jobs:?}");
    assert!(svg.contains("on the critical path") && texts(&found).contains(&"critical path"));
}

#[test]
fn arrows_are_bounded_and_the_rest_is_counted() {
    let stage = small();
    let at = |seconds: i64| Time::from_millis(seconds * 1_000).unwrap();
    let arrow = |critical| Arrow { from: (NodeId::new(0), at(10)), to: (NodeId::new(1), at(20)), critical };
    let mut arrows = vec![arrow(true)];
    arrows.resize(ARROWS_MAX + 7, arrow(false));
    let scene = Scene { arrows: &arrows, ..Scene::new("", &stage.offers, &stage.batch, &stage.alternatives) };
    let svg = gantt(&scene);
    let found = read(&svg);
    // One more is in the legend.
    assert_eq!(svg.matches("marker-end").count(), ARROWS_MAX + 1);
    assert_eq!(svg.matches("url(#walras-critical)").count(), 1);
    let note = "Not drawn: 7 of 1,007 transfers; a picture has at most 1,000 arrows.";
    assert!(texts(&found).contains(&note), "{:?}", texts(&found));
    assert!(!draw(&stage).contains("marker"), "without data there are no arrows");
}

#[test]
fn only_what_is_asked_for_is_drawn_and_nobody_is_said_to_have_no_window() {
    let stage = small();
    let scene = Scene {
        only: Some(Only { windows: &[1, 6], reason: "only some are shown" }),
        ..Scene::new("", &stage.offers, &stage.batch, &stage.alternatives)
    };
    let svg = gantt(&scene);
    let found = read(&svg);
    assert_eq!(windows(&found).len(), 2);
    assert!(texts(&found).contains(&"Not drawn: 6 of 8 windows; only some are shown."));
    assert!(!texts(&found).contains(&"without a window:"));
}

/// Three jobs on a node of four units, of which the owner uses one in the first half: two side by side, and one of three units behind them.
fn shared() -> Stage {
    let rate = Rate::from_micros_per_second(4_000).unwrap();
    let slot =
        |start, end, units| Slot::new(NodeId::new(0), seconds(start, end), rate).unwrap().with_units(units);
    let mut machine = node("n1", 0, 10);
    machine.division = Division::new(4, BTreeMap::new()).unwrap();
    let slots = vec![slot(0, 50, 3), slot(50, 100, 4)];
    let offers = Offers::new(seconds(0, 100), vec![site("a")], vec![machine], slots).unwrap();
    let alternative = |job, start, end, units| {
        let interval = seconds(start, end);
        let source = SlotKey { start: interval.start(), node: NodeId::new(0) };
        let (node, cost) = (NodeId::new(0), Money::from_micros(1));
        let window = Window::new(vec![Placement { units, node, interval, rate, cost, source }]).unwrap();
        Alternative { job: JobId::new(job), window, bound: None }
    };
    Stage {
        offers,
        batch: Batch::new(["J1", "J2", "J3"].map(|name| job(name, 1, 1)).to_vec()),
        alternatives: vec![alternative(0, 10, 60, 1), alternative(1, 10, 40, 2), alternative(2, 60, 90, 3)],
    }
}

/// Where the block of each window lies: from left to right, and from top to bottom.
fn blocks(found: &[Found]) -> Vec<[f64; 4]> {
    let groups = found.iter().enumerate().filter(|(_, it)| it.attributes.contains_key("data-window"));
    let rect = |(place, _): (usize, &Found)| {
        let rect = found[place..].iter().find(|it| it.name == "rect").unwrap();
        let [x, y, width, height] = ["x", "y", "width", "height"].map(|name| number(rect, name));
        [x, x + width, y, y + height]
    };
    groups.map(rect).collect()
}

#[test]
fn tasks_that_share_a_node_lie_side_by_side_in_its_band() {
    let svg = draw(&shared());
    let found = read(&svg);
    let blocks = blocks(&found);
    assert_eq!(blocks.len(), 3);
    for (place, one) in blocks.iter().enumerate() {
        for other in &blocks[place + 1..] {
            let meets = |first: usize| one[first] < other[first + 1] && other[first] < one[first + 1];
            assert!(!(meets(0) && meets(2)), "{one:?} and {other:?} lie over each other");
        }
    }
    let height = |block: &[f64; 4]| block[3] - block[2];
    let mut heights: Vec<f64> = blocks.iter().map(height).collect();
    heights.sort_by(f64::total_cmp);
    let per_unit = (heights[2] - heights[0]) / 2.0;
    assert!((heights[1] - heights[0] - per_unit).abs() < 0.1 && per_unit > 15.0, "{heights:?}");
    let titles: Vec<&str> = found.iter().filter(|it| it.name == "title").map(|it| it.text.as_str()).collect();
    assert!(titles.iter().any(|title| title.contains("n1 at a (2 of 4 units)")), "{titles:?}");
    assert!(titles.iter().any(|title| title.starts_with("owner's work on a part of n1: 0–50")), "{titles:?}");
}
