//! Numbered pieces of work on several threads, with results that leave no trace of who did what.
//!
//! Threads take chunks of numbers from a counter; the results are put back in the order of numbers.

use std::sync::atomic::{AtomicU32, Ordering};

/// The results of `work` for all numbers below `count`, in order. Threads take `chunk` numbers at a time; `progress` hears
/// how many are done after each chunk. A panic in a thread goes on in the caller.
pub(crate) fn in_order<R: Send>(
    count: u32,
    threads: usize,
    chunk: u32,
    progress: &(dyn Fn(u32) + Sync),
    work: impl Fn(u32) -> R + Sync,
) -> Vec<R> {
    let (next, done) = (AtomicU32::new(0), AtomicU32::new(0));
    let take_chunks = || {
        let mut chunks = Vec::new();
        loop {
            let first = next.fetch_add(chunk, Ordering::Relaxed);
            if first >= count {
                return chunks;
            }
            let end = count.min(first.saturating_add(chunk));
            chunks.push((first, (first..end).map(&work).collect()));
            let before = done.fetch_add(end - first, Ordering::Relaxed);
            progress(before + end - first);
        }
    };
    let mut chunks: Vec<(u32, Vec<R>)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.max(1)).map(|_| scope.spawn(take_chunks)).collect();
        let mut chunks = take_chunks();
        for other in others {
            match other.join() {
                Ok(more) => chunks.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        chunks
    });
    chunks.sort_unstable_by_key(|(first, _)| *first);
    chunks.into_iter().flat_map(|(_, results)| results).collect()
}
