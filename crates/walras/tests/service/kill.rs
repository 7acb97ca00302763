//! `kill -9` at random moments under load: nothing that was acknowledged is lost, nothing happens twice.
//!
//! `KILLS=N SEED=M` chooses how often and which chance; `make soak` runs many.

use crate::chance::Chance;
use crate::http::Call;
use crate::program::{Place, Service, lines, wait_for};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
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
"#;

/// So many clients work at once, each a user of its own.
const CLIENTS: usize = 3;
/// Every so many lives end by being asked to, and not by being killed.
const GRACEFUL_EVERY: u64 = 9;
/// A stop that was asked for takes at most this long.
const STOP_WITHIN: Duration = Duration::from_secs(5);

/// What clients were told, and must find again.
#[derive(Default)]
struct Ledger {
    /// Number, user's place, key, body.
    jobs: Vec<(u64, usize, String, Value)>,
    /// Jobs that run commands here.
    local: BTreeSet<u64>,
    /// Credits on each client's savings.
    saved: [u64; CLIENTS],
    /// Quotes that became jobs.
    accepted: u64,
}

/// What clients share.
struct World {
    address: Mutex<Option<SocketAddr>>,
    ledger: Mutex<Ledger>,
    done: AtomicBool,
    repeated: AtomicU64,
    administrator: String,
    owner: String,
    users: Vec<String>,
    trail: String,
}

struct Client {
    number: usize,
    chance: Chance,
    world: Arc<World>,
    keys: u64,
}

impl Client {
    /// Asks until somebody answers; `None` when the test ends before.
    fn ask(&self, call: &Call) -> Option<(u16, Value)> {
        loop {
            let address = *self.world.address.lock().unwrap();
            match address.map(|address| call.ask(address)) {
                Some(Ok(answer)) if answer.status != 503 => return Some((answer.status, answer.json())),
                _ if self.world.done.load(Ordering::Relaxed) => return None,
                _ => {
                    self.world.repeated.fetch_add(1, Ordering::Relaxed);
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
        }
    }

    fn key(&mut self) -> String {
        self.keys += 1;
        format!("{}-{}", self.number, self.keys)
    }

    fn token(&self) -> &str {
        &self.world.users[self.number]
    }

    fn job(&mut self, local: bool) -> Value {
        let tasks = self.chance.between(1, 3);
        if local {
            let text = format!(
                "#!/bin/sh\necho \"$WALRAS_JOB $WALRAS_PART $PWD\" >> {}\nsleep 0.{}\necho ended\n",
                self.world.trail,
                self.chance.between(1, 5)
            );
            return json!({
                "walras": "job/1", "name": "real", "work": 30, "tasks": tasks, "sites": ["here"], "script": text
            });
        }
        json!({
            "walras": "job/1", "name": "dream", "work": self.chance.between(2, 20), "tasks": tasks,
            "sites": ["north", "south"], "budget": 200
        })
    }

    fn submit(&mut self, local: bool) -> Option<()> {
        let (key, job) = (self.key(), self.job(local));
        let call = Call::send("POST", "/v1/jobs", self.token(), &job).keyed(&key);
        let (status, view) = self.ask(&call)?;
        assert_eq!(status, 201, "{view}");
        self.acknowledged(view["job"].as_u64().unwrap(), &key, job, local);
        Some(())
    }

    fn acknowledged(&self, number: u64, key: &str, job: Value, local: bool) {
        let mut ledger = self.world.ledger.lock().unwrap();
        ledger.jobs.push((number, self.number, key.to_owned(), job));
        if local {
            ledger.local.insert(number);
        }
    }

    fn quote(&mut self) -> Option<()> {
        let (key, job) = (self.key(), self.job(false));
        let (status, quote) = self.ask(&Call::send("POST", "/v1/quotes", self.token(), &job).keyed(&key))?;
        // It may have expired before the answer to it got through.
        assert!(matches!(status, 201 | 404 | 409), "{status} {quote}");
        if quote["options"].as_array().is_none_or(Vec::is_empty) {
            return Some(());
        }
        let path = format!("/v1/quotes/{}/accept", quote["quote"]);
        let key = self.key();
        let body = json!({ "option": 0 });
        let (status, taken) = self.ask(&Call::send("POST", path, self.token(), &body).keyed(&key))?;
        // It may have expired, or cannot be honoured.
        assert!(matches!(status, 201 | 404 | 409), "{status} {taken}");
        if status == 201 {
            self.world.ledger.lock().unwrap().accepted += 1;
        }
        Some(())
    }

    fn cancel(&mut self) -> Option<()> {
        let own: Vec<u64> = {
            let ledger = self.world.ledger.lock().unwrap();
            let own = ledger.jobs.iter().filter(|(_, user, ..)| *user == self.number);
            own.rev().take(5).map(|(number, ..)| *number).collect()
        };
        if own.is_empty() {
            return Some(());
        }
        let number = own[self.chance.place(own.len())];
        let call = Call { method: "DELETE", ..Call::get(format!("/v1/jobs/{number}"), self.token()) };
        let (status, view) = self.ask(&call)?;
        assert!(matches!(status, 200 | 409), "{status} {view}");
        Some(())
    }

    fn deposit(&mut self) -> Option<()> {
        let (key, amount) = (self.key(), self.chance.between(1, 100));
        let body = json!({ "account": format!("user:saver{}", self.number), "amount": amount });
        let call = Call::send("POST", "/v1/deposits", &self.world.administrator, &body).keyed(&key);
        let (status, view) = self.ask(&call)?;
        assert_eq!(status, 201, "{view}");
        self.world.ledger.lock().unwrap().saved[self.number] += amount;
        Some(())
    }

    fn change_prices(&mut self) -> Option<()> {
        let price = json!({ "base": self.chance.between(1, 4) });
        let (status, view) =
            self.ask(&Call::send("PUT", "/v1/sites/north/prices", &self.world.owner, &price))?;
        assert_eq!(status, 200, "{view}");
        Some(())
    }

    fn look(&mut self) -> Option<()> {
        let paths = ["/v1/jobs", "/v1/account", "/v1/offers", "/v1/status", "/v1/timetable", "/v1/sites"];
        let path = paths[self.chance.place(paths.len())];
        let (status, view) = self.ask(&Call::get(path, self.token()))?;
        assert_eq!(status, 200, "{path}: {view}");
        Some(())
    }

    fn run(mut self) {
        while !self.world.done.load(Ordering::Relaxed) {
            let done = match self.chance.between(0, 20) {
                0..4 => self.submit(false),
                4..6 => self.submit(true),
                6..8 => self.quote(),
                8 => self.cancel(),
                9..12 => self.deposit(),
                12 => self.change_prices(),
                _ => self.look(),
            };
            if done.is_none() {
                return;
            }
            std::thread::sleep(Duration::from_millis(self.chance.between(20, 120)));
        }
    }
}

fn number_from(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Says how to repeat a test that fails.
struct Repeat(u64, u64);

impl Drop for Repeat {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("to repeat: KILLS={} SEED={} cargo test -p walras --test service kill", self.0, self.1);
        }
    }
}

#[test]
fn what_was_acknowledged_survives_being_killed_and_happens_once() {
    let (kills, seed) = (number_from("KILLS", 50), number_from("SEED", 1));
    let _repeat = Repeat(kills, seed);
    let place = Place::new(CONFIG);
    let mut chance = Chance::new(seed);
    let mut service = place.start("warn", &[]);
    let world = Arc::new(begin(&place, &service));
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
            place.check_journal();
        }
        service = place.start("warn", &[]);
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
    check_all(&place, &service, &world, &ended);
    service.stop();
    place.check_journal();
    place.check_log();
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

fn begin(place: &Place, service: &Service) -> World {
    let administrator = place.token();
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
        trail: place.path("trail").display().to_string(),
    }
}

/// After a restart: what was acknowledged in the last life, and some of what was before. Gives how many were.
fn check_life(service: &Service, world: &World, checked: usize, chance: &mut Chance) -> usize {
    let (jobs, saved) = {
        let ledger = world.ledger.lock().unwrap();
        (ledger.jobs.clone(), ledger.saved)
    };
    let old = (0..5.min(checked)).map(|_| &jobs[chance.place(checked)]);
    for (number, user, key, body) in jobs[checked..].iter().chain(old) {
        let token = &world.users[*user];
        service.expect(&Call::get(format!("/v1/jobs/{number}"), token), 200);
        let again = Call::send("POST", "/v1/jobs", token, body).keyed(key);
        assert_eq!(service.expect(&again, 201).json()["job"], *number, "the same key, the same job");
    }
    for (number, saved) in saved.iter().enumerate() {
        // One deposit may be under way: it is there or not, but never twice.
        let balance = savings(service, world, number);
        assert!((*saved..*saved + 100).contains(&balance), "{balance} for {saved}");
    }
    no_part_ran_twice(world);
    jobs.len()
}

fn savings(service: &Service, world: &World, number: usize) -> u64 {
    let accounts = service.expect(&Call::get("/v1/accounts", &world.administrator), 200).json();
    let name = format!("user:saver{number}");
    let own = accounts["accounts"].as_array().unwrap().iter().find(|it| it["account"] == name.as_str());
    own.unwrap()["balance"].as_u64().unwrap()
}

/// The parts that ran here, as (job, part) with the directories in which they did.
fn trail(world: &World) -> BTreeMap<(u64, u64), Vec<String>> {
    let mut ran: BTreeMap<(u64, u64), Vec<String>> = BTreeMap::new();
    for line in lines(Path::new(&world.trail)) {
        let words: Vec<&str> = line.split(' ').collect();
        let key = (words[0].parse().unwrap(), words[1].parse().unwrap());
        ran.entry(key).or_default().push(words[2].to_owned());
    }
    ran
}

fn no_part_ran_twice(world: &World) {
    for (part, places) in trail(world) {
        let different: BTreeSet<&String> = places.iter().collect();
        assert_eq!(different.len(), places.len(), "{part:?} ran twice for one reservation: {places:?}");
    }
}

/// Every job, once all have ended or wait for a reason.
fn settle(service: &Service, world: &World) -> BTreeMap<u64, Value> {
    let mut jobs = BTreeMap::new();
    wait_for("every job ends, or waits for a reason", Duration::from_secs(120), || {
        jobs.clear();
        let mut before = String::new();
        loop {
            let path = format!("/v1/jobs?limit=1000{before}");
            let page = service.expect(&Call::get(path, &world.administrator), 200).json();
            for job in page["jobs"].as_array().unwrap() {
                jobs.insert(job["job"].as_u64().unwrap(), job.clone());
            }
            match page["next"].as_u64() {
                Some(next) => before = format!("&before={next}"),
                None => break,
            }
        }
        jobs.values().all(|job| {
            let over = ["done", "failed", "cancelled", "given-up"].contains(&job["state"].as_str().unwrap());
            over || (job["state"] == "queued" && !job["why"].is_null())
        })
    });
    jobs
}

fn check_all(place: &Place, service: &Service, world: &World, jobs: &BTreeMap<u64, Value>) {
    let ledger = world.ledger.lock().unwrap();
    let ran = trail(world);
    let numbers: BTreeSet<u64> = ledger.jobs.iter().map(|(number, ..)| *number).collect();
    assert_eq!(numbers.len(), ledger.jobs.len(), "every key has a job of its own");
    assert!(numbers.iter().all(|number| jobs.contains_key(number)), "a job was lost");
    let mut done = 0;
    for number in &ledger.local {
        let job = &jobs[number];
        let parts = job["tasks"].as_u64().unwrap();
        for part in 0..parts {
            let runs = ran.get(&(*number, part)).map_or(0, Vec::len);
            let attempts = usize::try_from(job["attempts"].as_u64().unwrap()).unwrap();
            assert!(runs <= attempts + 1, "part {part} ran {runs} times: {job}");
            if job["state"] == "done" {
                done += 1;
                assert!(runs >= 1, "part {part} never ran: {job}");
                let path = format!("/v1/jobs/{number}/output?part={part}");
                let output = service.expect(&Call::get(path, &world.administrator), 200);
                assert_eq!(output.body, "ended\n", "{job}");
            }
        }
        assert_ne!(job["state"], "failed", "no command fails: {job}");
    }
    assert!(done > 0, "no command ended");
    for (number, saved) in ledger.saved.iter().enumerate() {
        assert_eq!(savings(service, world, number), *saved, "every deposit counts once");
    }
    let accounts = service.expect(&Call::get("/v1/accounts", &world.administrator), 200).json();
    let sum: i64 = accounts["accounts"].as_array().unwrap().iter().map(|it| micros(&it["balance"])).sum();
    assert_eq!(sum, 0, "the books balance: {accounts}");
    place.check_journal();
}

/// Credits as whole micro-credits.
fn micros(number: &Value) -> i64 {
    let text = number.to_string();
    let (whole, part) = text.trim_matches('"').split_once('.').unwrap_or((text.trim_matches('"'), ""));
    format!("{whole}{part:0<6}").parse().unwrap()
}
