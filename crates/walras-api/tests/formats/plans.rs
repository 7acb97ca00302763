//! Plans: what is written, and what reads back.

use crate::{EXAMPLE, read_yaml};
use insta::assert_snapshot;
use walras_api::{Plan, Scenario, Unit, read_plan};
use walras_core::{Algorithm, Alternatives, Beyond, Criterion, LimitHit, SearchConfig, Unscheduled};
use walras_model::{
    Alternative, Explanation, Factor, Fixed, Interval, JobId, Money, NodeId, Performance, Placement, Rate,
    Reason, Requirement, SlotKey, SmallestChange, Span, Test, Time, Value, Window,
};

/// A plan file by hand.
pub(crate) const PLAN: &str = r#"{
  "schema": "walras.plan/1", "unit": "s",
  "search": {"algorithm": "alp", "mode": "first-on-the-fly", "budget_factor": 0.75, "slots_scanned": 4,
             "bound_hit": true, "limits_hit": ["branches"]},
  "alternatives": [
    {"job": "J1", "start": 150, "end": 230, "cost": 704,
     "slots": [{"site": "campus", "node": "cpu1", "start": 150, "end": 230, "cost": 400},
               {"site": "campus", "node": "cpu2", "start": 150, "end": 182, "cost": 304}]}
  ],
  "unscheduled": [
    {"job": "J2", "reasons": [{"kind": "taken_by_others", "text": "Gone."}], "smallest_change": {"tasks": 1}}
  ]
}"#;

fn time(millis: i64) -> Time {
    Time::from_millis(millis).unwrap()
}

fn placement(node: u32, start: i64, end: i64, micros: i64) -> Placement {
    let (node, interval) = (NodeId::new(node), Interval::new(time(start), time(end)).unwrap());
    let source = SlotKey { start: time(start), node };
    let rate = Rate::from_micros_per_second(1).unwrap();
    Placement { units: 1, node, interval, rate, cost: Money::from_micros(micros), source }
}

/// A window of two tasks, with numbers that a double would spoil.
fn alternatives(reasons: Vec<Reason>) -> Alternatives {
    let placements =
        vec![placement(0, 150_000, 230_000, 400_000_000), placement(1, 150_000, 167_648, 100_000)];
    let smallest_change = SmallestChange {
        budget: Some(Money::from_micros(9_007_199_254_740_993)),
        price_max: Rate::from_micros_per_second(1_234_567),
        deadline: Some(time(-500)),
        tasks: Some(2),
        performance_min: Performance::from_millionths(500_000),
        resources: [("memory_gb".to_owned(), Fixed::from_millionths(12_500_000))].into(),
    };
    Alternatives {
        found: vec![Alternative {
            job: JobId::new(0),
            window: Window::new(placements).unwrap(),
            bound: Some(1_500),
        }],
        unscheduled: vec![Unscheduled {
            job: JobId::new(1),
            explanation: Explanation { reasons, smallest_change },
        }],
        slots_scanned: 7,
        limits_hit: [LimitHit::AlternativesPerJob, LimitHit::Branches].into(),
        beyond: Beyond::Nothing,
    }
}

fn every_reason() -> Vec<Reason> {
    let performance_min = Performance::ONE;
    let requirement = Requirement { attribute: "os".into(), test: Test::Equals(Value::Text("linux".into())) };
    vec![
        Reason::RequirementUnmet { requirement, nodes: 1, needed: 3 },
        Reason::TooSlow { performance_min, nodes: 0, needed: 3 },
        Reason::TooFewNodes { nodes: 2, needed: 3 },
        Reason::SlotsTooShort { runtime_min: Span::from_millis(12_500).unwrap() },
        Reason::TooFewAtOnce { most: 1, needed: 3 },
        Reason::BudgetTooSmall { budget: Money::from_micros(100_000), needed: Money::from_micros(300_001) },
        Reason::PriceCapTooLow {
            price_max: Rate::from_micros_per_second(5_000_000).unwrap(),
            needed: Rate::from_micros_per_second(9_500_000).unwrap(),
        },
        Reason::DeadlineTooEarly { deadline: time(300_000), needed: time(340_250) },
        Reason::SeveralLimits,
        Reason::TakenByOthers,
    ]
}

fn scenario(unit: &str) -> Scenario {
    read_yaml(&EXAMPLE.replace("horizon:", &format!("unit: {unit}\nhorizon:"))).unwrap()
}

fn json(plan: &Plan) -> String {
    serde_json::to_string_pretty(plan).unwrap()
}

#[test]
fn a_plan_in_seconds() {
    let found = alternatives(vec![Reason::SeveralLimits]);
    let plan = Plan::from_alternatives(&scenario("s"), &SearchConfig::default(), &found);
    assert_snapshot!(json(&plan), @r#"
    {
      "schema": "walras.plan/1",
      "unit": "s",
      "search": {
        "algorithm": "amp",
        "mode": "all-alternatives",
        "budget_factor": 1,
        "slots_scanned": 7,
        "bound_hit": true,
        "limits_hit": [
          "alternatives_per_job",
          "branches"
        ]
      },
      "alternatives": [
        {
          "job": "J1",
          "start": 150,
          "end": 230,
          "cost": 400.1,
          "slots": [
            {
              "site": "campus",
              "node": "cpu1",
              "start": 150,
              "end": 230,
              "cost": 400
            },
            {
              "site": "campus",
              "node": "cpu2",
              "start": 150,
              "end": 167.648,
              "cost": 0.1
            }
          ],
          "bound": 1.5
        }
      ],
      "unscheduled": [
        {
          "job": "J2",
          "reasons": [
            {
              "kind": "several_limits",
              "text": "No single limit is to blame: only relaxing several of them together gives a window."
            }
          ],
          "smallest_change": {
            "budget": 9007199254.740993,
            "price_max": 1.234567,
            "deadline": -0.5,
            "tasks": 2,
            "performance_min": 0.5,
            "resources": {
              "memory_gb": 12.5
            }
          }
        }
      ]
    }
    "#);
}

#[test]
fn a_plan_in_milliseconds_reads_back() {
    let plan =
        Plan::from_alternatives(&scenario("ms"), &SearchConfig::default(), &alternatives(every_reason()));
    assert_eq!(plan.unit, Unit::Milliseconds);
    assert_eq!(plan.unscheduled[0].smallest_change.price_max.as_ref().unwrap().as_str(), "0.001234567");
    let text = json(&plan);
    let again = read_plan(text.as_bytes(), "plan.json").unwrap();
    assert_eq!(again, plan);
    assert_eq!(json(&again), text);
    let claim = again.to_claim("plan.json").unwrap();
    assert_eq!(claim.alternatives[0].end, time(230_000));
    assert_eq!(claim.alternatives[0].slots[1].cost, Money::from_micros(100_000));
}

#[test]
fn reasons_carry_numbers_and_words() {
    let plan =
        Plan::from_alternatives(&scenario("s"), &SearchConfig::default(), &alternatives(every_reason()));
    let lines: Vec<String> =
        plan.unscheduled[0].reasons.iter().map(|reason| serde_json::to_string(reason).unwrap()).collect();
    assert_snapshot!(lines.join("\n"), @r#"
    {"kind":"requirement_unmet","requirement":"os = linux","nodes":1,"needed":3,"text":"Only 1 node passes the requirement os = linux, and 3 are needed at once."}
    {"kind":"too_slow","performance_min":1,"nodes":0,"needed":3,"text":"No node has a performance of at least 1, and 3 are needed at once."}
    {"kind":"too_few_nodes","nodes":2,"needed":3,"text":"Only 2 nodes have everything that the job asks for, and 3 are needed at once."}
    {"kind":"slots_too_short","runtime_min":12.5,"text":"No free time on a fitting node is long enough: a task takes at least 12.5 s."}
    {"kind":"too_few_at_once","most":1,"needed":3,"text":"At most 1 fitting node is free at once for long enough, and 3 are needed."}
    {"kind":"budget_too_small","budget":0.1,"needed":0.300001,"short_by":0.200001,"text":"The budget of 0.1 credits is 0.200001 credits short of the cheapest window, which costs 0.300001 credits."}
    {"kind":"price_cap_too_low","price_max":5,"needed":9.5,"text":"The price cap of 5 credits per s is too low: a window needs 9.5."}
    {"kind":"deadline_too_early","deadline":300,"needed":340.25,"text":"The deadline 300 s is too early: the first window ends at 340.25 s."}
    {"kind":"several_limits","text":"No single limit is to blame: only relaxing several of them together gives a window."}
    {"kind":"taken_by_others","text":"There was a window before jobs of higher rank took their first ones."}
    "#);
}

#[test]
fn bounds_are_in_the_unit_of_the_criterion() {
    let bound = |criterion: Criterion, unit: &str| {
        let config = SearchConfig { algorithm: Algorithm::Criterion(criterion), ..SearchConfig::default() };
        let plan = Plan::from_alternatives(&scenario(unit), &config, &alternatives(vec![]));
        plan.alternatives[0].bound.as_ref().unwrap().to_string()
    };
    assert_eq!(bound(Criterion::Cost, "s"), "0.0015");
    assert_eq!(bound(Criterion::Finish, "s"), "1.5");
    assert_eq!(bound(Criterion::Finish, "ms"), "1500");
    assert_eq!(bound(Criterion::Energy, "s"), "0.0015");
    assert_eq!(bound(Criterion::Attribute("noise".into()), "ms"), "0.0015");
}

#[test]
fn a_plan_becomes_a_claim() {
    let plan = read_plan(PLAN.as_bytes(), "plan.json").unwrap();
    let rules = plan.rules();
    assert_eq!((rules.budget_factor, rules.price_cap), (Factor::from_millionths(750_000).unwrap(), true));
    let claim = plan.to_claim("plan.json").unwrap();
    assert_eq!(claim.alternatives[0].cost, Money::from_micros(704_000_000));
    assert_eq!(claim.alternatives[0].slots[1].node, "cpu2");
}

/// What is said of the plan with one part replaced.
fn refused(from: &str, to: &str) -> String {
    assert!(PLAN.contains(from));
    read_plan(PLAN.replacen(from, to, 1).as_bytes(), "plan.json").expect_err("accepted").to_string()
}

#[test]
fn bad_plans() {
    assert_snapshot!(refused("plan/1", "plan/2"), @"plan.json:2:13: schema: walras.plan/2 is not a version that is read here: expected walras.plan/1");
    assert_snapshot!(refused("\"alp\"", "\"best\""), @"plan.json:3:27: search.algorithm: 'best' is not a search: expected alp, amp or criterion=NAME, such as criterion=cost");
    assert_snapshot!(refused("0.75", "1.5"), @"plan.json:3:79: search.budget_factor: found 1.5, expected a number greater than 0 and at most 1, in millionths");
    assert_snapshot!(refused("\"branches\"", "\"twigs\""), @"plan.json:4:48: search.limits_hit[0]: `twigs` is not known here: expected one of alternatives_per_job, alternatives, branches, explanations");
    assert_snapshot!(refused("\"start\": 150", "\"start\": \"150\""), @r#"plan.json:6:28: alternatives[0].start: found "150", expected a number"#);
    assert_snapshot!(refused("\"start\": 150", "\"start\": 150.0001"), @"plan.json:6:28: alternatives[0].start: 150.0001 is not a time: it must be a whole number of milliseconds, within +-1000000000000000, written in s");
    assert_snapshot!(refused("\"end\": 182", "\"end\": 1e15"), @"plan.json:8:72: alternatives[0].slots[1].end: 1e15 is not a time: it must be a whole number of milliseconds, within +-1000000000000000, written in s");
    assert_snapshot!(refused("\"cost\": 304", "\"cost\": 1e300"), @"plan.json:8:85: alternatives[0].slots[1].cost: 1e300 is not an amount of credits: it must be a whole number of millionths in range");
    assert_snapshot!(refused("\"cost\": 304", "\"price\": 304"), @"plan.json:8:86: alternatives[0].slots[1].price: `price` is not known here: expected one of site, node, start, end, cost, units, capacity");
    assert_snapshot!(refused("\"tasks\": 1", "\"nodes\": 1"), @"plan.json:11:107: unscheduled[0].smallest_change.nodes: `nodes` is not known here: expected one of budget, price_max, deadline, tasks, performance_min, resources");
    assert_snapshot!(refused("\"unit\": \"s\",", ""), @"plan.json:1:1: document: the key `unit` is missing");
    assert_snapshot!(refused("\"bound_hit\": true", "\"bound_hit\": false"), @"plan.json:4:27: search.bound_hit: false contradicts `limits_hit`, which names some");
    assert_snapshot!(refused("[\"branches\"]", "[]"), @"plan.json:4:27: search.bound_hit: true contradicts `limits_hit`, which names none");
    assert_snapshot!(refused("[{\"kind\": \"taken_by_others\", \"text\": \"Gone.\"}]", "[]"), @"plan.json:11:30: unscheduled[0].reasons: [] is an empty list: a job without a window has at least one reason");
}

const CHOICE: &str = r#""objective": "min-cost", "status": "optimal", "gap": 0,
  "limits": {"time": 80, "budget": null}, "totals": {"cost": 704, "time": 80, "makespan": 230, "jobs": 1},
  "chosen": [{"job": "J1", "alternative": 0, "start": 150, "end": 230, "cost": 704, "time": 80}],
  "left_out": [], "alternatives": ["#;

fn with_choice() -> String {
    PLAN.replacen("\"alternatives\": [", CHOICE, 1)
}

#[test]
fn a_choice_is_read_written_and_claimed() {
    let plan = read_plan(with_choice().as_bytes(), "plan.json").unwrap();
    let again = read_plan(serde_json::to_string(&plan).unwrap().as_bytes(), "plan.json").unwrap();
    assert_eq!(again, plan);
    let claim = plan.to_claim("plan.json").unwrap();
    assert!(claim.one_each);
    assert_eq!(claim.unscheduled, Some(vec!["J2".to_owned()]));
    let choice = claim.choice.unwrap();
    assert_eq!((choice.time_limit, choice.budget_limit), (Some(80_000), None));
    assert_eq!((choice.cost, choice.time, choice.jobs), (704_000_000, 80_000, 1));
    assert_eq!(choice.chosen[0].alternative, 0);
}

#[test]
fn bad_choices() {
    let refused = |from: &str, to: &str| {
        assert!(with_choice().contains(from), "{from}");
        let text = with_choice().replacen(from, to, 1);
        read_plan(text.as_bytes(), "plan.json").expect_err("accepted").to_string()
    };
    assert_snapshot!(refused("\"left_out\": [], ", ""), @"plan.json:1:1: `objective` is there without `left_out`: the keys of a choice go together");
    assert_snapshot!(refused("\"optimal\"", "\"best\""), @"plan.json:5:38: status: `best` is not known here: expected one of optimal, feasible, infeasible, nothing-to-choose, unknown");
    assert_snapshot!(refused("\"optimal\", \"gap\": 0", "\"infeasible\", \"gap\": null"), @"plan.json:7:13: chosen: what is chosen contradicts the status infeasible");
    assert_snapshot!(refused("\"gap\": 0", "\"gap\": -1"), @"plan.json:5:56: gap: -1 is not a gap: it must be from 0 to 2, in whole millionths");
    assert_snapshot!(refused("\"gap\": 0", "\"gap\": 0.0000001"), @"plan.json:5:56: gap: 0.0000001 is not a gap: it must be from 0 to 2, in whole millionths");
    assert_snapshot!(refused("\"gap\": 0", "\"gap\": 7"), @"plan.json:5:56: gap: 7 is not a gap: it must be from 0 to 2, in whole millionths");
    assert_snapshot!(refused("\"gap\": 0", "\"gap\": 0.5"), @"plan.json:5:56: gap: 0.5 contradicts the status optimal");
    assert_snapshot!(refused("\"gap\": 0", "\"gap\": null"), @"plan.json:5:56: gap: null contradicts the status optimal");
    assert_snapshot!(refused("\"cost\": 704, \"time\": 80, \"makespan\"", "\"cost\": 7.0000001, \"time\": 80, \"makespan\""), @"plan.json:6:62: totals.cost: 7.0000001 is not a sum of credits, in millionths");
    assert_snapshot!(refused("\"alternative\": 0", "\"alternative\": -1"), @"plan.json:7:43: chosen[0].alternative: found -1, expected usize");
}

#[test]
fn a_byte_order_mark_is_skipped() {
    assert!(read_plan(format!("\u{feff}{PLAN}").as_bytes(), "plan.json").is_ok());
    assert!(crate::read_json(&format!("\u{feff}{}", crate::EXAMPLE_JSON)).is_ok());
    assert!(read_yaml(&format!("\u{feff}{EXAMPLE}")).is_ok());
}
