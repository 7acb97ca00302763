#!/bin/sh
#SBATCH -t 1
#SBATCH -o result-%j.txt
#SBATCH -e result-%j.err
echo result
echo "a complaint" >&2
