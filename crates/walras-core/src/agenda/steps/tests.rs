//! Blocks against a list of moments.

use super::*;
use walras_random::Draws;

const END: i64 = 400;

/// The same moment by moment.
struct Plain(Vec<i32>);

impl Plain {
    fn at(&self, moment: i64) -> i32 {
        usize::try_from(moment).ok().and_then(|moment| self.0.get(moment)).copied().unwrap_or(0)
    }

    fn least(&self, from: i64, until: i64) -> i32 {
        (from..until).map(|moment| self.at(moment)).min().unwrap_or(i32::MAX).max(0)
    }

    fn earliest(&self, (from, last): (i64, i64), nodes: i32, millis: i64) -> Option<i64> {
        (from.max(0)..=last.min(END)).find(|start| self.least(*start, start + millis) >= nodes)
    }
}

#[test]
fn blocks_say_what_moments_say() {
    for seed in 0..30 {
        let mut draws = Draws::new(seed);
        let mut below = |count: i64| i64::try_from(draws.below(usize::try_from(count).unwrap())).unwrap();
        let mut steps = Steps::new(&[Step { at: 0, free: 9 }, Step { at: END, free: 0 }]);
        let mut plain = Plain(vec![9; usize::try_from(END).unwrap()]);
        let mut taken: Vec<(i64, i64, i32)> = Vec::new();
        for _ in 0..600 {
            let (from, length) = (below(END), 1 + below(20));
            let (until, nodes) = ((from + length).min(END), 1 + i32::try_from(below(3)).unwrap());
            let change = if !taken.is_empty() && below(3) == 0 {
                let place = usize::try_from(below(i64::try_from(taken.len()).unwrap())).unwrap();
                let (from, until, nodes) = taken.swap_remove(place);
                (from, until, nodes)
            } else if plain.least(from, until) >= nodes {
                taken.push((from, until, nodes));
                (from, until, -nodes)
            } else {
                continue;
            };
            steps.change(change.0, change.1, change.2);
            (change.0..change.1).for_each(|at| plain.0[usize::try_from(at).unwrap()] += change.2);

            let all = steps.all();
            assert!(all.windows(2).all(|two| two[0].at < two[1].at && two[0].free != two[1].free));
            assert!(all.windows(2).all(|two| (two[0].at..two[1].at).all(|at| plain.at(at) == two[0].free)));
            let (from, until) = (below(END), below(END) + 1);
            if from < until {
                assert_eq!(steps.least(from, until), plain.least(from, until));
            }
            let (nodes, millis) = (1 + i32::try_from(below(9)).unwrap(), 1 + below(40));
            let range = (from, from + below(END));
            let expected = plain.earliest(range, nodes, millis);
            assert_eq!(steps.earliest(range, nodes, millis, &mut 0), expected, "{range:?} {nodes} {millis}");
            let openings: Vec<i64> = steps.openings(from, until).collect();
            let opens = |at: &i64| plain.at(*at) > plain.at(*at - 1);
            assert_eq!(openings, (from..=until).filter(opens).collect::<Vec<_>>());
            let stays = |at: &i64| opens(at) && plain.least(*at, *at + millis) > 0;
            assert_eq!(steps.next_opening((from, until), millis), (from..=until).find(stays));
            if plain.at(from) > 0 {
                assert_eq!(steps.ends(from), (from + 1..=END).find(|at| plain.at(*at) <= 0).unwrap());
            }
            let runs = |at: &i64| plain.at(*at) > 0 && plain.at(*at - 1) <= 0;
            let length = |at: i64| (at..=END).find(|end| plain.at(*end) <= 0).unwrap() - at;
            let longest = (0..=until).filter(runs).map(length).max().unwrap_or(0);
            assert_eq!(steps.longest_until(until), longest);
            let most = (0..=until).map(|at| plain.at(at)).max().unwrap();
            assert_eq!(steps.most_until(until), most);
        }
        assert!(steps.blocks.len() > 1, "several blocks are made");
    }
}
