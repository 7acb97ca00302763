//! What keys mean.

use super::scene::{Panel, Wish};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// How many lines a page is.
const PAGE: usize = 10;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Quit,
    Zoom { closer: bool },
    Wish(Wish),
}

/// What a key means, while something is typed or not.
pub(super) fn meaning(key: KeyEvent, typing: bool) -> Option<Meaning> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let wish = match key.code {
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return Some(Meaning::Quit),
        KeyCode::Esc => Wish::Back,
        KeyCode::Enter if typing => Wish::Typed,
        KeyCode::Backspace if typing => Wish::Erase,
        KeyCode::Char(character) if typing && !character.is_control() => Wish::Type(character),
        KeyCode::Char('q') => return Some(Meaning::Quit),
        KeyCode::Char('+' | '=') => return Some(Meaning::Zoom { closer: true }),
        KeyCode::Char('-') => return Some(Meaning::Zoom { closer: false }),
        KeyCode::Char('n') => Wish::Show(Panel::Nodes),
        KeyCode::Char('j') => Wish::Show(Panel::Jobs),
        KeyCode::Char('e') => Wish::Show(Panel::Events),
        KeyCode::Char('?') => Wish::Help,
        KeyCode::Char('h') => Wish::Hints,
        KeyCode::Char('f') => Wish::Filter,
        KeyCode::Char('/') => Wish::Search,
        KeyCode::Enter => Wish::Open,
        KeyCode::Tab => Wish::Turn,
        KeyCode::Down => Wish::Down(1),
        KeyCode::Up => Wish::Up(1),
        KeyCode::PageDown => Wish::Down(PAGE),
        KeyCode::PageUp => Wish::Up(PAGE),
        KeyCode::Home => Wish::Top,
        KeyCode::End => Wish::Bottom,
        _ => return None,
    };
    Some(Meaning::Wish(wish))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_mean_what_the_help_says() {
        let of = |code| meaning(KeyEvent::new(code, KeyModifiers::NONE), false);
        assert_eq!(of(KeyCode::Char('q')), Some(Meaning::Quit));
        assert_eq!(of(KeyCode::Esc), Some(Meaning::Wish(Wish::Back)));
        let control = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(meaning(control, true), Some(Meaning::Quit));
        assert_eq!(of(KeyCode::Char('c')), None);
        assert_eq!(of(KeyCode::Char('+')), Some(Meaning::Zoom { closer: true }));
        assert_eq!(of(KeyCode::PageUp), Some(Meaning::Wish(Wish::Up(PAGE))));
        assert_eq!(of(KeyCode::Enter), Some(Meaning::Wish(Wish::Open)));
        assert_eq!(of(KeyCode::Char('?')), Some(Meaning::Wish(Wish::Help)));
    }

    #[test]
    fn what_is_typed_is_no_command() {
        let of = |code| meaning(KeyEvent::new(code, KeyModifiers::NONE), true);
        assert_eq!(of(KeyCode::Char('q')), Some(Meaning::Wish(Wish::Type('q'))));
        assert_eq!(of(KeyCode::Enter), Some(Meaning::Wish(Wish::Typed)));
        assert_eq!(of(KeyCode::Backspace), Some(Meaning::Wish(Wish::Erase)));
    }
}
