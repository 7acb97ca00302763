//! What scarce time is worth: for owners, and for users who could wait.

use super::http::Client;
use super::say::say;
use super::settings::Connect;
use super::show::{table, time};
use crate::failure::Failure;
use walras_api::service::WorthView;

#[derive(clap::Args)]
pub(crate) struct WorthArgs {
    /// Only of this site
    site: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

pub(crate) fn worth(args: &WorthArgs) -> Result<(), Failure> {
    let answer = Client::of(&args.connect)?.get("/v1/worth")?;
    say(&args.connect, &answer, |view: &WorthView| worth_text(view, args.site.as_deref()))
}

fn worth_text(view: &WorthView, site: Option<&str>) -> String {
    let wanted = |name: &str| site.is_none_or(|site| site == name);
    let scarce = view.scarce.iter().filter(|it| wanted(&it.site)).map(|it| {
        let nodes = it.nodes.to_string();
        [it.site.clone(), time(it.start), time(it.end), it.above_price.to_string(), nodes]
    });
    let scarce: Vec<[String; 5]> = scarce.collect();
    let nodes = view.nodes.iter().filter(|it| wanted(&it.site)).map(|it| {
        let (performance, price) = (it.performance.to_string(), it.price.to_string());
        [it.site.clone(), performance, price, it.nodes.to_string(), it.one_more.to_string()]
    });
    let nodes: Vec<[String; 5]> = nodes.collect();
    let mut text = String::new();
    if !scarce.is_empty() {
        text += &table(["site", "from", "until", ">above price", ">nodes"], &scarce);
    }
    if !nodes.is_empty() {
        text += &table(["site", ">performance", ">price", ">nodes", ">one more brings"], &nodes);
    }
    if text.is_empty() {
        text += "no time is worth more than it costs\n";
    }
    text += &calm_text(view).unwrap_or_default();
    if view.limited {
        text += "a limit on work ended the search: the figures are rough\n";
    }
    text
}

/// When whoever can wait is in nobody's way.
pub(super) fn calm_text(view: &WorthView) -> Option<String> {
    let calm = view.calm_from?;
    Some(format!("from {} on no time is scarce: who can wait until then is in nobody's way\n", time(calm)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_api::service::{NodeWorthView, ScarceView};

    fn view() -> WorthView {
        let stamp = |text: &str| serde_json::from_value(serde_json::json!(text)).unwrap();
        let num = |text: &str| serde_json::from_str(text).unwrap();
        let scarce = |site: &str| ScarceView {
            site: site.to_owned(),
            start: stamp("2026-01-01T00:00:00Z"),
            end: stamp("2026-01-01T01:00:00Z"),
            above_price: num("0.25"),
            nodes: 3,
        };
        WorthView {
            waiting: 4,
            until: None,
            scarce: vec![scarce("north"), scarce("south")],
            nodes: vec![NodeWorthView {
                site: "north".to_owned(),
                performance: num("1.5"),
                price: num("2"),
                nodes: 8,
                one_more: num("900.5"),
            }],
            calm_from: Some(stamp("2026-01-01T01:00:00Z")),
            limited: false,
        }
    }

    #[test]
    fn owners_see_their_own_and_everybody_when_it_is_calm() {
        let all = worth_text(&view(), None);
        assert!(all.contains("north") && all.contains("south") && all.contains("900.5"), "{all}");
        let south = worth_text(&view(), Some("south"));
        assert!(
            !south.contains("north") && south.contains("0.25") && south.contains("nobody's way"),
            "{south}"
        );
        assert_eq!(worth_text(&WorthView::default(), None), "no time is worth more than it costs\n");
    }
}
