//! Preferences in `walras plan`: who may run where, what everybody makes of a choice, and the choice that suits all.

use crate::choice::{self, ChoiceArgs};
use crate::failure::Failure;
use crate::files;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use walras_api::{Plan, PlannedChoice, PlannedPareto, PlannedSatisfaction, Scenario};
use walras_core::Alternatives;
use walras_core::choose::{AppliedLimits, Combination, LeaveOut, Limit, Menu, Totals, VoPolicy};
use walras_core::prefer::{
    Compromise, Criterion, Negotiation, PreferLimits, Source, Stakeholders, compromise, valued,
};
use walras_model::{Batch, Outcome};
use walras_picture::{Line, LineChart, line_chart};

#[derive(clap::Args)]
pub(crate) struct ParetoArgs {
    /// Show the combinations to which none is better by one of two totals and not worse by the other, as in
    /// cost,finish; criteria as in the scenario's preferences
    #[arg(long, value_name = "X,Y", value_parser = two_criteria)]
    pareto: Option<[Criterion; 2]>,

    /// Write a picture of that front
    #[arg(long, value_name = "FILE.svg", requires = "pareto")]
    pareto_picture: Option<PathBuf>,
}

impl ParetoArgs {
    pub(crate) fn picture(&self) -> Option<&PathBuf> {
        self.pareto_picture.as_ref()
    }
}

/// Points of a front, at most.
const POINTS_MAX: usize = 1_000;

fn two_criteria(text: &str) -> Result<[Criterion; 2], String> {
    let wrong = || format!("'{text}' is not a pair of criteria, as in cost,finish");
    let (x, y) = text.split_once(',').ok_or_else(wrong)?;
    let pair: [Criterion; 2] = [x.trim().parse()?, y.trim().parse()?];
    if pair[0] == pair[1] { Err(format!("{} is there twice", pair[0])) } else { Ok(pair) }
}

/// The batch, every job only on the sites whose owners may let it in.
pub(crate) fn admitted(scenario: &Scenario) -> Batch {
    let Some(wishes) = &scenario.preferences else { return scenario.batch.clone() };
    let mut requests = scenario.batch.requests().to_vec();
    for (job, request) in requests.iter_mut().enumerate() {
        let open = wishes.sites_of(job);
        if open.len() < scenario.offers.sites().len() {
            let may = |site: &walras_model::SiteId| request.scope.admits(*site);
            request.scope.sites = Some(open.into_iter().filter(may).collect());
        }
    }
    Batch::new(requests)
}

/// Chooses, unless told not to, and writes down what everybody makes of it.
pub(crate) fn settle(
    plan: &mut Plan,
    args: &ChoiceArgs,
    pareto: &ParetoArgs,
    scenario: &Scenario,
    found: &Alternatives,
) -> Result<(), Failure> {
    let policy = choice::policy(args, scenario)?;
    let by_satisfaction = args.by_satisfaction(scenario);
    if scenario.preferences.is_none() && !by_satisfaction && pareto.pareto.is_none() {
        if args.wanted() {
            let menu = Menu::new(found, &scenario.batch);
            plan.choice = Some(choice::choose(&policy, scenario, found, &menu)?);
        }
        return Ok(());
    }
    let wishes = wishes(scenario, &policy, by_satisfaction);
    let talk = wishes.negotiate(&scenario.offers, &scenario.batch, found);
    let talk = talk.map_err(|error| Failure::Input(format!("preferences: {error}")))?;
    if args.wanted() {
        let (mut choice, suits) = if by_satisfaction {
            most_content(scenario, found, &policy, &talk)?
        } else {
            let choice = choice::choose(&policy, scenario, found, &menu(scenario, found, &talk))?;
            let suits = choice.found().then(|| appraise(scenario, &choice, &talk)).transpose()?;
            (choice, suits)
        };
        name_left_out(&mut choice, scenario, found);
        plan.choice = Some(choice);
        if scenario.preferences.is_some() || by_satisfaction {
            plan.satisfaction = suits.map(|suits| PlannedSatisfaction::new(scenario, &wishes, &talk, &suits));
        }
    }
    if let Some([x, y]) = &pareto.pareto {
        let front = wishes.trade_off(&scenario.offers, &scenario.batch, found, &talk, [x, y], POINTS_MAX);
        let (points, complete) = front.map_err(|error| Failure::Input(format!("--pareto: {error}")))?;
        let front = PlannedPareto::new(scenario, &wishes, &talk, [x, y], (&points, complete));
        if let Some(path) = &pareto.pareto_picture {
            files::write(path, &picture(&front))?;
        }
        plan.pareto = Some(front);
    }
    Ok(())
}

/// What everybody wants; the policy's given limits hold for a compromise as for every other choice.
fn wishes(scenario: &Scenario, policy: &VoPolicy, by_satisfaction: bool) -> Stakeholders {
    let plain = || Stakeholders::plain(&scenario.offers, &scenario.batch);
    let mut wishes = scenario.preferences.clone().unwrap_or_else(plain);
    if by_satisfaction {
        if let Limit::Given(money) = policy.budget_limit {
            wishes.budget_max = Some(money);
        }
        if let Limit::Given(span) = policy.time_limit {
            wishes.time_max = Some(span);
        }
    }
    wishes
}

/// The place of the window, if it is one.
fn window(source: &Source) -> Option<usize> {
    match source {
        Source::Window(place) => Some(*place),
        Source::Queue(_) => None,
    }
}

/// What there is to choose from, without what owners refuse.
fn menu(scenario: &Scenario, found: &Alternatives, talk: &Negotiation) -> Menu {
    let mut menu = Menu::new(found, &scenario.batch);
    for job in &mut menu.jobs {
        let admitted: BTreeSet<usize> = talk.sources[job.job.index()].iter().filter_map(window).collect();
        job.items.retain(|item| admitted.contains(&item.source));
    }
    menu.jobs.retain(|job| !job.items.is_empty());
    menu
}

/// The compromise that suits everybody best, in the form of every other choice.
fn most_content(
    scenario: &Scenario,
    found: &Alternatives,
    policy: &VoPolicy,
    talk: &Negotiation,
) -> Result<(PlannedChoice, Option<Compromise>), Failure> {
    let menu = menu(scenario, found, talk);
    let applied = AppliedLimits {
        time: match policy.time_limit {
            Limit::Given(span) => Some(i128::from(span.as_millis())),
            _ => None,
        },
        budget: match policy.budget_limit {
            Limit::Given(money) => Some(i128::from(money.as_micros())),
            _ => None,
        },
    };
    let combine = |suits: &Compromise| combination(&menu, talk, suits, applied);
    let (suits, outcome) = match compromise(&talk.problem, &PreferLimits::default()) {
        Outcome::Optimal(suits) => (suits.clone(), Outcome::Optimal(combine(&suits))),
        Outcome::Feasible { best: suits, bound } => {
            (suits.clone(), Outcome::Feasible { best: combine(&suits), bound })
        }
        Outcome::Infeasible(_) => return Err(Failure::input("there is no job to choose for")),
    };
    let unserved = suits
        .picks
        .iter()
        .zip(&talk.sources)
        .find_map(|(pick, sources)| (pick.is_none() && !sources.is_empty()).then_some(sources));
    if policy.leave_out == LeaveOut::Never && unserved.is_some() {
        let problem = "not every job that could be served can be: owners' quotas, the units of queues or the limits do \
                       not suffice, and the policy says leave_out: never";
        return Err(Failure::input(problem));
    }
    let choice = PlannedChoice::new(scenario, found, &menu, policy, &outcome);
    let mut choice = choice.ok_or_else(|| Failure::fault("the totals of a compromise cannot be summed"))?;
    choice.objective = "satisfaction".to_owned();
    Ok((choice, Some(suits)))
}

/// The windows of a compromise as a combination.
fn combination(menu: &Menu, talk: &Negotiation, suits: &Compromise, limits: AppliedLimits) -> Combination {
    let mut totals = Totals::default();
    let mut items = Vec::with_capacity(menu.jobs.len());
    for job in &menu.jobs {
        let source = suits.picks[job.job.index()].map(|pick| talk.sources[job.job.index()][pick]);
        let place = job.items.iter().position(|item| source == Some(Source::Window(item.source)));
        if let Some(item) = place.map(|place| &job.items[place]) {
            totals.served += 1;
            totals.cost += i128::from(item.cost.as_micros());
            totals.time += i128::from(item.time.as_millis());
            totals.makespan = totals.makespan.max(Some(item.finish));
        }
        items.push(place);
    }
    Combination { items, totals, limits, value: suits.value }
}

/// What everybody makes of a choice that was made without asking them.
fn appraise(scenario: &Scenario, choice: &PlannedChoice, talk: &Negotiation) -> Result<Compromise, Failure> {
    let chosen: BTreeMap<&str, usize> =
        choice.chosen.iter().map(|chosen| (chosen.job.as_str(), chosen.alternative)).collect();
    let requests = scenario.batch.requests().iter().zip(&talk.sources);
    let picks = requests.map(|(request, sources)| {
        let alternative = chosen.get(request.name.as_str())?;
        sources.iter().position(|source| window(source) == Some(*alternative))
    });
    let picks: Vec<Option<usize>> = picks.collect();
    valued(&talk.problem, &picks).ok_or_else(|| {
        let objective = &choice.objective;
        Failure::Input(format!(
            "preferences: the best combination by {objective} breaks a quota of an owner: only --objective satisfaction \
             keeps quotas"
        ))
    })
}

/// Every job with windows that none was chosen for is left out, also those that a queue takes and those that owners
/// refuse.
fn name_left_out(choice: &mut PlannedChoice, scenario: &Scenario, found: &Alternatives) {
    if !choice.found() {
        return;
    }
    let with_window: BTreeSet<usize> = found.found.iter().map(|it| it.job.index()).collect();
    let served: BTreeSet<&str> = choice.chosen.iter().map(|chosen| chosen.job.as_str()).collect();
    let names = with_window.into_iter().map(|job| &scenario.batch.requests()[job].name);
    let left_out = names.filter(|name| !served.contains(name.as_str())).cloned().collect();
    choice.left_out = left_out;
}

fn picture(front: &PlannedPareto) -> String {
    let number = |text: &str| text.parse::<f64>().unwrap_or(f64::NAN);
    let points = front.points.iter().map(|point| (number(point.x.as_str()), number(point.y.as_str())));
    line_chart(&LineChart {
        id: "pareto",
        title: &format!("Pareto front: total {} against total {}", front.x, front.y),
        subtitle: "No combination is better by one of the two and not worse by the other",
        x_title: &front.x,
        y_title: &front.y,
        lines: vec![Line { name: "front", points: points.collect() }],
    })
}
