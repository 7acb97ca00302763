//! Nodes are the site's to say: sites grow and shrink, and no number is given twice.

use crate::vo::{MINUTE, Vo, at};
use std::collections::BTreeMap;
use walras_broker::Effect;
use walras_broker::event::SiteEvent;
use walras_broker::input::{Input, SiteMessage};
use walras_broker::site::NodeSpec;
use walras_broker::{Event, Refusal};
use walras_model::{NodeId, Rate, SiteId};

fn specs(vo: &Vo) -> Vec<NodeSpec> {
    vo.broker.state().site(SiteId::new(0)).unwrap().spec.nodes.clone()
}

fn named(like: &NodeSpec, name: &str) -> NodeSpec {
    NodeSpec { name: name.to_owned(), ..like.clone() }
}

fn says(vo: &mut Vo, nodes: &[NodeSpec]) {
    vo.now += 1;
    let rates = BTreeMap::from([("later".to_owned(), Rate::from_micros_per_second(7).unwrap())]);
    vo.heard(0, SiteMessage::Nodes { at: at(vo.now), nodes: nodes.to_vec(), rates });
}

/// The nodes that the site has now, by number.
fn now_there(vo: &Vo) -> Vec<(u32, String)> {
    let state = vo.broker.state();
    let of = |(node, spec): (NodeId, &NodeSpec)| (node.number(), spec.name.clone());
    state.nodes_of(state.site(SiteId::new(0)).unwrap()).map(of).collect()
}

/// Where the reservation of the only job is.
fn place(vo: &Vo) -> Option<NodeId> {
    vo.broker.state().reservations.values().next()?.legs[0].holds[0].node
}

#[test]
fn a_number_is_never_given_twice() {
    let mut vo = Vo::new(&[(2, 1_000), (1, 2_000)]);
    let joined = specs(&vo);
    let [first, second] = [joined[0].clone(), joined[1].clone()];
    let later = named(&first, "later");
    let name = |it: &NodeSpec| it.name.clone();
    says(&mut vo, &[first.clone(), second.clone(), later.clone()]);
    assert_eq!(now_there(&vo), [(0, name(&first)), (1, name(&second)), (3, name(&later))]);
    let state = vo.broker.state();
    assert_eq!(state.node_spec(NodeId::new(3)), Some(&later));
    assert_eq!(state.site(SiteId::new(0)).unwrap().spec.prices.nodes["later"].as_micros_per_second(), 7);
    // Said again, or late, it is nothing new.
    let events = vo.events.len();
    says(&mut vo, &[later.clone(), second.clone(), first.clone()]);
    let old = SiteMessage::Nodes { at: at(0), nodes: vec![first.clone()], rates: BTreeMap::new() };
    vo.heard(0, old);
    assert_eq!(vo.events.len(), events);
    // It goes, and another comes under its name; a third is changed.
    says(&mut vo, &[first.clone(), second.clone()]);
    assert_eq!(now_there(&vo).len(), 2);
    let back = SiteMessage::NodeBack { node: NodeId::new(3), at: at(vo.now + 5) };
    vo.heard(0, back);
    assert!(vo.broker.state().node(NodeId::new(3)).unwrap().lost, "what is gone does not come back");
    let changed = NodeSpec { class: Some("fast".to_owned()), ..second.clone() };
    says(&mut vo, &[first.clone(), changed, later.clone()]);
    assert_eq!(now_there(&vo), [(0, name(&first)), (4, name(&second)), (5, name(&later))]);
    // The site is told the numbers whenever it is asked what is free.
    vo.submit(vo.job("a", 1, 1));
    let told = |effect: &Effect| match effect {
        Effect::AskOffers { site, later_nodes, .. } if *site == SiteId::new(0) => Some(later_nodes.clone()),
        _ => None,
    };
    vo.effects.clear();
    vo.run_until(vo.now + 10 * MINUTE);
    let asked = vo.effects.iter().find_map(told);
    assert_eq!(asked.unwrap(), [(NodeId::new(4), name(&second)), (NodeId::new(5), name(&later))]);
}

#[test]
fn what_has_not_begun_on_a_node_that_goes_is_held_elsewhere_and_what_runs_goes_on() {
    let mut vo = Vo::new(&[(2, 1_000)]);
    let joined = specs(&vo);
    let without = |node: NodeId| -> Vec<NodeSpec> {
        let there = joined.iter().zip(0..).filter(|(_, number)| *number != node.number());
        there.map(|(spec, _)| spec.clone()).collect()
    };
    vo.submit(vo.job("a", 1, 10));
    while place(&vo).is_none() {
        vo.run_until(vo.now + 500);
    }
    let left = place(&vo).unwrap();
    says(&mut vo, &without(left));
    // It runs on the other, which goes as well: one takes its place, and what runs there goes on.
    let runs = |vo: &Vo| vo.broker.state().reservations.values().any(|it| it.parts[0].state.has_begun());
    while !runs(&vo) {
        vo.run_until(vo.now + 500);
    }
    let used = place(&vo).unwrap();
    assert_ne!(used, left);
    let gone = |vo: &Vo| {
        let is_gone = |event: &&Event| matches!(event, Event::Site(SiteEvent::NodeGone { .. }));
        vo.events.iter().filter(is_gone).count()
    };
    let another = named(&joined[0], "another");
    says(&mut vo, &[another]);
    assert_eq!(gone(&vo), 2);
    vo.run_until(vo.now + 60 * MINUTE);
    assert_eq!(vo.broker.state().totals.done, 1);
    let began = vo.effects.iter().filter(|it| matches!(it, Effect::Start { .. })).count();
    assert_eq!(began, 1, "what runs is not begun again");
}

#[test]
fn what_no_site_can_have_is_refused() {
    let vo = Vo::new(&[(2, 1_000)]);
    let joined = specs(&vo);
    let twice = vec![joined[0].clone(), joined[0].clone()];
    let nameless = vec![named(&joined[0], "")];
    for nodes in [Vec::new(), twice, nameless] {
        let message = SiteMessage::Nodes { at: at(vo.now + 1), nodes, rates: BTreeMap::new() };
        let input = Input::Site { site: SiteId::new(0), message };
        let said = vo.broker.decide(at(vo.now), &input);
        assert!(matches!(said, Err(Refusal::BadSite(_) | Refusal::BadName { .. })), "{said:?}");
    }
    assert_eq!(now_there(&vo).len(), 2);
}
