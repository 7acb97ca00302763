//! A table becomes a connector.

use crate::config::{SIMULATED, read};
use std::path::Path;
use walras_model::{Interval, NodeId, Time};
use walras_service::clock::Clock;
use walras_service::site::{Joined, OpenError, open};
use walras_sites::{CycleNumber, Free, SiteMessage};

fn offered(table: &str) -> Free {
    let data = tempfile::tempdir().unwrap();
    let program = Path::new("/no/such/program");
    let nodes = (5..).map(NodeId::new).zip(read(table).unwrap().spec().unwrap().nodes).collect();
    let joined = Joined { nodes, gone: Vec::new() };
    let mut site = open(&read(table).unwrap(), Clock::WALL, data.path(), program, &joined, &[]).unwrap();
    let moment = |millis| Time::from_millis(millis).unwrap();
    let horizon = Interval::new(moment(0), moment(1_000)).unwrap();
    let messages = site.offers(moment(0), CycleNumber::new(1), horizon).unwrap();
    let Some(SiteMessage::Offers { free, .. }) = messages.into_iter().next() else {
        panic!("nothing is offered")
    };
    free
}

#[test]
fn a_site_sells_what_its_table_says() {
    let local =
        SIMULATED.replace("\"simulated\"", "\"local\"").replace("{\"takes_min\": 0.1}", "{\"uid\": null}");
    for table in [SIMULATED, local.as_str()] {
        let Free::Slots(free) = offered(table) else { panic!("expected slots: {table}") };
        let nodes: Vec<NodeId> = free.iter().map(|free| free.node).collect();
        assert_eq!(nodes, [NodeId::new(5), NodeId::new(6)], "{table}");
        let of_kind = |kind: &str| table.replace("\"count\"", &format!("\"kind\": \"{kind}\", \"count\""));
        assert_eq!(offered(&of_kind("capacity")), Free::Capacity(2), "{table}");
        assert!(matches!(offered(&of_kind("queue")), Free::Queue { units: 2, .. }), "{table}");
    }
}

#[test]
fn a_table_that_makes_no_site_is_refused_before_anything_is_made() {
    let data = tempfile::tempdir().unwrap();
    let table = read(&SIMULATED.replace("\"sim\"", "\"../sim\"")).unwrap();
    let error =
        open(&table, Clock::WALL, data.path(), Path::new("/no/such/program"), &Joined::default(), &[])
            .err()
            .unwrap();
    assert!(matches!(error, OpenError::Config(_)), "{error:?}");
    assert!(error.to_string().contains("name: expected 1 to 64 letters"), "{error}");
    assert_eq!(std::fs::read_dir(data.path()).unwrap().count(), 0);
}

#[test]
fn prices_for_what_the_site_does_not_have_are_refused() {
    let with = |more: &str| read(&SIMULATED.replacen('{', &format!("{{{more}, "), 1)).unwrap().spec();
    let wrong = with(r#""node_prices": {"n9": "1"}"#).unwrap_err();
    assert!(wrong.to_string().ends_with("node_prices: the site has no node 'n9'"), "{wrong}");
    let wrong = with(r#""class": "cpu", "class_prices": {"gpu": "1"}"#).unwrap_err();
    assert!(wrong.to_string().ends_with("class_prices: no node of the site is of class 'gpu'"), "{wrong}");
    with(r#""class": "gpu", "class_prices": {"gpu": "1"}, "node_prices": {"n1": "2"}"#).unwrap();
}
