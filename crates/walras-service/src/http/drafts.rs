//! Jobs as people write them, read by the reader that the command line uses.

use super::App;
use super::answer::Json;
use super::endpoint::{Endpoint, USERS};
use super::extract::Sent;
use super::fault::Fault;
use crate::described::JsonSchema;
use axum::extract::State;
use axum::routing::post;
use serde::Deserialize;
use serde_json::Value;
use walras_api::service::{DraftView, JobDraft, LeftOutView, ProblemView, Submitter, read_script};
use walras_api::{ReadError, Syntax};
use walras_model::Time;

pub(super) fn endpoints() -> Vec<Endpoint> {
    let summary = "Read a job file or a script without submitting it: the job, or what is wrong and where.";
    vec![
        Endpoint::new::<DraftView>("post", "/v1/drafts", USERS, summary, post(draft))
            .body::<DraftBody>()
            .refuses(&[400, 413, 415]),
    ]
}

/// What somebody wrote.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DraftBody {
    /// A job file in YAML or JSON, or a script that begins with `#!`. Times may count from now.
    text: String,
}

async fn draft(State(app): State<App>, Sent(body): Sent<DraftBody>) -> Result<Json<DraftView>, Fault> {
    let now = app.clock.now();
    let read = tokio::task::spawn_blocking(move || view(&body.text, now));
    read.await.map(Json).map_err(|error| app.broken(&error))
}

/// What comes of a text.
fn view(text: &str, now: Time) -> DraftView {
    let read = if text.starts_with("#!") {
        read_script(text.as_bytes(), "job", &Submitter::in_zone(jiff::tz::TimeZone::UTC), &[])
    } else {
        JobDraft::read(text.as_bytes(), "job", Syntax::Yaml)
    };
    let mut left_out = Vec::new();
    let finished = read.and_then(|draft| {
        let parts = draft.left_out().iter();
        left_out.extend(
            parts.map(|it| LeftOutView { line: it.line.unwrap_or(0), directive: it.directive.clone() }),
        );
        draft.finish(now)
    });
    let (job, problem) = match finished {
        Ok(Value::Object(fields)) => (Some(fields), None),
        Ok(_) => (None, None),
        Err(error) => (None, Some(problem(&error))),
    };
    DraftView { job, problem, left_out }
}

fn problem(error: &ReadError) -> ProblemView {
    ProblemView {
        line: error.position.map(|at| at.line),
        column: error.position.map(|at| at.column),
        field: error.path.clone(),
        text: error.problem.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> DraftView {
        view(text, Time::from_millis(0).unwrap())
    }

    #[test]
    fn a_job_is_read_with_times_from_now() {
        let draft = read("walras: job/1\nname: a\nwork: 5\ndeadline: 2m\n");
        assert_eq!(draft.job.unwrap()["deadline"], "1970-01-01T00:02:00.000Z");
        assert_eq!(draft.problem, None);
    }

    #[test]
    fn a_script_is_read_and_what_is_left_out_is_named() {
        let draft = read("#!/bin/sh\n#SBATCH --time=10 --job-name=a\n#SBATCH --wckey=x\necho\n");
        assert_eq!(draft.job.unwrap()["work"], 600);
        assert_eq!(draft.left_out, [LeftOutView { line: 3, directive: "--wckey=x".to_owned() }]);
        let problem = read("#!/bin/sh\n#SBATCH --time=10\n#SBATCH --signal=USR1\n").problem.unwrap();
        assert_eq!(problem.line, Some(3));
    }

    #[test]
    fn what_is_wrong_has_its_line_and_field() {
        let problem = read("walras: job/1\nname: a\nwork: -3\n").problem.unwrap();
        assert_eq!((problem.line, problem.column, problem.field.as_str()), (Some(3), Some(7), "work"));
        assert!(read("").problem.is_some());
    }
}
