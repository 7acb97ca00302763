//! Files of jobs in a directory that their programs can write to, read and put from outside.
//!
//! Whatever a program has left there, nothing leads out: every step of a name is opened by itself, from the directory that the step before has
//! opened, and no link is followed. Only plain files are read. What is put is written under a name of its own, made durable, read again and
//! compared, and only then renamed to its place: it is there whole or not at all. Putting it twice does no harm.
//!
//! Reading and putting take time in proportion to what is in the file, and keep one piece of it in memory.

use rustix::fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat, renameat, statat, unlinkat};
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::fchown;
use std::path::{Path, PathBuf};
use walras_broker::program::{DRAFT_PREFIX, is_inside};

/// So many bytes are read at a time.
const PIECE: usize = 256 << 10;
/// No file that is moved has more bytes.
pub const MOVED_MAX: u64 = 64 << 30;

/// What was in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// How many bytes.
    pub bytes: u64,
    /// Their SHA-256.
    pub sha256: [u8; 32],
}

/// Why a file could not be read or put.
#[derive(Debug, thiserror::Error)]
pub enum FileFault {
    /// The name leads out of the directory, by itself or by a link that lies in it.
    #[error("{0}: leads out of the job's directory")]
    Outside(String),
    /// There is nothing of that name.
    #[error("{0}: is not there")]
    NotThere(String),
    /// It is a directory.
    #[error("{0}: is a directory, and no file")]
    Directory(String),
    /// It is a pipe, a socket or a device.
    #[error("{0}: is no plain file, but a pipe, a socket or a device")]
    Special(String),
    /// It has more bytes than are moved.
    #[error("{name}: has {bytes} bytes, and at most {MOVED_MAX} are moved")]
    TooLarge {
        /// Its path in the job's directory.
        name: String,
        /// How many bytes it has.
        bytes: u64,
    },
    /// What was written is not what was read.
    #[error("{0}: what was written is not what was read")]
    Damaged(String),
    /// The system does not do it.
    #[error("{name}: {why}")]
    System {
        /// Its path in the job's directory.
        name: String,
        /// What the system says.
        why: std::io::Error,
    },
}

/// A directory of a job's, and as whom its programs run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    path: PathBuf,
    owner: Option<(u32, u32)>,
}

/// A file in a directory of a job's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileInside {
    directory: Directory,
    name: String,
}

impl FileInside {
    /// The file of that name, whether it is there or not.
    pub(crate) fn new(directory: Directory, name: &str) -> FileInside {
        FileInside { directory, name: name.to_owned() }
    }

    /// Opens it, and says how many bytes it has.
    pub fn open(&self) -> Result<(File, u64), FileFault> {
        self.directory.open(&self.name)
    }

    /// Where it is, for people: what lies on the way may be a link by now.
    pub fn path(&self) -> PathBuf {
        self.directory.path.join(&self.name)
    }
}

fn fault(name: &str, errno: Errno) -> FileFault {
    match errno {
        Errno::LOOP | Errno::NOTDIR => FileFault::Outside(name.to_owned()),
        Errno::NOENT => FileFault::NotThere(name.to_owned()),
        other => FileFault::System { name: name.to_owned(), why: other.into() },
    }
}

impl Directory {
    /// A directory that is there; what is put belongs to `owner`, the number of a user and of a group.
    pub fn new(path: PathBuf, owner: Option<(u32, u32)>) -> Directory {
        Directory { path, owner }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory in which a file is, and its last name; directories on the way are made where they are wanted.
    fn parent<'a>(&self, name: &'a str, make: bool) -> Result<(OwnedFd, &'a str), FileFault> {
        if !is_inside(name) {
            return Err(FileFault::Outside(name.to_owned()));
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let (steps, last) = name.rsplit_once('/').unwrap_or(("", name));
        let mut at = openat(CWD, &self.path, flags, Mode::empty()).map_err(|errno| fault(name, errno))?;
        for step in steps.split('/').filter(|step| !step.is_empty()) {
            let made = make && mkdirat(&at, step, Mode::from_raw_mode(0o700)).is_ok();
            at = openat(&at, step, flags, Mode::empty()).map_err(|errno| fault(name, errno))?;
            if made {
                let own = self.owner.map_or(Ok(()), |(uid, gid)| fchown(&at, Some(uid), Some(gid)));
                own.map_err(|why| FileFault::System { name: name.to_owned(), why })?;
            }
        }
        Ok((at, last))
    }

    /// Opens a file, and says how many bytes it has.
    pub fn open(&self, name: &str) -> Result<(File, u64), FileFault> {
        let (parent, last) = self.parent(name, false)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let opened = openat(&parent, last, flags, Mode::empty()).map_err(|errno| fault(name, errno))?;
        let file = File::from(opened);
        let about = file.metadata().map_err(|why| FileFault::System { name: name.to_owned(), why })?;
        match about.file_type() {
            kind if kind.is_file() => Ok((file, about.len())),
            kind if kind.is_dir() => Err(FileFault::Directory(name.to_owned())),
            _ => Err(FileFault::Special(name.to_owned())),
        }
    }

    /// Whether a plain file of that name is there, and no link leads to it.
    pub fn has(&self, name: &str) -> Result<(), FileFault> {
        let (parent, last) = self.parent(name, false)?;
        let about = statat(&parent, last, AtFlags::SYMLINK_NOFOLLOW).map_err(|errno| fault(name, errno))?;
        match rustix::fs::FileType::from_raw_mode(about.st_mode) {
            rustix::fs::FileType::RegularFile => Ok(()),
            rustix::fs::FileType::Symlink => Err(FileFault::Outside(name.to_owned())),
            rustix::fs::FileType::Directory => Err(FileFault::Directory(name.to_owned())),
            _ => Err(FileFault::Special(name.to_owned())),
        }
    }

    /// Makes the directories on the way to a file, where they are not there.
    pub(crate) fn make_way(&self, name: &str) -> Result<(), FileFault> {
        self.parent(name, true).map(|_| ())
    }

    /// Makes a new file to write to at its end; directories on the way are made.
    pub(crate) fn create(&self, name: &str) -> Result<File, FileFault> {
        let (parent, last) = self.parent(name, true)?;
        let flags = OFlags::WRONLY
            | OFlags::CREATE
            | OFlags::EXCL
            | OFlags::NOFOLLOW
            | OFlags::APPEND
            | OFlags::CLOEXEC;
        let made = openat(&parent, last, flags, Mode::from_raw_mode(0o600));
        let file = File::from(made.map_err(|errno| fault(name, errno))?);
        let own = self.owner.map_or(Ok(()), |(uid, gid)| fchown(&file, Some(uid), Some(gid)));
        own.map(|()| file).map_err(|why| FileFault::System { name: name.to_owned(), why })
    }

    /// Puts a file in its place: all that can be read.
    pub fn put(&self, name: &str, from: &mut dyn Read) -> Result<Sum, FileFault> {
        let (parent, last) = self.parent(name, true)?;
        let draft = format!("{DRAFT_PREFIX}{}-{last}", std::process::id());
        let draft = draft.get(..draft.len().min(200)).unwrap_or(DRAFT_PREFIX).to_owned();
        let _ = unlinkat(&parent, draft.as_str(), AtFlags::empty());
        let put = self.write(name, &parent, &draft, from);
        let placed = put.and_then(|sum| {
            renameat(&parent, draft.as_str(), &parent, last).map_err(|errno| fault(name, errno))?;
            rustix::fs::fsync(&parent).map_err(|errno| fault(name, errno))?;
            Ok(sum)
        });
        if placed.is_err() {
            let _ = unlinkat(&parent, draft.as_str(), AtFlags::empty());
        }
        placed
    }

    fn write(
        &self,
        name: &str,
        parent: &OwnedFd,
        draft: &str,
        from: &mut dyn Read,
    ) -> Result<Sum, FileFault> {
        let wrong = |why: std::io::Error| FileFault::System { name: name.to_owned(), why };
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let made =
            openat(parent, draft, flags, Mode::from_raw_mode(0o600)).map_err(|errno| fault(name, errno))?;
        let mut file = File::from(made);
        let read = pass(from, &mut file).map_err(wrong)?;
        if read.bytes > MOVED_MAX {
            return Err(FileFault::TooLarge { name: name.to_owned(), bytes: read.bytes });
        }
        file.sync_all().map_err(wrong)?;
        file.seek(SeekFrom::Start(0)).map_err(wrong)?;
        if pass(&mut file, &mut std::io::sink()).map_err(wrong)? != read {
            return Err(FileFault::Damaged(name.to_owned()));
        }
        if let Some((uid, gid)) = self.owner {
            fchown(&file, Some(uid), Some(gid)).map_err(wrong)?;
        }
        Ok(read)
    }

    /// Brings a file here from another directory.
    pub fn fetch(&self, name: &str, from: &Directory) -> Result<Sum, FileFault> {
        let (mut file, bytes) = from.open(name)?;
        if bytes > MOVED_MAX {
            return Err(FileFault::TooLarge { name: name.to_owned(), bytes });
        }
        let sum = self.put(name, &mut file)?;
        // Its program has ended, so that nobody writes it any more.
        if sum.bytes == bytes { Ok(sum) } else { Err(FileFault::Damaged(name.to_owned())) }
    }
}

/// Passes on all that can be read, up to a byte more than is moved, and says what it was.
fn pass(from: &mut dyn Read, to: &mut dyn Write) -> std::io::Result<Sum> {
    let mut from = from.take(MOVED_MAX.saturating_add(1));
    let (mut piece, mut bytes, mut hash) = (vec![0; PIECE], 0_u64, Sha256::new());
    loop {
        let count = match from.read(&mut piece) {
            Ok(0) => return Ok(Sum { bytes, sha256: hash.finalize().into() }),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let read = piece.get(..count).unwrap_or_default();
        hash.update(read);
        to.write_all(read)?;
        bytes = bytes.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn two() -> (tempfile::TempDir, Directory, Directory) {
        let root = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let path = root.path().join(name);
            std::fs::create_dir(&path).unwrap();
            Directory::new(path, None)
        };
        let (one, other) = (make("one"), make("other"));
        (root, one, other)
    }

    #[test]
    fn files_move_whole_and_twice_is_once() {
        let (_root, one, other) = two();
        let bytes: Vec<u8> = (0..1_000_003_u32).map(|at| (at % 251) as u8).collect();
        std::fs::create_dir_all(one.path().join("a/b")).unwrap();
        std::fs::write(one.path().join("a/b/c"), &bytes).unwrap();
        for _ in 0..2 {
            let sum = other.fetch("a/b/c", &one).unwrap();
            assert_eq!((sum.bytes, sum.sha256), (1_000_003, Sha256::digest(&bytes).into()));
            assert_eq!(std::fs::read(other.path().join("a/b/c")).unwrap(), bytes);
        }
        let left: Vec<_> = std::fs::read_dir(other.path().join("a/b")).unwrap().collect();
        assert_eq!(left.len(), 1, "no draft is left");
        assert_eq!(other.fetch("a/b/c", &other).unwrap().bytes, 1_000_003, "onto itself");
    }

    #[test]
    fn nothing_leads_out() {
        let (root, one, other) = two();
        std::fs::write(root.path().join("secret"), "s").unwrap();
        std::fs::create_dir(one.path().join("dir")).unwrap();
        symlink(root.path().join("secret"), one.path().join("link")).unwrap();
        symlink(root.path(), one.path().join("out")).unwrap();
        symlink("dir", one.path().join("near")).unwrap();
        for name in ["link", "out/secret", "near/x", "../secret", "/etc/passwd", ""] {
            assert!(matches!(one.open(name), Err(FileFault::Outside(_))), "{name}");
            assert!(matches!(one.has(name), Err(FileFault::Outside(_))), "{name}");
            assert!(other.fetch(name, &one).is_err(), "{name}");
        }
        let (pipe, mode) = (one.path().join("pipe"), Mode::from_raw_mode(0o600));
        rustix::fs::mkfifoat(CWD, pipe, mode).unwrap();
        for fault in [one.open("dir").map(|_| ()), one.has("dir")] {
            assert!(matches!(fault, Err(FileFault::Directory(_))), "a directory is no file: {fault:?}");
        }
        for fault in [one.open("pipe").map(|_| ()), one.has("pipe")] {
            assert!(matches!(fault, Err(FileFault::Special(_))), "nobody waits for a pipe: {fault:?}");
        }
        for fault in [one.open("nothing").map(|_| ()), one.has("nothing")] {
            assert!(matches!(fault, Err(FileFault::NotThere(_))), "{fault:?}");
        }
        for name in ["out/new", "near/new"] {
            assert!(matches!(one.put(name, &mut &b"x"[..]), Err(FileFault::Outside(_))), "{name}");
        }
        // A link in the place of a file is replaced, and what it points to stays.
        one.put("link", &mut &b"x"[..]).unwrap();
        assert_eq!(std::fs::read_to_string(root.path().join("secret")).unwrap(), "s");
        assert_eq!(std::fs::read_to_string(one.path().join("link")).unwrap(), "x");
    }
}
