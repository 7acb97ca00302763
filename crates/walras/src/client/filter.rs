//! Which jobs are meant: the options that `jobs`, `history` and `cancel` share, as the service's query has them.

use super::http::Client;
use super::show::zone;
use crate::failure::Failure;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use walras_api::service::{JobState, MeView, Role, Stamp, StatusView};
use walras_model::Time;

/// What jobs are listed by.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Filter {
    /// Only those in these states, with commas between: held, waiting, queued, planning, planned, reserving, reserved, running, done, failed, cancelled, given-up
    #[arg(long, value_name = "STATES")]
    pub(crate) state: Option<String>,
    /// Only those of this name; * stands for anything, ? for one character
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Only those of this user
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Only those submitted since: 2h or 3d (ago), today, yesterday, 2026-11-15, 2026-11-15T12:30
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
}

/// Values of a query.
pub(crate) type Query = Vec<(&'static str, Option<String>)>;

impl Filter {
    /// As the service's query has it; of one's own jobs unless `all` are meant, or a user is named.
    pub(crate) fn query(&self, client: &Client, all: bool) -> Result<Query, Failure> {
        let user = match &self.user {
            Some(user) => Some(user.clone()),
            None if all => None,
            None => own_name(client.get("/v1/me")?.view()?),
        };
        self.state.as_deref().map_or(Ok(()), known_states)?;
        Ok(vec![
            ("state", self.state.clone()),
            ("user", user),
            ("name", self.name.clone()),
            ("since", moment(client, self.since.as_deref(), "--since")?),
        ])
    }
}

/// Whether these are states of jobs, with commas between.
fn known_states(text: &str) -> Result<(), Failure> {
    let wrong = |why: String| Failure::Input(format!("--state: {why}, or several with commas between"));
    JobState::listed(text).map(drop).map_err(wrong)
}

/// The name of the user who asks; an administrator has no jobs of their own and sees all.
pub(crate) fn own_name(me: MeView) -> Option<String> {
    (me.role == Role::User).then_some(me.name)
}

/// A point in time as people say it, as the service takes it; spans count back from the service's own clock.
pub(crate) fn moment(client: &Client, text: Option<&str>, option: &str) -> Result<Option<String>, Failure> {
    let Some(text) = text else { return Ok(None) };
    let now = match is_span(text) {
        true => client.get("/v1/status")?.view::<StatusView>()?.now.time().as_millis(),
        false => Timestamp::now().as_millisecond(),
    };
    let found = ago(text, now, &zone()).ok_or_else(|| {
        Failure::Input(format!(
            "{option}: '{text}' is no point in time: expected one such as 2h (ago), today, 2026-11-15 or 2026-11-15T12:30"
        ))
    })?;
    Ok(Some(Stamp::from(found).to_string()))
}

fn is_span(text: &str) -> bool {
    span(text).is_some()
}

fn span(text: &str) -> Option<SignedDuration> {
    // A day is a plain day here: nobody means the change of a clock by it.
    let days = text.strip_suffix('d').and_then(|days| days.parse::<i64>().ok());
    let span = match days {
        Some(days) => SignedDuration::from_hours(days.checked_mul(24)?),
        None => text.parse().ok()?,
    };
    (!span.is_negative()).then_some(span)
}

/// A span before `now`, a day, or a time of a day in that zone.
fn ago(text: &str, now: i64, zone: &TimeZone) -> Option<Time> {
    if let Ok(stamp) = text.parse::<Stamp>() {
        return Some(stamp.time());
    }
    if let Some(span) = span(text) {
        return Time::from_millis(now.checked_sub(i64::try_from(span.as_millis()).ok()?)?);
    }
    let today = Timestamp::from_millisecond(now).ok()?.to_zoned(zone.clone()).date();
    let day = match text {
        "today" => Some(today),
        "yesterday" => today.checked_sub(1.day()).ok(),
        _ => None,
    };
    let at = match day {
        Some(day) => day.to_datetime(jiff::civil::Time::midnight()),
        None => match text.parse::<DateTime>() {
            Ok(at) => at,
            Err(_) => text.parse::<Date>().ok()?.to_datetime(jiff::civil::Time::midnight()),
        },
    };
    Time::from_millis(at.to_zoned(zone.clone()).ok()?.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_there_is_none_of_is_told_with_those_that_there_are() {
        assert!(known_states("running,given-up").is_ok() && known_states("Running, queued").is_ok());
        let Err(Failure::Input(text)) = known_states("running,lost") else { panic!("it is refused") };
        assert!(text.starts_with("--state: 'lost' is no state of a job: expected held, waiting, "), "{text}");
    }

    #[test]
    fn times_are_what_people_mean() {
        let now: Stamp = "2026-11-15T12:30:00Z".parse().unwrap();
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let of =
            |text: &str| ago(text, now.time().as_millis(), &zone).map(|time| Stamp::from(time).to_string());
        for (text, expected) in [
            ("2h", "2026-11-15T10:30:00.000Z"),
            ("3d", "2026-11-12T12:30:00.000Z"),
            ("1h 30m", "2026-11-15T11:00:00.000Z"),
            ("today", "2026-11-14T22:00:00.000Z"),
            ("yesterday", "2026-11-13T22:00:00.000Z"),
            ("2026-11-15", "2026-11-14T22:00:00.000Z"),
            ("2026-11-15T12:30", "2026-11-15T10:30:00.000Z"),
            ("2026-11-15T12:30:00Z", "2026-11-15T12:30:00.000Z"),
        ] {
            assert_eq!(of(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["soon", "", "-2h", "99999999999999999999d", "2026-13-01"] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
