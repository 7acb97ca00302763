//! Instances of the OR-Library: every way to break one gets a line and a number.

use insta::assert_snapshot;
use proptest::prelude::*;
use walras_api::read_orlib_gap;
use walras_core::assign::Serve;

const TINY: &str = " 2 3\n 10 20 30\n 11 21\n 31\n 1 2 3\n 4 5 6\n 6 9\n";

fn refused(text: &str) -> String {
    read_orlib_gap(text.as_bytes(), "gap").expect_err("accepted").to_string()
}

#[test]
fn lines_may_break_anywhere() {
    let instances = read_orlib_gap(TINY.as_bytes(), "gap").unwrap();
    let [instance] = &instances[..] else { panic!("one instance") };
    assert_eq!((instance.jobs(), instance.capacities(), instance.serve()), (3, &[6, 9][..], Serve::All));
    let pairs: Vec<Vec<(u32, u32, i64)>> = (0..3)
        .map(|job| instance.pairs(job).iter().map(|pair| (pair.site, pair.takes, pair.cost)).collect())
        .collect();
    assert_eq!(pairs, [[(0, 1, 10), (1, 4, 11)], [(0, 2, 20), (1, 5, 21)], [(0, 3, 30), (1, 6, 31)]]);
    let dense = TINY.replace('\n', "\r\n \t");
    assert_eq!(read_orlib_gap(dense.as_bytes(), "gap").unwrap(), instances);
}

#[test]
fn a_count_alone_on_its_line_announces_several() {
    let two = format!("\n 2 \n{TINY}{TINY}");
    assert_eq!(read_orlib_gap(two.as_bytes(), "gap").unwrap().len(), 2);
    assert_snapshot!(refused(&format!("3\n{TINY}{TINY}")), @"");
    assert_snapshot!(refused(&format!("1\n{TINY}{TINY}")), @"");
    assert_snapshot!(refused("0\n"), @"");
}

#[test]
fn broken_files_are_refused() {
    assert_snapshot!(refused(""), @"");
    assert_snapshot!(refused("5"), @"");
    assert_snapshot!(refused(" \n\n"), @"");
    assert_snapshot!(refused("x 3\n"), @"");
    assert_snapshot!(refused("0 3\n"), @"");
    assert_snapshot!(refused("2 0\n"), @"");
    assert_snapshot!(refused("4294967296 1\n1"), @"");
    assert_snapshot!(refused("4294967295 4294967295\n1 2 3"), @"");
    assert_snapshot!(refused(&TINY.replace(" 6 9", " 6")), @"");
    assert_snapshot!(refused(&TINY.replace(" 11 21\n", " 11\n")), @"");
    assert_snapshot!(refused(&TINY.replace(" 6 9", " 6 9 12")), @"");
    assert_snapshot!(refused(&TINY.replace("31", "3.1")), @"");
    assert_snapshot!(refused(&TINY.replace("31", "-31")), @"");
    assert_snapshot!(refused(&TINY.replace("31", "+31")), @"");
    assert_snapshot!(refused(&TINY.replace("31", "٣")), @"");
    assert_snapshot!(refused(&TINY.replace(" 4 5 6", " 4 4294967296 6")), @"");
    assert_snapshot!(refused(&TINY.replace("31", "99999999999999999999")), @"");
    assert_snapshot!(refused(&TINY.replace("31", "9223372036854775807")), @"");
    assert_snapshot!(refused("\u{1f}\u{8b}\u{0}"), @"");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_048))]

    #[test]
    fn no_file_makes_it_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..60),
        cut in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        word in prop::sample::select(vec!["-1", "x", "1e9", "4294967295", "99999999999999999999", "", "\u{0}", "\n"]),
    ) {
        let at = at.index(TINY.len());
        let mutated = format!("{}{word}{}", &TINY[..at], &TINY[at..]);
        for text in [&bytes[..], mutated.as_bytes(), &TINY.as_bytes()[..cut.index(TINY.len())]] {
            if let Err(error) = read_orlib_gap(text, "some.file") {
                let text = error.to_string();
                prop_assert!(text.starts_with("some.file:") && error.position.is_some(), "{}", text);
                prop_assert!(!text.chars().any(char::is_control) && text.chars().count() < 300, "{:?}", text);
            }
        }
    }
}
