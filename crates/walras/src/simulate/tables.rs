//! Sites, prices and outages from files.

use super::Args;
use super::words::{Failing, is_table};
use crate::failure::Failure;
use crate::files;
use std::path::Path;
use walras_model::Money;
use walras_sim::outage::{Failures, read_outages};
use walras_sim::record::Site;
use walras_sim::study::{PriceList, read_sites, sites_of};
use walras_sim::table::Table;

/// The sites that are asked for, and what there is to say of their prices.
pub(super) fn sites(args: &Args) -> Result<(Option<Vec<Site>>, Vec<String>), Failure> {
    let mut prices = PriceList::default();
    let mut notes = Vec::new();
    for path in &args.prices {
        let rows = prices.read(Table::new(files::open(path)?));
        let rows = rows.map_err(|bad| Failure::Input(format!("{}: {bad}", path.display())))?;
        notes.push(format!("{}: {rows} prices and speeds", path.display()));
    }
    let Some(words) = &args.sites else { return Ok((None, notes)) };
    let sites = if is_table(words) {
        let table = Table::new(files::open(Path::new(words))?);
        read_sites(table, &prices).map_err(|problem| format!("{words}: {problem}"))
    } else {
        sites_of(words, &prices, args.seed).map_err(|problem| problem.to_string())
    };
    let sites = sites.map_err(Failure::Input)?;
    if !prices.is_empty() && !sites.iter().any(|site| prices.price(&site.name).is_some()) {
        return Err(Failure::Input("no site has a name that --prices has a price for".to_owned()));
    }
    let unpriced = sites.iter().filter(|site| !prices.is_empty() && prices.price(&site.name).is_none());
    notes.extend(unpriced.map(|site| {
        let price = Money::from_micros(site.price.as_micros_per_second());
        format!("{}: no list has a price of that name, so it costs {price} credits a second", site.name)
    }));
    Ok((Some(sites), notes))
}

/// How nodes of these sites fail.
pub(super) fn failures(args: &Args, sites: &[Site]) -> Result<Option<Failures>, Failure> {
    Ok(match &args.failures {
        None => None,
        Some(Failing::Drawn(between, repair)) => Some(Failures::Drawn { between: *between, repair: *repair }),
        Some(Failing::File(path)) => {
            let outages = read_outages(Table::new(files::open(path)?), sites);
            let outages = outages.map_err(|bad| Failure::Input(format!("{}: {bad}", path.display())))?;
            Some(Failures::Traced(outages.into()))
        }
    })
}
