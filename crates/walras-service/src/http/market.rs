//! Sites, offers, prices, and how the service is.

use super::App;
use super::answer::Json;
use super::endpoint::{ADMINISTRATOR, ALL, Endpoint, OWNERS};
use super::extract::{Asked, Sent};
use super::fault::Fault;
use super::site_fault::SiteFault;
use crate::described::JsonSchema;
use crate::engine::{Failed, LastPlan, SiteLine};
use crate::token::Caller;
use crate::view::job::state_of_job;
use crate::view::likely::calibration_views;
use crate::view::market::{offers_view, site_statuses, site_view};
use crate::view::timetable::Stretch;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post, put};
use serde::Deserialize;
use walras_api::Num;
use walras_api::sentence::{assigned_view, bound_view, proof_view};
use walras_api::service::{
    CycleView, JobState, MeView, OffersView, PricesFile, ProofView, Role, SiteView, SitesView, StatusView,
};
use walras_broker::{Input, State as Known};
use walras_model::{SiteId, Time};

/// How many offers are listed at most, and without a word.
const LIST_MAX: usize = 10_000;
const LIST_DEFAULT: usize = 1_000;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<MeView>("get", "/v1/me", ALL, "Say who is asking.", get(me)),
        Endpoint::new::<StatusView>("get", "/v1/status", ALL, "Say how the service is.", get(status)),
        Endpoint::new::<OffersView>("get", "/v1/offers", ALL, "List what is for sale now.", get(offers))
            .query::<OffersQuery>()
            .refuses(&[400, 404]),
        Endpoint::new::<SitesView>("get", "/v1/sites", ALL, "List the sites.", get(sites)),
        Endpoint::new::<SiteView>("get", "/v1/sites/{site}", ALL, "Show a site.", get(site)).refuses(&[404]),
        Endpoint::new::<PricesFile>(
            "get",
            "/v1/sites/{site}/prices",
            ALL,
            "Show a site's prices.",
            get(prices),
        )
        .refuses(&[404]),
        Endpoint::new::<PricesFile>(
            "put",
            "/v1/sites/{site}/prices",
            OWNERS,
            "Set a site's prices; what is reserved keeps its own.",
            put(set_prices),
        )
        .body::<PricesFile>()
        .refuses(&[400, 403, 404, 413, 415, 422]),
        Endpoint::new::<SiteView>(
            "post",
            "/v1/sites/{site}/faults",
            ADMINISTRATOR,
            "Let something go wrong on a simulated site.",
            post(fault),
        )
        .body::<SiteFault>()
        .status(202)
        .refuses(&[400, 404, 409, 413, 415]),
    ]
}

/// Which offers are listed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OffersQuery {
    /// Only of this site.
    site: Option<String>,
    /// Only of its nodes from this one on, counted from 0; or of all sites'.
    first: Option<usize>,
    /// Only of so many nodes.
    #[schemars(range(min = 1))]
    nodes: Option<usize>,
    /// At most so many.
    #[schemars(range(min = 1, max = 10_000))]
    limit: Option<usize>,
}

async fn me(caller: Caller) -> Json<MeView> {
    Json(MeView { role: caller.role, name: caller.name })
}

pub(super) fn cycle_view(state: &Known, last: Option<LastPlan>) -> CycleView {
    let waiting = state.next_cycle_at > Time::MIN;
    let content = last.iter().flat_map(|last| &last.satisfaction);
    let content = content.map(|(name, share)| (name.clone(), Num::of_millionths(share.as_millionths())));
    CycleView {
        satisfaction: content.collect(),
        cycle: state.last.cycle.get(),
        open: state.cycle.is_some(),
        next_at: waiting.then(|| state.next_cycle_at.into()),
        proof: last.as_ref().and_then(proof_of),
        assigned: last.as_ref().and_then(|last| last.assigned.as_deref()).map(assigned_view),
        bound: last.as_ref().and_then(|last| last.bound.as_ref()).map(|it| bound_view(&it.bound, it.of)),
        served: last.as_ref().map_or(0, |last| last.served),
        unserved: last.as_ref().map_or(0, |last| last.unserved),
        decided_at: last.as_ref().map(|last| last.at.into()),
        decided_in: last.as_ref().map(|last| Num::of_millionths(last.took.saturating_mul(1_000))),
    }
}

/// How good the last plan is; nothing where no job got a window, and all that are served were assigned.
fn proof_of(last: &LastPlan) -> Option<ProofView> {
    let assigned = last.assigned.as_ref().map(|round| round.served_count());
    let by_windows = last.served.saturating_sub(assigned.unwrap_or(0));
    let is_said = by_windows > 0 || assigned.is_none();
    is_said.then(|| proof_view(last.proof, last.rivals, by_windows))
}

async fn status(State(app): State<App>) -> Result<Json<StatusView>, Fault> {
    Ok(Json(status_of(&app).await?))
}

/// How the service is.
pub(super) async fn status_of(app: &App) -> Result<StatusView, Failed> {
    let (speed, writable) = (app.clock.speed(), app.handle.is_writable());
    let (metrics, entries) = (app.metrics.clone(), app.handle.position());
    let mut alarms = super::system::alarms();
    if !writable {
        alarms.push("the journal cannot be written: submissions are refused until it can".to_owned());
    }
    let view = app.handle.ask(move |state, now| {
        let mut counts = [0_u64; 3];
        for job in state.jobs.values().filter(|job| job.offered.is_none()) {
            let place = match state_of_job(state, job) {
                JobState::Running => 2,
                JobState::Reserved | JobState::Reserving => 1,
                _ => 0,
            };
            counts[place] += 1;
        }
        let totals = &state.totals;
        StatusView {
            now: now.into(),
            speed,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            writable,
            queued: counts[0],
            reserved: counts[1],
            running: counts[2],
            ended: totals.done + totals.failed + totals.cancelled + totals.given_up,
            cycle: cycle_view(state, metrics.last_plan()),
            entries,
            alarms,
            sites: site_statuses(state, now),
            predictions: calibration_views(state),
        }
    });
    view.await
}

/// The site of that name.
pub(super) fn named(app: &App, name: &str) -> Result<SiteId, Fault> {
    let shown: String = name.chars().filter(|it| !it.is_control()).take(80).collect();
    app.sites().names.get(name).copied().ok_or_else(|| Fault::missing(format_args!("site {shown}")))
}

/// The site of that name, for its owner or the administrator.
pub(super) async fn owned(app: &App, caller: &Caller, name: &str) -> Result<SiteId, Fault> {
    let site = named(app, name)?;
    let owner = app.handle.ask(move |state, _| state.site(site).map(|it| it.spec.owner.clone())).await?;
    if caller.role == Role::Owner && owner.as_deref() != Some(caller.name.as_str()) {
        return Err(Fault::forbidden("only a site's owner or the administrator may change it"));
    }
    Ok(site)
}

async fn offers(
    State(app): State<App>,
    caller: Caller,
    Asked(query): Asked<OffersQuery>,
) -> Result<Json<OffersView>, Fault> {
    let most = query.limit.unwrap_or(LIST_DEFAULT);
    if !(1..=LIST_MAX).contains(&most) {
        return Err(Fault::bad(format!("limit: {most} is not between 1 and {LIST_MAX}")));
    }
    let site = query.site.map(|name| named(&app, &name)).transpose()?;
    if query.nodes == Some(0) {
        return Err(Fault::bad("nodes: 0 is not at least 1"));
    }
    let nodes = Stretch { site, first: query.first.unwrap_or(0), most: query.nodes.unwrap_or(usize::MAX) };
    let user = (caller.role == Role::User).then_some(caller.name);
    let view = app.handle.ask(move |state, now| offers_view(state, now, &nodes, most, user.as_deref()));
    Ok(Json(view.await?))
}

async fn sites(State(app): State<App>) -> Result<Json<SitesView>, Fault> {
    let connected = app.sites();
    let view = app.handle.ask(move |state, _| {
        let all = state
            .sites
            .iter()
            .zip(connected.connectors.iter().zip(&connected.lines))
            .map(|(site, (connector, line))| site_view(state, site, connector, line.trouble()));
        SitesView { sites: all.collect() }
    });
    Ok(Json(view.await?))
}

pub(super) async fn show_site(app: &App, id: SiteId) -> Result<SiteView, Fault> {
    let connected = app.sites();
    let connector = connected.connectors.get(id.index()).cloned().unwrap_or_default();
    let trouble = connected.lines.get(id.index()).and_then(SiteLine::trouble);
    let view = app
        .handle
        .ask(move |state, _| state.site(id).map(|site| site_view(state, site, &connector, trouble.clone())));
    view.await?.ok_or_else(|| Fault::missing("such site"))
}

async fn site(State(app): State<App>, Path(name): Path<String>) -> Result<Json<SiteView>, Fault> {
    let id = named(&app, &name)?;
    show_site(&app, id).await.map(Json)
}

async fn prices_of(app: &App, id: SiteId) -> Result<PricesFile, Fault> {
    let view = app.handle.ask(move |state, _| state.site(id).map(|site| PricesFile::of(&site.spec.prices)));
    view.await?.ok_or_else(|| Fault::missing("such site"))
}

async fn prices(
    State(app): State<App>,
    caller: Caller,
    Path(name): Path<String>,
) -> Result<Json<PricesFile>, Fault> {
    let id = named(&app, &name)?;
    let owner = app.handle.ask(move |state, _| state.site(id).map(|site| site.spec.owner.clone())).await?;
    let mut prices = prices_of(&app, id).await?;
    // What one user is offered is nobody else's business than the owner's, and of whoever runs the VO.
    let all = match caller.role {
        Role::Administrator => true,
        Role::Owner => owner.as_deref() == Some(caller.name.as_str()),
        Role::User => false,
    };
    if !all {
        prices.users.retain(|user, _| caller.role == Role::User && *user == caller.name);
    }
    Ok(Json(prices))
}

async fn set_prices(
    State(app): State<App>,
    caller: Caller,
    Path(name): Path<String>,
    Sent(file): Sent<PricesFile>,
) -> Result<Json<PricesFile>, Fault> {
    let site = owned(&app, &caller, &name).await?;
    let prices = file
        .rules("body")
        .map_err(|error| Fault::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-prices", error.to_string()))?;
    app.handle.send(Input::SetPrices { site, prices }).await?;
    prices_of(&app, site).await.map(Json)
}

async fn fault(
    State(app): State<App>,
    Path(name): Path<String>,
    Sent(fault): Sent<SiteFault>,
) -> Result<(StatusCode, Json<SiteView>), Fault> {
    let site = named(&app, &name)?;
    let sites = app.sites();
    let line = sites.lines.get(site.index()).ok_or_else(|| Fault::missing("such site"))?;
    let done = line.send(fault.into()).await;
    done.map_err(|error| Fault::new(StatusCode::CONFLICT, "cannot-fail", error.to_string()))?;
    Ok((StatusCode::ACCEPTED, Json(show_site(&app, site).await?)))
}
