//! What a job took that has ended, worked out from what the register keeps of it.

use super::ended::ended_view;
use super::job::used_view;
use crate::journal::record::{Record, v1};
use walras_api::Num;
use walras_api::service::{JobState, PastJobView};
use walras_broker::State;
use walras_broker::used::used_by_all;
use walras_model::{Span, Time};

/// A job that has ended, with what it took. Names are those of today.
pub fn past_view(state: &State, record: &Record) -> PastJobView {
    let view = ended_view(state, record, false);
    let Record::V1(job) = record;
    let took = job.array.as_ref().and_then(|array| array.took.as_ref());
    let used = match took {
        Some(took) => took.used,
        None => used(&job.parts),
    };
    let programs = match took {
        Some(took) => took.programs,
        None => used_by_all(job.parts.iter().map(|part| part.used)),
    };
    let exit_code = took.and_then(|took| took.code).or_else(|| exit_code(view.state, &job.parts));
    let reserved = job.reserved.filter(|reserved| *reserved > Span::ZERO);
    let estimate = used.zip(reserved).and_then(|(used, reserved)| share(used, reserved));
    PastJobView {
        job: view.job,
        id: view.id,
        name: view.name,
        user: view.user,
        state: view.state,
        tasks: view.tasks,
        elements: view.array.map(|array| array.count),
        queued_at: view.queued_at,
        start: view.start,
        finish: job.ended_at.into(),
        wait: job.start.and_then(|start| between(job.queued_at, start)),
        run: job.start.and_then(|start| between(start, job.ended_at)),
        used: used.map(Num::of_span),
        reserved: reserved.map(Num::of_span),
        estimate,
        programs: programs.and_then(used_view),
        charged: view.charged,
        exit_code,
        attempts: view.attempts,
        sites: view.sites,
        why: view.why,
    }
}

fn between(from: Time, to: Time) -> Option<Num> {
    to.span_since(from).map(Num::of_span)
}

/// How long the parts that have ended ran, all together.
fn used(parts: &[v1::Part]) -> Option<Span> {
    let ended = parts.iter().filter(|part| matches!(part.stage, v1::Stage::Ended(_)));
    let millis = ended.map(|part| part.end.as_millis().saturating_sub(part.start.as_millis()).max(0));
    let all: Vec<i64> = millis.collect();
    if all.is_empty() { None } else { Span::from_millis(all.iter().sum()) }
}

fn share(used: Span, reserved: Span) -> Option<Num> {
    let millionths = i128::from(used.as_millis()) * 1_000_000 / i128::from(reserved.as_millis());
    i64::try_from(millionths).ok().map(Num::of_millionths)
}

/// The code of the first part that failed by itself; 0 when all ended well.
fn exit_code(state: JobState, parts: &[v1::Part]) -> Option<i32> {
    let code = |part: &v1::Part| match part.stage {
        v1::Stage::Ended(end) => end.code(),
        v1::Stage::Waiting | v1::Stage::Due | v1::Stage::Running => None,
    };
    parts.iter().find_map(code).or((state == JobState::Done).then_some(0))
}
