//! `output`: what jobs print, whole, its end, or as it is printed.
//!
//! `--follow` hears of the job ([`hear`](super::hear)) and asks for the bytes after those it has, until the job has ended and there are no more. When
//! a job begins again elsewhere, so does what it prints.

use super::fetch::GetArgs;
use super::hear::{Heard, hear};
use super::http::{Bytes, Client};
use super::settings::Connect;
use super::show::pretty;
use super::status_line::StatusLine;
use crate::failure::Failure;
use crate::files;
use std::io::Read;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};
use walras_api::service::JobView;
use walras_broker::gate::Which;

/// Whether more was printed is looked at this often.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// So many bytes are read from the end at first to find the last lines, and at most.
const TAIL_BYTES: (u64, u64) = (64 << 10, 64 << 20);

#[derive(clap::Args)]
pub(crate) struct OutputArgs {
    /// The job's number, or an element of an array: 17 or 18_3
    job: Which,
    /// Which of its parts, from 0 on; with --task, which of those that the task has on several nodes
    #[arg(long, value_name = "N")]
    part: Option<u32>,
    /// Which task of a workflow, by its name
    #[arg(long, value_name = "NAME")]
    task: Option<String>,
    /// Its complaints (standard error), where they have a file of their own
    #[arg(long)]
    error: bool,
    /// Go on as more is printed, until it has ended
    #[arg(long, short, conflicts_with_all = ["json", "bytes"])]
    follow: bool,
    /// Only the last so many lines
    #[arg(long, value_name = "LINES", conflicts_with_all = ["json", "bytes"])]
    tail: Option<u64>,
    /// Only these bytes: FIRST-LAST counted from 0, FIRST- for all after, -COUNT for the last
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    bytes: Option<String>,
    #[command(flatten)]
    get: GetArgs,
    #[command(flatten)]
    connect: Connect,
}

impl OutputArgs {
    fn path(&self, part: u32) -> String {
        let error = if self.error { "&error=true" } else { "" };
        format!("/v1/jobs/{}/output?part={part}{error}", self.job)
    }

    /// The place of the part that is meant: the first without a word, and of a task that takes several nodes that of its own.
    fn part(&self, view: &JobView) -> Result<u32, Failure> {
        let wanted = self.part.unwrap_or(0);
        let Some(task) = &self.task else { return Ok(wanted) };
        let mut parts = view.parts.iter().filter(|part| part.task.as_ref() == Some(task));
        let nth = usize::try_from(wanted).ok().and_then(|wanted| parts.clone().nth(wanted));
        let no_such = || match (parts.next(), parts.count()) {
            (None, _) => format!("job {} has no task {task}", self.job),
            (Some(_), more) => format!("task {task} of job {} has parts 0 to {more}", self.job),
        };
        nth.map(|part| part.part).ok_or_else(|| Failure::Refused(no_such()))
    }

    /// Says that there are more parts than the one that nobody has named.
    fn tell_of_others(&self, view: &JobView, what: &str) {
        let all = match &self.task {
            None if view.workflow => 0,
            None => view.parts.len(),
            Some(task) => view.parts.iter().filter(|part| part.task.as_ref() == Some(task)).count(),
        };
        if all > 1 && self.part.is_none() {
            eprintln!("walras: job {} has {all} parts: {what}; --part 1 is the next", self.job);
        }
    }

    fn job(&self, client: &Client) -> Result<JobView, Failure> {
        client.get(&format!("/v1/jobs/{}", self.job))?.view()
    }
}

pub(crate) fn output(args: &OutputArgs) -> Result<(), Failure> {
    let client = Arc::new(Client::of(&args.connect)?);
    if args.follow {
        return follow(args, &client);
    }
    if args.get.names().is_some() {
        return get(args, &client);
    }
    let part = match &args.task {
        None => args.part.unwrap_or(0),
        Some(_) => {
            let view = args.job(&client)?;
            args.tell_of_others(&view, "this is what part 0 prints");
            args.part(&view)?
        }
    };
    let path = args.path(part);
    if args.connect.json {
        let answer = client.get(&path)?;
        return files::print(&pretty(&serde_json::json!({"output": answer.text}).to_string()));
    }
    if let Some(lines) = args.tail {
        return tail(&client, &path, lines).map(|_| ());
    }
    // As it comes, whatever it is and however long.
    match client.bytes(&path, args.bytes.as_deref())? {
        Bytes::Some { reader, .. } => files::copy_out(reader).map(|_| ()),
        Bytes::Beyond(length) => Err(Failure::Input(format!("the output has {length} bytes"))),
    }
}

/// Brings files, prints where they are, and fails in the end where one has not come.
fn get(args: &OutputArgs, client: &Client) -> Result<(), Failure> {
    let view = args.job(client)?;
    let named = args.task.is_some() || args.part.is_some();
    let part = if named { Some(args.part(&view)?) } else { None };
    args.tell_of_others(&view, "each file is that of the first that has it");
    let brought = args.get.bring(client, &args.job.to_string(), &view, part)?;
    let lines: String = brought.files.iter().map(|path| format!("{}\n", path.display())).collect();
    let (files, missing) = (&brought.files, &brought.missing);
    let json = || pretty(&serde_json::json!({"files": files, "missing": missing}).to_string());
    files::print(&if args.connect.json { json() } else { lines })?;
    brought.finish()
}

/// Prints the last lines; says how many bytes there are before what was not printed.
fn tail(client: &Client, path: &str, lines: u64) -> Result<u64, Failure> {
    let mut wanted = TAIL_BYTES.0;
    loop {
        let (first, bytes) = match client.bytes(path, Some(&format!("-{wanted}")))? {
            Bytes::Beyond(length) => return Ok(length),
            Bytes::Some { first, reader } => {
                let mut bytes = Vec::new();
                let read = reader.take(2 * TAIL_BYTES.1).read_to_end(&mut bytes);
                read.map_err(|error| Failure::Unreachable(format!("the answer breaks off: {error}")))?;
                (first, bytes)
            }
        };
        let found = last_lines(&bytes, lines);
        if found.is_none() && first > 0 && wanted < TAIL_BYTES.1 {
            wanted *= 4;
            continue;
        }
        files::copy_out(&bytes[found.unwrap_or(0)..])?;
        return Ok(first + u64::try_from(bytes.len()).unwrap_or(0));
    }
}

/// Where the last so many lines begin; none when there are fewer.
fn last_lines(bytes: &[u8], lines: u64) -> Option<usize> {
    if lines == 0 {
        return Some(bytes.len());
    }
    // The line that a last end of a line ends is one of them.
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let ends = body.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
    let nth = usize::try_from(lines).ok()?.checked_sub(1)?;
    ends.map(|(at, _)| at + 1).nth(nth)
}

/// What is followed, and how far it was printed.
struct Followed {
    printed: u64,
    reservation: Option<u64>,
    part: Option<u32>,
    over: bool,
    /// Whether it was said that there are other parts.
    told: bool,
    /// Whether only the last lines of what is there already are wanted.
    tail: Option<u64>,
}

fn follow(args: &OutputArgs, client: &Arc<Client>) -> Result<(), Failure> {
    let heard = hear(client);
    let mut line = StatusLine::new(true);
    let mut followed =
        Followed { printed: 0, reservation: None, part: None, over: false, told: false, tail: args.tail };
    let (mut stale, mut number, mut last) = (false, None, Instant::now());
    loop {
        match heard.recv_timeout(LOOK_EVERY.saturating_sub(last.elapsed())) {
            Ok(Heard::Begun) => stale = true,
            Ok(Heard::Event(event)) => {
                stale |= event.job.is_some() && (number.is_none() || event.job == number);
                // However much happens, what is printed is looked at as often.
                if last.elapsed() < LOOK_EVERY {
                    continue;
                }
            }
            Ok(Heard::Gone(failure)) => return Err(failure),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        last = Instant::now();
        if stale {
            match args.job(client) {
                Ok(view) => {
                    stale = false;
                    number = Some(view.id.parse::<Which>().map_or(view.job, |which| which.job.get()));
                    followed.see(args, &view, &mut line)?;
                }
                Err(Failure::Unreachable(_)) => {}
                Err(failure) => return Err(failure),
            }
        }
        let more = followed.print(args, client, &mut line)?;
        if followed.over && !more && !stale {
            return Ok(());
        }
    }
}

impl Followed {
    /// Takes in where the job is.
    fn see(&mut self, args: &OutputArgs, view: &JobView, line: &mut StatusLine) -> Result<(), Failure> {
        if view.array.is_some() {
            let what = format!("job {} is an array: follow an element, such as {}_1", args.job, args.job);
            return Err(Failure::Input(what));
        }
        self.over = view.state.is_over();
        self.part = match args.part(view) {
            Ok(part) => Some(part),
            Err(_) if !self.over && view.parts.is_empty() => None,
            Err(failure) => return Err(failure),
        };
        if !self.told && !view.parts.is_empty() {
            line.clear();
            args.tell_of_others(view, "this is what part 0 prints");
            self.told = true;
        }
        if view.reservation.is_some() && view.reservation != self.reservation {
            if self.printed > 0 {
                line.clear();
                eprintln!("walras: job {} begins again", args.job);
            }
            (self.reservation, self.printed) = (view.reservation, 0);
        }
        if self.printed == 0 && !self.over {
            line.show(&format!("job {} is {}", args.job, view.state.text()));
        }
        Ok(())
    }

    /// Prints what is new; whether there was anything.
    fn print(&mut self, args: &OutputArgs, client: &Client, line: &mut StatusLine) -> Result<bool, Failure> {
        let Some(part) = self.part else { return Ok(false) };
        let path = args.path(part);
        if let Some(lines) = self.tail {
            line.clear();
            return match tail(client, &path, lines) {
                Ok(printed) => {
                    (self.printed, self.tail) = (printed, None);
                    Ok(true)
                }
                Err(failure) => self.nothing_yet(failure),
            };
        }
        let range = (self.printed > 0).then(|| format!("{}-", self.printed));
        match client.bytes(&path, range.as_deref()) {
            Ok(Bytes::Some { first, reader }) if first == self.printed => {
                line.clear();
                let count = files::copy_out(reader)?;
                self.printed += count;
                Ok(count > 0)
            }
            Ok(Bytes::Some { .. } | Bytes::Beyond(_)) => Ok(false),
            Err(failure) => self.nothing_yet(failure),
        }
    }

    /// What has not begun has printed nothing; what has ended and printed nothing never will.
    fn nothing_yet(&self, failure: Failure) -> Result<bool, Failure> {
        match failure {
            Failure::Unreachable(_) => Ok(false),
            Failure::Refused(_) if !self.over || self.printed > 0 => Ok(false),
            failure => Err(failure),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_found() {
        let of = |text: &'static str, lines| last_lines(text.as_bytes(), lines).map(|at| &text[at..]);
        assert_eq!(of("a\nb\nc\n", 1), Some("c\n"));
        assert_eq!(of("a\nb\nc", 2), Some("b\nc"));
        assert_eq!(of("a\nb\n", 0), Some(""));
        assert_eq!(of("a\nb\n", 2), None);
        assert_eq!(of("\n\n\n", 2), Some("\n\n"));
        assert_eq!(of("", 3), None);
    }
}
