//! Plans by satisfaction that are improved: never less content than two phases, and near what is best of all.

use crate::improving::{limits, made, violations};
use crate::joint_oracle::{Parts, tiny, windows};
use crate::random;
use proptest::prelude::*;
use walras_core::SearchConfig;
use walras_core::choose::{Objective, VoPolicy};
use walras_core::plan::{BatchProblem, MadeChoice, PlanLimits, PlanScheme, plan_batch};
use walras_core::prefer::{
    Aggregation, CollectiveWish, Criterion, Preference, SCALE, Stakeholders, Weighted, score,
};
use walras_model::*;
use walras_random::Draws;

/// Cost and end, judged on scales that do not depend on what else there is.
fn fixed(cost: i64, finish: i64, weights: (i64, i64)) -> Preference {
    let weighted =
        |criterion, weight, most| Weighted { range: Some((0, most)), ..Weighted::new(criterion, weight) };
    let weights =
        vec![weighted(Criterion::Cost, weights.0, cost), weighted(Criterion::Finish, weights.1, finish)];
    Preference::new(weights, Aggregation::CRITERIA).unwrap()
}

fn by_satisfaction() -> VoPolicy {
    VoPolicy { objective: Objective::Satisfaction, ..VoPolicy::default() }
}

/// Who is not served, then the greatest loss and a tenth of all, where everybody counts alike.
fn worth(losses: &[i64]) -> i128 {
    let losses = losses.iter().map(|loss| i128::from(*loss));
    losses.clone().max().unwrap_or(0) * 10 + losses.sum::<i128>()
}

fn worth_of(made: &MadeChoice) -> (u32, i128) {
    let compromise = made.compromise.as_ref().unwrap();
    (compromise.unserved, worth(&compromise.losses))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// On scales that are given, what everybody makes of two plans can be held against each other.
    #[test]
    fn nobody_is_worse_off_together(
        offers in random::offers(), batch in random::batch(), seed in any::<u64>(),
        weights in prop::collection::vec((1..5_i64, 1..5_i64), 8), owner in prop::option::of(1..4_i64),
    ) {
        let mut wishes = Stakeholders::plain(&offers, &batch);
        for (job, weights) in wishes.jobs.iter_mut().zip(weights) {
            job.preference = fixed(200, random::HORIZON, weights);
        }
        if let Some(weight) = owner {
            let income = vec![Weighted { range: Some((0, 400)), ..Weighted::new(Criterion::Income, 1) }];
            let preference = Preference::new(income, Aggregation::Mean).unwrap();
            wishes.owners[0] = Some(CollectiveWish { weight, preference });
        }
        let (search, policy) = (SearchConfig::default(), by_satisfaction());
        let problem = BatchProblem {
            stakeholders: Some(&wishes),
            limits: limits(seed),
            ..BatchProblem::new(&offers, &batch, &search, &policy)
        };
        let papers = plan_batch(&BatchProblem { scheme: PlanScheme::Papers, ..problem });
        let improved = plan_batch(&problem);
        prop_assert_eq!(&improved, &plan_batch(&problem), "the same again");
        let (Some(before), Some(after)) = (made(&papers), made(&improved)) else {
            prop_assert_eq!(papers.choice, improved.choice);
            return Ok(());
        };
        let value = |made: &MadeChoice| made.compromise.as_ref().unwrap().value;
        prop_assert!(value(after) <= value(before), "{} after {}", value(after), value(before));
        let wrong = violations(&problem, &improved, after);
        prop_assert!(wrong.is_empty(), "{:?}", wrong);
    }
}

/// The least that any plan comes to, by trying all.
fn best_of_all(jobs: &[Vec<(Parts, i64)>], taken: &mut Parts, losses: &mut Vec<i64>) -> (u32, i128) {
    let Some((first, rest)) = jobs.split_first() else { return (0, worth(losses)) };
    losses.push(SCALE);
    let (out, value) = best_of_all(rest, taken, losses);
    losses.pop();
    let mut best = (out + 1, value);
    for (parts, loss) in first {
        let clash = |part: &(usize, i64, i64)| {
            taken.iter().any(|other| part.0 == other.0 && part.1 < other.2 && other.1 < part.2)
        };
        if parts.iter().any(clash) {
            continue;
        }
        let before = taken.len();
        taken.extend(parts);
        losses.push(*loss);
        best = best.min(best_of_all(rest, taken, losses));
        losses.pop();
        taken.truncate(before);
    }
    best
}

#[test]
fn small_batches_are_as_content_as_they_can_be() {
    let (search, policy) = (SearchConfig::default(), by_satisfaction());
    let preference = fixed(100, 12, (1, 1));
    let (mut all, mut equal, mut papers_equal) = (0, 0, 0);
    for seed in 0..150 {
        let (offers, batch) = tiny(&mut Draws::new(seed));
        let with_loss = |request: &Request| -> Vec<(Parts, i64)> {
            let windows = windows(&offers, request);
            let row = |(parts, cost): &(Parts, i64)| vec![Some(*cost), parts.iter().map(|part| part.2).max()];
            let rows: Vec<Vec<Option<i64>>> = windows.iter().map(row).collect();
            let scored = score(&preference, &rows).unwrap_or_default();
            windows.into_iter().zip(scored).map(|((parts, _), scored)| (parts, scored.loss)).collect()
        };
        let jobs: Vec<Vec<(Parts, i64)>> = batch.requests().iter().map(with_loss).collect();
        let best = best_of_all(&jobs, &mut Vec::new(), &mut Vec::new());
        let mut wishes = Stakeholders::plain(&offers, &batch);
        wishes.jobs.iter_mut().for_each(|job| job.preference = preference.clone());
        let mut limits = PlanLimits::default();
        limits.improve.searches_per_job_max = 1_000;
        let problem = BatchProblem {
            stakeholders: Some(&wishes),
            limits,
            ..BatchProblem::new(&offers, &batch, &search, &policy)
        };
        let papers = plan_batch(&BatchProblem { scheme: PlanScheme::Papers, ..problem });
        let improved = plan_batch(&problem);
        let (Some(before), Some(after)) = (made(&papers), made(&improved)) else { continue };
        let (before, after) = (worth_of(before), worth_of(after));
        assert!(best <= after, "nothing is better than the best: seed {seed}");
        all += 1;
        equal += usize::from(after == best);
        papers_equal += usize::from(before == best);
    }
    assert!(all > 120 && equal * 100 >= all * 95, "{equal} of {all} are best, {papers_equal} by two phases");
    assert!(papers_equal * 2 < equal, "two phases alone lose much: {papers_equal} are best");
}
