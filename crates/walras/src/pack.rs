//! `walras pack`: jobs that take cores and memory of nodes, under the usual ways to pack them and under the broker.

use crate::failure::Failure;
use crate::files;
use crate::simulate::{failed, multiplier};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use walras_model::Multiplier;
use walras_sim::packing::{Cluster, Counting, Packer, Read, Trial, Usage, read_jobs, read_machines};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A trace with the memory of a node in the tenth column and nodes:ppn=cores in the last, gzip or plain
    #[arg(value_name = "TRACE")]
    trace: PathBuf,

    /// The nodes: a line for every kind, with a number, a name, how many there are, and of each cores, speed and memory in KiB
    #[arg(long, value_name = "FILE")]
    machines: PathBuf,

    /// Who packs, as often as wanted: first-fit, best-fit, easy, conservative (each with :units, where nodes are sold in as many equal
    /// units as they have cores), or walras, which sells such units, with settings as in `walras simulate`
    #[arg(long = "policy", value_name = "POLICY", default_values = ["first-fit", "best-fit", "easy", "easy:units", "walras"])]
    policies: Vec<Packer>,

    /// Leave out so many jobs first
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,

    /// Take so many jobs, instead of all
    #[arg(long, value_name = "N")]
    take: Option<usize>,

    /// Let jobs come so many times as densely
    #[arg(long, value_name = "FACTOR", value_parser = multiplier)]
    load: Option<Multiplier>,

    /// Let the auditor read the broker's journal along
    #[arg(long)]
    audit: bool,

    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

/// What came of a call.
#[derive(Serialize)]
struct Results {
    schema: &'static str,
    nodes: usize,
    cores: u128,
    /// In KiB.
    memory: u128,
    jobs: usize,
    left_out: LeftOut,
    policies: Vec<Row>,
}

/// Jobs of the trace that nobody packs, of the whole of it.
#[derive(Serialize)]
struct LeftOut {
    unread: u64,
    short: u64,
    refused: usize,
}

/// What came of the jobs under a policy.
#[derive(Serialize)]
struct Row {
    policy: String,
    /// Jobs that ran: all but those that no node can be sold to in units.
    jobs: usize,
    /// Nothing where no two jobs came apart.
    usage: Option<Usage>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let wrong = |path: &Path, why: String| Failure::Input(format!("{}: {why}", path.display()));
    let cluster = read_machines(files::open(&args.machines)?)
        .map_err(|error| wrong(&args.machines, error.to_string()))?;
    let read =
        read_jobs(files::open(&args.trace)?).map_err(|error| files::cannot_read(&args.trace, &error))?;
    let notes = notes(args, &read);
    let left_out = (read.unread, read.short);
    let all = Trial::new(&cluster, read.jobs, Counting::ByResource);
    let left_out = LeftOut { unread: left_out.0, short: left_out.1, refused: all.refused() };
    let window = all.jobs().iter().copied().skip(args.skip).take(args.take.unwrap_or(usize::MAX));
    let trial = Trial::new(&cluster, window, Counting::ByResource);
    let trial = args.load.map_or(trial.clone(), |load| trial.denser(load));
    if trial.jobs().is_empty() {
        let why = format!("there is no job to pack ({} lines cannot be read)", left_out.unread);
        return Err(wrong(&args.trace, std::iter::once(why).chain(notes).collect::<Vec<_>>().join("; ")));
    }
    let row = |packer: &Packer| {
        let ran = packer.run(&trial, args.audit).map_err(|error| failed(&error))?;
        Ok(Row { policy: packer.to_string(), jobs: ran.len(), usage: Usage::of(&cluster, &ran) })
    };
    let policies = args.policies.iter().map(row).collect::<Result<Vec<_>, Failure>>()?;
    let (cores, memory) = cluster.all();
    let nodes = cluster.nodes().count();
    let jobs = trial.jobs().len();
    let results = Results { schema: "walras.packing/1", nodes, cores, memory, jobs, left_out, policies };
    if args.json {
        let text = serde_json::to_string_pretty(&results).map_err(Failure::fault)?;
        files::print(&format!("{text}\n"))
    } else {
        files::print(&table(&results, &cluster, &notes))
    }
}

fn notes(args: &Args, read: &Read) -> Vec<String> {
    let trace = args.trace.display();
    read.bad.iter().map(|bad| format!("{trace}: {bad}")).collect()
}

/// The results for people.
fn table(results: &Results, cluster: &Cluster, notes: &[String]) -> String {
    let mut text = String::new();
    let LeftOut { unread, short, refused } = results.left_out;
    for note in notes {
        let _ = writeln!(text, "{note}");
    }
    for (count, has) in cluster.kinds() {
        let _ = writeln!(text, "{count} nodes of {} cores and {} GiB", has.cores, has.memory >> 20);
    }
    let _ = writeln!(
        text,
        "{} jobs; left out of the trace: {unread} that cannot be read, {short} shorter than a second, {refused} that fit nowhere\n",
        results.jobs
    );
    let names = ["jobs", "cores", "memory", "wait s", "p95", "slowdown", "makespan s"];
    let _ = write!(text, "{:<20}", "policy");
    names.iter().for_each(|name| _ = write!(text, " {name:>10}"));
    text.push('\n');
    for row in &results.policies {
        let _ = write!(text, "{:<20} {:>10}", row.policy, row.jobs);
        if let Some(it) = row.usage {
            let (cores, memory) = (format!("{:.1}%", 100.0 * it.cores), format!("{:.1}%", 100.0 * it.memory));
            let _ = write!(text, " {cores:>10} {memory:>10} {:>10.0} {:>10.0}", it.wait, it.wait_p95);
            let _ = write!(text, " {:>10.2} {:>10.0}", it.slowdown, it.makespan);
        }
        text.push('\n');
    }
    text
}
