#!/bin/sh
#SBATCH -t 1
#SBATCH --export=LAB,MODE=fast
[ -d "$HOME" ] && [ -w "$HOME" ] && home="home of its own"
echo "lab $LAB, mode $MODE, $home"
