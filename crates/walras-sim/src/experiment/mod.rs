//! The experiments of the papers.
//!
//! Each experiment is a module with a `Config`, whose default is the papers' setting, and a `run`. A cycle gives a
//! record of integers; the records are averaged in the order of cycles, so that results depend on the seed, the
//! configuration and the number of cycles only. A law that a cycle breaks is an error that names the cycle. A run that
//! is smaller than the paper's, or of another configuration, is not judged against it.

pub mod batch_optimisation;
mod choice;
mod cycles;
pub mod every_method;
pub mod metabroker;
pub mod multicriteria;
mod search;
pub mod slot_search;
pub mod two_tier;

use crate::config::{ConfigError, read_config};
use crate::results::{Figure, Fitted, Results, Series, Tally};
use walras_assign::program::Solver;
use walras_model::UnknownName;

/// How an experiment is run.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// What all random streams follow from.
    pub seed: u64,
    /// How many cycles are run.
    pub cycles: u32,
    /// How many threads share them; results do not depend on it.
    pub threads: usize,
    /// Told now and then how many cycles of how many are done.
    pub progress: &'a (dyn Fn(u32, u32) + Sync),
    /// What solves programmes, for the experiments that need it.
    pub solver: Option<&'a (dyn Solver + Sync)>,
}

/// What an experiment finds, before it is known whether it can be judged.
struct Findings {
    figures: Vec<Figure>,
    fitted: Vec<Fitted>,
    series: Vec<Series>,
    notes: Vec<String>,
}

/// Parameters, and what each was fitted to.
fn fits<const N: usize>(list: [[&str; 2]; N]) -> Vec<Fitted> {
    list.map(|[parameter, to]| Fitted { parameter: parameter.to_owned(), to: to.to_owned() }).into()
}

/// What a run gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Reproduction {
    /// The figures.
    pub results: Results,
    /// The paper's pictures, drawn from ours.
    pub pictures: Vec<Picture>,
}

/// A picture of a reproduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The name of its file.
    pub file: String,
    /// What it shows, for the page.
    pub caption: String,
    /// The picture itself.
    pub svg: String,
}

/// Why an experiment gave no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExperimentError {
    /// The configuration was refused.
    #[error("{0}")]
    Config(#[from] ConfigError),
    /// A cycle broke a law: a fault of the search, the chooser or the generator.
    #[error("cycle {} of seed {} breaks a law: {}", .0.cycle, .0.seed, .0.law)]
    Law(BrokenLaw),
    /// The experiment needs a solver, and was given none.
    #[error("this experiment needs a solver")]
    NoSolver,
}

/// A law that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenLaw {
    /// With which seed.
    pub seed: u64,
    /// In which cycle, from 0.
    pub cycle: u32,
    /// Which law, and how.
    pub law: String,
}

/// The experiments that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Experiment {
    /// ALP against AMP over random slot lists.
    SlotSearch,
    /// The best combination against a random one.
    BatchOptimisation,
    /// The assignment of jobs to capacity.
    MetaBroker,
    /// Application-level scheduling, job after job and in two tiers.
    TwoTier,
    /// The most satisfying assignment of three users' jobs.
    Multicriteria,
    /// Every method of every paper on the same markets.
    EveryMethod,
}

impl Experiment {
    /// All of them.
    pub const ALL: [Experiment; 6] = [
        Experiment::SlotSearch,
        Experiment::BatchOptimisation,
        Experiment::MetaBroker,
        Experiment::TwoTier,
        Experiment::Multicriteria,
        Experiment::EveryMethod,
    ];

    /// The name by which it is called.
    pub fn name(self) -> &'static str {
        match self {
            Experiment::SlotSearch => slot_search::NAME,
            Experiment::BatchOptimisation => batch_optimisation::NAME,
            Experiment::MetaBroker => metabroker::NAME,
            Experiment::TwoTier => two_tier::NAME,
            Experiment::Multicriteria => multicriteria::NAME,
            Experiment::EveryMethod => every_method::NAME,
        }
    }

    /// What it does, in a line.
    pub fn summary(self) -> &'static str {
        match self {
            Experiment::SlotSearch => slot_search::SUMMARY,
            Experiment::BatchOptimisation => batch_optimisation::SUMMARY,
            Experiment::MetaBroker => metabroker::SUMMARY,
            Experiment::TwoTier => two_tier::SUMMARY,
            Experiment::Multicriteria => multicriteria::SUMMARY,
            Experiment::EveryMethod => every_method::SUMMARY,
        }
    }

    /// How many cycles the paper ran, or are enough where it does not say.
    pub fn cycles_default(self) -> u32 {
        match self {
            Experiment::SlotSearch => 25_000,
            Experiment::BatchOptimisation => 5_000,
            Experiment::MetaBroker => 10,
            Experiment::TwoTier => 10,
            // Nothing is drawn: one run says everything.
            Experiment::Multicriteria => 1,
            Experiment::EveryMethod => 200,
        }
    }

    /// Whether a configuration is one of this experiment's, without running it.
    pub fn check(self, config: &str) -> Result<(), ConfigError> {
        match self {
            Experiment::SlotSearch => read_config::<slot_search::Config>(config).map(drop),
            Experiment::BatchOptimisation => read_config::<batch_optimisation::Config>(config).map(drop),
            Experiment::MetaBroker => read_config::<metabroker::Config>(config).map(drop),
            Experiment::TwoTier => read_config::<two_tier::Config>(config).map(drop),
            Experiment::Multicriteria => read_config::<multicriteria::Config>(config).map(drop),
            Experiment::EveryMethod => read_config::<every_method::Config>(config).map(drop),
        }
    }

    /// Runs it with the configuration that a text states, or the default.
    pub fn run(self, config: Option<&str>, options: &Options<'_>) -> Result<Reproduction, ExperimentError> {
        let text = config.unwrap_or_default();
        match self {
            Experiment::SlotSearch => slot_search::run(&read_config(text)?, options),
            Experiment::BatchOptimisation => batch_optimisation::run(&read_config(text)?, options),
            Experiment::MetaBroker => metabroker::run(&read_config(text)?, options),
            Experiment::TwoTier => two_tier::run(&read_config(text)?, options),
            Experiment::Multicriteria => multicriteria::run(&read_config(text)?, options),
            Experiment::EveryMethod => every_method::run(&read_config(text)?, options),
        }
    }
}

impl Experiment {
    /// The results of a run. What is compared with the paper is judged where the run is as large as the paper's, or as
    /// is needed where that is not printed, and its configuration the paper's.
    fn results<C: serde::Serialize + Default + PartialEq>(
        self,
        config: &C,
        options: &Options<'_>,
        findings: Findings,
    ) -> Results {
        let results = Results {
            experiment: self.name().to_owned(),
            seed: options.seed,
            cycles: options.cycles,
            tally: Tally::of(&findings.figures),
            unjudged: None,
            config: serde_json::json!(config),
            figures: findings.figures,
            fitted: findings.fitted,
            tables: Vec::new(),
            series: findings.series,
            notes: findings.notes,
        };
        let full = self.cycles_default();
        if *config != C::default() {
            return results.unjudged("the configuration is not the papers'".to_owned());
        }
        if options.cycles < full {
            let why = format!("a small run, {} of {full} cycles: figures scatter", options.cycles);
            return results.unjudged(why);
        }
        results
    }
}

impl std::str::FromStr for Experiment {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Experiment::ALL.into_iter().find(|experiment| experiment.name() == text).ok_or_else(|| {
            let names = Experiment::ALL.map(Experiment::name);
            UnknownName::new("an experiment", text, format!("one of {}", names.join(", ")))
        })
    }
}

/// What a cycle can fail with: its number and the seed are added by whoever runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum CycleError {
    Config(ConfigError),
    Law(String),
}

impl From<ConfigError> for CycleError {
    fn from(error: ConfigError) -> Self {
        CycleError::Config(error)
    }
}

impl CycleError {
    fn law(law: impl Into<String>) -> CycleError {
        CycleError::Law(law.into())
    }
}
