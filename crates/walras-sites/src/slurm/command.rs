//! What is asked of Slurm, as argument vectors: no shell sees any of it.
//!
//! Times are seconds since 1970 (`uts…`), which spares all zones. Names are `walras-<instance>-<number>-<place>`: Slurm keeps no other
//! mark on a reservation, and the numbers of jobs are given out again after a crash.

use super::amount::Part;
use super::uses;
use crate::contract::ReservationNumber;
use std::path::Path;

/// What begins the name of everything that any service of ours has in Slurm.
pub const TAG: &str = "walras-";

/// A program of Slurm's with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its name alone; it is looked up in the directories of the site's path.
    pub program: &'static str,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// What it reads.
    pub input: Option<String>,
}

impl Call {
    fn new(program: &'static str, arguments: &[&str]) -> Call {
        Call { program, arguments: arguments.iter().map(|&it| it.to_owned()).collect(), input: None }
    }
}

/// The name of a hold in Slurm, of its reservation as of its job.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tag {
    /// Which reservation of the broker's.
    pub number: ReservationNumber,
    /// The place of the hold in it.
    pub place: u32,
}

/// What begins the names of everything that one data directory has in Slurm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance(String);

impl Instance {
    /// Of these letters and digits.
    pub fn new(name: &str) -> Instance {
        Instance(name.to_owned())
    }

    /// The letters and digits.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// The name of a hold.
    pub fn tag(&self, tag: &Tag) -> String {
        format!("{TAG}{}-{}-{}", self.0, tag.number, tag.place)
    }

    /// The hold that has this name; nothing where it is not one of ours.
    pub fn read(&self, name: &str) -> Option<Tag> {
        let rest = name.strip_prefix(TAG)?.strip_prefix(self.0.as_str())?.strip_prefix('-')?;
        let (number, place) = rest.split_once('-')?;
        let tag = Tag { number: ReservationNumber::new(number.parse().ok()?), place: place.parse().ok()? };
        // Whatever else reads as the same numbers was not made by us.
        (self.tag(&tag) == name).then_some(tag)
    }
}

/// All nodes.
pub fn nodes() -> Call {
    Call::new("scontrol", &["-o", "show", "node"])
}

/// All partitions, hidden ones too.
pub fn partitions() -> Call {
    Call::new("scontrol", &["-a", "-o", "show", "partition"])
}

/// All reservations.
pub fn reservations() -> Call {
    Call::new("scontrol", &["-o", "show", "reservation"])
}

/// All jobs, those that are over too: number, state, start, end, nodes, planned nodes, reservation, name. The name may hold anything, so it
/// comes last.
pub fn jobs() -> Call {
    Call::new("squeue", &["-h", "-a", "-t", "all", "-o", "%i|%T|%S|%e|%N|%Y|%v|%j"])
}

/// The same with what jobs have of their nodes, before the name.
pub fn jobs_with_uses() -> Call {
    let before = ["JobArrayID", "State", "StartTime", "EndTime", "NodeList", "SchedNodes", "Reservation"];
    let columns: Vec<String> = before.into_iter().chain(uses::COLUMNS).map(|it| format!("{it}:|")).collect();
    Call::new("squeue", &["-h", "-a", "-t", "all", "-O", &format!("{},Name:", columns.join(","))])
}

/// How Slurm is set up.
pub fn settings() -> Call {
    Call::new("scontrol", &["show", "config"])
}

/// A reservation that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its name.
    pub name: String,
    /// The node.
    pub node: String,
    /// From when on, in seconds since 1970.
    pub start: i64,
    /// When it ends, in seconds since 1970.
    pub end: i64,
    /// Who may use it, by number.
    pub user: u32,
    /// Whether jobs of our own, whose limits are whole minutes, reach into it.
    pub over_jobs: bool,
    /// How many units of the node, of how many, where it is sold in units.
    pub share: Option<(u32, u32)>,
    /// The cores of these: of a node that is sold in units all are named, too, for Slurm makes a reservation of the whole over those of parts.
    pub cores: Option<u32>,
}

/// Makes reservations, all through one process: a line each, of words without spaces.
pub fn create(wanted: &[Wanted]) -> Call {
    let line = |it: &Wanted| {
        let flags = if it.over_jobs { " Flags=IGNORE_JOBS" } else { "" };
        let cores = it.cores.map(|cores| format!(" CoreCnt={cores}")).unwrap_or_default();
        let Wanted { name, node, start, end, user, .. } = it;
        format!(
            "create reservation ReservationName={name} StartTime=uts{start} EndTime=uts{end} Nodes={node}{cores} Users={user}{flags}\n"
        )
    };
    let input = wanted.iter().map(line).collect();
    Call { program: "scontrol", arguments: Vec::new(), input: Some(input) }
}

/// Whether this user may make reservations: one on a node that cannot be is refused for the node, or first for the user.
pub fn may_reserve(start: i64) -> Call {
    let start = format!("StartTime=uts{start}");
    let (name, node) = ("ReservationName=walras-probe", "Nodes=walras.no.such.node");
    Call::new("scontrol", &["create", "reservation", name, &start, "Duration=1", node, "Users=root"])
}

/// Takes reservations away, all through one process.
pub fn delete(names: &[String]) -> Call {
    let input = names.iter().map(|name| format!("delete ReservationName={name}\n")).collect();
    Call { program: "scontrol", arguments: Vec::new(), input: Some(input) }
}

/// Lets the job of a reservation start although its limit, in whole minutes, reaches into the next one. Set early, nothing would be
/// checked against it any more; so it is set just before.
pub fn may_overlap(names: &[String]) -> Call {
    let line = |name: &String| format!("update ReservationName={name} Flags+=OVERLAP\n");
    Call { program: "scontrol", arguments: Vec::new(), input: Some(names.iter().map(line).collect()) }
}

/// Ends the jobs of this name. Slurm takes one name at a time; numbers are given anew after a crash, and would be somebody else's.
pub fn cancel(name: &str) -> Call {
    Call::new("scancel", &["--quiet", &format!("--name={name}")])
}

/// Where a job runs.
#[derive(Clone, Copy, Debug)]
pub enum Where<'a> {
    /// On this node, in the reservation of its own name.
    Reserved(&'a str),
    /// The same, with so much of the node.
    Part(&'a str, Part),
    /// On so many nodes, which Slurm chooses when it likes.
    Queued(usize),
}

/// A job of ours, which is a supervisor on each of its nodes.
#[derive(Clone, Copy, Debug)]
pub struct Submission<'a> {
    /// Its name, and that of its reservation.
    pub name: &'a str,
    /// Where it runs.
    pub place: Where<'a>,
    /// In which partition; in the first that has room, of several with commas between.
    pub partition: Option<&'a str>,
    /// What Slurm's own accounting books it on.
    pub project: Option<&'a str>,
    /// Its quality of service.
    pub qos: Option<&'a str>,
    /// As whom it runs, by number and group; as the submitter, without.
    pub account: Option<(u32, u32)>,
    /// For how many minutes.
    pub minutes: i64,
    /// What is run.
    pub script: &'a Path,
    /// Its arguments.
    pub arguments: &'a [&'a Path],
}

/// Submits a job of ours.
pub fn submit(job: &Submission<'_>) -> Call {
    let mut call = Call::new("sbatch", &["--parsable", "--no-requeue"]);
    call.arguments.extend(needs(job));
    call.arguments.extend([
        format!("--job-name={}", job.name),
        // The submitter's environment is empty; anything else makes Slurm ask a login shell for one, which takes seconds.
        "--export=ALL".to_owned(),
        "--chdir=/".to_owned(),
        "--output=/dev/null".to_owned(),
        "--error=/dev/null".to_owned(),
        "--input=/dev/null".to_owned(),
    ]);
    if let Some((user, group)) = job.account {
        call.arguments.extend([format!("--uid={user}"), format!("--gid={group}")]);
    }
    call.arguments.push(job.script.to_string_lossy().into_owned());
    call.arguments.extend(job.arguments.iter().map(|it| it.to_string_lossy().into_owned()));
    call
}

/// When Slurm would start such a job; nothing is submitted.
pub fn estimate(job: &Submission<'_>) -> Call {
    let mut call = Call::new("sbatch", &["--test-only"]);
    call.arguments.extend(needs(job));
    call.arguments.push("--wrap=true".to_owned());
    call
}

/// What a job needs of a cluster.
fn needs(job: &Submission<'_>) -> Vec<String> {
    let nodes = match job.place {
        Where::Reserved(_) | Where::Part(..) => 1,
        Where::Queued(nodes) => nodes,
    };
    let mut words = match job.place {
        Where::Part(_, part) => needs_of(&part),
        // All memory too: else a cluster that divides it gives each job a default.
        Where::Reserved(_) | Where::Queued(_) => vec!["--exclusive".to_owned(), "--mem=0".to_owned()],
    };
    words.extend([format!("--nodes={nodes}"), format!("--ntasks={nodes}")]);
    match job.place {
        Where::Reserved(node) | Where::Part(node, _) => {
            words.extend([format!("--reservation={}", job.name), format!("--nodelist={node}")]);
        }
        Where::Queued(_) => words.push("--ntasks-per-node=1".to_owned()),
    }
    words.push(format!("--time={}", job.minutes));
    words.extend(job.partition.map(|name| format!("--partition={name}")));
    words.extend(job.project.map(|name| format!("--account={name}")));
    words.extend(job.qos.map(|name| format!("--qos={name}")));
    words
}

/// What a job needs that has so much of a node.
fn needs_of(part: &Part) -> Vec<String> {
    let mut words = vec![format!("--cpus-per-task={}", part.cpus)];
    words.extend((part.memory_mib > 0).then(|| format!("--mem={}", part.memory_mib)));
    words.extend((part.gpus > 0).then(|| format!("--gres=gpu:{}", part.gpus)));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        let instance = Instance::new("a1b2");
        let tag = Tag { number: ReservationNumber::new(12), place: 3 };
        assert_eq!(instance.tag(&tag), "walras-a1b2-12-3");
        assert_eq!(instance.read("walras-a1b2-12-3"), Some(tag));
        for name in ["walras-a1b-12-3", "walras-a1b2-12", "walras-a1b2-012-3", "walras-a1b2-12-3-4", "x", ""]
        {
            assert_eq!(instance.read(name), None, "{name}");
        }
    }

    #[test]
    fn a_reservation_is_a_line() {
        let wanted = Wanted {
            name: "walras-a-1-0".to_owned(),
            node: "n1".to_owned(),
            start: 100,
            end: 160,
            user: 0,
            over_jobs: true,
            share: None,
            cores: None,
        };
        let line = "create reservation ReservationName=walras-a-1-0 StartTime=uts100 EndTime=uts160 Nodes=n1 Users=0 Flags=IGNORE_JOBS\n";
        assert_eq!(create(std::slice::from_ref(&wanted)).input.as_deref(), Some(line));
        let part = Wanted { over_jobs: false, share: Some((1, 4)), cores: Some(8), ..wanted };
        let line = "create reservation ReservationName=walras-a-1-0 StartTime=uts100 EndTime=uts160 Nodes=n1 CoreCnt=8 Users=0\n";
        assert_eq!(create(&[part]).input.as_deref(), Some(line));
    }

    #[test]
    fn a_part_of_a_node_is_asked_for_by_what_it_has() {
        let part = Part { cores: 2, cpus: 4, memory_mib: 2_048, gpus: 1 };
        let job = Submission {
            name: "walras-a-1-0",
            place: Where::Part("n4", part),
            partition: Some("all"),
            project: None,
            qos: None,
            account: None,
            minutes: 2,
            script: Path::new("s"),
            arguments: &[],
        };
        let words = needs(&job).join(" ");
        assert_eq!(
            words,
            "--cpus-per-task=4 --mem=2048 --gres=gpu:1 --nodes=1 --ntasks=1 --reservation=walras-a-1-0 --nodelist=n4 --time=2 --partition=all"
        );
    }
}
