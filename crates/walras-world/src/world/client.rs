//! Clients: they repeat themselves until they are answered, take quotes, and think again.

use super::{Parcel, World};
use crate::setup::MINUTE;
use walras_broker::id::{JobNumber, QuoteNumber};
use walras_broker::quoting::Inquiry;
use walras_broker::{Answer, Input};
use walras_sites::clock::later;

impl World {
    /// A client asks, repeats itself until it is answered, and goes on from there.
    pub(super) fn client(&mut self, input: Input, said: u32) {
        let input = if said == 0 { self.made_to_wait(input) } else { input };
        if said == 0
            && self.chance.happens(700)
            && let Some(searched) = self.search(&input)
        {
            // The world goes on while somebody searches.
            let pause = self.chance.between(0, 30_000);
            return self.post(later(self.now, pause), Parcel::Client(searched, 1));
        }
        let answer = self.say(&input);
        self.checker.answered(&input, answer.as_ref());
        if said == 0 {
            self.lets_go(&input, answer.as_ref());
        }
        let unheard = answer.is_none() && said < 20;
        if unheard || (said < 3 && self.goes_wrong(|it| it.repeat)) {
            let pause = self.chance.between(1_000, 60_000);
            let input = if unheard { searched_anew(input) } else { input };
            self.post(later(self.now, pause), Parcel::Client(input, said + 1));
        }
        match answer {
            Some(Answer::Quote(quote)) => self.consider(quote),
            Some(Answer::Job(job)) if self.chance.happens(60) => self.think_again(job),
            _ => {}
        }
    }

    /// A question for a quote with what was found outside the broker, as the service does it.
    fn search(&self, input: &Input) -> Option<Input> {
        let Input::AskQuote { key, job, hold, .. } = input else { return None };
        let now = later(self.now, self.skew);
        let inquiry = Inquiry::new(self.broker.state(), now, job, *hold).ok().flatten()?;
        let findings = Some(Box::new(inquiry.search()));
        Some(Input::AskQuote { key: key.clone(), job: job.clone(), findings, hold: *hold })
    }

    /// Whoever gets a quote often takes it, sometimes too late.
    fn consider(&mut self, quote: QuoteNumber) {
        if let Some(user) = self.broker.state().chains.get(&quote).map(|chain| chain.user().to_owned()) {
            let pause = self.chance.between(0, 2_000);
            let (user, key) = (Some(user), format!("accept-{quote}"));
            let input = Input::Accept { user, key, quote, option: 0 };
            return self.post(later(self.now, pause), Parcel::Client(input, 0));
        }
        let given = self.broker.state().quotes.get(&quote);
        let user = given.map(|quote| quote.spec.user.clone());
        let options = given.map_or(0, |quote| quote.options.len());
        if options > 0 && self.chance.happens(800) {
            let last = i64::try_from(options).unwrap_or(1) - 1;
            let option = u32::try_from(self.chance.between(0, last)).unwrap_or(0);
            let pause = self.chance.between(1_000, 6 * MINUTE);
            let input = Input::Accept { user, key: format!("accept-{quote}-{option}"), quote, option };
            self.post(later(self.now, pause), Parcel::Client(input, 0));
        }
    }

    fn think_again(&mut self, job: JobNumber) {
        let Some(user) = self.broker.state().jobs.get(&job).map(|job| job.spec.user.clone()) else { return };
        let pause = self.chance.between(0, 40 * MINUTE);
        self.post(later(self.now, pause), Parcel::Client(Input::CancelJob { user, job }, 19));
    }
}

/// What was found may be outdated: whoever repeats the question leaves the search to the broker.
fn searched_anew(input: Input) -> Input {
    match input {
        Input::AskQuote { key, job, hold, .. } => Input::AskQuote { key, job, findings: None, hold },
        other => other,
    }
}
