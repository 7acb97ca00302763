//! A slot list by stretches of time, each of which can be searched by itself.
//!
//! **Problem.** The best window by a criterion may start anywhere, so that a search has to read the whole list; yet after a
//! cut the best windows of all stretches of time that it did not touch are what they were.
//!
//! **Method.** Time is divided into stretches. Each holds, in order, the slots that start in it, and those that start before
//! it and reach into it (*carried*): all that windows that start in it can use. A stretch is about as long as slots are, so
//! that about as many start in it as reach into it, and all copies together are about twice the list. When cuts have made
//! it many times as full, it is divided in two; the new half knows which one it comes from. The slots of a stretch may also be
//! kept by what work on them adds to a criterion, so that a search for less than a value reads only those that can be part of it.
//!
//! **Complexity.** Building: O(n log n). A cut: two binary searches and a move for each stretch that the cut slot reaches into.

use super::ranked::{Ranked, Ranking};
use walras_model::offer::{Slot, SlotKey};
use walras_model::quantity::Time;
use walras_model::window::Placement;

/// No stretch is made for fewer slots.
const SLOTS_MIN: usize = if cfg!(test) { 3 } else { 128 };
/// A stretch is divided when so many times as many slots start in it as reach into it.
const DIVIDE_AT: usize = 4;

/// A stretch of time, from its opening to that of the next.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) opening: Time,
    /// Slots that start before and end after the opening, in order of their keys.
    pub(crate) carried: Vec<Slot>,
    /// Slots that start in the stretch, in order of their keys.
    pub(crate) own: Vec<Slot>,
    /// All of these by rank and then key, where there is a ranking.
    pub(crate) ranked: Ranked,
    /// How many cuts have changed a slot of it.
    pub(crate) cuts: u64,
    /// The stretch that it was divided off.
    pub(crate) parent: Option<usize>,
}

/// See the module's documentation.
#[derive(Clone, Debug)]
pub(crate) struct Segments {
    /// By number; numbers never change.
    all: Vec<Segment>,
    /// Openings and numbers, in order of time.
    order: Vec<(Time, usize)>,
    /// There are never more.
    count_max: usize,
    ranking: Option<Ranking>,
    /// Slots below this length, in milliseconds, are left out.
    length_min: i64,
}

impl Segments {
    /// At most so many stretches of these slots, given in order of their keys.
    ///
    /// Slots below `length_min` milliseconds, in which nobody's task fits, are left out.
    pub(crate) fn new(slots: &[Slot], count_max: usize, length_min: i64) -> Segments {
        let long = slots.iter().filter(|slot| slot.span().as_millis() >= length_min);
        let whole = Segment::new(Time::MIN, None, Vec::new(), long.copied().collect());
        let mut segments =
            Segments { all: vec![whole], order: vec![(Time::MIN, 0)], count_max, ranking: None, length_min };
        // The first half of them; the others are for when cuts have made more slots.
        let size_min = slots.len() / (count_max / 2).max(1);
        let mut last = 0;
        while segments.divide_off(last, size_min) {
            last = segments.all.len() - 1;
        }
        segments
    }

    /// The same with the slots also in order of a rank.
    pub(crate) fn ranked(mut self, ranking: Ranking) -> Segments {
        self.ranking = Some(ranking);
        for number in 0..self.all.len() {
            self.rank(number);
        }
        self
    }

    /// Ranks the slots of a stretch afresh.
    fn rank(&mut self, number: usize) {
        let Some(ranking) = &self.ranking else { return };
        let segment = &mut self.all[number];
        let slots = segment.carried.iter().chain(&segment.own);
        segment.ranked = Ranked::new(ranking, segment.opening, slots);
    }

    /// Puts one slot in the place of another in the order of a stretch.
    fn rank_again(&mut self, number: usize, before: Option<SlotKey>, after: Option<Slot>, rank: i64) {
        let Some(ranking) = &self.ranking else { return };
        let segment = &mut self.all[number];
        segment.ranked.replace(ranking, segment.opening, rank, before, after);
    }

    pub(crate) fn all(&self) -> &[Segment] {
        &self.all
    }

    /// When the stretch with this number ends, unless it is the last.
    pub(crate) fn end_of(&self, number: usize) -> Option<Time> {
        let place = self.place_of(self.all[number].opening);
        self.order.get(place + 1).map(|(opening, _)| *opening)
    }

    /// The stretch in which a point in time lies, and all that follow, in order of time.
    pub(crate) fn since(&self, millis: i64) -> impl Iterator<Item = &Segment> {
        let place =
            self.order.partition_point(|(opening, _)| opening.as_millis() <= millis).saturating_sub(1);
        self.order[place..].iter().map(|(_, number)| &self.all[*number])
    }

    /// The place, in order of time, of the stretch in which `time` lies.
    fn place_of(&self, time: Time) -> usize {
        self.order.partition_point(|(opening, _)| *opening <= time).saturating_sub(1)
    }

    /// Takes a placement out of the slot that holds it.
    pub(crate) fn cut(&mut self, slot: Slot, placement: &Placement) {
        let interval = placement.interval;
        let length_min = self.length_min;
        let long = |part: &Slot| part.span().as_millis() >= length_min;
        let before = slot.part(slot.start(), interval.start()).filter(long);
        let after = slot.part(interval.end(), slot.end()).filter(long);
        let rank = self.ranking.as_ref().map(|ranking| ranking.of(&slot));
        let first = self.place_of(slot.start());
        self.segment_at(first).replace_own(slot.key(), before);
        if let Some(rank) = rank {
            self.rank_again(self.order[first].1, Some(slot.key()), before, rank);
        }
        for place in first + 1..self.order.len() {
            if self.order[place].0 >= slot.end() {
                break;
            }
            let opening = self.order[place].0;
            let reaches = |part: &Slot| part.start() < opening && reaches(part, opening, length_min);
            let left = before.filter(reaches).or(after.filter(reaches));
            self.segment_at(place).replace_carried(slot.key(), left);
            if let Some(rank) = rank {
                self.rank_again(self.order[place].1, Some(slot.key()), left, rank);
            }
        }
        if let Some(after) = after {
            let place = self.place_of(after.start());
            let number = self.order[place].1;
            insert(&mut self.all[number].own, after);
            if let Some(rank) = rank {
                self.rank_again(number, None, Some(after), rank);
            }
            let segment = &self.all[number];
            if segment.own.len() > DIVIDE_AT * segment.carried.len().max(SLOTS_MIN) {
                self.divide(number, segment.own.len() / 2);
            }
        }
    }

    fn segment_at(&mut self, place: usize) -> &mut Segment {
        &mut self.all[self.order[place].1]
    }

    /// Divides what exceeds one stretch off the last one; whether there was anything.
    fn divide_off(&mut self, number: usize, size_min: usize) -> bool {
        let segment = &self.all[number];
        let size = segment.carried.len().max(SLOTS_MIN).max(size_min);
        segment.own.len() > 2 * size && self.divide(number, size)
    }

    /// Divides a stretch where the slot at `index` starts, or behind all that start with it; whether that is possible.
    fn divide(&mut self, number: usize, index: usize) -> bool {
        if self.all.len() >= self.count_max {
            return false;
        }
        let segment = &mut self.all[number];
        let Some(mut opening) = segment.own.get(index).map(Slot::start) else { return false };
        if segment.own.first().is_some_and(|first| first.start() == opening) {
            let behind = segment.own.partition_point(|slot| slot.start() <= opening);
            let Some(next) = segment.own.get(behind) else { return false };
            opening = next.start();
        }
        let later = segment.own.split_off(segment.own.partition_point(|slot| slot.start() < opening));
        // What is divided off takes no room along: in a chain each part would keep that of all behind it.
        segment.own.shrink_to_fit();
        let earlier = segment.carried.iter().chain(&segment.own);
        let length_min = self.length_min;
        let carried = earlier.filter(|slot| reaches(slot, opening, length_min)).copied().collect();
        segment.cuts += 1;
        let place = self.place_of(opening) + 1;
        self.order.insert(place, (opening, self.all.len()));
        let part = self.all.len();
        self.all.push(Segment::new(opening, Some(number), carried, later));
        self.rank(number);
        self.rank(part);
        true
    }
}

impl Segment {
    fn new(opening: Time, parent: Option<usize>, carried: Vec<Slot>, own: Vec<Slot>) -> Segment {
        Segment { opening, carried, own, ranked: Ranked::default(), cuts: 0, parent }
    }

    fn replace_own(&mut self, key: SlotKey, left: Option<Slot>) {
        self.cuts += 1;
        replace(&mut self.own, key, left);
    }

    fn replace_carried(&mut self, key: SlotKey, left: Option<Slot>) {
        self.cuts += 1;
        replace(&mut self.carried, key, left);
    }

    /// How many slots have to be read to search it.
    pub(crate) fn len(&self) -> usize {
        self.carried.len() + self.own.len()
    }
}

/// Whether a slot is free after the opening of a stretch for as long as anybody's task takes.
fn reaches(slot: &Slot, opening: Time, length_min: i64) -> bool {
    slot.end() > opening && slot.end().as_millis() - opening.as_millis() >= length_min
}

/// Puts what is left of a slot in its place.
fn replace(slots: &mut Vec<Slot>, key: SlotKey, left: Option<Slot>) {
    let Ok(index) = slots.binary_search_by_key(&key, Slot::key) else { return };
    match left {
        Some(left) if left.key() == key => slots[index] = left,
        left => {
            slots.remove(index);
            left.into_iter().for_each(|left| insert(slots, left));
        }
    }
}

fn insert(slots: &mut Vec<Slot>, slot: Slot) {
    let index = slots.partition_point(|other| other.key() < slot.key());
    slots.insert(index, slot);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slots::{RankBy, SlotList};
    use crate::{SearchConfig, find_window};
    use walras_model::{Attributes, Node, Offers, Site, SiteId};
    use walras_model::{Interval, NodeId, Performance, Rate, Request, Work};

    /// What a stretch must hold, from the list alone.
    fn check(segments: &Segments, list: &SlotList) {
        let all: Vec<Slot> = list.iter().copied().filter(|slot| slot.span().as_millis() >= 4).collect();
        let mut held = 0;
        for (number, segment) in segments.all().iter().enumerate() {
            let end = segments.end_of(number);
            let starts_in =
                |slot: &&Slot| slot.start() >= segment.opening && end.is_none_or(|end| slot.start() < end);
            let own: Vec<Slot> = all.iter().filter(starts_in).copied().collect();
            assert_eq!(segment.own, own);
            let left = |slot: &Slot| slot.end().as_millis() - segment.opening.as_millis();
            let reaches = |slot: &&Slot| slot.start() < segment.opening && left(slot) >= 4;
            let carried: Vec<Slot> = all.iter().filter(reaches).copied().collect();
            assert_eq!(segment.carried, carried);
            let mut ranked: Vec<Slot> = carried.iter().chain(&own).copied().collect();
            ranked.sort_unstable_by_key(|slot| (slot.node().number() % 3, slot.key()));
            assert_eq!(segment.ranked.slots(), ranked);
            let ranks: Vec<i64> = ranked.iter().map(|slot| i64::from(slot.node().number() % 3)).collect();
            assert_eq!(segment.ranked.ranks(), ranks);
            let work = |slot: &Slot| slot.end() - slot.start().max(segment.opening);
            for needed in [4, 20, 33] {
                let expected = (1..ranked.len()).filter(|place| work(&ranked[*place]) >= needed);
                let mut places = Vec::new();
                segment.ranked.for_each_with_room(1..ranked.len().max(1), needed, |place| places.push(place));
                assert_eq!(places, expected.collect::<Vec<_>>());
                assert!(places.iter().all(|place| segment.ranked.has_room(*place, needed)));
            }
            held += own.len();
        }
        assert_eq!(held, all.len());
    }

    #[test]
    fn stretches_hold_what_can_be_used_in_them_after_every_cut() {
        let time = |millis| Time::from_millis(millis).unwrap();
        let rate = Rate::from_micros_per_second(1_000).unwrap();
        let slot = |node: u32, start: i64, length: i64| {
            let interval = Interval::new(time(start), time(start + length)).unwrap();
            Slot::new(NodeId::new(node), interval, rate).unwrap()
        };
        let mut slots = Vec::new();
        for node in 0..7_u32 {
            let step = 40 + 13 * i64::from(node);
            slots.extend((0..12).map(|index| slot(node, i64::from(node) * 5 + index * step, step - 7)));
        }
        slots.push(slot(7, 0, 1_000));
        let node = |number: u32| Node {
            division: Default::default(),
            name: format!("n{number}"),
            site: SiteId::new(0),
            performance: Performance::ONE,
            watts: None,
            attributes: Attributes::new(),
        };
        let horizon = Interval::new(time(0), time(2_000)).unwrap();
        let nodes = (0..8).map(node).collect();
        let offers = Offers::new(horizon, vec![Site { name: "a".into() }], nodes, slots).unwrap();
        let mut list = SlotList::from_offers(&offers);
        let by = RankBy::Node((0..8).map(|node| node % 3).collect());
        let ranking = Ranking { by, performances: vec![1_000_000; 8] };
        let mut segments = Segments::new(offers.slots(), 100, 4).ranked(ranking);
        let at_first = segments.all().len();
        check(&segments, &list);
        for turn in 0..150_i64 {
            let tasks = u32::try_from(1 + turn % 3).unwrap();
            let mut request = Request::new("J", tasks, Work::from_millis(1 + turn % 9).unwrap());
            request.earliest = Some(time(turn * 37 % 900));
            let Some(window) = find_window(&list, &offers, &request, &SearchConfig::default()).found() else {
                continue;
            };
            for placement in window.placements() {
                segments.cut(*list.get(placement.source).unwrap(), placement);
            }
            list.subtract(&window).unwrap();
            check(&segments, &list);
        }
        assert!(at_first > 3 && segments.all().len() > at_first, "{at_first}");
    }

    #[test]
    fn stretches_have_room_for_their_slots_alone() {
        let time = |millis| Time::from_millis(millis).unwrap();
        let slot = |index: i64| {
            let interval = Interval::new(time(index), time(index + 1)).unwrap();
            Slot::new(NodeId::new(0), interval, Rate::from_micros_per_second(1_000).unwrap()).unwrap()
        };
        let slots: Vec<Slot> = (0..10_000).map(slot).collect();
        let segments = Segments::new(&slots, 2_000, 1);
        let room = |segment: &Segment| segment.own.capacity() + segment.carried.capacity();
        let total: usize = segments.all().iter().map(room).sum();
        assert!(segments.all().len() > 100 && total <= 2 * slots.len(), "{total}");
    }
}
