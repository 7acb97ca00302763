//! Choices: `walras: choices/1`, the input of `walras preferences learn`.

use crate::decode::Document;
use crate::error::{Problem, ReadError, Within};
use crate::input::{SCENARIO_BYTES_MAX, Syntax};
use crate::number::Number;
use crate::scenario::{List, Object, objects, present};
use serde::Deserialize;
use std::collections::BTreeSet;
use walras_core::prefer::{Choice, Criterion};

/// What a file of choices must call itself: the value of its key `walras`.
pub const CHOICES_TAG: &str = "choices/1";

/// What somebody chose, and by which criteria it is to be explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    /// The criteria, in the order of every alternative's values.
    pub criteria: Vec<Criterion>,
    /// The choices in the order of the file; values in millionths of whatever the file writes them in.
    pub choices: Vec<Choice>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "choices")]
struct ChoicesFile {
    walras: String,
    criteria: List<String>,
    #[serde(deserialize_with = "objects")]
    choices: List<ChoiceEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "choice")]
struct ChoiceEntry {
    alternatives: List<List<Number>>,
    #[serde(default, deserialize_with = "present")]
    picked: Option<usize>,
    #[serde(default, deserialize_with = "present")]
    ranked: Option<List<usize>>,
}

/// Reads choices. `source` is the file's name, for errors.
pub fn read_choices(bytes: &[u8], source: &str, syntax: Syntax) -> Result<Choices, ReadError> {
    let document = Document::new(bytes, source, syntax, ("walras", CHOICES_TAG), SCENARIO_BYTES_MAX)?;
    let Object(file) = document.decode::<Object<ChoicesFile>>()?;
    if file.walras != CHOICES_TAG {
        document.check_tag()?;
    }
    convert(file).map_err(|problem| document.value_error(&problem))
}

fn convert(file: ChoicesFile) -> Result<Choices, Problem> {
    let criteria = criteria(&file.criteria.0).in_field("criteria")?;
    let choices = file.choices.0.iter().enumerate();
    let choices = choices.map(|(index, entry)| choice(entry, criteria.len()).in_item(index));
    let choices: Vec<Choice> = choices.collect::<Result<_, _>>().in_field("choices")?;
    if choices.is_empty() {
        return Err(Problem::new("[]", "is an empty list: there must be at least one choice"))
            .in_field("choices");
    }
    Ok(Choices { criteria, choices })
}

fn criteria(names: &[String]) -> Result<Vec<Criterion>, Problem> {
    if names.is_empty() {
        return Err(Problem::new("[]", "is an empty list: there must be at least one criterion"));
    }
    let mut seen = BTreeSet::new();
    let mut criteria = Vec::with_capacity(names.len());
    for (index, name) in names.iter().enumerate() {
        let unknown = |_| Problem::new(name, format!("is not a criterion: expected {}", Criterion::names()));
        let criterion: Criterion = name.parse().map_err(unknown).in_item(index)?;
        if !seen.insert(criterion.clone()) {
            return Err(Problem::new(name, "is listed twice")).in_item(index);
        }
        criteria.push(criterion);
    }
    Ok(criteria)
}

fn choice(entry: &ChoiceEntry, width: usize) -> Result<Choice, Problem> {
    let rows = entry.alternatives.0.iter().enumerate();
    let rows = rows.map(|(index, row)| values(&row.0, width).in_item(index));
    let alternatives: Vec<Vec<i64>> = rows.collect::<Result<_, _>>().in_field("alternatives")?;
    let better = match (entry.picked, &entry.ranked) {
        (Some(picked), None) => picks(picked, alternatives.len()).in_field("picked")?,
        (None, Some(ranked)) => ranks(&ranked.0, alternatives.len()).in_field("ranked")?,
        _ => return Err(Problem::new("a choice", "must have exactly one of `picked` and `ranked`")),
    };
    Ok(Choice { alternatives, better })
}

/// The decimals of a value that are kept.
const DECIMALS: u32 = 6;

fn values(row: &[Number], width: usize) -> Result<Vec<i64>, Problem> {
    if row.len() != width {
        let what = format!("values where the criteria are {width}: there must be one for each");
        return Err(Problem::new(&row.len().to_string(), what));
    }
    let value = |(index, number): (usize, &Number)| {
        let units = number.rounded(DECIMALS);
        let wrong =
            || Problem::new(&number.to_string(), "is not a number that can be compared: it is too large");
        units.ok_or_else(wrong).in_item(index)
    };
    row.iter().enumerate().map(value).collect()
}

fn there(place: usize, count: usize) -> Result<(), Problem> {
    if place < count {
        return Ok(());
    }
    Err(Problem::new(
        &place.to_string(),
        format!("is not the place of an alternative: there are {count}, from 0"),
    ))
}

fn picks(picked: usize, count: usize) -> Result<Vec<(usize, usize)>, Problem> {
    there(picked, count)?;
    Ok((0..count).filter(|other| *other != picked).map(|other| (picked, other)).collect())
}

fn ranks(ranked: &[usize], count: usize) -> Result<Vec<(usize, usize)>, Problem> {
    let mut seen = BTreeSet::new();
    for (index, place) in ranked.iter().enumerate() {
        there(*place, count).in_item(index)?;
        if !seen.insert(place) {
            return Err(Problem::new(&place.to_string(), "is ranked twice")).in_item(index);
        }
    }
    Ok(ranked.windows(2).map(|pair| (pair[0], pair[1])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Choices, String> {
        read_choices(text.as_bytes(), "c.yaml", Syntax::Yaml).map_err(|error| error.to_string())
    }

    #[test]
    fn picks_and_ranks_are_preferences() {
        let text = "walras: choices/1\ncriteria: [cost, finish]\nchoices:\n  - {alternatives: [[1, 2.5], [3, 4]], picked: 1}\n  - {alternatives: [[1, 2], [3, 4], [5, 6]], ranked: [2, 0, 1]}\n";
        let choices = read(text).unwrap();
        assert_eq!(choices.criteria, [Criterion::Cost, Criterion::Finish]);
        assert_eq!(choices.choices[0].alternatives[0], [1_000_000, 2_500_000]);
        assert_eq!(choices.choices[0].better, [(1, 0)]);
        assert_eq!(choices.choices[1].better, [(2, 0), (0, 1)]);
    }

    #[test]
    fn mistakes_are_named_with_their_places() {
        let file = |criteria: &str, choice: &str| {
            read(&format!("walras: choices/1\ncriteria: {criteria}\nchoices: [{choice}]\n")).unwrap_err()
        };
        let errors = [
            file("[cost, colour]", "{alternatives: [[1, 2]], picked: 0}"),
            file("[cost, cost]", "{alternatives: [[1, 2]], picked: 0}"),
            file("[]", "{alternatives: [[]], picked: 0}"),
            file("[cost]", "{alternatives: [[1, 2]], picked: 0}"),
            file("[cost]", "{alternatives: [[1], [2]], picked: 2}"),
            file("[cost]", "{alternatives: [[1], [2]], ranked: [0, 0]}"),
            file("[cost]", "{alternatives: [[1], [2]]}"),
            file("[cost]", "{alternatives: [[1], [many]], picked: 0}"),
            file("[cost]", ""),
        ];
        insta::assert_snapshot!(errors.join("\n"), @r#"
        c.yaml:2:18: criteria[1]: colour is not a criterion: expected guaranteed-start, start, finish, likely-finish, finish-deviation, finish-max, finish-error, cost, wait, speed, memory, energy, spare-time, income, load, less:ATTRIBUTE or more:ATTRIBUTE
        c.yaml:2:18: criteria[1]: cost is listed twice
        c.yaml:2:11: criteria: [] is an empty list: there must be at least one criterion
        c.yaml:3:27: choices[0].alternatives[0]: 2 values where the criteria are 1: there must be one for each
        c.yaml:3:46: choices[0].picked: 2 is not the place of an alternative: there are 2, from 0
        c.yaml:3:50: choices[0].ranked[1]: 0 is ranked twice
        c.yaml:3:11: choices[0]: a choice must have exactly one of `picked` and `ranked`
        c.yaml:3:33: choices[0].alternatives[1][0]: found "many", expected a number
        c.yaml:3:10: choices: [] is an empty list: there must be at least one choice
        "#);
    }
}
