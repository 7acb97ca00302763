//! What a policy's file gives, put in the place of what was there.

use crate::error::{Problem, Within};
use crate::number::Num;
use walras_model::{Share, Span};

/// The longest span of a policy, in seconds: a thousand years.
const SECONDS_MAX: i64 = 31_557_600_000;

pub(super) fn span(to: &mut Span, given: Option<&Num>, key: &str) -> Result<(), Problem> {
    let Some(number) = given else { return Ok(()) };
    let millis = number.units(3).filter(|millis| (0..=SECONDS_MAX * 1_000).contains(millis));
    let what = "is not a time: expected seconds, 0 or more, to the millisecond";
    let wrong = || Problem::new(number.as_str(), what);
    *to = millis.and_then(Span::from_millis).ok_or_else(wrong).in_field(key)?;
    Ok(())
}

pub(super) fn share(to: &mut Share, given: Option<&Num>, key: &str) -> Result<(), Problem> {
    let Some(number) = given else { return Ok(()) };
    let wrong = || Problem::new(number.as_str(), "is not a share: expected a number between 0 and 1");
    *to = number.units(6).and_then(Share::from_millionths).ok_or_else(wrong).in_field(key)?;
    Ok(())
}

pub(super) fn set<T: Copy>(to: &mut T, given: Option<T>) {
    if let Some(value) = given {
        *to = value;
    }
}
