//! The HTTP API.

mod accounts;
mod admin;
mod again;
mod answer;
mod apply;
mod browser;
mod budget;
mod bundle;
mod chains;
mod decisions;
mod drafts;
mod elements;
mod endpoint;
mod extract;
mod fault;
mod guard;
mod history;
mod jobs;
mod joined;
mod listing;
mod market;
#[cfg(feature = "schema")]
pub mod openapi;
mod outlook;
mod output;
mod owners;
mod page;
mod past;
mod places;
mod quotes;
mod reloaded;
mod reports;
mod scope;
mod searched;
mod session;
mod shape;
mod sign_on;
mod site_fault;
mod stream;
mod system;
mod taking;
mod timetable;
mod tokens;
mod wishes;
mod worth;

pub use endpoint::Endpoint;
pub use sign_on::SignOnParts;

use crate::clock::{Clock, wall_millis};
use crate::engine::{Handle, Metrics};
use crate::joining::{Joiner, Sites};
use crate::journal::{JournalError, Register};
use crate::limits::Limits;
use crate::notice::config::{MailConfig, WebhookConfig};
use crate::session::Sessions;
use crate::token::{Tokens, Whose};
use crate::turns::Turns;
use axum::Router;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use budget::Budget;
use fault::Fault;
use guard::{Limiter, guard};
use scope::Post;
use serde_json::Value;
use std::net::IpAddr;
use std::ops::Deref;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, RwLock};
use std::thread::available_parallelism;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use walras_api::service::BatchWords;

/// Requests without a valid token, a second, from one address.
const STRANGERS: (u32, u32) = (20, 100);

/// The API's description as it is committed.
const OPENAPI: &str = include_str!("../../../../docs/openapi.json");

/// What handlers work with.
#[derive(Clone)]
pub struct App(Arc<Inner>);

impl Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

/// What all handlers share.
pub struct Inner {
    handle: Handle,
    tokens: Tokens,
    sessions: Sessions,
    /// Whether browsers must send cookies over TLS only.
    secure: bool,
    /// Where people sign in, beside tokens.
    sign_on: Option<SignOnParts>,
    history: history::History,
    register: Arc<Register>,
    metrics: Arc<Metrics>,
    clock: Clock,
    /// The sites, in the broker's order.
    sites: RwLock<Arc<Sites>>,
    /// How sites join while the service runs.
    joiner: Joiner,
    requests: AtomicU64,
    started: i64,
    callers: Limiter<Whose>,
    strangers: Limiter<IpAddr>,
    /// Event streams.
    listeners: Arc<Budget>,
    /// Requests at a time, by token.
    busy: Arc<Budget>,
    /// Bytes of bodies.
    bodies: Arc<Budget>,
    /// Searches for quotes that may run at once.
    searches: Arc<Semaphore>,
    /// One search for a quote at a time of every user.
    turns: Turns<String>,
    /// One large body at a time of every token.
    large: Arc<Turns<Whose>>,
    words: BatchWords,
    /// How letters leave the house, and where they may go.
    letters: (Option<MailConfig>, Vec<WebhookConfig>),
    /// Changes when streams must look whether they may go on; true when they may not.
    closing: watch::Sender<bool>,
    answer_within: Duration,
    openapi: Value,
    page: String,
}

/// The parts that handlers work with.
pub struct AppParts {
    /// The engine.
    pub handle: Handle,
    /// Who may do what.
    pub tokens: Tokens,
    /// Which browsers are signed in.
    pub sessions: Sessions,
    /// Whether it speaks TLS.
    pub secure: bool,
    /// Where people sign in, beside tokens.
    pub sign_on: Option<SignOnParts>,
    /// Where to find what is over.
    pub register: Register,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// The service's time.
    pub clock: Clock,
    /// The sites, in the broker's order.
    pub sites: Sites,
    /// How sites join while the service runs.
    pub joiner: Joiner,
    /// How much callers may ask for.
    pub limits: Limits,
    /// What `account`, `partition` and `qos` of jobs mean.
    pub words: BatchWords,
    /// How letters leave the house, and where they may go.
    pub letters: (Option<MailConfig>, Vec<WebhookConfig>),
}

impl App {
    /// From its parts.
    pub fn new(parts: AppParts) -> App {
        // A test reads it.
        let openapi: Value = serde_json::from_str(OPENAPI).unwrap_or_default();
        let page = page::page(&openapi);
        App(Arc::new(Inner {
            sites: RwLock::new(Arc::new(parts.sites)),
            joiner: parts.joiner,
            handle: parts.handle,
            tokens: parts.tokens,
            sessions: parts.sessions,
            secure: parts.secure,
            sign_on: parts.sign_on,
            history: history::History::default(),
            register: Arc::new(parts.register),
            metrics: parts.metrics,
            clock: parts.clock,
            requests: AtomicU64::new(0),
            started: wall_millis() / 1_000,
            callers: Limiter::new(parts.limits.requests_per_second, parts.limits.burst),
            strangers: Limiter::new(STRANGERS.0, STRANGERS.1),
            listeners: Budget::new(parts.limits.listeners, parts.limits.listeners_each),
            busy: Budget::new(usize::MAX, parts.limits.requests_at_once),
            bodies: Budget::new(parts.limits.body_bytes, parts.limits.body_bytes_each),
            // One processor is left to everything else; but whoever has a search that takes long leaves room for another.
            searches: Arc::new(Semaphore::new(
                available_parallelism().map_or(2, |all| (all.get() - 1).max(2)),
            )),
            turns: Turns::default(),
            large: Arc::default(),
            words: parts.words,
            letters: parts.letters,
            closing: watch::Sender::new(false),
            answer_within: Duration::from_secs(parts.limits.answer_seconds.into()),
            openapi,
            page,
        }))
    }

    /// The sites that are connected.
    fn sites(&self) -> Arc<Sites> {
        self.sites.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Whether requests are taken.
    pub fn is_ready(&self) -> bool {
        self.handle.is_ready()
    }

    /// Looks at the market now and then, for as long as the service runs.
    pub async fn remember(self) {
        history::remember(self).await;
    }

    /// Lets all streams end.
    pub fn close_streams(&self) {
        self.closing.send_replace(true);
    }

    /// Looks something up in the register, on a thread that may wait for the disk.
    async fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Register) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, Fault> {
        let register = self.register.clone();
        let turn = self.handle.turn().await;
        let found = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            look(&register)
        });
        let found = found.await;
        let found = found.map_err(|error| self.broken(&error))?;
        found.map_err(|error| Fault::new(StatusCode::SERVICE_UNAVAILABLE, "unreadable", error.to_string()))
    }

    /// Something that cannot be, and is in the log.
    fn broken(&self, error: &dyn std::error::Error) -> Fault {
        tracing::error!(%error, "a fault of the service");
        Fault::new(StatusCode::INTERNAL_SERVER_ERROR, "fault", "a fault of the service; its log says more")
    }
}

/// Every endpoint there is.
pub fn endpoints() -> Vec<Endpoint> {
    let groups = [
        system::endpoints(),
        jobs::endpoints(),
        places::endpoints(),
        listing::endpoints(),
        past::endpoints(),
        output::endpoints(),
        quotes::endpoints(),
        chains::endpoints(),
        outlook::endpoints(),
        worth::endpoints(),
        market::endpoints(),
        timetable::endpoints(),
        owners::endpoints(),
        joined::endpoints(),
        wishes::endpoints(),
        accounts::endpoints(),
        admin::endpoints(),
        apply::endpoints(),
        tokens::endpoints(),
        reports::endpoints(),
        decisions::endpoints(),
        again::endpoints(),
        session::endpoints(),
        drafts::endpoints(),
        history::endpoints(),
        bundle::endpoints(),
        stream::endpoints(),
    ];
    groups.into_iter().flatten().collect()
}

/// The router over all endpoints, each behind its guard.
pub fn router(app: App) -> Router {
    let mut router = Router::new();
    for endpoint in endpoints() {
        let streams = matches!(endpoint.content, endpoint::Content::Text("text/event-stream"));
        let post = Post { method: endpoint.method, path: endpoint.path, roles: endpoint.roles, streams };
        let guarded = endpoint.route.layer(from_fn_with_state((app.clone(), post), guard));
        router = router.route(endpoint.path, guarded);
    }
    sign_on::routes(router).fallback(bundle::elsewhere).with_state(app)
}
