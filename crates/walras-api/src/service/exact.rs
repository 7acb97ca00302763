//! Numbers that a double does not hold, as text beside them.
//!
//! **Problem.** Amounts are whole micro-credits of 64 bits, and JSON carries them with all their digits; most clients read numbers as
//! doubles and lose those beyond the fifteenth. A view that remembers to say its amounts again as text helps; the next one forgets.
//!
//! **Method.** No view does it. An answer is written as it is, and read through once: an object with numbers of more than fifteen digits
//! gets a member `exact`, with their names and texts. A number in a list goes by its place in it, as `hours.3`. What was sent back as it came
//! is understood too ([`understood`]): `exact` is taken out, and a number that is still what a double makes of its text is that text;
//! a number that was changed counts as it stands.
//!
//! **Complexity.** One look at every byte where no number is long; else O(bytes · depth), and objects deeper than `DEPTH_MAX` stay as
//! they are.
//!
//! ```
//! use walras_api::service::exact::{beside, understood};
//! let json = r#"{"balance":12345678901.000001,"held":0.5}"#;
//! let told = beside(json).unwrap();
//! assert_eq!(told, r#"{"balance":12345678901.000001,"held":0.5,"exact":{"balance":"12345678901.000001"}}"#);
//! assert_eq!(understood(&told).unwrap(), json);
//! assert_eq!(beside(r#"{"balance":1.5}"#), None);
//! ```

use serde::Serialize;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// The member that numbers are said again in.
pub const EXACT: &str = "exact";
/// A double holds so many digits, whatever they are.
const DIGITS: usize = 15;
/// Nothing of the API is deeper.
const DEPTH_MAX: usize = 48;

/// Whether a number's text has more digits than a double holds.
pub(crate) fn is_long(number: &str) -> bool {
    let digits = number.trim_start_matches(['-', '0', '.']).bytes().filter(u8::is_ascii_digit);
    digits.count() > DIGITS
}

/// A view as JSON, with the texts of its long numbers beside them.
///
/// # Errors
/// When it cannot be written as JSON at all.
pub fn json(view: &impl Serialize) -> Result<String, serde_json::Error> {
    let text = serde_json::to_string(view)?;
    Ok(beside(&text).unwrap_or(text))
}

/// The JSON of an answer with the texts of its long numbers beside them; none where it has no such number.
pub fn beside(json: &str) -> Option<String> {
    let mut tree = if has_long(json.as_bytes()) { Tree::read(json, 0)? } else { return None };
    tree.tell().then(|| tree.text(json.len()))
}

/// What the JSON of a request means, where it carries texts beside its numbers; none where it has none.
pub fn understood(json: &str) -> Option<String> {
    let mut tree = if json.contains("\"exact\"") { Tree::read(json, 0)? } else { return None };
    tree.hear().then(|| tree.text(json.len()))
}

/// Whether there are so many digits in one place, outside of texts.
fn has_long(json: &[u8]) -> bool {
    let (mut digits, mut inside, mut escaped) = (0, false, false);
    for byte in json {
        if inside {
            inside = escaped || *byte != b'"';
            escaped = !escaped && *byte == b'\\';
            continue;
        }
        match byte {
            b'0'..=b'9' => digits += 1,
            b'.' => {}
            b'"' => (inside, digits) = (true, 0),
            _ => digits = 0,
        }
        if digits > DIGITS {
            return true;
        }
    }
    false
}

/// JSON whose leaves are as they were written.
enum Tree<'a> {
    Object(Vec<(Cow<'a, str>, Tree<'a>)>),
    List(Vec<Tree<'a>>),
    Leaf(Cow<'a, str>),
}

impl<'a> Tree<'a> {
    /// None where it is no JSON, or too deep.
    fn read(json: &'a str, depth: usize) -> Option<Tree<'a>> {
        let inner = |raw: &'a RawValue| Tree::read(raw.get(), depth + 1);
        let json = json.trim();
        match json.as_bytes().first()? {
            b'{' | b'[' if depth >= DEPTH_MAX => None,
            b'{' => {
                let members: Members<'a> = serde_json::from_str(json).ok()?;
                let members = members.0.into_iter().map(|(name, raw)| Some((name, inner(raw)?)));
                members.collect::<Option<_>>().map(Tree::Object)
            }
            b'[' => {
                let items: Vec<&'a RawValue> = serde_json::from_str(json).ok()?;
                items.into_iter().map(inner).collect::<Option<_>>().map(Tree::List)
            }
            _ => Some(Tree::Leaf(json.into())),
        }
    }

    /// The numbers of a member, with their names: its own, or those of the places in its list.
    fn numbers(&mut self, name: &str, see: &mut impl FnMut(&str, &mut Cow<'a, str>)) {
        match self {
            Tree::Leaf(text) if text.starts_with(|it: char| it == '-' || it.is_ascii_digit()) => {
                see(name, text);
            }
            Tree::List(items) => {
                for (place, item) in items.iter_mut().enumerate() {
                    item.numbers(&format!("{name}.{place}"), see);
                }
            }
            Tree::Leaf(_) | Tree::Object(_) => {}
        }
    }

    fn inner(&mut self) -> impl Iterator<Item = &mut Tree<'a>> {
        let (members, items) = match self {
            Tree::Object(members) => (Some(members), None),
            Tree::List(items) => (None, Some(items)),
            Tree::Leaf(_) => (None, None),
        };
        members.into_iter().flatten().map(|(_, it)| it).chain(items.into_iter().flatten())
    }

    /// Says long numbers again as text; whether there were any.
    fn tell(&mut self) -> bool {
        let mut told = false;
        for inner in self.inner() {
            told |= inner.tell();
        }
        let Tree::Object(members) = self else { return told };
        let mut long = Vec::new();
        for (name, member) in members.iter_mut() {
            member.numbers(name, &mut |name, number| {
                if is_long(number) {
                    long.push((name.to_owned().into(), Tree::Leaf(format!("\"{number}\"").into())));
                }
            });
        }
        // By names that people give, one may be called so: its number is not overwritten.
        if long.is_empty() || members.iter().any(|(name, _)| name == EXACT) {
            return told;
        }
        members.push((EXACT.into(), Tree::Object(long)));
        true
    }

    /// Takes texts out, and numbers from them; whether there were any.
    fn hear(&mut self) -> bool {
        let mut heard = false;
        for inner in self.inner() {
            heard |= inner.hear();
        }
        let Tree::Object(members) = self else { return heard };
        let Some(place) = members.iter().position(|(name, it)| name == EXACT && it.texts().is_some()) else {
            return heard;
        };
        let texts = members.remove(place).1.texts().unwrap_or_default();
        for (name, member) in members {
            member.numbers(name, &mut |name, number| {
                if let Some(text) = texts.get(name).filter(|text| same_double(text, number)) {
                    *number = text.clone().into();
                }
            });
        }
        true
    }

    /// As texts by name; none where it is something else.
    fn texts(&self) -> Option<BTreeMap<String, String>> {
        let Tree::Object(members) = self else { return None };
        let text = |(name, it): &(Cow<'_, str>, Tree<'_>)| match it {
            Tree::Leaf(leaf) => Some((name.clone().into_owned(), serde_json::from_str(leaf).ok()?)),
            Tree::Object(_) | Tree::List(_) => None,
        };
        members.iter().map(text).collect()
    }

    fn text(&self, length: usize) -> String {
        let mut out = String::with_capacity(length + length / 4);
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Tree::Leaf(text) => out.push_str(text),
            Tree::List(items) => {
                out.push('[');
                for (place, item) in items.iter().enumerate() {
                    out.push_str(if place == 0 { "" } else { "," });
                    item.write(out);
                }
                out.push(']');
            }
            Tree::Object(members) => {
                out.push('{');
                for (place, (name, member)) in members.iter().enumerate() {
                    out.push_str(if place == 0 { "" } else { "," });
                    out.push_str(&serde_json::Value::from(name.as_ref()).to_string());
                    out.push(':');
                    member.write(out);
                }
                out.push('}');
            }
        }
    }
}

/// Whether a text is a JSON number, and a double makes the same of both.
fn same_double(text: &str, number: &str) -> bool {
    let double = |text: &str| serde_json::from_str::<f64>(text).ok();
    let read = double(text);
    read.is_some() && read == double(number)
}

/// The members of an object, in their order.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members<'a>, D::Error> {
        deserializer.deserialize_map(MembersVisitor).map(Members)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
            members.push((Cow::Owned(name), value));
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_long_number_is_said_again_where_it_stands() {
        let json = r#"{"jobs":[{"cost":-12345678901.000001,"why":"1234567890123456 \" 2"},{"cost":1}],"hours":[1,[2,98765432109876.543]],"n":0.000001}"#;
        let told = beside(json).unwrap();
        assert_eq!(
            told,
            r#"{"jobs":[{"cost":-12345678901.000001,"why":"1234567890123456 \" 2","exact":{"cost":"-12345678901.000001"}},{"cost":1}],"hours":[1,[2,98765432109876.543]],"n":0.000001,"exact":{"hours.1.1":"98765432109876.543"}}"#
        );
        assert_eq!(understood(&told).unwrap(), json);
        assert_eq!(beside(r#"{"a":"12345678901234567890","b":123456789012345}"#), None);
        // Prices by names of nodes, one of which is called so.
        let named = r#"{"exact":1,"other":12345678901.000001}"#;
        assert_eq!((beside(named), understood(named)), (None, None));
    }

    #[test]
    fn what_a_client_with_doubles_sends_back_is_what_it_was_told() {
        let sent = r#"{"base":12345678902.5,"step":2,"exact":{"base":"12345678901.1234567","step":"1"}}"#;
        assert_eq!(understood(sent).unwrap(), r#"{"base":12345678902.5,"step":2}"#, "it was changed");
        let text = "9007199254.740993";
        let double: f64 = text.parse().unwrap();
        let sent = format!(r#"{{"base":{double},"exact":{{"base":"{text}"}}}}"#);
        assert_eq!(understood(&sent).unwrap(), format!(r#"{{"base":{text}}}"#));
        let no_number = r#"{"base":1,"exact":{"base":"1\",\"x\":\"2"}}"#;
        assert_eq!(understood(no_number).unwrap(), r#"{"base":1}"#);
    }

    #[test]
    fn nonsense_and_depth_are_left_alone() {
        let deep = format!("{}{}{}", "{\"exact\":".repeat(10_000), 1, "}".repeat(10_000));
        for json in ["", "{", "{\"exact\":{\"a\":\"1\"}", "12345678901234567", deep.as_str()] {
            assert_eq!((beside(json), understood(json)), (None, None), "{:.40}", json);
        }
    }

    fn any_json() -> impl Strategy<Value = String> {
        let text = prop_oneof![Just("exact".to_owned()), "[a-c0-9\"\\\\.]{0,3}", "[0-9]{17}"];
        let quoted = |text: &String| serde_json::Value::from(text.as_str()).to_string();
        let leaf = prop_oneof![
            any::<i64>().prop_map(|it| crate::Num::from_units(it.into(), 6).to_string()),
            any::<i16>().prop_map(|it| it.to_string()),
            text.clone().prop_map(move |it| quoted(&it)),
            Just("null".to_owned()),
        ];
        leaf.prop_recursive(4, 40, 5, move |inner| {
            let list = |items: Vec<String>| format!("[{}]", items.join(","));
            let object = move |members: BTreeMap<String, String>| {
                let members: Vec<String> =
                    members.iter().map(|(name, it)| format!("{}:{it}", quoted(name))).collect();
                format!("{{{}}}", members.join(","))
            };
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(list),
                prop::collection::btree_map("[a-c]{1,2}", inner, 0..5).prop_map(object),
            ]
        })
    }

    /// Every number that stands in an object, with its name; the members called `exact` apart.
    fn numbers(json: &str, found: &mut Vec<(String, String)>) {
        let Some(mut tree) = Tree::read(json, 0) else { return };
        collect(&mut tree, found);
    }

    fn collect(tree: &mut Tree<'_>, found: &mut Vec<(String, String)>) {
        if let Tree::Object(members) = tree {
            for (name, member) in members.iter_mut() {
                member.numbers(name, &mut |name, it| found.push((name.to_owned(), it.to_string())));
            }
        }
        tree.inner().for_each(|inner| collect(inner, found));
    }

    proptest! {
        #[test]
        fn what_is_told_is_understood_and_nothing_else_changes(json in any_json()) {
            let told = beside(&json);
            let mut all = Vec::new();
            numbers(&json, &mut all);
            prop_assert_eq!(told.is_some(), all.iter().any(|(_, number)| is_long(number)));
            if let Some(told) = told {
                prop_assert_eq!(understood(&told), Some(json));
                let long = all.iter().filter(|(_, number)| is_long(number));
                for (name, number) in long {
                    let pair = format!("{}:\"{number}\"", serde_json::Value::from(name.as_str()));
                    prop_assert!(told.contains(&pair), "{pair} is not in {told}");
                }
            }
        }
    }
}
