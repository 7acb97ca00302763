//! Learning preferences: what some weights can explain is explained.

use proptest::prelude::*;
use walras_core::prefer::{Choice, Criterion, learn};
use walras_solve::Highs;

const CRITERIA: [Criterion; 3] = [Criterion::Cost, Criterion::Finish, Criterion::Speed];

/// What somebody with these weights would pick; `None` where two are equally good to them.
fn pick(weights: &[i64], alternatives: &[Vec<i64>]) -> Option<usize> {
    let loss = |row: &Vec<i64>| weights[0] * row[0] + weights[1] * row[1] - weights[2] * row[2];
    let best = alternatives.iter().map(loss).min()?;
    let mut places = (0..alternatives.len()).filter(|place| loss(&alternatives[*place]) == best);
    places.next().filter(|_| places.next().is_none())
}

fn choice(picked: usize, alternatives: Vec<Vec<i64>>) -> Choice {
    let better = (0..alternatives.len()).filter(|other| *other != picked).map(|other| (picked, other));
    Choice { better: better.collect(), alternatives }
}

fn shown() -> impl Strategy<Value = Vec<Vec<Vec<i64>>>> {
    let alternatives = prop::collection::vec(prop::collection::vec(0..100_i64, 3), 2..6);
    prop::collection::vec(alternatives, 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn what_weights_can_explain_is_reproduced(
        shown in shown(), weights in prop::collection::vec(0..10_i64, 3), segments in 1..4_usize
    ) {
        let choices: Vec<Choice> = shown
            .into_iter()
            .filter_map(|alternatives| Some(choice(pick(&weights, &alternatives)?, alternatives)))
            .collect();
        prop_assume!(!choices.is_empty());
        let learnt = learn(&CRITERIA, &choices, segments, &Highs).unwrap();
        prop_assert!(learnt.broken.is_empty(), "{learnt:?}");
        prop_assert!(learnt.margin > 0.0 && learnt.slack == 0.0);
        let sum: i64 = learnt.criteria.iter().map(|it| it.weight()).sum();
        prop_assert!((999_980..=1_000_020).contains(&sum), "{sum}");
    }
}

#[test]
fn contradictions_have_a_slack() {
    let both = vec![vec![1, 5, 0], vec![5, 1, 0]];
    let choices = [choice(0, both.clone()), choice(1, both)];
    let learnt = learn(&CRITERIA, &choices, 1, &Highs).unwrap();
    assert_eq!((learnt.pairs, learnt.margin), (2, 0.0));
    assert!(!learnt.broken.is_empty() && learnt.slack > 0.0, "{learnt:?}");
}

#[test]
fn a_dominated_pick_cannot_be_explained() {
    let choices = [choice(1, vec![vec![1, 1, 9], vec![2, 2, 1]])];
    let learnt = learn(&CRITERIA, &choices, 1, &Highs).unwrap();
    assert_eq!(learnt.broken, [(0, 1, 0)]);
}
