//! Slurm as far as the connector sees it, in memory: it answers as Slurm does, and misbehaves on demand as Slurm does by itself.

use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard};
use walras_model::Time;
use walras_sites::SiteError;
use walras_sites::slurm::Slurm;
use walras_sites::slurm::command::Call;
use walras_sites::slurm::execute::Printed;

/// A cluster with the nodes n1 and n2, which outlives the services that use it.
#[derive(Clone, Default)]
pub(crate) struct FakeSlurm(Arc<Mutex<Cluster>>);

#[derive(Default)]
pub(crate) struct Cluster {
    /// Start, end and node of reservations.
    pub(crate) reservations: BTreeMap<String, (i64, i64, String)>,
    /// Which cores they have, where not their whole node.
    pub(crate) cores: BTreeMap<String, Vec<u32>>,
    /// What is said of n1 beside its state, and how the cluster gives out what it has.
    pub(crate) has: String,
    pub(crate) select: String,
    pub(crate) jobs: Vec<Job>,
    /// The names of jobs that were cancelled.
    pub(crate) cancelled: Vec<String>,
    /// Reservations are not let go of, as while a job completes on their nodes.
    pub(crate) keeps: bool,
    /// The controller does not answer.
    pub(crate) away: bool,
    /// The state of n1; idle, without.
    pub(crate) state: Option<String>,
    /// Its partition starts nothing, and how long jobs may be there; as long as they like, without.
    pub(crate) closed: bool,
    pub(crate) longest: Option<String>,
    /// What is said of nodes beside n1 and n2, and whether n2 is left out.
    pub(crate) more_nodes: String,
    pub(crate) halved: bool,
    /// Lines of `squeue` about others' jobs.
    pub(crate) others: String,
    /// How often it was asked for its reservations.
    pub(crate) looks: usize,
    /// How often it was asked for anything, and how often told by a process of its own.
    pub(crate) calls: usize,
    pub(crate) told: usize,
    /// It does not show what others have reserved.
    pub(crate) blind: bool,
    /// How long jobs wait that it would start, in seconds, and whether those that were submitted do.
    pub(crate) wait: i64,
    pub(crate) full: bool,
    /// Nothing that it starts comes up: its nodes do not see what is shared.
    pub(crate) barren: bool,
    /// It takes no job.
    pub(crate) refuses: bool,
    /// Who may use the reservations that were made, and the words of the last submission.
    pub(crate) users: Vec<String>,
    pub(crate) submitted: Vec<String>,
}

pub(crate) struct Job {
    pub(crate) name: String,
    pub(crate) node: String,
    pub(crate) command: Vec<String>,
    /// Its supervisors; none, while it waits.
    children: Vec<Child>,
    /// When they began, in seconds since 1970.
    started: i64,
    /// Somebody has cancelled it.
    cancelled: bool,
    /// When it was over, in seconds since 1970.
    ended: Option<i64>,
}

impl Job {
    fn is_over(&mut self) -> bool {
        let ended = self.children.iter_mut().all(|child| !matches!(child.try_wait(), Ok(None)));
        let over = self.cancelled && self.children.is_empty() || ended && !self.children.is_empty();
        if over {
            self.ended.get_or_insert(seconds());
        }
        over
    }
}

/// A supervisor on every node: in a queue so many, each for its place.
fn spawn(command: &[String]) -> Vec<Child> {
    let [program, directory, width @ ..] = command else { panic!("{command:?}") };
    let places: Vec<String> = match width {
        [] => vec![directory.clone()],
        [width, ..] => (0..width.parse().unwrap()).map(|place: u32| format!("{directory}/{place}")).collect(),
    };
    let supervise = |place: &String| {
        let mut program = Command::new(program);
        program.arg("supervise-hold").arg(place).env("SLURMD_NODENAME", "n7");
        program.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    places.iter().map(supervise).collect()
}

/// Now, in seconds since 1970.
fn seconds() -> i64 {
    crate::bench::now().as_millis() / 1_000
}

fn kill(children: &mut [Child]) {
    for child in children {
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl FakeSlurm {
    pub(crate) fn cluster(&self) -> MutexGuard<'_, Cluster> {
        self.0.lock().unwrap()
    }

    /// Ends every job, as Slurm does whose owner cancels it.
    pub(crate) fn end_all(&self) {
        self.end_all_at(crate::bench::now());
    }

    /// The same, as if it were another time.
    pub(crate) fn end_all_at(&self, time: Time) {
        for job in &mut self.cluster().jobs {
            kill(&mut job.children);
            job.cancelled = true;
            job.ended.get_or_insert(time.as_millis() / 1_000);
        }
    }

    /// Asks every job to end, as Slurm does first.
    pub(crate) fn tell_all_to_end(&self) {
        for job in &mut self.cluster().jobs {
            job.cancelled = true;
            for child in &job.children {
                let pid = rustix::process::Pid::from_child(child);
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
            }
        }
    }

    /// Lets no job do anything, as those that wait for their node.
    pub(crate) fn stop_all(&self) {
        for child in self.cluster().jobs.iter().flat_map(|job| &job.children) {
            let pid = rustix::process::Pid::from_child(child);
            rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
        }
    }

    /// Lets everything begin that waits.
    pub(crate) fn make_room(&self) {
        let mut cluster = self.cluster();
        cluster.full = false;
        for job in cluster.jobs.iter_mut().filter(|job| job.children.is_empty() && !job.cancelled) {
            job.children = spawn(&job.command);
            job.started = seconds();
        }
    }

    /// Starts every job again, as a controller does that was killed just after it had started them.
    pub(crate) fn start_again(&self) {
        let mut cluster = self.cluster();
        let again = cluster.jobs.iter().map(|job| Job {
            name: job.name.clone(),
            node: job.node.clone(),
            command: job.command.clone(),
            children: spawn(&job.command),
            started: seconds(),
            cancelled: false,
            ended: None,
        });
        let again: Vec<Job> = again.collect();
        cluster.jobs.extend(again);
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for job in &mut self.jobs {
            kill(&mut job.children);
        }
    }
}

impl Slurm for FakeSlurm {
    fn run(&mut self, call: &Call) -> Result<Printed, SiteError> {
        let mut cluster = self.cluster();
        cluster.calls += 1;
        if cluster.away {
            return Err(SiteError::Unreachable("nobody is there".to_owned()));
        }
        let words: Vec<&str> = call.arguments.iter().map(String::as_str).collect();
        let out = match (call.program, words.as_slice()) {
            ("scontrol", ["-o", "show", "node"]) => cluster.nodes(),
            ("scontrol", ["-o", "show", "reservation"]) => cluster.shown(),
            ("scontrol", ["-a", "-o", "show", "partition"]) => {
                let state = if cluster.closed { "DOWN" } else { "UP" };
                let longest = cluster.longest.as_deref().unwrap_or("UNLIMITED");
                format!("PartitionName=all AllowGroups=ALL MaxTime={longest} Nodes=n[1-9] State={state}\n")
            }
            ("scontrol", ["show", "config"]) => {
                format!("ClusterName = fake\nSchedulerParameters = bf_interval=1\n{}", cluster.select)
            }
            ("scontrol", []) => {
                cluster.told += 1;
                call.input.iter().flat_map(|it| it.lines()).map(|line| cluster.told(line)).collect()
            }
            ("squeue", [.., format]) => cluster.queue(format.contains("tres-alloc")),
            ("sbatch", ["--test-only", ..]) => {
                let start = crate::bench::now().as_millis() / 1_000 + cluster.wait;
                let wrong = format!("sbatch: Job 1 to start at {start} using 1 processors on nodes n1");
                cluster.submitted = words.iter().map(|&word| word.to_owned()).collect();
                return Ok(Printed { out: Vec::new(), wrong, well: true });
            }
            ("sbatch", _) if cluster.refuses => {
                let wrong = "sbatch: error: Batch job submission failed: Invalid account".to_owned();
                return Ok(Printed { out: Vec::new(), wrong, well: false });
            }
            ("sbatch", _) => cluster.submit(&words),
            ("scancel", _) => cluster.cancel(&words),
            _ => panic!("{call:?} is not known"),
        };
        Ok(Printed { out: out.into_bytes(), wrong: String::new(), well: true })
    }
}

impl Cluster {
    fn nodes(&self) -> String {
        let state = self.state.as_deref().unwrap_or("IDLE");
        let second = if self.halved { "" } else { "NodeName=n2 State=IDLE Partitions=all\n" };
        format!("NodeName=n1 State={state} {} Partitions=all\n{second}{}", self.has, self.more_nodes)
    }

    fn shown(&mut self) -> String {
        self.looks += 1;
        let cores = |name: &String, node: &str| match self.cores.get(name) {
            None => String::new(),
            Some(cores) => {
                let all: Vec<String> = cores.iter().map(u32::to_string).collect();
                format!(" NodeCnt=1 CoreCnt={} NodeName={node} CoreIDs={}", cores.len(), all.join(","))
            }
        };
        let line = |(name, (start, end, node)): (&String, &(i64, i64, String))| {
            let cores = cores(name, node);
            format!(
                "ReservationName={name} StartTime={start} EndTime={end} Nodes={node}{cores} Flags=SPEC_NODES\n"
            )
        };
        let shown = |(name, _): &(&String, &(i64, i64, String))| !self.blind || name.starts_with("walras-");
        self.reservations.iter().filter(shown).map(line).collect()
    }

    /// The columns of what jobs have are given with others' jobs, as they are.
    fn queue(&mut self, with_uses: bool) -> String {
        let mut text = self.others.clone();
        let uses = if with_uses { "1|1|OK|cpu=1,mem=1M,node=1|N/A|N/A|N/A|N/A|" } else { "" };
        for (job, id) in self.jobs.iter_mut().zip(1..) {
            let state = match (job.is_over(), job.cancelled) {
                (true, true) => "CANCELLED",
                (true, false) => "COMPLETED",
                (false, _) if job.children.is_empty() => "PENDING",
                (false, _) => "RUNNING",
            };
            let (node, name, end) = (&job.node, &job.name, job.ended.unwrap_or(9_999_999_999));
            let start = job.started;
            text.push_str(&format!("{id}|{state}|{start}|{end}|{node}|(null)|{name}|{uses}{name}\n"));
        }
        text
    }

    fn told(&mut self, line: &str) -> String {
        let value = |key: &str| {
            line.split(' ').find_map(|word| word.strip_prefix(key)).unwrap_or_default().to_owned()
        };
        let name = value("ReservationName=");
        let time = |key: &str| value(key).strip_prefix("uts").unwrap().parse::<i64>().unwrap();
        if line.starts_with("create ") {
            let (start, end, node) = (time("StartTime="), time("EndTime="), value("Nodes="));
            let meets = |it: &(i64, i64, String)| it.2 == node && it.0 < end && start < it.1;
            let beside: Vec<&String> =
                self.reservations.iter().filter(|(_, it)| meets(it)).map(|(name, _)| name).collect();
            // Parts are not in the way of the whole, as in 22.05; everything else is that meets.
            let whole = |name: &&&String| !self.cores.contains_key(**name);
            if beside.iter().any(|name| whole(&name)) {
                return String::new();
            }
            if let Ok(count) = value("CoreCnt=").parse::<usize>() {
                let has = self.has.split(' ').find_map(|word| word.strip_prefix("CPUTot=")).unwrap();
                let taken: Vec<u32> = beside.iter().flat_map(|name| &self.cores[*name]).copied().collect();
                let free = (0..has.parse::<u32>().unwrap()).filter(|core| !taken.contains(core));
                let free: Vec<u32> = free.take(count).collect();
                if free.len() < count {
                    return String::new();
                }
                self.cores.insert(name.clone(), free);
            }
            self.reservations.insert(name.clone(), (start, end, node));
            self.users.push(value("Users="));
            return format!("Reservation created: {name}\n");
        }
        if line.starts_with("delete ") && !self.keeps {
            self.reservations.remove(&name);
            self.cores.remove(&name);
        }
        String::new()
    }

    fn submit(&mut self, words: &[&str]) -> String {
        let value = |key: &str| words.iter().find_map(|word| word.strip_prefix(key)).map(str::to_owned);
        let script = words.iter().position(|word| !word.starts_with('-')).unwrap();
        let command: Vec<String> = words[script + 1..].iter().map(|&word| word.to_owned()).collect();
        let children = match (self.full, self.barren) {
            (true, _) => Vec::new(),
            (false, true) => vec![Command::new("false").spawn().unwrap()],
            (false, false) => spawn(&command),
        };
        self.submitted = words.iter().map(|&word| word.to_owned()).collect();
        self.jobs.push(Job {
            name: value("--job-name=").unwrap(),
            node: value("--nodelist=").unwrap_or_else(|| "n1".to_owned()),
            command,
            children,
            started: seconds(),
            cancelled: false,
            ended: None,
        });
        "1\n".to_owned()
    }

    fn cancel(&mut self, words: &[&str]) -> String {
        // One name, as Slurm: what looks like several is the name of nothing.
        let name = words.iter().find_map(|word| word.strip_prefix("--name=")).unwrap();
        for job in self.jobs.iter_mut().filter(|job| job.name == name) {
            self.cancelled.push(job.name.clone());
            job.cancelled = true;
            let over = job.is_over();
            for child in job.children.iter().filter(|_| !over) {
                let pid = rustix::process::Pid::from_child(child);
                for signal in [rustix::process::Signal::TERM, rustix::process::Signal::CONT] {
                    let _ = rustix::process::kill_process(pid, signal);
                }
            }
        }
        String::new()
    }
}
