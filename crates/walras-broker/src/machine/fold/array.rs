//! Arrays: there, elements drawn, elements ended or cut, over.

use super::notice;
use crate::model::array::{Array, Element, number_at};
use crate::model::gate::{Past, PastArray};
use crate::model::id::{JobNumber, ReservationNumber};
use crate::model::indices::Indices;
use crate::model::job::{Job, JobEnd, JobSpec};
use crate::model::ranks::Ranks;
use crate::model::sharing::Tally;
use crate::model::state::State;
use crate::rules::predicting::expected;
use std::sync::Arc;
use walras_model::Money;

impl State {
    fn known_array(&mut self, number: JobNumber) -> &mut Array {
        let array = self.arrays.get_mut(&number);
        array.unwrap_or_else(|| panic!("an event names array {number}, which is not there"))
    }

    pub(super) fn array_there(&mut self, number: JobNumber, spec: &Arc<JobSpec>, indices: &Indices) {
        assert!(number > self.last.job, "the number {number} was given to a job before");
        let waits = self.waits_of(spec);
        let array = Array::new(number, spec, indices, self.clock, waits);
        self.last.job = array.last();
        self.tally_up(&spec.user, Tally::of_array(spec, indices.count()));
        self.note(number, spec, &array.waits);
        self.arrays.insert(number, array);
    }

    /// Elements become jobs.
    pub(super) fn drawn(&mut self, number: JobNumber, elements: &Ranks) {
        let array = self.known_array(number);
        let fits = elements.is_sound() && !array.waiting && array.pending.remove_all(elements);
        assert!(fits, "elements of array {number} are drawn that were not pending");
        array.live.insert_all(elements);
        let array = array.clone();
        let (expected, _) = expected(self, &array.spec);
        for rank in elements.iter() {
            let index = array.indices.index_at(rank).expect("an array has all of its pending elements");
            let mut job = Job::new(number_at(number, rank), &array.spec, array.queued_at);
            (job.freed_at, job.expected) = (array.freed_at, expected);
            job.element = Some(Element { array: number, index });
            self.jobs.insert(job.number, job);
        }
    }

    /// An element has ended; it is no job any more.
    pub(super) fn element_ended(&mut self, number: JobNumber, of: Element, end: &JobEnd) {
        let array = self.known_array(of.array);
        let rank = array.rank_of(number).filter(|rank| array.live.contains(*rank));
        let rank = rank.unwrap_or_else(|| panic!("job {number} has ended and was no element"));
        array.live.remove(rank);
        array.counts.add(end, 1);
        if *end != JobEnd::Done {
            array.unwell.insert(rank);
        }
        let spec = Arc::clone(&array.spec);
        self.tally_down(&spec.user, Tally::of_elements(&spec, 1));
        self.tell_end(number, *end == JobEnd::Done);
    }

    /// Elements never become jobs.
    pub(super) fn array_cut(&mut self, number: JobNumber, elements: &Ranks, end: &JobEnd, whole: bool) {
        let array = self.known_array(number);
        let fits = elements.is_sound() && array.pending.remove_all(elements);
        assert!(fits, "elements of array {number} are cut that were not pending");
        array.counts.add(end, elements.len());
        array.unwell.insert_all(elements);
        if whole {
            array.cut = Some(end.clone());
        }
        let spec = Arc::clone(&array.spec);
        self.tally_down(&spec.user, Tally::of_elements(&spec, elements.len()));
        for named in self.named_within(number, elements) {
            self.tell_end(named, false);
        }
    }

    /// The elements among these for which somebody waits.
    fn named_within(&self, number: JobNumber, elements: &Ranks) -> Vec<JobNumber> {
        let mut named: Vec<JobNumber> = Vec::new();
        for (from, to) in elements.ranges() {
            let within = self.dependents_within(number_at(number, from), number_at(number, to));
            named.extend(within.map(|(of, _)| of));
        }
        named.dedup();
        named
    }

    /// No element is left.
    pub(super) fn array_ended(&mut self, number: JobNumber, end: &JobEnd) {
        let array = self.known_array(number).clone();
        assert_eq!(array.left(), 0, "array {number} has ended before its elements");
        let spec = &array.spec;
        notice::of_end(self, spec.user.clone(), number, end);
        self.tally_down(&spec.user, Tally::of_array(spec, 0));
        self.forget(number, &array.waits);
        self.arrays.remove(&number);
        let past = PastArray { indices: array.indices, unwell: array.unwell };
        let (user, well) = (Arc::from(spec.user.as_str()), *end == JobEnd::Done);
        self.job_past(number, spec, Past { user, well, array: Some(Arc::new(past)) });
    }

    /// A reservation of an element was closed, and this charged for it.
    pub(super) fn element_closed(&mut self, of: Element, number: ReservationNumber, charge: Money) {
        let parts = self.reservations.get(&number).map(|it| it.parts.clone()).unwrap_or_default();
        let clock = self.clock;
        let array = self.known_array(of.array);
        for part in &parts {
            array.took.add(part, clock);
        }
        let spent = array.spent.checked_add(charge);
        array.spent = spent.expect("what an array was charged can be counted");
    }
}
