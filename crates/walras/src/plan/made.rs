//! A plan that holds: made, looked at by the verifier, and drawn.

use super::Args;
use crate::failure::Failure;
use crate::{choice, clearing, cores, satisfaction, table, two_tier};
use std::borrow::Cow;
use std::collections::BTreeSet;
use walras_api::{Plan, PlannedChoice, Scenario};
use walras_core::choose::{Objective, VoPolicy};
use walras_core::plan::{BatchPlan, BatchProblem, PlanScheme, confirm_changes, plan_batch};
use walras_core::prefer::Stakeholders;
use walras_core::{Alternatives, SearchConfig};
use walras_model::Alternative;
use walras_picture::{Only, Scene, gantt};

/// What is planned.
pub(super) struct Input<'a> {
    pub(super) name: &'a str,
    pub(super) scenario: &'a Scenario,
    pub(super) workflows: &'a two_tier::Workflows,
    pub(super) warnings: &'a [String],
}

/// A plan as it was made and as it is listed, with its picture where one is wanted.
pub(super) struct Made<'a> {
    /// The scenario, workflows as large as their windows.
    pub(super) sized: Cow<'a, Scenario>,
    pub(super) planned: BatchPlan,
    pub(super) plan: Plan,
    pub(super) svg: Option<String>,
}

impl<'a> Input<'a> {
    pub(super) fn made(
        &self,
        args: &Args,
        (config, policy): (&SearchConfig, &VoPolicy),
        scheme: PlanScheme,
    ) -> Result<Made<'a>, Failure> {
        let (planned, mut plan) = self.plan(args, (config, policy), scheme)?;
        let mut sized = Cow::Borrowed(self.scenario);
        if self.workflows.iter().any(Option::is_some) {
            two_tier::set_sizes(sized.to_mut(), self.workflows, &planned);
        }
        plan.workflows = two_tier::planned(&sized, self.workflows, &planned);
        plan.warnings = self.warnings.to_vec();
        let svg = args.gantt.as_ref().map(|_| self.picture(args, &sized, &planned, plan.choice.as_ref()));
        let plan = plan.listing(&sized, config, &planned.found, args.listed());
        Ok(Made { sized, planned, plan, svg })
    }

    /// Plans, and writes down all but the workflows.
    fn plan(
        &self,
        args: &Args,
        (config, policy): (&SearchConfig, &VoPolicy),
        scheme: PlanScheme,
    ) -> Result<(BatchPlan, Plan), Failure> {
        let scenario = self.scenario;
        let jobs = two_tier::jobs(scenario, self.workflows);
        let by_satisfaction = policy.objective == Objective::Satisfaction;
        let asked = by_satisfaction || args.pareto.wanted();
        let plain = asked.then(|| Stakeholders::plain(&scenario.offers, &scenario.batch));
        let stakeholders = scenario.preferences.as_ref().or(plain.as_ref());
        let problem = BatchProblem {
            jobs: &jobs,
            stakeholders,
            network: scenario.network,
            choose: args.choice.wanted(),
            scheme,
            listing: args.listing(),
            threads: cores::threads(args.threads),
            ..BatchProblem::new(&scenario.offers, &scenario.batch, config, policy)
        };
        let mut planned = plan_batch(&problem);
        let unconfirmed = confirm_changes(&problem, &mut planned);
        let mut plan = Plan::outline(scenario, config, &planned.found);
        for it in &mut plan.unscheduled {
            let of_job = unconfirmed.iter().find(|(job, _)| scenario.batch.request(*job).name == it.job);
            it.unconfirmed = of_job.map(|(_, why)| *why);
        }
        let choice = choice::planned(scenario, policy, &planned)?;
        plan.choice = choice
            .map(|choice| clearing::bounded(&args.bound, args.json, scenario, &problem, &planned, choice));
        if let Some(stakeholders) = stakeholders {
            if scenario.preferences.is_some() || by_satisfaction {
                plan.satisfaction = satisfaction::planned(scenario, stakeholders, &planned);
            }
            plan.pareto = satisfaction::front(&args.pareto, scenario, stakeholders, &problem, &planned)?;
        }
        Ok((planned, plan))
    }

    fn picture(
        &self,
        args: &Args,
        sized: &Scenario,
        planned: &BatchPlan,
        choice: Option<&PlannedChoice>,
    ) -> String {
        let part = part(args, sized, &planned.found, choice);
        let shown = |place: usize| part.as_ref().is_none_or(|(windows, _)| windows.contains(&place));
        let tasks = two_tier::pictured(sized, self.workflows, planned, shown);
        let only = part.as_ref().map(|(windows, reason)| Only { windows, reason });
        picture(self.name, sized, &planned.found, choice, &tasks, only)
    }
}

impl Made<'_> {
    /// What the verifier has against it.
    pub(super) fn violation(&self, workflows: &two_tier::Workflows) -> Result<Option<String>, Failure> {
        let claim = self.plan.to_claim("plan").map_err(Failure::fault)?;
        let wrong = self.plan.violations(&claim, &self.sized, workflows, "plan").map_err(Failure::fault)?;
        Ok(wrong.first().map(ToString::to_string))
    }
}

/// The plan of a scheme if it holds; otherwise that of two phases, and what was wrong with the first. Nothing leaves before the
/// verifier has seen it.
pub(super) fn first_that_holds<T>(
    scheme: PlanScheme,
    made: impl Fn(PlanScheme) -> Result<T, Failure>,
    violation: impl Fn(&T) -> Result<Option<String>, Failure>,
) -> Result<(T, Option<String>), Failure> {
    let first = made(scheme)?;
    let Some(wrong) = violation(&first)? else { return Ok((first, None)) };
    drop(first);
    if scheme != PlanScheme::Papers {
        let plain = made(PlanScheme::Papers)?;
        if violation(&plain)?.is_none() {
            let fault =
                format!("the improved plan does not verify ({wrong}); this is the plan of two phases.");
            return Ok((plain, Some(fault)));
        }
    }
    Err(Failure::Fault(format!("the plan does not verify: {wrong}")))
}

/// The windows that the picture is to show, and why not the others; `None` for all.
fn part(
    args: &Args,
    scenario: &Scenario,
    found: &Alternatives,
    choice: Option<&PlannedChoice>,
) -> Option<(Vec<usize>, &'static str)> {
    let chosen = choice.iter().flat_map(|choice| &choice.chosen).map(|chosen| chosen.alternative);
    let chosen: BTreeSet<usize> = chosen.collect();
    let reason = match (args.chosen_only, args.jobs.is_empty()) {
        (false, true) => return None,
        (true, true) => "only chosen windows are shown",
        (false, false) => "only windows of the jobs asked for are shown",
        (true, false) => "only chosen windows of the jobs asked for are shown",
    };
    let wanted = |(place, alternative): (usize, &Alternative)| {
        let of_job =
            args.jobs.is_empty() || args.jobs.contains(&scenario.batch.request(alternative.job).name);
        (of_job && (!args.chosen_only || chosen.contains(&place))).then_some(place)
    };
    Some((found.found.iter().enumerate().filter_map(wanted).collect(), reason))
}

fn picture(
    name: &str,
    scenario: &Scenario,
    found: &Alternatives,
    choice: Option<&PlannedChoice>,
    tasks: &crate::picture::TaskPicture<'_>,
    only: Option<Only<'_>>,
) -> String {
    let unit = crate::picture::time_unit(scenario.unit);
    let choice = choice.filter(|choice| choice.found());
    let chosen: Option<Vec<usize>> =
        choice.map(|choice| choice.chosen.iter().map(|chosen| chosen.alternative).collect());
    let note = choice.map(|choice| table::chosen_in_short(choice, scenario.unit));
    let scene = Scene::new(name, &scenario.offers, &scenario.batch, &found.found);
    gantt(&Scene {
        unit,
        chosen: chosen.as_deref(),
        note: note.as_deref(),
        tasks: &tasks.marks,
        arrows: &tasks.arrows,
        only,
        ..scene
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_that_does_not_verify_gives_way_to_that_of_two_phases() {
        let made = |scheme: PlanScheme| Ok(scheme);
        let wrong = |bad: &'static [PlanScheme]| {
            move |scheme: &PlanScheme| Ok(bad.contains(scheme).then(|| "n1 is sold twice".to_owned()))
        };
        let all = [PlanScheme::Improved, PlanScheme::Papers];
        for scheme in all {
            assert_eq!(first_that_holds(scheme, made, wrong(&[])).ok(), Some((scheme, None)));
        }
        let (plan, fault) = first_that_holds(all[0], made, wrong(&[PlanScheme::Improved])).ok().unwrap();
        assert_eq!(plan, PlanScheme::Papers);
        let said = "the improved plan does not verify (n1 is sold twice); this is the plan of two phases.";
        assert_eq!(fault.as_deref(), Some(said));
        for scheme in all {
            let none = first_that_holds(scheme, made, wrong(&[PlanScheme::Improved, PlanScheme::Papers]));
            assert!(matches!(none, Err(Failure::Fault(_))));
        }
    }
}
