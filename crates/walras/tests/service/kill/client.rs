//! Clients that work while the service is killed, and what they were told.

use crate::chance::Chance;
use crate::http::Call;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// So many clients work at once, each a user of its own.
pub(super) const CLIENTS: usize = 3;

/// What clients were told, and must find again.
#[derive(Default)]
pub(super) struct Ledger {
    /// Number, user's place, key, body.
    pub(super) jobs: Vec<(u64, usize, String, Value)>,
    /// Jobs that run commands here.
    pub(super) local: BTreeSet<u64>,
    /// Credits on each client's savings.
    pub(super) saved: [u64; CLIENTS],
    /// Quotes that became jobs.
    pub(super) accepted: u64,
}

/// What clients share.
pub(super) struct World {
    pub(super) address: Mutex<Option<SocketAddr>>,
    pub(super) ledger: Mutex<Ledger>,
    pub(super) done: AtomicBool,
    pub(super) repeated: AtomicU64,
    pub(super) administrator: String,
    pub(super) owner: String,
    pub(super) users: Vec<String>,
    pub(super) trail: String,
}

/// Somebody who works.
pub(super) struct Client {
    pub(super) number: usize,
    pub(super) chance: Chance,
    pub(super) world: Arc<World>,
    pub(super) keys: u64,
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
                "walras": "job/1", "name": "real", "work": 80, "tasks": tasks, "sites": ["here"], "script": text
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

    pub(super) fn run(mut self) {
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
