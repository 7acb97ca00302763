//! What comes in: which syntax a file is in, and how much of it is read.

use crate::error::{ErrorKind, ReadError};
use std::fmt;
use std::io::{self, Read};
use std::path::Path;

/// Scenario files larger than this are refused: 32 MiB.
pub const SCENARIO_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Plan files larger than this are refused: 512 MiB, enough for the million alternatives that a search may
/// find.
pub const PLAN_BYTES_MAX: usize = 512 * 1024 * 1024;

/// The syntax of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// `.yaml`, `.yml`
    Yaml,
    /// `.json`
    Json,
}

/// A file name whose extension names no syntax.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownExtension {
    /// The file's name.
    pub source: String,
}

impl Syntax {
    /// The syntax that the extension of a file name stands for.
    pub fn of_path(path: &Path) -> Result<Syntax, UnknownExtension> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "yaml" | "yml" => Ok(Syntax::Yaml),
            "json" => Ok(Syntax::Json),
            _ => Err(UnknownExtension { source: path.display().to_string() }),
        }
    }
}

// By hand: `source` is the name of a file here, and not an error that caused this one.
impl fmt::Display for UnknownExtension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: the file name must end in .yaml, .yml or .json", self.source)
    }
}

impl std::error::Error for UnknownExtension {}

/// Reads everything, but never more than `bytes_max` + 1 bytes.
///
/// The outer error is the reader's own; the inner one says that there is more than `bytes_max`.
pub fn read_limited(
    reader: impl Read,
    source: &str,
    bytes_max: usize,
) -> io::Result<Result<Vec<u8>, ReadError>> {
    let mut bytes = Vec::new();
    let take = u64::try_from(bytes_max).unwrap_or(u64::MAX).saturating_add(1);
    reader.take(take).read_to_end(&mut bytes)?;
    Ok(check_size(&bytes, source, bytes_max).map(|()| bytes))
}

/// Refuses input of more than `bytes_max` bytes.
pub(crate) fn check_size(bytes: &[u8], source: &str, bytes_max: usize) -> Result<(), ReadError> {
    if bytes.len() <= bytes_max {
        return Ok(());
    }
    let megabytes = bytes_max / (1024 * 1024);
    let value = format!("more than {bytes_max} bytes");
    Err(ReadError {
        kind: ErrorKind::TooLarge,
        source: source.to_owned(),
        position: None,
        path: String::new(),
        problem: format!("{value} is too much: at most {megabytes} MiB are read"),
        value: Some(value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_decide() {
        assert_eq!(Syntax::of_path(Path::new("a/b.YAML")), Ok(Syntax::Yaml));
        assert_eq!(Syntax::of_path(Path::new("b.yml")), Ok(Syntax::Yaml));
        assert_eq!(Syntax::of_path(Path::new("b.json")), Ok(Syntax::Json));
        let error = Syntax::of_path(Path::new("b.toml")).unwrap_err();
        assert_eq!(error.to_string(), "b.toml: the file name must end in .yaml, .yml or .json");
    }

    #[test]
    fn no_more_is_read_than_needed() {
        let mut endless = io::repeat(b'x');
        let error = read_limited(&mut endless, "endless.yaml", 1024 * 1024).unwrap().unwrap_err();
        assert_eq!(
            error.to_string(),
            "endless.yaml: more than 1048576 bytes is too much: at most 1 MiB are read"
        );
        assert_eq!(read_limited(&b"ab"[..], "ab", 2).unwrap().unwrap(), b"ab");
    }
}
