//! What a user is told of the window that their job has in the plan.

use super::likely::span_text;
use super::why::promised;
use super::{Context, credits, listed};
use crate::service::Stamp;
use walras_broker::State;
use walras_broker::id::JobNumber;
use walras_broker::job::{JobSpec, Planned};
use walras_broker::told::Told;
use walras_core::agenda::Promise;
use walras_model::{SiteId, Span, Time};

/// A job that has a window in a plan now.
pub struct Window<'a> {
    /// The job, by its number.
    pub job: JobNumber,
    /// What it is, where that is known.
    pub spec: Option<&'a JobSpec>,
    /// Where it is planned.
    pub plan: &'a Planned,
    /// What it is promised.
    pub promise: &'a Promise,
    /// Whether an earlier promise could not be kept.
    pub renewed: bool,
}

impl Window<'_> {
    /// A sentence for somebody who was told that before, and what they know then; `None` where it is nothing to tell anybody.
    pub fn news(&self, state: &State, now: Time, before: Option<&Told>) -> Option<(String, Option<Told>)> {
        let known = before.filter(|_| !self.renewed);
        let told = self.spec.and_then(|spec| state.told_of(now, spec, self.plan, self.promise, known));
        let (start, job) = (Stamp::from(self.plan.start), state.which(self.job));
        let by = promised(self.promise);
        let text = match known.zip(told.as_ref()) {
            Some((known, told)) if known == told => return None,
            Some((known, told)) => {
                let context = Context::of_service(state);
                let sites = |sites: &[SiteId]| sites.iter().map(|site| context.site(*site)).collect();
                let change = change_text(known, told, sites);
                format!("Job {job} starts {change}; {}it {by}.", firmer_text(known, told))
            }
            None if self.renewed => {
                format!("What job {job} was promised cannot be kept. It is planned for {start} and {by}.")
            }
            None => format!("Job {job} is planned for {start}; it {by}."),
        };
        Some((text, told))
    }

    /// A sentence for whoever wants to know of every step, where it is nothing that was told.
    pub fn step(&self, state: &State) -> String {
        let context = Context::of_service(state);
        let sites: Vec<String> = state.sites_of(self.plan).iter().map(|site| context.site(*site)).collect();
        let cost = self.spec.and_then(|spec| state.lasting_and_cost(spec, self.plan));
        let cost = cost.map(|(_, cost)| format!(" for {}", credits(cost))).unwrap_or_default();
        let (start, job) = (Stamp::from(self.plan.start), state.which(self.job));
        format!("A plan has job {job} start at {start} on {}{cost}; nobody was told.", listed(&sites))
    }
}

/// `40 min earlier, at 2026-11-19T12:00:00Z, on cloud, for the same price`
fn change_text(known: &Told, told: &Told, names: impl Fn(&[SiteId]) -> Vec<String>) -> String {
    let start = Stamp::from(told.start);
    let mut text = format!("{}, at {start}", moved_text(known.start, told.start));
    // Who starts later ends later: that is said where it runs for another time than before.
    let (before, lasts) = (lasting(known), lasting(told));
    if let (Some(before), Some(lasts), Some(finish)) = (before, lasts, told.finish)
        && before != lasts
    {
        let known = known.finish.unwrap_or(finish);
        text += &format!(", and ends {}, at {}", moved_text(known, finish), Stamp::from(finish));
    }
    if let Some((before, sites)) = known.sites.as_ref().zip(told.sites.as_ref())
        && before != sites
        && !sites.is_empty()
    {
        text += &format!(", on {}", listed(&names(sites)));
    }
    format!("{text}, {}", priced_text(known, told))
}

fn lasting(told: &Told) -> Option<Span> {
    told.finish?.span_since(told.start)
}

fn firmer_text(known: &Told, told: &Told) -> &'static str {
    if told.is_firmer_than(known) { "it is promised more than before: " } else { "" }
}

fn moved_text(before: Time, now: Time) -> String {
    let span = |from: Time, to: Time| Span::from_millis(to.as_millis().saturating_sub(from.as_millis()));
    match (span(now, before), span(before, now)) {
        (Some(earlier), _) if earlier > Span::ZERO => format!("{} earlier", span_text(earlier)),
        (_, Some(later)) if later > Span::ZERO => format!("{} later", span_text(later)),
        _ => "as planned".to_owned(),
    }
}

fn priced_text(before: &Told, now: &Told) -> String {
    if now.cost == before.cost {
        return "for the same price".to_owned();
    }
    format!("for {} instead of {}", credits(now.cost), before.cost)
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_broker::told::Seen;
    use walras_model::Money;

    fn at(minutes: i64) -> Time {
        Time::from_millis(minutes * 60_000).unwrap()
    }

    /// Half an hour from a minute on, on some sites, by minute 1,000.
    fn told(minutes: i64, cost: i64, sites: &[u32]) -> Told {
        Told::new(Seen {
            start: at(minutes),
            finish: at(minutes + 30),
            latest: at(1_000),
            cost: Money::from_micros(cost * 1_000_000),
            sites: sites.iter().map(|site| SiteId::new(*site)).collect(),
        })
    }

    #[test]
    fn moves_are_said_as_people_do() {
        let names = |sites: &[SiteId]| -> Vec<String> {
            sites.iter().map(|site| ["campus", "cloud"][site.index()].to_owned()).collect()
        };
        let said = |before: Told, now: Told| change_text(&before, &now, names);
        assert_eq!(
            said(told(90, 12, &[0]), told(50, 12, &[0])),
            "40 min earlier, at 1970-01-01T00:50:00.000Z, for the same price"
        );
        assert_eq!(
            said(told(90, 12, &[0]), told(690, 9, &[0, 1])),
            "10 h later, at 1970-01-01T11:30:00.000Z, on campus and cloud, for 9 credits instead of 12"
        );
        assert_eq!(
            said(told(90, 12, &[0]), told(90, 1, &[0])),
            "as planned, at 1970-01-01T01:30:00.000Z, for 1 credit instead of 12"
        );
        let mut longer = told(90, 12, &[1]);
        longer.finish = Some(at(180));
        assert_eq!(
            said(told(90, 12, &[0]), longer),
            "as planned, at 1970-01-01T01:30:00.000Z, and ends 60 min later, at 1970-01-01T03:00:00.000Z, on cloud, for the same price"
        );
        // What was told before ends and sites were is not compared with them.
        let mut old = told(90, 12, &[]);
        (old.finish, old.latest, old.sites) = (None, None, None);
        assert_eq!(
            said(old, told(50, 12, &[1])),
            "40 min earlier, at 1970-01-01T00:50:00.000Z, for the same price"
        );
    }

    #[test]
    fn a_firmer_promise_is_said_to_be_one() {
        let before = told(90, 12, &[0]);
        let mut firmer = before.clone();
        firmer.latest = Some(at(100));
        assert_eq!(firmer_text(&before, &firmer), "it is promised more than before: ");
        assert_eq!((firmer_text(&firmer, &before), firmer_text(&before, &before)), ("", ""));
    }
}
