//! Searches as policy: what the VO asks for, and what a job asks for itself, under both ways of deciding.

use crate::vo::{MINUTE, Vo, at};
use walras_broker::decision::{Proof, Rivals};
use walras_broker::event::CycleEvent;
use walras_broker::id::JobNumber;
use walras_broker::input::SiteMessage;
use walras_broker::job::{JobSearch, JobSpec, Phase};
use walras_broker::policy::Policy;
use walras_broker::refusal::BadJob;
use walras_broker::{Event, Input, Refusal};
use walras_core::{Algorithm, Criterion};
use walras_model::{Interval, NodeId, SiteId};

/// A cheap site that is busy for the first two hours and one that costs nine times as much.
fn market(policy: Policy) -> Vo {
    let mut vo = Vo::new(&[(1, 1_000), (1, 9_000)]);
    vo.say(Input::SetPolicy(Box::new(policy)));
    let interval = Interval::new(at(0), at(120 * MINUTE)).unwrap();
    vo.heard(0, SiteMessage::Taken { node: NodeId::new(0), interval });
    vo
}

fn by(criterion: Criterion) -> Option<JobSearch> {
    Some(JobSearch { algorithm: Algorithm::Criterion(criterion), alternatives: 1 })
}

fn asking(vo: &Vo, name: &str, search: Option<JobSearch>) -> JobSpec {
    JobSpec { search, ..vo.job(name, 1, 10) }
}

/// The site on which a job is planned or reserved.
fn site(vo: &Vo, number: JobNumber) -> SiteId {
    let state = vo.broker.state();
    let job = &state.jobs[&number];
    match job.phase {
        Phase::Reserved(of) => state.reservations[&of].legs[0].site,
        _ => *state.planned_sites(job).first().expect("it is planned"),
    }
}

fn verdicts(vo: &Vo) -> Vec<(Proof, Option<Rivals>)> {
    let of = |event: &Event| match event {
        Event::Cycle(CycleEvent::Decided { verdict, .. }) => Some((verdict.proof, verdict.rivals)),
        _ => None,
    };
    vo.events.iter().filter_map(of).collect()
}

#[test]
fn a_job_gets_what_it_asks_for_although_the_vo_wants_it_cheap() {
    let mut vo = market(crate::vo::policy());
    let (plain, first) = (asking(&vo, "plain", None), asking(&vo, "first", by(Criterion::Finish)));
    let (plain, first) = (vo.submit(plain), vo.submit(first));
    vo.say(Input::CycleNow);
    assert_eq!((site(&vo, plain), site(&vo, first)), (SiteId::new(0), SiteId::new(1)));
    // Twelve windows for the one, and one for the other: this is what the choice is the best of.
    assert_eq!(verdicts(&vo), [(Proof::Optimal, Some(Rivals::Listed(13)))]);
}

#[test]
fn where_jobs_are_promised_anything_one_with_its_own_search_is_reserved_at_once() {
    let mut vo = market(crate::promises::policy());
    let (plain, cheap) = (asking(&vo, "plain", None), asking(&vo, "cheap", by(Criterion::Cost)));
    let (plain, cheap) = (vo.submit(plain), vo.submit(cheap));
    vo.say(Input::CycleNow);
    let state = vo.broker.state();
    // A delay of two hours is worth more than the difference, unless the job says otherwise.
    assert_eq!((site(&vo, plain), site(&vo, cheap)), (SiteId::new(1), SiteId::new(0)));
    assert!(matches!(state.jobs[&cheap].phase, Phase::Reserved(_)) && state.jobs[&cheap].promise.is_none());
    assert!(state.jobs[&plain].promise.is_some());
}

#[test]
fn the_vos_search_says_what_is_chosen_from() {
    let mut policy = crate::vo::policy();
    policy.search.algorithm = Algorithm::Criterion(Criterion::Finish);
    policy.search.limits.alternatives_per_job_max = 1;
    let mut vo = market(policy);
    let job = vo.submit(asking(&vo, "j", None));
    vo.say(Input::CycleNow);
    assert_eq!(site(&vo, job), SiteId::new(1));
    assert_eq!(verdicts(&vo), [(Proof::Optimal, Some(Rivals::Listed(1)))]);
}

#[test]
fn a_search_that_lists_nothing_is_refused() {
    let vo = market(crate::vo::policy());
    let none = JobSearch { algorithm: Algorithm::Amp, alternatives: 0 };
    let job = Box::new(asking(&vo, "j", Some(none)));
    let refused = vo.broker.decide(at(vo.now), &Input::Submit { key: "k".into(), job });
    assert_eq!(refused, Err(Refusal::BadJob(BadJob::NoAlternatives)));
}
