//! Sites join, change and leave.
//!
//! A site that *leaves* sells nothing new; what it holds goes on, and it has left when the last of that has ended. Its number, its name and its
//! nodes' numbers are never anybody else's: whoever adds the same site again, with the same owner, kind and nodes, has it stay.
//! What may *change* is what does not make it another site: prices, who may run there, what it needs of time around what it holds.

use super::HEARD;
use super::draft::Draft;
use crate::model::event::SiteEvent;
use crate::model::input::{Answer, Refusal};
use crate::model::limits::{NODES_MAX, SITES_MAX};
use crate::model::refusal::{BadName, BadSite, Countable};
use crate::model::site::{SiteKind, SiteSpec, SiteTerms};
use crate::rules::submission::check_name;
use std::collections::BTreeSet;
use walras_model::SiteId;

fn taken(name: &str) -> Refusal {
    Refusal::BadName { name: name.to_owned(), fault: BadName::Taken }
}

pub(super) fn add(draft: &mut Draft<'_>, spec: &SiteSpec) -> Result<Answer, Refusal> {
    check_name(&spec.name)?;
    check_name(&spec.owner)?;
    let state = draft.before;
    if let Some(place) = state.sites.iter().position(|site| site.spec.name == spec.name) {
        return join_again(draft, place, spec);
    }
    if state.sites.len() >= SITES_MAX {
        return Err(Refusal::TooMany { what: Countable::Sites, most: SITES_MAX });
    }
    if state.nodes.len() + spec.nodes.len() > NODES_MAX {
        return Err(Refusal::TooMany { what: Countable::Nodes, most: NODES_MAX });
    }
    let mut names = BTreeSet::new();
    for node in &spec.nodes {
        check_name(&node.name)?;
        if !names.insert(&node.name) {
            return Err(taken(&node.name));
        }
    }
    match (matches!(spec.kind, SiteKind::Queue(_)), spec.nodes.len()) {
        (true, 0) | (false, 1..) => {}
        (true, nodes) => return Err(Refusal::BadSite(BadSite::QueueWithNodes(nodes))),
        (false, 0) => return Err(Refusal::BadSite(BadSite::NoNodes)),
    }
    spec.prices.check().map_err(Refusal::BadPrices)?;
    draft.push(SiteEvent::Added(Box::new(spec.clone())));
    let too_many = Refusal::TooMany { what: Countable::Sites, most: SITES_MAX };
    SiteId::from_index(state.sites.len()).map(Answer::Site).ok_or(too_many)
}

/// A site that was told to leave stays, with the terms that it has now.
fn join_again(draft: &mut Draft<'_>, place: usize, spec: &SiteSpec) -> Result<Answer, Refusal> {
    let known = SiteId::from_index(place).and_then(|site| Some((site, draft.before.site(site)?)));
    match known {
        Some((site, known)) if known.leaving && known.spec.is_same(spec) => {
            change(draft, site, &spec.terms())?;
            draft.push(SiteEvent::Stays(site));
            Ok(Answer::Site(site))
        }
        Some((_, known)) if known.leaving => Err(Refusal::BadSite(BadSite::OtherBefore)),
        Some(_) | None => Err(taken(&spec.name)),
    }
}

pub(super) fn change(draft: &mut Draft<'_>, site: SiteId, terms: &SiteTerms) -> Result<Answer, Refusal> {
    let known = &draft.before.site(site).ok_or(Refusal::NoSite(site))?.spec;
    terms.prices.check().map_err(Refusal::BadPrices)?;
    if known.prices != terms.prices {
        draft.push(SiteEvent::PricesSet { site, prices: Box::new(terms.prices.clone()) });
    }
    if known.access != terms.access || known.timing != terms.timing {
        let access = Box::new(terms.access.clone());
        draft.push(SiteEvent::TermsSet { site, access, timing: terms.timing });
    }
    Ok(HEARD)
}

pub(super) fn remove(draft: &mut Draft<'_>, site: SiteId) -> Result<Answer, Refusal> {
    let known = draft.before.site(site).ok_or(Refusal::NoSite(site))?;
    if !known.leaving {
        draft.push(SiteEvent::Leaving(site));
    }
    Ok(HEARD)
}
