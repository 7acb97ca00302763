//! Jobs that take parts of nodes: against the baselines of whole nodes, and never beyond what a node has.

use walras_model::{Span, Time};
use walras_random::Draws;
use walras_sim::baseline::{Discipline, Placement, simulate};
use walras_sim::drive::Setup;
use walras_sim::packing::{
    Cluster, Counting, Need, Packed, PackedJob, Packing, Trial, Usage, pack, read_jobs, read_machines, sell,
};
use walras_sim::record::Site;
use walras_sim::workload::Job;

const ALL: [Packing; 4] = [Packing::FirstFit, Packing::BestFit, Packing::Easy, Packing::Conservative];

fn cluster(kinds: &[(u32, u32, u64)]) -> Cluster {
    let kind = |(count, cores, memory): &(u32, u32, u64)| (*count, Need { cores: *cores, memory: *memory });
    Cluster::new(kinds.iter().map(kind)).unwrap()
}

/// All of these jobs on a cluster, which has room for them.
fn trial(cluster: &Cluster, jobs: &[PackedJob], counting: Counting) -> Trial {
    let trial = Trial::new(cluster, jobs.iter().copied(), counting);
    assert_eq!(trial.refused(), 0);
    trial
}

fn between(draws: &mut Draws, low: usize, high: usize) -> u32 {
    u32::try_from(low + draws.below(high - low + 1)).unwrap()
}

fn draw_jobs(draws: &mut Draws, cluster: &Cluster) -> Vec<PackedJob> {
    let mut submit = 0;
    let mut jobs = Vec::new();
    for number in 1..=30 {
        submit += 1_000 * i64::from(between(draws, 0, 20));
        let (_, has) = cluster.kinds()[draws.below(cluster.kinds().len())];
        let estimate = 1_000 * i64::from(between(draws, 1, 60));
        let run = if draws.below(3) == 0 { estimate } else { 1_000 * i64::from(between(draws, 1, 80)) };
        let cores = between(draws, 1, has.cores as usize);
        let memory = u64::from(between(draws, 0, usize::try_from(has.memory).unwrap()));
        let tasks = between(draws, 1, 2);
        jobs.push(PackedJob { number, submit, run, estimate, tasks, each: Need { cores, memory } });
    }
    jobs
}

/// Where every job takes whole nodes, EASY backfilling is what it is without parts; and conservative backfilling on the cores of one node.
#[test]
fn whole_nodes_are_scheduled_as_by_the_baselines() {
    for seed in 0..300 {
        let mut draws = Draws::new(seed);
        let nodes = between(&mut draws, 2, 8);
        let cluster = cluster(&[(nodes, 4, 16)]);
        let each = if seed % 2 == 0 { Need { cores: 3, memory: 0 } } else { Need { cores: 1, memory: 9 } };
        let tasks = |draws: &mut Draws| between(draws, 1, nodes as usize);
        let jobs: Vec<PackedJob> = draw_jobs(&mut draws, &cluster)
            .into_iter()
            .map(|job| PackedJob { tasks: tasks(&mut draws), each, ..job })
            .collect();
        for (packing, discipline) in
            [(Packing::Easy, Discipline::Easy), (Packing::Conservative, Discipline::Conservative)]
        {
            let time = |millis: i64| Span::from_millis(millis).unwrap();
            let plain = jobs.iter().map(|job| Job {
                number: job.number,
                submit: Time::from_millis(job.submit).unwrap(),
                nodes: job.tasks,
                run: time(job.run),
                estimate: time(job.estimate),
                user: None,
                budget: None,
                deadline: None,
            });
            let mut expected = Vec::new();
            simulate(&[Site::plain("campus", nodes)], discipline, Placement::FIRST, plain, &mut |record| {
                expected.push((record.job.number, record.ran.unwrap().start.as_millis()));
            });
            // Reservations on nodes are of the same nodes all the time: what is counted only is one node's cores.
            let one = self::cluster(&[(1, nodes, 0)]);
            let of_one =
                |job: &PackedJob| PackedJob { tasks: 1, each: Need { cores: job.tasks, memory: 0 }, ..*job };
            let ran = match packing {
                Packing::Conservative => {
                    let of_one: Vec<PackedJob> = jobs.iter().map(of_one).collect();
                    pack(&trial(&one, &of_one, Counting::ByResource), packing)
                }
                _ => pack(&trial(&cluster, &jobs, Counting::ByResource), packing),
            };
            let mut found: Vec<(u64, i64)> = ran.iter().map(|it| (it.job.number, it.start)).collect();
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "seed {seed} {packing:?}");
        }
    }
}

/// What is taken of every node when a job starts.
fn taken(ran: &[Packed], node: usize, at: i64) -> (u32, u64) {
    let there = ran.iter().filter(|it| it.start <= at && at < it.end);
    let of = there.flat_map(|it| {
        it.places.iter().filter(|(on, _)| *on == node).map(|(_, count)| (it.job.each, *count))
    });
    of.fold((0, 0), |sum, (each, count)| (sum.0 + each.cores * count, sum.1 + each.memory * u64::from(count)))
}

#[test]
fn no_node_is_beyond_what_it_has_and_everybody_runs() {
    for seed in 0..200 {
        let mut draws = Draws::new(7_000 + seed);
        let cluster = cluster(&[(2, 8, 32), (3, 4, 64)]);
        let jobs = draw_jobs(&mut draws, &cluster);
        for packing in ALL {
            let ran = pack(&trial(&cluster, &jobs, Counting::ByResource), packing);
            assert_eq!(ran.len(), jobs.len(), "seed {seed} {packing:?}");
            for it in &ran {
                assert!(it.start >= it.job.submit && it.end == it.start + it.job.lasts());
                assert_eq!(it.places.iter().map(|(_, count)| count).sum::<u32>(), it.job.tasks);
                for (node, has) in cluster.nodes().enumerate() {
                    let (cores, memory) = taken(&ran, node, it.start);
                    assert!(cores <= has.cores && memory <= has.memory, "seed {seed} {packing:?}");
                }
            }
        }
    }
}

/// A job that needs all memory has its turn under EASY and conservative backfilling although small ones would fit for ever; without reservations
/// it waits for all of them.
#[test]
fn reservations_are_of_memory_too() {
    let cluster = cluster(&[(1, 4, 4)]);
    let small = |number: u64| PackedJob {
        number,
        submit: 5_000 * i64::try_from(number).unwrap(),
        run: 10_000,
        estimate: 10_000,
        tasks: 1,
        each: Need { cores: 1, memory: 1 },
    };
    let mut jobs: Vec<PackedJob> = (0..40).map(small).collect();
    let large = PackedJob { number: 100, submit: 7_000, each: Need { cores: 1, memory: 4 }, ..small(0) };
    jobs.push(large);
    jobs.sort_by_key(|job| job.submit);
    let start = |packing| {
        let ran = pack(&trial(&cluster, &jobs, Counting::ByResource), packing);
        ran.iter().find(|it| it.job.number == 100).map(|it| it.start).unwrap()
    };
    assert_eq!(start(Packing::FirstFit), 205_000);
    assert_eq!((start(Packing::Easy), start(Packing::Conservative)), (15_000, 15_000));
}

/// The broker runs all of them, on nodes in units, and the auditor reads along.
#[test]
fn the_broker_sells_parts_of_nodes() {
    let mut shared = 0;
    for seed in 0..6 {
        let mut draws = Draws::new(90_000 + seed);
        let cluster = cluster(&[(2, 8, 35), (2, 4, 64)]);
        // Of 35 units of memory 32 can be sold in eighths.
        let mut jobs = draw_jobs(&mut draws, &cluster);
        jobs.retain(|job| job.each.memory <= 32);
        let setup = Setup { audit: true, ..Setup::new(Vec::new()) };
        let (ran, _) = sell(&trial(&cluster, &jobs, Counting::InUnits), &setup).unwrap();
        assert_eq!(ran.len(), jobs.len(), "seed {seed}");
        for it in &ran {
            let there: Vec<&Packed> =
                ran.iter().filter(|other| other.start <= it.start && it.start < other.end).collect();
            let cores: u32 = there.iter().map(|it| it.job.each.cores * it.job.tasks).sum();
            assert!(cores <= 24, "seed {seed}");
            shared += usize::from(there.iter().map(|it| it.job.tasks).sum::<u32>() > 4);
        }
        assert!(Usage::of(&cluster, &ran).unwrap().cores > 0.0);
    }
    assert!(shared > 5, "{shared} times more tasks than nodes");
}

/// Units round up, and what a task makes unusable is all of them: a core with half of the memory is half a node, and two of these leave no
/// room for a third job that by resources has it.
#[test]
fn units_leave_nothing_of_what_a_task_makes_unusable() {
    let cluster = cluster(&[(1, 4, 43)]);
    let job = |number, cores, memory| PackedJob {
        number,
        submit: 0,
        run: 10_000,
        estimate: 10_000,
        tasks: 1,
        each: Need { cores, memory },
    };
    let starts = |jobs: &[PackedJob], counting| -> Vec<i64> {
        pack(&trial(&cluster, jobs, counting), Packing::Easy).iter().map(|it| it.start).collect()
    };
    let jobs = [job(1, 1, 20), job(2, 1, 20), job(3, 2, 0)];
    assert_eq!(starts(&jobs, Counting::ByResource), [0, 0, 0]);
    assert_eq!(starts(&jobs, Counting::InUnits), [0, 0, 10_000]);
    // Of 43 a unit has ten: eleven take two.
    let jobs = [job(1, 1, 11), job(2, 1, 11), job(3, 1, 1)];
    assert_eq!(starts(&jobs, Counting::InUnits), [0, 0, 10_000]);
    let refused = |memory, counting| Trial::new(&cluster, [job(1, 1, memory)], counting).refused();
    assert_eq!((refused(40, Counting::InUnits), refused(41, Counting::InUnits)), (0, 1));
    assert_eq!((refused(43, Counting::ByResource), refused(44, Counting::ByResource)), (0, 1));
}

/// Whatever a trace says, nothing is counted beyond its range and nothing goes on for ever.
#[test]
fn jobs_that_cannot_be_counted_are_refused() {
    let cluster = cluster(&[(3, 4, 16)]);
    let plain = PackedJob {
        number: 1,
        submit: 0,
        run: 1_000,
        estimate: 1_000,
        tasks: 1,
        each: Need { cores: 1, memory: 1 },
    };
    let wrong = [
        PackedJob { submit: i64::MAX, ..plain },
        PackedJob { submit: i64::MIN, ..plain },
        PackedJob { estimate: i64::MAX, ..plain },
        PackedJob { estimate: 0, ..plain },
        PackedJob { run: 0, ..plain },
        PackedJob { run: i64::MAX, ..plain },
        PackedJob { tasks: 0, ..plain },
        PackedJob { tasks: u32::MAX, ..plain },
        PackedJob { each: Need { cores: u32::MAX, memory: 1 }, ..plain },
        PackedJob { each: Need { cores: 1, memory: u64::MAX }, ..plain },
        PackedJob { tasks: 13, ..plain },
    ];
    // Two of one number are two jobs.
    let jobs = wrong.into_iter().chain([plain, plain]);
    for counting in [Counting::ByResource, Counting::InUnits] {
        let trial = Trial::new(&cluster, jobs.clone(), counting);
        assert_eq!((trial.refused(), trial.jobs().len()), (wrong.len(), 2));
        for packing in ALL {
            assert_eq!(pack(&trial, packing).len(), 2);
        }
        assert_eq!(sell(&trial, &Setup::new(Vec::new())).unwrap().0.len(), 2);
    }
    let none = Trial::new(&cluster, [], Counting::ByResource);
    assert!(pack(&none, Packing::Conservative).is_empty() && Usage::of(&cluster, &[]).is_none());
    for (count, cores, memory) in [(0, 1, 1), (1, 0, 1), (1, u32::MAX, 1), (1, 1, u64::MAX), (u32::MAX, 1, 1)]
    {
        assert!(Cluster::new([(count, Need { cores, memory })]).is_err());
    }
    assert!(Cluster::new([]).is_err());
}

#[test]
fn denser_jobs_come_sooner() {
    let cluster = cluster(&[(1, 4, 16)]);
    let job = |number, submit| PackedJob {
        number,
        submit,
        run: 1_000,
        estimate: 1_000,
        tasks: 1,
        each: Need { cores: 1, memory: 1 },
    };
    let jobs = [job(1, 1_000), job(2, 4_000), job(3, 7_000)];
    let times = |millionths| walras_model::Multiplier::from_millionths(millionths).unwrap();
    let submits = |millionths| -> Vec<i64> {
        let trial = trial(&cluster, &jobs, Counting::ByResource).denser(times(millionths));
        trial.jobs().iter().map(|job| job.submit).collect()
    };
    assert_eq!(submits(1_000_000), [1_000, 4_000, 7_000]);
    assert_eq!(submits(2_000_000), [1_000, 2_500, 4_000]);
    assert_eq!(submits(1)[0], 1_000);
}

#[test]
fn machines_and_jobs_are_read_as_they_are_written() {
    let machines = "0\tlarge\t2\t64\t1\t2048\n\n1\tsmall\t3\t12\t1\t1024\n";
    let cluster = read_machines(machines.as_bytes()).unwrap();
    assert_eq!(
        cluster.kinds(),
        [(2, Need { cores: 64, memory: 2_048 }), (3, Need { cores: 12, memory: 1_024 })]
    );
    assert_eq!(cluster.all(), (164, 7_168));
    for (text, said) in [
        ("0 large 2 0 1 2048", "line 1: a node has from 1 to 4096 cores, not 0"),
        ("\n0 large 2 8 1 -5", "line 2: expected"),
        ("large", "line 1: expected"),
        ("0 large 2 8 1 18446744073709551615", "line 1: a node has at most"),
        ("0 large 4294967295 8 1 1", "line 1: 4294967295 nodes"),
        ("", "there is no node"),
    ] {
        let error = read_machines(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    let line = |number: u32, run: i64, memory: i64, nodes: &str| {
        format!(
            "{number} {} 0 {run} 4 1 1024 4 100 {memory} 1 62 1 1 -1 1 1 1 {{1,2}} q_1d {nodes}\n",
            10 * number
        )
    };
    let text = [
        line(2, 60, 1_048_577, "2:ppn=12:x86_64"),
        line(1, 200, -1, "1:ppn=1.5#excl"),
        line(3, 0, -1, "1:ppn=1"),
        line(4, 60, 4_194_304, "1:ppn=1"),
        line(5, 60, -1, "6:ppn=60"),
        line(6, 60, -1, "1:x86_64"),
        "nonsense\n".to_owned(),
    ];
    let read = read_jobs(text.concat().as_bytes()).unwrap();
    assert_eq!((read.unread, read.short, read.jobs.len()), (2, 1, 4));
    let bad: Vec<String> = read.bad.iter().map(ToString::to_string).collect();
    assert_eq!(
        bad,
        [
            "line 6, column 21: expected nodes and cores, as in 4:ppn=12, and not \"1:x86_64\"",
            "line 7, column 1: expected 19 columns or more, and not \"nonsense\""
        ]
    );
    let trial = Trial::new(&cluster, read.jobs, Counting::ByResource);
    assert_eq!(trial.refused(), 2);
    let job = |number, submit, run, tasks, cores, memory| PackedJob {
        number,
        submit,
        run,
        estimate: 100_000,
        tasks,
        each: Need { cores, memory },
    };
    let jobs = trial.jobs();
    assert_eq!(jobs, [job(1, 10_000, 200_000, 1, 2, 0), job(2, 20_000, 60_000, 2, 12, 1_025)]);
    assert_eq!(jobs[0].lasts(), 100_000);
}
