//! What a program is told of its job: variables of its environment, and names of files with what is known filled in.
//!
//! Beside `WALRAS_…` there are the variables of Slurm that scripts rely on, with what they mean there. What the site knows goes over what
//! the job says; what the job says goes over what is only usual.

use crate::contract::{ArrayPlace, GangPlace, Peer, Start, StartPart};
use std::collections::BTreeMap;

/// What `%a` is for a job that is no array, as Slurm has it.
const NO_ELEMENT: &str = "4294967294";
/// A number in a name is filled up to at most so many digits.
const DIGITS_MAX: usize = 10;

/// What a program is told of its peers is at most so long, in bytes.
const PEERS_MAX: usize = 16_384;

/// Where a part runs.
pub(crate) struct Placed<'a> {
    /// On which node; in a queue nobody knows.
    pub(crate) node: Option<&'a str>,
    /// All nodes that the job has on this site, as far as they have names.
    pub(crate) nodes: Vec<&'a str>,
    /// How many these are.
    pub(crate) width: usize,
}

/// Where programs are looked for, and in which language they speak.
pub(crate) struct Usual<'a> {
    pub(crate) path: &'a str,
    pub(crate) lang: &'a str,
}

/// The variables of a part's program.
pub(crate) fn environment<'a>(
    start: &'a Start<'_>,
    part: &'a StartPart,
    placed: &Placed<'a>,
    usual: &Usual<'_>,
) -> Vec<(String, String)> {
    let program = start.program;
    let gang = part.gang.as_ref();
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    let mut set = |name: &str, value: String| all.insert(name.to_owned(), value);
    set("PATH", usual.path.to_owned());
    set("LANG", usual.lang.to_owned());
    // A gang is to its programs what a parallel job is to its, and a task on one node is to its own what a job of one is.
    let alone = gang.is_none() && part.task.is_some();
    let size = gang.map_or(start.size, |gang| u32::try_from(gang.peers.len()).unwrap_or(u32::MAX));
    let parts = size.max(1).to_string();
    for name in ["SLURM_NTASKS", "SLURM_NPROCS"] {
        set(name, if alone { "1".to_owned() } else { parts.clone() });
    }
    for (name, value) in program.particulars.env.iter().chain(part.program.iter().flat_map(|own| &own.env)) {
        set(name, value.clone());
    }
    let (job, number) = (start.job.to_string(), gang.map_or(part.part, |gang| gang.rank).to_string());
    let of_gang = |gang: &'a GangPlace| gang.peers.iter().filter_map(|peer| peer.node.as_deref()).collect();
    let nodes: Vec<&str> = gang.map_or_else(|| placed.nodes.clone(), of_gang);
    let width = gang.map_or(placed.width, |gang| gang.peers.len());
    let own: Vec<&str> = if alone { placed.node.into_iter().collect() } else { nodes.clone() };
    let (rank, wide) = if alone { ("0".to_owned(), 1) } else { (number.clone(), width) };
    for (names, value) in [
        (&["WALRAS_JOB", "SLURM_JOB_ID", "SLURM_JOBID"][..], &job),
        (&["WALRAS_NAME", "SLURM_JOB_NAME"], &program.name),
        (&["WALRAS_USER", "SLURM_JOB_USER"], &program.user),
        (&["WALRAS_PART"], &number),
        (&["SLURM_PROCID"], &rank),
        (&["WALRAS_PARTS"], &parts),
        (&["SLURM_LOCALID"], &"0".to_owned()),
        (&["SLURM_NNODES", "SLURM_JOB_NUM_NODES"], &wide.to_string()),
        (&["WALRAS_NODES"], &nodes.join(",")),
        (&["SLURM_NODELIST", "SLURM_JOB_NODELIST"], &own.join(",")),
    ] {
        for name in names {
            set(name, value.clone());
        }
    }
    if let Some(peers) = peers(gang.map_or(start.peers, |gang| &gang.peers)) {
        set("WALRAS_PEERS", peers);
    }
    if let Some(task) = &part.task {
        set("WALRAS_TASK", task.clone());
    }
    if let Some(node) = placed.node {
        // Of a node that is none of the job's, no place is told rather than another's.
        if let Some(place) = own.iter().position(|it| *it == node) {
            set("SLURM_NODEID", place.to_string());
        }
        for name in ["WALRAS_NODE", "SLURMD_NODENAME"] {
            set(name, node.to_owned());
        }
    }
    for (name, value) in program.array.iter().flat_map(of_element) {
        all.insert(name, value);
    }
    all.into_iter().collect()
}

/// Where all parts of a job are: `SITE/NODE` one after another, with spaces between; a site alone in a queue. Nothing for a job so wide that
/// every part would carry too much.
fn peers(peers: &[Peer]) -> Option<String> {
    let mut all = String::new();
    for peer in peers {
        if !all.is_empty() {
            all.push(' ');
        }
        all.push_str(&peer.site);
        if let Some(node) = &peer.node {
            all.push('/');
            all.push_str(node);
        }
        if all.len() > PEERS_MAX {
            return None;
        }
    }
    Some(all).filter(|all| !all.is_empty())
}

/// What an element of an array is told of its place.
fn of_element(place: &ArrayPlace) -> Vec<(String, String)> {
    let ArrayPlace { array, index, count, lowest, highest, step } = *place;
    let told = [
        ("JOB_ID", array.to_string()),
        ("TASK_ID", index.to_string()),
        ("TASK_COUNT", count.to_string()),
        ("TASK_MIN", lowest.to_string()),
        ("TASK_MAX", highest.to_string()),
        ("TASK_STEP", step.to_string()),
    ];
    let named = |(name, value): (&str, String)| {
        ["WALRAS", "SLURM"].map(|prefix| (format!("{prefix}_ARRAY_{name}"), value.clone()))
    };
    told.into_iter().flat_map(named).collect()
}

/// The name of a file with what is known of a part filled in: `%j` its job, `%A` the array that it is of or else the job, `%a` its element, `%x` the job's name, `%u` its user,
/// `%N` the node, `%t` the part, `%%` a percent sign; with a number between, filled up with zeros (`%4t`). What else follows a percent sign
/// stays as it is. No name leads to another directory by what is filled in.
pub(crate) fn filled_in(pattern: &str, start: &Start<'_>, part: &StartPart, node: Option<&str>) -> String {
    let mut name = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('%') {
        name.push_str(before);
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let width =
            after.get(..digits).and_then(|digits| digits.parse::<usize>().ok()).unwrap_or(0).min(DIGITS_MAX);
        let letter = after.get(digits..).and_then(|rest| rest.chars().next());
        let value = match letter {
            Some('j') => format!("{:0>width$}", start.job.to_string()),
            Some('A') => {
                let whole = start.program.array.map_or(start.job, |place| place.array);
                format!("{:0>width$}", whole.to_string())
            }
            Some('t') => format!("{:0>width$}", part.part.to_string()),
            Some('a') => match start.program.array {
                Some(place) => format!("{:0>width$}", place.index.to_string()),
                None => NO_ELEMENT.to_owned(),
            },
            Some('x') => start.program.name.clone(),
            Some('u') => start.program.user.clone(),
            Some('N') => node.unwrap_or("node").to_owned(),
            Some('%') if digits == 0 => "%".to_owned(),
            _ => {
                name.push('%');
                rest = after;
                continue;
            }
        };
        let safe = |character: char| {
            let leads_out = matches!(character, '/' | '\\') || character.is_control();
            if leads_out { '_' } else { character }
        };
        name.extend(value.chars().map(safe));
        rest = after.get(digits + 1..).unwrap_or_default();
    }
    name + rest
}

/// The files without which a part has not ended well: those of its task, or of its job where that is one part. Of several parts any may leave a file of the
/// job, in a directory of its own.
pub(super) fn outputs_of(start: &Start<'_>, part: &StartPart) -> Vec<String> {
    match (&part.task, &part.program) {
        (_, Some(own)) => own.outputs.clone(),
        (None, None) if start.size == 1 => start.program.particulars.outputs.clone(),
        (_, None) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{JobNumber, Peer, Program, ReservationNumber};
    use walras_model::Time;

    fn with<T>(program: &Program, see: impl FnOnce(&Start<'_>, &StartPart) -> T) -> T {
        let at = Time::from_millis(0).unwrap();
        let part = StartPart { part: 3, hold: 0, gang: None, task: None, program: None, start: at, end: at };
        let parts = [part.clone()];
        let peer = |part, site: &str, node: Option<&str>| Peer {
            part,
            site: site.to_owned(),
            node: node.map(str::to_owned),
        };
        let peers = [peer(0, "north", Some("n1")), peer(1, "queue", None)];
        let (reservation, job) = (ReservationNumber::new(1), JobNumber::new(17));
        let start =
            Start { reservation, job, parts: &parts, size: 4, peers: &peers, program, together: false };
        see(&start, &part)
    }

    #[test]
    fn names_are_filled_in() {
        let program = Program { name: "a/b".to_owned(), user: "ada".to_owned(), ..Program::default() };
        let cases = [
            ("out.txt", "out.txt"),
            ("slurm-%j.out", "slurm-17.out"),
            ("%x_%u-%N.%t", "a_b_ada-n1.3"),
            ("%A_%a", "17_4294967294"),
            ("%6j-%2t", "000017-03"),
            ("100%%", "100%"),
            ("%q%", "%q%"),
            ("%99999999999999999999j", "17"),
            ("%99j", "0000000017"),
            ("ä%jß", "ä17ß"),
        ];
        for (pattern, expected) in cases {
            let name = with(&program, |start, part| filled_in(pattern, start, part, Some("n1")));
            assert_eq!(name, expected, "{pattern}");
        }
    }

    #[test]
    fn what_the_site_knows_goes_over_what_the_job_says() {
        let mut program = Program { name: "fit".to_owned(), user: "ada".to_owned(), ..Program::default() };
        let said = [("SLURM_NTASKS", "16"), ("SLURM_JOB_ID", "9"), ("PATH", "/opt/bin"), ("LAB", "7")];
        program.particulars.env = said.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let placed = Placed { node: Some("n2"), nodes: vec!["n1", "n2"], width: 2 };
        let usual = Usual { path: "/bin", lang: "C" };
        let told = with(&program, |start, part| environment(start, part, &placed, &usual));
        let told: BTreeMap<String, String> = told.into_iter().collect();
        for (name, value) in [
            ("SLURM_NTASKS", "16"),
            ("SLURM_NPROCS", "4"),
            ("SLURM_JOB_ID", "17"),
            ("PATH", "/opt/bin"),
            ("LANG", "C"),
            ("LAB", "7"),
            ("SLURM_PROCID", "3"),
            ("SLURM_NODEID", "1"),
            ("SLURM_NNODES", "2"),
            ("SLURM_JOB_NODELIST", "n1,n2"),
            ("WALRAS_PARTS", "4"),
            ("WALRAS_PEERS", "north/n1 queue"),
        ] {
            assert_eq!(told.get(name).map(String::as_str), Some(value), "{name}");
        }
    }

    /// What runs on one node of a workflow's window is no rank of a parallel job.
    #[test]
    fn a_task_on_one_node_is_the_only_one_of_its_own() {
        let placed = Placed { node: Some("n2"), nodes: vec!["n1", "n2"], width: 2 };
        let usual = Usual { path: "/bin", lang: "C" };
        let told = with(&Program::default(), |start, part| {
            let part = StartPart { task: Some("fit".to_owned()), ..part.clone() };
            let told = environment(start, &part, &placed, &usual);
            told.into_iter().collect::<BTreeMap<String, String>>()
        });
        for (name, value) in [
            ("SLURM_NTASKS", "1"),
            ("SLURM_PROCID", "0"),
            ("SLURM_NODEID", "0"),
            ("SLURM_NNODES", "1"),
            ("SLURM_JOB_NODELIST", "n2"),
            ("WALRAS_TASK", "fit"),
            ("WALRAS_PART", "3"),
            ("WALRAS_PARTS", "4"),
            ("WALRAS_NODES", "n1,n2"),
        ] {
            assert_eq!(told.get(name).map(String::as_str), Some(value), "{name}");
        }
    }

    #[test]
    fn an_element_knows_its_place_in_its_array() {
        let place =
            ArrayPlace { array: JobNumber::new(12), index: 5, count: 3, lowest: 1, highest: 9, step: 4 };
        let program = Program { array: Some(place), ..Program::default() };
        let placed = Placed { node: None, nodes: Vec::new(), width: 1 };
        let usual = Usual { path: "/bin", lang: "C" };
        let told = with(&program, |start, part| environment(start, part, &placed, &usual));
        let told: BTreeMap<String, String> = told.into_iter().collect();
        for (name, value) in [
            ("JOB_ID", "12"),
            ("TASK_ID", "5"),
            ("TASK_COUNT", "3"),
            ("TASK_MIN", "1"),
            ("TASK_MAX", "9"),
            ("TASK_STEP", "4"),
        ] {
            for prefix in ["WALRAS", "SLURM"] {
                assert_eq!(told.get(&format!("{prefix}_ARRAY_{name}")).map(String::as_str), Some(value));
            }
        }
        assert_eq!(told["SLURM_JOB_ID"], "17");
        let name = with(&program, |start, part| filled_in("%A_%3a-%j", start, part, None));
        assert_eq!(name, "12_005-17");
    }
}
