//! Files that jobs have left, brought here: `walras output --get`.

use super::http::{Bytes, Client, encode};
use crate::failure::Failure;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use walras_api::service::JobView;
use walras_broker::program::is_inside;

/// What is brought, and where to.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct GetArgs {
    /// Bring these files of the job here, by their path in its directory; without a name, all that its `outputs` list
    #[arg(long, value_name = "FILE", num_args = 0.., conflicts_with_all = ["bytes", "error"])]
    get: Option<Vec<String>>,
    /// The directory that they are brought to; the current one, without
    #[arg(long, value_name = "DIRECTORY", requires = "get")]
    to: Option<PathBuf>,
}

impl GetArgs {
    /// The names that are wanted; nothing when no files are.
    pub(crate) fn names(&self) -> Option<&[String]> {
        self.get.as_deref()
    }

    /// Brings the files, one after the other, and gives their paths.
    pub(crate) fn bring(
        &self,
        client: &Client,
        job: &str,
        part: Option<u32>,
    ) -> Result<Vec<PathBuf>, Failure> {
        let named = self.get.clone().unwrap_or_default();
        let names = if named.is_empty() {
            let view: JobView = client.get(&format!("/v1/jobs/{job}"))?.view()?;
            if view.outputs.is_empty() {
                let problem = format!("job {job} lists no outputs: name the files, as in --get result.txt");
                return Err(Failure::Input(problem));
            }
            view.outputs
        } else {
            named
        };
        let to = self.to.clone().unwrap_or_default();
        let part = part.map_or_else(String::new, |part| format!("&part={part}"));
        let mut brought = Vec::new();
        for name in names {
            if !is_inside(&name) {
                return Err(Failure::Input(format!("{name}: expected a relative path without . and ..")));
            }
            let path = to.join(&name);
            let asked = format!("/v1/jobs/{job}/file?name={}{part}", encode(&name));
            let Bytes::Some { reader, .. } = client.bytes(&asked, None)? else {
                return Err(Failure::Unreachable(format!("{name}: it was not sent from its first byte on")));
            };
            write(&path, reader).map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
            brought.push(path);
        }
        Ok(brought)
    }
}

/// Writes a file beside its place and renames it: it is there whole or not at all.
fn write(path: &Path, mut from: impl io::Read) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent)?;
    let last = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let draft = parent.join(format!(".{last}.{}", std::process::id()));
    let written = File::create(&draft).and_then(|mut file| {
        io::copy(&mut from, &mut file)?;
        file.flush()?;
        std::fs::rename(&draft, path)
    });
    if written.is_err() {
        let _ = std::fs::remove_file(&draft);
    }
    written
}
