//! One reservation on a simulated site, from the first word to the last.
//!
//! `cargo run -p walras-sites --example hold`

#![allow(clippy::print_stdout, reason = "an example that prints")]

use std::error::Error;
use walras_model::{Interval, Money, NodeId, Rate, Time};
use walras_sites::simulated::{Behaviour, SimulatedConnector, SimulatedOptions};
use walras_sites::{
    Connector, Customer, CycleNumber, Hold, JobNumber, Offering, Prepare, Program, ReservationNumber, Start,
    StartPart,
};

fn main() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let options = SimulatedOptions {
        offering: Offering::Slots,
        first_node: 0,
        nodes: vec!["n1".to_owned(), "n2".to_owned()],
        units: Vec::new(),
        seed: 1,
        behaviour: Behaviour::LIVELY,
        load: None,
    };
    let mut site = SimulatedConnector::open(options, &directory.path().join("site.db"))?;
    let at = |seconds: i64| Time::from_millis(1_000 * seconds).ok_or("beyond all time");
    let interval = Interval::new(at(60)?, at(120)?).ok_or("no time at all")?;
    let rate = Rate::from_micros_per_second(1).ok_or("no price")?;
    let hold = Hold { units: 1, node: Some(NodeId::new(0)), interval, rate, cost: Money::from_micros(60) };
    let number = ReservationNumber::new(1);

    println!("offers   {:?}", site.offers(at(0)?, CycleNumber::new(1), interval)?);
    let customer = Customer { job: JobNumber::new(1), user: "ada".to_owned(), group: None };
    let holds = [hold];
    let asked = |expiry| Prepare { reservation: number, customer: &customer, holds: &holds, expiry };
    println!("prepare  {:?}", site.prepare(at(0)?, &asked(at(10)?))?);
    println!("confirm  {:?}", site.confirm(at(1)?, number)?);
    let parts = [StartPart {
        part: 0,
        hold: 0,
        gang: None,
        task: None,
        program: None,
        start: at(60)?,
        end: at(120)?,
    }];
    let start = Start {
        reservation: number,
        job: JobNumber::new(1),
        parts: &parts,
        size: 1,
        peers: &[],
        program: &Program::default(),
        together: false,
    };
    println!("start    {:?}", site.start(at(50)?, start)?);
    println!("poll     {:?}", site.poll(at(120)?)?);
    println!("release  {:?}", site.release(at(121)?, number)?);
    println!("prepare  {:?}", site.prepare(at(122)?, &asked(at(130)?))?);
    Ok(())
}
