//! Searches on drawings.

use crate::drawing::{describe, read};
use walras_core::*;

fn check(search: &str, drawing: &str) -> String {
    let config = SearchConfig { algorithm: search.parse().unwrap(), ..SearchConfig::default() };
    let mut text = describe(&read(drawing), &config);
    text.truncate(text.trim_end().len());
    text
}

const TWO_SPEEDS: &str = "
    slow price=1 perf=1 |##########|
    fast price=3 perf=2 |..########|
    mid  price=2 perf=1 |####..####|
";

#[test]
fn windows_have_a_rough_right_edge() {
    let text = check("alp", &format!("{TWO_SPEEDS} job J nodes=2 length=4"));
    insta::assert_snapshot!(text, @r"
    J [0,4] slow,mid cost=12
    J [4,8] slow,fast cost=10
    J [6,10] fast,mid cost=14
    ");
}

#[test]
fn amp_takes_dear_nodes_when_the_rest_is_cheap() {
    let drawing = "
        n1 price=1 |####....|
        n2 price=9 |####....|
        n3 price=5 |....####|
        n4 price=5 |....####|
        job J nodes=2 length=2 price_max=5
    ";
    insta::assert_snapshot!(check("amp", drawing), @r"
    J [0,2] n1,n2 cost=20
    J [2,4] n1,n2 cost=20
    J [4,6] n3,n4 cost=20
    J [6,8] n3,n4 cost=20
    ");
    insta::assert_snapshot!(check("alp", drawing), @r"
    J [4,6] n3,n4 cost=20
    J [6,8] n3,n4 cost=20
    ");
}

#[test]
fn each_criterion_has_its_own_best() {
    let jobs = format!("{TWO_SPEEDS} job J nodes=2 length=4 budget=12");
    let first =
        |criterion: &str| check(&format!("criterion={criterion}"), &jobs).lines().next().unwrap().to_owned();
    insta::assert_snapshot!(first("cost"), @"J [2,6] slow,fast cost=10");
    insta::assert_snapshot!(first("runtime"), @"J [0,4] slow,mid cost=12");
    insta::assert_snapshot!(first("finish"), @"J [0,4] slow,mid cost=12");
    insta::assert_snapshot!(first("start"), @"J [0,4] slow,mid cost=12");
    insta::assert_snapshot!(first("price"), @"J [0,4] slow,mid cost=12");
    insta::assert_snapshot!(first("node-time"), @"J [2,6] slow,fast cost=10");
}

#[test]
fn energy_counts_only_nodes_that_state_it() {
    let drawing = "
        hot   watts=300 |########|
        cool  watts=100 |..######|
        mute            |########|
        job J length=3
    ";
    insta::assert_snapshot!(check("criterion=energy", drawing), @r"
    J [2,5] cool cost=3
    J [5,8] cool cost=3
    J [0,3] hot cost=3
    J [3,6] hot cost=3
    ");
}

#[test]
fn requirements_and_scopes_filter() {
    let drawing = "
        a1 site=a os=linux memory=16 |######|
        a2 site=a os=linux memory=64 |######|
        b1 site=b os=bsd   memory=64 |######|
        b2 site=b os=linux memory=64 |..####|
        job eq    nodes=2 length=6 os=linux
        job ge    nodes=1 length=2 memory=>32 earliest=4
        job in    nodes=1 length=2 os=bsd,plan9
        job site  nodes=1 length=2 sites=b os=linux
    ";
    insta::assert_snapshot!(check("alp", drawing), @r"
    eq [0,6] a1,a2 cost=12
    ge [4,6] b1 cost=2
    in [0,2] b1 cost=2
    site [2,4] b2 cost=2
    ge [4,6] b2 cost=2
    in [2,4] b1 cost=2
    ");
}

#[test]
fn one_site_means_one_site() {
    let drawing = "
        a1 site=a |####......|
        a2 site=a |....######|
        b1 site=b |.#####....|
        b2 site=b |..####....|
        job apart nodes=2 length=3
    ";
    insta::assert_snapshot!(check("amp", drawing), @"apart [1,4] a1,b1 cost=6");
    insta::assert_snapshot!(check("amp", &drawing.replace("length=3", "length=3 same_site")), @"apart [2,5] b1,b2 cost=6");
}

#[test]
fn higher_priority_goes_first() {
    let drawing = "
        n1 |######|
        job low  length=4
        job high length=4 priority=1
    ";
    insta::assert_snapshot!(check("amp", drawing), @r"
    high [0,4] n1 cost=4
    low nowhere: [SlotsTooShort { runtime_min: Span(4000) }, TakenByOthers]
    ");
}

#[test]
fn earliest_and_deadline_bound_the_window() {
    let drawing = "
        n1 |##########|
        n2 |.#########|
        job J nodes=2 length=3 earliest=2 deadline=8
    ";
    insta::assert_snapshot!(check("amp", drawing), @r"
    J [2,5] n1,n2 cost=6
    J [5,8] n1,n2 cost=6
    ");
}

#[test]
fn on_the_fly_lets_a_late_job_wait() {
    let drawing = read(
        "
        n1 |#.######|
        n2 |...#####|
        job wide nodes=2 length=4 priority=1
        job thin nodes=1 length=1
    ",
    );
    let config = SearchConfig { mode: Mode::FirstOnTheFly, ..SearchConfig::default() };
    insta::assert_snapshot!(describe(&drawing, &config), @r"
    thin [0,1] n1 cost=1
    wide [3,7] n1,n2 cost=8
    ");
}

#[test]
fn limits_show_when_they_are_hit() {
    let drawing = read("n1 |########|\n job J length=1");
    let limits = SearchLimits { alternatives_per_job_max: 3, ..SearchLimits::default() };
    let config = SearchConfig { limits, ..SearchConfig::default() };
    let found = find_alternatives(&drawing.offers, &drawing.batch, &config);
    assert_eq!(found.found.len(), 3);
    assert_eq!(found.limits_hit.into_iter().collect::<Vec<_>>(), [LimitHit::AlternativesPerJob]);
}

#[test]
fn jobs_that_fit_nowhere_are_explained() {
    let check = |job: &str| {
        let drawing = format!(
            "
            n1 price=2 perf=1 os=linux |####....####|
            n2 price=4 perf=2 os=linux |..######....|
            n3 price=1 perf=1 os=bsd   |..........##|
            job J {job}
        "
        );
        check("amp", &drawing)
    };
    insta::assert_snapshot!(check("nodes=2 length=2 budget=5"), @r"
    J nowhere: [BudgetTooSmall { budget: Money(5000000), needed: Money(6000000) }]
      with budget=6
      with nodes=1
    ");
    insta::assert_snapshot!(check("nodes=2 length=2 deadline=3"), @r"
    J nowhere: [DeadlineTooEarly { deadline: Time(3000), needed: Time(4000) }]
      with deadline=4
      with nodes=1
    ");
    insta::assert_snapshot!(check("nodes=3 length=2"), @r"
    J nowhere: [TooFewAtOnce { most: 2, needed: 3 }]
      with nodes=2
    ");
    insta::assert_snapshot!(check("nodes=1 length=4 perf=2 price_max=3"), @r"
    J nowhere: [BudgetTooSmall { budget: Money(6000000), needed: Money(8000000) }]
      with budget=8
      with price_max=4
      with perf=1.500375
    ");
    insta::assert_snapshot!(check("nodes=1 length=50"), @"J nowhere: [SlotsTooShort { runtime_min: Span(25000) }]");
    insta::assert_snapshot!(check("nodes=2 length=2 os=bsd"), @r#"
    J nowhere: [RequirementUnmet { requirement: Requirement { attribute: "os", test: Equals(Text("bsd")) }, nodes: 1, needed: 2 }, TooFewNodes { nodes: 1, needed: 2 }]
      with nodes=1
    "#);
    insta::assert_snapshot!(check("nodes=1 length=4 perf=3"), @r"
    J nowhere: [TooSlow { performance_min: Performance(3000000), nodes: 0, needed: 1 }, TooFewNodes { nodes: 0, needed: 1 }]
      with perf=2
    ");
    insta::assert_snapshot!(check("nodes=2 length=2 budget=5 deadline=3"), @r"
    J nowhere: [SeveralLimits]
      with nodes=1
    ");
}
