//! TLS: who knows the authority is served; who does not, sends nothing; and nothing is said in the clear.

use crate::http::{connect, until_closed};
use crate::program::{NORTH, PROGRAM, Service, ServiceHome};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::process::{Command, Output};
use std::sync::Arc;

const CONFIG: &str = r#"
limits = { head_seconds = 2 }
tls = { certificate = "service.pem", key = "service.key" }
"#;

type Authority = CertifiedIssuer<'static, KeyPair>;

/// A private authority. All of them have the same name: it is the key that counts.
fn authority() -> Authority {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, "an authority");
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A service with a certificate for this name, beside a file `ca.pem` of its authority.
fn serve_as(name: &str, authority: &Authority) -> (ServiceHome, Service) {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new([name.to_owned()]).unwrap();
    let certificate = params.signed_by(&key, authority).unwrap();
    let home = ServiceHome::new(&format!("{CONFIG}{NORTH}"));
    fs::write(home.path("service.pem"), certificate.pem()).unwrap();
    fs::write(home.path("service.key"), key.serialize_pem()).unwrap();
    fs::write(home.path("ca.pem"), authority.pem()).unwrap();
    let service = home.start("warn", &[]);
    (home, service)
}

/// Runs a command of the client as the administrator, in an environment with nothing but these variables.
fn client(home: &ServiceHome, url: &str, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.env_clear().env("WALRAS_URL", url).env("WALRAS_TOKEN", home.token());
    command.envs(variables.iter().copied()).args(arguments).current_dir(home.path(""));
    command.output().unwrap()
}

/// The connection fails, because of the certificate, and the token is not shown.
fn assert_refused(home: &ServiceHome, said: &Output, why: &str) {
    let error = String::from_utf8_lossy(&said.stderr);
    assert_eq!(said.status.code(), Some(4), "{error}");
    assert!(error.contains("the service cannot be reached") && error.contains(why), "{error}");
    assert!(said.stdout.is_empty() && !error.contains(&home.token()), "{error}");
}

fn assert_served(said: &Output) -> String {
    assert_eq!(said.status.code(), Some(0), "{}", String::from_utf8_lossy(&said.stderr));
    String::from_utf8_lossy(&said.stdout).into_owned()
}

fn assert_unharmed(home: &ServiceHome, mut service: Service) {
    service.stop();
    home.check_log();
    home.check_journal();
}

#[test]
fn a_client_that_knows_the_authority_is_served() {
    let (home, service) = serve_as("127.0.0.1", &authority());
    let url = format!("https://{}", service.address);
    let known = [("WALRAS_CA", "ca.pem")];
    assert!(assert_served(&client(&home, &url, &known, &["sites"])).contains("north"));
    assert_served(&client(&home, &url, &known, &["user", "set", "ada"]));
    // A profile names the authority as well, by a path beside its file.
    fs::create_dir(home.path("walras")).unwrap();
    let profile = "default = \"work\"\n[profiles.work]\nca = \"../ca.pem\"\n";
    fs::write(home.path("walras/profile.toml"), profile).unwrap();
    let profiles = home.path("");
    let profile = [("XDG_CONFIG_HOME", profiles.to_str().unwrap())];
    assert!(assert_served(&client(&home, &url, &profile, &["user", "list"])).contains("ada"));
    assert_unharmed(&home, service);
}

#[test]
fn a_certificate_that_proves_nothing_is_refused() {
    let (home, service) = serve_as("127.0.0.1", &authority());
    let url = format!("https://{}", service.address);
    // Without a word about authorities those of browsers count.
    assert_refused(&home, &client(&home, &url, &[], &["jobs"]), "UnknownIssuer");
    // Another authority of the same name.
    fs::write(home.path("other.pem"), authority().pem()).unwrap();
    let other = client(&home, &url, &[("WALRAS_CA", "other.pem")], &["jobs"]);
    assert_refused(&home, &other, "invalid peer certificate");
    assert_unharmed(&home, service);
    // The right authority, but somebody else's certificate.
    let (home, service) = serve_as("walras.example", &authority());
    let url = format!("https://{}", service.address);
    let other = client(&home, &url, &[("WALRAS_CA", "ca.pem")], &["jobs"]);
    assert_refused(&home, &other, "not valid for name");
    assert_unharmed(&home, service);
}

#[test]
fn nothing_is_said_in_the_clear() {
    let (home, service) = serve_as("127.0.0.1", &authority());
    for text in ["GET /healthz HTTP/1.1\r\nHost: t\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        let mut plain = connect(service.address).unwrap();
        plain.write_all(text.as_bytes()).unwrap();
        let said = until_closed(plain, text);
        assert!(!said.contains("HTTP") && !said.contains('{'), "{said}");
    }
    let said = client(&home, &format!("http://{}", service.address), &[], &["jobs"]);
    assert_eq!(said.status.code(), Some(4), "{}", String::from_utf8_lossy(&said.stderr));
    assert!(said.stdout.is_empty());
    assert_unharmed(&home, service);
}

/// A connection after its handshake, by a client that would rather speak HTTP/2.
fn handshaken(service: &Service, authority: &Authority) -> StreamOwned<ClientConnection, TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(authority.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_root_certificates(roots);
    let mut config = config.with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let mut connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = connect(service.address).unwrap();
    while connection.is_handshaking() {
        connection.complete_io(&mut stream).unwrap();
    }
    StreamOwned::new(connection, stream)
}

#[test]
fn connections_that_ask_nothing_are_closed() {
    let authority = authority();
    let (home, service) = serve_as("127.0.0.1", &authority);
    // The beginning of a handshake, and no more.
    let mut begun = connect(service.address).unwrap();
    begun.write_all(b"\x16\x03\x01\x02\x00\x01").unwrap();
    let silent = handshaken(&service, &authority);
    assert_eq!(silent.conn.alpn_protocol(), Some(&b"http/1.1"[..]));
    let mut preface = handshaken(&service, &authority);
    preface.write_all(b"PRI * HTTP/2.0\r\n").unwrap();
    let mut idle = handshaken(&service, &authority);
    idle.write_all("GET /healthz HTTP/1.1\r\nHost: t\r\n\r\n".repeat(2).as_bytes()).unwrap();
    until_closed(begun, "half a handshake");
    assert_eq!(until_closed(silent, "silent"), "");
    assert!(!until_closed(preface, "preface").starts_with("HTTP/1.1 2"));
    let said = until_closed(idle, "idle after two requests");
    assert_eq!(said.matches("HTTP/1.1 200").count(), 2, "{said}");
    assert_unharmed(&home, service);
}
