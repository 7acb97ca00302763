//! Columns of a line, whatever divides them.

/// The columns of a line: by commas where it has some, else by blanks.
pub(super) fn columns(line: &str) -> Vec<&str> {
    if line.contains(',') {
        line.split(',').map(str::trim).collect()
    } else {
        line.split_ascii_whitespace().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_go_before_blanks() {
        assert_eq!(columns("0 , 1,, 4 5 "), ["0", "1", "", "4 5"]);
        assert_eq!(columns("  0\t1  2"), ["0", "1", "2"]);
    }
}
