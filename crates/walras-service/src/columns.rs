//! Numbers and times between this program and SQLite, which keeps nothing but whole numbers with a sign.
//!
//! What is out of range is an error, and never taken for another value.

use rusqlite::{Error, Row};
use walras_model::Time;

/// A number as it is kept.
pub(crate) fn signed(number: u64) -> Result<i64, Error> {
    i64::try_from(number).map_err(|error| Error::ToSqlConversionFailure(Box::new(error)))
}

/// A number as it was kept.
pub(crate) fn number(row: &Row<'_>, column: usize) -> Result<u64, Error> {
    let kept: i64 = row.get(column)?;
    u64::try_from(kept).map_err(|_| Error::IntegralValueOutOfRange(column, kept))
}

/// The same of one that may be missing.
pub(crate) fn number_if_any(row: &Row<'_>, column: usize) -> Result<Option<u64>, Error> {
    let kept: Option<i64> = row.get(column)?;
    kept.map(|_| number(row, column)).transpose()
}

/// A moment as it was kept.
pub(crate) fn time(row: &Row<'_>, column: usize) -> Result<Time, Error> {
    let kept: i64 = row.get(column)?;
    Time::from_millis(kept).ok_or(Error::IntegralValueOutOfRange(column, kept))
}

/// The same of one that may be missing.
pub(crate) fn time_if_any(row: &Row<'_>, column: usize) -> Result<Option<Time>, Error> {
    let kept: Option<i64> = row.get(column)?;
    kept.map(|_| time(row, column)).transpose()
}

/// At most so many rows; more than can be counted is no limit.
pub(crate) fn limit(most: usize) -> i64 {
    i64::try_from(most).unwrap_or(i64::MAX)
}

/// A number that is looked for, or looked up to. None that was given is as large as the end of the range: what is beyond it is
/// found as little, and all are below both.
pub(crate) fn sought(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    #[test]
    fn what_is_out_of_range_is_an_error() {
        let connection = Connection::open_in_memory().unwrap();
        let text = "SELECT -1, 9223372036854775807, NULL, 7";
        let read = |row: &Row<'_>| {
            assert_eq!(number(row, 0), Err(Error::IntegralValueOutOfRange(0, -1)));
            assert_eq!(number_if_any(row, 0), Err(Error::IntegralValueOutOfRange(0, -1)));
            assert_eq!(time(row, 1), Err(Error::IntegralValueOutOfRange(1, i64::MAX)));
            assert_eq!(time_if_any(row, 1), Err(Error::IntegralValueOutOfRange(1, i64::MAX)));
            assert_eq!((number_if_any(row, 2), time_if_any(row, 2)), (Ok(None), Ok(None)));
            assert_eq!((number(row, 3), time(row, 3)), (Ok(7), Ok(Time::from_millis(7).unwrap())));
            Ok(())
        };
        connection.query_row(text, [], read).unwrap();
        assert!(signed(u64::MAX).is_err());
    }
}
