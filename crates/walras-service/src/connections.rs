//! At most so many connections at once: one more is closed before anything is read from it.

use axum::Extension;
use axum::middleware::AddExtension;
use axum_server::accept::Accept;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower_layer::Layer;

/// Lets connections in while there is room, and then as another acceptor does.
#[derive(Clone)]
pub(crate) struct Bounded<A> {
    inner: A,
    room: Arc<Semaphore>,
    within: Duration,
}

/// Given back when the connection's service goes, which is when the connection does.
type Permit = Arc<OwnedSemaphorePermit>;

impl<A> Bounded<A> {
    /// At most so many at once, each of which must say something within this time.
    pub(crate) fn new(inner: A, most: usize, within: Duration) -> Bounded<A> {
        Bounded { inner, room: Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS))), within }
    }
}

impl<A, S> Accept<TcpStream, S> for Bounded<A>
where
    A: Accept<TcpStream, S> + Clone + Send + 'static,
    A::Future: Send,
    A::Stream: 'static,
    A::Service: 'static,
    S: Send + 'static,
{
    type Stream = A::Stream;
    type Service = AddExtension<A::Service, Permit>;
    type Future = Pin<Box<dyn Future<Output = io::Result<(Self::Stream, Self::Service)>> + Send>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let Ok(permit) = self.room.clone().try_acquire_owned() else {
            return Box::pin(async { Err(io::Error::other("too many connections")) });
        };
        let (inner, within) = (self.inner.clone(), self.within);
        Box::pin(async move {
            // The time for a request's head counts from its first byte: that one must come as well.
            tokio::time::timeout(within, stream.peek(&mut [0])).await??;
            let (stream, service) = inner.accept(stream, service).await?;
            Ok((stream, Extension(Arc::new(permit)).layer(service)))
        })
    }
}
