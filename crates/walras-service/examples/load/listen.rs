//! Listeners to the stream of events, all of whom hear everything.

use crate::client::Client;
use crate::service::{Service, directory};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// So many jobs are submitted, one after the other, while all listen.
const JOBS: usize = 200;

pub(crate) fn run(listeners: usize) {
    let directory = directory(1, 600);
    let service = Service::start(directory.path());
    let user = service.users(1).remove(0);
    let (address, administrator) = (service.address, service.administrator.clone());
    let heard = Arc::new(AtomicU64::new(0));
    let open = Arc::new(AtomicU64::new(0));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    for _ in 0..listeners {
        let (token, heard, open) = (administrator.clone(), heard.clone(), open.clone());
        runtime.spawn(async move {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let request =
                format!("GET /v1/events HTTP/1.1\r\nHost: load\r\nAuthorization: Bearer {token}\r\n\r\n");
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut bytes = vec![0; 16_384];
            let mut first = true;
            while let Ok(count @ 1..) = stream.read(&mut bytes).await {
                if std::mem::take(&mut first) {
                    open.fetch_add(1, Ordering::Relaxed);
                }
                let queued = bytes[..count].windows(17).filter(|it| it == b"event: job-queued").count();
                heard.fetch_add(u64::try_from(queued).unwrap(), Ordering::Relaxed);
            }
        });
    }
    let wait = |what: &AtomicU64, count: usize| {
        let begun = Instant::now();
        while usize::try_from(what.load(Ordering::Relaxed)).unwrap() < count
            && begun.elapsed() < Duration::from_secs(60)
        {
            std::thread::sleep(Duration::from_millis(2));
        }
        what.load(Ordering::Relaxed)
    };
    println!("{} of {listeners} listeners connected", wait(&open, listeners));
    let before = service.memory();
    let begun = Instant::now();
    let mut client = Client::open(address, &user);
    for _ in 0..JOBS {
        let job = json!({"walras": "job/1", "name": "heard", "work": 60});
        assert_eq!(client.call("POST", "/v1/jobs", Some(&job)).0, 201);
    }
    let submitted = begun.elapsed();
    let heard = wait(&heard, listeners * JOBS);
    println!(
        "{JOBS} jobs submitted in {submitted:?}; all listeners together heard {heard} of {} events after {:?}",
        listeners * JOBS,
        begun.elapsed()
    );
    println!(
        "{} MB resident with the listeners, {} MB after",
        before / 1_000_000,
        service.memory() / 1_000_000
    );
    service.kill();
}
