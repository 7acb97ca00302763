//! Wrong input and wrong calls: exit code 2, one line that says what is wrong, nothing written.

use crate::{printed, walras};
use std::fs::{self, File};

/// Plans a scenario that is wrong; gives the complaint.
fn complaint(name: &str, contents: &[u8]) -> String {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join(name), contents).unwrap();
    let output = walras(directory.path(), &["plan", name, "--json", "--gantt", "out.svg"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert_eq!(error.lines().count(), 1, "one line: {error}");
    assert!(output.stdout.is_empty() && !directory.path().join("out.svg").exists(), "nothing is written");
    assert!(error.contains(name), "names the file: {error}");
    error.trim_end().to_owned()
}

/// The worked example with one piece of text replaced.
fn changed(from: &str, to: &str) -> String {
    let text = printed(std::path::Path::new("."), &["example", "worked-example"]);
    assert!(text.contains(from), "{from}");
    complaint("s.yaml", text.replacen(from, to, 1).as_bytes())
}

#[test]
fn each_wrong_value_is_named() {
    insta::assert_snapshot!(changed("scenario/1", "scenario/9"), @"walras: s.yaml:3:9: walras: scenario/9 is not a version that is read here: expected scenario/1");
    insta::assert_snapshot!(changed("price: 5,", "price: 5, colour: red,"), @"walras: s.yaml:8:32: sites[0].nodes[0].colour: `colour` is not known here: expected one of name, performance, price, free, busy, watts, attributes, resources, units, least_units, only_for");
    insta::assert_snapshot!(changed("price: 5,", "price: -5,"), @"walras: s.yaml:8:29: sites[0].nodes[0].price: -5 is not a price: it must be greater than 0");
    insta::assert_snapshot!(changed("price: 5,", "price: .nan,"), @"walras: s.yaml:8:29: sites[0].nodes[0].price: NaN is not a price: it must be a finite number");
    insta::assert_snapshot!(changed("price: 5,", "price: 1e300,"), @"walras: s.yaml:8:29: sites[0].nodes[0].price: 1e300 is not a price: it must be at most 9223372036854.775807");
    insta::assert_snapshot!(changed("price: 5,", "price: 5, performance: 0,"), @"walras: s.yaml:8:45: sites[0].nodes[0].performance: 0 is not a performance: it must be greater than 0");
    insta::assert_snapshot!(changed("work: 80", "work: 0"), @"walras: s.yaml:15:32: jobs[0].work: 0 is not an amount of work: it must be greater than 0");
    insta::assert_snapshot!(changed("[[20, 150]", "[[150, 20]"), @"walras: s.yaml:8:39: sites[0].nodes[0].busy[0]: [150, 20] is reversed: it must end at least a millisecond after its start");
    insta::assert_snapshot!(changed("[370, 580]", "[140, 580]"), @"walras: s.yaml:8:50: sites[0].nodes[0].busy[1]: [140, 580] overlaps [20, 150], item 0 of the same list");
    insta::assert_snapshot!(changed("name: cpu2", "name: cpu1"), @"walras: s.yaml:9:16: sites[0].nodes[1].name: cpu1 is the name of two nodes, items 0 and 1 of the list: names must differ");
    insta::assert_snapshot!(changed("name: J2", "name: J1"), @"walras: s.yaml:16:12: jobs[1].name: J1 is the name of two jobs, items 0 and 1 of the list: names must differ");
    insta::assert_snapshot!(changed("[0, 600]", "[0, 0]"), @"walras: s.yaml:4:10: horizon: [0, 0] is empty: it must end at least a millisecond after its start");
    insta::assert_snapshot!(changed("tasks: 2", "tasks: 2.5"), @"walras: s.yaml:15:23: jobs[0].tasks: 2.5 is not a number of tasks: it must be a whole number from 1 to 4294967295");
    insta::assert_snapshot!(changed("price_max: 5}", "price_max: 5, sites: [moon]}"), @"walras: s.yaml:15:58: jobs[0].sites[0]: moon is not the name of a site: known are vo");
}

#[test]
fn what_is_no_scenario_at_all_is_refused() {
    insta::assert_snapshot!(complaint("s.yaml", b""), @"walras: s.yaml:1:1: not valid YAML: unexpected end of file");
    insta::assert_snapshot!(complaint("s.json", b"{"), @"walras: s.json:1:1: not valid JSON: EOF while parsing an object");
    insta::assert_snapshot!(complaint("s.yaml", &[0xff, 0xfe, 0x00]), @"walras: s.yaml:1:1: the byte 0xff is not UTF-8 text");
    insta::assert_snapshot!(complaint("s.txt", b"walras: scenario/1"), @"walras: s.txt: the file name must end in .yaml, .yml or .json");
    let deep = "[".repeat(100_000);
    assert!(complaint("s.yaml", format!("walras: {deep}").as_bytes()).contains("s.yaml:1:"));
    assert!(complaint("s.json", format!("{{\"walras\": {deep}").as_bytes()).contains("s.json:1:"));
}

#[test]
fn a_huge_file_is_refused_before_it_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let file = File::create(directory.path().join("huge.yaml")).unwrap();
    file.set_len(100 << 20).unwrap();
    let output = walras(directory.path(), &["plan", "huge.yaml"]);
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(String::from_utf8(output.stderr).unwrap(), @"walras: huge.yaml: more than 33554432 bytes is too much: at most 32 MiB are read");
}

#[test]
fn wrong_calls_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let fails = |arguments: &[&str]| {
        let output = walras(directory.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap().lines().next().unwrap_or_default().to_owned()
    };
    insta::assert_snapshot!(fails(&["plan", "--example", "--search", "best"]), @"error: invalid value 'best' for '--search <SEARCH>': 'best' is not a search: expected alp, amp or criterion=NAME, such as criterion=cost");
    insta::assert_snapshot!(fails(&["plan", "--example", "--search", "criterion=luck"]), @"error: invalid value 'criterion=luck' for '--search <SEARCH>': 'luck' is not a criterion: expected cost, runtime, finish, start, price, node-time, energy or sum:ATTRIBUTE");
    insta::assert_snapshot!(fails(&["plan", "--example", "--budget-factor", "2"]), @"error: invalid value '2' for '--budget-factor <K>': '2' is not a factor: it must be a decimal greater than 0 and at most 1");
    insta::assert_snapshot!(fails(&["plan", "missing.yaml"]), @"walras: missing.yaml: cannot be read: No such file or directory (os error 2)");
    insta::assert_snapshot!(fails(&["plan", "--example", "--gantt", "no/such/directory.svg"]), @"walras: no/such/directory.svg: cannot be written: No such file or directory (os error 2)");
    insta::assert_snapshot!(fails(&["plan", "--example", "--alternatives-max", "0"]), @"error: invalid value '0' for '--alternatives-max <N>': 0 is not in 1..=4294967295");
    insta::assert_snapshot!(fails(&["verify", "missing.json", "missing.yaml"]), @"walras: missing.yaml: cannot be read: No such file or directory (os error 2)");
}

#[test]
fn a_configuration_is_checked_without_starting_anything() {
    let directory = tempfile::tempdir().unwrap();
    let good =
        "[[site]]\nname = \"north\"\nowner = \"olga\"\nconnector = \"simulated\"\ncount = 2\nprice = 1\n";
    let check = |text: &str| {
        std::fs::write(directory.path().join("walras.toml"), text).unwrap();
        let output = walras(directory.path(), &["serve", "--check"]);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(check(good), (Some(0), String::new()));
    for (from, to, told) in [
        ("price = 1", "price = -1", "walras.toml: site 'north': price: -1"),
        ("count = 2", "count = 0", "walras.toml: site 'north': "),
        ("price = 1", "price = 1\nhour_factors = [1, 2]", "hours has 2 factors: expected none or 24"),
        ("price = 1", "price = 1\n[site.simulated]\nfailures = 2", "simulated.failures: 2"),
        ("[[site]]", "tls = { certificate = \"none.pem\", key = \"none.key\" }\n[[site]]", "none.pem: "),
    ] {
        let (code, problem) = check(&good.replacen(from, to, 1));
        assert!(code == Some(2) && problem.contains(told), "{to}: {problem}");
    }
    let (code, problem) = check(&good.repeat(2));
    assert!(code == Some(2) && problem.contains("site north: "), "{problem}");
    assert!(!directory.path().join("data").exists());
}
