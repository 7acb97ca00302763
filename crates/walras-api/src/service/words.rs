//! What `account`, `partition` and `qos` of a job mean: words that users of batch systems know, by a table of the service.
//!
//! Each may say who may use it, what a job may spend, where it runs and how urgent it is. What several say holds together: sites that all of
//! them name, the least budget, priorities added up.

use super::job::{JobFile, PRIORITY_MAX};
use crate::amount::Amount;
use crate::error::{Problem, ReadError, Within, echo};
use crate::number::Number;
use crate::scenario::List;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The service's table.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BatchWords {
    account: BTreeMap<String, Word>,
    partition: BTreeMap<String, Word>,
    qos: BTreeMap<String, Word>,
}

/// What one of them means.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Word {
    /// Only users of this group may use it.
    group: Option<String>,
    /// The most that a job may cost that has no budget itself, in credits.
    budget: Option<u32>,
    /// Where its jobs run.
    sites: Option<Vec<String>>,
    /// How urgent its jobs are.
    priority: Option<i32>,
}

impl BatchWords {
    /// A job with what its words mean; `group` is its user's.
    pub fn apply(&self, job: JobFile, group: Option<&str>, source: &str) -> Result<JobFile, ReadError> {
        self.applied(job, group).map_err(|problem| problem.into_error(source))
    }

    fn applied(&self, mut job: JobFile, group: Option<&str>) -> Result<JobFile, Problem> {
        let mut priority = 0_i64;
        for (key, table, name) in [
            ("account", &self.account, job.account.take()),
            ("partition", &self.partition, job.partition.take()),
            ("qos", &self.qos, job.qos.take()),
        ] {
            let Some(name) = name else { continue };
            let word = find(table, &name, key, group).in_field(key)?;
            priority += i64::from(word.priority.unwrap_or(0));
            if let Some(budget) = word.budget.map(Amount::whole) {
                // Of what is no amount, the job itself is refused.
                let less = |own: Amount| own.number().rounded(6) <= budget.number().rounded(6);
                if !job.budget.is_some_and(less) {
                    job.budget = Some(budget);
                }
            }
            if let Some(sites) = &word.sites {
                job.sites = Some(List(both(job.sites.take(), sites, &name).in_field(key)?));
            }
        }
        if priority != 0 {
            let own = job.priority.rounded(0).unwrap_or(0);
            let sum = own.saturating_add(priority).clamp(-PRIORITY_MAX, PRIORITY_MAX);
            job.priority = Number::Signed(sum);
        }
        Ok(job)
    }
}

fn find<'a>(
    table: &'a BTreeMap<String, Word>,
    name: &str,
    key: &str,
    group: Option<&str>,
) -> Result<&'a Word, Problem> {
    let may = |word: &Word| word.group.as_deref().is_none_or(|needed| group == Some(needed));
    match table.get(name).filter(|word| may(word)) {
        Some(word) => Ok(word),
        None => {
            let open: Vec<String> =
                table.iter().filter(|(_, word)| may(word)).map(|(name, _)| echo(name)).collect();
            let what = if open.is_empty() {
                format!("is not known here: this service has no {key} for you")
            } else {
                format!("is not known here: expected one of {}", open.join(", "))
            };
            Err(Problem::new(name, what))
        }
    }
}

/// The sites that a job and a word both name.
fn both(own: Option<List<String>>, sites: &[String], name: &str) -> Result<Vec<String>, Problem> {
    let Some(List(own)) = own else { return Ok(sites.to_vec()) };
    let common: Vec<String> = own.into_iter().filter(|site| sites.contains(site)).collect();
    if common.is_empty() {
        let what = format!("has no site of those that the job names: it runs on {}", sites.join(", "));
        return Err(Problem::new(name, what));
    }
    Ok(common)
}

#[cfg(test)]
mod tests {
    use super::super::read_job;
    use super::*;
    use walras_model::{Money, SiteId};

    fn words() -> BatchWords {
        serde_json::from_str(
            r#"{"account": {"physics": {"group": "physics", "budget": 50}, "open": {}},
                "partition": {"gpu": {"sites": ["hall"]}, "any": {"sites": ["hall", "campus"], "priority": -1}},
                "qos": {"high": {"priority": 10}, "low": {"priority": -10, "budget": 5}}}"#,
        )
        .unwrap()
    }

    fn job(more: &str, group: Option<&str>) -> Result<walras_broker::job::JobSpec, String> {
        let text = format!(r#"{{"walras":"job/1","name":"a","work":1{more}}}"#);
        let file = read_job(text.as_bytes(), "body").unwrap();
        let sites = [("campus".to_owned(), SiteId::new(0)), ("hall".to_owned(), SiteId::new(1))].into();
        let file = words().apply(file, group, "body").map_err(|error| error.to_string())?;
        file.into_spec("ada", &sites, "body").map_err(|error| error.to_string())
    }

    #[test]
    fn words_become_budgets_sites_and_priorities() {
        let credits = |credits: i64| Some(Money::from_micros(credits * 1_000_000));
        let found =
            job(r#","account":"physics","partition":"gpu","qos":"high""#, Some("physics")).unwrap().request;
        assert_eq!((found.budget, found.priority), (credits(50), 10));
        assert_eq!(found.scope.sites, Some(vec![SiteId::new(1)]));
        let found = job(r#","budget":20,"account":"physics""#, Some("physics")).unwrap().request;
        assert_eq!(found.budget, credits(20));
        let found = job(r#","budget":200,"account":"physics","qos":"low""#, Some("physics")).unwrap().request;
        assert_eq!(found.budget, credits(5));
        let found =
            job(r#","partition":"any","qos":"high","priority":3,"sites":["campus"]"#, None).unwrap().request;
        assert_eq!((found.priority, found.scope.sites), (12, Some(vec![SiteId::new(0)])));
    }

    #[test]
    fn what_is_not_known_is_refused_with_what_is() {
        let wrong = |more, group| job(more, group).unwrap_err();
        insta::assert_snapshot!(wrong(r#","account":"biology""#, Some("physics")), @"body: account: biology is not known here: expected one of open, physics");
        insta::assert_snapshot!(wrong(r#","account":"physics""#, None), @"body: account: physics is not known here: expected one of open");
        insta::assert_snapshot!(wrong(r#","qos":"""#, None), @"body: qos: '' is not known here: expected one of high, low");
        insta::assert_snapshot!(wrong(r#","partition":"gpu","sites":["campus"]"#, None), @"body: partition: gpu has no site of those that the job names: it runs on hall");
        let none = BatchWords::default();
        let file = read_job(br#"{"walras":"job/1","name":"a","work":1,"qos":"high"}"#, "body").unwrap();
        insta::assert_snapshot!(none.apply(file, None, "body").unwrap_err(), @"body: qos: high is not known here: this service has no qos for you");
    }
}
