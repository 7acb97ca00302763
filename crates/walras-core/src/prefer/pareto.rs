//! The Pareto front over two totals: combinations to which no other is better in one and not worse in the other.
//!
//! Job by job, every label (a sum of both so far) is extended by every option, and what is dominated is dropped.
//! That is exact while no capacity is shared; where options compete, a label that breaks a capacity is dropped,
//! which may lose points. More labels than the limit are thinned evenly. Either shows in the result.

use super::problem::CompromiseProblem;

/// One combination of the front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// The first total, turned so that less is better.
    pub x: i128,
    /// The second.
    pub y: i128,
    /// For each job its option; jobs without options have none.
    pub picks: Vec<Option<usize>>,
}

#[derive(Clone)]
struct Label {
    x: i128,
    y: i128,
    parent: usize,
    option: usize,
    used: Vec<i64>,
}

/// The front over two values per option, `values[job][option]`, less being better; and whether it is the whole.
///
/// Every job that has options gets one.
pub fn pareto_front(
    problem: &CompromiseProblem,
    values: &[Vec<(i64, i64)>],
    labels_max: usize,
) -> (Vec<Point>, bool) {
    let shared = !problem.capacities.is_empty();
    let mut exact = !shared;
    let start = Label { x: 0, y: 0, parent: 0, option: 0, used: vec![0; problem.capacities.len()] };
    let mut stages: Vec<Vec<Label>> = vec![vec![start]];
    let jobs: Vec<usize> = (0..values.len()).filter(|job| !values[*job].is_empty()).collect();
    for job in &jobs {
        let labels = stages.last().map_or(&[][..], Vec::as_slice);
        let mut next = Vec::new();
        for (parent, label) in labels.iter().enumerate() {
            for (option, (x, y)) in values[*job].iter().enumerate() {
                let takes = &problem.jobs[*job].options[option].takes;
                let mut used = label.used.clone();
                takes.iter().for_each(|(place, units)| used[*place] += units);
                if used.iter().zip(&problem.capacities).all(|(used, capacity)| used <= capacity) {
                    let (x, y) = (label.x + i128::from(*x), label.y + i128::from(*y));
                    next.push(Label { x, y, parent, option, used });
                }
            }
        }
        let mut next = undominated(next);
        if next.len() > labels_max {
            exact = false;
            next = thinned(next, labels_max);
        }
        stages.push(next);
    }
    (points(&stages, &jobs, values.len()), exact)
}

/// Those that no other is better than, in order of x.
fn undominated(mut labels: Vec<Label>) -> Vec<Label> {
    labels.sort_by_key(|label| (label.x, label.y));
    let mut least = i128::MAX;
    labels.retain(|label| {
        let keep = label.y < least;
        least = least.min(label.y);
        keep
    });
    labels
}

/// So many of them, both ends among them.
fn thinned(labels: Vec<Label>, count: usize) -> Vec<Label> {
    let (last, steps) = (labels.len() - 1, count.max(2) - 1);
    (0..=steps).map(|step| labels[step * last / steps].clone()).collect()
}

fn points(stages: &[Vec<Label>], jobs: &[usize], count: usize) -> Vec<Point> {
    let Some(last) = stages.last() else { return Vec::new() };
    let mut points = Vec::with_capacity(last.len());
    for end in last {
        let mut picks = vec![None; count];
        let mut label = end;
        for (stage, job) in stages[..stages.len() - 1].iter().zip(jobs).rev() {
            picks[*job] = Some(label.option);
            label = &stage[label.parent];
        }
        points.push(Point { x: end.x, y: end.y, picks });
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prefer::{Aggregation, CompromiseJob, CompromiseOption, Party, Voice};

    fn problem(jobs: &[&[i64]], capacities: Vec<i64>) -> CompromiseProblem {
        let option = |units: &i64| CompromiseOption { loss: 0, takes: vec![(0, *units)], adds: vec![] };
        let job = |units: &&[i64]| CompromiseJob {
            user: 0,
            options: if capacities.is_empty() {
                vec![CompromiseOption::default(); units.len()]
            } else {
                units.iter().map(option).collect()
            },
        };
        let party = Party { name: "u".into(), weight: 1, voice: Voice::User };
        let jobs = jobs.iter().map(job).collect();
        CompromiseProblem::new(jobs, vec![party], capacities.clone(), Aggregation::Mean).unwrap()
    }

    #[test]
    fn the_front_is_the_front() {
        let values = vec![vec![(1, 9), (5, 5), (6, 6), (9, 1)], vec![], vec![(0, 4), (4, 0)]];
        let (points, exact) = pareto_front(&problem(&[&[0; 4], &[], &[0; 2]], vec![]), &values, 100);
        let found: Vec<(i128, i128)> = points.iter().map(|point| (point.x, point.y)).collect();
        assert!(exact);
        assert_eq!(found, [(1, 13), (5, 9), (9, 5), (13, 1)]);
        assert_eq!(points[0].picks, [Some(0), None, Some(0)]);
    }

    #[test]
    fn capacities_and_thinning_show() {
        let values = vec![vec![(0, 2), (2, 0)], vec![(0, 2), (2, 0)]];
        let (points, exact) = pareto_front(&problem(&[&[1, 0], &[1, 0]], vec![1]), &values, 100);
        assert!(!exact);
        assert_eq!(points.iter().map(|point| (point.x, point.y)).collect::<Vec<_>>(), [(2, 2), (4, 0)]);
        let (points, exact) = pareto_front(&problem(&[&[0, 0], &[0, 0]], vec![]), &values, 2);
        assert_eq!((points.len(), exact), (2, false));
    }
}
