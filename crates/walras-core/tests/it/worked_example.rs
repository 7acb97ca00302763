//! The worked example of the AMP papers: six nodes, seven local tasks, three jobs, eight windows.

use walras_core::*;
use walras_model::*;

fn seconds(number: i64) -> Time {
    Time::from_millis(number * 1_000).unwrap()
}

fn interval(start: i64, end: i64) -> Interval {
    Interval::new(seconds(start), seconds(end)).unwrap()
}

fn offers() -> Offers {
    let horizon = interval(0, 600);
    let nodes: [(i64, &[(i64, i64)]); 6] = [
        (5, &[(20, 150), (370, 580)]),
        (4, &[(0, 230)]),
        (2, &[(0, 450)]),
        (5, &[(300, 580)]),
        (9, &[(0, 420)]),
        (12, &[(170, 270)]),
    ];
    let (mut list, mut slots) = (Vec::new(), Vec::new());
    for (index, (price, busy)) in nodes.iter().enumerate() {
        let busy: Vec<Interval> = busy.iter().map(|(start, end)| interval(*start, *end)).collect();
        let rate = Rate::from_micros_per_second(price * 1_000_000).unwrap();
        let free = walras_model::interval::complement(horizon, &busy);
        let id = NodeId::from_index(index).unwrap();
        slots.extend(walras_model::offer::slots_of_node(id, rate, &free).unwrap());
        let name = format!("cpu{}", index + 1);
        let performance = Performance::ONE;
        list.push(Node {
            division: Default::default(),
            name,
            site: SiteId::new(0),
            performance,
            watts: None,
            attributes: Attributes::new(),
        });
    }
    Offers::new(horizon, vec![Site { name: "vo".into() }], list, slots).unwrap()
}

/// Jobs by nodes, run time, and the window's cost per time, as the paper states them.
fn batch() -> Batch {
    let job = |(index, (nodes, runtime, price)): (usize, (u32, i64, i64))| {
        let mut request =
            Request::new(&format!("J{}", index + 1), nodes, Work::from_millis(runtime * 1_000).unwrap());
        request.price_max = Rate::from_micros_per_second(price * 1_000_000 / i64::from(nodes));
        request
    };
    Batch::new([(2, 80, 10), (3, 30, 30), (2, 50, 6)].into_iter().enumerate().map(job).collect())
}

fn describe(algorithm: Algorithm) -> String {
    let drawing = crate::drawing::Drawing { offers: offers(), batch: batch() };
    crate::drawing::describe(&drawing, &SearchConfig { algorithm, ..SearchConfig::default() })
}

#[test]
fn amp_finds_the_eight_windows_in_order() {
    insta::assert_snapshot!(describe(Algorithm::Amp), @r"
    J1 [150,230] cpu1,cpu4 cost=800
    J2 [230,260] cpu1,cpu2,cpu4 cost=420
    J3 [450,500] cpu2,cpu3 cost=300
    J1 [260,340] cpu1,cpu2 cost=720
    J2 [340,370] cpu1,cpu2,cpu6 cost=630
    J3 [500,550] cpu2,cpu3 cost=300
    J2 [420,450] cpu2,cpu5,cpu6 cost=750
    J3 [550,600] cpu2,cpu3 cost=300
    ");
}

#[test]
fn alp_finds_six_windows_none_on_cpu6_and_none_for_the_third_job() {
    let text = describe(Algorithm::Alp);
    let windows: Vec<&str> =
        text.lines().filter(|line| line.contains('[') && line.contains("cost=")).collect();
    assert_eq!(windows.len(), 6, "{text}");
    assert!(windows.iter().all(|line| !line.contains("cpu6") && !line.starts_with("J3")), "{text}");
    insta::assert_snapshot!(text, @r"
    J1 [150,230] cpu1,cpu4 cost=800
    J2 [230,260] cpu1,cpu2,cpu4 cost=420
    J1 [260,340] cpu1,cpu2 cost=720
    J2 [450,480] cpu2,cpu3,cpu5 cost=450
    J1 [480,560] cpu2,cpu3 cost=480
    J2 [560,590] cpu2,cpu3,cpu5 cost=450
    J3 nowhere: [PriceCapTooLow { price_max: Rate(3000000), needed: Rate(4000000) }]
      with price_max=4
      with nodes=1
    ");
}
