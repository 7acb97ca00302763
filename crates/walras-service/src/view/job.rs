//! Jobs and quotes as the API shows them.

use super::criteria::{Judged, judged};
use super::likely::{likely_start, likely_view};
use super::{node_name, site_name};
use crate::journal::record::v1;
use std::collections::BTreeMap;
use walras_api::Num;
use walras_api::sentence::{Context, MoneyLimit, cheaper_text, part_stage};
use walras_api::service::{
    CheaperView, HeldKind, JobState, JobView, OptionView, PartStage, PartView, PromiseView, QuoteView,
    RankView, Stamp, StrategyByKind, StrategyView, UsedView, WhyView,
};
use walras_broker::State;
use walras_broker::gate::Waits;
use walras_broker::id::{JobNumber, QuoteNumber};
use walras_broker::job::{Job, JobSpec, Phase, SiteRefusal, Why};
use walras_broker::lesser::cheaper;
use walras_broker::quote::Quote;
use walras_broker::quote::QuoteOption;
use walras_broker::reservation::{PartState, Reservation, ReservationPhase, ReservedPart};
use walras_broker::strategy_rule::StrategyBy;
use walras_broker::used::Used;
use walras_broker::{rank::Ranked, ranked};
use walras_core::explain::Cheaper;
use walras_model::{Fixed, Money, Share, SiteId, Time};

/// Of a job that fits nowhere: which site has no account for its user, and so was not looked at.
fn tell_of_accounts(view: &mut JobView, state: &State, job: &Job, why: &Why) {
    let admitted = |site: &SiteId| job.spec.request.scope.admits(*site);
    let strange = state.without_account_for(&job.spec.user).find(admitted);
    let Some(site) = strange.filter(|_| matches!(why, Why::NoFit(_))) else { return };
    let refused = Why::Refused { site, refusal: SiteRefusal::NoAccount };
    let context = Context::of_job(state, &job.spec, &refused);
    let told = context.why_view(&refused);
    view.why = view.why.take().map(|why| format!("{} {why}", context.why(&refused)));
    view.reason =
        view.reason.take().map(|reason| WhyView { site: told.site, refusal: told.refusal, ..reason });
}

/// A job that has not ended.
pub fn job_view(state: &State, job: &Job, whole: bool) -> JobView {
    let reservation = reservation_of(state, job);
    let mut view = plain(job.number, &job.spec, job.queued_at, state_of(job, reservation));
    view.id = state.which(job.number).to_string();
    (view.charged, view.attempts) = (Num::of_money(job.spent), job.attempts);
    view.promise = job.promise.map(|promise| PromiseView {
        start: promise.start.into(),
        finish: promise.finish.into(),
        cost: Num::of_money(promise.cost),
    });
    if let Phase::Reserved(number) = job.phase {
        view.reservation = Some(number.get());
    }
    view.held = Num::of_money(reservation.map_or(Money::ZERO, |it| it.lien));
    let waits = job.phase == Phase::Waiting || !job.waits.is_none();
    let waits = waits.then(|| waits_why(&job.waits));
    if let Some(why) = waits.as_ref().or(job.why.as_ref()).filter(|_| reservation.is_none()) {
        let context = Context::of_job(state, &job.spec, why);
        (view.why, view.reason) = (Some(context.why(why)), Some(context.why_view(why)));
        tell_of_accounts(&mut view, state, job, why);
    }
    if let Some(reservation) = reservation {
        place(&mut view, state, job, reservation, whole);
    }
    if let Some(content) = job.content.as_ref().filter(|_| whole) {
        let share =
            |(name, share): (&String, &Share)| (name.clone(), Num::of_millionths(share.as_millionths()));
        view.satisfaction = content.iter().map(share).collect();
    }
    if let Some(planned) = state.planned_terms(job) {
        (view.start, view.finish) = (Some(planned.start.into()), Some(planned.finish.into()));
        view.sites = state.planned_sites(job).into_iter().map(|site| site_name(state, site)).collect();
    }
    let window = view.start.zip(view.finish).map(|(start, finish)| (start.time(), finish.time()));
    if window.is_none() {
        view.likely_start = likely_start(state, job);
    }
    view.likely = job.expected.as_ref().map(|it| likely_view(it, job.spec.request.work, window, state.clock));
    view
}

/// Where a job is that has not ended.
pub fn state_of_job(state: &State, job: &Job) -> JobState {
    state_of(job, reservation_of(state, job))
}

/// What is reserved for a job.
fn reservation_of<'a>(state: &'a State, job: &Job) -> Option<&'a Reservation> {
    match job.phase {
        Phase::Reserved(number) => state.reservations.get(&number),
        Phase::Waiting | Phase::Queued | Phase::Planning | Phase::Planned => None,
    }
}

/// What is known of a job wherever it is.
pub(super) fn plain(number: JobNumber, spec: &JobSpec, queued_at: Time, at: JobState) -> JobView {
    let request = &spec.request;
    JobView {
        job: number.get(),
        id: number.to_string(),
        array: None,
        name: request.name.clone(),
        user: spec.user.clone(),
        state: at,
        tasks: tasks_of(spec),
        workflow: spec.workflow.is_some(),
        queued_at: queued_at.into(),
        start: None,
        likely_start: None,
        likely: None,
        finish: None,
        deadline: request.deadline.map(Stamp::from),
        budget: request.budget.map(Num::of_money),
        held: Num::of_money(Money::ZERO),
        charged: Num::of_money(Money::ZERO),
        sites: Vec::new(),
        outputs: spec.particulars.outputs.clone(),
        reservation: None,
        attempts: 0,
        why: None,
        reason: None,
        promise: None,
        satisfaction: BTreeMap::new(),
        strategy: strategy_view(spec),
        search: spec.search.as_ref().map(|search| search.algorithm.to_string()),
        parts: Vec::new(),
    }
}

/// How the tasks of a workflow are placed, and who chose that.
fn strategy_view(spec: &JobSpec) -> Option<StrategyView> {
    let (by, rule) = match spec.strategy_by {
        StrategyBy::User => (StrategyByKind::User, None),
        StrategyBy::Nobody => (StrategyByKind::Nobody, None),
        StrategyBy::Rule(place) => (StrategyByKind::Policy, Some(place)),
    };
    let name = spec.workflow.as_ref()?.strategy.name().to_owned();
    Some(StrategyView { name, by, rule })
}

/// Why a job is not in the queue yet.
pub(super) fn waits_why(waits: &Waits) -> Why {
    Why::Waits(Box::new(waits.clone()))
}

pub(super) fn tasks_of(spec: &JobSpec) -> u32 {
    let workflow = spec.workflow.as_ref();
    workflow.map_or(spec.request.tasks, |it| u32::try_from(it.workflow.tasks().len()).unwrap_or(u32::MAX))
}

fn state_of(job: &Job, reservation: Option<&Reservation>) -> JobState {
    let Some(reservation) = reservation else {
        return match job.phase {
            Phase::Waiting if job.waits.held => JobState::Held,
            Phase::Waiting => JobState::Waiting,
            Phase::Planning => JobState::Planning,
            Phase::Planned => JobState::Planned,
            Phase::Queued | Phase::Reserved(_) => JobState::Queued,
        };
    };
    match reservation.phase {
        ReservationPhase::Preparing(_) | ReservationPhase::Confirming(_) => JobState::Reserving,
        ReservationPhase::Held | ReservationPhase::Closing => {
            let begun = reservation
                .parts
                .iter()
                .any(|part| !matches!(part.state, PartState::Waiting | PartState::Due));
            if begun { JobState::Running } else { JobState::Reserved }
        }
    }
}

/// Where and when it runs, from its reservation.
fn place(view: &mut JobView, state: &State, job: &Job, reservation: &Reservation, whole: bool) {
    let times = reservation.parts.iter().map(|part| times_of(part.plan.start, part.plan.end, part.state));
    let (starts, ends): (Vec<Time>, Vec<Time>) = times.unzip();
    view.start = starts.into_iter().min().map(Stamp::from);
    view.finish = ends.into_iter().max().map(Stamp::from);
    view.sites = reservation.legs.iter().map(|leg| site_name(state, leg.site)).collect();
    if whole {
        view.parts = parts(state, job, reservation);
    }
}

fn times_of(start: Time, end: Time, at: PartState) -> (Time, Time) {
    match at {
        PartState::Waiting | PartState::Due => (start, end),
        PartState::Running(since) => (since, end),
        PartState::Ended { since, at, .. } => (since, at),
    }
}

fn parts(state: &State, job: &Job, reservation: &Reservation) -> Vec<PartView> {
    part_records(job, reservation)
        .iter()
        .zip(0..)
        .map(|(part, place)| part_view(state, part, place))
        .collect()
}

/// The parts of a reservation as they are now.
pub(super) fn part_records(job: &Job, reservation: &Reservation) -> Vec<v1::Part> {
    let workflow = job.spec.workflow.as_ref().map(|it| &it.workflow);
    let part = |of: &ReservedPart| {
        let part = &of.plan;
        let (start, end) = times_of(part.start, part.end, of.state);
        v1::Part {
            task: workflow.zip(part.task).map(|(workflow, task)| workflow.task(task).name.clone()),
            site: part.site,
            node: reservation.hold_of(part).and_then(|hold| hold.node),
            start,
            end,
            stage: match of.state {
                PartState::Waiting => v1::Stage::Waiting,
                PartState::Due => v1::Stage::Due,
                PartState::Running(_) => v1::Stage::Running,
                PartState::Ended { end, .. } => v1::Stage::Ended(end),
            },
            used: of.used,
        }
    };
    reservation.parts.iter().map(part).collect()
}

pub(super) fn part_view(state: &State, part: &v1::Part, place: u32) -> PartView {
    let (stage, exit_code) = match part.stage {
        v1::Stage::Waiting => (PartStage::Waiting, None),
        v1::Stage::Due => (PartStage::Due, None),
        v1::Stage::Running => (PartStage::Running, None),
        v1::Stage::Ended(end) => part_stage(end),
    };
    PartView {
        part: place,
        task: part.task.clone(),
        site: site_name(state, part.site),
        node: part.node.map(|node| node_name(state, node)),
        start: part.start.into(),
        end: part.end.into(),
        state: stage,
        exit_code,
        used: part.used.and_then(used_view),
    }
}

/// What was used, where anything is known of it.
pub(super) fn used_view(used: Used) -> Option<UsedView> {
    let view = UsedView { processor_seconds: used.processor.map(Num::of_span), memory_bytes: used.memory };
    (used != Used::default()).then_some(view)
}

/// A quote at a moment, with what can still be taken of it. `why` is there when it had no alternatives.
pub fn quote_view(state: &State, now: Time, number: QuoteNumber, quote: &Quote) -> QuoteView {
    let why = quote.why.as_deref();
    let limit = why.map(|why| MoneyLimit::of(state, &quote.spec, why)).unwrap_or_default();
    let context = Context::of_service(state).about(&quote.spec).limited(limit);
    let reasons = why.map(|why| why.reasons.iter().map(|it| context.fit_view(it)).collect());
    let open = |it: &QuoteOption| quote.option_until(it) > now;
    let last = quote.options.iter().filter(|it| open(it)).map(|it| quote.option_until(it)).max();
    let all = quote.options.iter().zip(0_u32..).zip(judged(state, quote));
    let shown = all.filter(|((it, _), _)| open(it));
    QuoteView {
        quote: number.get(),
        name: quote.spec.request.name.clone(),
        strategy: strategy_view(&quote.spec),
        until: last.unwrap_or(quote.until).into(),
        options: shown
            .map(|((it, place), judged)| option(state, (number, quote), it, place, judged))
            .collect(),
        reasons: reasons.unwrap_or_default(),
        changes: why.map(|why| context.change_views(&why.smallest_change)).unwrap_or_default(),
    }
}

/// Whether the sites of a quote's alternative hold it.
fn held(state: &State, number: QuoteNumber, quote: &Quote, place: u32) -> HeldKind {
    let job = quote.holds.get(place as usize).and_then(|job| state.jobs.get(job));
    match job.filter(|job| job.offered == Some(number)).map(|job| job.phase) {
        Some(Phase::Reserved(reservation)) => match state.reservations.get(&reservation).map(|it| it.phase) {
            Some(ReservationPhase::Held) => HeldKind::Held,
            Some(ReservationPhase::Preparing(_) | ReservationPhase::Confirming(_)) => HeldKind::Asked,
            Some(ReservationPhase::Closing) | None => HeldKind::No,
        },
        Some(Phase::Waiting | Phase::Queued | Phase::Planning | Phase::Planned) | None => HeldKind::No,
    }
}

/// Whether sites are still asked whether they hold something of a quote.
pub fn is_asked(state: &State, number: QuoteNumber) -> bool {
    let Some(quote) = state.quotes.get(&number) else { return false };
    let mut places = (0_u32..).zip(&quote.holds).map(|(place, _)| held(state, number, quote, place));
    places.any(|held| held == HeldKind::Asked)
}

/// What an alternative costs when it was held and is not taken.
fn hold_fee(state: &State, option: &QuoteOption) -> Money {
    let share = state.policy.quotes.hold_fee;
    option.allocation.holds().map(|(_, hold)| share.of(hold.cost)).sum()
}

fn option(
    state: &State,
    (number, quote): (QuoteNumber, &Quote),
    option: &QuoteOption,
    place: u32,
    judged: Judged,
) -> OptionView {
    let held = held(state, number, quote, place);
    OptionView {
        until: quote.option_until(option).into(),
        held,
        hold_fee: (held != HeldKind::No).then(|| Num::of_money(hold_fee(state, option))),
        option: place,
        start: option.start.into(),
        finish: option.finish.into(),
        price: Num::of_money(option.price),
        sites: option.sites.iter().map(|site| site_name(state, *site)).collect(),
        satisfaction: Num::of_millionths(judged.satisfaction.as_millionths()),
        criteria: judged.criteria,
        likely: option.confidence.as_ref().map(|it| {
            let window = (option.start, option.finish);
            likely_view(it, quote.spec.request.work, Some(window), option.start)
        }),
        confidence: option.confidence.map(|it| Num::of_millionths(it.at_least.as_millionths())),
        cheaper: cheaper(state, &quote.spec, &option.allocation).iter().map(cheaper_view).collect(),
    }
}

fn cheaper_view(cheaper: &Cheaper) -> CheaperView {
    let amount = |(name, (amount, _)): (&String, &(Fixed, Fixed))| {
        (name.clone(), Num::of_millionths(amount.as_millionths()))
    };
    CheaperView {
        resources: cheaper.resources.iter().map(amount).collect(),
        price: Num::of_money(cheaper.cost),
        saves: Num::of_money(cheaper.saves),
        text: cheaper_text(cheaper),
    }
}

/// A job's place in the queue, while it waits there.
pub fn rank_view(state: &State, job: &Job, now: Time) -> Option<RankView> {
    let order: Vec<Ranked> = match job.phase {
        Phase::Planning => state.cycle.as_ref()?.batch.clone(),
        Phase::Queued => ranked(state, now),
        Phase::Waiting | Phase::Planned | Phase::Reserved(_) => return None,
    };
    let place = order.iter().position(|it| it.job == job.number)?;
    let Ranked { score, overdue, aspects, .. } = order.get(place)?;
    let named = [
        ("price", aspects.price),
        ("deadline", aspects.deadline),
        ("attempts", aspects.attempts),
        ("waiting", aspects.waiting),
        ("priority", aspects.priority),
        ("fair_share", aspects.fair_share),
    ];
    Some(RankView {
        place: u32::try_from(place + 1).unwrap_or(u32::MAX),
        of: u32::try_from(order.len()).unwrap_or(u32::MAX),
        score: *score,
        overdue: *overdue,
        aspects: named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<BTreeMap<_, _>>(),
    })
}
