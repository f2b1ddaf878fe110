//! From the provider's byte to the client's frame, beside an object that only passes text on, in the same run.
//!
//! Prints one line a system with the median and the 95th percentile in milliseconds, and their ratio.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a measurement that cannot be made has to stop with a message"
)]

use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::frame::ServerFrame;
use flarebot_tests::client::Socket;
use flarebot_tests::provider::{Clock, Script};
use flarebot_tests::{Entry, Installation, PATIENCE};
use std::time::Duration;

const CHUNKS: u32 = 2000;
const GAP: u64 = 5;
const ROUNDS: usize = 3;

fn main() {
    let product = Installation::start();
    let bare = Installation::start_entry(Entry::Bare);
    let (_, mut conversation) = product.new_conversation("Latency");
    let mut passage = bare.connection(flarebot_protocol::address::Endpoint::Agent);
    passage.target = "/".to_owned();
    let mut passage = passage.open().expect("the bare object takes every socket");
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    // In turn, so that a busy moment of the machine falls on both.
    for _ in 0..ROUNDS {
        ours.extend(measure_product(&mut conversation));
        theirs.extend(measure_bare(&mut passage));
    }
    let ours = Delays::of(ours);
    let theirs = Delays::of(theirs);
    println!("{:<22}{:>10}{:>10}{:>10}", "", "median ms", "p95 ms", "p99 ms");
    ours.print("flarebot");
    theirs.print("bare object");
    println!(
        "{:<22}{:>10.2}{:>10.2}{:>10.2}",
        "ratio",
        ours.at(50) / theirs.at(50),
        ours.at(95) / theirs.at(95),
        ours.at(99) / theirs.at(99)
    );
}

fn script() -> String {
    Script {
        chunks: CHUNKS,
        bytes: 20,
        gap: GAP,
        stamped: true,
        ..Script::labelled("latency")
    }
    .to_string()
}

fn measure_product(socket: &mut Socket) -> Vec<f64> {
    let request = socket.say(&script());
    let mut delays = Vec::new();
    loop {
        let frame = socket.next_within(PATIENCE).expect("the answer goes on");
        let arrived = Clock::micros();
        let ServerFrame::ChatResponse(response) = frame else {
            continue;
        };
        if response.id == request && response.done {
            break;
        }
        if let Ok(Chunk::TextDelta { delta, .. }) = serde_json::from_str(&response.body) {
            delays.extend(delays_of(&delta, arrived));
        }
    }
    drop(socket.drain(Duration::from_millis(200)));
    delays
}

fn measure_bare(socket: &mut Socket) -> Vec<f64> {
    socket.send_text(script());
    let mut delays = Vec::new();
    loop {
        let text = socket.next_text_within(PATIENCE).expect("the answer goes on");
        let arrived = Clock::micros();
        if text.is_empty() {
            return delays;
        }
        delays.extend(delays_of(&text, arrived));
    }
}

/// The delay of every stamp in the text, in milliseconds.
fn delays_of(text: &str, arrived: u64) -> impl Iterator<Item = f64> {
    let stamps = text
        .split(';')
        .filter_map(|mark| mark.split_once('@')?.1.trim_end_matches('.').parse::<u64>().ok());
    stamps.map(move |stamp| Duration::from_micros(arrived.saturating_sub(stamp)).as_secs_f64() * 1000.0)
}

struct Delays(Vec<f64>);

impl Delays {
    fn of(mut delays: Vec<f64>) -> Self {
        assert!(!delays.is_empty(), "no stamped piece arrived");
        delays.sort_by(f64::total_cmp);
        Self(delays)
    }

    fn at(&self, percent: usize) -> f64 {
        let place = (self.0.len() * percent / 100).min(self.0.len() - 1);
        self.0.get(place).copied().unwrap()
    }

    fn print(&self, name: &str) {
        println!(
            "{name:<22}{:>10.2}{:>10.2}{:>10.2}",
            self.at(50),
            self.at(95),
            self.at(99)
        );
    }
}
