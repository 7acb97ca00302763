//! trial
#![allow(clippy::all, clippy::pedantic, missing_docs, clippy::unwrap_used, clippy::print_stdout)]
use walras_core::assign::{Choices, Instance, Pair, Serve};
fn read(path: &str) -> Instance {
    let text = std::fs::read_to_string(path).unwrap();
    let mut n = text.split_ascii_whitespace().map(|x| x.parse::<i64>().unwrap());
    let m = n.next().unwrap() as usize; let jobs = n.next().unwrap() as usize;
    let v: Vec<i64> = n.collect();
    let (c, rest) = v.split_at(m*jobs);
    let (r, caps) = rest.split_at(m*jobs);
    let ch = (0..jobs).map(|j| Choices { weight: 1, pairs: (0..m).map(|i| Pair { site: i as u32, takes: r[i*jobs+j] as u32, cost: c[i*jobs+j] }).collect() }).collect();
    Instance::new(caps.iter().map(|x| *x as u32).collect(), ch, Serve::All).unwrap()
}
struct Rng(u64);
impl Rng { fn f(&mut self) -> f64 { self.0 ^= self.0 << 13; self.0 ^= self.0 >> 7; self.0 ^= self.0 << 17; (self.0 >> 11) as f64 / (1u64<<53) as f64 }
 fn gauss(&mut self) -> f64 { let s: f64 = (0..12).map(|_| self.f()).sum(); s - 6.0 } }
/// sites, jobs, processors factor, per pair prices
pub fn market(jobs: usize, sites: usize, factor: f64, per_pair: bool, seed: u64) -> Instance {
    let mut r = Rng(seed.wrapping_mul(0x9E3779B97F4A7C15) | 1);
    let caps: Vec<u32> = (0..sites).map(|_| ((4.0 + 9.0*r.f()).floor() * factor) as u32).collect();
    let speed: Vec<f64> = (0..sites).map(|_| 0.7 + 0.6*r.f()).collect();
    let price: Vec<f64> = (0..sites).map(|_| (4.5 + r.gauss()/6.0).clamp(4.0, 5.0)).collect();
    let mut tot=0;
    let ch = (0..jobs).map(|_| {
        let t = (5.0 * (1.0 + 0.3 * r.gauss())).round().max(1.0) as u32; tot+=t;
        let w = 400.0 * (1.0 + 0.2 * r.gauss() / 2.0);
        let within = w + 500.0;
        let budget = 2.0 * w * 4.5 * t as f64;
        let pairs = (0..sites).filter_map(|i| { let p = if per_pair { (4.5 + r.gauss()/6.0).clamp(4.0,5.0) } else { price[i] };
            let run = w / speed[i]; let cost = run * p * t as f64; (run <= within && cost <= budget && t<=caps[i]).then_some(Pair { site: i as u32, takes: t, cost: (cost*1e6) as i64 }) }).collect();
        Choices { weight: 1, pairs } }).collect();
    println!("tasks {tot} processors {}", caps.iter().sum::<u32>());
    Instance::new(caps, ch, Serve::Most).unwrap()
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let inst = if a[1] == "market" { market(a[2].parse().unwrap(), a[3].parse().unwrap(), a[4].parse().unwrap(), a[5]=="pair", a[6].parse().unwrap()) } else { read(&a[1]) };
    let t = std::time::Instant::now();
    let r = walras_core::assign::exact::trial(&inst, 2000, a.get(7).map_or(0, |x| x.parse().unwrap()), &mut |s| println!("{:.3} {s}", t.elapsed().as_secs_f64()));
    println!("{r:?} {:.3}s", t.elapsed().as_secs_f64());
}
