//! The same examples through the code that serves users.

use super::{Assignment, Config, paper};
use walras_core::prefer::{
    Aggregation, CompromiseJob, CompromiseOption, CompromiseProblem, Criterion, Party, PreferLimits,
    Preference, SCALE, Voice, Weighted, compromise, score,
};

/// What the product chooses in one model, and how content the users are with other choices.
pub(super) struct Chosen {
    /// For each user and provider its satisfaction, between 0 and 1.
    pub(super) satisfaction: [[f64; 4]; 3],
    /// The best compromise with a provider for each job.
    pub(super) best: Assignment,
}

/// Both models.
pub(super) struct Choices {
    pub(super) queues: Chosen,
    pub(super) slots: Chosen,
    /// By earliest guaranteed start, and by earliest completion.
    pub(super) mst: Assignment,
    pub(super) mct: Assignment,
    /// By shortest wait.
    pub(super) shortest_queue: Assignment,
}

pub(super) fn choices(config: &Config) -> Result<Choices, String> {
    let queue = |_: usize| config.queues;
    let slot = |job: usize| config.slots[job];
    Ok(Choices {
        queues: choose([Criterion::Wait, Criterion::Speed, Criterion::Memory], config.weights_queues, queue)?,
        slots: choose(
            [Criterion::GuaranteedStart, Criterion::Finish, Criterion::Cost],
            config.weights_slots,
            slot,
        )?,
        mst: paper::greedy(|job, provider| config.slots[job][provider][0]),
        mct: paper::greedy(|job, provider| config.slots[job][provider][1]),
        shortest_queue: paper::greedy(|_, provider| config.queues[provider][0]),
    })
}

/// A number of the tables in the core's integers.
#[expect(clippy::cast_possible_truncation, reason = "the configuration's check keeps values below a million")]
fn fixed(value: f64) -> i64 {
    (value * 1e6).round() as i64
}

fn choose(
    criteria: [Criterion; 3],
    weights: [[f64; 3]; 3],
    values: impl Fn(usize) -> [[f64; 3]; 4],
) -> Result<Chosen, String> {
    let mut jobs = Vec::new();
    let mut satisfaction = [[0.0; 4]; 3];
    for (job, weights) in weights.iter().enumerate() {
        let weighted =
            criteria.iter().zip(weights).map(|(it, weight)| Weighted::new(it.clone(), fixed(*weight)));
        let preference =
            Preference::new(weighted.collect(), Aggregation::CRITERIA).map_err(|it| it.to_string())?;
        // What has no weight is not among the preference's criteria.
        let row = |offer: [f64; 3]| -> Vec<Option<i64>> {
            let value = |it: &Weighted| criteria.iter().position(|criterion| *criterion == it.criterion);
            preference.weighted().iter().map(|it| value(it).map(|k| fixed(offer[k]))).collect()
        };
        let scored = score(&preference, &values(job).map(row)).map_err(|it| it.to_string())?;
        let option = |(provider, loss): (usize, i64)| CompromiseOption {
            loss,
            takes: vec![(provider, 1)],
            adds: Vec::new(),
        };
        let losses: Vec<i64> = scored.iter().map(|it| it.loss).collect();
        for (place, loss) in satisfaction[job].iter_mut().zip(&losses) {
            *place = 1.0 - *loss as f64 / SCALE as f64;
        }
        jobs.push(CompromiseJob { user: job, options: losses.into_iter().enumerate().map(option).collect() });
    }
    let party = |name: &str| Party { name: name.to_owned(), weight: 1, voice: Voice::User };
    let problem = CompromiseProblem::new(
        jobs,
        ["A", "B", "C"].map(party).to_vec(),
        vec![1; 4],
        Aggregation::STAKEHOLDERS,
    )
    .map_err(|it| it.to_string())?;
    let found = compromise(&problem, &PreferLimits::default()).found().ok_or("nothing can be chosen")?;
    let best = [0, 1, 2].map(|job| found.picks[job].unwrap_or(0));
    Ok(Chosen { satisfaction, best })
}
