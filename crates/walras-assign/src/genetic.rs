//! The genetic algorithm of the paper: HGA begins with a greedy assignment, LPGA with that of [`mmc`](super::mmc).
//!
//! **Problem.** Improve a first assignment by chance.
//!
//! **Method.** An individual is a site for every job. The first population is the given one and random ones. A
//! generation keeps the best individual as it is; the others are children of parents picked by roulette (the wheel's
//! slices grow linearly from the dearest individual to the cheapest, jobs that are out counting twice the dearest pair per
//! weight): *crossover* takes the sites up to a random job from one parent and the rest from the other, *mutation* sends
//! single jobs to random sites, *inversion* turns a stretch of the individual around. Each child is then *repaired*: jobs
//! that do not fit are put out in the order of the [`Ranking`], and those that are out take the first site of their wishes
//! that has room. It ends when so many generations in a row found nothing better.
//!
//! The paper takes encoding, fitness and rates from a report of its authors and prints none of them; population 50
//! and 150 generations without change are fitted, and so are the rates.
//!
//! **Complexity.** O(population · pairs) per generation at worst. Chance is an argument, drawn on one thread; repairing
//! and counting may be shared by several, and the result does not depend on how many.
//!
//! ```
//! use walras_assign::genetic::{Evolution, evolve};
//! use walras_assign::{greedy::{self}, greedy::Ranking};
//! use walras_model::market::{Choices, Instance, Pair, Serve};
//! let pair = |site, takes, cost| Pair { site, takes, cost };
//! let jobs = vec![
//!     Choices { weight: 1, pairs: vec![pair(0, 2, 10), pair(1, 2, 30)] },
//!     Choices { weight: 1, pairs: vec![pair(0, 2, 10), pair(1, 2, 90)] },
//! ];
//! let instance = Instance::new(vec![2, 2], jobs, Serve::Most).unwrap();
//! let ranking = Ranking::by_cost(&instance, vec![0, 1]);
//! let first = greedy::assign(&instance, &ranking);
//! let mut state = 1_usize;
//! let mut draw = |below: usize| {
//!     state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
//!     (state >> 33) % below
//! };
//! let evolved = evolve(&instance, &ranking, first, &Evolution::default(), &mut draw);
//! assert_eq!(evolved.worth.cost, 40);
//! ```

use super::greedy::{self, Ranking};
use walras_model::market::{Assignment, Instance, Worth};

/// How to evolve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evolution {
    /// How many individuals; at least two are used.
    pub population: usize,
    /// Stop after so many generations without a better one.
    pub stalled_max: u32,
    /// Stop after so many generations in all.
    pub generations_max: u32,
    /// Of a hundred children, so many have two parents; the others copy one.
    pub crossover_percent: u32,
    /// Of a thousand sites in a child, so many are drawn anew.
    pub mutation_permille: u32,
    /// Of a hundred children, so many have a stretch turned around.
    pub inversion_percent: u32,
    /// How many threads repair and count; the result does not depend on it.
    pub threads: usize,
}

impl Default for Evolution {
    fn default() -> Self {
        Evolution {
            population: 50,
            stalled_max: 150,
            generations_max: 100_000,
            crossover_percent: 80,
            mutation_permille: 10,
            inversion_percent: 10,
            threads: 1,
        }
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evolved {
    /// The best individual.
    pub assignment: Assignment,
    /// What it is worth; never less than the first one's.
    pub worth: Worth,
    /// How many generations there were.
    pub generations: u32,
    /// Whether it ended by itself: the last generations found nothing better.
    pub converged: bool,
}

/// Evolves `first`. `draw` gives a number below the one it is given, which is never zero.
pub fn evolve(
    instance: &Instance,
    ranking: &Ranking,
    first: Assignment,
    evolution: &Evolution,
    draw: &mut dyn FnMut(usize) -> usize,
) -> Evolved {
    let breeder = Breeder { instance, ranking, evolution, dummy: dummy_cost(instance) };
    let mut genomes = vec![first];
    genomes.extend((1..evolution.population.max(2)).map(|_| breeder.random(draw)));
    let mut population = breeder.raise(genomes);
    let mut best = fittest(&population).clone();
    let (mut generations, mut stalled) = (0, 0);
    while stalled < evolution.stalled_max && generations < evolution.generations_max {
        generations += 1;
        stalled += 1;
        let wheel = Wheel::new(&population);
        let children = (1..population.len()).map(|_| breeder.child(&population, &wheel, draw)).collect();
        population = breeder.raise(children);
        population.push(best.clone());
        let now = fittest(&population);
        if now.worth.beats(&best.worth) {
            best = now.clone();
            stalled = 0;
        }
    }
    let converged = stalled >= evolution.stalled_max;
    Evolved { assignment: best.assignment, worth: best.worth, generations, converged }
}

/// An assignment that fits.
#[derive(Clone, Debug)]
struct Individual {
    assignment: Assignment,
    worth: Worth,
    /// Its cost, with what is out on the dummy.
    burden: i128,
}

fn fittest(population: &[Individual]) -> &Individual {
    let mut best = &population[0];
    for other in population {
        if other.worth.beats(&best.worth) {
            best = other;
        }
    }
    best
}

/// What a unit of weight costs on the dummy: twice the dearest pair.
fn dummy_cost(instance: &Instance) -> i128 {
    let pairs = (0..instance.jobs()).flat_map(|job| instance.pairs(job));
    2 * i128::from(pairs.map(|pair| pair.cost).max().unwrap_or(0)) + 1
}

/// Roulette: the slices of a population, as running sums.
struct Wheel {
    sums: Vec<usize>,
}

/// The slice of the best is so many times that of the worst.
const SLICE_MAX: i128 = 1_000;

impl Wheel {
    fn new(population: &[Individual]) -> Wheel {
        let burdens = || population.iter().map(|individual| individual.burden);
        let (least, most) = (burdens().min().unwrap_or(0), burdens().max().unwrap_or(0));
        let spread = (most - least).max(1);
        let mut sum = 0;
        let slices = burdens().map(|burden| {
            let slice = 1 + (SLICE_MAX - 1) * (most - burden) / spread;
            sum += usize::try_from(slice).unwrap_or(1);
            sum
        });
        Wheel { sums: slices.collect() }
    }

    fn spin(&self, draw: &mut dyn FnMut(usize) -> usize) -> usize {
        let total = self.sums.last().copied().unwrap_or(1);
        let drawn = draw(total);
        self.sums.partition_point(|sum| *sum <= drawn).min(self.sums.len() - 1)
    }
}

struct Breeder<'a> {
    instance: &'a Instance,
    ranking: &'a Ranking,
    evolution: &'a Evolution,
    dummy: i128,
}

impl Breeder<'_> {
    fn random_site(&self, job: usize, draw: &mut dyn FnMut(usize) -> usize) -> Option<u32> {
        let pairs = self.instance.pairs(job);
        if pairs.is_empty() { None } else { pairs.get(draw(pairs.len())).map(|pair| pair.site) }
    }

    fn random(&self, draw: &mut dyn FnMut(usize) -> usize) -> Assignment {
        Assignment { sites: (0..self.instance.jobs()).map(|job| self.random_site(job, draw)).collect() }
    }

    /// A child before it is repaired.
    fn child(
        &self,
        population: &[Individual],
        wheel: &Wheel,
        draw: &mut dyn FnMut(usize) -> usize,
    ) -> Assignment {
        let mut child = population[wheel.spin(draw)].assignment.clone();
        let jobs = child.sites.len();
        if happens(self.evolution.crossover_percent, 100, draw) {
            let other = &population[wheel.spin(draw)].assignment;
            let cut = draw(jobs + 1).min(jobs);
            child.sites[cut..].copy_from_slice(&other.sites[cut..]);
        }
        for (job, site) in child.sites.iter_mut().enumerate() {
            if happens(self.evolution.mutation_permille, 1_000, draw) {
                *site = self.random_site(job, draw);
            }
        }
        if happens(self.evolution.inversion_percent, 100, draw) {
            let (one, other) = (draw(jobs + 1).min(jobs), draw(jobs + 1).min(jobs));
            child.sites[one.min(other)..one.max(other)].reverse();
        }
        child
    }

    /// Repairs and counts all, on as many threads as there are.
    fn raise(&self, genomes: Vec<Assignment>) -> Vec<Individual> {
        let threads = self.evolution.threads.clamp(1, genomes.len().max(1));
        if threads == 1 {
            return genomes.into_iter().map(|genome| self.repair(genome)).collect();
        }
        let chunk = genomes.len().div_ceil(threads);
        std::thread::scope(|scope| {
            let work = |genomes: &[Assignment]| -> Vec<Individual> {
                genomes.iter().map(|genome| self.repair(genome.clone())).collect()
            };
            let running: Vec<_> =
                genomes.chunks(chunk).map(|genomes| scope.spawn(move || work(genomes))).collect();
            let joined = running.into_iter().flat_map(|thread| match thread.join() {
                Ok(individuals) => individuals,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            joined.collect()
        })
    }

    fn repair(&self, genome: Assignment) -> Individual {
        let assignment = greedy::complete(self.instance, self.ranking, genome);
        let worth = assignment.worth(self.instance).unwrap_or(Worth { weight: 0, jobs: 0, cost: 0 });
        let out = self.instance.weight_all().saturating_sub(worth.weight);
        let burden = i128::from(worth.cost) + i128::from(out) * self.dummy;
        Individual { assignment, worth, burden }
    }
}

fn happens(chances: u32, of: usize, draw: &mut dyn FnMut(usize) -> usize) -> bool {
    draw(of) < chances as usize
}
