//! Files that jobs have left, brought here: `walras output --get`. One that is not there keeps none of the others away.

use super::http::{Bytes, Client, encode};
use crate::failure::Failure;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use walras_api::service::JobView;
use walras_broker::indices::Indices;
use walras_broker::program::is_inside;

/// What is brought, and where to.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct GetArgs {
    /// Bring these files of the job here, by their path in its directory; without a name, all that its `outputs` list; of an array, those
    /// of every element into a directory by its index
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

    /// Brings the files, one after the other; those of an array from every element, into a directory by its index.
    pub(crate) fn bring(
        &self,
        client: &Client,
        job: &str,
        view: &JobView,
        part: Option<u32>,
    ) -> Result<Brought, Failure> {
        let names = match self.get.as_deref() {
            Some(named @ [_, ..]) => named,
            Some([]) | None => view.outputs.as_slice(),
        };
        if names.is_empty() {
            let problem = format!("job {job} lists no outputs: name the files, as in --get result.txt");
            return Err(Failure::Input(problem));
        }
        if let Some(name) = names.iter().find(|name| !is_inside(name)) {
            return Err(Failure::Input(format!("{name}: expected a relative path without . and ..")));
        }
        let to = self.to.clone().unwrap_or_default();
        let part = part.map_or_else(String::new, |part| format!("&part={part}"));
        let from: Vec<(String, PathBuf)> = match elements(view)? {
            None => vec![(job.to_owned(), to)],
            Some(indices) => {
                let all = (0..indices.count()).filter_map(|rank| indices.index_at(rank));
                all.map(|index| (format!("{}_{index}", view.job), to.join(index.to_string()))).collect()
            }
        };
        let mut brought = Brought::default();
        for (job, to) in &from {
            for name in names {
                let path = to.join(name);
                let asked = format!("/v1/jobs/{job}/file?name={}{part}", encode(name));
                match client.bytes(&asked, None) {
                    Ok(Bytes::Some { reader, .. }) => {
                        write(&path, reader)
                            .map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
                        brought.files.push(path);
                    }
                    Ok(Bytes::Beyond(_)) => {
                        let problem = format!("{name}: it was not sent from its first byte on");
                        return Err(Failure::Unreachable(problem));
                    }
                    // The others are wanted all the same.
                    Err(Failure::Refused(why)) => brought.missing.push(why),
                    Err(failure) => return Err(failure),
                }
            }
        }
        Ok(brought)
    }
}

/// The elements of an array; nothing of a job that is none.
fn elements(view: &JobView) -> Result<Option<Indices>, Failure> {
    let Some(array) = &view.array else { return Ok(None) };
    let problem = |_| Failure::Unreachable("the service's answer is not understood".to_owned());
    array.elements.parse().map(Some).map_err(problem)
}

/// What came of bringing files.
#[derive(Debug, Default)]
pub(crate) struct Brought {
    /// Where those are that have come.
    pub(crate) files: Vec<PathBuf>,
    /// Why each of the others has not.
    pub(crate) missing: Vec<String>,
}

impl Brought {
    /// Fails where something has not come, and says what.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        /// So many are told one by one.
        const TOLD: usize = 20;
        let (count, came) = (self.missing.len(), self.files.len());
        if count == 0 {
            return Ok(());
        }
        if count == 1 && came == 0 {
            return Err(Failure::Refused(self.missing.remove(0)));
        }
        for why in self.missing.iter().take(TOLD) {
            eprintln!("walras: {why}");
        }
        if count > TOLD {
            eprintln!("walras: and {} more", count - TOLD);
        }
        Err(Failure::Refused(format!("{count} of {} files have not been brought", count + came)))
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
