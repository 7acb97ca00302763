//! What client commands share: printing answers, reading files and amounts.

use super::http::Answer;
use super::settings::Connect;
use super::show;
use crate::failure::Failure;
use crate::files;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;
use walras_api::Syntax;
use walras_api::service::{JOB_BYTES_MAX, read_object};
use walras_model::Decimal;

/// Prints an answer: as it is, or for people.
pub(super) fn say<T: DeserializeOwned>(
    connect: &Connect,
    answer: &Answer,
    for_people: impl FnOnce(&T) -> String,
) -> Result<(), Failure> {
    if connect.json {
        return say_json(answer);
    }
    files::print(&for_people(&answer.view()?))
}

/// Prints an answer as it is.
pub(super) fn say_json(answer: &Answer) -> Result<(), Failure> {
    files::print(&show::pretty(&answer.text))
}

/// A map from a YAML or JSON file.
pub(super) fn read_value(file: &Path) -> Result<Value, Failure> {
    let syntax = Syntax::of_path(file).map_err(Failure::input)?;
    let bytes = files::read(file, JOB_BYTES_MAX)?;
    read_object(&bytes, &file.display().to_string(), syntax).map_err(Failure::input)
}

/// An amount of money as an argument: a decimal, which goes to the service by its digits.
pub(super) fn amount(text: &str) -> Result<String, String> {
    let wrong = |_| format!("'{text}' is not an amount: expected a number such as 40 or 12.5");
    Decimal::plain(text).map(|decimal| decimal.to_string()).map_err(wrong)
}
