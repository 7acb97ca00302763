//! What one user, and one group, may have here at a time.
//!
//! A user who sends without end fills the queue, the journal and the memory that everybody shares. So there is a bound for
//! each, by user and by group, and what goes beyond it is refused when it is asked for: nothing that was taken is ever dropped.
//!
//! **Complexity.** O(1) for a user; O(users) for a group.

use crate::model::array::Array;
use crate::model::budget::Spender;
use crate::model::chain::QuotedMember;
use crate::model::input::Refusal;
use crate::model::job::JobSpec;
use crate::model::sharing::{Limited, OverLimit, QueueLimits, Tally};
use crate::model::state::State;

impl Tally {
    /// What a job adds.
    pub(crate) fn of_job(spec: &JobSpec) -> Tally {
        Tally { jobs: 1, work: spec.work_millis(), bytes: spec.bytes(), ..Tally::default() }
    }

    /// What an array adds of which so many elements have not ended: one job, with the work of all.
    pub(crate) fn of_array(spec: &JobSpec, left: u32) -> Tally {
        Tally { jobs: 1, bytes: spec.bytes(), ..Tally::of_elements(spec, left) }
    }

    /// What elements add to their array.
    pub(crate) fn of_elements(spec: &JobSpec, count: u32) -> Tally {
        Tally { work: spec.work_millis() * i128::from(count), ..Tally::default() }
    }

    /// What a quote adds.
    pub(crate) fn of_quote(spec: &JobSpec) -> Tally {
        Tally { quotes: 1, bytes: spec.bytes(), ..Tally::default() }
    }

    /// What a remembered request adds.
    pub(crate) const KEY: Tally = Tally { jobs: 0, work: 0, quotes: 0, keys: 1, bytes: 0 };

    /// Both together.
    pub(crate) fn plus(self, other: Tally) -> Tally {
        Tally {
            jobs: self.jobs + other.jobs,
            work: self.work + other.work,
            quotes: self.quotes + other.quotes,
            keys: self.keys + other.keys,
            bytes: self.bytes + other.bytes,
        }
    }

    /// Without what has gone.
    pub(crate) fn minus(self, gone: Tally) -> Tally {
        Tally {
            jobs: self.jobs.saturating_sub(gone.jobs),
            work: self.work - gone.work,
            quotes: self.quotes.saturating_sub(gone.quotes),
            keys: self.keys.saturating_sub(gone.keys),
            bytes: self.bytes.saturating_sub(gone.bytes),
        }
    }

    /// What would be over a limit, of what is added.
    fn breaks(&self, added: &Tally, limits: &QueueLimits) -> Option<(Limited, u64)> {
        let work = u64::try_from(self.work / 1_000).unwrap_or(u64::MAX);
        let node_time = limits.node_time.as_millis().max(0).unsigned_abs() / 1_000;
        let all = [
            (Limited::Jobs, added.jobs > 0, self.jobs, u64::from(limits.jobs)),
            (Limited::NodeTime, added.work > 0, work, node_time),
            (Limited::Quotes, added.quotes > 0, self.quotes, u64::from(limits.quotes)),
            (Limited::Keys, added.keys > 0, self.keys, u64::from(limits.keys)),
            (Limited::Bytes, added.bytes > 0, self.bytes, limits.bytes),
        ];
        let over = all.into_iter().find(|(_, adds, have, most)| *adds && have > most);
        over.map(|(what, _, _, most)| (what, most))
    }
}

/// Whether a user, and their group, may have so much more here.
pub(crate) fn check_limits(state: &State, user: &str, added: Tally) -> Result<(), Refusal> {
    let (Some(rules), Some(known)) = (&state.policy.sharing, state.users.get(user)) else { return Ok(()) };
    let over = |whose: Spender, have: Tally, limits: &QueueLimits| {
        let broken = have.plus(added).breaks(&added, limits);
        broken.map_or(Ok(()), |(what, most)| Err(Refusal::OverLimit(OverLimit { whose, what, most })))
    };
    over(Spender::User(user.to_owned()), known.tally, &rules.user)?;
    let Some(group) = &known.user.group else { return Ok(()) };
    let members = state.users.values().filter(|other| other.user.group.as_ref() == Some(group));
    let all = members.fold(Tally::default(), |sum, member| sum.plus(member.tally));
    over(Spender::Group(group.clone()), all, &rules.group)
}

impl State {
    /// Somebody has more here than before.
    pub(crate) fn tally_up(&mut self, user: &str, added: Tally) {
        if let Some(user) = self.users.get_mut(user) {
            user.tally = user.tally.plus(added);
        }
    }

    /// Somebody has less here than before.
    pub(crate) fn tally_down(&mut self, user: &str, gone: Tally) {
        if let Some(user) = self.users.get_mut(user) {
            user.tally = user.tally.minus(gone);
        }
    }

    /// Counts what everybody has, after it was read from where it is not written.
    pub(crate) fn tally_again(&mut self) {
        let mut counted: Vec<(String, Tally)> = Vec::new();
        let own = self.jobs.values().filter(|job| job.element.is_none());
        counted.extend(own.map(|job| (job.spec.user.clone(), Tally::of_job(&job.spec))));
        let of_array = |it: &Array| (it.spec.user.clone(), Tally::of_array(&it.spec, it.left()));
        counted.extend(self.arrays.values().map(of_array));
        counted.extend(self.quotes.values().map(|it| (it.spec.user.clone(), Tally::of_quote(&it.spec))));
        for chain in self.chains.values() {
            let of = |it: &QuotedMember| (chain.user().to_owned(), Tally::of_quote(&it.member.job));
            counted.extend(chain.members.iter().map(of));
        }
        counted.extend(self.requests.keys().map(|key| (key.by.clone(), Tally::KEY)));
        let names: Vec<String> = self.users.keys().map(|name| name.to_string()).collect();
        for name in names {
            if let Some(user) = self.users.get_mut(name.as_str()) {
                user.tally = Tally::default();
            }
        }
        for (user, tally) in counted {
            self.tally_up(&user, tally);
        }
    }
}
