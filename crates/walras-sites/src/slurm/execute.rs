//! Running Slurm's programs: each has a time limit, what it may print is bounded, and its environment is our own.

use super::command::Call;
use crate::contract::SiteError;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A program prints at most so many bytes; what prints more is not understood.
const BYTES_MAX: u64 = 64 << 20;

/// What a program has printed, and whether it says that it went well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// What it found.
    pub out: Vec<u8>,
    /// What went wrong, in one line.
    pub wrong: String,
    /// Whether it says that it went well.
    pub well: bool,
}

/// Who runs Slurm's programs: this machine, or a test.
pub trait Slurm: Send {
    /// Runs one.
    fn run(&mut self, call: &Call) -> Result<Printed, SiteError>;
}

/// The programs of this machine.
#[derive(Clone, Debug)]
pub struct Programs {
    /// The cluster's configuration; where Slurm looks for it, without.
    pub conf: Option<PathBuf>,
    /// Where the programs are.
    pub path: String,
    /// How long one may take.
    pub within: Duration,
}

impl Slurm for Programs {
    fn run(&mut self, call: &Call) -> Result<Printed, SiteError> {
        let begun = Instant::now();
        let mut child = self.spawn(call)?;
        let ended = self.outcome(&mut child, call, begun);
        if ended.is_err() {
            // It may have ended meanwhile; either way nothing is left of it.
            let _ = child.kill();
            let _ = child.wait();
        }
        let (status, out, wrong) = ended?;
        let wrong = one_line(&wrong);
        if is_unreachable(&wrong) {
            return Err(SiteError::Unreachable(wrong));
        }
        Ok(Printed { out, wrong, well: status.success() })
    }
}

impl Programs {
    fn spawn(&self, call: &Call) -> Result<Child, SiteError> {
        let mut command = Command::new(self.find(call.program));
        command.args(&call.arguments).env_clear().env("PATH", &self.path);
        command.envs([("TZ", "UTC"), ("LC_ALL", "C"), ("SLURM_TIME_FORMAT", "%s")]);
        command.envs(self.conf.iter().map(|path| ("SLURM_CONF", path)));
        command.stdin(if call.input.is_some() { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| SiteError::CannotRun {
            program: PathBuf::from(call.program),
            why: error.to_string(),
        })?;
        if let Some((mut pipe, input)) = child.stdin.take().zip(call.input.clone()) {
            // One that stops reading says itself what is wrong.
            std::thread::spawn(move || pipe.write_all(input.as_bytes()));
        }
        Ok(child)
    }

    /// By our own search: the child's would be by the path of this process.
    fn find(&self, program: &str) -> PathBuf {
        let places = self.path.split(':').map(|place| PathBuf::from(place).join(program));
        places.into_iter().find(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(program))
    }

    fn outcome(
        &self,
        child: &mut Child,
        call: &Call,
        begun: Instant,
    ) -> Result<(ExitStatus, Vec<u8>, Vec<u8>), SiteError> {
        let late = || SiteError::Unreachable(format!("{} took longer than {:?}", call.program, self.within));
        let out = child.stdout.take().map(collect);
        let wrong = child.stderr.take().map(collect);
        let left = || self.within.saturating_sub(begun.elapsed());
        let mut read = [Vec::new(), Vec::new()];
        for (pipe, bytes) in [out, wrong].into_iter().zip(&mut read) {
            let Some(pipe) = pipe else { continue };
            *bytes = pipe.recv_timeout(left()).map_err(|_| late())?;
            if bytes.len() as u64 > BYTES_MAX {
                return Err(SiteError::NotUnderstood(format!("{} prints without end", call.program)));
            }
        }
        let [out, wrong] = read;
        loop {
            match child.try_wait().map_err(|error| SiteError::Unreachable(error.to_string()))? {
                Some(status) => return Ok((status, out, wrong)),
                None if left().is_zero() => return Err(late()),
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }
}

fn collect(pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before it broke is all there is.
        let _ = pipe.take(BYTES_MAX + 1).read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

/// What went wrong, without what a terminal or a log cannot show.
fn one_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let plain = text.chars().map(|it| if it.is_control() { ' ' } else { it });
    let plain: String = plain.take(400).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether this says that the controller does not answer, in the words of all versions.
fn is_unreachable(wrong: &str) -> bool {
    let words = [
        "Unable to contact",
        "timed out",
        "Connection refused",
        "Zero Bytes",
        "connect failure",
        "Transport endpoint",
        "Connection reset",
        "in standby mode",
        "Communication connection failure",
        "Message receive failure",
    ];
    words.iter().any(|it| wrong.contains(it))
}

/// Whether this says that we may not do it.
pub fn is_denied(wrong: &str) -> bool {
    ["ermission denied", "Invalid user id", "User's group not permitted"].iter().any(|it| wrong.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(program: &'static str, arguments: &[&str], input: Option<&str>) -> Result<Printed, SiteError> {
        let arguments = arguments.iter().map(|&it| it.to_owned()).collect();
        let within = Duration::from_millis(300);
        let mut programs = Programs { conf: None, path: "/usr/bin:/bin".to_owned(), within };
        programs.run(&Call { program, arguments, input: input.map(str::to_owned) })
    }

    #[test]
    fn what_is_printed_is_read() {
        let printed = run("sh", &["-c", "cat; echo bad >&2; exit 3"], Some("in")).unwrap();
        assert_eq!(printed, Printed { out: b"in".to_vec(), wrong: "bad".to_owned(), well: false });
        let printed = run("sh", &["-c", "echo \"$TZ$HOME\""], None).unwrap();
        assert_eq!(printed.out, b"UTC\n");
    }

    #[test]
    fn what_does_not_answer_is_unreachable() {
        assert!(matches!(run("sleep", &["60"], None), Err(SiteError::Unreachable(_))));
        let dead = run("sh", &["-c", "echo Unable to contact slurm controller >&2; exit 1"], None);
        assert!(matches!(dead, Err(SiteError::Unreachable(_))));
        assert!(matches!(
            run("yes", &[], None),
            Err(SiteError::Unreachable(_) | SiteError::NotUnderstood(_))
        ));
        assert!(matches!(run("walras-no-such", &[], None), Err(SiteError::CannotRun { .. })));
    }
}
