//! Lines of a file, one at a time, out of gzip where that is what the file holds.

use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, Read};

/// No line is longer; what follows is cut off, which makes the line one that cannot be read.
const LINE_MAX: u64 = 1 << 20;

/// The bytes of a file, out of gzip where it begins as gzip does.
pub fn plain<'a>(mut file: impl BufRead + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    let packed = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    Ok(if packed { Box::new(BufReader::new(MultiGzDecoder::new(file))) } else { Box::new(file) })
}

/// Numbered lines, read into one buffer.
pub(crate) struct Lines<R> {
    reader: R,
    number: u32,
    line: Vec<u8>,
    fault: Option<io::Error>,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(reader: R) -> Lines<R> {
        Lines { reader, number: 0, line: Vec::new(), fault: None }
    }

    /// The next line, from 1 on, without its end; `None` after the last, and where reading failed.
    pub(crate) fn next(&mut self) -> Option<(u32, &[u8])> {
        if self.fault.is_some() {
            return None;
        }
        self.line.clear();
        let read = self.reader.by_ref().take(LINE_MAX).read_until(b'\n', &mut self.line);
        let read = read.and_then(|count| if self.is_whole() { Ok(count) } else { self.skip_rest(count) });
        match read {
            Ok(0) => None,
            Ok(_) => {
                self.number = self.number.saturating_add(1);
                Some((self.number, self.line.strip_suffix(b"\n").unwrap_or(&self.line)))
            }
            Err(error) => {
                self.fault = Some(error);
                None
            }
        }
    }

    /// The last line that was read.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    fn is_whole(&self) -> bool {
        self.line.ends_with(b"\n") || (self.line.len() as u64) < LINE_MAX
    }

    /// Reads past what is left of a line that is too long.
    fn skip_rest(&mut self, count: usize) -> io::Result<usize> {
        loop {
            let buffer = self.reader.fill_buf()?;
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let used = end.map_or(buffer.len(), |end| end + 1);
            let over = end.is_some() || buffer.is_empty();
            self.reader.consume(used);
            if over {
                return Ok(count);
            }
        }
    }

    /// The same, for good.
    pub(crate) fn into_fault(self) -> Option<io::Error> {
        self.fault
    }

    /// Why reading ended before the file did.
    pub(crate) fn fault(&self) -> Option<&io::Error> {
        self.fault.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn read(bytes: &[u8]) -> (Vec<(u32, String)>, bool) {
        let mut lines = Lines::new(plain(bytes).unwrap());
        let mut all = Vec::new();
        while let Some((number, line)) = lines.next() {
            all.push((number, String::from_utf8_lossy(line).into_owned()));
        }
        (all, lines.fault().is_some())
    }

    fn packed(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn packed_and_plain_are_alike() {
        let text = "one\n\ntwo";
        let expected = vec![(1, "one".to_owned()), (2, String::new()), (3, "two".to_owned())];
        assert_eq!(read(text.as_bytes()), (expected.clone(), false));
        // Two packed files one after the other are one.
        let both = [packed("one\n"), packed("\ntwo")].concat();
        assert_eq!(read(&both), (expected, false));
        assert_eq!(read(b""), (Vec::new(), false));
    }

    #[test]
    fn a_file_that_breaks_off_says_so() {
        let packed = packed(&"a line that is there many times\n".repeat(1_000));
        let (lines, fault) = read(&packed[..packed.len() - 12]);
        assert!(fault && lines.len() <= 1_000);
    }

    #[test]
    fn endless_lines_are_cut() {
        let text = "x".repeat(3 << 20) + "\nend\n";
        let (lines, _) = read(text.as_bytes());
        assert_eq!((lines.len(), lines[0].1.len(), lines[1].1.as_str()), (2, 1 << 20, "end"));
    }
}
