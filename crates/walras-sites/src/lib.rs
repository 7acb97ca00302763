//! Sites behind the broker: the contract that each of them keeps, what they keep in common, and the connectors.
//!
//! ```text
//!   broker --effects--> Connector (contract.rs) --messages--> broker
//!                           |
//!          +----------------+----------------+
//!      simulated/         local/           slurm/
//!          |                |                |
//!          +---- book.rs ---+---- store.rs --+   what outlives the process
//! ```
//!
//! | module | what it does |
//! | --- | --- |
//! | [`contract`] | the trait [`Connector`], what passes through it, and its errors |
//! | [`backoff`] | when something that does not answer is asked again |
//! | [`book`] | the protocol of reservations: what is prepared, confirmed, expired and released, once for all connectors |
//! | [`store`] | where a book is kept: a SQLite file, or nothing |
//! | [`reported`] | what was said of parts, so that it is said once |
//! | [`clock`] | the service's time beside the wall's |
//! | [`steady`] | the wall's clock without its jumps |
//! | [`simulated`] | a site that runs nothing: nodes, owners, parts that take their time, failures on demand |
//! | [`local`] | a site that runs commands on this machine, one supervised process for each part |
//! | [`slurm`] | a site that is a Slurm cluster: reservations of its own, and one job for each hold |
//!
//! A connector is a directory beside these, with an implementation of [`Connector`] over a [`book::Book`].
//!
//! ```
//! use walras_model::{Interval, Money, NodeId, Rate, Time};
//! use walras_sites::simulated::{Behaviour, SimulatedConnector, SimulatedOptions};
//! use walras_sites::{Connector, Customer, Hold, JobNumber, Offering, Prepare, ReservationNumber, SiteMessage};
//!
//! let directory = tempfile::tempdir().unwrap();
//! let options = SimulatedOptions {
//!     offering: Offering::Slots,
//!     first_node: 0,
//!     nodes: vec!["n1".to_owned(), "n2".to_owned()],
//!     units: Vec::new(),
//!     seed: 1,
//!     behaviour: Behaviour::LIVELY,
//!     load: None,
//! };
//! let mut site = SimulatedConnector::open(options, &directory.path().join("site.db")).unwrap();
//! let at = |seconds: i64| Time::from_millis(1_000 * seconds).unwrap();
//! let hold = Hold {
//!     units: 1,
//!     node: Some(NodeId::new(0)),
//!     interval: Interval::new(at(60), at(120)).unwrap(),
//!     rate: Rate::from_micros_per_second(1).unwrap(),
//!     cost: Money::from_micros(60),
//! };
//! let number = ReservationNumber::new(1);
//! let customer = Customer { job: JobNumber::new(1), user: "ada".to_owned(), group: None };
//! let asked = Prepare { reservation: number, customer: &customer, holds: &[hold], expiry: at(10) };
//! // Held until it expires, and for good once it is confirmed; asking twice gives the same answer twice.
//! for _ in 0..2 {
//!     assert_eq!(site.prepare(at(0), &asked).unwrap(), [SiteMessage::Prepared(number)]);
//! }
//! assert_eq!(site.confirm(at(5), number).unwrap(), [SiteMessage::Confirmed(number)]);
//! ```

pub mod backoff;
pub mod book;
pub mod clock;
pub mod contract;
pub mod files;
pub mod local;
pub mod reported;
pub mod simulated;
pub mod slurm;
pub mod steady;
pub mod store;

pub use clock::Clock;
pub use contract::{
    Connector, Customer, CycleNumber, Effect, Fault, Free, FreeTime, Herald, Hold, JobNumber, Offering,
    OutputFault, PartEnd, Peer, Prepare, Program, ReservationNumber, SiteAnswer, SiteError, SiteMessage,
    SiteRefusal, Start, StartPart, Stream, Trouble, perform_one,
};
