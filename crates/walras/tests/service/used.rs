//! What programs have used is shown to their users where the machine counts it, also once the job is only in the register.

use crate::http::Call;
use crate::program::{ServiceHome, wait_for};
use serde_json::json;
use std::time::Duration;

const CONFIG: &str = r#"
clock = { speed = 10 }

[policy]
cycle_every = 3
lead = 8
prepare_within = 4
confirm_within = 4
offers_within = 3

[[site]]
name = "here"
owner = "olga"
connector = "local"
count = 1
price = 0.1
"#;

/// A tenth of a second of work, and a little memory.
const WORK: &str =
    "x=$(head -c 3000000 /dev/zero | tr '\\0' x); i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done";

#[test]
fn what_a_job_used_is_shown_where_it_is_counted() {
    let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let own = format!("[site.local]\nisolation = \"off\"\nuid = {uid}\ngid = {gid}\n");
    let home = ServiceHome::new(&format!("{CONFIG}{own}"));
    let checked = home.walras(&["serve", "--check"]);
    let checked = String::from_utf8_lossy(&checked.stdout).into_owned();
    let counted = checked.contains("limits: memory, processors");
    let mut service = home.start("warn", &[]);
    let user = service.make_user(&home.token(), "ada", 1_000);
    let job = json!({ "walras": "job/1", "name": "busy", "work": 600, "budget": 100, "command": ["sh", "-c", WORK] });
    let number = service.expect(&Call::send("POST", "/v1/jobs", &user, &job), 201).json()["job"].clone();
    let view = || service.expect(&Call::get(format!("/v1/jobs/{number}"), &user), 200).json();
    wait_for("the job ends", Duration::from_secs(120), || view()["state"] == "done");
    let used = view()["parts"][0]["used"].clone();
    assert_eq!(used.is_object(), counted, "{used}, and the machine says {checked}");
    let url = format!("http://{}", service.address);
    let walras = |arguments: &[&str]| {
        let done =
            home.walras(&[arguments, &["--url", &url, "--token-file", "data/administrator.token"]].concat());
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    let number = number.to_string();
    let shown = walras(&["job", &number]) + &walras(&["explain", &number]);
    let history = walras(&["history", "--all", "--csv"]);
    if counted {
        let processor = used["processor_seconds"].as_f64().unwrap();
        let memory = used["memory_bytes"].as_u64().unwrap();
        assert!((0.01..20.0).contains(&processor) && memory > 2_000_000, "{used}");
        for text in ["processor, s  memory, MB", " of processor time and at most ", " MB of memory."] {
            assert!(shown.contains(text), "{text}: {shown}");
        }
        assert!(history.contains(&format!(",{},{memory}\n", used["processor_seconds"])), "{history}");
    } else {
        assert!(!shown.contains("memory"), "{shown}");
    }
    service.stop();
    home.check_journal();
}
