//! Timetables of more nodes than anybody reads: sums, stretches of nodes, and what is looked for.

use super::house::House;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Two sites with more nodes than a timetable lists.
const MANY: &str = r#"
listen = "127.0.0.1:0"
data = "DATA"
[limits]
requests_per_second = 100000
burst = 100000
[policy]
cycle_every = 1
lead = 600
prepare_within = 30
confirm_within = 30
offers_within = 30
horizon = 7200
[[site]]
name = "north"
owner = "olga"
connector = "simulated"
count = 1200
price = 0.5
[[site]]
name = "south"
owner = "otto"
connector = "simulated"
count = 900
price = 1.5
"#;

fn rows(view: &Value) -> Vec<String> {
    let name = |row: &Value| format!("{}/{}", row["site"].as_str().unwrap(), row["node"].as_str().unwrap());
    view["rows"].as_array().unwrap().iter().map(name).collect()
}

/// Seconds of nodes in the bars of some kinds.
fn busy(view: &Value, kinds: &[&str]) -> f64 {
    let time =
        |of: &Value| of.as_str().unwrap().parse::<jiff::Timestamp>().unwrap().as_millisecond() as f64 / 1e3;
    let bars = view["rows"].as_array().unwrap().iter().flat_map(|row| row["bars"].as_array().unwrap());
    let wanted = bars.filter(|bar| kinds.contains(&bar["kind"].as_str().unwrap()));
    wanted.map(|bar| time(&bar["end"]) - time(&bar["start"])).sum()
}

#[test]
fn very_many_nodes_are_shown_in_sums_by_stretches_and_by_what_is_looked_for() {
    let house = House::with(MANY);
    let (ada, ben) = (house.user("ada"), house.user("ben"));
    let asked =
        |query: &str, token: &str| house.call("get", &format!("/v1/timetable?{query}"), Some(token), None);
    let until = Instant::now() + Duration::from_secs(60);
    while house.call("get", "/v1/offers?site=south&limit=1", Some(&ada), None).json(200)["offers"]
        == json!([])
    {
        assert!(Instant::now() < until, "the sites never say what is free");
        std::thread::sleep(Duration::from_millis(50));
    }
    // A time to come: it is the same however often it is looked at.
    let now = jiff::Timestamp::now();
    let minutes = |by: i64| (now + jiff::Span::new().minutes(by)).to_string();
    let job = json!({
        "walras": "job/1", "name": "wide-of-ada", "work": 200, "tasks": 7, "sites": ["north"], "earliest": minutes(65)
    });
    let number = house.call("post", "/v1/jobs", Some(&ada), Some(&job)).json(201)["job"].clone();
    loop {
        let state =
            house.call("get", &format!("/v1/jobs/{number}"), Some(&ada), None).json(200)["state"].clone();
        if ["planned", "reserved"].contains(&state.as_str().unwrap()) {
            break;
        }
        assert!(Instant::now() < until, "{state}");
        std::thread::sleep(Duration::from_millis(50));
    }
    let times = format!("from={}&to={}", minutes(60), minutes(100));

    let summed = asked(&format!("{times}&sums=true"), &ada).json(200);
    assert_eq!((&summed["nodes"], &summed["rows"]), (&json!(2_100), &json!([])));
    let blocks = summed["blocks"].as_array().unwrap();
    let sizes: Vec<_> = blocks
        .iter()
        .map(|it| (it["site"].as_str().unwrap(), it["first"].as_u64(), it["nodes"].as_u64()))
        .collect();
    let sized = |site, first, nodes| (site, Some(first), Some(nodes));
    let north = [sized("north", 0, 400), sized("north", 400, 400), sized("north", 800, 400)];
    assert_eq!(sizes[..3], north);
    assert_eq!(sizes[3..], [sized("south", 0, 450), sized("south", 450, 450)]);

    // The sums of a block are those of its nodes.
    let mut planned = 0.0;
    for block in blocks {
        let stretch = format!(
            "{times}&site={}&first={}&limit={}",
            block["site"].as_str().unwrap(),
            block["first"],
            block["nodes"]
        );
        let view = asked(&stretch, &ada).json(200);
        assert_eq!(view["rows"].as_array().unwrap().len() as u64, block["nodes"].as_u64().unwrap());
        for (sum, kinds) in [
            ("used", &["asked", "held", "running", "ended"][..]),
            ("planned", &["planned"]),
            ("owner", &["owner"]),
        ] {
            let means: Vec<f64> =
                block[sum].as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect();
            let total = means.iter().sum::<f64>() * 2_400.0 / means.len() as f64;
            let rows = busy(&view, kinds);
            // Means are told in hundredths of a node, cut off.
            assert!((total - rows).abs() <= 0.01 * 2_400.0 + 1.0, "{sum} of {stretch}: {total}, not {rows}");
            planned += if sum == "owner" { 0.0 } else { rows };
        }
    }
    assert!(planned > 0.0, "the job is among them");
    // A site that can be listed is.
    let whole = asked("site=north&sums=true", &ada).json(200);
    assert_eq!((rows(&whole).len(), whole.get("blocks")), (1_200, None));

    // Everybody finds nodes; jobs are found by who may see them.
    assert_eq!(rows(&asked("find=north/n1199", &ben).json(200)), ["north/n1199"]);
    let of_job = rows(&asked(&format!("{times}&find=WIDE-of"), &ada).json(200));
    assert_eq!(of_job.iter().collect::<BTreeSet<_>>().len(), 7, "{of_job:?}");
    assert!(rows(&asked(&format!("{times}&find=wide-of"), &ben).json(200)).is_empty());
    assert!(rows(&asked(&format!("{times}&find=ada"), &ben).json(200)).is_empty());

    let offers = house.call("get", "/v1/offers?site=south&first=449&nodes=2", Some(&ada), None).json(200);
    let sold: BTreeSet<_> =
        offers["offers"].as_array().unwrap().iter().map(|it| it["node"].as_str().unwrap()).collect();
    assert!(sold.is_subset(&BTreeSet::from(["n450", "n451"])), "{sold:?}");
    for wrong in ["limit=0", "limit=2001", "find=", "first=-1"] {
        assert_eq!(asked(wrong, &ada).status, 400, "{wrong}");
    }
}
