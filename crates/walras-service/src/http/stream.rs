//! What happens, as server-sent events.

use super::App;
use super::browser::secret;
use super::budget::{Share, Spent};
use super::endpoint::{ALL, Endpoint};
use super::extract::Asked;
use super::fault::Fault;
use crate::clock::wall_millis;
use crate::described::JsonSchema;
use crate::engine::{Audience, Told};
use crate::token::{Caller, Whose};
use axum::extract::State;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::get;
use futures_util::Stream;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;
use walras_api::service::{EventView, Role};
use walras_model::Time;

const KEEP_ALIVE: Duration = Duration::from_secs(15);

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<EventView>(
            "get",
            "/v1/events",
            ALL,
            "Follow what happens, as server-sent events. `id` is the position to go on from, `data` an Event. An event \
             `lagged` says that some were lost: read again what you show.",
            get(events),
        )
        .query::<EventsQuery>()
        .text("text/event-stream")
        .refuses(&[400]),
    ]
}

/// Where to begin.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EventsQuery {
    /// After this position; only what is new, without. The header `Last-Event-ID` means the same.
    after: Option<u64>,
}

/// Counts a listener for as long as it lives.
struct Counted(App, #[allow(dead_code, reason = "it is given back with this")] Share);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.metrics.listening(-1);
    }
}

fn count(app: &App, whose: Whose) -> Result<Counted, Fault> {
    let code = "too-many-listeners";
    let share = app.listeners.take(whose, 1).map_err(|spent| match spent {
        Spent::All => {
            Fault::new(StatusCode::SERVICE_UNAVAILABLE, code, "too many are listening: try again later")
        }
        Spent::Own => {
            let message = "you listen too often at a time: close another stream first";
            Fault::new(StatusCode::TOO_MANY_REQUESTS, code, message)
        }
    })?;
    app.metrics.listening(1);
    Ok(Counted(app.clone(), share))
}

async fn events(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Asked(query): Asked<EventsQuery>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Fault> {
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok());
    let counted = count(&app, caller.whose())?;
    let audience = match caller.role {
        Role::Administrator => Audience::All,
        Role::User => Audience::User(caller.name.clone()),
        Role::Owner => {
            let name = caller.name.clone();
            let own = app.handle.ask(move |state, _| {
                let own = state.sites.iter().filter(|site| site.spec.owner == name);
                own.map(|site| site.spec.name.clone()).collect::<BTreeSet<String>>()
            });
            Audience::Owner(own.await?)
        }
    };
    let listening = app.handle.listen(&audience, query.after.or(last));
    // Written out one by one as they are read: a listener who does not read costs next to nothing.
    let past = listening.past.into_iter().map(|told| event(&told));
    let past = listening.missed.then(lagged).into_iter().chain(past);
    let live = Live {
        told: listening.live,
        closing: app.closing.subscribe(),
        token: caller.token,
        expires_at: caller.expires_at,
        session: secret(&headers).filter(|_| !headers.contains_key(AUTHORIZATION)).map(str::to_owned),
        counted,
    };
    let live = futures_util::stream::unfold(live, |mut live| async move {
        let event = live.next().await?;
        Some((event, live))
    });
    let all = futures_util::StreamExt::chain(futures_util::stream::iter(past), live);
    let stream = futures_util::StreamExt::map(all, Ok);
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// A listener: hears until the service stops, or its token or its session is good no more.
struct Live {
    told: Receiver<Arc<Told>>,
    closing: watch::Receiver<bool>,
    token: u64,
    expires_at: Option<Time>,
    /// The secret of the session, for a browser.
    session: Option<String>,
    counted: Counted,
}

impl Live {
    async fn next(&mut self) -> Option<Event> {
        loop {
            // By time and not by silence: a stream on which there is always something ends as well.
            if self.has_expired() {
                return None;
            }
            let look_again = self.look_again_after();
            tokio::select! {
                told = self.told.recv() => match told {
                    Ok(told) => return Some(event(&told)),
                    Err(RecvError::Lagged(_)) => return Some(lagged()),
                    Err(RecvError::Closed) => return None,
                },
                _ = self.closing.changed() => self.may_go_on()?,
                () = tokio::time::sleep(look_again) => self.may_go_on()?,
            }
        }
    }

    fn has_expired(&self) -> bool {
        self.expires_at.is_some_and(|at| at <= self.counted.0.clock.now())
    }

    /// When something may have changed although nobody has said so.
    fn look_again_after(&self) -> Duration {
        let left = self.expires_at.map(|at| self.counted.0.clock.until(at));
        left.map_or(KEEP_ALIVE, |left| left.clamp(Duration::from_millis(1), KEEP_ALIVE))
    }

    fn may_go_on(&mut self) -> Option<()> {
        let app = &self.counted.0;
        let stopping = *self.closing.borrow_and_update();
        let signed_in =
            self.session.as_ref().is_none_or(|secret| app.sessions.token_of(secret, wall_millis()).is_some());
        (!stopping && signed_in && app.tokens.is_valid(self.token, app.clock.now())).then_some(())
    }
}

fn event(told: &Arc<Told>) -> Event {
    Event::default().id(told.event.position.to_string()).event(told.event.kind.text()).data(told.json.clone())
}

fn lagged() -> Event {
    Event::default().event("lagged").data("{}")
}
