//! A good first choice for the knapsack: a few moves from the priced choice that fill the limit.
//!
//! **Problem.** The priced choice takes μ, which is over or under the limit W. A *move* changes one class's
//! candidate by a weight Δ at a loss r. Of all sets of up to three moves of different classes with ΣΔ ≤ W - μ, find
//! the one of least Σr + p · (W - μ - ΣΔ): the loss of the choice that results.
//!
//! **Method.** The loss splits into a sum over the moves of κ = r - p·Δ, plus p · (W - μ). With moves in order of
//! Δ, the best partner of any one or two is the least κ among those with Δ at most what is left: a prefix minimum,
//! of which the best two of different classes are kept. Only moves of small loss are tried.
//!
//! **Complexity.** O(k log k) for one or two moves of the k tried, O(k² log k) for three.
//!
//! On large instances this leaves so little to be gained that almost everything else is settled at once.

use super::relax::Reduced;

/// Moves tried in twos.
const PAIR_MOVES_MAX: usize = 4_096;
/// Moves tried in threes; only worth their time where there are many moves.
const TRIPLE_MOVES_MAX: usize = 320;
/// From so many moves on.
const TRIPLES_FROM: usize = 2_000;

/// A change of one class's candidate.
#[derive(Clone, Copy, Debug)]
struct Move {
    class: usize,
    index: u32,
    weight: i128,
    loss: i128,
    /// r - p·Δ.
    key: i128,
}

/// The best of all sets of up to three moves: changes of class and candidate.
///
/// `room` is W - μ, which may be negative; `priced` gives each class's priced candidate.
pub(super) fn best_moves(
    classes: &[Vec<Reduced>],
    priced: &[usize],
    room: i128,
    price: i128,
    loss_limit: i128,
) -> Option<Vec<(usize, usize)>> {
    let mut moves = all_moves(classes, priced, price, loss_limit);
    let many = moves.len() >= TRIPLES_FROM;
    keep_least(&mut moves, PAIR_MOVES_MAX);
    let pairs = Ladder::new(&moves);
    let mut best = Best { loss: loss_limit, moves: None };
    if room >= 0 {
        best.offer(price * room, &[]);
    }
    for one in &moves {
        best.complete(&pairs, &[*one], room, price);
    }
    if many {
        keep_least(&mut moves, TRIPLE_MOVES_MAX);
        let triples = Ladder::new(&moves);
        for (place, one) in moves.iter().enumerate() {
            for two in moves[..place].iter().filter(|two| two.class != one.class) {
                best.complete(&triples, &[*one, *two], room, price);
            }
        }
    }
    best.moves.map(|moves| moves.iter().map(|it| (it.class, it.index as usize)).collect())
}

fn all_moves(classes: &[Vec<Reduced>], priced: &[usize], price: i128, loss_limit: i128) -> Vec<Move> {
    let mut moves = Vec::new();
    for (class, (candidates, priced)) in classes.iter().zip(priced).enumerate() {
        let Some(from) = candidates.iter().find(|it| it.index as usize == *priced) else { continue };
        let useful = candidates.iter().filter(|it| it.index != from.index && it.loss < loss_limit);
        moves.extend(useful.map(|it| {
            let weight = it.weight - from.weight;
            Move { class, index: it.index, weight, loss: it.loss, key: it.loss - price * weight }
        }));
    }
    moves
}

fn keep_least(moves: &mut Vec<Move>, count: usize) {
    if moves.len() > count {
        moves.select_nth_unstable_by_key(count, |it| (it.loss, it.class, it.index));
        moves.truncate(count);
    }
}

/// Moves in order of weight, with the least κ up to each, and the least of another class.
struct Ladder {
    weights: Vec<i128>,
    least: Vec<(Move, Option<Move>)>,
}

impl Ladder {
    fn new(moves: &[Move]) -> Ladder {
        let mut sorted = moves.to_vec();
        sorted.sort_unstable_by_key(|it| (it.weight, it.key, it.class, it.index));
        let mut least: Vec<(Move, Option<Move>)> = Vec::with_capacity(sorted.len());
        for it in &sorted {
            least.push(match least.last() {
                None => (*it, None),
                Some((first, second)) if it.key < first.key => {
                    (*it, if first.class == it.class { *second } else { Some(*first) })
                }
                Some((first, second)) => {
                    let better = it.class != first.class && second.is_none_or(|second| it.key < second.key);
                    (*first, if better { Some(*it) } else { *second })
                }
            });
        }
        Ladder { weights: sorted.iter().map(|it| it.weight).collect(), least }
    }

    /// The best move of at most this weight whose class is not among those given.
    fn partner(&self, weight_max: i128, taken: &[Move]) -> Option<Move> {
        let count = self.weights.partition_point(|weight| *weight <= weight_max);
        let (first, second) = self.least.get(count.checked_sub(1)?)?;
        let free = |it: &Move| taken.iter().all(|taken| taken.class != it.class);
        [Some(*first), *second].into_iter().flatten().find(free)
    }
}

struct Best {
    loss: i128,
    moves: Option<Vec<Move>>,
}

impl Best {
    fn offer(&mut self, loss: i128, moves: &[Move]) {
        if loss < self.loss {
            self.loss = loss;
            self.moves = Some(moves.to_vec());
        }
    }

    /// Offers these moves alone and with the best partner.
    fn complete(&mut self, ladder: &Ladder, moves: &[Move], room: i128, price: i128) {
        let weight: i128 = moves.iter().map(|it| it.weight).sum();
        let key: i128 = moves.iter().map(|it| it.key).sum::<i128>() + price * room;
        if weight <= room {
            self.offer(key, moves);
        }
        if let Some(partner) = ladder.partner(room - weight, moves)
            && key + partner.key < self.loss
        {
            let mut all = moves.to_vec();
            all.push(partner);
            self.offer(key + partner.key, &all);
        }
    }
}
