//! `kill -9` at random moments under load: nothing that was acknowledged is lost, nothing happens twice.
//!
//! `KILLS=N SEED=M` chooses how often and which chance; `make soak` runs many.

mod check;
mod client;

use crate::chance::Chance;
use crate::program::{Service, ServiceHome, lines, number_from};
use check::{check_all, check_life, settle};
use client::{CLIENTS, Client, Ledger, World};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Ten seconds of the service are one of ours.
const CONFIG: &str = r#"
clock = { speed = 10 }
limits = { requests_per_second = 100000, burst = 100000 }
journal = { snapshot_every = 300, repeat_seconds = 1 }

[policy]
cycle_every = 3
lead = 8
prepare_within = 4
confirm_within = 4
offers_within = 3
plan_within = 30
grace = 50
horizon = 900

[[site]]
name = "north"
owner = "olga"
connector = "simulated"
count = 6
price = 0.5
[site.simulated]
load = 0.2
load_seconds = 20
failures = 0.1
takes_min = 0.3
takes_max = 0.8

[[site]]
name = "south"
owner = "oskar"
connector = "simulated"
count = 4
performance = 2
price = 1
[site.simulated]
seed = 2
failures = 0.05
overruns = 0.05

[[site]]
name = "here"
owner = "olga"
connector = "local"
count = 4
price = 0.1
[site.local]
isolation = "off"
"#;

/// Every so many lives end by being asked to, and not by being killed.
const GRACEFUL_EVERY: u64 = 9;
/// A service lives through so many kills; then another begins, for all that was kept is looked at again and again.
const KILLS_EACH: u64 = 50;
/// A stop that was asked for takes at most this long.
const STOP_WITHIN: Duration = Duration::from_secs(15);

/// Says how to repeat a test that fails.
struct Repeat(u64, u64);

impl Drop for Repeat {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "to repeat: KILLS={} SEED={} cargo test -p walras --test service kill",
                2 * self.0,
                self.1
            );
        }
    }
}

/// Half of the kills each, so that the one waits while the other works.
#[test]
fn what_was_acknowledged_survives_being_killed_and_happens_once() {
    live_again_and_again(number_from("KILLS", 50).div_ceil(2), number_from("SEED", 1));
}

#[test]
fn what_was_acknowledged_survives_being_killed_by_another_chance() {
    live_again_and_again(number_from("KILLS", 50) / 2, number_from("SEED", 1).wrapping_add(1_000_000));
}

/// One service after the other, until there were so many kills.
fn live_again_and_again(kills: u64, seed: u64) {
    let begins = (0..kills).step_by(usize::try_from(KILLS_EACH).unwrap());
    for (begin, seed) in begins.zip(seed..) {
        live_through(KILLS_EACH.min(kills - begin), seed);
    }
}

fn live_through(kills: u64, seed: u64) {
    let _repeat = Repeat(kills, seed);
    // What runs here leaves its trail where the test can read it: under the same account.
    let own = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let home = ServiceHome::new(&format!("{CONFIG}uid = {}\ngid = {}\n", own.0, own.1));
    let mut chance = Chance::new(seed);
    let mut service = home.start("warn", &[]);
    let world = Arc::new(begin(&home, &service));
    let clients: Vec<JoinHandle<()>> = (0..CLIENTS)
        .map(|number| {
            let chance = Chance::new(seed.wrapping_add(1_000 + u64::try_from(number).unwrap()));
            let client = Client { number, chance, world: world.clone(), keys: 0 };
            std::thread::spawn(move || client.run())
        })
        .collect();
    let (mut killed, mut life) = (0, 0);
    let (mut checked, mut slowest) = (0, Duration::ZERO);
    while killed < kills {
        life += 1;
        std::thread::sleep(Duration::from_millis(chance.between(100, 700)));
        if life % GRACEFUL_EVERY == 0 {
            let took = service.stop();
            assert!(took < STOP_WITHIN, "a graceful stop took {took:?}");
            slowest = slowest.max(took);
        } else {
            service.kill();
            killed += 1;
        }
        *world.address.lock().unwrap() = None;
        if life % 10 == 0 {
            // What a killed service has left behind can be read as it is.
            home.check_journal();
        }
        service = home.start("warn", &[]);
        checked = check_life(&service, &world, checked, &mut chance);
        *world.address.lock().unwrap() = Some(service.address);
        assert!(clients.iter().all(|client| !client.is_finished()), "a client has failed");
    }
    std::thread::sleep(Duration::from_millis(200));
    world.done.store(true, Ordering::Relaxed);
    for client in clients {
        client.join().unwrap();
    }
    let ended = settle(&service, &world);
    check_all(&service, &world, &ended);
    service.stop();
    home.check_journal();
    home.check_log();
    let ledger = world.ledger.lock().unwrap();
    eprintln!(
        "{killed} kills, {} graceful stops (slowest {slowest:?}), {} jobs ({} here, {} parts ran), {} quotes taken, \
         {:?} credits saved, {} requests repeated",
        life - killed,
        ledger.jobs.len(),
        ledger.local.len(),
        lines(Path::new(&world.trail)).len(),
        ledger.accepted,
        ledger.saved,
        world.repeated.load(Ordering::Relaxed),
    );
}

fn begin(home: &ServiceHome, service: &Service) -> World {
    let administrator = home.token();
    let users = (0..CLIENTS)
        .map(|number| {
            service.make_user(&administrator, &format!("saver{number}"), 1);
            service.make_user(&administrator, &format!("user{number}"), 1_000_000)
        })
        .collect();
    World {
        address: Mutex::new(Some(service.address)),
        ledger: Mutex::new(Ledger { saved: [1; CLIENTS], ..Ledger::default() }),
        done: AtomicBool::new(false),
        repeated: AtomicU64::new(0),
        owner: service.make_token(&administrator, "owner", "olga"),
        administrator,
        users,
        trail: home.path("trail").display().to_string(),
    }
}
