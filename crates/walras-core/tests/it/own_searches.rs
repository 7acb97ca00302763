//! Jobs that ask for a search of their own, against rounds that are made by hand.

use crate::random;
use proptest::prelude::*;
use walras_core::choose::VoPolicy;
use walras_core::plan::{BatchJob, BatchProblem, PlanScheme, plan_batch};
use walras_core::slots::SlotList;
use walras_core::*;
use walras_model::*;

fn config(name: &str, alternatives: u32) -> SearchConfig {
    let mut config = SearchConfig { algorithm: name.parse().unwrap(), ..SearchConfig::default() };
    config.limits.alternatives_per_job_max = alternatives;
    config
}

/// Round after round, in order of priority, each job by its own search on what is left.
fn rounds(offers: &Offers, batch: &Batch, configs: &[&SearchConfig]) -> Vec<(JobId, Window)> {
    let mut list = SlotList::from_offers(offers);
    let mut found: Vec<(JobId, Window)> = Vec::new();
    let mut active = batch.by_priority();
    while !active.is_empty() {
        active.retain(|job| {
            let config = configs[job.index()];
            let most = config.limits.alternatives_per_job_max as usize;
            let full = found.iter().filter(|(of, _)| of == job).count() >= most;
            let next = || find_window(&list, offers, batch.request(*job), config).found();
            let Some(window) = (!full).then(next).flatten() else { return false };
            list.subtract(&window).unwrap();
            found.push((*job, window));
            true
        });
    }
    found
}

const SEARCHES: [&str; 6] =
    ["alp", "amp", "criterion=cost", "criterion=finish", "criterion=node-time", "criterion=sum:noise"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn every_job_is_searched_in_its_turn_by_its_own_search(
        offers in random::offers(),
        requests in prop::collection::vec((random::request(), 0..=6_usize, 1..4_u32), 1..6),
        of_vo in 0..6_usize,
        improved: bool,
    ) {
        let batch = Batch::new(requests.iter().map(|(request, ..)| request.clone()).collect());
        let vo = config(SEARCHES[of_vo], 5);
        let own: Vec<Option<SearchConfig>> =
            requests.iter().map(|(_, place, most)| SEARCHES.get(*place).map(|name| config(name, *most))).collect();
        let jobs: Vec<BatchJob<'_>> =
            own.iter().map(|search| BatchJob { search: search.as_ref(), ..BatchJob::default() }).collect();
        let configs: Vec<&SearchConfig> = own.iter().map(|own| own.as_ref().unwrap_or(&vo)).collect();
        let expected = rounds(&offers, &batch, &configs);
        let policy = VoPolicy::default();
        let listed = BatchProblem { jobs: &jobs, scheme: PlanScheme::Papers, ..BatchProblem::new(&offers, &batch, &vo, &policy) };
        let plan = plan_batch(&listed);
        let found: Vec<(JobId, Window)> =
            plan.found.found.iter().map(|found| (found.job, found.window.clone())).collect();
        prop_assert_eq!(&found, &expected);
        // Whatever is improved, whoever asked for a search of their own gets a window that it found.
        let scheme = if improved { PlanScheme::Improved } else { PlanScheme::Papers };
        let plan = plan_batch(&BatchProblem { scheme, ..listed });
        for served in &plan.served {
            let walras_core::prefer::Source::Window(place) = served.run.source else { continue };
            let window = &plan.found.found[place].window;
            let asked = own[served.job.index()].is_some();
            // It may be cut from what another left, but it is where it was found.
            let places = |window: &Window| -> Vec<_> {
                window.placements().iter().map(|it| (it.node, it.interval, it.cost)).collect()
            };
            let is_found = |(job, found): &(JobId, Window)| *job == served.job && places(found) == places(window);
            prop_assert!(!asked || expected.iter().any(is_found));
        }
    }
}

#[test]
fn one_job_may_want_the_first_end_where_the_others_want_it_cheap() {
    let drawing = crate::drawing::read(
        "
        n1 price=1 |....####|
        n2 price=9 |####....|
        job A nodes=1 length=2
        job B nodes=1 length=2
        ",
    );
    let (vo, first, policy) =
        (config("criterion=cost", 1), config("criterion=finish", 1), VoPolicy::default());
    let jobs = [BatchJob::default(), BatchJob { search: Some(&first), ..BatchJob::default() }];
    let problem =
        BatchProblem { jobs: &jobs, ..BatchProblem::new(&drawing.offers, &drawing.batch, &vo, &policy) };
    let found = plan_batch(&problem).found.found;
    let starts: Vec<i64> = found.iter().map(|found| found.window.start().as_millis()).collect();
    assert_eq!(starts, [4_000, 0]);
}
