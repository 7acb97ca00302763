//! Reading and writing files: whole or not at all.

use crate::failure::Failure;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
#[cfg(feature = "simulator")]
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use walras_api::{SCENARIO_BYTES_MAX, Scenario, Syntax, read_limited, read_scenario};
#[cfg(feature = "simulator")]
use walras_sim::workload::plain;

/// Reads a file of at most `bytes_max` bytes.
pub(crate) fn read(path: &Path, bytes_max: usize) -> Result<Vec<u8>, Failure> {
    let source = path.display();
    let cannot = |error: io::Error| Failure::Input(format!("{source}: cannot be read: {error}"));
    let file = File::open(path).map_err(cannot)?;
    read_limited(file, &source.to_string(), bytes_max).map_err(cannot)?.map_err(Failure::input)
}

/// Opens a file that is read line by line, out of gzip where it is packed.
#[cfg(feature = "simulator")]
pub(crate) fn open(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    let cannot = |error: io::Error| cannot_read(path, &error);
    plain(BufReader::new(File::open(path).map_err(cannot)?)).map_err(cannot)
}

#[cfg(feature = "simulator")]
pub(crate) fn cannot_read(path: &Path, error: &io::Error) -> Failure {
    Failure::Input(format!("{}: cannot be read: {error}", path.display()))
}

/// Reads a file of at most `bytes_max` bytes that must be text.
pub(crate) fn read_text(path: &Path, bytes_max: usize) -> Result<String, Failure> {
    let not_text = |_| Failure::Input(format!("{}: is not UTF-8 text", path.display()));
    String::from_utf8(read(path, bytes_max)?).map_err(not_text)
}

/// Reads a scenario; the file's extension tells the syntax.
pub(crate) fn read_scenario_file(path: &Path) -> Result<Scenario, Failure> {
    let syntax = Syntax::of_path(path).map_err(Failure::input)?;
    let bytes = read(path, SCENARIO_BYTES_MAX)?;
    read_scenario(&bytes, &path.display().to_string(), syntax).map_err(Failure::input)
}

/// Refuses a name for a picture that is not one: better before the work than after.
pub(crate) fn check_svg(path: &Path) -> Result<(), Failure> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if extension.eq_ignore_ascii_case("svg") {
        return Ok(());
    }
    Err(Failure::Input(format!("{}: the name of a picture must end in .svg", path.display())))
}

/// Where a file is really to be written: what a link points to, and never over anything but a file.
fn target(path: &Path) -> Result<PathBuf, String> {
    let target = match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => {
            fs::canonicalize(path).map_err(|error| cannot_write(path, &error))?
        }
        _ => path.to_owned(),
    };
    match fs::metadata(&target) {
        Ok(found) if !found.is_file() => {
            Err(format!("{}: cannot be written: it is not a regular file", path.display()))
        }
        _ => Ok(target),
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("{}: cannot be written: {error}", path.display())
}

/// Writes a file through a neighbour, so that nobody ever sees half of it.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let written = Written::new(path).and_then(|mut file| {
        file.put(text)?;
        file.finish()
    });
    written.map_err(Failure::Input)
}

/// A file that is being written, as a neighbour that nobody knows until it is whole. Errors say which file it is.
pub(crate) struct Written {
    target: PathBuf,
    neighbour: PathBuf,
    file: BufWriter<File>,
    is_whole: bool,
}

impl Written {
    pub(crate) fn new(path: &Path) -> Result<Written, String> {
        let target = target(path)?;
        let neighbour = neighbour(&target)?;
        let file = File::create(&neighbour).map_err(|error| cannot_write(path, &error))?;
        Ok(Written { target, neighbour, file: BufWriter::new(file), is_whole: false })
    }

    /// Adds text at the end.
    pub(crate) fn put(&mut self, text: &str) -> Result<(), String> {
        self.file.write_all(text.as_bytes()).map_err(|error| cannot_write(&self.target, &error))
    }

    /// Puts the file where it belongs.
    pub(crate) fn finish(mut self) -> Result<(), String> {
        let moved = self.file.flush().and_then(|()| fs::rename(&self.neighbour, &self.target));
        self.is_whole = moved.is_ok();
        moved.map_err(|error| cannot_write(&self.target, &error))
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        if !self.is_whole {
            // What is left of the neighbour is of no use; that it could not be removed changes nothing.
            let _ = fs::remove_file(&self.neighbour);
        }
    }
}

/// A name beside `path` that nobody else uses.
fn neighbour(path: &Path) -> Result<PathBuf, String> {
    let name =
        path.file_name().ok_or_else(|| format!("{}: is not the name of a file to write", path.display()))?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.tmp", std::process::id()));
    Ok(path.with_file_name(hidden))
}

/// Prints to standard output; a reader that has gone (`| head`) is no error of ours.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    let printed = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    printed.map_err(|error| cannot_print(&error))
}

/// Prints whatever bytes come; how many they were.
pub(crate) fn copy_out(mut from: impl io::Read) -> Result<u64, Failure> {
    let mut output = io::stdout().lock();
    let mut all = 0;
    let mut piece = vec![0_u8; 64 << 10];
    loop {
        let count = from.read(&mut piece);
        let count = count.map_err(|error| Failure::Unreachable(format!("the answer breaks off: {error}")))?;
        if count == 0 {
            return output.flush().map(|()| all).map_err(|error| cannot_print(&error));
        }
        output.write_all(&piece[..count]).map_err(|error| cannot_print(&error))?;
        all += u64::try_from(count).unwrap_or(0);
    }
}

/// Prints a value as JSON; with its lines apart on a terminal, and elsewhere where it is said.
pub(crate) fn print_json(value: &impl serde::Serialize, lines_apart: bool) -> Result<(), Failure> {
    let stdout = io::stdout();
    let lines_apart = lines_apart || stdout.is_terminal();
    let mut output = io::BufWriter::new(stdout.lock());
    let written = if lines_apart {
        serde_json::to_writer_pretty(&mut output, value)
    } else {
        serde_json::to_writer(&mut output, value)
    };
    let written = match written {
        Err(error) if !error.is_io() => return Err(Failure::fault(error)),
        written => written.map_err(io::Error::from),
    };
    let ended = written.and_then(|()| output.write_all(b"\n")).and_then(|()| output.flush());
    ended.map_err(|error| cannot_print(&error))
}

fn cannot_print(error: &io::Error) -> Failure {
    match error.kind() {
        ErrorKind::BrokenPipe => Failure::ReaderGone,
        _ => Failure::Input(format!("standard output cannot be written: {error}")),
    }
}
