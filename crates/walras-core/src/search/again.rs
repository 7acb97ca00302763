//! The best window by a criterion, again and again, while the list loses time.
//!
//! **Problem.** Each round of a batch asks for the best window of what is left. Searched from the head each time, that costs
//! a scan for every alternative, although a cut changes little.
//!
//! **Method.** Time is divided into stretches ([`crate::slots::Segments`]); for each the best window that starts in it is
//! kept. Since the list only loses time, the best of a stretch never becomes better: what was found once bounds it for good
//! (value, then start, then cost). The least window that still stands is the answer, once every stretch of a lower bound has
//! been searched again, each only for what would rank before the best so far.
//!
//! The opening of a stretch counts as a start too, which makes the bound hold for starts that cuts bring into being later. A
//! window found there is never the answer when all its slots start before: it could start earlier, in the stretch before,
//! whose bound is less.
//!
//! A window *stands* when each of its slots is still there under the same key and long enough. Then those that were passed
//! over are what they were, or gone, or have become later slots, which lose ties. Only where a sum under a budget was not
//! searched to the end, the stretch must not have been cut at all.
//!
//! Requests for nodes of one site are not searched this way: between equal windows of several sites it counts which site was
//! joined first, by whatever slot.
//!
//! **Complexity.** One scan for the first window; for each further one a pass over a few stretches, each about as many slots
//! as are alive at once.
//!
//! Source: lazy evaluation of bounds that only grow (M. Minoux, Accelerated greedy algorithms, 1978).

use super::config::Criterion;
use super::criterion::{Best, BestSoFar, bottleneck, sums};
use super::few::{FEW, Few, Weighed};
use super::ranking::candidates;
use super::scan::{Candidate, Selector, join_all};
use super::sums::{Interest, least_sum};
use super::view::View;
use super::worst::least_worst;
use super::{Found, window_of};
use crate::slots::{Segments, SlotList};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use walras_model::offer::SlotKey;

/// A stretch that is searched again is searched for windows of values up to 1 + 2⁻⁹ times what is needed.
const SLACK: u32 = 9;

/// As long as no window is known, a stretch is searched for values up to 1 + 2⁻³ times its bound.
const RAISE: u32 = 3;

/// What a window is ranked by: value, start, cost.
pub(super) type Rank = (i128, i64, i128);

/// What a search reads.
#[derive(Clone, Copy)]
pub(crate) struct SearchInput<'a> {
    pub(crate) list: &'a SlotList,
    pub(crate) segments: &'a Segments,
    pub(crate) criterion: &'a Criterion,
    /// What each node adds to a sum, by id (see [`super::criterion::weights`]).
    pub(crate) weights: &'a [i64],
    /// What may be spent on proving one window best.
    pub(crate) branches_max: u64,
}

impl SearchInput<'_> {
    /// Feeds a selector what can start in a stretch, or only what can be part of a window of at most `value_max`.
    fn feed(
        &self,
        number: usize,
        view: &View,
        from: i64,
        value_max: Option<i128>,
        selector: &mut impl Selector,
        slots_scanned: &mut u64,
    ) {
        let segment = &self.segments.all()[number];
        let by_start = matches!(self.criterion, Criterion::Start | Criterion::Finish);
        let ranked = value_max.filter(|_| !by_start);
        if let Some(value_max) = ranked {
            let mut found = Vec::new();
            let met = |candidate| found.push(candidate);
            *slots_scanned += candidates(segment, view, self.criterion, from, value_max, met).slots as u64;
            found.sort_unstable_by_key(|candidate| candidate.slot.key());
            let _ = found.into_iter().try_for_each(|candidate| selector.join(candidate));
            return;
        }
        *slots_scanned += segment.len() as u64;
        let read = join_all(&segment.carried, view, from, selector);
        let _ = read.is_continue().then(|| join_all(&segment.own, view, from, selector));
    }

    /// The best of a stretch that is at most `value_max`, where there are too many candidates to look through.
    fn by_queues(&self, number: usize, view: &View, from: i64, value_max: i128) -> Option<BestSoFar> {
        let mut selector = Best::new(self.weights, view, self.criterion, 0).up_to(value_max);
        // They have been counted.
        self.feed(number, view, from, Some(value_max), &mut selector, &mut 0);
        selector.finish()
    }

    /// The window of a stretch whose worst task is best, when that is at most `value_max`; or else what no window is below, where there may be any.
    fn least_worst(
        &self,
        number: usize,
        view: &View,
        from: i64,
        value_max: i128,
        slots_scanned: &mut u64,
    ) -> Result<BestSoFar, Option<i128>> {
        let segment = &self.segments.all()[number];
        let mut found = Vec::with_capacity(64);
        let mut named = 0;
        let met = |candidate: Candidate<'_>| {
            named += 1;
            let Candidate { slot, start, expiry, .. } = candidate;
            let of = bottleneck(self.criterion, &candidate);
            if i128::from(of) <= value_max {
                found.push(Weighed { weight: candidate.cost(), key: slot.key(), start, expiry, of });
            }
        };
        let read = candidates(segment, view, self.criterion, from, value_max, met);
        *slots_scanned += read.slots as u64;
        if named < view.tasks {
            return Err(read.beyond);
        }
        let best = match found.len() > FEW {
            true => self.by_queues(number, view, from, value_max),
            false => least_worst(view, found, from),
        };
        best.ok_or(Some(value_max + 1))
    }

    /// The cheapest window of a stretch, when it costs at most `cost_max`; or else what no window is below, where there may be any.
    fn cheapest(
        &self,
        number: usize,
        view: &View,
        from: i64,
        cost_max: i128,
        slots_scanned: &mut u64,
    ) -> Result<BestSoFar, Option<i128>> {
        let segment = &self.segments.all()[number];
        let mut found = Vec::with_capacity(64);
        let met = |candidate: Candidate<'_>| {
            let Candidate { slot, start, expiry, .. } = candidate;
            found.push(Weighed { weight: candidate.cost(), key: slot.key(), start, expiry, of: () });
        };
        let read = candidates(segment, view, self.criterion, from, cost_max, met);
        *slots_scanned += read.slots as u64;
        if found.len() < view.tasks {
            return Err(read.beyond);
        }
        if found.len() > FEW {
            return self.by_queues(number, view, from, cost_max).ok_or(Some(cost_max + 1));
        }
        let most = cost_max.min(i128::from(view.budget));
        let few = Few::within(view.tasks, found, most);
        let (cost, start) = few.least(from, most).ok_or(Some(cost_max + 1))?;
        let keys: Vec<SlotKey> = few.members_at(start).collect();
        Ok(BestSoFar { value: cost, start, cost, keys })
    }
}

/// The search of one request, which can go on. See the module's documentation.
#[derive(Clone, Debug, Default)]
pub(crate) struct BestSearch {
    /// What is known of each stretch, by number; nothing where no window starts.
    stretches: Vec<Option<Stretch>>,
    /// How many windows have been asked for.
    searches: u64,
    /// The price of the budget that bounded the last sum best.
    price: i128,
}

/// What is known of a stretch.
#[derive(Clone, Debug)]
struct Stretch {
    /// No window that starts in it ranks before this.
    bound: Rank,
    window: Option<Kept>,
}

/// The best window of a stretch when it was last searched.
#[derive(Clone, Debug)]
struct Kept {
    best: BestSoFar,
    lasts: Lasts,
}

/// How long a window is known to be the best of its stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lasts {
    /// As long as it stands.
    WhileItStands,
    /// Until anything is cut there: the count of cuts then.
    UntilCut(u64),
    /// Not at all: it was not proven.
    Unproven,
}

impl Kept {
    fn rank(&self) -> Rank {
        (self.best.value, self.best.start, self.best.cost)
    }
}

impl BestSearch {
    /// The best window on what is left.
    pub(crate) fn next(
        &mut self,
        input: &SearchInput<'_>,
        view: &View,
        slots_scanned: &mut u64,
    ) -> Option<Found> {
        self.searches += 1;
        self.meet_new(input, view);
        let mut work_left = input.branches_max;
        let known = self.stretches.iter().enumerate();
        let mut all: BinaryHeap<Reverse<(Rank, usize)>> =
            known.filter_map(|(number, stretch)| Some(Reverse((stretch.as_ref()?.bound, number)))).collect();
        // No stretch matters whose bound is beyond a window that stands.
        let (mut best, mut open) = (None, Vec::new());
        while best.is_none()
            && let Some(Reverse((bound, number))) = all.pop()
        {
            match self.stands(number, input, view) {
                true => best = Some((bound, number)),
                false => open.push(Reverse((bound, number, false))),
            }
        }
        let (mut open, mut unproven) = (BinaryHeap::from(open), None);
        while let Some(Reverse((bound, number, raised))) = open.pop() {
            if best.is_some_and(|best| best.0 <= bound) {
                break;
            }
            let value_max = value_max(input.criterion, best.map(|best| best.0), bound, raised);
            let needed = best.map(|best| best.0.0);
            let interest = value_max.map(|value_max| Interest { value_max, needed });
            let unsure = self.search(number, input, view, interest, &mut work_left, slots_scanned);
            unproven = unproven.into_iter().chain(unsure).min();
            match &self.stretches[number] {
                Some(Stretch { window: Some(kept), .. }) => {
                    best = best.into_iter().chain([(kept.rank(), number)]).min();
                }
                // Where work has run out, there is no more to find out.
                Some(Stretch { bound, .. }) if unsure.is_none() || best.is_none() => {
                    open.push(Reverse((*bound, number, true)));
                }
                Some(_) | None => {}
            }
        }
        let kept = self.stretches[best?.1].as_ref()?.window.as_ref()?;
        let window = window_of(input.list, view, kept.best.start, kept.best.keys.clone())?;
        Some(Found { window, bound: unproven.filter(|bound| *bound < kept.best.value) })
    }

    /// Takes in stretches that were divided off since: what bounds the whole bounds the part.
    fn meet_new(&mut self, input: &SearchInput<'_>, view: &View) {
        let all = input.segments.all();
        for (number, segment) in all.iter().enumerate().skip(self.stretches.len()) {
            let opening = segment.opening.as_millis();
            let stretch = match segment.parent.filter(|_| self.searches > 1) {
                Some(parent) => self.stretches[parent].as_mut().map(|whole| whole.divide(opening)),
                None => first_bound(input, view, number).map(|bound| Stretch { bound, window: None }),
            };
            self.stretches.push(stretch);
        }
    }

    /// Whether the window kept for a stretch is still its best.
    fn stands(&self, number: usize, input: &SearchInput<'_>, view: &View) -> bool {
        let kept = self.stretches[number].as_ref().and_then(|stretch| stretch.window.as_ref());
        let Some(kept) = kept else { return false };
        match kept.lasts {
            Lasts::WhileItStands => kept.best.keys.iter().all(|key| {
                let candidate = input.list.get(*key).and_then(|slot| Candidate::new(slot, view));
                candidate.is_some_and(|candidate| candidate.expiry >= kept.best.start)
            }),
            Lasts::UntilCut(cuts) => input.segments.all()[number].cuts == cuts,
            Lasts::Unproven => false,
        }
    }

    /// Searches one stretch again for windows of interest; what is not excluded, where that is not proven.
    fn search(
        &mut self,
        number: usize,
        input: &SearchInput<'_>,
        view: &View,
        interest: Option<Interest>,
        work_left: &mut u64,
        slots_scanned: &mut u64,
    ) -> Option<i128> {
        if sums(input.criterion) {
            return self.least_sum(number, input, view, interest, work_left, slots_scanned);
        }
        let value_max = interest.map(|interest| interest.value_max);
        let from = input.segments.all()[number].opening.as_millis().max(view.earliest);
        let searched = match (input.criterion, value_max) {
            (Criterion::Cost, Some(cost_max)) => input.cheapest(number, view, from, cost_max, slots_scanned),
            (Criterion::Runtime | Criterion::Price, Some(value_max)) => {
                input.least_worst(number, view, from, value_max, slots_scanned)
            }
            _ => {
                let mut selector = Best::new(input.weights, view, input.criterion, 0);
                if let Some(value_max) = value_max {
                    selector = selector.up_to(value_max);
                }
                input.feed(number, view, from, value_max, &mut selector, slots_scanned);
                selector.finish().ok_or(value_max.map(|value_max| value_max + 1))
            }
        };
        self.stretches[number] = match searched {
            Ok(best) => {
                let kept = Kept { best, lasts: Lasts::WhileItStands };
                Some(Stretch { bound: kept.rank(), window: Some(kept) })
            }
            Err(bound) => bound.map(|bound| Stretch { bound: (bound, from, 0), window: None }),
        };
        None
    }

    /// The same by sums, with the bound that holds for the stretch.
    fn least_sum(
        &mut self,
        number: usize,
        input: &SearchInput<'_>,
        view: &View,
        interest: Option<Interest>,
        work_left: &mut u64,
        slots_scanned: &mut u64,
    ) -> Option<i128> {
        let segment = &input.segments.all()[number];
        let from = segment.opening.as_millis().max(view.earliest);
        let found = least_sum(input, view, number, interest, work_left, &mut self.price, slots_scanned);
        let beyond = interest.filter(|_| !found.none).map(|interest| interest.value_max + 1);
        let excluded = |least: i128| found.unproven.map_or(least, |unproven| least.min(unproven));
        self.stretches[number] = match (found.best, found.open_from.or(beyond)) {
            (Some(best), _) => {
                let lasts = match found.unproven {
                    Some(_) => Lasts::Unproven,
                    None if found.settled => Lasts::WhileItStands,
                    None => Lasts::UntilCut(segment.cuts),
                };
                let kept = Kept { best, lasts };
                let bound = found.unproven.map_or(kept.rank(), |bound| kept.rank().min((bound, from, 0)));
                Some(Stretch { bound, window: Some(kept) })
            }
            (None, Some(least)) => Some(Stretch { bound: (excluded(least), from, 0), window: None }),
            (None, None) => None,
        };
        found.unproven
    }
}

impl Stretch {
    /// The part from `opening` on; the window goes with the part that it starts in.
    fn divide(&mut self, opening: i64) -> Stretch {
        let later = |kept: &mut Kept| kept.best.start >= opening;
        let window = self.window.take_if(later).filter(|kept| kept.lasts == Lasts::WhileItStands);
        Stretch { bound: self.bound, window }
    }
}

/// Up to which value a stretch of this bound is searched: for what ranks before `best`, and a little more, so that it need not
/// be searched for every small step that follows. As long as there is no best, what is only a little worse than the bound is
/// likely to be there, and quickly found; where its bound was raised in vain, the whole stretch is searched.
fn value_max(criterion: &Criterion, best: Option<Rank>, bound: Rank, raised: bool) -> Option<i128> {
    match (criterion, best) {
        (Criterion::Start, _) | (Criterion::Finish, None) => None,
        (Criterion::Finish, Some((value, ..))) => Some(value),
        (_, Some((value, ..))) => Some(value + (value >> SLACK)),
        (_, None) => Some(bound.0 + (bound.0 >> RAISE)).filter(|_| bound.0 > 0 && !raised),
    }
}

/// What bounds a stretch that nobody has searched; nothing when no window of the request can start in it.
fn first_bound(input: &SearchInput<'_>, view: &View, number: usize) -> Option<Rank> {
    let opening = input.segments.all()[number].opening.as_millis();
    let end = input.segments.end_of(number).map_or(i64::MAX, |end| end.as_millis());
    let from = opening.max(view.earliest);
    if end <= from || from.saturating_add(view.runtime_min) > view.deadline {
        return None;
    }
    let value = match input.criterion {
        Criterion::Start => i128::from(from),
        Criterion::Finish => i128::from(from) + i128::from(view.runtime_min),
        _ => 0,
    };
    Some((value, from, 0))
}
