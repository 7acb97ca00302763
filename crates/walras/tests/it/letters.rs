//! Notices by mail and by signed calls, against small servers of this test: over failures, refusals and a service that is killed.

use crate::vo::Vo;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

type Kept = Arc<Mutex<Vec<String>>>;

const SECRET: &str = "a secret that both sides know";

/// An address on which nobody listens yet.
fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// Calls `serve` for every connection, on a thread of its own.
fn listen(address: SocketAddr, serve: impl Fn(TcpStream) -> std::io::Result<()> + Send + 'static) {
    let listener = TcpListener::bind(address).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // Whoever hangs up does so.
            let _ = serve(stream);
        }
    });
}

/// A relay that cannot take the first letter, and keeps the others.
fn relay(address: SocketAddr) -> Kept {
    let (kept, refused) = (Kept::default(), Mutex::new(false));
    let letters = Arc::clone(&kept);
    listen(address, move |mut stream| {
        let mut reader = BufReader::new(stream.try_clone()?);
        stream.write_all(b"220 sink\r\n")?;
        let mut letter = String::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let word = line.get(..4).unwrap_or_default().to_uppercase();
            match word.as_str() {
                "DATA" => {
                    stream.write_all(b"354 go on\r\n")?;
                    while !letter.ends_with("\r\n.\r\n") {
                        reader.read_line(&mut letter)?;
                    }
                    let again = std::mem::replace(&mut *refused.lock().unwrap(), true);
                    if again {
                        letters.lock().unwrap().push(std::mem::take(&mut letter));
                        stream.write_all(b"250 kept\r\n")?;
                    } else {
                        letter.clear();
                        stream.write_all(b"451 try again later\r\n")?;
                    }
                }
                "RCPT" | "MAIL" => {
                    letter.push_str(&line);
                    stream.write_all(b"250 good\r\n")?;
                }
                "QUIT" => return stream.write_all(b"221 bye\r\n"),
                _ => stream.write_all(b"250 sink\r\n")?,
            }
        }
    });
    kept
}

/// A program that fails at the first call, and keeps the others.
fn hook(address: SocketAddr) -> Kept {
    let (kept, failed) = (Kept::default(), Mutex::new(false));
    let calls = Arc::clone(&kept);
    listen(address, move |mut stream| {
        let mut reader = BufReader::new(stream.try_clone()?);
        let (mut request, mut length) = (String::new(), 0);
        while !request.ends_with("\r\n\r\n") && reader.read_line(&mut request)? > 0 {
            let last = request.lines().last().unwrap_or_default().to_lowercase();
            length = last.strip_prefix("content-length:").map_or(length, |it| it.trim().parse().unwrap());
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        request.push_str(&String::from_utf8_lossy(&body));
        let again = std::mem::replace(&mut *failed.lock().unwrap(), true);
        let status = if again { "200 OK" } else { "503 Busy" };
        if again {
            calls.lock().unwrap().push(request);
        }
        write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    });
    kept
}

fn until(what: &str, is: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < Duration::from_secs(90), "{what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// The kinds of all calls, in the order in which they came, each checked by its signature.
fn kinds(calls: &Kept) -> Vec<String> {
    let calls = calls.lock().unwrap();
    let kind = |call: &String| {
        let (head, body) = call.split_once("\r\n\r\n").unwrap();
        let header = |name: &str| {
            let line = head.lines().find(|line| line.to_lowercase().starts_with(name)).unwrap();
            line.split_once(':').unwrap().1.trim().to_owned()
        };
        let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
        mac.update(format!("{}.{body}", header("walras-timestamp")).as_bytes());
        let hex: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(header("walras-signature"), format!("v1={hex}"), "{call}");
        let body: Value = serde_json::from_str(body).unwrap();
        assert_eq!((&body["user"], header("walras-notice")), (&"ada".into(), body["notice"].to_string()));
        body["kind"].as_str().unwrap().to_owned()
    };
    calls.iter().map(kind).collect()
}

#[test]
fn nothing_is_missed_when_the_service_is_killed_and_nobody_listens_at_first() {
    let (mail_at, hook_at) = (free(), free());
    let secrets = tempfile::tempdir().unwrap();
    let secret = secrets.path().join("hook.secret");
    std::fs::write(&secret, format!("{SECRET}\n")).unwrap();
    let mut vo = Vo::with(&format!(
        "[mail]\nrelay = \"127.0.0.1\"\nport = {}\nencryption = \"none\"\nfrom = \"walras@example.org\"\n\
         to = [\"example.org\"]\ndomain = \"example.org\"\nretry_seconds = 1\n\
         [[webhook]]\nurl = \"http://{hook_at}/hook/\"\nsecret_file = \"{}\"\nretry_seconds = 1\n",
        mail_at.port(),
        secret.display()
    ));
    let script =
        "#!/bin/sh\n#SBATCH -t 1 -J fit --mail-type=BEGIN,END --mail-user=lab@example.org\necho hello\n";
    let mailed = vo.submit("fit.sh", script, &[]);
    let own = vo.submit("own.sh", "#!/bin/sh\n#SBATCH -t 1 -J own --mail-type=FAIL\nexit 3\n", &[]);
    let called = format!(
        "{{walras: job/1, name: called, work: 30, command: [\"true\"], notify: {{on: [begin, end], webhook: 'http://{hook_at}/hook/x'}}}}"
    );
    std::fs::write(vo.path().join("called.yaml"), called).unwrap();
    let called = vo.done(&["submit", "called.yaml"]);
    let called = called.trim().strip_prefix("job ").unwrap().to_owned();
    refusals(&vo, hook_at);
    vo.done(&["wait", &mailed, &called]);
    assert_eq!(vo.walras(&["wait", &own], "").status.code(), Some(1));
    vo.kill();
    let (kept, calls) = (relay(mail_at), hook(hook_at));
    vo.start();
    until("three letters", || kept.lock().unwrap().len() >= 3);
    until("two calls", || calls.lock().unwrap().len() >= 2);
    let mut told = kinds(&calls);
    told.dedup();
    assert_eq!(told, ["begin", "end"]);
    let letters = kept.lock().unwrap().clone();
    let about = |what: &str, to: &str| {
        let is = |letter: &&String| letter.contains(what) && letter.contains(&format!("RCPT TO:<{to}>"));
        letters.iter().filter(is).count()
    };
    assert_eq!(
        about(&format!("Subject: Walras: job {mailed} (fit): begin"), "lab@example.org"),
        1,
        "{letters:?}"
    );
    assert_eq!(
        about(&format!("Subject: Walras: job {mailed} (fit): end"), "lab@example.org"),
        1,
        "{letters:?}"
    );
    assert_eq!(
        about(&format!("Subject: Walras: job {own} (own): fail"), "ada@example.org"),
        1,
        "{letters:?}"
    );
    assert!(letters.iter().all(|letter| letter.contains("Auto-Submitted: auto-generated")), "{letters:?}");
    // What has arrived is not sent again after another start.
    vo.kill();
    vo.start();
    let last = vo.submit("last.sh", "#!/bin/sh\n#SBATCH -t 1 -J last\n", &[]);
    vo.done(&["wait", &last]);
    // But for the very last: who is killed before it is written down that it has arrived sends it once more, as the same.
    let numbers = |letters: &[String]| -> Vec<String> {
        let number =
            |letter: &String| letter.lines().find(|line| line.starts_with("Message-ID:")).map(str::to_owned);
        letters.iter().filter_map(number).collect()
    };
    let (first, all) = (numbers(&letters), numbers(&kept.lock().unwrap()));
    assert_eq!(first.len(), letters.len(), "{letters:?}");
    assert!(
        all.iter().all(|number| first.contains(number)) && all.len() <= first.len() + 1,
        "{first:?}, {all:?}"
    );
}

/// What is not allowed, and what is no address, is refused at submission with the line.
fn refusals(vo: &Vo, hook_at: SocketAddr) {
    let refused = |text: &str| vo.refused(&["submit", "-"], text);
    let (code, complaint) =
        refused("#!/bin/sh\n#SBATCH -t 1\n#SBATCH --mail-type=END --mail-user=nonsense\n");
    assert!(
        code == Some(2) && complaint.contains("stdin:3:1: --mail-user: nonsense is not an address of mail"),
        "{complaint}"
    );
    let (code, complaint) = refused("#!/bin/sh\n#SBATCH -t 1\n#SBATCH --mail-type=LUNCH\n");
    assert!(code == Some(2) && complaint.contains("--mail-type: LUNCH is not understood"), "{complaint}");
    let (code, complaint) =
        refused("#!/bin/sh\n#SBATCH -t 1 --mail-type=END --mail-user=eve@elsewhere.org\n");
    assert!(
        code == Some(2)
            && complaint.contains("eve@elsewhere.org is at no domain that this service writes to"),
        "{complaint}"
    );
    for url in [format!("http://{hook_at}/other"), "http://169.254.169.254/latest/meta-data".to_owned()] {
        let (code, complaint) = refused(&format!(
            "{{walras: job/1, name: a, work: 1, command: [\"true\"], notify: {{webhook: '{url}'}}}}"
        ));
        assert!(code == Some(2) && complaint.contains("may not be called by this service"), "{complaint}");
    }
}

#[test]
fn a_service_without_a_relay_says_that_nobody_is_told() {
    let vo = Vo::open();
    let call = ["submit", "-t", "1", "--mail-type=END", "--mail-user=ada@example.org", "--wrap", "true"];
    let output = vo.walras(&call, "");
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{complaint}");
    assert!(complaint.contains("nobody is told by mail: this service sends none"), "{complaint}");
}
