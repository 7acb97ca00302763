//! Instances of the OR-Library: every way to break one gets a line and a number.

use insta::assert_snapshot;
use proptest::prelude::*;
use walras_api::read_orlib_gap;
use walras_model::market::Serve;

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
    assert_snapshot!(refused(&format!("3\n{TINY}{TINY}")), @"gap:15:5: the file ends before a number of agents");
    assert_snapshot!(refused(&format!("1\n{TINY}{TINY}")), @"gap:9:2: 2 comes after the last of 17 numbers");
    assert_snapshot!(refused("0\n"), @"gap:1:1: 0 is not a number of instances: it must be a whole number from 1 to 1000000");
}

#[test]
fn broken_files_are_refused() {
    assert_snapshot!(refused(""), @"gap:1:1: the file ends before a number of agents");
    assert_snapshot!(refused("5"), @"gap:1:2: the file ends before a number of agents");
    assert_snapshot!(refused(" \n\n"), @"gap:1:1: the file ends before a number of agents");
    assert_snapshot!(refused("x 3\n"), @"gap:1:1: x is not a number of agents: it must be a whole number from 1 to 4294967295");
    assert_snapshot!(refused("0 3\n"), @"gap:1:1: 0 is not a number of agents: it must be a whole number from 1 to 4294967295");
    assert_snapshot!(refused("2 0\n"), @"gap:1:3: 0 is not a number of jobs: it must be a whole number from 1 to 4294967295");
    assert_snapshot!(refused("4294967296 1\n1"), @"gap:1:1: 4294967296 is not a number of agents: it must be a whole number from 1 to 4294967295");
    assert_snapshot!(refused("4294967295 4294967295\n1 2 3"), @"gap:2:6: the file ends after 5 numbers: 4294967295 agents and 4294967295 jobs need 18446744073709551615");
    assert_snapshot!(refused(&TINY.replace(" 6 9", " 6")), @"gap:7:3: the file ends after 15 numbers: 2 agents and 3 jobs need 16");
    assert_snapshot!(refused(&TINY.replace(" 11 21\n", " 11\n")), @"gap:7:5: the file ends after 15 numbers: 2 agents and 3 jobs need 16");
    assert_snapshot!(refused(&TINY.replace(" 6 9", " 6 9 12")), @"gap:7:6: 12 comes after the last of 16 numbers");
    assert_snapshot!(refused(&TINY.replace("31", "3.1")), @"gap:4:2: 3.1 is not a cost: it must be a whole number from 0 to 9223372036854775807");
    assert_snapshot!(refused(&TINY.replace("31", "-31")), @"gap:4:2: -31 is not a cost: it must be a whole number from 0 to 9223372036854775807");
    assert_snapshot!(refused(&TINY.replace("31", "+31")), @"gap:4:2: +31 is not a cost: it must be a whole number from 0 to 9223372036854775807");
    assert_snapshot!(refused(&TINY.replace("31", "٣")), @"gap:4:2: ٣ is not a cost: it must be a whole number from 0 to 9223372036854775807");
    assert_snapshot!(refused(&TINY.replace(" 4 5 6", " 4 4294967296 6")), @"gap:6:4: 4294967296 is not a resource: it must be a whole number from 0 to 4294967295");
    assert_snapshot!(refused(&TINY.replace("31", "99999999999999999999")), @"gap:4:2: 99999999999999999999 is not a cost: it must be a whole number from 0 to 9223372036854775807");
    assert_snapshot!(refused(&TINY.replace("31", "9223372036854775807")), @"gap:7:5: the costs up to job 3 are too large to be summed");
    assert_snapshot!(refused("\u{1f}\u{8b}\u{0}"), @r#"gap:1:1: \u{1f}\u{8b}\u{0} is not a number of instances: it must be a whole number from 1 to 1000000"#);
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
