//! People sign in at a real provider of OpenID Connect, and come back as who they are there.

use crate::http::Call;
use crate::program::{ServiceHome, wait_for};
use serde_json::json;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use ureq::http::Response;
use ureq::{Agent, Body};

/// A provider at which `ada`, `eve`, `root` and somebody with a name that is none here may sign in.
struct Provider {
    child: Child,
    port: u16,
}

impl Drop for Provider {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Provider {
    fn start() -> Provider {
        let program =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/python/bin/oidc-provider-mock");
        assert!(
            program.exists(),
            "the provider is missing: `scripts/setup test` installs it, and `make test` calls that"
        );
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(program);
        // Olga is known by her name, Otto by his group.
        let otto = json!({"sub": "otto", "groups": ["everybody", "owners of sites"]}).to_string();
        let command = command.args(["--port", &port.to_string(), "--user-claims", &otto]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let provider = Provider { child: command.spawn().unwrap(), port };
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        wait_for("the provider is there", Duration::from_secs(60), || {
            std::net::TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok()
        });
        provider
    }

    fn config(&self) -> String {
        format!(
            "[oidc]\nname = \"Campus\"\nissuer = \"http://localhost:{}\"\nclient_id = \"walras\"\nclient_secret_file = \"oidc.secret\"\n\
             address = \"http://localhost:1/\"\nadministrators = [\"root\"]\nowners = [\"olga\"]\nowner_groups = [\"owners of sites\"]\n",
            self.port
        )
    }
}

fn agent() -> Agent {
    Agent::config_builder().max_redirects(0).http_status_as_error(false).build().into()
}

fn header(answer: &Response<Body>, name: &str) -> String {
    answer.headers().get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
}

/// A browser that goes to the provider and comes back: to which path, and with which cookie.
fn comes_back(service: SocketAddr, name: &str) -> (String, String) {
    let sent = agent().get(format!("http://{service}/sign-in")).call().unwrap();
    assert_eq!(sent.status(), 303);
    let cookie = header(&sent, "set-cookie").split(';').next().unwrap().to_owned();
    let signed = agent().post(header(&sent, "location")).send_form([("sub", name)]).unwrap();
    let back = header(&signed, "location");
    let path =
        back.strip_prefix("http://localhost:1").unwrap_or_else(|| panic!("{}: {back}", signed.status()));
    (path.to_owned(), cookie)
}

fn arrives(service: SocketAddr, path: &str, cookie: &str) -> Response<Body> {
    agent().get(format!("http://{service}{path}")).header("Cookie", cookie).call().unwrap()
}

#[test]
fn people_sign_in_at_a_provider_once_for_each_time_that_they_are_sent() {
    let provider = Provider::start();
    let home = ServiceHome::brisk("");
    std::fs::write(home.path("oidc.secret"), "a secret\n").unwrap();
    let path = home.path("walras.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text + &provider.config()).unwrap();
    let mut service = home.start("warn", &[]);
    let token = home.token();
    service.make_user(&token, "ada", 10);
    let shown =
        service.expect(&Call { method: "GET", path: "/v1/session".to_owned(), ..Call::default() }, 200);
    assert_eq!(shown.json(), json!({"me": null, "provider": "Campus"}));

    for (name, role) in [("ada", "user"), ("root", "administrator"), ("olga", "owner"), ("otto", "owner")] {
        let (path, cookie) = comes_back(service.address, name);
        // Only the browser that was sent, and only once.
        let other = arrives(service.address, &path, "walras_sign_in=walras_0");
        assert_eq!(other.status(), 403, "{name}");
        assert_eq!(
            arrives(service.address, &path, &cookie).status(),
            403,
            "{name}: whoever tried it has used it up"
        );
        let (path, cookie) = comes_back(service.address, name);
        let arrived = arrives(service.address, &path, &cookie);
        let code = header(&arrived, "location").strip_prefix("/#code=").unwrap().to_owned();
        assert_eq!(arrives(service.address, &path, &cookie).status(), 403, "{name}: twice");
        let enter = Call {
            method: "POST",
            path: "/v1/session".to_owned(),
            body: Some(json!({"code": code}).to_string()),
            ..Call::default()
        };
        let entered = service.expect(&enter, 201);
        assert_eq!(entered.json()["me"], json!({"role": role, "name": name}));
        assert!(entered.head.contains("set-cookie: walras_session="), "{}", entered.head);
    }
    // Whom the VO does not know, it does not let in.
    let (path, cookie) = comes_back(service.address, "eve");
    let mut refused = arrives(service.address, &path, &cookie);
    let said = refused.body_mut().read_to_string().unwrap();
    assert!(refused.status() == 403 && said.contains("the VO does not know you"), "{said}");
    let log = service.expect(&Call::get("/v1/log", &token), 200).json().to_string();
    assert!(log.contains("provider") && !log.contains("eve"), "{log}");
    service.stop();

    // Unless it lets everybody in who has a name that can be one.
    let text = std::fs::read_to_string(path_of(&home)).unwrap();
    std::fs::write(path_of(&home), text + "create = true\n").unwrap();
    let mut service = home.start("warn", &[]);
    let (path, cookie) = comes_back(service.address, "eve");
    assert!(header(&arrives(service.address, &path, &cookie), "location").starts_with("/#code="));
    let (path, cookie) = comes_back(service.address, "a\u{200b}da");
    assert_eq!(arrives(service.address, &path, &cookie).status(), 403);
    // A provider that is gone stops nobody who has a token.
    drop(provider);
    let sent = agent().get(format!("http://{}/sign-in", service.address)).call().unwrap();
    assert_eq!(sent.status(), 502);
    service.expect(&Call::get("/v1/status", &token), 200);
    service.stop();
    home.check_log();
}

fn path_of(home: &ServiceHome) -> std::path::PathBuf {
    home.path("walras.toml")
}

#[test]
fn a_provider_that_cannot_be_trusted_is_refused() {
    for (from, to, problem) in [
        (
            "issuer = \"http://localhost",
            "issuer = \"http://login.example",
            "oidc.issuer: 'http://login.example",
        ),
        ("oidc.secret", "missing", "oidc.client_secret_file"),
        ("name =", "title =", "unknown field `title`"),
    ] {
        let config = "[oidc]\nname = \"Campus\"\nissuer = \"http://localhost:1\"\nclient_id = \"walras\"\n\
                      client_secret_file = \"oidc.secret\"\naddress = \"https://market.example\"\n";
        let home = ServiceHome::brisk("");
        std::fs::write(home.path("oidc.secret"), "a secret\n").unwrap();
        let text = std::fs::read_to_string(path_of(&home)).unwrap();
        std::fs::write(path_of(&home), text + &config.replace(from, to)).unwrap();
        let checked = home.walras(&["serve", "--check"]);
        let said = String::from_utf8_lossy(&checked.stderr).into_owned();
        assert!(checked.status.code() == Some(2) && said.contains(problem), "{said}");
    }
}
