//! Jobs as we write them ourselves: YAML (of which JSON is a part).
//!
//! ```
//! let text = "jobs: [{submit: 0, nodes: 2, run: 60}, {submit: 5, nodes: 1, run: 30, estimate: 120, user: 7}]";
//! let jobs = walras_sim::workload::read_jobs(text).unwrap();
//! assert_eq!((jobs.len(), jobs[0].estimate.as_millis(), jobs[1].user), (2, 60_000, Some(7)));
//! ```

use super::Job;
use crate::config::{Config, ConfigError, read_config};
use serde::{Deserialize, Serialize};
use walras_model::{Money, Span, Time};

/// Longer than every time of a file, in seconds.
const SECONDS_MAX: f64 = 1e10;

/// A file of jobs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    jobs: Vec<Row>,
}

/// A job; times in seconds, money in credits.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    submit: f64,
    nodes: u32,
    run: f64,
    #[serde(default)]
    estimate: Option<f64>,
    #[serde(default)]
    user: Option<i64>,
    #[serde(default)]
    budget: Option<f64>,
    #[serde(default)]
    deadline: Option<f64>,
}

impl Config for File {
    fn check(&self) -> Result<(), ConfigError> {
        for (place, row) in self.jobs.iter().enumerate() {
            let wrong =
                |name: &str, problem: &str| ConfigError::new(&format!("jobs[{place}].{name}"), problem);
            if row.nodes == 0 {
                return Err(wrong("nodes", "0 must be at least 1"));
            }
            let times = [("run", Some(row.run), 0.001), ("estimate", row.estimate, 0.001)];
            let moments = [("submit", Some(row.submit), 0.0), ("deadline", row.deadline, 0.0)];
            let money = [("budget", row.budget, 0.0)];
            for (name, value, least) in times.into_iter().chain(moments).chain(money) {
                if value.is_some_and(|value| !(least..=SECONDS_MAX).contains(&value)) {
                    return Err(wrong(name, &format!("must lie within [{least}, {SECONDS_MAX}]")));
                }
            }
        }
        Ok(())
    }
}

/// Reads a file of jobs, in the order of the file.
pub fn read_jobs(text: &str) -> Result<Vec<Job>, ConfigError> {
    let file: File = read_config(text)?;
    let jobs = file.jobs.iter().zip(1_u64..).map(|(row, number)| {
        let span = |seconds: f64| Span::from_millis(thousandths(seconds).max(1));
        let run = span(row.run)?;
        Some(Job {
            number,
            submit: Time::from_millis(thousandths(row.submit))?,
            nodes: row.nodes,
            run,
            estimate: row.estimate.map_or(Some(run), span)?,
            user: row.user,
            budget: row.budget.map(|credits| Money::from_micros(1_000 * thousandths(credits))),
            deadline: row.deadline.and_then(|at| Time::from_millis(thousandths(at))),
        })
    });
    jobs.collect::<Option<Vec<Job>>>().ok_or_else(|| ConfigError::new("jobs", "a time is out of range"))
}

#[allow(clippy::cast_possible_truncation, reason = "checked to be below the bound")]
fn thousandths(value: f64) -> i64 {
    (value * 1_000.0).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named() {
        let error = |text: &str| read_jobs(text).unwrap_err().to_string();
        assert_eq!(error("jobs: [{submit: 0, nodes: 0, run: 5}]"), "jobs[0].nodes: 0 must be at least 1");
        assert!(error("jobs: [{submit: 0, nodes: 1, run: 0}]").starts_with("jobs[0].run: must lie within"));
        assert!(error("jobs: [{submit: -1, nodes: 1, run: 5}]").starts_with("jobs[0].submit"));
        assert!(error("jobs: [{submit: 0, nodes: 1}]").contains("run"));
        let jobs = read_jobs("jobs: [{submit: 1.5, nodes: 3, run: 2, budget: 7, deadline: 90}]").unwrap();
        assert_eq!(jobs[0].budget, Some(Money::from_micros(7_000_000)));
        assert_eq!((jobs[0].submit.as_millis(), jobs[0].deadline.unwrap().as_millis()), (1_500, 90_000));
    }
}
