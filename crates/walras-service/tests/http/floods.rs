//! One user sends more than their part: the others go on as if nothing were.

use super::house::{House, job};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

fn keyed(house: &House, token: &str, key: &str, path: &str, body: &Value) -> super::house::Answer {
    let headers = format!("Authorization: Bearer {token}\r\nIdempotency-Key: {key}\r\n");
    house.call_with("post", path, &headers, Some(body))
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < until, "{what} never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_user_who_has_as_much_as_they_may_is_told_so() {
    let house = House::open();
    let (ada, ben) = (house.user("ada"), house.user("ben"));
    let admin = Some(house.administrator.as_str());
    let change = json!({"sharing": {"user": {"jobs": 2}}});
    let policy = house.call("patch", "/v1/policy", admin, Some(&change)).json(200);
    assert_eq!(policy["sharing"]["user"]["jobs"], 2);
    assert_eq!(policy["sharing"]["group"]["jobs"], 200_000, "the rest stays");
    let submit = |token: &str, name: &str| house.call("post", "/v1/jobs", Some(token), Some(&job(name)));
    let first = submit(&ada, "1").json(201)["job"].clone();
    submit(&ada, "2").json(201);
    let over = submit(&ada, "3").json(429);
    assert_eq!(over["code"], "over-limit");
    let message = "user ada would have more than 2 jobs at a time: try again when some have ended";
    assert_eq!(over["message"], message);
    submit(&ben, "1").json(201);
    house.call("delete", &format!("/v1/jobs/{first}"), Some(&ada), None).json(200);
    submit(&ada, "3").json(201);
}

#[test]
fn a_job_that_cannot_be_paid_says_so_and_keeps_nobody_waiting() {
    let house = House::open();
    let admin = Some(house.administrator.as_str());
    house.call("put", "/v1/users/eve", admin, Some(&json!({}))).json(200);
    let eve = house.token("user", "eve").1;
    let ada = house.user("ada");
    let mut last = Value::Null;
    for number in 0..300 {
        let name = format!("{number}");
        last = house.call("post", "/v1/jobs", Some(&eve), Some(&job(&name))).json(201)["job"].clone();
    }
    let path = format!("/v1/jobs/{last}");
    wait_until("the reason", || house.call("get", &path, Some(&eve), None).json(200)["why"].is_string());
    let view = house.call("get", &path, Some(&eve), None).json(200);
    assert_eq!((&view["state"], &view["reason"]["kind"]), (&json!("queued"), &json!("no-money")), "{view}");
    let mine = house.call("post", "/v1/jobs", Some(&ada), Some(&job("mine"))).json(201)["job"].clone();
    let path = format!("/v1/jobs/{mine}");
    wait_until("the promise", || !house.call("get", &path, Some(&ada), None).json(200)["promise"].is_null());
}

#[test]
fn a_key_stands_for_one_request_even_after_its_job_has_ended() {
    let house = House::open();
    let ada = house.user("ada");
    let first = keyed(&house, &ada, "k", "/v1/jobs", &job("same")).json(201);
    house.call("delete", &format!("/v1/jobs/{}", first["job"]), Some(&ada), None).json(200);
    assert_eq!(keyed(&house, &ada, "k", "/v1/jobs", &job("same")).json(201), first);
    let other = keyed(&house, &ada, "k", "/v1/jobs", &job("other")).json(409);
    assert_eq!(other["code"], "key-used");
}

#[test]
fn accepting_again_is_the_same_only_for_the_same_alternative_for_administrators_too() {
    let house = House::open();
    let ada = house.user("ada");
    let admin = house.administrator.clone();
    for token in [&ada, &admin] {
        let mut quote = Value::Null;
        wait_until("an alternative", || {
            quote = house.call("post", "/v1/quotes", Some(&ada), Some(&job("taken"))).json(201);
            quote["options"] != json!([])
        });
        let accept = format!("/v1/quotes/{}/accept", quote["quote"]);
        let key = format!("key-{}", quote["quote"]);
        let first = keyed(&house, token, &key, &accept, &json!({"option": 0})).json(201);
        assert_eq!(keyed(&house, token, &key, &accept, &json!({"option": 0})).json(201), first);
        let other = keyed(&house, token, &key, &accept, &json!({"option": 1})).json(409);
        assert_eq!(other["code"], "key-used");
        let number = quote["quote"].as_u64().unwrap();
        let another = format!("/v1/quotes/{}/accept", number + 100);
        let status = keyed(&house, token, &key, &another, &json!({"option": 0})).status;
        assert!(matches!(status, 404 | 409), "{status}");
    }
}

fn listen(house: &House, token: &str) -> (u16, TcpStream) {
    let mut stream = TcpStream::connect(house.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = format!(
        "GET /v1/events HTTP/1.1\r\nHost: test\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).unwrap();
    (String::from_utf8_lossy(&first[9..]).parse().unwrap(), stream)
}

#[test]
fn one_user_does_not_take_all_streams() {
    let house = House::open();
    let (ada, ben) = (house.user("ada"), house.user("ben"));
    // Another token of theirs is no other user.
    let again = house.token("user", "ada").1;
    let tokens = [&ada, &again];
    let open: Vec<(u16, TcpStream)> = (0..100).map(|place| listen(&house, tokens[place % 2])).collect();
    assert!(open.iter().all(|(status, _)| *status == 200));
    assert_eq!((listen(&house, &ada).0, listen(&house, &again).0), (429, 429));
    assert_eq!(listen(&house, &ben).0, 200);
    drop(open);
    wait_until("room for another stream", || listen(&house, &ada).0 == 200);
}

#[test]
fn the_stream_of_a_token_that_expires_ends_although_there_is_always_something_to_hear() {
    let house = House::open();
    let admin = Some(house.administrator.as_str());
    let body = json!({"role": "administrator", "name": "brief", "expires_in": 2});
    let brief = house.call("post", "/v1/tokens", admin, Some(&body)).json(201)["secret"].clone();
    let (status, mut stream) = listen(&house, brief.as_str().unwrap());
    assert_eq!(status, 200);
    house.user("ada");
    let begun = Instant::now();
    stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    let mut deposits = 0;
    loop {
        let deposit = json!({"account": "user:ada", "amount": 1});
        house.call("post", "/v1/deposits", admin, Some(&deposit)).json(201);
        deposits += 1;
        let mut part = [0; 65_536];
        match stream.read(&mut part) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock) => {}
            Err(_) => break,
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "it goes on after {deposits} deposits");
    }
}

#[test]
fn bodies_that_are_never_sent_to_the_end_take_only_so_much() {
    let house = House::open();
    let (ada, ben) = (house.user("ada"), house.user("ben"));
    let admin = Some(house.administrator.as_str());
    let bytes = || {
        let metrics = house.call("get", "/metrics", admin, None).body;
        let line = metrics.lines().find_map(|line| line.strip_prefix("walras_body_bytes "));
        line.unwrap().parse::<usize>().unwrap()
    };
    let send = |token: &str, some: usize| {
        let mut stream = TcpStream::connect(house.address).unwrap();
        let head = format!(
            "POST /v1/jobs HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n",
            8 << 20
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&vec![b' '; some]).unwrap();
        stream
    };
    let answered = |stream: &mut TcpStream, within: Duration| {
        stream.set_read_timeout(Some(within)).unwrap();
        let mut first = [0; 12];
        stream.read_exact(&mut first).is_ok().then(|| String::from_utf8_lossy(&first[9..]).into_owned())
    };
    // Four have room for seven megabytes of thirty-two, one after the other; a fifth has for four, and not for a byte more.
    let mut open: Vec<TcpStream> = Vec::new();
    for count in 1..=4 {
        open.push(send(&ada, 7 << 20));
        wait_until("what was sent", || bytes() == count * (7 << 20));
    }
    let mut fifth = send(&ada, 4 << 20);
    wait_until("the last of the room", || bytes() == 32 << 20);
    fifth.write_all(b" ").unwrap();
    assert_eq!(answered(&mut fifth, Duration::from_secs(20)).as_deref(), Some("429"));
    for stream in &mut open {
        assert_eq!(answered(stream, Duration::from_millis(50)), None, "whoever has room keeps it");
    }
    house.call("post", "/v1/jobs", Some(&ben), Some(&job("small"))).json(201);
    drop(open);
    wait_until("room for another body", || {
        let large = json!({"walras": "job/1", "name": "large", "work": 60, "command": ["x".repeat(90_000)]});
        house.call("post", "/v1/jobs", Some(&ada), Some(&large)).status == 201
    });
}

/// A workflow of 44,000 tasks took minutes to plan once, and everybody was told that planning took too long.
#[test]
fn a_workflow_of_thousands_of_tasks_keeps_nobody_from_being_planned() {
    beside_a_large_workflow(&House::fast());
}

/// Where plans must come within two seconds and this one does not, the others have one all the same.
#[test]
fn a_plan_whose_time_is_over_comes_without_what_takes_so_long() {
    let house = House::fast();
    let admin = Some(house.administrator.as_str());
    house.call("patch", "/v1/policy", admin, Some(&json!({"plan_within": 120}))).json(200);
    beside_a_large_workflow(&house);
}

fn beside_a_large_workflow(house: &House) {
    let (eve, ada) = (house.user("eve"), house.user("ada"));
    let name = |number: usize| format!("t{number}");
    let tasks: Vec<Value> =
        (0..44_000).map(|number| json!({"name": name(number), "work": 10 + number % 60})).collect();
    let edges: Vec<Value> =
        (220..44_000).map(|number| json!({"from": name(number - 220), "to": name(number)})).collect();
    let workflow = json!({"walras": "workflow/1", "tasks": tasks, "edges": edges});
    let wide = json!({"walras": "job/1", "name": "wide", "budget": 900, "workflow": workflow});
    house.call("post", "/v1/jobs", Some(&eve), Some(&wide)).json(201);
    let mine = house.call("post", "/v1/jobs", Some(&ada), Some(&job("mine"))).json(201)["job"].clone();
    let path = format!("/v1/jobs/{mine}");
    wait_until("the end of the job", || {
        let view = house.call("get", &path, Some(&ada), None).json(200);
        assert_ne!(view["reason"]["kind"], "not-planned", "{view}");
        view["state"] == "done"
    });
}
