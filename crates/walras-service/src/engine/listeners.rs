//! Who listens, and what each of them is told.
//!
//! **Problem.** Hundreds of pages are open, and most of what happens concerns one user. Were everything offered to everybody, each
//! submission would wake every listener to find that it is somebody else's.
//!
//! **Method.** One queue for each audience, not for each listener: all that an administrator hears, what one user hears, what an owner hears of some sites.
//! What happens is put into the queues of those who hear it. Nobody else wakes up, and listeners of one audience
//! share what is written for it.
//!
//! **Complexity.** An event of a user's: O(log a) for a audiences, and one look at each owner that listens. What concerns everybody: O(a).
//! A queue keeps [`LAG_MAX`] events at most, whoever is further behind has lost some.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast::{Receiver, Sender, channel};
use walras_api::service::EventView;

/// A listener who is this many events behind has lost some.
const LAG_MAX: usize = 1_024;
/// The same for those who hear everything.
const LAG_OF_ALL_MAX: usize = 8_192;

/// Something that has happened, and its JSON.
#[derive(Debug)]
pub struct Told {
    /// What is said of it, as the API says it.
    pub event: EventView,
    /// The same as JSON, written once for all listeners.
    pub json: String,
}

/// Who hears the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Audience {
    /// An administrator hears everything.
    All,
    /// A user hears what is theirs, and what is nobody's.
    User(String),
    /// An owner hears of these sites, and what is nobody's.
    Owner(BTreeSet<String>),
}

impl Audience {
    /// Whether they may hear of this.
    pub fn hears(&self, event: &EventView) -> bool {
        match self {
            Audience::All => true,
            Audience::User(name) => match (&event.user, event.job) {
                (Some(user), _) => user == name,
                (None, job) => job.is_none(),
            },
            Audience::Owner(sites) => {
                let own = event.site.as_ref().is_some_and(|site| sites.contains(site));
                own || (event.job.is_none() && event.user.is_none() && event.site.is_none())
            }
        }
    }
}

/// The queues of all audiences that somebody is in.
#[derive(Default)]
pub(super) struct Listeners(Mutex<BTreeMap<Audience, Sender<Arc<Told>>>>);

impl Listeners {
    fn queues(&self) -> MutexGuard<'_, BTreeMap<Audience, Sender<Arc<Told>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What an audience is told from now on.
    pub(super) fn join(&self, audience: &Audience) -> Receiver<Arc<Told>> {
        let mut queues = self.queues();
        if let Some(queue) = queues.get(audience) {
            return queue.subscribe();
        }
        queues.retain(|_, queue| queue.receiver_count() > 0);
        let (queue, joined) = channel(if *audience == Audience::All { LAG_OF_ALL_MAX } else { LAG_MAX });
        queues.insert(audience.clone(), queue);
        joined
    }

    /// Tells those who hear it. Nobody may be listening.
    pub(super) fn tell(&self, told: &Arc<Told>) {
        let queues = self.queues();
        let put = |queue: &Sender<Arc<Told>>| {
            let _ = queue.send(told.clone());
        };
        queues.get(&Audience::All).into_iter().for_each(put);
        let from = match &told.event.user {
            Some(user) => {
                queues.get(&Audience::User(user.clone())).into_iter().for_each(put);
                Audience::Owner(BTreeSet::new())
            }
            None => Audience::User(String::new()),
        };
        let others = queues.range(from..).filter(|(audience, _)| audience.hears(&told.event));
        others.map(|(_, queue)| queue).for_each(put);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_api::service::EventKind;
    use walras_model::Time;

    fn event(position: u64, job: Option<u64>, user: Option<&str>, site: Option<&str>) -> EventView {
        EventView {
            position,
            at: Time::from_millis(0).unwrap().into(),
            kind: EventKind::JobQueued,
            job,
            user: user.map(str::to_owned),
            site: site.map(str::to_owned),
            text: String::new(),
            reason: None,
            jobs: None,
        }
    }

    /// Everybody is told exactly what they may hear, whoever else listens.
    #[test]
    fn everybody_is_told_what_they_hear() {
        let user = |name: &str| Audience::User(name.to_owned());
        let owner = |sites: &[&str]| Audience::Owner(sites.iter().map(|&site| site.to_owned()).collect());
        let audiences = [
            Audience::All,
            user("ada"),
            user("ben"),
            user(""),
            owner(&[]),
            owner(&["a"]),
            owner(&["a", "b"]),
        ];
        let listeners = Listeners::default();
        let mut joined: Vec<_> =
            audiences.iter().chain(&audiences).map(|it| (it, listeners.join(it))).collect();
        let mut events = Vec::new();
        for job in [None, Some(1)] {
            for user in [None, Some("ada"), Some("ben"), Some("cyd")] {
                for site in [None, Some("a"), Some("b"), Some("c")] {
                    events.push(event(events.len() as u64, job, user, site));
                }
            }
        }
        for event in &events {
            listeners.tell(&Arc::new(Told { event: event.clone(), json: String::new() }));
        }
        for (audience, queue) in &mut joined {
            let heard: Vec<u64> =
                std::iter::from_fn(|| queue.try_recv().ok()).map(|told| told.event.position).collect();
            let hears = events.iter().filter(|event| audience.hears(event));
            assert_eq!(heard, hears.map(|event| event.position).collect::<Vec<_>>(), "{audience:?}");
        }
    }

    /// Queues that nobody listens to any more go when somebody new comes.
    #[test]
    fn nobody_leaves_a_queue_behind() {
        let listeners = Listeners::default();
        for name in 0..100 {
            drop(listeners.join(&Audience::User(name.to_string())));
        }
        assert_eq!(listeners.queues().len(), 1);
    }
}
