//! The world is a harness: of the product only `walras world` links it, whatever else is tested with it.

#![allow(clippy::unwrap_used, reason = "a test binary")]

use std::path::Path;

/// The crates that depend on another for what they are, and not only for their tests.
fn users_of(name: &str) -> Vec<String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut users = Vec::new();
    for entry in std::fs::read_dir(crates).unwrap() {
        let path = entry.unwrap().path();
        let Ok(manifest) = std::fs::read_to_string(path.join("Cargo.toml")) else { continue };
        let tables = manifest.split("\n[").filter(|table| {
            let title = table.split(']').next().unwrap_or_default();
            title.ends_with("dependencies") && !title.ends_with("dev-dependencies")
        });
        let mut lines = tables.flat_map(str::lines);
        if lines.any(|line| line.split(['.', ' ', '=']).next() == Some(name)) {
            users.push(path.file_name().unwrap().to_str().unwrap().to_owned());
        }
    }
    users.sort_unstable();
    users
}

#[test]
fn only_the_command_line_links_the_world() {
    assert_eq!(users_of("walras-world"), ["walras"]);
}

#[test]
fn sites_know_neither_the_service_nor_the_world() {
    assert!(!users_of("walras-service").contains(&"walras-sites".to_owned()));
    // The look finds those that are there.
    assert_eq!(
        users_of("walras-sites"),
        ["walras", "walras-fuzz", "walras-service", "walras-sim", "walras-world"]
    );
}
