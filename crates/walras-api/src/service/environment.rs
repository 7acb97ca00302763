//! The variables of a job's environment, as a job file gives them.

use crate::error::{Problem, Within};
use crate::scenario::{Entries, Scalar};
use std::collections::BTreeMap;
use walras_broker::particulars::{ENV_MAX, is_variable};

/// The variables of a job; numbers and flags are written as they stand.
pub(crate) fn environment(entries: Option<Entries<Scalar>>) -> Result<BTreeMap<String, String>, Problem> {
    let mut variables = BTreeMap::new();
    for (name, value) in entries.into_iter().flat_map(|entries| entries.0) {
        let value = match value {
            Scalar::Text(text) => text,
            Scalar::Number(number) => number.to_string(),
            Scalar::Flag(flag) => flag.to_string(),
        };
        if !is_variable(&name) || value.contains('\0') {
            let what = "is not a variable of its own: expected letters, digits and _, no digit first, not WALRAS_, \
                        and a value without the character 0";
            return Err(Problem::new(&name, what)).in_field(&name);
        }
        if variables.contains_key(&name) {
            return Err(Problem::new(&name, "is there twice: give it once")).in_field(&name);
        }
        variables.insert(name, value);
    }
    let bytes: usize = variables.iter().map(|(name, value)| name.len() + value.len()).sum();
    if bytes > ENV_MAX {
        return Err(Problem::new(&bytes.to_string(), format!("bytes of variables are more than {ENV_MAX}")));
    }
    Ok(variables)
}

#[cfg(test)]
mod tests {
    use super::super::read_job;

    fn env(text: &str) -> Result<Vec<(String, String)>, String> {
        let text = format!(r#"{{"walras":"job/1","name":"a","work":1,"env":{text}}}"#);
        let file = read_job(text.as_bytes(), "body").map_err(|error| error.to_string())?;
        let spec = file.into_spec("ada", &Default::default(), "body").map_err(|error| error.to_string())?;
        Ok(spec.particulars.env.into_iter().collect())
    }

    #[test]
    fn variables_are_texts_numbers_and_flags() {
        let expected = [("A", "x y"), ("B", "4"), ("C", "true"), ("D", "0.5"), ("E", "")];
        let expected: Vec<_> = expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        assert_eq!(env(r#"{"A":"x y","B":4,"C":true,"D":0.5,"E":""}"#), Ok(expected));
    }

    #[test]
    fn what_cannot_be_a_variable_is_named() {
        for wrong in [
            r#"{"1A":"x"}"#,
            r#"{"A=B":"x"}"#,
            r#"{"WALRAS_JOB":"9"}"#,
            r#"{"A":"\u0000"}"#,
            r#"{"A":[]}"#,
            "[]",
        ] {
            assert!(env(wrong).is_err(), "{wrong}");
        }
        let long = format!(r#"{{"A":"{}"}}"#, "x".repeat(100_000));
        assert!(
            env(&long).unwrap_err().starts_with("body: env: 100001 bytes of variables are more than 100000")
        );
    }
}
