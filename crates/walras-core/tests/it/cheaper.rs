//! Where asking for less would cost less, against trying every amount.

use crate::units::{config, draw_offers, draw_request, least, place, units_of};
use walras_core::explain::{Cheaper, Taken, cheaper};
use walras_core::{Algorithm, Mode, find_alternatives};
use walras_model::division::price_of_units;
use walras_model::*;
use walras_random::Draws;

/// What tasks of a request cost where they are: so much of each node at so much a whole.
fn cost_there(offers: &Offers, request: &Request, there: &[(NodeId, Rate, Span)]) -> Option<i64> {
    let each = there.iter().map(|(node, rate, span)| {
        let node = offers.node(*node);
        let part = price_of_units(*rate, units_of(node, request)?, node.division.units());
        Some(part.cost_of(*span)?.as_micros())
    });
    each.sum()
}

/// Every way to ask for less of each, down to one of it, the most first.
fn all_lesser(request: &Request) -> Vec<Request> {
    let mut all = vec![request.clone()];
    for place in 0..request.requires.len() {
        let Test::Range { min: Some(own), max: None } = request.requires[place].test else { unreachable!() };
        let own = usize::try_from(own.whole()).unwrap();
        let ask = |it: &Request, amount: usize| {
            let mut lesser = it.clone();
            lesser.requires[place] = least(&request.requires[place].attribute, amount);
            lesser
        };
        all = all
            .iter()
            .flat_map(|it| (1..=own).rev().map(|amount| ask(it, amount)).collect::<Vec<_>>())
            .collect();
    }
    all
}

fn asked(request: &Request) -> Vec<i64> {
    let of = |it: &Requirement| match it.test {
        Test::Range { min: Some(own), max: None } => own.whole(),
        _ => unreachable!(),
    };
    request.requires.iter().map(of).collect()
}

/// In the same window for less money: the most of each thing with which that is so, all else as it is; and where there is no such thing, of all
/// together, so that nobody who asks for more of any of them pays less.
#[test]
fn what_would_be_cheaper_is_what_trying_everything_finds() {
    let (mut single, mut several, mut none) = (0, 0, 0);
    for seed in 0..6_000 {
        let mut draws = Draws::new(640_000 + seed);
        let (offers, profiles) = draw_offers(&mut draws);
        let mut request = draw_request(&mut draws, "J");
        request.budget = None;
        let all = config(Algorithm::Amp, Mode::AllAlternatives);
        let batch = Batch::new(vec![request.clone()]);
        let Some(found) = find_alternatives(&offers, &batch, &all).found.into_iter().next() else { continue };
        // Prices at which every unit counts, however short the time.
        let there: Vec<(NodeId, Rate, Span)> = found
            .window
            .placements()
            .iter()
            .map(|it| {
                let (_, rate) = profiles[it.node.index()][place(it.interval.start().as_millis())].unwrap();
                (it.node, Rate::from_micros_per_second(rate * 1_000_000).unwrap(), it.interval.span())
            })
            .collect();
        let tasks: Vec<Taken<'_>> =
            there.iter().map(|(node, rate, span)| Taken::of(offers.node(*node), *rate, *span)).collect();
        let divided = there.iter().any(|(node, _, _)| offers.node(*node).division.is_divided());
        let said = cheaper(&request, &tasks);
        let now = cost_there(&offers, &request, &there).unwrap();
        let saving: Vec<Request> = all_lesser(&request)
            .into_iter()
            .filter(|it| divided && cost_there(&offers, it, &there).is_some_and(|cost| cost < now))
            .collect();
        let own = asked(&request);
        let changed = |it: &Request| asked(it).iter().zip(&own).filter(|(one, other)| one != other).count();
        let named = |it: &Request| {
            let changes =
                it.requires.iter().zip(asked(it)).zip(&own).filter(|((_, amount), own)| amount != *own);
            let fixed = |amount: i64| Fixed::from_millionths(amount * 1_000_000);
            let resources =
                changes.map(|((it, amount), own)| (it.attribute.clone(), (fixed(amount), fixed(*own))));
            let cost = cost_there(&offers, it, &there).unwrap();
            let (cost, saves) = (Money::from_micros(cost), Money::from_micros(now - cost));
            Cheaper { resources: resources.collect(), cost, saves }
        };
        let mut alone: Vec<&Request> = Vec::new();
        for (place, before) in own.iter().enumerate() {
            alone.extend(saving.iter().find(|it| changed(it) == 1 && asked(it)[place] != *before));
        }
        if !alone.is_empty() {
            assert_eq!(said, alone.iter().map(|it| named(it)).collect::<Vec<_>>(), "seed {seed}");
            single += 1;
        } else if saving.is_empty() {
            assert_eq!(said, [], "seed {seed}");
            none += 1;
        } else {
            let best = saving
                .iter()
                .find(|it| said == [named(it)])
                .unwrap_or_else(|| panic!("seed {seed}: {said:?}"));
            let asks_more =
                |it: &&Request| asked(it).iter().zip(asked(best)).all(|(one, other)| *one >= other);
            assert_eq!(saving.iter().filter(asks_more).count(), 1, "seed {seed}");
            several += 1;
        }
    }
    assert!(single > 500 && several > 50 && none > 500, "{single} {several} {none}");
}
