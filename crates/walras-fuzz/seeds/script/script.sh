#!/bin/sh
#SBATCH --job-name=greet
#SBATCH --ntasks=2
#SBATCH --time=00:05:00
#SBATCH --mail-type=END
#WALRAS budget 500
#WALRAS requires {os: linux}
echo "hello, ${1:-world}"
