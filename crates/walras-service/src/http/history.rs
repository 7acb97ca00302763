//! How the market was: samples that are taken now and then, for charts.
//!
//! The service looks at the market every few seconds, however many pages are open: these read what was seen, and the engine is not
//! asked. What is told is written once between two looks for everybody who has seen as much and may see as much. Samples are kept in memory. When there are too many, every second one is dropped and samples
//! are taken half as often: however long the service runs, all of that time is shown, and a chart has no more points than it
//! can show. Nothing depends on them; a restart begins anew.

use super::App;
use super::answer::Written;
use super::endpoint::{ALL, Endpoint};
use super::extract::Asked;
use super::fault::Fault;
use super::market::status_of;
use crate::described::JsonSchema;
use crate::engine::Failed;
use crate::token::Caller;
use crate::view::history::{Sample, sample, sample_view};
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use walras_api::service::{HistoryView, Role, Stamp, StatusView};
use walras_model::Time;

/// So often the market is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// At most so many samples are kept.
const SAMPLES_MAX: usize = 720;
/// So many answers are kept between two looks.
const WRITTEN_MAX: usize = 32;

/// What was seen.
pub(super) struct History(Mutex<Seen>);

struct Seen {
    /// Oldest first.
    samples: Vec<Sample>,
    /// Of so many looks one is kept.
    every: u32,
    looks: u32,
    latest: Option<Latest>,
    /// What was answered since: by how many samples were left out, and of which sites all may be seen.
    written: BTreeMap<(usize, Vec<bool>), Written>,
}

/// What was seen last.
#[derive(Clone)]
struct Latest {
    status: StatusView,
    sample: Sample,
    /// The sites' names and owners.
    sites: Vec<(String, String)>,
}

impl Default for History {
    fn default() -> History {
        History(Mutex::new(Seen {
            samples: Vec::new(),
            every: 1,
            looks: 0,
            latest: None,
            written: BTreeMap::new(),
        }))
    }
}

impl Seen {
    /// Keeps what was seen, when it is its turn.
    fn add(&mut self, sample: Sample) {
        self.looks = (self.looks + 1) % self.every;
        if self.looks != 0 {
            return;
        }
        self.samples.push(sample);
        if self.samples.len() > SAMPLES_MAX {
            let mut place = 0;
            self.samples.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.every = self.every.saturating_mul(2);
        }
    }
}

impl Seen {
    /// What there is after a moment, for somebody who may see all of these sites.
    fn told(&mut self, after: Option<Time>, may_see: Vec<bool>) -> Written {
        let Some(Latest { status, sample, sites }) = &self.latest else {
            return Written::of(&());
        };
        // What was seen last is always there, even when it is not kept.
        let last = self.samples.last().is_none_or(|kept| kept.at < sample.at).then_some(sample);
        let known = after.map_or(0, |after| {
            let kept = self.samples.partition_point(|it| it.at <= after);
            kept + usize::from(last.is_some_and(|it| it.at <= after))
        });
        let key = (known, may_see);
        if let Some(written) = self.written.get(&key) {
            return written.clone();
        }
        let wanted = self.samples.iter().chain(last).skip(known);
        let written = Written::of(&HistoryView {
            samples: wanted.map(|sample| sample_view(sample, &key.1)).collect(),
            status: status.clone(),
            sites: sites.iter().map(|(name, _)| name.clone()).collect(),
        });
        if self.written.len() < WRITTEN_MAX {
            self.written.insert(key, written.clone());
        }
        written
    }
}

async fn look(app: &App) -> Result<Latest, Failed> {
    let seen = app.handle.ask(|state, now| {
        let sites = state.sites.iter().map(|site| (site.spec.name.clone(), site.spec.owner.clone()));
        (sample(state, now), sites.collect())
    });
    let (sample, sites) = seen.await?;
    Ok(Latest { status: status_of(app).await?, sample, sites })
}

/// Looks now and then until the engine has gone.
pub(super) async fn remember(app: App) {
    loop {
        match look(&app).await {
            Ok(latest) => {
                let mut seen = app.history.0.lock().unwrap_or_else(PoisonError::into_inner);
                seen.add(latest.sample.clone());
                seen.latest = Some(latest);
                seen.written.clear();
            }
            // A busy engine has better things to do.
            Err(Failed::Busy) => {}
            Err(_) => return,
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

pub(super) fn endpoints() -> Vec<Endpoint> {
    let summary = "Show how the market was since the service started, and is.";
    vec![
        Endpoint::new::<HistoryView>("get", "/v1/history", ALL, summary, get(history))
            .query::<HistoryQuery>()
            .refuses(&[400]),
    ]
}

/// Which samples are shown.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HistoryQuery {
    /// Only samples after this.
    after: Option<Stamp>,
}

async fn history(
    State(app): State<App>,
    caller: Caller,
    Asked(query): Asked<HistoryQuery>,
) -> Result<Written, Fault> {
    let mut seen = app.history.0.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(Latest { sites, .. }) = &seen.latest else {
        let message = "nothing has been seen yet: try again in a moment";
        return Err(Fault::new(StatusCode::SERVICE_UNAVAILABLE, "not-ready", message));
    };
    let may_see: Vec<bool> = sites
        .iter()
        .map(|(_, owner)| match caller.role {
            Role::Administrator => true,
            Role::Owner => *owner == caller.name,
            Role::User => false,
        })
        .collect();
    Ok(seen.told(query.after.map(Stamp::time), may_see))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_thin_out_and_reach_back_to_the_beginning() {
        let mut seen =
            Seen { samples: Vec::new(), every: 1, looks: 0, latest: None, written: BTreeMap::new() };
        let looks = i64::try_from(SAMPLES_MAX * 5).unwrap();
        for look in 0..looks {
            seen.add(Sample { at: Time::from_millis(look).unwrap(), ..Sample::EMPTY });
        }
        let kept = seen.samples;
        assert!(kept.len() <= SAMPLES_MAX && kept.len() > SAMPLES_MAX / 3, "{}", kept.len());
        assert_eq!(kept[0].at.as_millis(), 0);
        assert!(kept.windows(2).all(|pair| pair[0].at < pair[1].at));
        let last = looks - kept.last().unwrap().at.as_millis();
        assert!(last <= 16, "{last}");
    }
}
