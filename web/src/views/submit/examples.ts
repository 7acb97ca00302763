// Jobs to start from.

export const EXAMPLES: readonly (readonly [string, string])[] = [
  ["parallel", `walras: job/1\nname: weather\ntasks: 4          # four nodes at the same time\nwork: 12          # seconds on a node of performance 1\nbudget: 60        # credits\ndeadline: 5m      # from now\n`],
  ["single", `walras: job/1\nname: fit\nwork: 10\nbudget: 20\n`],
  [
    "workflow",
    `walras: job/1\nname: mosaic\nbudget: 150\nworkflow:\n  walras: workflow/1\n  name: mosaic\n  tasks:\n    - { name: split, work: 4 }\n    - { name: left, work: 9 }\n    - { name: right, work: 9 }\n    - { name: join, work: 3 }\n  edges:\n    - { from: split, to: left }\n    - { from: split, to: right }\n    - { from: left, to: join }\n    - { from: right, to: join }\n`,
  ],
  ["array", `walras: job/1\nname: sweep\narray: 1-8%3      # eight jobs, three at once\nwork: 6\nbudget: 80        # for all of them together\n`],
  ["script", `#!/bin/sh\n#SBATCH --job-name=report\n#SBATCH --ntasks=1\n#SBATCH --time=00:00:10\n#WALRAS budget 30\necho "hello from $(uname -sm)"\n`],
  ["too much", `walras: job/1\nname: too-much\ntasks: 6\nwork: 40\nbudget: 50        # not enough: ask for a quote and see\ndeadline: 10m\n`],
];
