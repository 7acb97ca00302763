//! Jobs under the accounts of their users, on real clusters.

use crate::clusters::Clusters;
use crate::http::Call;
use crate::program::{PROGRAM, wait_for};
use crate::vo::Vo;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

#[test]
#[ignore = "needs to be root, and three Slurm clusters: `make lab-test`"]
fn jobs_run_as_their_users_and_strangers_are_told() {
    if !rustix::process::geteuid().is_root() {
        println!("not tried: only root may submit in the name of others");
        return;
    }
    let clusters = Clusters::start();
    // Nodes run it as somebody who may not see where it was built.
    let program = clusters.path().with_file_name("walras");
    std::fs::copy(PROGRAM, &program).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let more = format!("executable = \"{}\"\naccounts = {{ ada = \"nobody\" }}\n", program.display());
    let vo = Vo::with(clusters, &more);
    let who = vo.submit("who", 2, 5, "id -u; id -g; echo ~; touch made; sleep 1");
    vo.wait(who, &["done"], 120);
    for part in 0..2 {
        let said = vo.output(who, part);
        assert!(said.starts_with("65534\n65534\n"), "{said}");
    }
    let stops = vo.submit("stops", 1, 60, "sleep 60");
    vo.wait(stops, &["running"], 120);
    vo.cancel(stops);
    // Nobody has made an account for eve, and she is told so.
    let eve = vo.make_user("eve");
    let job = json!({ "walras": "job/1", "name": "eves", "work": 5, "budget": 500, "command": ["true"] });
    let made = vo.service.expect(&Call::send("POST", "/v1/jobs", &eve, &job).keyed("eves"), 201);
    let path = format!("/v1/jobs/{}", made.json()["job"]);
    let told = || vo.home.log().contains("refused: it has no account for you");
    wait_for("she is told", Duration::from_secs(90), told);
    let cancel = Call { method: "DELETE", ..Call::get(path, &eve) };
    vo.service.expect(&cancel, 200);
    vo.check_end();
}
