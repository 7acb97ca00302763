//! What the tests of sites use in place of the `walras` program.
//!
//! `supervise DIRECTORY` supervises a part, `supervise-hold DIRECTORY` a hold of Slurm's. `hold DATA NUMBER COMMAND…` opens a local site with one node, starts the command under
//! that reservation, says so, and waits to be killed.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a helper of tests")]

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use walras_model::{Interval, Money, NodeId, Rate, Time};
use walras_sites::local::{
    Accounts, Demand, LimitDemand, LocalConnector, LocalOptions, ProcessLimits, supervise,
};
use walras_sites::slurm::supervise_hold;
use walras_sites::{
    Clock, Connector, Customer, Hold, JobNumber, Offering, Prepare, Program, ReservationNumber, SiteMessage,
    Start, StartPart,
};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [_, "supervise", directory] => supervise(Path::new(directory)),
        [_, "supervise-hold", directory] => supervise_hold(Path::new(directory)),
        [_, "hold", data, number, command @ ..] => hold(Path::new(data), number, command),
        _ => ExitCode::from(2),
    }
}

fn hold(data: &Path, number: &str, command: &[&str]) -> ExitCode {
    let options = LocalOptions {
        offering: Offering::Slots,
        first_node: 0,
        nodes: vec!["n1".to_owned()],
        units: Vec::new(),
        limits: ProcessLimits::default(),
        node_limits: Vec::new(),
        limit_demand: LimitDemand::Preferred,
        cgroup: None,
        accounts: Accounts::Service,
        isolation: Demand::Off,
        hidden: Vec::new(),
        path: "/usr/local/bin:/usr/bin:/bin".to_owned(),
        lang: "C.UTF-8".to_owned(),
        grace: Duration::from_secs(1),
        keep: Duration::from_secs(86_400),
        executable: std::env::current_exe().unwrap(),
    };
    let (memory, directory) = (data.join("site.db"), data.join("site"));
    let mut site = LocalConnector::open(options, Clock::WALL, &memory, &directory).unwrap();
    let reservation = ReservationNumber::new(number.parse().unwrap());
    let now = Clock::WALL.now();
    let end = Time::from_millis(now.as_millis() + 60_000).unwrap();
    let interval = Interval::new(now, end).unwrap();
    let rate = Rate::from_micros_per_second(1).unwrap();
    let hold = Hold { units: 1, node: Some(NodeId::new(0)), interval, rate, cost: Money::from_micros(60) };
    let customer = Customer { job: JobNumber::new(1), user: "ada".to_owned(), group: None };
    site.prepare(now, &Prepare { reservation, customer: &customer, holds: &[hold], expiry: end }).unwrap();
    site.confirm(now, reservation).unwrap();
    let command = command.iter().map(|&word| word.to_owned()).collect();
    let program = Program { name: "held".to_owned(), user: "ada".to_owned(), command, ..Program::default() };
    let parts = [StartPart { part: 0, hold: 0, gang: None, task: None, program: None, start: now, end }];
    let start = Start {
        reservation,
        job: JobNumber::new(1),
        parts: &parts,
        size: 1,
        peers: &[],
        program: &program,
        together: false,
    };
    let mut said = site.start(now, start).unwrap();
    while !said.iter().any(|message| matches!(message, SiteMessage::Started { .. })) {
        std::thread::sleep(Duration::from_millis(5));
        said = site.poll(Clock::WALL.now()).unwrap();
    }
    println!("started");
    loop {
        std::thread::park();
    }
}
