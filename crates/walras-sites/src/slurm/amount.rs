//! Amounts of what a node has: processors, memory, GPUs.

use walras_model::quantity::rounding;

/// So many MiB are a GiB.
pub(super) const MIB_PER_GIB: u64 = 1_024;

/// What some units of a node have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Cores.
    pub cores: u32,
    /// Processors of these.
    pub cpus: u32,
    /// Memory in MiB; none, where the cluster does not count it.
    pub memory_mib: u64,
    /// GPUs.
    pub gpus: u32,
}

/// What is used of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Processors.
    pub cpus: u64,
    /// Memory, in MiB.
    pub memory_mib: u64,
    /// GPUs.
    pub gpus: u64,
}

impl Used {
    /// More than any node has.
    pub const ALL: Used = Used { cpus: u64::MAX, memory_mib: u64::MAX, gpus: u64::MAX };
}

/// The memory of a job in MiB, as Slurm counts it in `mem=1500M` or `mem=1.50G`, rounded up.
pub(super) fn mebibytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|it: char| it.is_ascii_alphabetic());
    let factor: i128 = match &text[digits.len()..] {
        "K" => 1,
        "" | "M" => 1_024,
        "G" => 1_024 * 1_024,
        "T" => 1_024 * 1_024 * 1_024,
        "P" => 1_024 * 1_024 * 1_024 * 1_024,
        _ => return None,
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let is_short = |text: &str| text.len() <= 15 && text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_short(whole) || !is_short(part) {
        return None;
    }
    let scale = 10_i128.checked_pow(u32::try_from(part.len()).ok()?)?;
    let number: i128 = format!("{whole}{part}").parse().ok()?;
    // In KiB, so that all of them are whole.
    u64::try_from(rounding::up(number.checked_mul(factor)?, scale.checked_mul(1_024)?)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_and_rounded_up() {
        for (text, mib) in [
            ("1500M", 1_500),
            ("2G", 2_048),
            ("1.50G", 1_536),
            ("1K", 1),
            ("0.1M", 1),
            ("1T", 1 << 20),
            ("7", 7),
        ] {
            assert_eq!(mebibytes(text), Some(mib), "{text}");
        }
        for text in ["", "M", "-1M", "1X", "1.2.3G", ".5G", "99999999999999999999G", "1E"] {
            assert_eq!(mebibytes(text), None, "{text}");
        }
    }
}
