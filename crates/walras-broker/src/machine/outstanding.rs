//! What has to be done: after an event, and all that nobody has acknowledged yet.

use crate::model::effect::{ArrayPlace, Customer, Effect, FileMove, GangPlace, Peer, Program, StartPart};
use crate::model::event::{CycleEvent, Event, ReservationEvent};
use crate::model::id::{NoticeNumber, ReservationNumber};
use crate::model::moving::MoveStep;
use crate::model::notice::Notice;
use crate::model::parts::Gangs;
use crate::model::reservation::{LegState, PartState, Reservation, ReservationPhase, ReservedPart};
use crate::model::state::State;
use std::collections::BTreeMap;
use std::sync::Arc;
use walras_model::{Interval, NodeId, SiteId, Span, TaskId};

impl State {
    /// What an event that was just folded asks for.
    pub(crate) fn effects_of(&self, event: &Event, notices_before: NoticeNumber) -> Vec<Effect> {
        let mut effects = match event {
            Event::Cycle(CycleEvent::Opened { .. } | CycleEvent::Closed { .. }) => self.cycle_effects(),
            Event::Reservation(
                ReservationEvent::Asked { reservation, .. }
                | ReservationEvent::Confirming { reservation, .. }
                | ReservationEvent::Closed { reservation, .. }
                | ReservationEvent::PartsDue { reservation, .. },
            ) => self.reservation_effects(*reservation, false),
            Event::Reservation(ReservationEvent::LegReady { reservation, .. }) => self.go(*reservation),
            Event::Reservation(ReservationEvent::Files {
                reservation,
                task,
                to,
                step: MoveStep::Begun { .. },
            }) => self.bring(*reservation, *task, *to).into_iter().collect(),
            Event::Cycle(
                CycleEvent::OffersReceived { .. }
                | CycleEvent::OffersChanged { .. }
                | CycleEvent::Decided { .. }
                | CycleEvent::Bounded { .. }
                | CycleEvent::Ended(_),
            )
            | Event::Reservation(
                ReservationEvent::LegPrepared { .. }
                | ReservationEvent::LegConfirmed { .. }
                | ReservationEvent::Held(_)
                | ReservationEvent::PartStarted { .. }
                | ReservationEvent::PartEnded { .. }
                | ReservationEvent::Rescheduled { .. }
                | ReservationEvent::Files {
                    step: MoveStep::Done { .. } | MoveStep::Failed(_) | MoveStep::Lost(_),
                    ..
                }
                | ReservationEvent::LegReleased { .. },
            )
            | Event::Vo(_)
            | Event::Site(_)
            | Event::Job(_)
            | Event::Quote(_) => Vec::new(),
        };
        let new = self.notices.range(notices_before.next()..);
        effects.extend(new.map(|(number, notice)| notify(*number, notice)));
        effects
    }

    /// All that was asked for and has not been acknowledged; also what runs and should be looked at.
    pub(crate) fn outstanding(&self) -> Vec<Effect> {
        let mut effects = self.cycle_effects();
        for (number, reservation) in &self.reservations {
            effects.extend(self.reservation_effects(*number, true));
            let moving = reservation.moving.keys().filter(|_| reservation.phase == ReservationPhase::Held);
            effects.extend(moving.filter_map(|(task, to)| self.bring(*number, *task, *to)));
        }
        effects.extend(self.notices.iter().map(|(number, notice)| notify(*number, notice)));
        effects
    }

    /// Files that are on their way.
    fn bring(&self, number: ReservationNumber, task: TaskId, to: SiteId) -> Option<Effect> {
        let reservation = self.reservations.get(&number)?;
        let from = reservation.moving.get(&(task, to))?.from;
        let (job, user) = (reservation.job, reservation.user.clone());
        let (files, name) = (self.files_for(reservation, task, to), self.task_name(job, task));
        let wanted = FileMove { reservation: number, job, user, task, name, from, to, files };
        Some(Effect::Move(Box::new(wanted)))
    }

    fn cycle_effects(&self) -> Vec<Effect> {
        let Some(cycle) = self.cycle.as_deref() else { return Vec::new() };
        if cycle.closed_at.is_some() {
            return vec![Effect::Plan(cycle.number)];
        }
        // What is said is used for a while, and must reach as far as is planned then: else what takes almost as long finds no place.
        let later = if self.promises().is_some() { self.offers_age_max() } else { 0 };
        let ahead = Span::from_millis(self.policy.horizon.as_millis().saturating_add(later));
        let end = ahead.and_then(|ahead| cycle.opened_at.checked_add(ahead));
        let Some(horizon) = end.and_then(|end| Interval::new(cycle.opened_at, end)) else {
            return Vec::new();
        };
        let ask = |site: &SiteId| Effect::AskOffers {
            site: *site,
            cycle: cycle.number,
            horizon,
            later_nodes: self.later_nodes(*site),
        };
        cycle.unanswered.iter().map(ask).collect()
    }

    /// The nodes that a site has got since it joined: it does not know their numbers otherwise.
    fn later_nodes(&self, site: SiteId) -> Vec<(NodeId, String)> {
        let Some(state) = self.site(site).filter(|site| !site.later_nodes.is_empty()) else {
            return Vec::new();
        };
        let later = self.nodes_of(state).filter(|(node, _)| state.later_nodes.binary_search(node).is_ok());
        later.map(|(node, spec)| (node, spec.name.clone())).collect()
    }

    fn reservation_effects(&self, number: ReservationNumber, look: bool) -> Vec<Effect> {
        let Some(reservation) = self.reservations.get(&number) else { return Vec::new() };
        let mut effects = Vec::new();
        for leg in &reservation.legs {
            let site = leg.site;
            match (reservation.phase, leg.state) {
                (ReservationPhase::Preparing(_), LegState::Asked) => effects.push(Effect::Prepare {
                    site,
                    reservation: number,
                    customer: self.customer(reservation),
                    holds: leg.holds.clone(),
                    expiry: reservation.expiry,
                }),
                (ReservationPhase::Confirming(_), LegState::Prepared) => {
                    effects.push(Effect::Confirm { site, reservation: number });
                }
                (ReservationPhase::Held, LegState::Confirmed) => {
                    effects.extend(self.start(number, reservation, site));
                    effects.extend(go_at(number, reservation, site));
                    if look && runs_on(reservation, site) {
                        effects.push(Effect::Observe { site, reservation: number });
                    }
                }
                (ReservationPhase::Closing, LegState::Leaving) if reservation.started_on(site) => {
                    effects.push(Effect::Cancel { site, reservation: number });
                }
                (ReservationPhase::Closing, LegState::Leaving) => {
                    effects.push(Effect::Release { site, reservation: number });
                }
                // Its answer is there, or what it was asked for is no longer wanted.
                (
                    ReservationPhase::Preparing(_)
                    | ReservationPhase::Confirming(_)
                    | ReservationPhase::Held
                    | ReservationPhase::Closing,
                    _,
                ) => {}
            }
        }
        effects
    }

    /// All sites that hold parts back are told at once when the last is ready.
    fn go(&self, number: ReservationNumber) -> Vec<Effect> {
        let Some(reservation) = self.reservations.get(&number) else { return Vec::new() };
        reservation.legs.iter().filter_map(|leg| go_at(number, reservation, leg.site)).collect()
    }

    /// The parts of a site that are due.
    fn start(&self, number: ReservationNumber, reservation: &Reservation, site: SiteId) -> Option<Effect> {
        let job = self.jobs.get(&reservation.job)?;
        let workflow = job.spec.workflow.as_ref();
        let places = reservation.parts.iter().zip(0_u32..);
        let due = places.filter(|(part, _)| part.plan.site == site && part.state == PartState::Due);
        let start = due.map(|(part, place)| StartPart {
            part: place,
            hold: part.plan.hold,
            task: workflow.zip(part.plan.task).map(|(of, task)| of.workflow.task(task).name.clone()),
            program: workflow
                .zip(part.plan.task)
                .and_then(|(of, task)| of.program(task).cloned().map(Box::new)),
            gang: None,
            start: part.plan.start,
            end: part.plan.end,
        });
        let mut parts: Vec<StartPart> = start.collect();
        self.tell_gangs(reservation, &mut parts);
        let spec = &job.spec;
        let program = Box::new(Program {
            name: spec.request.name.clone(),
            user: spec.user.clone(),
            command: spec.command.clone(),
            script: spec.script.clone(),
            output: spec.output.clone(),
            particulars: spec.particulars.clone(),
            shares: workflow.is_some(),
            array: job.element.zip(spec.array.as_ref()).map(|(of, all)| ArrayPlace {
                array: of.array,
                index: of.index,
                count: all.count(),
                lowest: all.lowest(),
                highest: all.highest(),
                step: all.step(),
            }),
        });
        (!parts.is_empty()).then_some(Effect::Start {
            site,
            reservation: number,
            job: reservation.job,
            parts,
            size: u32::try_from(reservation.parts.len()).unwrap_or(u32::MAX),
            peers: self.peers(reservation),
            program,
            together: reservation.is_held_back(site),
        })
    }

    /// Tells parts of gangs their places; only the first leaves files.
    fn tell_gangs(&self, reservation: &Reservation, parts: &mut [StartPart]) {
        let gangs = Gangs::of(reservation);
        if gangs.is_empty() {
            return;
        }
        let mut known: BTreeMap<u32, Arc<[Peer]>> = BTreeMap::new();
        for part in parts {
            let gang = gangs.with(reservation, part.part);
            let (Some(first), Some(rank)) = (gang.first(), gang.iter().position(|it| *it == part.part))
            else {
                continue;
            };
            let all = gang.iter().filter_map(|place| Some((reservation.parts.get(*place as usize)?, *place)));
            let peers =
                known.entry(*first).or_insert_with(|| all.map(|it| self.peer(reservation, it)).collect());
            let rank = u32::try_from(rank).unwrap_or(u32::MAX);
            part.gang = Some(GangPlace { rank, peers: Arc::clone(peers) });
            if let Some(program) = part.program.as_mut().filter(|_| rank > 0) {
                program.outputs.clear();
            }
        }
    }

    fn customer(&self, reservation: &Reservation) -> Customer {
        let user = self.users.get(reservation.user.as_str());
        Customer {
            job: reservation.job,
            user: reservation.user.clone(),
            group: user.and_then(|user| user.user.group.clone()),
        }
    }

    /// Where the parts of a reservation are.
    fn peers(&self, reservation: &Reservation) -> Arc<[Peer]> {
        reservation.parts.iter().zip(0_u32..).map(|part| self.peer(reservation, part)).collect()
    }

    fn peer(&self, reservation: &Reservation, (part, place): (&ReservedPart, u32)) -> Peer {
        let node = reservation.hold_of(&part.plan).and_then(|hold| hold.node);
        let site =
            self.site(part.plan.site).expect("what is reserved is on a site, and none is ever forgotten");
        Peer {
            part: place,
            site: site.spec.name.clone(),
            node: node.and_then(|node| self.node_spec(node)).map(|spec| spec.name.clone()),
        }
    }
}

/// What a site that holds parts back is told, once all sites are ready.
fn go_at(number: ReservationNumber, reservation: &Reservation, site: SiteId) -> Option<Effect> {
    let due = |part: &ReservedPart| part.plan.site == site && part.state == PartState::Due;
    let goes = reservation.is_held_back(site) && !reservation.is_awaited();
    (goes && reservation.parts.iter().any(due)).then_some(Effect::Go { site, reservation: number })
}

fn runs_on(reservation: &Reservation, site: SiteId) -> bool {
    let runs = |state: PartState| matches!(state, PartState::Running(_));
    reservation.parts.iter().any(|part| part.plan.site == site && runs(part.state))
}

fn notify(number: NoticeNumber, notice: &Notice) -> Effect {
    let news = Box::new(notice.news.clone());
    let letter = notice.letter.clone();
    Effect::Notify { notice: number, user: notice.user.clone(), job: notice.job, news, letter }
}
