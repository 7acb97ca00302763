//! The first lines of the live view: how the service is, as far as there is room.
//!
//! A line is made of pieces of which some matter less. What has no room is left out whole, so that nothing is cut in the middle.

use super::scene::Scene;
use crate::client::show::{clean, cut, time_in};

/// The longest name of an account that is shown.
const NAME_MAX: usize = 16;

/// A piece of a line, with what stands before it; the lower its rank, the longer it stays.
struct Piece {
    rank: u8,
    text: String,
}

fn piece(rank: u8, text: impl Into<String>) -> Piece {
    Piece { rank, text: text.into() }
}

/// As many pieces as there is room for, the most important first.
fn line(pieces: &[Piece], width: Option<usize>) -> String {
    let length = |piece: &Piece| piece.text.chars().count();
    let mut by_rank: Vec<usize> = (0..pieces.len()).collect();
    by_rank.sort_by_key(|place| pieces[*place].rank);
    let (mut kept, mut used) = (vec![false; pieces.len()], 0);
    for place in by_rank {
        let more = used + length(&pieces[place]);
        if width.is_none_or(|width| more <= width) {
            (kept[place], used) = (true, more);
        }
    }
    let texts = pieces.iter().zip(kept).filter(|(_, kept)| *kept).map(|(piece, _)| piece.text.as_str());
    texts.collect::<String>().trim_start_matches([' ', ';', ',']).to_owned()
}

/// The lines, each of at most so many columns.
pub(super) fn header(scene: &Scene, width: Option<usize>) -> [String; 3] {
    [service(scene), counts(scene), cycle(scene)].map(|pieces| line(&pieces, width))
}

/// Which service it is, and its time.
fn service(scene: &Scene) -> Vec<Piece> {
    let status = &scene.snapshot.status;
    let speed = if status.speed == 1 { String::new() } else { format!(" (time x{})", status.speed) };
    let closed = if status.writable { "" } else { "  takes no submissions" };
    vec![
        piece(4, format!("walras {}  ", clean(&status.version))),
        piece(0, time_in(status.now, &scene.zone)),
        piece(3, speed),
        piece(1, closed),
        piece(2, format!("  {}", clean(&scene.address))),
    ]
}

/// How many of the nodes work for us, what whoever looks has, and where jobs are.
fn counts(scene: &Scene) -> Vec<Piece> {
    let status = &scene.snapshot.status;
    let nodes: u64 = status.sites.iter().map(|site| site.nodes).sum();
    let busy: u64 = status.sites.iter().map(|site| site.nodes_busy).sum();
    let share = (busy * 100).checked_div(nodes);
    vec![
        piece(0, share.map_or_else(String::new, |share| format!("nodes {busy}/{nodes} ({share}%)"))),
        piece(3, money(scene)),
        piece(2, format!("  queued {}", status.queued)),
        piece(4, format!("  reserved {}", status.reserved)),
        piece(1, format!("  running {}", status.running)),
        piece(5, format!("  ended {}", status.ended)),
    ]
}

/// What whoever looks has.
fn money(scene: &Scene) -> String {
    let Some(account) = &scene.snapshot.account else { return String::new() };
    let whose = account.account.trim_start_matches("user:").trim_start_matches("owner:");
    let held =
        if account.held.to_string() == "0" { String::new() } else { format!(", {} held", account.held) };
    format!("  {} {}{held}", cut(&clean(whose), NAME_MAX), account.balance)
}

/// What the last cycle came to, and when the next one is.
fn cycle(scene: &Scene) -> Vec<Piece> {
    let cycle = &scene.snapshot.status.cycle;
    let state = if cycle.open { "planning" } else { "planned" };
    let proof = cycle.proof.as_ref().map_or_else(String::new, |proof| format!(", {}", clean(&proof.text)));
    let next = cycle.next_at.map(|next| match next > scene.snapshot.status.now {
        true => format!("; next {}", time_in(next, &scene.zone)),
        false => "; the next is due".to_owned(),
    });
    vec![
        piece(
            0,
            format!("cycle {} {state}: {} served, {} left out", cycle.cycle, cycle.served, cycle.unserved),
        ),
        piece(2, proof),
        piece(1, next.unwrap_or_default()),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::draw::tests::scene;
    use super::*;

    #[test]
    fn what_has_no_room_is_left_out_whole() {
        let of = |width| header(&scene(), width);
        let whole = of(None);
        for width in [100, 80, 60, 40] {
            for (shown, whole) in of(Some(width)).iter().zip(&whole) {
                assert!(shown.chars().count() <= width, "{shown}");
                let words: Vec<&str> = whole.split_whitespace().collect();
                let cut = shown.split_whitespace().find(|word| {
                    !words
                        .iter()
                        .any(|of| of.trim_end_matches([',', ';']) == word.trim_end_matches([',', ';']))
                });
                assert_eq!(cut, None, "no word is cut: {shown}");
            }
        }
        assert_eq!(of(Some(80))[2], "cycle 12 planned: 5 served, 1 left out; next 2026-11-15 12:31:00");
        assert_eq!(of(Some(40))[1], "nodes 1/3 (33%)  queued 3  running 1");
        let mut late = scene();
        late.snapshot.status.now = late.snapshot.status.cycle.next_at.unwrap();
        assert!(header(&late, None)[2].ends_with("; the next is due"));
    }
}
