//! Reports: the files that a reproduction is written to, and the table that people read.
//!
//! [`files`] gives `results.json`, the pictures, and `report.html`, one page that needs nothing else. Nothing is
//! written here: the caller decides where files go.

mod html;
mod table;

pub(crate) use html::{STYLE, escape};
pub use table::{Cells, Group, HEADINGS, cells, disagreements, groups, rows};

use crate::experiment::Reproduction;

/// A file of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// All files of a report.
pub fn files(reproduction: &Reproduction) -> serde_json::Result<Vec<File>> {
    let mut files = vec![File { name: "results.json".into(), text: json(reproduction)? }];
    let picture =
        |picture: &crate::experiment::Picture| File { name: picture.file.clone(), text: picture.svg.clone() };
    files.extend(reproduction.pictures.iter().map(picture));
    files.push(File { name: "report.html".into(), text: html::page(reproduction)? });
    Ok(files)
}

/// The results as they stand in `results.json`.
pub fn json(reproduction: &Reproduction) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(&reproduction.results)? + "\n")
}
