#!/bin/bash
#SBATCH --job-name="parameter sweep"
#SBATCH -n 1 -c 1 -t 1
printf '%s|%s|%s\n' "$1" "$2" "$#"
