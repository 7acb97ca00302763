//! What a world is to be like: everything else is drawn from its seed.

use crate::fault::Faults;

/// How long a world lasts, and what may go wrong in it.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// What everything is drawn from.
    pub seed: u64,
    /// What goes wrong; drawn from the seed, without.
    pub faults: Option<Faults>,
    /// How many jobs and quotes are asked for.
    pub jobs: u64,
    /// How long jobs arrive, in minutes.
    pub minutes: i64,
    /// At most so many messages and moments.
    pub steps_max: u64,
    /// Whether jobs may have to wait for others, for namesakes and for their users' word.
    pub waits: bool,
    /// Whether jobs come in chains: most wait for the one that their user submitted last.
    pub chains: bool,
    /// Whether sites make the mistakes of real clusters, and say what has changed of what is free.
    pub clusters: bool,
    /// Whether all jobs are workflows whose tasks are often late.
    pub late: bool,
    /// Whether all jobs are workflows with tasks that take several nodes.
    pub gangs: bool,
    /// By what the VO plans.
    pub planning: Planning,
}

/// By what the VO of a world plans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Planning {
    /// By whatever is drawn.
    #[default]
    Drawn,
    /// By satisfaction and by likely ends; the owner of the first site wants income, with this weight, and jobs say what they prefer.
    Content {
        /// Of the owner's wish.
        weight: u32,
    },
    /// At once and by cost, and what no plan could beat is looked for.
    Bounded,
    /// At once, in windows that are searched by another of the searches, in half of the worlds on the fly.
    Searched,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            seed: 1,
            faults: None,
            jobs: 14,
            minutes: 90,
            steps_max: 60_000,
            waits: false,
            chains: false,
            clusters: false,
            late: false,
            gangs: false,
            planning: Planning::Drawn,
        }
    }
}
