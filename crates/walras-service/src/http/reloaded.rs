//! The configuration is read again: sites join, change and leave by the file.
//!
//! What has changed *in the file* since it was last read takes effect: what an owner has set meanwhile stays, unless the file now says otherwise.

use super::App;
use crate::check::same;
use crate::config::Config;
use crate::engine::{Failed, WRITER};
use crate::journal::Writer;
use crate::site::SiteConfig;
use std::path::Path;
use walras_api::service::WriterRole;
use walras_broker::Input;
use walras_broker::site::{SiteSpec, Timing};
use walras_model::SiteId;

impl App {
    /// Reads the configuration again: sites join, change and leave. Says what changed, a line each.
    pub async fn reload(&self, path: &Path) -> Vec<String> {
        let source = path.display().to_string();
        let by = Writer { role: WriterRole::Configuration, name: source, token: None };
        WRITER.scope(by, self.reload_by_file(path)).await
    }

    async fn reload_by_file(&self, path: &Path) -> Vec<String> {
        let mut before = self.joiner.config.lock().await;
        let now = match Config::read(path) {
            Ok(now) => now,
            Err(error) => return vec![format!("nothing is changed: {error}")],
        };
        let changed = now.changed_since(&before);
        let mut said: Vec<String> = changed
            .iter()
            .map(|what| format!("{what} has changed: it takes effect with the next start"))
            .collect();
        for site in &now.sites {
            let known = self.known(&site.name);
            let was = before.sites.iter().find(|was| was.name == site.name);
            match known.await {
                Err(failed) => return vec![format!("nothing is changed: {failed}")],
                Ok(None) => {
                    let joined = self.joiner.join_by_file(&self.handle, &self.sites, &before, site).await;
                    said.push(match joined {
                        Ok(_) => format!("site {} has joined", site.name),
                        Err(why) => format!("site {} has not joined: {why}", site.name),
                    });
                }
                Ok(Some((id, known))) => match (same(&known, site), was) {
                    (Err(why), _) => said.push(format!("refused: {why}")),
                    (Ok(()), Some(was)) => said.extend(self.change_by_file(id, &known, was, site).await),
                    // It was taken out of the file, and is in it again.
                    (Ok(()), None) => {
                        let joined = self.joiner.join_by_file(&self.handle, &self.sites, &before, site).await;
                        said.push(match joined {
                            Ok(_) => format!("site {} stays", site.name),
                            Err(why) => format!("site {} is as it was: {why}", site.name),
                        });
                    }
                },
            }
        }
        for gone in before.sites.iter().filter(|was| now.sites.iter().all(|site| site.name != was.name)) {
            let left = match self.known(&gone.name).await {
                Ok(Some((id, _))) => self.handle.send(Input::RemoveSite(id)).await.map(|_| ()),
                Ok(None) => Ok(()),
                Err(failed) => Err(failed),
            };
            said.push(match left {
                Ok(()) => format!("site {} leaves: it sells nothing new", gone.name),
                Err(why) => format!("site {} is as it was: {why}", gone.name),
            });
        }
        *before = now;
        if said.is_empty() {
            said.push("nothing has changed".to_owned());
        }
        said
    }

    async fn known(&self, name: &str) -> Result<Option<(SiteId, SiteSpec)>, Failed> {
        let name = name.to_owned();
        let known = self.handle.ask(move |state, _| {
            let place = state.sites.iter().position(|known| known.spec.name == name)?;
            let site = SiteId::from_index(place)?;
            Some((site, (*state.site(site)?.spec).clone()))
        });
        known.await
    }

    /// What has changed in a site's table takes effect, as far as it can while the service runs. What its owner has set since stays where the
    /// table is as it was.
    async fn change_by_file(
        &self,
        id: SiteId,
        known: &SiteSpec,
        was: &SiteConfig,
        site: &SiteConfig,
    ) -> Vec<String> {
        let shown = |config: &SiteConfig| format!("{config:?}");
        if shown(was) == shown(site) {
            return Vec::new();
        }
        let both = was.spec().and_then(|was| Ok((was.terms(), site.spec()?.terms())));
        let (before, now) = match both {
            Ok(both) => both,
            Err(why) => return vec![format!("refused: {why}")],
        };
        let mut terms = known.terms();
        let mut changed = Vec::new();
        if before.prices != now.prices {
            terms.prices = now.prices;
            changed.push("prices");
        }
        if before.access != now.access {
            terms.access = now.access;
            changed.push("access and quotas");
        }
        if before.timing != now.timing {
            terms.timing = Timing { longest: terms.timing.longest, ..now.timing };
            changed.push("times around holds");
        }
        let mut said = Vec::new();
        if !changed.is_empty() {
            let input = Input::ChangeSite { site: id, terms: Box::new(terms) };
            said.push(match self.handle.send(input).await {
                Ok(_) => format!("site {} has other {}", site.name, changed.join(", ")),
                Err(why) => format!("site {} is as it was: {why}", site.name),
            });
        }
        if was.connector != site.connector {
            said.push(format!(
                "site {}: connector = \"{}\" takes effect with the next start, until then it is reached by \"{}\"",
                site.name,
                site.connector.text(),
                was.connector.text()
            ));
        } else if shown(&was.with_terms_of(site)) != shown(site) {
            said.push(format!(
                "site {}: what else is new in its table takes effect with the next start",
                site.name
            ));
        }
        said
    }
}
