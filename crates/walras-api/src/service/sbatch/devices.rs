//! What a script asks of nodes beside cores and memory: GPUs, and features by name.

use super::super::directive::Meaning;
use super::super::slurm;
use super::{Given, Keys, Sbatch, Sizes};
use crate::error::ReadError;
use serde_json::json;
use std::collections::BTreeMap;

impl<'a> Sbatch<'a> {
    pub(super) fn devices(&self, keys: &mut Keys, sizes: &Sizes) -> Result<(), ReadError> {
        let what = "is not a number of GPUs: expected one such as 2 or a100:2";
        let mut most: Option<(u64, &Given<'a>)> = None;
        let mut kinds: BTreeMap<String, &Given<'a>> = BTreeMap::new();
        for meaning in [Meaning::Gres, Meaning::Gpus, Meaning::GpusPerNode, Meaning::GpusPerTask] {
            let Some(given) = self.get(meaning) else { continue };
            for word in given.value.split(',').filter(|_| given.value != "none") {
                let found = if meaning == Meaning::Gres {
                    let what = "is not understood: of resources, gpu is, such as gpu:2 or gpu:a100:2";
                    slurm::gres(word).ok_or_else(|| given.refuse(what))?
                } else {
                    slurm::gpus(word).ok_or_else(|| given.refuse(what))?
                };
                let count = match meaning {
                    Meaning::Gpus => slurm::upwards(found.count, sizes.nodes),
                    Meaning::GpusPerTask => found.count.saturating_mul(sizes.tasks_per_node),
                    _ => found.count,
                };
                if most.is_none_or(|(before, _)| before < count) {
                    most = Some((count, given));
                }
                kinds.extend(found.kind.map(|kind| (kind, given)));
            }
        }
        if let Some((count, given)) = most.filter(|(count, _)| *count > 0) {
            keys.require("gpus", json!({"min": count}), given);
            keys.tell("SLURM_GPUS_ON_NODE", count);
            keys.tell("SLURM_GPUS_PER_NODE", count);
        }
        let mut kinds = kinds.into_iter();
        match (kinds.next(), kinds.next()) {
            (Some(_), Some((_, given))) => Err(given.refuse("asks for another type of GPU: a node has one")),
            (Some((kind, given)), None) => {
                keys.require("gpu_type", kind.into(), given);
                Ok(())
            }
            (None, _) => Ok(()),
        }
    }

    pub(super) fn features(&self, keys: &mut Keys) -> Result<(), ReadError> {
        if let Some(given) = self.get(Meaning::Exclusive) {
            keys.require("exclusive", true.into(), given);
        }
        let Some(given) = self.get(Meaning::Constraint) else { return Ok(()) };
        let what =
            "is not understood: expected features such as a&b, a|b or (a|b)&c, without counts and brackets";
        for any in slurm::features(&given.value).ok_or_else(|| given.refuse(what))? {
            keys.require(&any.join("|"), true.into(), given);
        }
        Ok(())
    }
}
