//! A site to try things on.

use crate::fake::FakeSlurm;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use walras_model::{Interval, Money, NodeId, Rate, Share, Time};
use walras_sites::local::{Accounts, Demand, LimitDemand, LocalConnector, LocalOptions, ProcessLimits};
use walras_sites::simulated::{Behaviour, SimulatedConnector, SimulatedOptions};
use walras_sites::slurm::{Census, Margin, RunAs, SlurmConnector, SlurmOptions};
use walras_sites::{
    Clock, Connector, Customer, Hold, JobNumber, Offering, PartEnd, Prepare, Program, ReservationNumber,
    SiteAnswer, SiteMessage, SiteRefusal, Start, StartPart,
};

/// The number of the site's first node: the second is one more.
pub(crate) const FIRST: u32 = 3;

pub(crate) struct Bench {
    pub(crate) data: TempDir,
    pub(crate) options: Options,
    pub(crate) site: Box<dyn Connector>,
    memory: PathBuf,
    /// How far ahead of the wall's clock the site is polled, in milliseconds.
    pub(crate) ahead: i64,
}

/// Which site it is, and what it is like.
#[derive(Clone)]
pub(crate) enum Options {
    Simulated(SimulatedOptions),
    Local(LocalOptions),
    Slurm(SlurmOptions, FakeSlurm),
}

/// Where nothing is left to chance: parts take a tenth of their time.
pub(crate) const STEADY: Behaviour = Behaviour {
    takes: (Share::percent(10), Share::percent(10)),
    overruns: Share::NOTHING,
    fails: Share::NOTHING,
    expected_wait: (0, 0),
    wait: (0, 0),
};

pub(crate) fn simulated() -> SimulatedOptions {
    SimulatedOptions {
        offering: Offering::Slots,
        first_node: FIRST,
        nodes: names(2),
        units: Vec::new(),
        seed: 0,
        behaviour: STEADY,
        load: None,
    }
}

pub(crate) fn local() -> LocalOptions {
    LocalOptions {
        offering: Offering::Slots,
        first_node: FIRST,
        nodes: names(2),
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
        executable: executable(),
    }
}

/// A cluster that needs no margins, so that holds may begin at once.
pub(crate) fn slurm() -> (Bench, FakeSlurm) {
    slurm_with(None)
}

/// The same, with nodes that may change.
pub(crate) fn slurm_with(census: Option<Census>) -> (Bench, FakeSlurm) {
    let options = SlurmOptions {
        nodes: (FIRST..).map(NodeId::new).zip(names(2)).collect(),
        units: std::collections::BTreeMap::new(),
        gone: Vec::new(),
        census,
        queue: None,
        project: None,
        qos: None,
        margin: Margin { before: 0, after: 0 },
        ahead: None,
        beyond_backfill: true,
        partitions: Vec::new(),
        look_every: Duration::from_millis(50),
        path: "/usr/local/bin:/usr/bin:/bin".to_owned(),
        lang: "C.UTF-8".to_owned(),
        grace: Duration::from_secs(1),
        keep: Duration::from_secs(86_400),
        run_as: RunAs::Service,
        executable: executable(),
    };
    let fake = FakeSlurm::default();
    (Bench::new(Options::Slurm(options, fake.clone())), fake)
}

/// A cluster on which nothing is reserved, with room for so many.
pub(crate) fn slurm_queue(units: u32) -> (Bench, FakeSlurm) {
    let (bench, fake) = slurm();
    (Bench::new(bench.options.clone().selling(Offering::Queue(units))), fake)
}

fn names(count: u32) -> Vec<String> {
    (1..=count).map(|place| format!("n{place}")).collect()
}

impl Options {
    /// The same site with another way to sell its time.
    pub(crate) fn selling(mut self, sold: Offering) -> Options {
        let (offering, nodes) = match &mut self {
            Options::Simulated(options) => (&mut options.offering, &mut options.nodes),
            Options::Local(options) => (&mut options.offering, &mut options.nodes),
            Options::Slurm(options, _) => {
                let Offering::Queue(units) = sold else { panic!("a cluster sells slots or a queue") };
                (options.queue, options.nodes) = (Some(units), Vec::new());
                return self;
            }
        };
        *offering = sold;
        if matches!(sold, Offering::Queue(_)) {
            nodes.clear();
        }
        self
    }
}

/// The helper that supervises parts.
pub(crate) fn executable() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_supervise"))
}

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
    Hold { units: 1, node: Some(NodeId::new(FIRST + node)), interval, rate, cost: Money::from_micros(1) }
}

/// A part on the hold of its own number.
pub(crate) fn part_from(part: u32, start: Time, end: Time) -> StartPart {
    StartPart { part, hold: part, gang: None, task: None, program: None, start, end }
}

pub(crate) fn customer(user: &str) -> Customer {
    Customer { job: JobNumber::new(9), user: user.to_owned(), group: None }
}

pub(crate) fn command(words: &[&str]) -> Program {
    let command = words.iter().map(|&word| word.to_owned()).collect();
    Program { name: "a job".to_owned(), user: "ada".to_owned(), command, ..Program::default() }
}

pub(crate) fn refused(reservation: ReservationNumber, refusal: SiteRefusal) -> Vec<SiteMessage> {
    vec![SiteMessage::Refused { reservation, refusal }]
}

impl Bench {
    pub(crate) fn simulated(options: SimulatedOptions) -> Bench {
        Bench::new(Options::Simulated(options))
    }

    pub(crate) fn local(options: LocalOptions) -> Bench {
        Bench::new(Options::Local(options))
    }

    pub(crate) fn new(options: Options) -> Bench {
        let data = tempfile::tempdir().unwrap();
        let memory = data.path().join("site.db");
        let site = opened(&data, &options, &memory);
        Bench { data, options, site, memory, ahead: 0 }
    }

    /// The service ends, and another begins.
    pub(crate) fn reopen(&mut self) {
        self.site = opened(&self.data, &self.options, &self.memory);
    }

    /// A copy of the site's memory as it is.
    pub(crate) fn back_up(&self) -> PathBuf {
        let copy = self.data.path().join("copy.db");
        for ending in ["", "-wal", "-shm"] {
            let named = |path: &Path| PathBuf::from(format!("{}{ending}", path.display()));
            if named(&self.memory).exists() {
                std::fs::copy(named(&self.memory), named(&copy)).unwrap();
            }
        }
        copy
    }

    /// The service ends, and another begins with a memory of before.
    pub(crate) fn put_back(&mut self, copy: PathBuf) {
        self.memory = copy;
        self.reopen();
    }

    pub(crate) fn is_local(&self) -> bool {
        matches!(self.options, Options::Local(_) | Options::Slurm(..))
    }

    /// How many milliseconds to hold for a program that ends by itself: a simulated one takes its share of `simulated`,
    /// a real one may have to wait for a busy machine.
    pub(crate) fn room(&self, simulated: i64) -> i64 {
        if self.is_local() { 60_000 } else { simulated }
    }

    /// A program that writes its number into `NAME.pid`, waits for `open_gate`, and writes a line into `NAME`.
    pub(crate) fn gated(&self, name: &str) -> Program {
        let text =
            r#"echo $$ > "$1/$0.pid"; while [ ! -e "$1/gate" ]; do sleep 0.02; done; echo run >> "$1/$0""#;
        command(&["sh", "-c", text, name, self.data.path().to_str().unwrap()])
    }

    /// Lets programs that wait for it end; on a simulated site, so much time passes that all have.
    pub(crate) fn open_gate(&mut self) {
        std::fs::write(self.data.path().join("gate"), "").unwrap();
        if !self.is_local() {
            self.ahead += 3_600_000;
        }
    }

    pub(crate) fn now(&self) -> Time {
        after(now(), self.ahead)
    }

    /// Asks for time, for ada.
    pub(crate) fn ask(
        &mut self,
        at: Time,
        reservation: ReservationNumber,
        holds: &[Hold],
        expiry: Time,
    ) -> SiteAnswer {
        self.site.prepare(at, &Prepare { reservation, customer: &customer("ada"), holds, expiry })
    }

    /// Prepares and confirms.
    pub(crate) fn book(&mut self, reservation: ReservationNumber, holds: &[Hold]) {
        let at = now();
        let said = self.ask(at, reservation, holds, after(at, 60_000)).unwrap();
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
        let parts: Vec<StartPart> = (0..parts).map(|part| part_from(part, now(), end)).collect();
        let (job, size) = (JobNumber::new(9), u32::try_from(parts.len()).unwrap());
        let start = Start { reservation, job, parts: &parts, size, peers: &[], program, together: false };
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
            said.extend(self.site.poll(self.now()).unwrap());
        }
        said
    }

    /// Lets the site look until something is true elsewhere, for a while; whoever asks says what must be then.
    pub(crate) fn poll_until(&mut self, done: impl Fn() -> bool) {
        for _ in 0..400 {
            self.site.poll(self.now()).unwrap();
            if done() {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
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
    pub(crate) fn try_start(&mut self, reservation: ReservationNumber) -> SiteAnswer {
        let parts = [part_from(0, now(), after(now(), 60_000))];
        let program = command(&["true"]);
        let job = JobNumber::new(9);
        self.site.start(
            now(),
            Start {
                reservation,
                job,
                parts: &parts,
                size: 1,
                peers: &[],
                program: &program,
                together: false,
            },
        )
    }

    /// Cancels until it is so.
    pub(crate) fn cancel(&mut self, reservation: ReservationNumber) {
        let said = self.site.cancel(now(), reservation).unwrap();
        self.wait(said, |message| *message == SiteMessage::Released(reservation));
    }

    /// A file in a part's own directory.
    pub(crate) fn file(&self, reservation: u64, part: u32, name: &str) -> PathBuf {
        let directory = self.data.path().join("site").join(reservation.to_string()).join(part.to_string());
        let task: serde_json::Value = std::fs::read(directory.join("task.json"))
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        directory.join(task["work"].as_str().unwrap_or("work")).join(name)
    }

    pub(crate) fn printed(&self, reservation: u64) -> String {
        std::fs::read_to_string(self.file(reservation, 0, "output")).unwrap()
    }
}

fn opened(data: &TempDir, options: &Options, memory: &Path) -> Box<dyn Connector> {
    match options.clone() {
        Options::Simulated(options) => Box::new(SimulatedConnector::open(options, memory).unwrap()),
        Options::Local(options) => {
            let directory = data.path().join("site");
            Box::new(LocalConnector::open(options, Clock::WALL, memory, &directory).unwrap())
        }
        Options::Slurm(options, fake) => {
            Box::new(SlurmConnector::open(options, fake, memory, &data.path().join("site")).unwrap())
        }
    }
}

pub(crate) fn ends(said: &[SiteMessage]) -> Vec<(u32, PartEnd)> {
    let end = |message: &SiteMessage| match message {
        SiteMessage::Ended { part, end, .. } => Some((*part, *end)),
        _ => None,
    };
    said.iter().filter_map(end).collect()
}
