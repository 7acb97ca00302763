//! From bytes to wire types, in either syntax, with one kind of error.
//!
//! The wire types say through serde what a document may look like. When one does not, the deserialiser
//! knows what it found and `serde_path_to_error` where; this module turns both into a [`ReadError`]. A
//! document of another format or version is told so, whatever else is wrong with it.

use crate::error::{ErrorKind, Position, Problem, ReadError, Step, echo, echo_message, path_text};
use crate::input::{Syntax, check_size};
use crate::locate::{Found, locate, position_of_offset};
use serde::de::DeserializeOwned;
use serde_path_to_error::{Deserializer as Tracked, Path, Segment, Track};
use serde_saphyr::options::{AliasLimits, Options};
use serde_saphyr::{MessageFormatter, NonFiniteFloatPolicy, UserMessageFormatter};

/// Collections deeper than this are refused; a scenario needs seven.
const DEPTH_MAX: usize = 32;
/// Events that YAML aliases may replay in all, so that a small file cannot unfold into a huge one.
const ALIAS_EVENTS_MAX: usize = 4_000_000;
/// A file within its size limit cannot hold more nodes and events than this.
const EVENTS_MAX: usize = 64 * 1024 * 1024;

/// The path of a shape error that concerns the whole document.
const WHOLE: &str = "document";

/// A file to be decoded, and what it must call itself.
#[derive(Clone, Copy)]
pub(crate) struct Document<'a> {
    pub(crate) text: &'a str,
    pub(crate) source: &'a str,
    pub(crate) syntax: Syntax,
    /// The key that carries the format and version, and its expected value.
    pub(crate) tag: (&'static str, &'static str),
}

impl<'a> Document<'a> {
    /// `bytes` as text, unless there are too many of them or they are not UTF-8.
    pub(crate) fn new(
        bytes: &'a [u8],
        source: &'a str,
        syntax: Syntax,
        tag: (&'static str, &'static str),
        bytes_max: usize,
    ) -> Result<Document<'a>, ReadError> {
        check_size(bytes, source, bytes_max)?;
        // Some editors put a byte order mark in front of UTF-8; it is no part of the text.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Document { text, source, syntax, tag }),
            Err(error) => {
                let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                let document = Document { text: "", source, syntax, tag };
                let byte = bytes.get(error.valid_up_to()).copied().unwrap_or_default();
                let problem = format!("the byte 0x{byte:02x} is not UTF-8 text");
                Err(document.syntax_error(Some(position_of_offset(&valid, valid.len())), problem))
            }
        }
    }

    /// The document as a `T` of the expected version.
    pub(crate) fn decode<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        self.decode_shape().map_err(|error| self.version_first(error))
    }

    /// The same of a format that is always JSON: a reader of YAML for its types would be compiled for nobody.
    pub(crate) fn decode_always_json<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        self.decode_json().map_err(|error| self.version_first(error))
    }

    /// Only a failure is worth a second look at the version: a success has read it.
    fn version_first(&self, error: ReadError) -> ReadError {
        match error.kind {
            ErrorKind::Shape if !self.says_enough(&error) => self.check_tag().err().unwrap_or(error),
            _ => error,
        }
    }

    /// The document as a `T`, whatever it calls itself.
    pub(crate) fn decode_shape<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        match self.syntax {
            Syntax::Yaml => self.decode_yaml(),
            Syntax::Json => self.decode_json(),
        }
    }

    /// Whether an error is about the version already, or about a document that cannot have one.
    fn says_enough(&self, error: &ReadError) -> bool {
        error.path == self.tag.0 || (error.path == WHOLE && error.value.is_some())
    }

    /// Whether the document calls itself what it should.
    pub(crate) fn check_tag(&self) -> Result<(), ReadError> {
        let (key, expected) = self.tag;
        let found = locate(self.text, self.syntax, &[Step::Key(key.to_owned())]);
        let (path, position, value, problem) = match found {
            Some(found) if found.text == expected => return Ok(()),
            Some(Found { text, position }) => {
                let value = echo(&text);
                let problem = format!("{value} is not a version that is read here: expected {expected}");
                (key.to_owned(), Some(position), Some(value), problem)
            }
            None => {
                let problem = format!("the key `{key}` is missing: expected `{key}: {expected}`");
                (String::new(), None, None, problem)
            }
        };
        let source = self.source.to_owned();
        Err(ReadError { kind: ErrorKind::Version, source, position, path, value, problem })
    }

    /// The error for a value that cannot be used.
    pub(crate) fn value_error(&self, problem: &Problem) -> ReadError {
        let path = problem.path();
        ReadError {
            kind: ErrorKind::Value,
            source: self.source.to_owned(),
            position: locate(self.text, self.syntax, &path).map(|found| found.position),
            path: path_text(&path),
            value: Some(problem.value.clone()),
            problem: format!("{} {}", problem.value, problem.what),
        }
    }

    fn decode_yaml<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        let mut track = Track::new();
        let result = serde_saphyr::with_deserializer_from_str_with_options(
            self.text,
            yaml_options(),
            |deserializer| T::deserialize(Tracked::new(deserializer, &mut track)),
        );
        result.map_err(|error| {
            let position = error.location().and_then(yaml_position);
            match yaml_message(&error) {
                Some(message) => self.shape_error(&track.path(), position, &message),
                None => {
                    let message = UserMessageFormatter.format_message(&error).into_owned();
                    self.syntax_error(position, format!("not valid YAML: {}", echo_message(&message)))
                }
            }
        })
    }

    /// The document as a `T`, whatever it calls itself, of a format that is always JSON.
    pub(crate) fn decode_json<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        let mut track = Track::new();
        let mut deserializer = serde_json::Deserializer::from_str(self.text);
        let value = T::deserialize(Tracked::new(&mut deserializer, &mut track));
        let result = value.and_then(|value| deserializer.end().map(|()| value));
        result.map_err(|error| {
            let position = json_position(&error);
            let message = without_position(&error.to_string());
            if error.is_data() {
                return self.shape_error(&track.path(), position, &message);
            }
            self.syntax_error(position, format!("not valid JSON: {}", echo_message(&message)))
        })
    }

    fn syntax_error(&self, position: Option<Position>, problem: String) -> ReadError {
        ReadError {
            kind: ErrorKind::Syntax,
            source: self.source.to_owned(),
            position,
            path: String::new(),
            value: None,
            problem,
        }
    }

    fn shape_error(&self, path: &Path, position: Option<Position>, message: &str) -> ReadError {
        let path: Vec<Step> = path.iter().filter_map(step).collect();
        let found = locate(self.text, self.syntax, &path);
        let (value, problem) = sentence(message, found.as_ref());
        let at_value = found.map(|found| found.position);
        // The path of a key that does not belong ends at its value; the YAML reader knows the key itself.
        let at_key = self.syntax == Syntax::Yaml && value.is_some() && !problem.starts_with("found ");
        ReadError {
            kind: ErrorKind::Shape,
            source: self.source.to_owned(),
            position: if at_key { position.or(at_value) } else { at_value.or(position) },
            path: if path.is_empty() { WHOLE.to_owned() } else { path_text(&path) },
            value,
            problem,
        }
    }
}

/// How YAML is read: strictly, with room for every scenario within the size limit.
pub(crate) fn yaml_options() -> Options {
    let mut alias_limits = AliasLimits::default();
    alias_limits.max_total_replayed_events = ALIAS_EVENTS_MAX;
    serde_saphyr::options! {
        alias_limits: alias_limits,
        budget: serde_saphyr::budget! {
            max_depth: DEPTH_MAX,
            flow_nesting_limit: DEPTH_MAX,
            max_events: EVENTS_MAX,
            max_nodes: EVENTS_MAX,
            max_aliases: ALIAS_EVENTS_MAX,
            max_merge_keys: ALIAS_EVENTS_MAX,
            // One anchor used by every node is what anchors are for; the replay limit stops the bombs.
            enforce_alias_anchor_ratio: false,
        },
        // `yes` and `on` are text; so are attributes such as `country: no`.
        strict_booleans: true,
        // `.nan` and `.inf` reach the range checks, which name the field.
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        with_snippet: false,
    }
}

/// What serde said about the shape of a YAML document; `None` for mistakes of syntax.
fn yaml_message(error: &serde_saphyr::Error) -> Option<String> {
    use serde_saphyr::Error;
    Some(match error {
        Error::SerdeInvalidType { unexpected, expected, .. }
        | Error::SerdeInvalidValue { unexpected, expected, .. } => {
            format!("invalid type: {unexpected}, expected {expected}")
        }
        Error::SerdeInvalidLength { len, expected, .. } => {
            format!("invalid length {len}, expected {expected}")
        }
        Error::SerdeUnknownField { field, expected, .. }
        | Error::SerdeUnknownVariant { variant: field, expected, .. } => {
            format!("unknown field `{field}`, expected one of {}", expected.join(", "))
        }
        Error::SerdeMissingField { field, .. } => format!("missing field `{field}`"),
        Error::DuplicateMappingKey { key, .. } => {
            format!("duplicate field `{}`", key.as_deref().unwrap_or("?"))
        }
        Error::NullIntoString { .. } => "invalid type: null, expected text".to_owned(),
        Error::Unexpected { expected, .. } => format!("expected {expected}"),
        Error::InvalidBooleanStrict { .. } => "expected true or false".to_owned(),
        Error::Message { .. } | Error::InvalidScalar { .. } => {
            UserMessageFormatter.format_message(error).into_owned()
        }
        Error::AliasError { error, .. } => yaml_message(error)?,
        _ => return None,
    })
}

/// serde's words in ours: the value that was found, and a sentence.
fn sentence(message: &str, found: Option<&Found>) -> (Option<String>, String) {
    for prefix in ["invalid type: ", "invalid value: "] {
        if let Some((found, expected)) =
            after(message, prefix).and_then(|rest| rest.rsplit_once(", expected "))
        {
            let value = echo(plain(found));
            return (Some(value.clone()), format!("found {value}, expected {expected}"));
        }
    }
    if let (Some(expected), Some(found)) = (after(message, "expected "), found) {
        let value = echo(&found.text);
        return (Some(value.clone()), format!("found {value}, expected {expected}"));
    }
    for prefix in ["unknown field `", "unknown variant `"] {
        if let Some((key, expected)) =
            after(message, prefix).and_then(|rest| rest.rsplit_once("`, expected "))
        {
            let key = echo(key);
            let expected = expected.replace('`', "");
            return (Some(key.clone()), format!("`{key}` is not known here: expected {expected}"));
        }
    }
    if let Some(key) = after(message, "missing field `").and_then(|rest| rest.strip_suffix('`')) {
        return (None, format!("the key `{}` is missing", echo(key)));
    }
    if let Some(key) = after(message, "duplicate field `").and_then(|rest| rest.strip_suffix('`')) {
        let key = echo(key);
        return (Some(key.clone()), format!("the key `{key}` is there twice"));
    }
    (None, echo_message(message))
}

/// What serde calls a value, as people do: ``integer `5` `` is 5.
fn plain(found: &str) -> &str {
    let kinds = ["integer `", "floating point `", "boolean `", "character `"];
    let bare = kinds.iter().find_map(|kind| found.strip_prefix(kind)?.strip_suffix('`'));
    match found {
        "unit value" => "null",
        "sequence" => "a list",
        "map" => "a map",
        _ => bare.or_else(|| found.strip_prefix("string ")).unwrap_or(found),
    }
}

fn after<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    text.strip_prefix(prefix)
}

fn step(segment: &Segment) -> Option<Step> {
    match segment {
        Segment::Seq { index } => Some(Step::Index(*index)),
        Segment::Map { key } => Some(Step::Key(key.clone())),
        Segment::Enum { .. } | Segment::Unknown => None,
    }
}

pub(crate) fn yaml_position(location: serde_saphyr::Location) -> Option<Position> {
    position(location.line(), location.column())
}

fn json_position(error: &serde_json::Error) -> Option<Position> {
    position(error.line() as u64, error.column() as u64)
}

/// Lines count from one: line 0 is nowhere.
fn position(line: u64, column: u64) -> Option<Position> {
    let (line, column) = (u32::try_from(line).ok()?, u32::try_from(column).ok()?);
    (line > 0).then_some(Position { line, column: column.max(1) })
}

/// serde_json's message without its own " at line 1 column 2".
fn without_position(message: &str) -> String {
    match message.rsplit_once(" at line ") {
        Some((text, _)) => text.to_owned(),
        None => message.to_owned(),
    }
}
