//! What happens, as server-sent events.

use super::App;
use super::browser::secret;
use super::budget::{Share, Spent};
use super::endpoint::{ALL, Endpoint};
use super::extract::Asked;
use super::fault::Fault;
use crate::clock::wall_millis;
use crate::described::JsonSchema;
use crate::engine::{Audience, Heard, Listening, Told};
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
use std::vec::IntoIter;
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
    let whose = caller.whose();
    let counted = count(&app, whose.clone())?;
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
    let after = query.after.or(last);
    // Whoever wants only what is new hears all of that from the moment of this answer on.
    let ears = after.map_or_else(|| Ears::of(app.handle.listen(&audience, None)).1, Ears::Behind);
    let listener = Listener {
        audience,
        ears,
        closing: app.closing.subscribe(),
        token: caller.token,
        expires_at: caller.expires_at,
        session: secret(&headers).filter(|_| !headers.contains_key(AUTHORIZATION)).map(str::to_owned),
        counted,
        whose,
    };
    let stream = futures_util::stream::unfold(listener, |mut listener| async move {
        let event = listener.next().await?;
        Some((Ok(event), listener))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// A listener: hears until the service stops, or its token or its session is good no more.
struct Listener {
    audience: Audience,
    ears: Ears,
    closing: watch::Receiver<bool>,
    token: u64,
    expires_at: Option<Time>,
    /// The secret of the session, for a browser.
    session: Option<String>,
    counted: Counted,
    whose: Whose,
}

/// How far a listener is.
enum Ears {
    /// They know what happened up to here.
    Behind(u64),
    /// They are told what happened, a little at a time, written out as they read it: of one who does not read next to nothing is kept.
    Past(IntoIter<Arc<Told>>, u64),
    /// They hear what happens.
    Live(Receiver<Arc<Told>>),
}

impl Ears {
    /// Whether something is not known any more, and how far they are.
    fn of(listening: Listening) -> (bool, Ears) {
        match listening.heard {
            Heard::Past { told, after } => (listening.missed, Ears::Past(told.into_iter(), after)),
            Heard::Live(told) => (listening.missed, Ears::Live(told)),
        }
    }
}

impl Listener {
    async fn next(&mut self) -> Option<Event> {
        loop {
            match &mut self.ears {
                Ears::Behind(after) => {
                    let after = *after;
                    self.may_go_on()?;
                    if self.look_again(after).await {
                        return Some(lagged());
                    }
                }
                Ears::Past(told, after) => match told.next() {
                    Some(told) => return Some(event(&told)),
                    None => self.ears = Ears::Behind(*after),
                },
                Ears::Live(_) => return self.hear().await,
            }
        }
    }

    /// Looks at what has happened since; whether some of that is not known any more.
    async fn look_again(&mut self, after: u64) -> bool {
        // However many streams somebody opens, they look at one thing at a time, and others get their turn in between.
        let _turn = self.counted.0.handle.turn_of(&self.whose).await;
        tokio::task::yield_now().await;
        let (missed, ears) = Ears::of(self.counted.0.handle.listen(&self.audience, Some(after)));
        self.ears = ears;
        missed
    }

    async fn hear(&mut self) -> Option<Event> {
        loop {
            // By time and not by silence: a stream on which there is always something ends as well.
            if self.has_expired() {
                return None;
            }
            let look_again = self.look_again_after();
            let Ears::Live(told) = &mut self.ears else { return None };
            tokio::select! {
                told = told.recv() => match told {
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
