//! Reports: what owners have earned, and how the VO is.

use super::App;
use super::answer::Json;
use super::endpoint::{ADMINISTRATOR, Endpoint, OWNERS};
use super::extract::Asked;
use super::fault::Fault;
use super::market::named;
use crate::described::JsonSchema;
use crate::token::Caller;
use crate::view::report::Income;
use crate::view::sold::{DAY, day_of};
use crate::view::unsold::Unserved;
use crate::view::vo::VoReport;
use axum::extract::State;
use axum::routing::get;
use serde::Deserialize;
use walras_api::service::{IncomeView, Role, Stamp, UnsoldView, VoView};
use walras_model::{Interval, SiteId, Time};

/// So long a period is reported on without a word, and at most.
const DAYS_DEFAULT: i64 = 30;
const DAYS_MAX: i64 = 400;
/// So many jobs of the period are looked at, the latest.
const JOBS_MAX: usize = 200_000;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<IncomeView>(
            "get",
            "/v1/reports/income",
            OWNERS,
            "Say what one's own sites have earned, by day, site, node and user; any sites, for an administrator.",
            get(income),
        )
        .query::<IncomeQuery>()
        .refuses(&[400, 404]),
        Endpoint::new::<UnsoldView>(
            "get",
            "/v1/reports/unsold",
            OWNERS,
            "Say at which lower prices idle time of one's own sites would have sold, by the budgets of jobs that were not served.",
            get(unsold),
        )
        .query::<IncomeQuery>()
        .refuses(&[400, 404]),
        Endpoint::new::<VoView>(
            "get",
            "/v1/reports/vo",
            ADMINISTRATOR,
            "Say who spent what, how long jobs waited, and why some were not run.",
            get(vo),
        )
        .query::<VoQuery>()
        .refuses(&[400]),
    ]
}

/// What is reported.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct IncomeQuery {
    /// The day from which on; the last 30 days, without.
    from: Option<Stamp>,
    /// The day up to which; up to today, without.
    until: Option<Stamp>,
    /// Only of this site.
    site: Option<String>,
    /// Only of this owner's sites.
    owner: Option<String>,
}

/// What is reported.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct VoQuery {
    /// The day from which on; the last 30 days, without.
    from: Option<Stamp>,
    /// The day up to which; up to today, without.
    until: Option<Stamp>,
}

/// The period that is asked for, in whole days: what was offered is known by day.
fn period(app: &App, from: Option<Stamp>, until: Option<Stamp>) -> Result<Interval, Fault> {
    let last = until.map_or_else(|| app.clock.now(), Stamp::time);
    let last = last.as_millis().saturating_sub(1).div_euclid(DAY);
    let first = from.map_or_else(|| last - DAYS_DEFAULT + 1, |from| day_of(from.time()));
    if first > last {
        return Err(Fault::bad("until: it must come after from"));
    }
    if last - first >= DAYS_MAX {
        return Err(Fault::bad(format!("from: a report covers at most {DAYS_MAX} days")));
    }
    let start_of = |day: i64| day.checked_mul(DAY).and_then(Time::from_millis);
    let period = start_of(first).zip(start_of(last + 1)).and_then(|(start, end)| Interval::new(start, end));
    period.ok_or_else(|| Fault::bad("from, until: no such time"))
}

/// The sites that a caller may see the income of, as far as they ask for them.
async fn sites(app: &App, caller: &Caller, query: &IncomeQuery) -> Result<Vec<SiteId>, Fault> {
    let owner = match caller.role {
        Role::Administrator => query.owner.clone(),
        Role::User | Role::Owner => Some(caller.name.clone()),
    };
    if query.owner.is_some() && query.owner != owner {
        return Err(Fault::missing("such owner, or it is somebody else"));
    }
    if query.site.is_some() && caller.site.is_some() && query.site != caller.site {
        return Err(Fault::forbidden("this token is for one site"));
    }
    let only = query.site.as_deref().or(caller.site.as_deref()).map(|name| named(app, name)).transpose()?;
    let found: Vec<SiteId> = app
        .handle
        .ask(move |state, _| {
            let all = state.sites.iter().zip(0_u32..).map(|(site, number)| (SiteId::new(number), site));
            let theirs = all.filter(|(id, site)| {
                owner.as_ref().is_none_or(|owner| site.spec.owner == *owner)
                    && only.is_none_or(|it| it == *id)
            });
            theirs.map(|(id, _)| id).collect()
        })
        .await?;
    match only {
        Some(_) if found.is_empty() => Err(Fault::missing("such site, or it is somebody else's")),
        _ => Ok(found),
    }
}

/// What some sites have sold and offered in a period, and since when sales are written down.
async fn sold(app: &App, period: Interval, sites: Vec<SiteId>) -> Result<(Time, Income), Fault> {
    let (since, mut report) = app
        .read(move |register| {
            let mut report = Income::new(period, sites);
            register.sales(period, |sale| report.see_sale(&sale))?;
            register
                .offered(day_of(period.start()), day_of(period.end()) + 1, |it| report.see_offered(it))?;
            Ok((register.sales_since()?, report))
        })
        .await?;
    let seen = app.handle.ask(move |state, now| {
        for reservation in state.reservations.values() {
            report.see_running(state, reservation, now);
        }
        report
    });
    Ok((since, seen.await?))
}

async fn income(
    State(app): State<App>,
    caller: Caller,
    Asked(query): Asked<IncomeQuery>,
) -> Result<Json<IncomeView>, Fault> {
    let period = period(&app, query.from, query.until)?;
    let sites = sites(&app, &caller, &query).await?;
    let (since, report) = sold(&app, period, sites).await?;
    Ok(Json(app.handle.ask(move |state, _| report.view(state, since)).await?))
}

async fn unsold(
    State(app): State<App>,
    caller: Caller,
    Asked(query): Asked<IncomeQuery>,
) -> Result<Json<UnsoldView>, Fault> {
    let period = period(&app, query.from, query.until)?;
    let sites = sites(&app, &caller, &query).await?;
    let (_, report) = sold(&app, period, sites.clone()).await?;
    let (complete, mut jobs) = app
        .read(move |register| {
            let mut jobs = Unserved::default();
            let complete = register.ended_in(period, JOBS_MAX, |job| jobs.see_ended(&job))?;
            Ok((complete, jobs))
        })
        .await?;
    let view = app.handle.ask(move |state, _| {
        jobs.see_waiting(state);
        let of_site = |site: SiteId| jobs.of_site(state, site, report.unsold(site));
        UnsoldView {
            from: period.start().into(),
            until: period.end().into(),
            sites: sites.into_iter().filter_map(of_site).collect(),
            complete,
        }
    });
    Ok(Json(view.await?))
}

async fn vo(State(app): State<App>, Asked(query): Asked<VoQuery>) -> Result<Json<VoView>, Fault> {
    let period = period(&app, query.from, query.until)?;
    let (complete, report) = app
        .read(move |register| {
            let mut report = VoReport::new(period);
            register.sales(period, |sale| report.see_sale(&sale))?;
            let complete = register.ended_in(period, JOBS_MAX, |job| report.see_ended(&job))?;
            Ok((complete, report))
        })
        .await?;
    Ok(Json(app.handle.ask(move |state, now| report.view(state, now, complete)).await?))
}
