//! Clusters grow and shrink: what is said of that, and what is sold.

use crate::bench::{Bench, FIRST, after, hold, now, number, slurm_with};
use crate::fake::FakeSlurm;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use walras_broker::site::NodeSpec;
use walras_model::{Attributes, Interval, NodeId, Performance, Rate, Share};
use walras_sites::slurm::probe::{Choice, feature};
use walras_sites::slurm::settings::Settings;
use walras_sites::slurm::{Census, Described, parse::NodeSeen};
use walras_sites::{CycleNumber, Effect, Free, SiteMessage};

fn spec(name: &str) -> NodeSpec {
    NodeSpec {
        name: name.to_owned(),
        class: None,
        performance: Performance::ONE,
        watts: None,
        attributes: Attributes::new(),
        division: Default::default(),
    }
}

fn describe(seen: &NodeSeen, _: &Settings) -> Described {
    let price = feature(seen, "price").map(|text| text.parse::<i64>().map_err(|_| "price".to_owned()));
    let rate = price.transpose()?.and_then(Rate::from_micros_per_second);
    Ok((spec(&seen.name), rate))
}

fn cluster(share: Share) -> (Bench, FakeSlurm) {
    let known: BTreeMap<String, NodeSpec> =
        ["n1", "n2"].into_iter().map(|name| (name.to_owned(), spec(name))).collect();
    let choice = Choice { partitions: Vec::new(), nodes: Vec::new(), share, keep: 0 };
    slurm_with(Some(Census { choice, describe: Arc::new(describe), known }))
}

/// What is said to be there, with new prices, and the nodes whose time is sold.
fn asked(bench: &mut Bench, later: &[(u32, &str)]) -> (Option<(Vec<String>, usize)>, Vec<u32>) {
    // Every look is another.
    std::thread::sleep(Duration::from_millis(60));
    let horizon = Interval::new(now(), after(now(), 3_600_000)).unwrap();
    let later_nodes = later.iter().map(|(number, name)| (NodeId::new(*number), (*name).to_owned())).collect();
    let (site, cycle) = (walras_model::SiteId::new(0), CycleNumber::new(1));
    let said = bench.site.perform(now(), &[Effect::AskOffers { site, cycle, horizon, later_nodes }]);
    let (mut nodes, mut sold) = (None, Vec::new());
    for message in said.into_iter().next().unwrap().unwrap() {
        match message {
            SiteMessage::Nodes { nodes: all, rates, .. } => {
                nodes = Some((all.into_iter().map(|node| node.name).collect(), rates.len()));
            }
            SiteMessage::Offers { free: Free::Slots(free), .. } => {
                sold.extend(free.iter().map(|free| free.node.number()));
            }
            other => panic!("{other:?}"),
        }
    }
    (nodes, sold)
}

fn said(names: &[&str], rates: usize) -> Option<(Vec<String>, usize)> {
    Some((names.iter().map(|&name| name.to_owned()).collect(), rates))
}

#[test]
fn a_node_that_comes_is_said_and_sold_once_it_has_a_number() {
    let (mut bench, fake) = cluster(Share::WHOLE);
    let both = vec![FIRST, FIRST + 1];
    assert_eq!(asked(&mut bench, &[]), (None, both.clone()));
    fake.cluster().more_nodes =
        "NodeName=n3 State=IDLE Partitions=all AvailableFeatures=price=5\n".to_owned();
    for _ in 0..2 {
        assert_eq!(asked(&mut bench, &[]), (said(&["n1", "n2", "n3"], 1), both.clone()));
    }
    let all = vec![FIRST, FIRST + 1, 77];
    assert_eq!(asked(&mut bench, &[(77, "n3")]), (None, all.clone()));
    // It can be held like the others.
    let mut held = hold(0, after(now(), 60_000), 5_000);
    held.node = Some(NodeId::new(77));
    bench.book(number(1), &[held]);
    assert!(fake.cluster().reservations.values().any(|(_, _, node)| node == "n3"));
    // A price that is no number is not sold, and says nothing.
    fake.cluster()
        .more_nodes
        .push_str("NodeName=n4 State=IDLE Partitions=all AvailableFeatures=price=cheap\n");
    assert_eq!(asked(&mut bench, &[(77, "n3")]), (None, all));
}

#[test]
fn a_node_is_gone_when_several_looks_have_missed_it() {
    let (mut bench, fake) = cluster(Share::WHOLE);
    let mut held = hold(1, after(now(), 60_000), 5_000);
    held.node = Some(NodeId::new(FIRST + 1));
    bench.book(number(1), &[held]);
    fake.cluster().halved = true;
    for _ in 0..2 {
        assert_eq!(asked(&mut bench, &[]), (None, vec![FIRST]));
    }
    // Half of what is printed is no news.
    fake.cluster().halved = false;
    assert_eq!(asked(&mut bench, &[]), (None, vec![FIRST, FIRST + 1]));
    fake.cluster().halved = true;
    for look in 0..6 {
        let expected = if look < 2 { None } else { said(&["n1"], 0) };
        assert_eq!(asked(&mut bench, &[]), (expected, vec![FIRST]), "look {look}");
    }
    assert_eq!(asked(&mut bench, &[]), (None, vec![FIRST]));
    // What is still held there is let go by its name.
    bench.cancel(number(1));
    assert!(fake.cluster().reservations.is_empty());
    // Another of that name has another number.
    fake.cluster().halved = false;
    assert_eq!(asked(&mut bench, &[]), (said(&["n1", "n2"], 0), vec![FIRST]));
    assert_eq!(asked(&mut bench, &[(90, "n2")]), (None, vec![FIRST, 90]));
}

#[test]
fn what_is_sold_stays_sold_where_not_all_may_be() {
    // Of two nodes both are sold, of three two may be.
    let (mut bench, fake) = cluster(Share::percent(70));
    fake.cluster().more_nodes = "NodeName=n0 State=IDLE Partitions=all Weight=100\n".to_owned();
    assert_eq!(asked(&mut bench, &[]), (None, vec![FIRST, FIRST + 1]));
}

/// Nobody has to ask what is free for it to be noticed.
#[test]
fn a_cluster_where_nothing_happens_is_looked_at_now_and_then() {
    let (mut bench, fake) = cluster(Share::WHOLE);
    fake.cluster().halved = true;
    let is_without = |message: &SiteMessage| matches!(message, SiteMessage::Nodes { nodes, .. } if nodes.iter().all(|node| node.name != "n2"));
    bench.wait(Vec::new(), is_without);
    // Seldom, for nobody is there.
    let looks = fake.cluster().looks;
    assert!((3..=30).contains(&looks), "{looks} looks");
}
