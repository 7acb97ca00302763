//! Deliberate mistakes, one at a time, behind a switch that only tests can reach.
//!
//! A harness that has never failed proves little. Each of these is a mistake that somebody could make; the simulated
//! world must find every one of them within the seeds that it runs. Without the feature `sabotage` nothing of this is
//! compiled in.

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// What is held is offered again.
    SellTwice,
    /// A window counts as held when the first site has confirmed.
    HeldTooSoon,
    /// What was not used is not given back.
    KeepRefund,
    /// What was used is charged once more than it should be.
    ChargeTwice,
    /// A new attempt starts while the old one may still run.
    NoFence,
    /// A repeated request is a new one.
    ForgetKeys,
    /// Jobs that a cycle leaves out are forgotten.
    LoseUnserved,
    /// Sites are not told that a reservation is over.
    NoRelease,
    /// Silence of sites is waited out for ever.
    NoTimeout,
    /// Nobody looks whether the money is there.
    NoFunds,
    /// Another alternative of a quote is reserved than the one that was accepted.
    OtherOption,
    /// A job is done when the first of its parts is.
    ForgetPart,
}

#[cfg(feature = "sabotage")]
mod switch {
    use super::Sabotage;
    use std::cell::Cell;

    thread_local! {
        static ACTIVE: Cell<Option<Sabotage>> = const { Cell::new(None) };
    }

    /// From now on the broker makes this mistake, in this thread; or none.
    pub fn commit(mistake: Option<Sabotage>) {
        ACTIVE.set(mistake);
    }

    pub(crate) fn sabotaged(mistake: Sabotage) -> bool {
        ACTIVE.get() == Some(mistake)
    }
}

#[cfg(feature = "sabotage")]
pub use switch::commit;
#[cfg(feature = "sabotage")]
pub(crate) use switch::sabotaged;

#[cfg(not(feature = "sabotage"))]
pub(crate) const fn sabotaged(_: Sabotage) -> bool {
    false
}

impl Sabotage {
    /// All of them.
    #[cfg(feature = "sabotage")]
    pub const ALL: [Sabotage; 12] = [
        Sabotage::SellTwice,
        Sabotage::HeldTooSoon,
        Sabotage::KeepRefund,
        Sabotage::ChargeTwice,
        Sabotage::NoFence,
        Sabotage::ForgetKeys,
        Sabotage::LoseUnserved,
        Sabotage::NoRelease,
        Sabotage::NoTimeout,
        Sabotage::NoFunds,
        Sabotage::OtherOption,
        Sabotage::ForgetPart,
    ];
}
