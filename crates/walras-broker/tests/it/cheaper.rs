//! What a quote says that asking for less would save is what asking for less saves.

use crate::vo::{Vo, at, rate};
use std::collections::BTreeSet;
use walras_broker::id::QuoteNumber;
use walras_broker::lesser::cheaper;
use walras_broker::price::PriceRules;
use walras_broker::quote::QuoteOption;
use walras_broker::site::SiteKind;
use walras_broker::{Answer, Input};
use walras_model::{Division, Fixed, Money, Requirement, SiteId, Test};

/// Nodes of 64 cores, 96 GB and eight GPUs in eight units at one site; at another of 16 cores and 48 GB in four, whose price does not divide evenly.
fn market() -> Vo {
    let mut vo = Vo::new(&[]);
    vo.join("bob", None, 1_000_000);
    let large = [("cores".to_owned(), 64), ("gpus".to_owned(), 8), ("memory_gb".to_owned(), 96)];
    vo.division = Division::new(8, large.into()).unwrap();
    vo.add_site(SiteKind::Slots, 2, PriceRules::flat(rate(4_000_000)));
    let small = [("cores".to_owned(), 16), ("memory_gb".to_owned(), 48)];
    vo.division = Division::new(4, small.into()).unwrap();
    vo.add_site(SiteKind::Slots, 2, PriceRules::flat(rate(1_000_003)));
    vo.run_until(1_000);
    vo.say(Input::CycleNow);
    vo
}

/// What two tasks that each need this are quoted, by site; and which quote that is.
fn quoted(vo: &mut Vo, key: &str, needs: &[(String, Fixed)]) -> (QuoteNumber, Vec<(SiteId, QuoteOption)>) {
    let mut job = vo.job("j", 2, 10);
    job.user = "bob".to_owned();
    job.request.deadline = Some(at(100 * 60_000));
    let need = |(name, of): &(String, Fixed)| Requirement {
        attribute: name.clone(),
        test: Test::Range { min: Some(*of), max: None },
    };
    job.request.requires = needs.iter().map(need).collect();
    job.request.scope.same_site = true;
    let ask = Input::AskQuote { key: key.to_owned(), job: Box::new(job), findings: None, hold: None };
    let Some(Answer::Quote(quote)) = vo.say(ask) else { panic!("no quote") };
    let options = vo.broker.state().quotes[&quote].options.iter();
    (quote, options.map(|option| (option.sites[0], option.clone())).collect())
}

#[test]
fn who_asks_for_so_much_less_pays_so_much_less() {
    let mut vo = market();
    let whole = |of: i64| Fixed::from_millionths(of * 1_000_000);
    let (mut single, mut together, mut sites) = (0, 0, BTreeSet::new());
    for (case, needs) in [
        vec![("memory_gb", 16)],
        vec![("cores", 4), ("memory_gb", 14)],
        vec![("cores", 9), ("memory_gb", 13)],
        vec![("cores", 17), ("gpus", 3)],
        vec![("gpus", 5)],
        vec![("memory_gb", 12)],
        vec![("cores", 1)],
    ]
    .into_iter()
    .enumerate()
    {
        let needs: Vec<(String, Fixed)> =
            needs.into_iter().map(|(name, of)| (name.to_owned(), whole(of))).collect();
        let (quote, options) = quoted(&mut vo, &format!("{case}"), &needs);
        for (site, option) in options {
            let state = vo.broker.state();
            let said = cheaper(state, &state.quotes[&quote].spec, &option.allocation);
            for (place, less) in said.into_iter().enumerate() {
                let key = format!("{case} {} {place}", site.number());
                let lowered = |more: i64| -> Vec<(String, Fixed)> {
                    let lower = |(name, own): &(String, Fixed)| {
                        let to = less.resources.get(name).map(|(to, from)| {
                            assert!(from == own && to < own, "{key}");
                            Fixed::from_millionths(to.as_millionths() + more)
                        });
                        (name.clone(), to.unwrap_or(*own))
                    };
                    needs.iter().map(lower).collect()
                };
                let price = |vo: &mut Vo, key: String, needs: &[(String, Fixed)]| -> Option<Money> {
                    let (_, options) = quoted(vo, &key, needs);
                    options.iter().find(|(other, _)| *other == site).map(|(_, option)| option.price)
                };
                let now = price(&mut vo, key.clone(), &lowered(0)).expect("who asks for less has a place");
                // Units are rounded up to a micro-credit a second, once for each task: so much less it may cost than was said, and never more.
                assert!(
                    now <= less.cost && less.cost.as_micros() - now.as_micros() <= 2 * 600,
                    "{key}: {less:?}, {now}"
                );
                let saved = option.price.as_micros() - now.as_micros();
                assert!(
                    less.saves.as_micros() > 0 && saved >= less.saves.as_micros(),
                    "{key}: {less:?}, {saved}"
                );
                // It is the most with which that is so.
                let more =
                    price(&mut vo, format!("{key} more"), &lowered(1)).expect("it had a place with more");
                assert!(more > now, "{key}: {less:?}, {more}");
                single += usize::from(less.resources.len() == 1);
                together += usize::from(less.resources.len() > 1);
                sites.insert(site);
            }
        }
    }
    assert!(single >= 4 && together >= 1 && sites.len() == 2, "{single} {together} {sites:?}");
}
