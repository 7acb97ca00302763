//! What stands in for the connector of a site that has left, and whose table is gone: nothing is held there, and nothing is asked of it.

use walras_model::{Interval, Time};
use walras_sites::{
    Connector, CycleNumber, Fault, Prepare, ReservationNumber, SiteAnswer, SiteError, SiteMessage,
    SiteRefusal, Start,
};

/// A site that has left.
pub struct LeftConnector;

impl Connector for LeftConnector {
    fn offers(&mut self, _: Time, _: CycleNumber, _: Interval) -> SiteAnswer {
        Ok(Vec::new())
    }

    fn prepare(&mut self, _: Time, asked: &Prepare<'_>) -> SiteAnswer {
        let (reservation, refusal) = (asked.reservation, SiteRefusal::Unwilling);
        Ok(vec![SiteMessage::Refused { reservation, refusal }])
    }

    fn confirm(&mut self, _: Time, _: ReservationNumber) -> SiteAnswer {
        Ok(Vec::new())
    }

    fn release(&mut self, _: Time, number: ReservationNumber) -> SiteAnswer {
        Ok(vec![SiteMessage::Released(number)])
    }

    fn cancel(&mut self, now: Time, number: ReservationNumber) -> SiteAnswer {
        self.release(now, number)
    }

    fn start(&mut self, _: Time, _: Start<'_>) -> SiteAnswer {
        Err(SiteError::Stopped)
    }

    fn observe(&mut self, _: Time, _: ReservationNumber) -> SiteAnswer {
        Ok(Vec::new())
    }

    fn poll(&mut self, _: Time) -> SiteAnswer {
        Ok(Vec::new())
    }

    fn next(&self, _: Time) -> Option<Time> {
        None
    }

    fn fault(&mut self, _: Time, _: &Fault) -> SiteAnswer {
        Err(SiteError::NoSuchFault("the site has left"))
    }
}
