//! Connections that are slow, idle, too many, or carry too much.

use super::victim;
use crate::http::{Call, answer, connect, raw, until_closed};
use crate::program::wait_for;
use std::io::Write;
use std::time::{Duration, Instant};

#[test]
fn bodies_that_are_too_large_are_refused_unread() {
    let it = victim("warn");
    let head = |more: &str| {
        format!(
            "POST /v1/jobs HTTP/1.1\r\nHost: t\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\n{more}\r\n\r\n",
            it.user
        )
    };
    // It says that it is large: nothing needs to be sent.
    let said = raw(it.service.address, head("Content-Length: 99999999999").as_bytes()).unwrap();
    assert_eq!(said.status, 413, "{}", said.body);
    // More than a number can say.
    let said = raw(it.service.address, head("Content-Length: 99999999999999999999999").as_bytes()).unwrap();
    assert_eq!(said.status, 400, "{}", said.body);
    // It does not say, and goes on and on.
    let mut stream = connect(it.service.address).unwrap();
    stream.write_all(head("Transfer-Encoding: chunked").as_bytes()).unwrap();
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    let sent = (0..4_096).take_while(|_| stream.write_all(chunk.as_bytes()).is_ok()).count();
    assert!(sent < 4_096, "the service took 256 MiB");
    // The refusal may have been lost with the connection, which was closed while more was coming.
    if let Ok(said) = answer(&mut stream) {
        assert_eq!(said.status, 413, "{}", said.body);
    }
    let large = format!("{{\"account\":\"{}\"}}", "a".repeat(2 << 20));
    it.refused("POST", "/v1/deposits", &it.administrator, &large);
    // Both at once is a trick.
    let both =
        head("Content-Length: 5\r\nTransfer-Encoding: chunked") + "0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n";
    let said = raw(it.service.address, both.as_bytes()).unwrap();
    assert!((400..500).contains(&said.status), "{}", said.body);
    it.unharmed();
}

#[test]
fn slow_clients_are_sent_away_and_keep_nobody_waiting() {
    let it = victim("warn");
    let beginnings = ["", "G", "GET /healthz HT", "GET /healthz HTTP/1.1\r\nHost: t\r\nX: "];
    let slow: Vec<_> = beginnings
        .iter()
        .map(|text| {
            let mut stream = connect(it.service.address).unwrap();
            stream.write_all(text.as_bytes()).unwrap();
            stream
        })
        .collect();
    // A body that never comes.
    let mut waiting = connect(it.service.address).unwrap();
    let head = format!(
        "POST /v1/jobs HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: 100\r\n\r\n{{",
        it.user
    );
    waiting.write_all(head.as_bytes()).unwrap();
    // Others are served meanwhile; on a busy machine one may wait, but not one after the other.
    let waits = (0..20).filter(|_| {
        let asked = Instant::now();
        it.service.expect(&Call::get("/v1/me", &it.user), 200);
        asked.elapsed() > Duration::from_secs(1)
    });
    assert!(waits.count() < 3, "others wait for slow clients");
    for (stream, text) in slow.into_iter().zip(beginnings) {
        until_closed(stream, text);
    }
    assert_eq!(answer(&mut waiting).unwrap().status, 408);
    it.unharmed();
}

#[test]
fn connections_that_ask_nothing_are_closed() {
    let it = victim("warn");
    let open = |text: &str| {
        let mut stream = connect(it.service.address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    };
    let silent = open("");
    // As HTTP/2 begins, and no further.
    let beginnings = ["P", "PRI * HTTP/2", "PRI * HTTP/2.0\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r"];
    let prefaces = beginnings.map(|text| (text, open(text)));
    // Two requests at once, as a connection that is kept open carries them, and then none.
    let idle = open(&"GET /healthz HTTP/1.1\r\nHost: t\r\n\r\n".repeat(2));
    assert_eq!(until_closed(silent, "silent"), "");
    for (text, stream) in prefaces {
        let said = until_closed(stream, text);
        assert!(!said.starts_with("HTTP/1.1 2"), "{text:?}: {said}");
    }
    let said = until_closed(idle, "idle after two requests");
    assert_eq!(said.matches("HTTP/1.1 200").count(), 2, "{said}");
    it.unharmed();
}

#[test]
fn connections_beyond_the_limit_are_closed_and_room_comes_back() {
    let it = victim("warn");
    let many: Vec<_> = (0..300).filter_map(|_| connect(it.service.address).ok()).collect();
    std::thread::sleep(Duration::from_millis(200));
    // None of them says anything: they are sent away, and there is room again.
    wait_for("room", Duration::from_secs(10), || {
        Call::get("/v1/me", &it.user).ask(it.service.address).is_ok_and(|answer| answer.status == 200)
    });
    let files = std::fs::read_dir(format!("/proc/{}/fd", it.service.child.id())).unwrap().count();
    assert!(files < 200, "{files} files are open");
    drop(many);
    it.unharmed();
}
