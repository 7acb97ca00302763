//! From a batch and what everybody wants to a problem: which job may take what, and what that means to whom.

use super::assess::{QueueOffer, Spread, site_loads};
use super::constraint::{Calendar, Rules};
use super::criterion::Criterion;
use super::negotiate::Builder;
use super::pareto::{Point, pareto_front};
use super::preference::{Aggregation, Preference, PreferenceError};
use super::problem::{CompromiseError, CompromiseProblem};
use crate::search::Alternatives;
use walras_model::id::SiteId;
use walras_model::offer::Offers;
use walras_model::quantity::{Money, Span};
use walras_model::request::{Batch, Request};

/// A user: how much they count, and their group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Unique among the users.
    pub name: String,
    /// For owners' rules.
    pub group: Option<String>,
    /// How much they count.
    pub weight: i64,
}

/// What is wanted of one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobWish {
    /// The place of its user among the users.
    pub user: usize,
    /// How its alternatives are judged.
    pub preference: Preference,
    /// What history says of its run time.
    pub spread: Option<Spread>,
}

/// What an owner or the administrator wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectiveWish {
    /// How much they count.
    pub weight: i64,
    /// How totals are judged.
    pub preference: Preference,
}

/// What everybody wants, beside the offers and the batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stakeholders {
    /// All users.
    pub users: Vec<User>,
    /// One for each job of the batch.
    pub jobs: Vec<JobWish>,
    /// For each site what its owner wants, where they say so.
    pub owners: Vec<Option<CollectiveWish>>,
    /// For each site who may run there.
    pub rules: Vec<Rules>,
    /// What the administrator wants.
    pub administrator: Option<CollectiveWish>,
    /// Queues that jobs may go to instead.
    pub queues: Vec<QueueOffer>,
    /// Which day and hour time 0 is.
    pub calendar: Calendar,
    /// How stakeholders' losses become one.
    pub across: Aggregation,
}

/// What a negotiation is bound by beside everybody's wishes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NegotiationTerms<'a> {
    /// What all that is chosen may cost together.
    pub budget_max: Option<Money>,
    /// What all run times of what is chosen may come to.
    pub time_max: Option<Span>,
    /// Which jobs need guaranteed windows, so that no queue will do; those beyond its end do not.
    pub windows_only: &'a [bool],
}

/// Where an option comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The window at this place of [`Alternatives::found`].
    Window(usize),
    /// This queue.
    Queue(usize),
}

/// A problem, and what its options are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Negotiation {
    /// What there is to agree on.
    pub problem: CompromiseProblem,
    /// For each job the sources of its options.
    pub sources: Vec<Vec<Source>>,
    /// How many windows the owners' rules refuse.
    pub refused: usize,
}

/// Why wishes make no problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WishError {
    /// The wishes of a job do not fit its alternatives.
    #[error("job {0}: {1}")]
    Job(String, PreferenceError),
    /// Nothing that anybody could choose says anything of a criterion that an owner or the administrator weighs.
    #[error("{0}: no alternative says anything of {1}, which is weighed")]
    Collective(String, Criterion),
    /// The weights of stakeholders do not fit together.
    #[error("{0}")]
    Problem(CompromiseError),
}

impl Stakeholders {
    /// Every job is its own user, to whom cost and finish matter alike; owners and the administrator want nothing.
    pub fn plain(offers: &Offers, batch: &Batch) -> Stakeholders {
        let user = |request: &Request| User { name: request.name.clone(), group: None, weight: 1 };
        let wish = |user: usize| JobWish { user, preference: Preference::plain(), spread: None };
        Stakeholders {
            users: batch.requests().iter().map(user).collect(),
            jobs: (0..batch.requests().len()).map(wish).collect(),
            owners: vec![None; offers.sites().len()],
            rules: vec![Rules::default(); offers.sites().len()],
            administrator: None,
            queues: Vec::new(),
            calendar: Calendar::default(),
            across: Aggregation::STAKEHOLDERS,
        }
    }

    /// The Pareto front over the totals of two criteria, and whether it is the whole. Values are turned so that
    /// less is better ([`Criterion::turned`]).
    pub fn trade_off(
        &self,
        offers: &Offers,
        batch: &Batch,
        found: &Alternatives,
        negotiation: &Negotiation,
        criteria: [&Criterion; 2],
        labels_max: usize,
    ) -> Result<(Vec<Point>, bool), WishError> {
        let loads = site_loads(offers);
        let builder = Builder::new(self, offers, batch, &loads, &NegotiationTerms::default());
        let mut values = Vec::with_capacity(negotiation.sources.len());
        for (job, sources) in negotiation.sources.iter().enumerate() {
            let mut pairs = Vec::with_capacity(sources.len());
            for source in sources {
                let value = |it: &Criterion| {
                    let missing = || {
                        let name = batch.requests()[job].name.clone();
                        WishError::Job(name, PreferenceError::Missing(it.clone()))
                    };
                    builder
                        .value(job, *source, found, it, None)
                        .map(|value| it.turned(value))
                        .ok_or_else(missing)
                };
                pairs.push((value(criteria[0])?, value(criteria[1])?));
            }
            values.push(pairs);
        }
        Ok(pareto_front(&negotiation.problem, &values, labels_max))
    }

    /// The sites where a job's user may ever run something.
    pub fn sites_of(&self, job: usize) -> Vec<SiteId> {
        let user = &self.users[self.jobs[job].user];
        let open = |rules: &Rules| {
            let mut named =
                rules.access.iter().filter(|rule| rule.who.names(&user.name, user.group.as_deref()));
            // A refusal at all hours ends it; anything that allows at some hour opens it.
            let first = named.find(|rule| rule.allow || rule.hours.is_none());
            rules.access.is_empty() || first.is_some_and(|rule| rule.allow)
        };
        let sites = self.rules.iter().enumerate().filter(|(_, rules)| open(rules));
        sites.filter_map(|(index, _)| SiteId::from_index(index)).collect()
    }

    /// What there is to agree on, given what a search found.
    pub fn negotiate(
        &self,
        offers: &Offers,
        batch: &Batch,
        found: &Alternatives,
        terms: &NegotiationTerms<'_>,
    ) -> Result<Negotiation, WishError> {
        let loads = site_loads(offers);
        let mut builder = Builder::new(self, offers, batch, &loads, terms);
        let mut jobs = Vec::with_capacity(batch.requests().len());
        let mut sources = Vec::with_capacity(jobs.capacity());
        let mut refused = 0;
        let mut windows: Vec<Vec<usize>> = vec![Vec::new(); batch.requests().len()];
        for (place, alternative) in found.found.iter().enumerate() {
            windows[alternative.job.index()].push(place);
        }
        for (job, windows) in windows.iter().enumerate() {
            let admitted: Vec<Source> = windows
                .iter()
                .filter(|place| builder.admits_window(job, &found.found[**place].window))
                .map(|place| Source::Window(*place))
                .collect();
            refused += windows.len() - admitted.len();
            let queues = if terms.windows_only.get(job) == Some(&true) { 0 } else { self.queues.len() };
            let queues = (0..queues).filter(|queue| builder.admits_queue(job, *queue));
            let all: Vec<Source> = admitted.into_iter().chain(queues.map(Source::Queue)).collect();
            jobs.push(builder.job(job, &all, found)?);
            sources.push(all);
        }
        let problem = builder.finish(jobs)?;
        Ok(Negotiation { problem, sources, refused })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prefer::{AccessRule, Quota, Weighted, Who, compromise};
    use crate::{SearchConfig, find_alternatives};
    use walras_model::offer::{Node, Site, slots_of_node};
    use walras_model::quantity::{Performance, Rate, Time, Work};
    use walras_model::{Attributes, Division, Interval, NodeId};

    /// Two sites with a node each at 2 and 3 credits a second, free for 100 s; two jobs of 40 s.
    fn market() -> (Offers, Batch) {
        let time = |seconds: i64| Time::from_millis(seconds * 1_000).unwrap();
        let horizon = Interval::new(time(0), time(100)).unwrap();
        let node = |site: u32| Node {
            division: Default::default(),
            name: "n".into(),
            site: SiteId::new(site),
            performance: Performance::ONE,
            watts: None,
            attributes: Attributes::new(),
        };
        let slots = |node: u32, price: i64| {
            slots_of_node(
                NodeId::new(node),
                Rate::from_micros_per_second(price * 1_000_000).unwrap(),
                &[horizon],
            )
            .unwrap()
        };
        let sites = ["a", "b"].map(|name| Site { name: name.into() }).to_vec();
        let slots = [slots(0, 2), slots(1, 3)].concat();
        let offers = Offers::new(horizon, sites, vec![node(0), node(1)], slots).unwrap();
        let job = |name: &str| Request::new(name, 1, Work::from_millis(40_000).unwrap());
        (offers, Batch::new(vec![job("x"), job("y")]))
    }

    fn queue() -> QueueOffer {
        QueueOffer {
            name: "q".into(),
            site: SiteId::new(0),
            wait: Span::from_millis(10_000).unwrap(),
            performance: Performance::ONE,
            rate: Rate::from_micros_per_second(1_000_000).unwrap(),
            units: Some(1),
            watts: None,
            attributes: Attributes::new(),
        }
    }

    fn negotiation(wishes: &Stakeholders, offers: &Offers, batch: &Batch) -> Result<Negotiation, WishError> {
        let found = find_alternatives(offers, batch, &SearchConfig::default());
        wishes.negotiate(offers, batch, &found, &NegotiationTerms::default())
    }

    #[test]
    fn windows_and_queues_compete_in_one_batch() {
        let (offers, batch) = market();
        let mut wishes = Stakeholders::plain(&offers, &batch);
        wishes.queues = vec![queue()];
        let negotiation = negotiation(&wishes, &offers, &batch).unwrap();
        let queued =
            |job: usize| negotiation.sources[job].iter().position(|it| *it == Source::Queue(0)).unwrap();
        let best = compromise(&negotiation.problem, &Default::default()).found().unwrap();
        let jobs = [0, 1].iter().filter(|job| best.picks[**job] == Some(queued(**job))).count();
        assert_eq!((jobs, best.unserved), (1, 0), "the queue has one unit, and is cheap");
    }

    #[test]
    fn owners_refuse_and_limit() {
        let (offers, batch) = market();
        let mut wishes = Stakeholders::plain(&offers, &batch);
        let rule = |name: &str| AccessRule { who: Who::User(name.into()), allow: true, hours: None };
        wishes.rules[0].access = vec![rule("y")];
        assert_eq!(wishes.sites_of(0), [SiteId::new(1)]);
        assert_eq!(wishes.sites_of(1), [SiteId::new(0), SiteId::new(1)]);
        // The search gives x the windows of site a, and y those of b.
        let served = |jobs: u32| {
            let mut wishes = wishes.clone();
            wishes.rules[1].quotas = vec![(Who::Everybody, Quota::Jobs(jobs))];
            let negotiation = negotiation(&wishes, &offers, &batch).unwrap();
            assert!(negotiation.refused > 0);
            let best = compromise(&negotiation.problem, &Default::default()).found().unwrap();
            best.picks.iter().map(Option::is_some).collect::<Vec<bool>>()
        };
        assert_eq!(served(1), [false, true]);
        assert_eq!(served(0), [false, false]);
    }

    /// Forty seconds on one unit of four are ten seconds of the node.
    #[test]
    fn quotas_count_parts_of_nodes() {
        let (offers, batch) = market();
        let divide = |node: &Node| Node { division: Division::new(4, [].into()).unwrap(), ..node.clone() };
        let nodes = offers.nodes().iter().map(divide).collect();
        let slots = offers.slots().iter().map(|slot| slot.with_units(4)).collect();
        let offers = offers.with_nodes(nodes, slots).unwrap();
        let served = |millis: i64| {
            let mut wishes = Stakeholders::plain(&offers, &batch);
            let quota = Quota::NodeTime(Span::from_millis(millis).unwrap());
            for rules in &mut wishes.rules {
                rules.quotas = vec![(Who::Everybody, quota)];
            }
            let negotiation = negotiation(&wishes, &offers, &batch).unwrap();
            let best = compromise(&negotiation.problem, &Default::default()).found().unwrap();
            best.picks.iter().filter(|pick| pick.is_some()).count()
        };
        assert_eq!((served(10_000), served(9_999)), (2, 0));
    }

    #[test]
    fn criteria_that_nothing_says_anything_of_are_errors() {
        let (offers, batch) = market();
        let mut wishes = Stakeholders::plain(&offers, &batch);
        let memory =
            Preference::new(vec![Weighted::new(Criterion::Memory, 1)], Aggregation::CRITERIA).unwrap();
        wishes.administrator = Some(CollectiveWish { weight: 1, preference: memory.clone() });
        let error = negotiation(&wishes, &offers, &batch).unwrap_err();
        assert_eq!(
            error.to_string(),
            "administrator: no alternative says anything of memory, which is weighed"
        );
        wishes.administrator = None;
        wishes.jobs[1].preference = memory;
        let error = negotiation(&wishes, &offers, &batch).unwrap_err();
        assert_eq!(error.to_string(), "job y: no alternative says anything of memory, which is weighed");
    }
}
