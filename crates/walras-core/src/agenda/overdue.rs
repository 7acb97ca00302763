//! What is kept for those who have waited too long, and what is not.

use super::tests::{HORIZON, Machine, at, offers, problem, request, waiting};
use super::{AgendaRules, Terms, Waiting, plan_agenda};
use walras_model::Money;

/// An overdue job that finds no room before the horizon keeps what comes last for itself: others may only end before.
#[test]
fn nobody_takes_the_last_that_an_overdue_job_waits_for() {
    let machines: Vec<Machine> =
        [10, 35].map(|from| Machine { site: 0, speed: 1, rate: 1, free: vec![(from, HORIZON)] }).into();
    let offers = offers(&machines);
    let (wide, short, long) = (request(2, 8, true), request(1, 5, true), request(1, 28, true));
    let mut jobs = [waiting(&wide, 0, 1), waiting(&long, 1, 1), waiting(&short, 1, 1)];
    let starts = |jobs: &[Waiting<'_>]| -> Vec<Option<i64>> {
        let agenda = plan_agenda(&problem(&offers, jobs, 2, AgendaRules::default()));
        agenda.placed.iter().map(|it| it.as_ref().map(|it| it.window.start().as_millis())).collect()
    };
    assert_eq!(starts(&jobs), [None, Some(10), Some(35)]);
    jobs[0].overdue = true;
    assert_eq!(starts(&jobs), [None, None, Some(10)]);
    // Who takes longer than anything is offered for keeps nobody waiting for it.
    let endless = request(2, HORIZON + 1, true);
    jobs[0] = Waiting { overdue: true, ..waiting(&endless, 0, 1) };
    assert_eq!(starts(&jobs), [None, Some(10), Some(35)]);
}

/// What ends because an owner comes, or a price, will not be there for longer: an overdue job that no owner leaves enough time keeps nobody waiting.
#[test]
fn who_fits_between_no_two_uses_of_owners_is_waited_for_by_nobody() {
    let machine = |free: Vec<(i64, i64)>| Machine { site: 0, speed: 1, rate: 1, free };
    let uses = [vec![(0, 12), (14, 26), (28, HORIZON)], vec![(0, 6), (8, 20), (22, 34), (36, HORIZON)]];
    let offers = offers(&uses.map(machine));
    let (wide, long) = (request(2, 10, true), request(1, 10, true));
    let mut jobs = [waiting(&wide, 0, 1), waiting(&long, 1, 1)];
    jobs[0].overdue = true;
    let starts = || -> Vec<Option<i64>> {
        let agenda = plan_agenda(&problem(&offers, &jobs, 0, AgendaRules::default()));
        agenda.placed.iter().map(|it| it.as_ref().map(|it| it.window.start().as_millis())).collect()
    };
    assert_eq!(starts(), [None, Some(0)]);
}

/// Within its promise somebody may be moved back for others to go ahead; once it is overdue, no more.
#[test]
fn nobody_goes_ahead_at_the_cost_of_an_overdue_job() {
    let machines: Vec<Machine> =
        [2, 12].map(|from| Machine { site: 0, speed: 1, rate: 1, free: vec![(from, HORIZON)] }).into();
    let offers = offers(&machines);
    let (wide, long) = (request(2, 5, true), request(1, 13, true));
    let plan = |jobs: &[Waiting<'_>]| plan_agenda(&problem(&offers, jobs, 2, AgendaRules::default())).placed;
    let planned = plan(&[waiting(&wide, 0, 1)]).remove(0).map(|placed| placed.window.into());
    let promise = Some(Terms { start: at(16), finish: at(21), cost: Money::from_micros(1_000) });
    let starts = |overdue: bool| -> Vec<i64> {
        let first = Waiting { promise, planned: planned.clone(), overdue, ..waiting(&wide, 0, 1) };
        let placed = plan(&[first, waiting(&long, 1, 1)]);
        placed.into_iter().map(|placed| placed.unwrap().window.start().as_millis()).collect()
    };
    assert_eq!((starts(false), starts(true)), (vec![15, 2], vec![12, 17]));
}
