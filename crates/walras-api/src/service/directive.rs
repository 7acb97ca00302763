//! Slurm's directives as they are understood here: one row each, which the reader of scripts, the options of `walras submit` and the
//! documents share.
//!
//! A directive that is not here may change what runs, so it is an error unless whoever submits says otherwise.

/// One directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directive {
    /// Its long name.
    pub name: &'static str,
    /// Its letter.
    pub short: Option<char>,
    /// Whether it has a value.
    pub takes: Takes,
    /// What is done with it.
    pub(super) meaning: Meaning,
    /// The same for people: which key of a job, and how.
    pub means: &'static str,
}

/// Whether a directive has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// It must have one.
    Value,
    /// It may have one, behind `=`.
    Either,
    /// It has none.
    Nothing,
}

/// What kind of thing a directive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectiveKind {
    /// It says something of the job.
    Says,
    /// It asks for what is so anyway.
    Holds,
    /// It does not change what runs, and nothing is done with it: whoever submits is told.
    Noted,
}

/// What is done with a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Meaning {
    Nodes,
    Ntasks,
    NtasksPerNode,
    CpusPerTask,
    Mincpus,
    Mem,
    MemPerCpu,
    Gres,
    Gpus,
    GpusPerNode,
    GpusPerTask,
    Constraint,
    Time,
    Begin,
    Deadline,
    JobName,
    Output,
    Error,
    Chdir,
    Export,
    Account,
    Partition,
    Qos,
    Comment,
    Array,
    Dependency,
    Hold,
    MailType,
    MailUser,
    Exclusive,
    Holds,
    Noted,
}

impl Directive {
    /// What kind of thing it is.
    pub fn kind(&self) -> DirectiveKind {
        match self.meaning {
            Meaning::Holds => DirectiveKind::Holds,
            Meaning::Noted => DirectiveKind::Noted,
            _ => DirectiveKind::Says,
        }
    }

    /// How it is written: with its letter, where it has one.
    pub fn written(&self) -> String {
        let letter = self.short.map(|letter| format!(", `-{letter}`")).unwrap_or_default();
        format!("`--{}`{letter}", self.name)
    }
}

/// The directive of a long name.
pub(super) fn directive(name: &str) -> Option<&'static Directive> {
    DIRECTIVES.iter().find(|directive| directive.name == name)
}

const fn says(name: &'static str, short: Option<char>, meaning: Meaning, means: &'static str) -> Directive {
    Directive { name, short, takes: Takes::Value, meaning, means }
}

const fn holds(name: &'static str, takes: Takes, means: &'static str) -> Directive {
    Directive { name, short: None, takes, meaning: Meaning::Holds, means }
}

const fn noted(name: &'static str, short: Option<char>, takes: Takes, means: &'static str) -> Directive {
    Directive { name, short, takes, meaning: Meaning::Noted, means }
}

/// All that are understood.
#[rustfmt::skip]
pub const DIRECTIVES: &[Directive] = &[
    says("nodes", Some('N'), Meaning::Nodes, "`tasks`: so many nodes at once, of a range the least; no more than `--ntasks`. Of several, `separate_nodes: true`: also where nodes are sold in units"),
    says("ntasks", Some('n'), Meaning::Ntasks, "`tasks`: a node each, or units of one where nodes are sold in units, unless `--nodes` or `--ntasks-per-node` puts more on one"),
    says("ntasks-per-node", None, Meaning::NtasksPerNode, "`tasks`: `--ntasks` divided by it, `separate_nodes: true` for several; `requires: {cores: {min: …}}`, so many times `--cpus-per-task`"),
    says("cpus-per-task", Some('c'), Meaning::CpusPerTask, "`requires: {cores: {min: …}}`, when more than 1"),
    says("mincpus", None, Meaning::Mincpus, "`requires: {cores: {min: …}}`, when more than 1"),
    says("mem", None, Meaning::Mem, "`requires: {memory_gb: {min: …}}`: mebibytes, or with `K`, `M`, `G`, `T`; 0 asks for nothing"),
    says("mem-per-cpu", None, Meaning::MemPerCpu, "`requires: {memory_gb: {min: …}}`, for all cores that are asked for on a node; not beside `--mem`"),
    says("gres", None, Meaning::Gres, "`requires: {gpus: {min: …}}` for `gpu`, `gpu:2`, `gpu:a100:2`, with the type as `gpu_type: a100`; other resources are refused"),
    says("gpus", Some('G'), Meaning::Gpus, "`requires: {gpus: {min: …}}`: of the whole job, divided by its nodes; `a100:2` as with `--gres`"),
    says("gpus-per-node", None, Meaning::GpusPerNode, "`requires: {gpus: {min: …}}`; `a100:2` as with `--gres`"),
    says("gpus-per-task", None, Meaning::GpusPerTask, "`requires: {gpus: {min: …}}`, times the tasks of a node"),
    says("constraint", Some('C'), Meaning::Constraint, "`requires`: `a&b` is `{a: true, b: true}`, and `a|b` is `{'a|b': true}`; both together with parentheses, `(a|b)&c`; counts and brackets are refused"),
    says("time", Some('t'), Meaning::Time, "`work`: minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes, days-hours:minutes:seconds"),
    says("begin", Some('b'), Meaning::Begin, "`earliest`: `now+2hours`, `16:00`, `4:00 PM`, `tomorrow`, `noon`, `MM/DD/YY`, `YYYY-MM-DDTHH:MM`, in the local zone"),
    says("deadline", None, Meaning::Deadline, "`deadline`, as `--begin`"),
    says("job-name", Some('J'), Meaning::JobName, "`name`; without it, the name of the file"),
    says("output", Some('o'), Meaning::Output, "`output`: a path in its directory, or `/dev/null` for nothing, in which `%j` and `%A` are the job's number, `%a` the element's, `%x` the name, `%u` the user, `%N` the node, `%t` the part"),
    says("error", Some('e'), Meaning::Error, "`error`, as `--output`"),
    says("chdir", Some('D'), Meaning::Chdir, "`directory`: programs begin there, on the site; without it, in one of their own"),
    says("export", None, Meaning::Export, "`env`: `NAME=value`, and `NAME` or `ALL` as they are where it is submitted; `NONE` as without it: nothing else"),
    says("account", Some('A'), Meaning::Account, "`account`: what the service's table says"),
    says("partition", Some('p'), Meaning::Partition, "`partition`: what the service's table says"),
    says("qos", Some('q'), Meaning::Qos, "`qos`: what the service's table says"),
    says("comment", None, Meaning::Comment, "`comment`"),
    says("array", Some('a'), Meaning::Array, "`array`"),
    says("dependency", Some('d'), Meaning::Dependency, "`after`, `singleton`: `afterok:17:18_3,afterany:19`, `afternotok`, `after` (started), `singleton`, all of which must hold; anything else is an error"),
    Directive { name: "hold", short: Some('H'), takes: Takes::Nothing, meaning: Meaning::Hold, means: "`held`" },
    Directive { name: "exclusive", short: None, takes: Takes::Either, meaning: Meaning::Exclusive, means: "`requires: {exclusive: true}`: all units of every node" },
    holds("requeue", Takes::Nothing, "nothing: what a node or a site fails is tried again"),
    says("mail-type", None, Meaning::MailType, "`notify`: `BEGIN`, `END`, `FAIL` (also `TIME_LIMIT`, `INVALID_DEPEND`), `REQUEUE`, `ALL`, `NONE`; what else Slurm has is left out and said so"),
    says("mail-user", None, Meaning::MailUser, "`notify`: the address; without it, the user at the service's domain; nothing without `--mail-type`, and said so"),
    noted("verbose", Some('v'), Takes::Nothing, "nothing; said so"),
    noted("quiet", Some('Q'), Takes::Nothing, "nothing; said so"),
    holds("parsable", Takes::Nothing, "as an option of `walras submit`: it prints the number alone; in a script, nothing"),
    noted("wckey", None, Takes::Value, "nothing; said so"),
];
