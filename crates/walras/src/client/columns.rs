//! Jobs as a table: which columns, in which order, and so that every line fits the terminal.
//!
//! In a pipe a table is as wide as it has to be. On a terminal of fewer columns times lose their day when it is today, then what says
//! least is left out, and the last column, which says why a job is where it is, is cut.

use super::show::{clean, cut, or_dash, short_time, table_within, time, told};
use walras_api::Num;
use walras_api::service::{ArrayView, JobState, JobView, Stamp};

/// What may be shown of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Column {
    Job,
    Name,
    User,
    State,
    Tasks,
    Queued,
    Start,
    Likely,
    Finish,
    Deadline,
    Price,
    Budget,
    Attempts,
    Sites,
    Why,
}

/// Without a word these are shown; when it is likely to have ended only where that is known of any.
const USUAL: [Column; 10] = [
    Column::Job,
    Column::Name,
    Column::User,
    Column::State,
    Column::Tasks,
    Column::Start,
    Column::Likely,
    Column::Finish,
    Column::Price,
    Column::Why,
];
/// What is left out first where there is too little room.
const SPARED: [Column; 6] =
    [Column::Likely, Column::Tasks, Column::Finish, Column::User, Column::Price, Column::Start];
/// So much room the last column should have.
const WHY_MIN: usize = 24;
/// Names are no longer where there is little room.
const NAME_MAX: usize = 16;

impl Column {
    fn heading(self) -> &'static str {
        match self {
            Column::Job => ">job",
            Column::Name => "name",
            Column::User => "user",
            Column::State => "state",
            Column::Tasks => ">tasks",
            Column::Queued => "queued",
            Column::Start => "start",
            Column::Likely => "likely",
            Column::Finish => "finish",
            Column::Deadline => "deadline",
            Column::Price => ">price",
            Column::Budget => ">budget",
            Column::Attempts => ">attempts",
            Column::Sites => "sites",
            Column::Why => "where, why",
        }
    }

    fn cell(self, job: &JobView, short: bool) -> String {
        let at = |stamp: Stamp| if short { short_time(stamp) } else { time(stamp) };
        let at_or = |stamp: Option<Stamp>| stamp.map_or_else(|| "-".to_owned(), at);
        match self {
            Column::Job => job.id.clone(),
            Column::Name if short => cut(&clean(&job.name), NAME_MAX),
            Column::Name => job.name.clone(),
            Column::User => job.user.clone(),
            Column::State => job.state.text().to_owned(),
            Column::Tasks => match &job.array {
                Some(array) => format!("{}x{}", array.count, job.tasks),
                None => job.tasks.to_string(),
            },
            Column::Queued => at(job.queued_at),
            Column::Start => match (job.start, job.likely_start) {
                (None, Some(likely)) => format!("~{}", at(likely)),
                (start, _) => at_or(start),
            },
            Column::Likely => at_or(job.likely.as_ref().and_then(|likely| likely.finish)),
            Column::Finish => at_or(job.finish),
            Column::Deadline => at_or(job.deadline),
            Column::Price => price(job),
            Column::Budget => or_dash(job.budget.as_ref()),
            Column::Attempts => job.attempts.to_string(),
            Column::Sites => job.sites.join(","),
            Column::Why => where_or_why(job),
        }
    }
}

/// Jobs as a table of these columns, or of the usual ones, on a terminal so wide.
pub(crate) fn jobs_table(jobs: &[JobView], columns: Option<&[Column]>, width: Option<usize>) -> String {
    if jobs.is_empty() {
        return "no jobs\n".to_owned();
    }
    let known = |column: &Column| {
        *column != Column::Likely
            || jobs.iter().any(|job| job.likely.as_ref().is_some_and(|likely| likely.finish.is_some()))
    };
    let mut shown: Vec<Column> = match columns {
        Some(columns) => columns.to_vec(),
        None => USUAL.into_iter().filter(known).collect(),
    };
    let Some(width) = width else { return drawn(jobs, &shown, false, None) };
    let mut spared = SPARED.into_iter();
    let mut short = false;
    while !has_room(jobs, &shown, short, width) {
        match (short, columns) {
            (false, _) => short = true,
            // What somebody asks for stays.
            (true, Some(_)) => break,
            (true, None) => match spared.next() {
                Some(column) => shown.retain(|it| *it != column),
                None => break,
            },
        }
    }
    drawn(jobs, &shown, short, Some(width))
}

/// Whether all lines fit, or the last column can be cut and still says something.
fn has_room(jobs: &[JobView], columns: &[Column], short: bool, width: usize) -> bool {
    let widest = |column: &Column| {
        let title = column.heading().trim_start_matches('>').len();
        jobs.iter().map(|job| column.cell(job, short).chars().count()).chain([title]).max().unwrap_or(0)
    };
    let gaps = 2 * columns.len().saturating_sub(1);
    let widths = columns.iter().map(|column| match column {
        Column::Why => widest(column).min(WHY_MIN),
        _ => widest(column),
    });
    widths.sum::<usize>() + gaps <= width
}

fn drawn(jobs: &[JobView], columns: &[Column], short: bool, width: Option<usize>) -> String {
    let heading: Vec<&str> = columns.iter().map(|column| column.heading()).collect();
    let row = |job: &JobView| columns.iter().map(|column| column.cell(job, short)).collect::<Vec<_>>();
    table_within(&heading, &jobs.iter().map(row).collect::<Vec<_>>(), width)
}

/// What it was charged, or what is held for it, or what it costs at most where it is planned.
pub(crate) fn price(job: &JobView) -> String {
    amount(job).to_string()
}

fn amount(job: &JobView) -> &Num {
    match &job.promise {
        _ if job.state.is_over() => &job.charged,
        Some(promise) if job.state == JobState::Planned => &promise.cost,
        _ => &job.held,
    }
}

/// Where a job is, or why it is nowhere.
pub(crate) fn where_or_why(job: &JobView) -> String {
    let elements = job.array.as_ref().map(elements_text);
    let place = match (&job.why, job.sites.is_empty()) {
        (Some(why), true) => told(why),
        (Some(why), false) => format!("{}: {}", job.sites.join(","), told(why)),
        (None, _) => job.sites.join(","),
    };
    match elements {
        Some(elements) if place.is_empty() => elements,
        Some(elements) => format!("{elements}; {place}"),
        None => place,
    }
}

/// How many elements are where.
pub(crate) fn elements_text(array: &ArrayView) -> String {
    let pending = (array.pending > 0).then(|| format!("{} pending", array.pending));
    let others = array.states.iter().map(|(state, count)| format!("{count} {state}"));
    pending.into_iter().chain(others).collect::<Vec<_>>().join(", ")
}

/// What jobs may be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Order {
    /// The newest first
    Job,
    /// By name
    Name,
    /// By user
    User,
    /// What runs first, then what waits, then what has ended
    State,
    /// What starts or started first
    Start,
    /// What ends or ended first
    Finish,
    /// The dearest first
    Price,
}

/// Sorts jobs that come newest first.
pub(crate) fn sort(jobs: &mut [JobView], order: Order) {
    let late = |stamp: Option<Stamp>| (stamp.is_none(), stamp);
    match order {
        Order::Job => {}
        Order::Name => jobs.sort_by(|one, other| one.name.cmp(&other.name)),
        Order::User => jobs.sort_by(|one, other| one.user.cmp(&other.user)),
        Order::State => jobs.sort_by_key(|job| place_of(job.state)),
        Order::Start => jobs.sort_by_key(|job| late(job.start.or(job.likely_start))),
        Order::Finish => jobs.sort_by_key(|job| late(job.finish)),
        Order::Price => {
            // What is no amount in micro-credits, which the service never says, comes last.
            jobs.sort_by_key(|job| std::cmp::Reverse(amount(job).micros()));
        }
    }
}

fn place_of(state: JobState) -> u8 {
    match state {
        JobState::Running => 0,
        JobState::Reserved => 1,
        JobState::Reserving => 2,
        JobState::Planned => 3,
        JobState::Planning => 4,
        JobState::Queued => 5,
        JobState::Waiting => 6,
        JobState::Held => 7,
        JobState::Failed => 8,
        JobState::GivenUp => 9,
        JobState::Cancelled => 10,
        JobState::Done => 11,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(number: u64, state: &str, name: &str, why: &str) -> JobView {
        let text = format!(
            r#"{{"job":{number},"id":"{number}","name":"{name}","user":"ada","state":"{state}","tasks":2,"workflow":false,
            "queued_at":"2026-11-15T12:00:00Z","start":"2026-11-15T12:30:00Z","finish":"2026-11-15T13:30:00Z",
            "deadline":null,"budget":40,"held":12.5,"charged":{number},"sites":["campus"],"reservation":null,
            "attempts":0,"why":{why},"parts":[]}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    fn jobs() -> Vec<JobView> {
        let why = "\"No window is within the budget: 40 credits are less than the 52.5 of the cheapest, at night.\"";
        vec![
            job(1_000_018, "queued", "a-name-that-is-rather-long", why),
            job(17, "running", "fit", "null"),
            job(16, "done", "best", "null"),
        ]
    }

    #[test]
    fn every_line_fits_the_terminal_and_says_what_matters() {
        for width in [60, 80, 100, 132, 200] {
            let text = jobs_table(&jobs(), None, Some(width));
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}\n{text}");
            assert!(text.contains("1000018") && text.contains("queued"), "{width}\n{text}");
            assert!(text.contains("campus: No window"), "{width}\n{text}");
        }
        assert!(jobs_table(&jobs(), None, None).contains("of the cheapest, at night."));
        assert_eq!(jobs_table(&[], None, Some(80)), "no jobs\n");
    }

    #[test]
    fn columns_are_those_asked_for() {
        let columns = [Column::State, Column::Job, Column::Budget];
        let text = jobs_table(&jobs(), Some(&columns), Some(20));
        assert_eq!(text.lines().next(), Some("state        job  b…"), "{text}");
        assert!(text.contains("running       17"), "{text}");
    }

    #[test]
    fn jobs_are_sorted_by_what_is_asked() {
        let order = |order| {
            let mut jobs = jobs();
            sort(&mut jobs, order);
            jobs.iter().map(|job| job.job).collect::<Vec<_>>()
        };
        assert_eq!(order(Order::Job), [1_000_018, 17, 16]);
        assert_eq!(order(Order::Name), [1_000_018, 16, 17]);
        assert_eq!(order(Order::State), [17, 1_000_018, 16]);
        assert_eq!(order(Order::Price), [16, 1_000_018, 17]);
    }
}
