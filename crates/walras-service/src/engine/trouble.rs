//! What is wrong with a site: since when, and why. It is logged once when it begins, when it becomes another trouble and when it is over,
//! shown with the site, and counted; it changes nothing that the broker knows: what runs on a site that does not answer goes on.
//!
//! While a site does not answer, what would only ask it again waits, longer every time ([`Backoff`]); starts and ends never do.

use super::line::Troubled;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use walras_model::Time;
use walras_sites::backoff::Backoff;
use walras_sites::{SiteError, Trouble};

/// Which site, and which trouble.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct TroubleLabel {
    site: String,
    trouble: String,
}

/// Since when sites are in trouble, in seconds since 1970; 0 where they are not.
#[derive(Clone, Debug, Default)]
pub(super) struct TroubleGauges(Family<TroubleLabel, Gauge<i64, AtomicI64>>);

impl TroubleGauges {
    pub(super) fn register(&self, registry: &mut Registry) {
        let what = "Since when a site is in trouble, in seconds since 1970; 0 where it is not";
        registry.register("site_trouble_since_seconds", what, self.0.clone());
    }

    fn set(&self, site: &str, trouble: Option<(Trouble, Time)>) {
        for kind in Trouble::ALL {
            let since = trouble.filter(|(it, _)| *it == kind).map_or(0, |(_, at)| at.as_millis() / 1_000);
            let label = TroubleLabel { site: site.to_owned(), trouble: kind.word().to_owned() };
            self.0.get_or_create(&label).set(since);
        }
    }
}

/// What is wrong with one site, as its thread knows it.
pub(super) struct Watched {
    site: String,
    shown: Arc<Mutex<Option<Troubled>>>,
    gauges: TroubleGauges,
    backoff: Backoff,
}

impl Watched {
    pub(super) fn new(
        site: &str,
        seed: u64,
        shown: Arc<Mutex<Option<Troubled>>>,
        gauges: TroubleGauges,
    ) -> Watched {
        gauges.set(site, None);
        Watched { site: site.to_owned(), shown, gauges, backoff: Backoff::new(seed) }
    }

    /// Whether the site may be asked for what can wait.
    pub(super) fn may_ask(&self) -> bool {
        self.backoff.is_due(Instant::now())
    }

    /// The site has answered with an error, or done what it was asked; `other` is what it says is wrong besides.
    pub(super) fn heard(&mut self, now: Time, error: Option<&SiteError>, other: Option<SiteError>) {
        match error.map(SiteError::kind) {
            Some(Some(Trouble::Unreachable | Trouble::Broken)) => self.backoff.failed(Instant::now()),
            Some(Some(Trouble::Denied | Trouble::NotUnderstood) | None) => {}
            None => self.backoff.went_well(),
        }
        let wrong = error.filter(|it| it.kind().is_some()).cloned().or(other);
        self.show(now, wrong.and_then(|it| Some((it.kind()?, it.to_string()))));
    }

    fn show(&self, now: Time, wrong: Option<(Trouble, String)>) {
        let mut shown = self.shown.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let before = shown.take();
        let site = self.site.as_str();
        *shown = match (before, wrong) {
            // The same trouble goes on, whatever it says of itself this time.
            (Some(before), Some((kind, why))) if before.kind == kind => Some(Troubled { why, ..before }),
            (_, Some((kind, why))) => {
                tracing::warn!(site, trouble = kind.word(), why, "the site is in trouble");
                self.gauges.set(site, Some((kind, now)));
                Some(Troubled { kind, why, since: now })
            }
            (Some(before), None) => {
                let seconds = (now - before.since).max(0) / 1_000;
                tracing::info!(site, trouble = before.kind.word(), seconds, "the site is well again");
                self.gauges.set(site, None);
                None
            }
            (None, None) => None,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_is_shown_from_its_beginning_to_its_end() {
        let shown = Arc::new(Mutex::new(None));
        let gauges = TroubleGauges::default();
        let mut watched = Watched::new("north", 1, shown.clone(), gauges.clone());
        let at = |seconds: i64| Time::from_millis(1_000 * seconds).unwrap();
        let seen = || shown.lock().unwrap().clone().map(|it: Troubled| (it.kind, it.since, it.why));
        let since = |kind: Trouble| {
            let label = TroubleLabel { site: "north".to_owned(), trouble: kind.word().to_owned() };
            gauges.0.get_or_create(&label).get()
        };
        let silent = |text: &str| SiteError::Unreachable(text.to_owned());
        watched.heard(at(5), Some(&silent("a")), None);
        assert!(!watched.may_ask());
        watched.heard(at(9), Some(&silent("b")), None);
        assert_eq!(seen(), Some((Trouble::Unreachable, at(5), "it does not answer: b".to_owned())));
        assert_eq!((since(Trouble::Unreachable), since(Trouble::Denied)), (5, 0));
        // The connector goes on without what manages the site.
        watched.heard(at(12), None, Some(silent("c")));
        assert!(watched.may_ask() && seen().is_some());
        watched.heard(at(13), Some(&SiteError::Denied("no".to_owned())), None);
        assert_eq!((since(Trouble::Unreachable), since(Trouble::Denied)), (0, 13));
        // What was asked for cannot be: that is no trouble of the site's.
        watched.heard(at(14), Some(&SiteError::NoSuchFault("no")), None);
        assert_eq!((seen(), since(Trouble::Denied)), (None, 0));
    }
}
