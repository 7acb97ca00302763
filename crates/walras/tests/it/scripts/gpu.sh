#!/usr/bin/env bash
#SBATCH --job-name=train
#SBATCH --gres=gpu:a100:2
#SBATCH --cpus-per-task=8
#SBATCH --mem=16G
#SBATCH --time=0-00:01
#SBATCH --requeue
#SBATCH --comment="second try"

set -euo pipefail
seed=${SEED:-42}
echo "training on ${SLURM_GPUS_ON_NODE} GPUs, seed $seed"
