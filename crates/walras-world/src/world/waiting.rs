//! Clients whose jobs wait: for other jobs of theirs, for namesakes, for their own word.
//!
//! All of it is drawn from a stream of its own, so that worlds without it are as they were.

use super::{Parcel, World};
use crate::setup::MINUTE;
use std::sync::Arc;
use walras_broker::chain::ChainMember;
use walras_broker::gate::{Condition, Dependency, Which};
use walras_broker::{Answer, Input};
use walras_sites::clock::later;

impl World {
    /// A submission that follows, mostly, on the latest job of its user, and now and then on another as well; or that asks for a quote for
    /// a chain of its own.
    fn chained(&mut self, input: Input) -> Input {
        let Input::Submit { key, mut job } = input else { return input };
        let Some(chance) = &mut self.chains else { return Input::Submit { key, job } };
        let jobs = self.broker.state().jobs.values();
        let own = jobs.filter(|it| it.spec.user == job.user && it.offered.is_none());
        let own: Vec<Which> = own.map(|it| Which::whole(it.number)).collect();
        let plain = job.workflow.is_none() && job.search.is_none();
        if plain && chance.happens(250) {
            let member = |place: u32| ChainMember {
                job: Arc::new((*job).clone()),
                after: place.checked_sub(1).map(|before| (before, Condition::Ok)).into_iter().collect(),
            };
            let last = if chance.happens(500) { 1 } else { 2 };
            return Input::AskChain { key, members: (0..=last).map(member).collect() };
        }
        let conditions = [Condition::Ok, Condition::Ok, Condition::Any, Condition::Started];
        if let Some(last) = own.last().filter(|_| chance.happens(800)) {
            let on = chance.one_of(&own).filter(|_| chance.happens(200)).unwrap_or(last);
            for on in [last, on] {
                let condition = chance.one_of(&conditions).copied().unwrap_or(Condition::Any);
                job.gate.after.insert(Dependency { on: *on, condition });
            }
        }
        Input::Submit { key, job }
    }

    /// A submission, which may have to wait for what is there.
    pub(super) fn made_to_wait(&mut self, input: Input) -> Input {
        let input = self.chained(input);
        let Input::Submit { key, mut job } = input else { return input };
        let Some(chance) = &mut self.waits else { return Input::Submit { key, job } };
        let state = self.broker.state();
        let open = state.jobs.values().filter(|it| it.spec.user == job.user && it.offered.is_none());
        let open = open.map(|it| state.which(it.number));
        let arrays = state.arrays.values().filter(|it| it.spec.user == job.user);
        let arrays = arrays.flat_map(|it| {
            let lowest = Which { job: it.number, element: Some(it.indices.lowest()) };
            let highest = Which { element: Some(it.indices.highest()), ..lowest };
            [Which::whole(it.number), lowest, highest]
        });
        let mut known: Vec<Which> = open.chain(arrays).collect();
        known.extend(
            state
                .past
                .iter()
                .filter(|(_, it)| *it.user == *job.user)
                .map(|(number, _)| Which::whole(*number)),
        );
        for _ in 0..chance.between(0, 2) {
            if let (Some(on), Some(condition)) = (chance.one_of(&known), chance.one_of(&Condition::ALL)) {
                job.gate.after.insert(Dependency { on: *on, condition: *condition });
            }
        }
        if chance.happens(300) {
            job.request.name = "same".to_owned();
            job.gate.singleton = chance.happens(500);
        }
        job.gate.held = chance.happens(200);
        if chance.happens(200) {
            let (last, step) = (chance.between(1, 7), chance.between(1, 2));
            let limit =
                if chance.happens(500) { format!("%{}", chance.between(1, 3)) } else { String::new() };
            job.array = format!("1-{last}:{step}{limit}").parse().ok();
        }
        Input::Submit { key, job }
    }

    /// Whoever has a job held lets it go some day, mostly; and of an array an element may not be wanted after all.
    pub(super) fn lets_go(&mut self, input: &Input, answer: Option<&Answer>) {
        let (Input::Submit { job, .. }, Some(Answer::Job(number))) = (input, answer) else { return };
        if let Some(chance) = self.waits.as_mut().filter(|_| job.array.is_some())
            && chance.happens(400)
        {
            let pause = chance.between(0, 60 * MINUTE);
            let unwanted = if chance.happens(300) { *number } else { number.next().next() };
            let cancel = Input::CancelJob { user: job.user.clone(), job: unwanted };
            self.post(later(self.now, pause), Parcel::Client(cancel, 19));
        }
        let Some(chance) = self.waits.as_mut().filter(|_| job.gate.held) else { return };
        if chance.happens(900) {
            let pause = chance.between(0, 30 * MINUTE);
            let release = Input::Release { user: job.user.clone(), job: *number };
            self.post(later(self.now, pause), Parcel::Client(release, 19));
        }
    }
}
