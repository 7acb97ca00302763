//! What owners and the administrator want of plans, which the broker weighs where it plans by satisfaction.

use crate::record::{Site, wholes};
use std::collections::BTreeMap;
use walras_broker::Input;
use walras_broker::wish::{Wish, Wisher};
use walras_model::SiteId;

/// What owners and the administrator want of plans; whoever is not here wants nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// Of everything.
    pub administrator: Option<Wish>,
    /// Of what runs on a site, by the name of the whole site.
    pub owners: BTreeMap<String, Wish>,
}

impl Wishes {
    /// All of them as they are said to the broker, whose sites have numbers in their order.
    pub(super) fn inputs(&self, sites: &[Site]) -> Vec<Input> {
        let owners = (0..).zip(wholes(sites)).filter_map(|(place, kinds)| {
            let wish = self.owners.get(kinds.first()?.whole())?;
            Some((Wisher::Owner(SiteId::new(place)), wish))
        });
        let administrator = self.administrator.iter().map(|wish| (Wisher::Administrator, wish));
        let said = |(of, wish): (Wisher, &Wish)| Input::SetWish { of, wish: Some(wish.clone()) };
        owners.chain(administrator).map(said).collect()
    }
}
