//! What counts when flags, the environment and the profile file disagree, and to whom a token is sent.

use super::*;
use std::fs;

struct Given(BTreeMap<String, String>);

impl Environment for Given {
    fn var(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned()
    }
}

/// An environment with a profile file.
fn given(directory: &Path, profiles: &str, more: &[(&str, &str)]) -> Given {
    let place = directory.join("walras");
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("profile.toml"), profiles).unwrap();
    private(&place.join("profile.toml"), 0o600);
    let mut variables = BTreeMap::new();
    variables.insert("XDG_CONFIG_HOME".to_owned(), directory.display().to_string());
    variables.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    Given(variables)
}

fn private(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn problem(result: Result<Settings, Failure>) -> String {
    match result.unwrap_err() {
        Failure::Input(problem) => problem,
        other => panic!("{other:?}"),
    }
}

const PROFILES: &str = "default = \"a\"\n[profiles.a]\nurl = \"https://a.example/\"\ntoken = \"hush-a\"\n[profiles.b]\ntoken_file = \"b.token\"\n";

#[test]
fn flags_go_before_the_environment_and_that_before_the_profile() {
    let directory = tempfile::tempdir().unwrap();
    let settings = |connect: Connect, more: &[(&str, &str)]| {
        connect.settings(&given(directory.path(), PROFILES, more)).unwrap()
    };
    let of = |url: &str| Connect { url: Some(url.to_owned()), ..Connect::default() };
    let plain = settings(Connect::default(), &[]);
    assert_eq!((plain.url.as_str(), plain.token), ("https://a.example", Secret::new("hush-a")));
    assert_eq!(settings(Connect::default(), &[("WALRAS_URL", "https://e.example")]).url, "https://e.example");
    assert_eq!(
        settings(of("https://f.example"), &[("WALRAS_URL", "https://e.example")]).url,
        "https://f.example"
    );
    let token = settings(Connect::default(), &[("WALRAS_TOKEN", "hush-e")]).token;
    assert_eq!(token, Secret::new("hush-e"));
    fs::write(directory.path().join("walras/b.token"), "hush-b\n").unwrap();
    let b = settings(Connect::default(), &[("WALRAS_PROFILE", "b")]);
    assert_eq!((b.url.as_str(), b.token), (URL_DEFAULT, Secret::new("hush-b")));
    let none = Connect::default().settings(&Given(BTreeMap::new())).unwrap();
    assert_eq!(none, Settings { url: URL_DEFAULT.to_owned(), token: None, ca: None });
}

#[test]
fn a_profiles_token_goes_to_no_other_service() {
    let directory = tempfile::tempdir().unwrap();
    let environment = given(directory.path(), PROFILES, &[("WALRAS_URL", "https://other.example")]);
    assert_eq!(Connect::default().settings(&environment).unwrap().token, None);
}

#[test]
fn plain_http_carries_a_token_to_this_machine_only() {
    let settings = |url: &str, insecure: bool| {
        let mut variables = BTreeMap::new();
        variables.insert("WALRAS_TOKEN".to_owned(), "hush".to_owned());
        Connect { url: Some(url.to_owned()), insecure, ..Connect::default() }.settings(&Given(variables))
    };
    for safe in [
        "http://127.0.0.1:1",
        "http://127.9.9.9",
        "http://[::1]:80",
        "http://localhost:7878",
        "https://a.example",
    ] {
        assert!(settings(safe, false).is_ok(), "{safe}");
    }
    for unsafe_ in
        ["http://a.example", "http://10.0.0.1:7878", "http://localhost.a.example", "http://0.0.0.0:1"]
    {
        let problem = problem(settings(unsafe_, false));
        assert!(problem.contains("use https, or --insecure") && !problem.contains("hush"), "{problem}");
        assert!(settings(unsafe_, true).is_ok(), "{unsafe_}");
    }
    for wrong in [
        "ftp://a",
        "a.example",
        "http://me:pw@a.example",
        "http://a/?x=1",
        "",
        "http:///x",
        "http://127.0.0.1:99999",
        "http://a:",
    ] {
        assert!(problem(settings(wrong, true)).contains("is not the address"), "{wrong}");
    }
}

#[test]
fn what_is_wrong_is_named_without_the_token() {
    let directory = tempfile::tempdir().unwrap();
    let of = |profiles: &str, profile: Option<&str>| {
        let connect = Connect { profile: profile.map(str::to_owned), ..Connect::default() };
        let problem = problem(connect.settings(&given(directory.path(), profiles, &[])));
        assert!(!problem.contains("hush"), "{problem}");
        problem.replace(&directory.path().display().to_string(), "")
    };
    insta::assert_snapshot!(of(PROFILES, Some("c")), @"/walras/profile.toml: there is no profile c: known are a, b");
    insta::assert_snapshot!(of("[profiles.a]\ntoken = \"hush hush\"", Some("a")), @"/walras/profile.toml: `token` does not hold a token");
    let broken = of("[profiles.a]\ntoken = hush", Some("a"));
    assert!(broken.starts_with("/walras/profile.toml:2: "), "{broken}");
    let environment = given(directory.path(), PROFILES, &[]);
    private(&directory.path().join("walras/profile.toml"), 0o644);
    let open = problem(Connect::default().settings(&environment));
    assert!(open.contains("others can read it"), "{open}");
}
