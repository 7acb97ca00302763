//! Tables of clusters that cannot be sold: an error that names file, key, value and what would be right, and nothing else happens.
//!
//! Slurm's programs are scripts here, which say what Slurm would.

use crate::program::ServiceHome;
use std::os::unix::fs::PermissionsExt;

const NODE: &str =
    "NodeName=n1 CPUTot=2 AvailableFeatures=performance=2.0,price=3 State=IDLE Weight=1 Partitions=batch";

/// A cluster whose programs say this of its nodes, and this to whoever wants to reserve.
fn cluster(home: &ServiceHome, nodes: &str, reserve: &str) {
    let directory = home.path("slurm");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::create_dir_all(home.path("shared")).unwrap();
    std::fs::write(directory.join("nodes"), nodes).unwrap();
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in\n*'show node'*) cat '{}' ;;\n*'show config'*) cat '{}' ;;\n\
         *create*) echo '{reserve}' >&2; exit 1 ;;\nesac\n",
        directory.join("nodes").display(),
        directory.join("config").display()
    );
    give_out(home, "select/cons_tres", "CR_CORE");
    for program in ["scontrol", "squeue", "sbatch", "scancel"] {
        let path = directory.join(program);
        std::fs::write(&path, &script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// How the cluster gives out what its nodes have.
fn give_out(home: &ServiceHome, plugin: &str, parameters: &str) {
    let text = format!("ClusterName = fake\nSelectType = {plugin}\nSelectTypeParameters = {parameters}\n");
    std::fs::write(home.path("slurm").join("config"), text).unwrap();
}

fn table(home: &ServiceHome, name: &str, more: &str) -> String {
    let (programs, shared) = (home.path("slurm"), home.path("shared"));
    format!(
        "[[site]]\nname = \"{name}\"\nowner = \"olga\"\nconnector = \"slurm\"\nprice = 1\n[site.slurm]\nprograms = \"{}:/usr/bin:/bin\"\n\
         directory = \"{}\"\n{more}\n",
        programs.display(),
        shared.display()
    )
}

/// What `serve --check` says of a configuration, and its exit code.
fn checked(home: &ServiceHome, config: &str) -> (Option<i32>, String) {
    let text = format!("listen = \"127.0.0.1:0\"\ndata = \"data\"\n{config}");
    std::fs::write(home.path("walras.toml"), text).unwrap();
    let output = home.walras(&["serve", "--config", "walras.toml", "--check"]);
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn what_cannot_be_is_said_with_its_key() {
    let home = ServiceHome::new("");
    let refused = "Requested node configuration is not available";
    cluster(&home, NODE, refused);
    let one = |more: &str| table(&home, "north", more);
    let (code, said) = checked(&home, &one(""));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("cluster fake, 1 of 1 nodes for sale"), "{said}");
    let two = format!("{}{}", one(""), table(&home, "south", ""));
    let cases: Vec<(String, &[&str])> = vec![
        (one("colour = 3"), &["walras.toml", "colour"]),
        (one("ahead_hours = 0"), &["walras.toml", "slurm.ahead_hours", "at least 1"]),
        (one("").replace("/shared\"", "/nowhere\""), &["slurm.directory", "/nowhere", "that is there"]),
        (one("").replace("directory = \"/", "directory = \""), &["slurm.directory", "by its whole name"]),
        (one("partitions = [\"long\"]"), &["walras.toml", "slurm.partitions", "'long'", "expected batch"]),
        (one("nodes = [\"n7\"]"), &["slurm.nodes", "'n7'", "expected n1"]),
        (one("share = 1.5"), &["slurm.share", "1.5"]),
        (one("keep = 1"), &["none is left to sell", "share and keep"]),
        (one("look_seconds = 0"), &["slurm.look_seconds", "0", "expected 1 to 3600"]),
        (one("accounts = { ada = \"no-such-account\" }"), &["slurm.accounts", "expected"]),
        (one("accounts = { ada = \"root\" }"), &["slurm.accounts", "expected"]),
        (format!("clock = {{ speed = 60 }}\n{}", one("")), &["clock.speed", "60", "north", "real cluster"]),
        (two, &["node 'n1'", "cluster fake", "sold by site north already"]),
        (one("").replace("slurm\"\nprice", "slurm\"\nkind = \"capacity\"\nprice"), &["kind", "slots"]),
        (one("").replace("/shared\"", "/slurm/nodes/below\""), &["slurm.directory", "expected a directory"]),
    ];
    for (config, expected) in cases {
        let (code, said) = checked(&home, &config);
        assert_eq!(code, Some(2), "{config}\n{said}");
        assert!(expected.iter().all(|it| said.contains(it)), "{expected:?} in: {said}");
        assert!(!home.path("data").exists(), "nothing is begun");
    }
    cluster(&home, &NODE.replace("price=3", "price=cheap"), refused);
    let (code, said) = checked(&home, &one(""));
    assert!(
        code == Some(2) && said.contains("'n1' has the feature 'price=cheap': expected a number"),
        "{said}"
    );
    cluster(&home, NODE, "Access/permission denied");
    let (code, said) = checked(&home, &one(""));
    assert!(code == Some(2) && said.contains("may not make reservations on the cluster fake"), "{said}");
    assert!(said.contains("kind = \"queue\""), "what would do is said: {said}");
}

/// Nodes are sold in units where the cluster gives out cores, and they divide what it has.
#[test]
fn units_that_cannot_be_are_said_with_their_key() {
    let home = ServiceHome::new("");
    let node = NODE.replace("CPUTot=2", "CPUTot=8 RealMemory=9000 Gres=gpu:4");
    cluster(&home, &node, "Requested node configuration is not available");
    let sold = |units: &str, more: &str| {
        table(&home, "north", more).replace("slurm\"\nprice", &format!("slurm\"\n{units}price"))
    };
    let (code, said) = checked(&home, &sold("units = 4\n", ""));
    assert_eq!(code, Some(0), "{said}");
    let expected = "sold in parts: n1 in 4 units of 2 cores, 1 gpus (the cluster does not count memory";
    assert!(said.contains(expected), "{said}");
    give_out(&home, "select/cons_tres", "CR_CORE_MEMORY");
    let by_node = "[[site.nodes]]\nname = \"n1\"\nunits = 2\n";
    for (units, more, parts) in [
        ("units = 4\n", "", "4 units of 2 cores, 1 gpus, 2 memory_gb"),
        ("units = 4\n", by_node, "2 units of 4 cores, 2 gpus, 4 memory_gb"),
    ] {
        let (code, said) = checked(&home, &sold(units, more));
        assert!(code == Some(0) && said.contains(&format!("sold in parts: n1 in {parts}")), "{said}");
    }
    let cases: [(&str, &str, &[&str]); 8] = [
        (
            "units = 3\n",
            "",
            &["units: node 'n1' has 8 cores", "into 3 equal units", "a number that divides 8"],
        ),
        ("units = 8\n", "", &["units: node 'n1' has 4 GPUs", "a number that divides 4"]),
        ("units = 0\n", "", &["units: 0", "expected 1 to 4096"]),
        ("", "partition_units = { batch = 5000 }", &["slurm.partition_units: 5000", "expected 1 to 4096"]),
        ("", "partition_units = { batch = 2, long = 2 }", &["slurm.partition_units", "knows no"]),
        (
            "",
            &by_node.replace("units = 2", "units = 5"),
            &["units: node 'n1' has 8 cores", "into 5 equal units"],
        ),
        ("resources = { cores = 8 }\n", "", &["resources: a cluster of Slurm's says itself"]),
        ("units = 4\n", &by_node.replace("n1", "n7"), &["nodes: 'n7' is not among the nodes"]),
    ];
    for (units, more, expected) in cases {
        let (code, said) = checked(&home, &sold(units, more));
        assert_eq!(code, Some(2), "{units}{more}\n{said}");
        assert!(expected.iter().all(|it| said.contains(it)), "{expected:?} in: {said}");
    }
    // The table's own price, of a node that has none.
    std::fs::write(home.path("slurm").join("nodes"), node.replace("price=3", "plain")).unwrap();
    let low = sold("units = 4\n", "").replace("price = 1", "price = 0.000003");
    let (code, said) = checked(&home, &low);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("too low a price for the 4 units of node 'n1'"), "{said}");
    for (plugin, how) in [("select/linear", "CR_MEMORY"), ("select/cons_tres", "CR_SOCKET")] {
        give_out(&home, plugin, how);
        let (code, said) = checked(&home, &sold("units = 4\n", ""));
        assert_eq!(code, Some(2), "{said}");
        let named = if plugin == "select/linear" { plugin } else { how };
        assert!(
            said.contains("units: the cluster") && said.contains(named) && said.contains("or no units"),
            "{said}"
        );
        assert_eq!(checked(&home, &sold("", "")).0, Some(0), "it is sold whole all the same");
    }
}

/// Whoever may not reserve on a cluster can sell places in its queue.
#[test]
fn a_queue_needs_no_permission() {
    let home = ServiceHome::new("");
    let second = NODE.replace("n1", "n2").replace("performance=2.0", "performance=0.5");
    cluster(&home, &format!("{NODE}\n{second}"), "Access/permission denied");
    let queue = |count: &str, more: &str| {
        table(&home, "north", more)
            .replace("slurm\"\nprice", &format!("slurm\"\nkind = \"queue\"\n{count}price"))
    };
    let (code, said) = checked(&home, &queue("count = 2\n", ""));
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("2 of 2 nodes for sale") && said.contains("jobs wait in Slurm's own queue"),
        "{said}"
    );
    let cases: [(&str, &str, &[&str]); 6] = [
        ("", "", &["a queue has a count"]),
        ("count = 2\n", "share = 0.5", &["slurm.share", "in a queue Slurm chooses", "expected partitions"]),
        ("count = 2\n", "before_seconds = 5", &["slurm.before_seconds", "in a queue"]),
        ("count = 2\nunits = 2\n", "", &["units: a queue has no nodes"]),
        ("count = 2\n", "project = \"a b\"", &["slurm.project", "'a b'", "expected letters"]),
        ("count = 2\n", "partitions = [\"long\"]", &["slurm.partitions", "'long'", "expected batch"]),
    ];
    // One is enough to sell a node, whichever way.
    cluster(&home, NODE, "Requested node configuration is not available");
    let slots = table(&home, "slots", "");
    for both in
        [format!("{slots}{}", queue("count = 2\n", "")), format!("{}{slots}", queue("count = 2\n", ""))]
    {
        let (code, said) = checked(&home, &both);
        assert_eq!(code, Some(2), "{both}\n{said}");
        for expected in ["node 'n1'", "cluster fake", "already, ", "expected other partitions"] {
            assert!(said.contains(expected), "{expected} in: {said}");
        }
    }
    let queues =
        format!("{}{}", queue("count = 2\n", ""), queue("count = 2\n", "").replace("north", "south"));
    assert_eq!(checked(&home, &queues).0, Some(0), "Slurm keeps the jobs of two queues apart");
    for (count, more, expected) in cases {
        let (code, said) = checked(&home, &queue(count, more));
        assert_eq!(code, Some(2), "{more}\n{said}");
        assert!(expected.iter().all(|it| said.contains(it)), "{expected:?} in: {said}");
    }
}

/// What Slurm says is input too: what is not understood is left out and said, and never sold.
#[test]
fn what_is_not_understood_is_left_out_and_said() {
    let home = ServiceHome::new("");
    let odd =
        [NODE, "NodeName=n2 CPUTot=2 State=DREAMING Partitions=batch", "NodeName=n3 CPUTot=2", "garbage"];
    cluster(&home, &odd.join("\n"), "Requested node configuration is not available");
    let (code, said) = checked(&home, &table(&home, "north", ""));
    assert_eq!(code, Some(0), "{said}");
    for expected in ["2 of 2 nodes for sale, 1 of them out of use now", "n3: no state", "garbage: no node"] {
        assert!(said.contains(expected), "{expected} in: {said}");
    }
}
