//! Jobs that have ended, found by what is asked of them: by user, state, name and time, newest first, page by page.
//!
//! **Method.** One question is put together of the conditions that are asked for, so that the indices of the register serve it: a user's
//! whole jobs by number, the elements of an array by number. Rows are walked from the newest on until a page is full.
//!
//! **Complexity.** O(page) where all fit; with a name or a time that few have, O(jobs of that user).

use super::register::{Register, below};
use super::{JournalError, record::Record};
use crate::columns::{limit, sought};
use rusqlite::params_from_iter;
use rusqlite::types::Value;
use walras_api::service::JobState;
use walras_model::Time;

/// Which jobs are looked for; all, without a word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Only those whose numbers are below this.
    pub before: Option<u64>,
    /// Only those of this user.
    pub user: Option<String>,
    /// Only those in one of these states; in any, when there are none.
    pub states: Vec<JobState>,
    /// Only those of this name, in which `*` stands for anything and `?` for one character.
    pub name: Option<String>,
    /// Only those that were submitted then or later.
    pub since: Option<Time>,
    /// Only those that were submitted before.
    pub until: Option<Time>,
    /// Arrays as a whole, the elements of one, or the elements of all.
    pub elements: Elements,
}

/// What is listed of arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Elements {
    /// Each array as one.
    #[default]
    Whole,
    /// The elements of this array.
    Of(u64),
    /// The elements of all, instead of the arrays.
    All,
}

impl Wanted {
    /// Whether a job in this state is looked for.
    pub fn takes_state(&self, state: JobState) -> bool {
        self.states.is_empty() || self.states.contains(&state)
    }

    /// Whether a job of this name, submitted then, is looked for.
    pub fn takes(&self, name: &str, queued_at: Time) -> bool {
        self.name.as_deref().is_none_or(|pattern| is_like(pattern, name))
            && self.since.is_none_or(|since| queued_at >= since)
            && self.until.is_none_or(|until| queued_at < until)
    }

    /// The conditions as text, and the values in their order.
    fn conditions(&self) -> (String, Vec<Value>) {
        let (mut text, mut values) = ("number < ?".to_owned(), vec![Value::from(below(self.before))]);
        match self.elements {
            Elements::Whole => text.push_str(" AND array IS NULL"),
            Elements::Of(array) => {
                text.push_str(" AND array = ?");
                values.push(Value::from(sought(array)));
            }
            Elements::All => text.push_str(" AND json_extract(body, '$.job.array') IS NULL"),
        }
        if let Some(user) = &self.user {
            text.push_str(" AND user = ?");
            values.push(Value::from(user.clone()));
        }
        if !self.states.is_empty() {
            let marks = vec!["?"; self.states.len()].join(", ");
            text.push_str(&format!(" AND state IN ({marks})"));
            values.extend(self.states.iter().map(|state| Value::from(state.text().to_owned())));
        }
        if let Some(name) = &self.name {
            text.push_str(" AND name GLOB ?");
            values.push(Value::from(glob(name)));
        }
        for (condition, time) in [(" AND queued >= ?", self.since), (" AND queued < ?", self.until)] {
            if let Some(time) = time {
                text.push_str(condition);
                values.push(Value::from(time.as_millis()));
            }
        }
        (text, values)
    }
}

/// A name in which only `*` and `?` stand for anything, as SQLite's GLOB has it.
fn glob(name: &str) -> String {
    name.replace('[', "[[]")
}

/// Whether a name is what a pattern says, in which `*` stands for anything and `?` for one character.
///
/// The last `*` that was met is the only one that may have to take more: O(name × pattern) at worst.
fn is_like(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut here, mut star) = (0, 0, None);
    while here < name.len() {
        match (pattern.get(at), star) {
            (Some('*'), _) => {
                star = Some((at, here));
                at += 1;
            }
            (Some(one), _) if *one == '?' || *one == name[here] => (at, here) = (at + 1, here + 1),
            (_, Some((of, from))) => {
                star = Some((of, from + 1));
                (at, here) = (of + 1, from + 1);
            }
            (_, None) => return false,
        }
    }
    pattern[at..].iter().all(|rest| *rest == '*')
}

impl Register {
    /// What is kept of at most so many jobs that have ended and are looked for, newest first.
    pub fn ended_like(&self, wanted: &Wanted, most: usize) -> Result<Vec<Record>, JournalError> {
        let (conditions, mut values) = wanted.conditions();
        values.push(Value::from(limit(most)));
        let text = format!("SELECT body FROM ended WHERE {conditions} ORDER BY number DESC LIMIT ?");
        let bodies: Vec<String> = self.with(|connection| {
            let mut statement = connection.prepare_cached(&text)?;
            let rows = statement.query_map(params_from_iter(values), |row| row.get(0))?;
            rows.collect()
        })?;
        bodies.iter().map(|body| Record::decode(body)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rusqlite::Connection;

    #[test]
    fn a_star_stands_for_anything_and_a_question_mark_for_one_character() {
        for (pattern, name, is) in [
            ("fit", "fit", true),
            ("fit", "fitting", false),
            ("fit*", "fitting", true),
            ("*t*g", "fitting", true),
            ("*", "", true),
            ("", "", true),
            ("a[b]?", "a[b]?", true),
            ("a?", "ab", true),
            ("a?", "a", false),
            ("?", "\u{e4}", true),
            ("*?c", "abc", true),
            ("a[b]", "ab", false),
        ] {
            assert_eq!(is_like(pattern, name), is, "{pattern} {name}");
        }
    }

    proptest! {
        /// What has not ended is matched here, what has ended by SQLite: both must mean the same.
        #[test]
        fn jobs_are_found_alike_wherever_they_are(pattern in "[ab*?\\[]{0,6}", name in "[ab?\\[]{0,6}") {
            let connection = Connection::open_in_memory().unwrap();
            let found: bool = connection
                .query_row("SELECT ?1 GLOB ?2", [&name, &glob(&pattern)], |row| row.get(0))
                .unwrap();
            prop_assert_eq!(found, is_like(&pattern, &name));
        }
    }
}
