//! How long a look at a large cluster takes: parsed and made into free time.
//!
//! `cargo run --release -p walras-sites --example look -- 5000 20000` for so many nodes and busy intervals.

#![allow(clippy::print_stdout, reason = "an example that prints")]

use std::error::Error;
use std::time::Instant;
use walras_model::{Interval, Time};
use walras_sites::slurm::Margin;
use walras_sites::slurm::command::Instance;
use walras_sites::slurm::free::Snapshot;
use walras_sites::slurm::parse::{self, Parsed};

const NOW: i64 = 1_800_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut numbers = std::env::args().skip(1).map(|it| it.parse::<i64>());
    let nodes = numbers.next().transpose()?.unwrap_or(5_000);
    let busy = numbers.next().transpose()?.unwrap_or(20_000);
    let node = |it: i64| {
        format!(
            "NodeName=n{it} Arch=x86_64 CoresPerSocket=32 CPUAlloc=0 CPUEfctv=64 CPUTot=64 CPULoad=0.05 \
             AvailableFeatures=performance=2.0,price=3 ActiveFeatures=performance=2.0,price=3 Gres=(null) NodeAddr=n{it} \
             Version=22.05.8 OS=Linux 6.1.0 #1 SMP RealMemory=512000 AllocMem=0 FreeMem=500000 Sockets=2 Boards=1 \
             State=IDLE ThreadsPerCore=1 TmpDisk=0 Weight=1 Partitions=all BootTime={NOW} CfgTRES=cpu=64,mem=500G\n"
        )
    };
    let job = |it: i64| {
        let (on, start) = (it % nodes, NOW + 600 * (it / nodes));
        let state = if it < nodes { "RUNNING" } else { "PENDING" };
        let (has, planned) = if it < nodes {
            (format!("n{on}"), "(null)".to_owned())
        } else {
            (String::new(), format!("n{on}"))
        };
        format!("{it}|{state}|{start}|{}|{has}|{planned}|(null)|job\n", start + 300)
    };
    let printed: (String, String) = ((0..nodes).map(node).collect(), (0..busy).map(job).collect());
    let begun = Instant::now();
    let none = parse::reservations(b"No reservations in the system\n");
    let snapshot = Snapshot::new(
        parse::nodes(printed.0.as_bytes()),
        Parsed::default(),
        parse::jobs(printed.1.as_bytes()),
        none,
    );
    let parsed = begun.elapsed();
    let names: Vec<String> = (0..nodes).map(|it| format!("n{it}")).collect();
    let moment = |seconds: i64| Time::from_millis(1_000 * seconds).ok_or("beyond all time");
    let horizon = Interval::new(moment(NOW)?, moment(NOW + 7 * 86_400)?).ok_or("no time at all")?;
    let margin = Margin { before: 8_000, after: 4_000 };
    let free = snapshot.free(&names, &Instance::new("a"), NOW, horizon, margin);
    let slots: usize = free.iter().map(Vec::len).sum();
    println!(
        "{nodes} nodes, {busy} busy intervals: parsed in {parsed:?}, {slots} free intervals after {:?}",
        begun.elapsed()
    );
    Ok(())
}
