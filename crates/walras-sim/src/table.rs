//! Tables that people write: CSV with a line of names first.
//!
//! Names are read whatever their case, and columns that nobody asks for are passed over, so that a provider's price list can
//! be read as it is. Cells may be quoted. Lines that are empty or begin with `#` say nothing.
//!
//! ```
//! use walras_sim::table::Table;
//! let mut table = Table::new("Name, Note,Nodes\n# few\na,\"x, y\",3\n".as_bytes());
//! let row = table.next_row().unwrap().unwrap();
//! assert_eq!((row.line, row.text("name"), row.text("note")), (3, Some("a"), Some("x, y")));
//! assert_eq!(row.decimal("nodes", 0), Ok(Some(3)));
//! assert!(table.next_row().unwrap().is_none());
//! ```

use crate::lines::Lines;
use crate::trace::BadLine;
use std::io::BufRead;
use walras_model::Decimal;

/// A table, read row by row.
pub struct Table<R> {
    lines: Lines<R>,
    names: Option<Vec<String>>,
}

/// A row with the names of its cells.
pub struct Row<'a> {
    /// Its line in the file, from 1 on.
    pub line: u32,
    names: &'a [String],
    cells: Vec<String>,
}

impl<R: BufRead> Table<R> {
    /// A table that is not packed; see [`crate::workload::plain`].
    pub fn new(reader: R) -> Table<R> {
        Table { lines: Lines::new(reader), names: None }
    }

    /// The next row; `None` after the last.
    pub fn next_row(&mut self) -> Result<Option<Row<'_>>, BadLine> {
        if self.names.is_none() {
            self.names = self.next_cells()?.map(|(_, names)| names);
        }
        let next = self.next_cells()?;
        let row = |(line, cells)| Some(Row { line, names: self.names.as_deref()?, cells });
        Ok(next.and_then(row))
    }

    /// The cells of the next line that says something, and its number.
    fn next_cells(&mut self) -> Result<Option<(u32, Vec<String>)>, BadLine> {
        while let Some((line, bytes)) = self.lines.next() {
            let wrong = |problem: &str| BadLine { line, problem: problem.to_owned() };
            let text = std::str::from_utf8(bytes).map_err(|_| wrong("is not UTF-8 text"))?;
            let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let cells = cells(text).ok_or_else(|| wrong("a quotation mark is not closed"))?;
            return Ok(Some((line, cells)));
        }
        let line = self.lines.number();
        let fault = self.lines.fault().map(|fault| format!("cannot be read: {fault}"));
        fault.map_or(Ok(None), |problem| Err(BadLine { line, problem }))
    }
}

impl Row<'_> {
    /// What is in a column; `None` where there is no such column, or nothing in it.
    pub fn text(&self, name: &str) -> Option<&str> {
        let place = self.names.iter().position(|it| it.eq_ignore_ascii_case(name))?;
        self.cells.get(place).map(String::as_str).filter(|cell| !cell.is_empty())
    }

    /// Whether one of some columns is there, with something in it or not.
    pub fn knows(&self, names: &[&str]) -> bool {
        self.names.iter().any(|it| names.iter().any(|name| it.eq_ignore_ascii_case(name)))
    }

    /// What is in the first of some columns that has something.
    pub fn any(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.text(name))
    }

    /// What must be in one of some columns.
    pub fn need(&self, names: &[&str]) -> Result<&str, BadLine> {
        self.any(names)
            .ok_or_else(|| self.wrong(format!("has nothing in a column '{}'", names.join("' or '"))))
    }

    /// A number in a column, times ten to the `places` and rounded to that; `None` where there is none.
    pub fn decimal(&self, name: &str, places: u32) -> Result<Option<i64>, BadLine> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let read = Decimal::plain(text).ok().and_then(|read| read.rounded(places));
        let read = read.and_then(|units| i64::try_from(units).ok());
        read.map(Some).ok_or_else(|| self.wrong(format!("{name}: '{}' is not a plain number", shown(text))))
    }

    /// Something is wrong with this row.
    pub fn wrong(&self, problem: impl Into<String>) -> BadLine {
        BadLine { line: self.line, problem: problem.into() }
    }
}

/// The beginning of a cell, with nothing in it that a terminal would obey.
pub(crate) fn shown(text: &str) -> String {
    text.chars().take(40).flat_map(char::escape_debug).collect()
}

/// The cells of a line; `None` where a quotation is not closed.
fn cells(line: &str) -> Option<Vec<String>> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            // Two in a quotation are one.
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cells.last_mut()?.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            _ => cells.last_mut()?.push(letter),
        }
    }
    let trimmed = |cell: String| cell.trim().to_owned();
    (!quoted).then(|| cells.into_iter().map(trimmed).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_may_be_quoted() {
        assert_eq!(cells("a, \"b,\"\"c\"\"\" ,,d").unwrap(), ["a", "b,\"c\"", "", "d"]);
        assert_eq!(cells("a,\"b"), None);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let error = |text: &str, act: fn(Row<'_>) -> Result<(), BadLine>| {
            let mut table = Table::new(text.as_bytes());
            table.next_row().and_then(|row| row.map_or(Ok(()), act)).unwrap_err().to_string()
        };
        let number = |row: Row<'_>| row.decimal("price", 3).map(|_| ());
        assert_eq!(
            error("name,price\n\na,x\u{7}\n", number),
            "line 3: price: 'x\\u{7}' is not a plain number"
        );
        let name = |row: Row<'_>| row.need(&["name", "type"]).map(|_| ());
        assert_eq!(error("price\n1\n", name), "line 2: has nothing in a column 'name' or 'type'");
        assert_eq!(error("a,\"b\n", name), "line 1: a quotation mark is not closed");
    }
}
