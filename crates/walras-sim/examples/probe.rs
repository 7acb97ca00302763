//! probe
#![allow(missing_docs, clippy::all, clippy::print_stdout)]
use walras_sim::experiment::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let t = std::time::Instant::now();
    let e: Experiment = a[1].parse().unwrap();
    let r = e.run(a.get(4).map(|s| s.as_str()), &Options { seed: a[2].parse().unwrap(), cycles: a[3].parse().unwrap(), threads: 2, progress: &|_, _| {} }).unwrap();
    for f in &r.results.figures { println!("{:45} {:?} {:?} {:?} {:?}", f.name, f.paper, f.ours, f.difference_percent().map(|x| (x*100.0).round()/100.0), f.within); }
    println!("{:?}", t.elapsed());
}
