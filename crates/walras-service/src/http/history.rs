//! How the market was: samples that are taken now and then, for charts.
//!
//! A sample is taken every few seconds and kept in memory. When there are too many, every second one is dropped and samples
//! are taken half as often: however long the service runs, all of that time is shown, and a chart has no more points than it
//! can show. Nothing depends on them; a restart begins anew.

use super::App;
use super::endpoint::{ALL, Endpoint};
use super::fault::Fault;
use crate::token::Caller;
use crate::view::history::{Sample, sample, sample_view};
use axum::Json;
use axum::extract::State;
use axum::routing::get;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use walras_api::service::{HistoryView, Role};

/// So often the market is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// At most so many samples are kept.
const SAMPLES_MAX: usize = 720;

/// Samples, oldest first.
pub(super) struct History(Mutex<Samples>);

struct Samples {
    all: Vec<Sample>,
    /// Of so many looks one is kept.
    every: u32,
    looks: u32,
}

impl Default for History {
    fn default() -> History {
        History(Mutex::new(Samples { all: Vec::new(), every: 1, looks: 0 }))
    }
}

impl History {
    /// Whether the next look is to be kept.
    fn is_due(&self) -> bool {
        let mut samples = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        samples.looks = (samples.looks + 1) % samples.every;
        samples.looks == 0
    }

    fn add(&self, sample: Sample) {
        let mut samples = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        samples.all.push(sample);
        if samples.all.len() > SAMPLES_MAX {
            let mut place = 0;
            samples.all.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            samples.every = samples.every.saturating_mul(2);
        }
    }

    fn all(&self) -> Vec<Sample> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).all.clone()
    }
}

/// Takes samples until the engine has gone.
pub(super) async fn remember(app: App) {
    loop {
        if app.history.is_due() {
            match app.handle.ask(sample).await {
                Ok(sample) => app.history.add(sample),
                // A busy engine has better things to do.
                Err(crate::engine::Failed::Busy) => {}
                Err(_) => return,
            }
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

pub(super) fn endpoints() -> Vec<Endpoint> {
    let summary = "Show how the market was since the service started.";
    vec![Endpoint::new::<HistoryView>("get", "/v1/history", ALL, summary, get(history))]
}

async fn history(State(app): State<App>, caller: Caller) -> Result<Json<HistoryView>, Fault> {
    let sites = app.handle.ask(|state, _| {
        let all = state.sites.iter().map(|site| (site.spec.name.clone(), site.spec.owner.clone()));
        all.collect::<Vec<(String, String)>>()
    });
    let sites = sites.await?;
    let seen: Vec<bool> = sites
        .iter()
        .map(|(_, owner)| match caller.role {
            Role::Administrator => true,
            Role::Owner => *owner == caller.name,
            Role::User => false,
        })
        .collect();
    let samples = app.history.all().iter().map(|sample| sample_view(sample, &seen)).collect();
    Ok(Json(HistoryView { sites: sites.into_iter().map(|(name, _)| name).collect(), samples }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::Time;

    #[test]
    fn samples_thin_out_and_reach_back_to_the_beginning() {
        let history = History::default();
        let mut taken = 0;
        for look in 0..SAMPLES_MAX * 5 {
            if history.is_due() {
                taken += 1;
                history.add(Sample {
                    at: Time::from_millis(i64::try_from(look).unwrap()).unwrap(),
                    ..Sample::EMPTY
                });
            }
        }
        let kept = history.all();
        assert!(taken < SAMPLES_MAX * 5 && kept.len() <= SAMPLES_MAX && kept.len() > SAMPLES_MAX / 3);
        assert_eq!(kept[0].at.as_millis(), 0);
        assert!(kept.windows(2).all(|pair| pair[0].at < pair[1].at));
        let last = i64::try_from(SAMPLES_MAX * 5).unwrap() - kept.last().unwrap().at.as_millis();
        assert!(last <= 16, "{last}");
    }
}
