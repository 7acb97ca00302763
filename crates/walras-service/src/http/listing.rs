//! Lists of jobs, by what is asked of them: what has not ended from what the broker knows, what has from the register.

use super::App;
use super::answer::Json;
use super::endpoint::{Endpoint, USERS};
use super::extract::Asked;
use super::fault::Fault;
use super::jobs::only;
use crate::described::JsonSchema;
use crate::journal::ended::{Elements, Wanted};
use crate::token::Caller;
use crate::view::array::array_view;
use crate::view::ended::ended_view;
use crate::view::job::job_view;
use axum::extract::State;
use axum::routing::get;
use serde::Deserialize;
use walras_api::service::{JobState, JobView, JobsView, Stamp};
use walras_broker::id::JobNumber;
use walras_broker::job::JobSpec;

/// How many jobs are listed at most, and without a word.
const LIST_MAX: usize = 1_000;
const LIST_DEFAULT: usize = 100;
/// The longest name that is looked for, in bytes.
const NAME_MAX: usize = 200;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<JobsView>("get", "/v1/jobs", USERS, "List jobs, newest first.", get(list))
            .query::<JobsQuery>()
            .refuses(&[400]),
    ]
}

/// Which jobs are listed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct JobsQuery {
    /// Only jobs in this state, or in one of several with commas between them; letters may be of any case.
    #[schemars(with = "Option<String>", extend("pattern" = states_pattern()))]
    state: Option<States>,
    /// Only jobs of this user; users see their own only.
    user: Option<String>,
    /// Only jobs of this name; `*` stands for anything, `?` for one character.
    #[schemars(length(max = 200))]
    name: Option<String>,
    /// Only jobs that were submitted then or later.
    since: Option<Stamp>,
    /// Only jobs whose numbers are below this.
    before: Option<u64>,
    /// Only the elements of this array that run or ran; without it, arrays are one line each.
    array: Option<u64>,
    /// At most so many.
    #[schemars(range(min = 1, max = 1_000))]
    limit: Option<usize>,
}

/// What a list of states looks like.
#[cfg(feature = "schema")]
pub(super) fn states_pattern() -> String {
    let either = |letter: char| match letter.is_ascii_lowercase() {
        true => format!("[{}{letter}]", letter.to_ascii_uppercase()),
        false => letter.to_string(),
    };
    let words = JobState::ALL.map(|state| state.text().chars().map(either).collect::<String>());
    let one = format!(" *({}) *", words.join("|"));
    format!("^{one}(,{one})*$")
}

/// States with commas between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct States(pub(super) Vec<JobState>);

impl TryFrom<String> for States {
    type Error = String;

    fn try_from(text: String) -> Result<States, String> {
        JobState::listed(&text).map(States).map_err(|why| format!("state: {why}"))
    }
}

/// So many as are asked for, within what may be.
pub(super) fn limit(asked: Option<usize>) -> Result<usize, Fault> {
    let most = asked.unwrap_or(LIST_DEFAULT);
    if (1..=LIST_MAX).contains(&most) {
        return Ok(most);
    }
    Err(Fault::bad(format!("limit: {most} is not between 1 and {LIST_MAX}")))
}

/// Whose jobs are meant: users see their own only.
pub(super) fn whose(caller: &Caller, user: Option<String>) -> Result<Option<String>, Fault> {
    match (only(caller), user) {
        (Some(own), Some(user)) if user != own => Err(Fault::forbidden("users see their own jobs only")),
        (Some(own), _) => Ok(Some(own.to_owned())),
        (None, user) => Ok(user),
    }
}

/// A name that may be looked for.
pub(super) fn name(asked: Option<String>) -> Result<Option<String>, Fault> {
    match asked {
        Some(name) if name.len() > NAME_MAX => {
            Err(Fault::bad(format!("name: it is longer than {NAME_MAX} bytes")))
        }
        asked => Ok(asked),
    }
}

async fn list(
    State(app): State<App>,
    caller: Caller,
    Asked(query): Asked<JobsQuery>,
) -> Result<Json<JobsView>, Fault> {
    let most = limit(query.limit)?;
    let wanted = Wanted {
        before: query.before,
        user: whose(&caller, query.user)?,
        states: query.state.unwrap_or_default().0,
        name: name(query.name)?,
        since: query.since.map(Stamp::time),
        until: None,
        elements: query.array.map_or(Elements::Whole, Elements::Of),
    };
    let asked = wanted.clone();
    // First those that have not ended: a job that ends meanwhile is then seen twice, not never.
    let listed = app.handle.ask(move |known, _| {
        let views = open_views(known, &asked).filter(|view| asked.takes_state(view.state));
        views.take(most + 1).collect::<Vec<_>>()
    });
    let mut jobs = listed.await?;
    if wanted.states.is_empty() || wanted.states.iter().any(|state| state.is_over()) {
        let own = wanted.user.clone();
        let records = app.read(move |register| register.ended_like(&wanted, most + 1)).await?;
        let ended = app.handle.ask(move |known, _| {
            records.iter().map(|record| ended_view(known, record, false)).collect::<Vec<_>>()
        });
        let of_user = |view: &JobView| own.as_ref().is_none_or(|user| view.user == *user);
        jobs.extend(ended.await?.into_iter().filter(of_user));
    }
    // An ended job sorts before what it was.
    jobs.sort_by_key(|job| (std::cmp::Reverse(job.job), !job.state.is_over()));
    jobs.dedup_by_key(|job| job.job);
    let more = jobs.len() > most;
    jobs.truncate(most);
    let next = jobs.last().filter(|_| more).map(|job| job.job);
    Ok(Json(JobsView { jobs, next }))
}

/// What has not ended of what is looked for, in whatever state, newest first: jobs and arrays, or the elements of one array.
fn open_views<'a>(
    known: &'a walras_broker::State,
    wanted: &'a Wanted,
) -> Box<dyn Iterator<Item = JobView> + 'a> {
    let below = JobNumber::new(wanted.before.unwrap_or(u64::MAX));
    let own = move |spec: &JobSpec| wanted.user.as_ref().is_none_or(|user| spec.user == *user);
    let jobs = known.jobs.range(..below).rev().map(|(_, job)| job);
    let jobs = jobs.filter(move |job| job.offered.is_none() && own(&job.spec));
    let jobs = jobs.filter(|job| wanted.takes(&job.spec.request.name, job.queued_at));
    if let Elements::Of(array) = wanted.elements {
        let of_array = jobs.filter(move |job| job.element.is_some_and(|of| of.array.get() == array));
        return Box::new(of_array.map(|job| job_view(known, job, false)));
    }
    let mut jobs = jobs.filter(|job| job.element.is_none()).peekable();
    let arrays = known.arrays.range(..below).rev().map(|(_, array)| array);
    let arrays = arrays.filter(move |array| own(&array.spec));
    let mut arrays =
        arrays.filter(|array| wanted.takes(&array.spec.request.name, array.queued_at)).peekable();
    Box::new(std::iter::from_fn(move || {
        let newer = match (jobs.peek(), arrays.peek()) {
            (Some(job), Some(array)) => array.number > job.number,
            (None, Some(_)) => true,
            (_, None) => false,
        };
        match newer {
            true => arrays.next().map(|array| array_view(known, array)),
            false => jobs.next().map(|job| job_view(known, job, false)),
        }
    }))
}
