//! Who has which node when.

use super::App;
use super::answer::Json;
use super::endpoint::{ALL, Endpoint};
use super::extract::Asked;
use super::fault::Fault;
use super::market::named;
use crate::described::JsonSchema;
use crate::journal::ended::Wanted as Ended;
use crate::token::Caller;
use crate::view::timetable::{ROWS_MAX, Stretch, Wanted, timetable_view};
use axum::extract::State;
use axum::routing::get;
use serde::Deserialize;
use walras_api::service::{Role, Stamp, TimetableView};
use walras_model::{Interval, SiteId, Span, Time};

/// A timetable shows this much without a word: ten minutes back, an hour ahead.
const BACK: i64 = 600_000;
const AHEAD: i64 = 3_600_000;
/// So many of the jobs that ended last are looked at for what a timetable shows of the past.
const PAST_MAX: usize = 500;
/// The longest word that is looked for, in bytes.
const WORD_MAX: usize = 200;

pub(super) fn endpoints() -> Vec<Endpoint> {
    let summary = "Show who has which node when.";
    vec![
        Endpoint::new::<TimetableView>("get", "/v1/timetable", ALL, summary, get(timetable))
            .query::<TimetableQuery>()
            .refuses(&[400, 404]),
    ]
}

/// Which time and which nodes are shown.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TimetableQuery {
    /// From when; ten minutes ago, without.
    from: Option<Stamp>,
    /// Until when; in an hour, without.
    to: Option<Stamp>,
    /// Only of this site.
    site: Option<String>,
    /// Only its nodes from this one on, counted from 0; or all sites'.
    first: Option<usize>,
    /// At most so many nodes; 2,000, without.
    #[schemars(range(min = 1, max = 2_000))]
    limit: Option<usize>,
    /// Only nodes that have this in their names, as `SITE/NODE`, or a job that the asker may see and that has it in its
    /// number, name or user.
    #[schemars(length(min = 1, max = 200))]
    find: Option<String>,
    /// Where there are more nodes than are listed: all of them in sums, by blocks that follow each other in a site, and no rows.
    sums: Option<bool>,
}

async fn timetable(
    State(app): State<App>,
    caller: Caller,
    Asked(query): Asked<TimetableQuery>,
) -> Result<Json<TimetableView>, Fault> {
    let later = |time: Time, by: i64| Time::from_millis(time.as_millis().saturating_add(by)).unwrap_or(time);
    let now = app.clock.now();
    let from = query.from.map_or(later(now, -BACK), Stamp::time);
    let to = query.to.map_or(later(from.max(now), AHEAD), Stamp::time);
    let shown = Interval::new(from, to).filter(|shown| shown.span() > Span::ZERO);
    let shown = shown.ok_or_else(|| Fault::bad("from must lie before to"))?;
    let site = query.site.map(|name| named(&app, &name)).transpose()?;
    let most = query.limit.unwrap_or(ROWS_MAX);
    if !(1..=ROWS_MAX).contains(&most) {
        return Err(Fault::bad(format!("limit: {most} is not between 1 and {ROWS_MAX}")));
    }
    if query.find.as_ref().is_some_and(|word| word.is_empty() || word.len() > WORD_MAX) {
        return Err(Fault::bad(format!("find: it is empty, or longer than {WORD_MAX} bytes")));
    }
    let wanted = Wanted {
        stretch: Stretch { site, first: query.first.unwrap_or(0), most },
        shown,
        find: query.find,
        sums: query.sums.unwrap_or(false),
    };
    let past = match shown.start() < now {
        true => app.read(|register| register.ended_like(&Ended::default(), PAST_MAX)).await?,
        false => Vec::new(),
    };
    let view = app.handle.ask(move |state, now| {
        timetable_view(state, now, &wanted, &past, |user, sites| match caller.role {
            Role::Administrator => true,
            Role::User => user == caller.name,
            Role::Owner => {
                let own = |site: &SiteId| state.site(*site).is_some_and(|it| it.spec.owner == caller.name);
                sites.iter().any(own)
            }
        })
    });
    Ok(Json(view.await?))
}
