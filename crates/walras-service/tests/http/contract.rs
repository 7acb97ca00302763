//! Contract tests: schemathesis makes requests from the OpenAPI document, good ones and bad ones, and looks whether the
//! answers are what the document says. `scripts/setup test` installs it.

use super::house::{House, job};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program.
fn schemathesis() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join("target/tools/python/bin/schemathesis");
    assert!(
        path.exists(),
        "schemathesis is missing: `scripts/setup test` installs it, and `make test` calls that"
    );
    path
}

#[test]
fn answers_are_what_the_document_says() {
    let house = House::open();
    let ada = house.user("ada");
    // Something to find for those who guess small numbers.
    for name in ["one", "two", "three"] {
        house.call("post", "/v1/jobs", Some(&ada), Some(&job(name))).json(201);
        house.call("post", "/v1/quotes", Some(&ada), Some(&job(name))).json(201);
    }
    let work = tempfile::tempdir().unwrap();
    // All checks but one: a schema cannot say which names, dates or amounts are possible, so some requests of the right
    // shape are refused.
    let checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,\
                  response_headers_conformance,unsupported_method,ignored_auth,negative_data_rejection";
    // What a user is answered differs by what is forbidden: fewer requests show that.
    let all = "examples,coverage,fuzzing,stateful";
    for (token, phases, examples) in [(&house.administrator, all, "20"), (&ada, "examples,fuzzing", "8")] {
        let mut command = Command::new(schemathesis());
        command.current_dir(work.path()).args([
            "run",
            "--seed",
            "1",
            "--max-examples",
            examples,
            "--workers",
            "1",
        ]);
        command.args(["--phases", phases, "--checks", checks, "--no-color"]);
        // Streams never end, and the token must live until the end of the test.
        command.args(["--exclude-path", "/v1/events", "--exclude-path", "/v1/tokens/{token}"]);
        command.args(["--generation-database", "none", "--request-timeout", "20"]);
        command.args(["-H", &format!("Authorization: Bearer {token}")]);
        command.arg(format!("http://{}/v1/openapi.json", house.address));
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{text}\n{errors}");
        let tested =
            text.lines().find_map(|line| line.trim().strip_prefix("Tested: ")?.parse::<usize>().ok());
        // All but the two above and the document itself.
        assert_eq!(tested, Some(walras_service::http::endpoints().len() - 3), "{text}");
    }
}
