//! What the broker wants done, given to those who do it; and again, where nobody has acknowledged it.

use super::core::Engine;
use super::sites::Site;
use crate::journal::Journal;
use crate::notice::{Message, Notifier};
use std::time::Instant;
use walras_api::sentence::Context;
use walras_broker::{Effect, Input};

impl<J: Journal> Engine<J> {
    /// Lets letters be carried.
    pub fn send_through(&mut self, notifier: Notifier) {
        self.notifier = Some(notifier);
    }

    pub(super) fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Plan(cycle) => self.plan(cycle),
                Effect::Move(files) => self.bring(*files),
                Effect::Notify { notice, user, job, news, letter } => {
                    let text = Context::of_service(self.broker.state()).news(job, &news);
                    let job = self.broker.state().which(job).to_string();
                    tracing::info!(user, job, text, "notice");
                    let message = letter.map(|letter| Message { notice, user, job, text, letter: *letter });
                    // What nobody carries has arrived with the log.
                    if !message
                        .is_some_and(|message| self.notifier.as_ref().is_some_and(|it| it.take(message)))
                    {
                        self.own.push_back(Input::Noticed(notice));
                    }
                }
                other => match other.site().and_then(|site| self.sites.get(site.index())) {
                    Some(site) => site.give(other),
                    None => tracing::error!(effect = ?other, "an effect for a site that there is not"),
                },
            }
        }
    }

    /// What nobody has acknowledged is asked for again, of sites that have done all that they were given.
    pub(super) fn repeat(&mut self) {
        if self.repeated.elapsed() < self.config.repeat_every || self.stalled.is_some() {
            return;
        }
        self.repeated = Instant::now();
        let idle: Vec<bool> = self.sites.iter().map(Site::is_idle).collect();
        let overflowed = self.notifier.as_ref().is_some_and(|notifier| notifier.has_overflowed());
        let mut effects = self.broker.outstanding();
        effects.retain(|effect| match (effect, effect.site()) {
            (_, Some(site)) => idle.get(site.index()).copied().unwrap_or(false),
            // They are on their way, unless there was no room for them.
            (Effect::Notify { .. }, None) => overflowed,
            (_, None) => true,
        });
        self.perform(effects);
    }
}
