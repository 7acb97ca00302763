//! What happens next, drawn.

use proptest::prelude::*;

/// What happens next, in small numbers.
#[derive(Clone, Debug)]
pub(super) enum Step {
    User {
        who: u8,
        lowest: i64,
    },
    Deposit {
        who: u8,
        key: u8,
        amount: i64,
    },
    Site {
        kind: u8,
        nodes: u8,
        price: i64,
    },
    Prices {
        site: u8,
        price: i64,
    },
    Budget {
        who: u8,
        amount: i64,
    },
    Policy {
        fee: i64,
    },
    Submit {
        who: u8,
        key: u8,
        tasks: u8,
        minutes: u8,
        budget: Option<i64>,
    },
    Quote {
        who: u8,
        key: u8,
        tasks: u8,
    },
    Accept {
        key: u8,
        quote: u8,
        option: u8,
    },
    Cancel {
        who: u8,
        job: u8,
    },
    CycleNow,
    ServiceBack,
    Noticed(u8),
    /// Time passes, and the broker hears of it.
    Tick(u32),
    /// Everything that is outstanding is done, as it should be.
    Perform {
        end: u8,
    },
    /// A plan comes, with something wrong in it or not.
    Plan {
        wrong: u8,
    },
    /// A site says something that it may have no reason to say.
    Say {
        site: u8,
        what: u8,
        number: u8,
        part: u8,
        millis: i64,
    },
}

pub(super) fn steps() -> impl Strategy<Value = Step> {
    let money = || prop_oneof![0..2_000_000_000_i64, any::<i64>(), Just(1_000_000_000_000_000_i64)];
    prop_oneof![
        1 => (0..3_u8, prop_oneof![Just(0_i64), -5_000_000..1_i64, any::<i64>()])
            .prop_map(|(who, lowest)| Step::User { who, lowest }),
        2 => (0..5_u8, 0..6_u8, money()).prop_map(|(who, key, amount)| Step::Deposit { who, key, amount }),
        2 => (0..4_u8, 0..4_u8, 1..2_000_i64).prop_map(|(kind, nodes, price)| Step::Site { kind, nodes, price }),
        1 => (0..4_u8, prop_oneof![1..2_000_i64, any::<i64>()]).prop_map(|(site, price)| Step::Prices { site, price }),
        1 => (0..4_u8, money()).prop_map(|(who, amount)| Step::Budget { who, amount }),
        1 => (0..=1_000_000_i64).prop_map(|fee| Step::Policy { fee }),
        4 => (0..3_u8, 0..20_u8, 0..4_u8, 0..30_u8, prop::option::of(money())).prop_map(
            |(who, key, tasks, minutes, budget)| Step::Submit { who, key, tasks, minutes, budget }
        ),
        2 => (0..3_u8, 0..20_u8, 0..4_u8).prop_map(|(who, key, tasks)| Step::Quote { who, key, tasks }),
        4 => (0..20_u8, 0..3_u8, 0..3_u8).prop_map(|(key, quote, option)| Step::Accept { key, quote, option }),
        1 => (0..3_u8, 0..12_u8).prop_map(|(who, job)| Step::Cancel { who, job }),
        2 => Just(Step::CycleNow),
        1 => Just(Step::ServiceBack),
        1 => (0..9_u8).prop_map(Step::Noticed),
        6 => prop_oneof![0..70_000_u32, 0..3_600_000_u32].prop_map(Step::Tick),
        8 => (0..12_u8).prop_map(|end| Step::Perform { end }),
        4 => (0..16_u8).prop_map(|wrong| Step::Plan { wrong }),
        4 => (0..4_u8, 0..14_u8, 0..10_u8, 0..4_u8, prop_oneof![0..4_000_000_i64, any::<i64>()]).prop_map(
            |(site, what, number, part, millis)| Step::Say { site, what, number, part, millis }
        ),
    ]
}
