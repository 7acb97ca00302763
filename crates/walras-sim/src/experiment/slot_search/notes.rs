//! What was fitted, and how to read the figures.

use crate::experiment::fits;
use crate::results::Fitted;

/// What the papers do not print.
pub(super) fn fitted() -> Vec<Fitted> {
    fits([
        [
            "jobs.price_spread [0.9, 1.1] and jobs.price_base 1.7: the price cap is 1.7^Pmin · U[0.9, 1.1] per time unit",
            "the share of counted cycles, the alternatives per job, and all eight times and costs",
        ],
        [
            "whole numbers without the upper end of their range (120 to 149 slots, 3 to 6 jobs, 1 to 5 nodes, job lengths 50 \
             to 149, slot lengths 50 to 299, gaps 0 to 9), where the papers write closed brackets",
            "135.11 slots and 4.18 jobs per counted cycle",
        ],
        [
            "slots.same_start 0.4 and gaps one after the other, each slot on a node of its own",
            "nothing: one reading of what is printed",
        ],
    ])
}

pub(super) const NOTES: [&str; 5] = [
    "Read as: a run time is ceil(length / performance), t = ceil(length / Pmin), S = C · t · nodes; a job's time is \
     that of its longest task. The papers print t · P(s) / P, by which faster nodes would take longer.",
    "Read as: T* is the sum over the jobs of floor(mean time of the job's alternatives). As printed, formula (2) \
     floors every term of the mean, and most cycles would have no solution.",
    "Read as: the printed percentages divide by the larger of two averages: 35% is (59.85 - 39.01) / 59.85, and 15% more \
     cost is (369.69 - 313.56) / 369.69.",
    "The papers drew 25,000 cycles for each problem, and print the alternatives of both sets (7.39 and 7.28 per job); here \
     one set serves both.",
    "The papers count 8,571 of 25,000 cycles; here the share is about 5% lower. It is very sensitive to the fitted \
     price cap: with U[0.94, 1.14] it is 0.53, but then ALP finds 12% too many alternatives and costs are 5 to 10% \
     too high.",
];
