//! A site to try things on.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use walras_broker::allocation::Hold;
use walras_broker::effect::{Program, StartPart};
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_broker::input::SiteMessage;
use walras_broker::job::{PartEnd, SiteRefusal};
use walras_model::{Interval, Money, NodeId, Rate, SiteId, Time};
use walras_service::clock::Clock;
use walras_service::site::{Connector, Said, SiteConfig, Start, open};

/// The number of the site's first node: the second is one more.
pub(crate) const FIRST: u32 = 3;

pub(crate) struct Bench {
    pub(crate) data: TempDir,
    pub(crate) config: SiteConfig,
    pub(crate) site: Box<dyn Connector>,
}

/// The helper that supervises parts: an example, which a plain `cargo test` builds; otherwise it is built here.
pub(crate) fn executable() -> PathBuf {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    let found = || {
        let own = std::env::current_exe().unwrap();
        let profile = own.parent().unwrap().parent().unwrap();
        let path = profile.join("examples/supervise");
        if !path.exists() {
            let mut build = Command::new(env!("CARGO"));
            build.args([
                "build",
                "--quiet",
                "-p",
                "walras-service",
                "--example",
                "supervise",
                "--target-dir",
            ]);
            build.arg(profile.parent().unwrap());
            if profile.ends_with("release") {
                build.arg("--release");
            }
            assert!(build.status().unwrap().success());
        }
        path
    };
    PATH.get_or_init(found).clone()
}

/// Where nothing is left to chance: parts take a tenth of their time.
pub(crate) const SIMULATED: &str = r#"{"name": "sim", "owner": "olga", "connector": "simulated", "count": 2, "price": 1,
    "simulated": {"takes_min": 0.1}}"#;
pub(crate) const LOCAL: &str = r#"{"name": "here", "owner": "olga", "connector": "local", "count": 2, "price": 1,
    "local": {"grace_seconds": 1}}"#;

pub(crate) fn now() -> Time {
    Clock::WALL.now()
}

pub(crate) fn after(time: Time, millis: i64) -> Time {
    Time::from_millis(time.as_millis() + millis).unwrap()
}

pub(crate) fn number(number: u64) -> ReservationNumber {
    ReservationNumber::new(number)
}

/// Time on a node, the first or the second, from now on.
pub(crate) fn hold(node: u32, from: Time, millis: i64) -> Hold {
    let interval = Interval::new(from, after(from, millis)).unwrap();
    let rate = Rate::from_micros_per_second(1).unwrap();
    Hold { node: Some(NodeId::new(FIRST + node)), interval, rate, cost: Money::from_micros(1) }
}

pub(crate) fn command(words: &[&str]) -> Program {
    let command = words.iter().map(|&word| word.to_owned()).collect();
    Program { name: "a job".to_owned(), user: "ada".to_owned(), command, ..Program::default() }
}

pub(crate) fn refused(reservation: ReservationNumber, refusal: SiteRefusal) -> Vec<SiteMessage> {
    vec![SiteMessage::Refused { reservation, refusal }]
}

impl Bench {
    pub(crate) fn new(config: &str) -> Bench {
        let data = tempfile::tempdir().unwrap();
        let config: SiteConfig = serde_json::from_str(config).unwrap();
        let site = opened(&data, &config);
        Bench { data, config, site }
    }

    /// The service ends, and another begins.
    pub(crate) fn reopen(&mut self) {
        self.site = opened(&self.data, &self.config);
    }

    /// Prepares and confirms.
    pub(crate) fn book(&mut self, reservation: ReservationNumber, holds: &[Hold]) {
        let at = now();
        let said = self.site.prepare(at, reservation, holds, after(at, 60_000)).unwrap();
        assert_eq!(said, [SiteMessage::Prepared(reservation)]);
        assert_eq!(self.site.confirm(at, reservation).unwrap(), [SiteMessage::Confirmed(reservation)]);
    }

    /// Starts a part on every hold.
    pub(crate) fn start(
        &mut self,
        reservation: ReservationNumber,
        parts: u32,
        program: &Program,
    ) -> Vec<SiteMessage> {
        let end = after(now(), 60_000);
        let parts: Vec<StartPart> =
            (0..parts).map(|part| StartPart { part, hold: part, task: None, end }).collect();
        let start = Start { reservation, job: JobNumber::new(9), parts: &parts, program };
        self.site.start(now(), start).unwrap()
    }

    /// Polls until something is said, and gives all that was.
    pub(crate) fn wait(
        &mut self,
        mut said: Vec<SiteMessage>,
        wanted: impl Fn(&SiteMessage) -> bool,
    ) -> Vec<SiteMessage> {
        let begun = Instant::now();
        while !said.iter().any(&wanted) {
            assert!(begun.elapsed() < Duration::from_secs(20), "nothing of the kind was said: {said:?}");
            std::thread::sleep(Duration::from_millis(10));
            said.extend(self.site.poll(now()).unwrap());
        }
        said
    }

    pub(crate) fn wait_end(&mut self, said: Vec<SiteMessage>, of: u32) -> PartEnd {
        let said =
            self.wait(said, |message| matches!(message, SiteMessage::Ended { part, .. } if *part == of));
        ends(&said).into_iter().find(|(part, _)| *part == of).unwrap().1
    }

    pub(crate) fn wait_start(&mut self, said: Vec<SiteMessage>) -> Vec<SiteMessage> {
        self.wait(said, |message| matches!(message, SiteMessage::Started { .. }))
    }

    /// Books one hold of a minute on the first node, runs something there and gives its end.
    pub(crate) fn run(&mut self, reservation: u64, program: &Program) -> PartEnd {
        self.book(number(reservation), &[hold(0, now(), 60_000)]);
        let said = self.start(number(reservation), 1, program);
        self.wait_end(said, 0)
    }

    /// The same with whatever is on the node given up first.
    pub(crate) fn run_on(&mut self, reservation: u64, program: &Program) -> PartEnd {
        if let Some(before) = reservation.checked_sub(1).filter(|before| *before > 0) {
            self.cancel(number(before));
        }
        self.run(reservation, program)
    }

    /// Starts one part, or says why not.
    pub(crate) fn try_start(&mut self, reservation: ReservationNumber) -> Said {
        let parts = [StartPart { part: 0, hold: 0, task: None, end: after(now(), 60_000) }];
        let program = command(&["true"]);
        self.site
            .start(now(), Start { reservation, job: JobNumber::new(9), parts: &parts, program: &program })
    }

    /// Cancels until it is so.
    pub(crate) fn cancel(&mut self, reservation: ReservationNumber) {
        let said = self.site.cancel(now(), reservation).unwrap();
        self.wait(said, |message| *message == SiteMessage::Released(reservation));
    }

    /// A file in a part's own directory.
    pub(crate) fn file(&self, reservation: u64, part: u32, name: &str) -> PathBuf {
        let directory = self.data.path().join("sites").join(&self.config.name);
        directory.join(reservation.to_string()).join(part.to_string()).join("work").join(name)
    }

    pub(crate) fn printed(&self, reservation: u64) -> String {
        std::fs::read_to_string(self.file(reservation, 0, "output")).unwrap()
    }
}

fn opened(data: &TempDir, config: &SiteConfig) -> Box<dyn Connector> {
    open(config, Clock::WALL, data.path(), &executable(), SiteId::new(0), FIRST).unwrap()
}

pub(crate) fn ends(said: &[SiteMessage]) -> Vec<(u32, PartEnd)> {
    let end = |message: &SiteMessage| match message {
        SiteMessage::Ended { part, end, .. } => Some((*part, *end)),
        _ => None,
    };
    said.iter().filter_map(end).collect()
}
