//! Results as files: JSON, CSV, and schedules as traces that other tools read.

use super::figures::{quoted, summary};
use super::{Run, Study};
use crate::record::{Fate, Record};
use serde_json::{Value, json};
use std::fmt::Write as _;
use walras_model::Time;
use walras_model::quantity::rounding;

/// The name of the format of [`results_json`].
pub const RESULTS_TAG: &str = "walras.study/1";

/// Everything but the jobs, as JSON.
pub fn results_json(study: &Study, runs: &[Run]) -> serde_json::Result<String> {
    let policies: Vec<String> = study.policies.iter().map(ToString::to_string).collect();
    let summaries = policies.iter().map(|policy| {
        let figures = summary(runs, policy)
            .into_iter()
            .map(|(name, (mean, half_width))| (name, json!({ "mean": mean, "half_width": half_width })));
        json!({ "policy": policy, "figures": figures.collect::<serde_json::Map<String, Value>>() })
    });
    let sites = study.sites.iter().map(|site| {
        json!({
            "name": site.name,
            "nodes": site.nodes,
            "speed": site.speed.as_millionths() as f64 / 1e6,
            "price": site.price.as_micros_per_second() as f64 / 1e6,
        })
    });
    let runs_json = runs.iter().map(|run| {
        Ok(json!({ "policy": run.policy, "seed": run.seed, "metrics": serde_json::to_value(&run.metrics)? }))
    });
    let results = json!({
        "schema": RESULTS_TAG,
        "input": study.input,
        "jobs": study.jobs.len(),
        "sites": sites.collect::<Vec<_>>(),
        "seeds": study.seeds,
        "summary": summaries.collect::<Vec<_>>(),
        "runs": runs_json.collect::<serde_json::Result<Vec<_>>>()?,
    });
    Ok(serde_json::to_string_pretty(&results)? + "\n")
}

fn seconds(millis: i64) -> String {
    if millis % 1_000 == 0 { (millis / 1_000).to_string() } else { format!("{}", millis as f64 / 1_000.0) }
}

/// A schedule as it is written: one line for every job, as a table and as a trace in the Standard Workload Format, in which
/// sites are partitions, from 1 on.
#[derive(Clone, Copy, Debug)]
pub struct Schedule<'a> {
    study: &'a Study,
    policy: usize,
}

impl<'a> Schedule<'a> {
    /// Of a policy, by its place.
    pub fn new(study: &'a Study, policy: usize) -> Schedule<'a> {
        Schedule { study, policy }
    }

    /// What both begin with: the table, and the trace.
    pub fn heads(&self) -> (String, String) {
        let table =
            "number,user,submit,nodes,run,estimate,budget,deadline,fate,site,promised,start,end,cost\n";
        let nodes: u64 = self.study.sites.iter().map(|site| u64::from(site.nodes)).sum();
        let jobs = self.study.jobs.len();
        let mut trace = format!(
            "; Version: 2.2\n; Computer: simulated by Walras\n; MaxJobs: {jobs}\n; MaxNodes: {nodes}\n"
        );
        if let Some(policy) = self.study.policies.get(self.policy) {
            let _ = writeln!(trace, "; Note: policy {policy}");
        }
        for (site, place) in self.study.sites.iter().zip(1..) {
            let _ = writeln!(trace, "; Partition: {place} {}", site.name);
        }
        (table.to_owned(), trace)
    }

    /// A job in the table.
    pub fn row(&self, record: &Record) -> String {
        let job = &record.job;
        let money = |money: walras_model::Money| money.as_micros() as f64 / 1e6;
        let optional = |time: Option<Time>| time.map(|time| seconds(time.as_millis())).unwrap_or_default();
        let site = record.ran.and_then(|ran| self.study.sites.get(ran.site as usize));
        format!(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
            job.number,
            job.user.map(|user| user.to_string()).unwrap_or_default(),
            seconds(job.submit.as_millis()),
            job.nodes,
            seconds(job.run.as_millis()),
            seconds(job.estimate.as_millis()),
            job.budget.map(|budget| money(budget).to_string()).unwrap_or_default(),
            optional(job.deadline),
            record.fate.name(),
            site.map(|site| quoted(&site.name)).unwrap_or_default(),
            optional(record.promised),
            optional(record.ran.map(|ran| ran.start)),
            optional(record.ran.map(|ran| ran.end)),
            record.ran.map(|ran| money(ran.cost).to_string()).unwrap_or_default(),
        )
    }

    /// A job in the trace, in whole seconds, as the format wants them: moments are rounded down, and what ran did for at least one.
    pub fn line(&self, record: &Record) -> String {
        let job = &record.job;
        let whole = |time: Time| time.as_millis().div_euclid(1_000);
        let (wait, ran) = record.ran.map_or((-1, -1), |ran| {
            (whole(ran.start) - whole(job.submit), (whole(ran.end) - whole(ran.start)).max(1))
        });
        let status = match record.fate {
            Fate::Done => 1,
            Fate::Killed => 0,
            Fate::TooWide | Fate::TooDear | Fate::GivenUp | Fate::LeftOver => 5,
        };
        format!(
            "{} {} {} {} {} -1 -1 {} {} -1 {status} {} -1 -1 -1 {} -1 -1\n",
            job.number,
            whole(job.submit),
            wait,
            ran,
            record.ran.map_or(-1, |_| i64::from(job.nodes)),
            job.nodes,
            rounding::up(job.estimate.as_millis().into(), 1_000),
            job.user.unwrap_or(-1),
            record.ran.map_or(-1, |ran| i64::from(ran.site) + 1),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Ran, Site};
    use crate::study::{Keeper, Listener, Progress, Study, compare, runs_csv, timing_csv};
    use crate::trace::read_swf;
    use crate::workload::{Jobs, Model, SwfJobs, Synthetic};
    use std::sync::Mutex;
    use walras_model::Span;

    /// Keeps all records, by policy.
    struct Records(Vec<Mutex<Vec<Record>>>);

    struct Kept<'a>(&'a Mutex<Vec<Record>>);

    impl Listener for Records {
        fn over(&self, _: Progress<'_>) {}

        fn keeper(&self, policy: usize) -> Option<Box<dyn Keeper + '_>> {
            Some(Box::new(Kept(&self.0[policy])))
        }
    }

    impl Keeper for Kept<'_> {
        fn keep(&mut self, record: &Record) {
            self.0.lock().unwrap().push(*record);
        }

        fn finish(self: Box<Self>) -> Result<(), String> {
            Ok(())
        }
    }

    fn study() -> (Study, Vec<Run>, Vec<Record>) {
        let jobs: Vec<_> = Synthetic::new(Model { nodes: 8, ..Model::default() }, 1).take(60).collect();
        let policies = ["easy", "mct:queue=fcfs,speeds=ignored"].map(|text| text.parse().unwrap());
        let mut study = Study::new(Jobs::held(jobs), vec![Site::plain("one", 8)], policies.to_vec());
        study.timetable = Some(study.middle_days());
        let records = Records(vec![Mutex::default(), Mutex::default()]);
        let runs = compare(&study, 2, &records).unwrap();
        let first = records.0.into_iter().next().unwrap().into_inner().unwrap();
        (study, runs, first)
    }

    #[test]
    fn a_schedule_can_be_read_as_a_trace() {
        let (study, runs, records) = study();
        assert!(records.iter().map(|record| record.job).eq(study.jobs.iter()));
        let schedule = Schedule::new(&study, 0);
        let text = schedule.heads().1 + &records.iter().map(|it| schedule.line(it)).collect::<String>();
        let trace = read_swf(text.as_bytes());
        assert_eq!((trace.jobs.len(), trace.bad_lines.len()), (60, 0));
        let apart = |read: Option<Span>, exact: Option<Span>| {
            read.zip(exact).is_some_and(|(read, exact)| (read.as_millis() - exact.as_millis()).abs() <= 1_000)
        };
        assert!(trace.jobs.iter().zip(&records).all(|(job, it)| apart(job.wait, it.wait())));
        assert!(text.lines().filter(|line| !line.starts_with(';')).all(|line| !line.contains('.')));
        let again: Vec<_> = SwfJobs::new(text.as_bytes()).collect();
        assert!(
            again
                .iter()
                .zip(study.jobs.iter())
                .all(|(read, job)| apart(Some(read.lasts()), Some(job.lasts())))
        );
        // What pictures are drawn of says the same.
        let sketch = runs[0].sketch.as_ref().unwrap();
        assert!((sketch.waits.mean() - runs[0].metrics.wait.mean).abs() < 1e-9);
        let (from, until) = study.middle_days();
        let within = |it: &Ran| it.start.as_millis() < until && it.end.as_millis() > from;
        let shown = records.iter().filter_map(|record| record.ran).filter(within);
        assert!(shown.clone().count() > 0 && shown.count() == sketch.shown.len());
    }

    #[test]
    fn tables_have_a_line_each() {
        let (study, runs, records) = study();
        let schedule = Schedule::new(&study, 0);
        let columns = |line: &str| line.trim_end().split(',').count();
        assert!(records.iter().all(|it| columns(&schedule.row(it)) == columns(&schedule.heads().0)));
        let table = runs_csv(&runs);
        assert_eq!(table.lines().count(), 3);
        assert!(table.contains("\"mct:queue=fcfs,speeds=ignored\",1,60,"));
        assert!(table.lines().next().unwrap().ends_with("not_served,income_of_one"));
        assert!(timing_csv(&runs).lines().all(|line| line.split(',').count() >= 7));
        let json: Value = serde_json::from_str(&results_json(&study, &runs).unwrap()).unwrap();
        assert_eq!((json["schema"].as_str(), json["runs"].as_array().unwrap().len()), (Some(RESULTS_TAG), 2));
        assert!(json["summary"][0]["figures"]["income of one"]["mean"].as_f64() > Some(0.0));
    }
}
