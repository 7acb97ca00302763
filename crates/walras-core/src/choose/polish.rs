//! A good first choice for the knapsack: a few moves from the priced choice that fill the limit.
//!
//! **Problem.** The priced choice takes μ, which is over or under the limit W. A *move* changes one class's
//! candidate by a weight Δ at a loss r. Of all sets of up to three moves of different classes with ΣΔ ≤ W - μ, find
//! the one of least Σr + p · (W - μ - ΣΔ): the loss of the choice that results.
//!
//! **Method.** The loss splits into a sum over the moves of κ = r - p·Δ, plus p · (W - μ). With moves in order of
//! Δ, the best partner of any one or two is the least κ among those with Δ at most what is left: a prefix minimum,
//! of which the best two of different classes are kept. Moves that alone lose as much as the best set so far are
//! not tried.
//!
//! **Complexity.** O(k log k) for one or two moves of the k tried, O(k² log k) for three.
//!
//! On large instances this leaves so little to be gained that almost everything else is settled at once.

use super::integer::Integer;
use super::relax::Relaxation;

/// Moves tried in twos.
const PAIR_MOVES_MAX: usize = 4_096;
/// Moves tried in threes; only worth their time where there are many moves.
const TRIPLE_MOVES_MAX: usize = 320;
/// From so many moves on.
const TRIPLES_FROM: usize = 2_000;

/// A change of one class's candidate.
#[derive(Clone, Copy, Debug)]
struct Move<T> {
    class: u32,
    index: u32,
    weight: T,
    loss: T,
    /// r - p·Δ.
    key: T,
}

/// The best of all sets of up to three moves that loses less than `loss_limit`: changes of class and candidate.
pub(super) fn best_moves<T: Integer>(
    relaxation: &Relaxation<T>,
    loss_limit: T,
) -> Option<Vec<(usize, usize)>> {
    let (room, price) = (relaxation.room, relaxation.price);
    let mut best = Best { room, unused: price * room, loss: loss_limit, moves: None };
    if room >= T::ZERO {
        best.offer(price * room, &[]);
    }
    let mut moves = all_moves(relaxation, loss_limit);
    let many = moves.len() >= TRIPLES_FROM;
    for one in &moves {
        best.complete(None, &[*one]);
    }
    moves.retain(|it| it.loss < best.loss);
    keep_least(&mut moves, PAIR_MOVES_MAX);
    let pairs = Ladder::new(&moves);
    for one in &moves {
        best.complete(Some(&pairs), &[*one]);
    }
    if many {
        keep_least(&mut moves, TRIPLE_MOVES_MAX);
        let triples = Ladder::new(&moves);
        for (place, one) in moves.iter().enumerate() {
            for two in moves[..place].iter().filter(|two| two.class != one.class) {
                best.complete(Some(&triples), &[*one, *two]);
            }
        }
    }
    best.moves.map(|moves| moves.iter().map(|it| (it.class as usize, it.index as usize)).collect())
}

fn all_moves<T: Integer>(relaxation: &Relaxation<T>, loss_limit: T) -> Vec<Move<T>> {
    let mut moves = Vec::new();
    for (class, (candidates, from)) in (0_u32..).zip(relaxation.classes()) {
        let useful = candidates.iter().filter(|it| it.index != from.index && it.loss < loss_limit);
        moves.extend(useful.map(|it| {
            let weight = it.weight - from.weight;
            Move { class, index: it.index, weight, loss: it.loss, key: it.loss - relaxation.price * weight }
        }));
    }
    moves
}

fn keep_least<T: Integer>(moves: &mut Vec<Move<T>>, count: usize) {
    if moves.len() > count {
        moves.select_nth_unstable_by_key(count, |it| (it.loss, it.class, it.index));
        moves.truncate(count);
    }
}

/// Moves in order of weight, with the least κ up to each, and the least of another class.
struct Ladder<T> {
    weights: Vec<T>,
    least: Vec<(Move<T>, Option<Move<T>>)>,
}

impl<T: Integer> Ladder<T> {
    fn new(moves: &[Move<T>]) -> Ladder<T> {
        let mut sorted = moves.to_vec();
        sorted.sort_unstable_by_key(|it| (it.weight, it.key, it.class, it.index));
        let mut least: Vec<(Move<T>, Option<Move<T>>)> = Vec::with_capacity(sorted.len());
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
    fn partner(&self, weight_max: T, taken: &[Move<T>]) -> Option<Move<T>> {
        let count = self.weights.partition_point(|weight| *weight <= weight_max);
        let (first, second) = self.least.get(count.checked_sub(1)?)?;
        let free = |it: &Move<T>| taken.iter().all(|taken| taken.class != it.class);
        [Some(*first), *second].into_iter().flatten().find(free)
    }
}

struct Best<T> {
    room: T,
    /// p · (W - μ).
    unused: T,
    loss: T,
    moves: Option<Vec<Move<T>>>,
}

impl<T: Integer> Best<T> {
    fn offer(&mut self, loss: T, moves: &[Move<T>]) {
        if loss < self.loss {
            self.loss = loss;
            self.moves = Some(moves.to_vec());
        }
    }

    /// Offers these moves with the best partner, or alone.
    fn complete(&mut self, ladder: Option<&Ladder<T>>, moves: &[Move<T>]) {
        let weight = moves.iter().fold(T::ZERO, |sum, it| sum + it.weight);
        let key = moves.iter().fold(self.unused, |sum, it| sum + it.key);
        if weight <= self.room {
            self.offer(key, moves);
        }
        if let Some(partner) = ladder.and_then(|ladder| ladder.partner(self.room - weight, moves))
            && key + partner.key < self.loss
        {
            let mut all = moves.to_vec();
            all.push(partner);
            self.offer(key + partner.key, &all);
        }
    }
}
