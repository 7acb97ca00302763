//! Slurm's lists of hosts, such as `n[1-2,4],gpu07`, as names.
//!
//! A list is names separated by commas; a name may hold ranges in brackets, more than one of them, whose numbers keep their width.
//! What is written in a few bytes can stand for more names than there is memory, so the count is bounded before anything is made.
//!
//! ```
//! use walras_sites::slurm::expand;
//! assert_eq!(expand("n[08-10,12],login").unwrap(), ["n08", "n09", "n10", "n12", "login"]);
//! assert!(expand("n[1-9999999]").is_err());
//! ```
//!
//! O(names made).

/// A list never stands for more names than this.
pub const HOSTS_MAX: usize = 1_000_000;

/// Why a list of hosts is not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadHosts {
    /// It stands for too many.
    #[error("more than {HOSTS_MAX} hosts")]
    TooMany,
    /// A bracket is missing, empty or in the wrong place.
    #[error("a bracket that does not close, or nothing in it")]
    Brackets,
    /// What should be a number or a range of them is not.
    #[error("no range of numbers: {0:?}")]
    Range(String),
}

/// All names of a list, in its order.
pub fn expand(list: &str) -> Result<Vec<String>, BadHosts> {
    let mut all = Vec::new();
    for pattern in split(list)? {
        if !pattern.is_empty() {
            let names = names_of(pattern, HOSTS_MAX - all.len())?;
            all.extend(names);
        }
    }
    Ok(all)
}

/// The patterns of a list: what stands between commas that are not in brackets.
fn split(list: &str) -> Result<Vec<&str>, BadHosts> {
    let (mut patterns, mut from, mut inside) = (Vec::new(), 0, false);
    for (place, byte) in list.bytes().enumerate() {
        match (byte, inside) {
            (b'[', false) => inside = true,
            (b']', true) => inside = false,
            (b'[', true) | (b']', false) => return Err(BadHosts::Brackets),
            (b',', false) => {
                patterns.push(&list[from..place]);
                from = place + 1;
            }
            _ => {}
        }
    }
    if inside {
        return Err(BadHosts::Brackets);
    }
    patterns.push(&list[from..]);
    Ok(patterns)
}

/// The names of one pattern, its brackets from left to right.
fn names_of(pattern: &str, most: usize) -> Result<Vec<String>, BadHosts> {
    let mut names = vec![String::new()];
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('[') {
        let (ranges, tail) = after.split_once(']').ok_or(BadHosts::Brackets)?;
        let numbers = numbers_of(ranges, most / names.len().max(1))?;
        let with =
            |name: &String| numbers.iter().map(move |it| format!("{name}{before}{it}")).collect::<Vec<_>>();
        names = names.iter().flat_map(with).collect();
        rest = tail;
    }
    if names.len() > most {
        return Err(BadHosts::TooMany);
    }
    for name in &mut names {
        name.push_str(rest);
    }
    Ok(names)
}

/// The numbers of `1-2,04`, with their zeros.
fn numbers_of(ranges: &str, most: usize) -> Result<Vec<String>, BadHosts> {
    let mut all = Vec::new();
    for range in ranges.split(',') {
        let bad = || BadHosts::Range(range.chars().take(40).collect());
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(first) || !digits(last) || first.len() > 18 {
            return Err(bad());
        }
        let number = |text: &str| text.parse::<u64>().map_err(|_| bad());
        let (from, to) = (number(first)?, number(last)?);
        let count = to.checked_sub(from).ok_or_else(bad)?;
        let left = u64::try_from(most.saturating_sub(all.len())).unwrap_or(u64::MAX);
        if count >= left {
            return Err(BadHosts::TooMany);
        }
        let width = first.len();
        all.extend((from..=to).map(|number| format!("{number:0width$}")));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_stand_for_names() {
        assert_eq!(expand("").unwrap(), [""; 0]);
        assert_eq!(expand("n1").unwrap(), ["n1"]);
        assert_eq!(expand("r[1-2]n[09-10]x,b").unwrap(), ["r1n09x", "r1n10x", "r2n09x", "r2n10x", "b"]);
        assert_eq!(expand("n[3]").unwrap(), ["n3"]);
    }

    #[test]
    fn what_is_no_list_is_said() {
        for list in ["n[1", "n1]", "n[[1]]"] {
            assert_eq!(expand(list), Err(BadHosts::Brackets), "{list}");
        }
        for list in ["n[]", "n[a]", "n[2-1]", "n[1-]", "n[1-2-3]", "n[99999999999999999999]"] {
            assert!(matches!(expand(list), Err(BadHosts::Range(_))), "{list}");
        }
        for list in ["n[1-1000001]", "n[1-1000]m[1-1001]", "n[1-1000000],m", "n[0-18446744073709551615]"] {
            assert_eq!(expand(list), Err(BadHosts::TooMany), "{list}");
        }
        assert_eq!(expand("n[1-1000000]").unwrap().len(), HOSTS_MAX);
    }

    proptest! {
        #[test]
        fn anything_is_answered(list in "[a-c0-9,\\[\\]-]{0,24}|\\PC{0,24}") {
            if let Ok(names) = expand(&list) {
                prop_assert!(names.len() <= HOSTS_MAX);
            }
        }

        #[test]
        fn ranges_are_the_numbers_between(first in 0_u64..2000, more in 0_u64..50, width in 1_usize..6) {
            let list = format!("n[{first:0width$}-{}]", first + more);
            let names: Vec<String> = (first..=first + more).map(|it| format!("n{it:0width$}")).collect();
            prop_assert_eq!(expand(&list).unwrap(), names);
        }
    }
}
