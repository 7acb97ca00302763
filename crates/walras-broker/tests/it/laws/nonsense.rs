//! Plans and messages that are not what they should be.

use crate::vo::{MINUTE, span};
use walras_broker::allocation::Allocation;
use walras_broker::decision::Decision;
use walras_broker::id::{CycleNumber, JobNumber, ReservationNumber};
use walras_broker::input::SiteMessage;
use walras_broker::job::{PartEnd, SiteRefusal};
use walras_broker::site::Free;
use walras_model::{Interval, Money, NodeId, SiteId, TaskId, Time};

/// Makes a plan wrong.
pub(super) fn spoil(decision: &mut Decision, wrong: u8) {
    if wrong == 1 {
        let twice = decision.chosen.clone();
        decision.chosen.extend(twice);
    }
    if wrong == 2 {
        decision.chosen.clear();
    }
    for chosen in &mut decision.chosen {
        if wrong == 3 {
            chosen.job = JobNumber::new(77);
        }
        spoil_allocation(&mut chosen.allocation, wrong);
    }
}

fn spoil_allocation(allocation: &mut Allocation, wrong: u8) {
    match wrong {
        4 => allocation.legs.extend(allocation.legs.clone()),
        5 => allocation.parts.clear(),
        6 => allocation.legs.clear(),
        _ => {}
    }
    for part in &mut allocation.parts {
        match wrong {
            7 => part.task = Some(TaskId::new(50_000)),
            8 => part.hold = 40,
            9 => part.site = SiteId::new(9),
            10 => (part.start, part.end) = (part.end, part.start),
            11 => part.after.push((90, span(1))),
            _ => {}
        }
    }
    for hold in allocation.legs.iter_mut().flat_map(|leg| &mut leg.holds) {
        match wrong {
            12 => hold.cost = Money::MAX,
            13 => hold.node = Some(NodeId::new(1_000)),
            14 => hold.cost = Money::from_micros(-1),
            _ => {}
        }
    }
}

pub(super) fn nonsense(what: u8, number: u8, part: u8, millis: i64) -> SiteMessage {
    let reservation = ReservationNumber::new(u64::from(number));
    let when = Time::from_millis(millis).unwrap_or(Time::MAX);
    // Few nodes, so that one that was lost is also said to be back.
    let (node, part) = (NodeId::new(u32::from(part % 2)), u32::from(part));
    match what {
        0 => SiteMessage::Prepared(reservation),
        1 => SiteMessage::Confirmed(reservation),
        2 => SiteMessage::Released(reservation),
        3 => SiteMessage::Refused { reservation, refusal: SiteRefusal::Busy },
        4 => SiteMessage::Refused { reservation, refusal: SiteRefusal::Unwilling },
        5 => SiteMessage::Started { reservation, parts: vec![part, part, 1_000_000], at: when },
        6 => SiteMessage::Ended { reservation, part, at: when, end: PartEnd::Done, used: None },
        7 => SiteMessage::Late { reservation, part, until: when },
        8 => SiteMessage::NodeLost { node, at: when },
        // Later than every loss, or it would be no news.
        9 => SiteMessage::NodeBack { node, at: Time::MAX },
        10 => {
            let end = when.checked_add(span(10 * MINUTE)).and_then(|end| Interval::new(when, end));
            let always = Interval::new(Time::MIN, Time::MAX).unwrap();
            SiteMessage::Taken { node, interval: end.unwrap_or(always) }
        }
        11 => SiteMessage::Lost(when),
        12 => SiteMessage::Back(when),
        _ => {
            SiteMessage::Offers { cycle: CycleNumber::new(u64::from(number)), free: Free::Capacity(u32::MAX) }
        }
    }
}
