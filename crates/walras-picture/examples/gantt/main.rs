//! Writes `small.svg`, `large.svg` and `chosen.svg` to the directory given as argument:
//! `cargo run -p walras-picture --example gantt -- DIRECTORY`.

mod scenes;

use std::path::Path;
use std::{env, fs, io};
use walras_picture::{Scene, gantt};

fn main() -> io::Result<()> {
    let directory = env::args().nth(1).ok_or_else(|| io::Error::other("usage: gantt DIRECTORY"))?;
    fs::create_dir_all(&directory)?;
    let small = scenes::small();
    let large = scenes::large(200, 4, 60);
    for (file, title, stage) in [
        ("small.svg", "Every way to run three jobs on six nodes", &small),
        ("large.svg", "Sixty jobs on four sites", &large),
    ] {
        let scene = Scene::new(title, &stage.offers, &stage.batch, &stage.alternatives);
        fs::write(Path::new(&directory).join(file), gantt(&scene))?;
    }
    let chosen = Scene {
        chosen: Some(&[0, 4, 2]),
        ..Scene::new("One window for each job", &small.offers, &small.batch, &small.alternatives)
    };
    fs::write(Path::new(&directory).join("chosen.svg"), gantt(&chosen))
}
