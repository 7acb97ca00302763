//! Where this machine lets the service make control groups, and what they limit.
//!
//! Everything of ours is in a directory of its own, `walras-…`, named after the site's directory, so that a service finds again what one before it
//! has left, and two services never meet. It lies
//!
//! - where the owner says (`cgroup`);
//! - or, in version 2, below the service's own group, where whoever started the service has left that to it and says so (`Delegate=yes` of
//!   systemd; a mark on the directory). A group with groups below it has no processes of its own there, so that the service goes into one
//!   of them, `service`, unless it is in one already (`DelegateSubgroup=service`);
//! - or at the top, for a service that runs as root.
//!
//! What others have made is never changed: at the top of version 2 there is what was handed on to all groups before, and no more. What is left to the service
//! it hands on to its parts.
//!
//! Which of this the machine gives is tried out, with a process, when a site is opened.

use super::group::{Controller, Group, Place, put};
use super::share::PartLimits;
use crate::contract::SiteError;
use sha2::{Digest, Sha256};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Where the service is in a part of a hierarchy that is left to it.
const OWN: &str = "service";
/// What a process that does nothing may use.
const TRIAL: PartLimits = PartLimits { memory: Some(64 << 20), millicores: Some(1_000), processes: Some(16) };
/// A process that was ended is gone after so long, or it is said that it is not.
const GONE_WITHIN: Duration = Duration::from_secs(5);

/// Whether parts must be kept within limits of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitDemand {
    /// Without limits of memory, processors and processes the site does not open.
    Required,
    /// As far as the machine gives them.
    Preferred,
    /// No groups are made.
    Off,
}

/// What the machine gives to keep parts within limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    places: Result<Vec<Place>, String>,
}

impl Groups {
    /// Tries out what the machine gives for a site by its directory; `cgroup` is where in each hierarchy its groups are, where the owner says so.
    pub fn probe(demand: LimitDemand, cgroup: Option<&Path>, site: &Path) -> Result<Groups, SiteError> {
        let places = match demand {
            LimitDemand::Off => Err("they are not wanted".to_owned()),
            LimitDemand::Required | LimitDemand::Preferred => find(cgroup, &name_of(site)),
        };
        let groups = Groups { places: places.and_then(that_work) };
        match demand {
            LimitDemand::Required if !groups.missing().is_empty() => {
                Err(SiteError::Setup { key: "local.limits", why: groups.to_string() })
            }
            LimitDemand::Required | LimitDemand::Preferred | LimitDemand::Off => Ok(groups),
        }
    }

    /// Whether there are any at all.
    pub fn are_there(&self) -> bool {
        self.places.is_ok()
    }

    /// The group of a part, by a name of its own on the site; none where there are no groups.
    pub(crate) fn of(&self, part: &str, limits: PartLimits) -> Option<Group> {
        let places = self.places.as_ref().ok()?.iter();
        let places = places.map(|place| Place { directory: place.directory.join(part), ..place.clone() });
        Some(Group { places: places.collect(), limits })
    }

    /// The names of all that were left.
    pub(crate) fn left(&self) -> Vec<String> {
        let sites = self.places.iter().flatten().map(|place| &place.directory);
        let entries = sites.filter_map(|site| std::fs::read_dir(site).ok()).flatten().flatten();
        let directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let mut names: Vec<String> = directories.filter_map(|it| it.file_name().into_string().ok()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// What is not limited.
    fn missing(&self) -> Vec<&'static str> {
        let limited = |controller| {
            self.places.iter().flatten().any(|place: &Place| place.controllers.contains(&controller))
        };
        LIMITED.into_iter().filter(|(controller, _)| !limited(*controller)).map(|(_, word)| word).collect()
    }
}

/// What matters, by the words of people.
const LIMITED: [(Controller, &str); 3] =
    [(Controller::Memory, "memory"), (Controller::Cpu, "processors"), (Controller::Pids, "processes")];

impl fmt::Display for Groups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let missing = self.missing();
        match &self.places {
            Err(why) => write!(f, "none for a job as a whole, each process by itself alone: {why}"),
            Ok(_) if missing.len() == LIMITED.len() => {
                write!(
                    f,
                    "none for a job as a whole, each process by itself alone: no controller is there for control groups"
                )
            }
            Ok(places) => {
                let words = LIMITED.map(|(_, word)| word).into_iter().filter(|word| !missing.contains(word));
                write!(f, "{} of a job by control groups", words.collect::<Vec<_>>().join(", "))?;
                if !missing.is_empty() {
                    write!(f, "; not {}", missing.join(", "))?;
                }
                let limiting = |place: &&Place| !place.controllers.is_empty();
                let version = if places.iter().filter(limiting).all(|it| it.unified) { 2 } else { 1 };
                write!(f, " (version {version})")
            }
        }
    }
}

/// What a site's own directory in each hierarchy is called.
fn name_of(site: &Path) -> String {
    let digest = Sha256::digest(site.as_os_str().as_encoded_bytes());
    let digits: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("walras-{digits}")
}

/// A hierarchy, as the kernel says where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hierarchy {
    /// Its top.
    top: PathBuf,
    /// The service's own group.
    own: PathBuf,
    unified: bool,
    /// What it limits; in version 2 that is yet to be seen.
    controllers: Vec<Controller>,
}

/// The hierarchies, of what `/proc/self/mountinfo` and `/proc/self/cgroup` say.
fn hierarchies(mounts: &str, groups: &str) -> Vec<Hierarchy> {
    let mut all = Vec::new();
    for line in mounts.lines() {
        let Some((head, tail)) = line.split_once(" - ") else { continue };
        let (head, tail): (Vec<&str>, Vec<&str>) = (head.split(' ').collect(), tail.split(' ').collect());
        let (Some(root), Some(top), Some(kind)) = (head.get(3), head.get(4), tail.first()) else { continue };
        let options = tail.get(2).copied().unwrap_or_default();
        let unified = *kind == "cgroup2";
        if !unified && *kind != "cgroup" {
            continue;
        }
        let named = |controller: &Controller| options.split(',').any(|it| it == controller.word());
        let controllers: Vec<Controller> = Controller::ALL.into_iter().filter(named).collect();
        if !unified && controllers.is_empty() {
            continue;
        }
        let of = |line: &&str| {
            let names = line.split(':').nth(1).unwrap_or_default();
            if unified {
                names.is_empty()
            } else {
                names.split(',').any(|it| controllers.iter().any(|of| of.word() == it))
            }
        };
        let Some(group) = groups.lines().find(of).and_then(|line| line.splitn(3, ':').nth(2)) else {
            continue;
        };
        let below =
            group.strip_prefix(root.trim_end_matches('/')).unwrap_or_default().trim_start_matches('/');
        let top = PathBuf::from(top);
        let own = if below.split('/').any(|step| step == "..") { top.clone() } else { top.join(below) };
        all.push(Hierarchy { own, top, unified, controllers });
    }
    all
}

fn find(cgroup: Option<&Path>, name: &str) -> Result<Vec<Place>, String> {
    let read = |path: &str| std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    let all = hierarchies(&read("/proc/self/mountinfo")?, &read("/proc/self/cgroup")?);
    if all.is_empty() {
        return Err("the machine has no control groups".to_owned());
    }
    let is_root = rustix::process::geteuid().is_root();
    let mut places: Vec<Place> = Vec::new();
    for hierarchy in &all {
        let Some((parent, home)) = parent_of(hierarchy, cgroup, is_root) else { continue };
        let controllers = if hierarchy.unified {
            handed_on(&parent, parent != hierarchy.top)
        } else {
            hierarchy.controllers.clone()
        };
        let there = |it: &Controller| places.iter().any(|place| place.controllers.contains(it));
        let controllers: Vec<Controller> = controllers.into_iter().filter(|it| !there(it)).collect();
        // One hierarchy may be there under two paths.
        let is_new = if hierarchy.unified {
            places.iter().all(|place| !place.unified)
        } else {
            !controllers.is_empty()
        };
        let place = Place { directory: parent.join(name), home, unified: hierarchy.unified, controllers };
        if is_new {
            places.push(place);
        }
    }
    if places.is_empty() {
        return Err(match (cgroup, is_root) {
            (Some(path), _) => format!("there is no {} in any hierarchy of control groups", path.display()),
            (None, _) => "no control group is left to the service (`Delegate=yes` of systemd)".to_owned(),
        });
    }
    Ok(places)
}

/// Below which group ours are, and where the service is.
fn parent_of(hierarchy: &Hierarchy, cgroup: Option<&Path>, is_root: bool) -> Option<(PathBuf, PathBuf)> {
    let Hierarchy { top, own, unified, .. } = hierarchy;
    if let Some(path) = cgroup {
        let parent = top.join(path.strip_prefix("/").unwrap_or(path));
        return parent.is_dir().then(|| (parent, own.clone()));
    }
    if *unified && own != top {
        if let Some(above) = own.parent().filter(|above| above != top && is_left_to_us(above)) {
            return Some((above.to_owned(), own.clone()));
        }
        if is_left_to_us(own) {
            let home = own.join(OWN);
            return go_below(own, &home).then(|| (own.clone(), home));
        }
    }
    is_root.then(|| (top.clone(), own.clone()))
}

/// Whether whoever manages the machine has left a group to who runs in it.
fn is_left_to_us(group: &Path) -> bool {
    let mut value = [0_u8; 8];
    ["trusted.delegate", "user.delegate"].iter().any(|mark| {
        let said = rustix::fs::getxattr(group, *mark, &mut value);
        said.is_ok_and(|length| value.get(..length) == Some(b"1"))
    })
}

/// Goes from a group into one below it, with all that is there.
fn go_below(group: &Path, below: &Path) -> bool {
    if !below.is_dir() && std::fs::create_dir(below).is_err() {
        return false;
    }
    let inside = std::fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
    inside.lines().all(|pid| put(below, "cgroup.procs", pid).is_ok())
}

/// What a group of version 2 hands on to those below it; with `ask`, all that it has.
fn handed_on(parent: &Path, ask: bool) -> Vec<Controller> {
    if ask {
        for controller in Controller::ALL {
            // What it has not it cannot hand on.
            let _ = put(parent, "cgroup.subtree_control", &format!("+{}", controller.word()));
        }
    }
    let there = std::fs::read_to_string(parent.join("cgroup.subtree_control")).unwrap_or_default();
    let is_there = |controller: &Controller| there.split_whitespace().any(|it| it == controller.word());
    Controller::ALL.into_iter().filter(is_there).collect()
}

/// Those in which a group can be made and ended; or why none is.
fn that_work(places: Vec<Place>) -> Result<Vec<Place>, String> {
    let (mut work, mut wrong) = (Vec::new(), None);
    for place in places {
        match trial(&place) {
            Ok(()) => work.push(place),
            Err(why) => wrong = wrong.or(Some(why)),
        }
    }
    match wrong {
        Some(why) if work.is_empty() => Err(why),
        Some(_) | None => Ok(work),
    }
}

/// Makes a group, puts a process into it, and ends it.
fn trial(place: &Place) -> Result<(), String> {
    let directory = place.directory.join(format!("trial-{}", std::process::id()));
    let group = Group { places: vec![Place { directory, ..place.clone() }], limits: TRIAL };
    let tried = group.make().map_err(|error| error.to_string()).and_then(|()| {
        let mut waits = Command::new("sleep");
        waits.arg("60").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = waits.spawn().map_err(|error| format!("sleep: {error}"))?;
        let taken = group.take(child.id()).map_err(|error| error.to_string());
        if taken.is_err() {
            let _ = child.kill();
        }
        let begun = Instant::now();
        let mut gone = false;
        while !gone && begun.elapsed() < GONE_WITHIN {
            gone = group.end() && matches!(child.try_wait(), Ok(Some(_)));
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = child.kill();
        let _ = child.wait();
        taken.and_then(|()| if gone { Ok(()) } else { Err("what was in it could not be ended".to_owned()) })
    });
    group.end();
    group.leave();
    tried
}

#[cfg(test)]
mod tests {
    use super::*;

    const HYBRID: &str = "\
31 24 0:27 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
32 31 0:28 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct
33 31 0:29 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
34 31 0:30 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd
35 31 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw";

    #[test]
    fn hierarchies_of_both_versions_are_found() {
        let groups = "9:name=systemd:/a\n4:memory:/box/a\n1:cpu,cpuacct:/\n0::/user/b";
        let found = hierarchies(HYBRID, groups);
        let told: Vec<(&str, &str, usize, bool)> = found
            .iter()
            .map(|it| (it.top.to_str().unwrap(), it.own.to_str().unwrap(), it.controllers.len(), it.unified))
            .collect();
        let expected = [
            ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu/", 2, false),
            ("/sys/fs/cgroup/memory", "/sys/fs/cgroup/memory/box/a", 1, false),
            ("/sys/fs/cgroup/unified", "/sys/fs/cgroup/unified/user/b", 0, true),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn what_lies_outside_of_what_is_mounted_is_the_top() {
        let mounts = "35 31 0:31 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw";
        let own = |group: &str| hierarchies(mounts, group).remove(0).own;
        assert_eq!(own("0::/docker/1/x"), Path::new("/sys/fs/cgroup/x"));
        assert_eq!(own("0::/../elsewhere"), Path::new("/sys/fs/cgroup"));
        assert_eq!(hierarchies("", "0::/").len(), 0);
    }

    #[test]
    fn a_group_hands_on_what_it_is_told_to() {
        let group = tempfile::tempdir().unwrap();
        std::fs::write(group.path().join("cgroup.subtree_control"), "cpuset memory pids\n").unwrap();
        assert_eq!(handed_on(group.path(), false), [Controller::Memory, Controller::Pids]);
    }

    #[test]
    fn limits_that_are_not_wanted_are_none() {
        let groups = Groups::probe(LimitDemand::Off, None, Path::new("/nowhere")).unwrap();
        let said = "none for a job as a whole, each process by itself alone: they are not wanted";
        assert_eq!((groups.are_there(), groups.to_string().as_str()), (false, said));
        let path = Some(Path::new("/there/is/no/such/group"));
        let refused = Groups::probe(LimitDemand::Required, path, Path::new("/nowhere")).unwrap_err();
        assert!(refused.to_string().starts_with("local.limits: none"), "{refused}");
    }
}
