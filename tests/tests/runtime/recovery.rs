//! An answer goes on whatever takes it down: the process, the Wasm instance, a deployment, the provider. It is neither
//! lost nor said twice, it comes back without anybody asking for it, and the owner can still stop it.

use crate::turns::outcome;
use flarebot_protocol::address::Endpoint;
use flarebot_protocol::call::{DeleteConversation, ListConversations};
use flarebot_protocol::message::{Message, Outcome, Role};
use flarebot_protocol::{ConversationId, RequestId};
use flarebot_tests::chance::Chance;
use flarebot_tests::client::{Page, SdkAnswer};
use flarebot_tests::provider::{Continuation, Ending, Exchange, ExchangeEnd, Faults, Script};
use flarebot_tests::{Entry, Installation, PATIENCE, eventually};
use std::thread::sleep;
use std::time::Duration;

/// How long an answer may stand still before the agent's own alarm brings it back, with some slack for a busy machine.
const UNATTENDED: Duration = Duration::from_secs(30);

/// An answer of which some is there when the process is killed, and the rest not before the gate is open.
pub(crate) fn held(label: &str) -> Script {
    Script {
        chunks: 40,
        gap: 10,
        gate_after: Some(20),
        ..Script::labelled(label)
    }
}

/// Waits until the turn with the newest message has ended, and gives what is stored of its answer.
fn ended(installation: &Installation, id: ConversationId) -> Message {
    eventually("the turn ends", UNATTENDED, || {
        let answer = installation.messages(id).pop()?;
        (answer.role == Role::Assistant && outcome(&answer).is_some()).then_some(answer)
    })
}

pub(crate) fn assert_completed(installation: &Installation, id: ConversationId, script: &Script) -> Message {
    let answer = ended(installation, id);
    assert_eq!(outcome(&answer), Some(Outcome::Completed), "{answer:#?}");
    assert_eq!(answer.text(), script.whole_text());
    assert_eq!(answer.metadata.as_ref().unwrap().notice, None);
    answer
}

/// Waits until a page shows what is stored and nothing else.
pub(crate) fn assert_shows_what_is_stored(installation: &Installation, id: ConversationId, page: &Page) {
    eventually("the page shows what is stored", PATIENCE, || {
        (page.is_settled() && page.messages() == installation.messages(id)).then_some(())
    });
}

/// Begins a turn and waits until its provider has written so many pieces.
pub(crate) fn begin(
    installation: &Installation,
    script: &Script,
    pieces: u32,
) -> (ConversationId, Page, RequestId, Exchange) {
    let id = installation.create("Interrupted").id;
    let page = installation.page(id);
    let request = page.say(&script.to_string());
    let exchange = installation
        .provider
        .wait_for(&script.label, PATIENCE, |exchange| exchange.pieces >= pieces);
    // What was written a moment ago may not have been stored yet.
    sleep(Duration::from_millis(400));
    (id, page, request, exchange)
}

/// The request to the provider number `number`, counted from 1.
pub(crate) fn request_number(installation: &Installation, label: &str, number: usize) -> Exchange {
    eventually(&format!("request {number} of {label}"), UNATTENDED, || {
        installation.provider.labelled(label).get(number - 1).cloned()
    })
}

#[test]
fn a_kill_before_the_first_token_asks_the_model_again() {
    let mut installation = Installation::start();
    let script = Script {
        faults: Some(Faults {
            requests: 1,
            before_piece: 0,
            ending: Ending::Silence,
        }),
        ..Script::labelled("early")
    };
    let (id, page, _, first) = begin(&installation, &script, 0);
    installation.kill();
    installation.start_again();
    assert_completed(&installation, id, &script);
    let second = request_number(&installation, "early", 2);
    assert_eq!(
        second.conversation(),
        first.conversation(),
        "it is the same call again"
    );
    assert_eq!(installation.provider.labelled("early").len(), 2);
    assert_shows_what_is_stored(&installation, id, &page);
}

#[test]
fn a_kill_in_the_middle_continues_however_the_model_does() {
    let mut installation = Installation::start();
    for (label, continuation) in [
        ("continues", Continuation::Continues),
        ("starts-over", Continuation::StartsOver),
        ("overlaps", Continuation::Overlaps(30)),
    ] {
        let script = Script {
            continuation,
            ..held(label)
        };
        let (id, page, ..) = begin(&installation, &script, 20);
        installation.kill();
        installation.provider.release(label);
        installation.start_again();
        let answer = assert_completed(&installation, id, &script);
        let second = request_number(&installation, label, 2);
        assert_eq!(
            second.standing.partial,
            Some(script.text_of(20)),
            "nothing old is lost"
        );
        assert_shows_what_is_stored(&installation, id, &page);
        let asked = installation.provider.labelled(label).len();
        assert_eq!(asked, 2, "{label} is asked for once more");
        // What asked the model to go on is nothing that the owner said.
        let next = format!("After {label}");
        page.say(&next);
        let exchange = installation.provider.wait_for_request(&next, PATIENCE);
        assert_eq!(
            exchange.conversation(),
            [
                ('u', script.to_string().as_str()),
                ('a', answer.text().as_str()),
                ('u', next.as_str())
            ]
        );
    }
}

#[test]
fn nobody_has_to_come_back_for_an_answer_to_go_on() {
    let mut installation = Installation::start();
    let script = held("unattended");
    let (id, page, ..) = begin(&installation, &script, 20);
    drop(page);
    installation.kill();
    installation.provider.release("unattended");
    installation.start_again();
    request_number(&installation, "unattended", 2);
    assert_eq!(
        installation.provider.labelled("unattended")[1].standing.partial,
        Some(script.text_of(20))
    );
    assert_completed(&installation, id, &script);
    eventually("no alarm", PATIENCE, || {
        (installation.alarms() == 0).then_some(())
    });
}

#[test]
fn a_deployment_in_the_middle_of_an_answer_does_not_cost_it() {
    let mut installation = Installation::start();
    let script = held("deployed");
    let (id, page, ..) = begin(&installation, &script, 20);
    installation.kill();
    installation.provider.release("deployed");
    installation.deploy_again();
    assert_completed(&installation, id, &script);
    assert_shows_what_is_stored(&installation, id, &page);
}

#[test]
fn an_answer_that_the_provider_cuts_goes_on_in_the_same_stream() {
    let installation = Installation::start();
    let (id, mut socket) = installation.new_conversation("Cut");
    for (label, ending) in [("cut", Ending::Cut), ("cut-in-good-order", Ending::NoFinish)] {
        let script = Script {
            chunks: 12,
            faults: Some(Faults {
                requests: 1,
                before_piece: 5,
                ending,
            }),
            ..Script::labelled(label)
        };
        // Following it proves that the chunks are one sequence without a step back.
        let answer = socket.ask(&script.to_string());
        assert_eq!(
            (answer.outcome, answer.text()),
            (Some(Outcome::Completed), script.whole_text()),
            "{label}"
        );
        let asked = installation.provider.labelled(label);
        assert_eq!(asked.len(), 2, "{label}");
        assert_eq!(asked[1].standing.partial, Some(script.text_of(5)), "{label}");
    }
    assert_eq!(installation.messages(id).len(), 4);
}

#[test]
fn four_cuts_without_progress_end_the_answer_with_one_notice() {
    let installation = Installation::start();
    let (_, mut socket) = installation.new_conversation("Cut for good");
    let script = Script {
        faults: Some(Faults {
            requests: u32::MAX,
            before_piece: 2,
            ending: Ending::Cut,
        }),
        ..Script::labelled("hopeless")
    };
    let answer = socket.ask(&script.to_string());
    assert_eq!(
        (answer.outcome, answer.text()),
        (Some(Outcome::Error), script.text_of(2))
    );
    assert_eq!(installation.provider.labelled("hopeless").len(), 4);
    let messages = socket.history().messages;
    let notices = messages.iter().filter(|message| {
        message
            .metadata
            .as_ref()
            .is_some_and(|known| known.notice.is_some())
    });
    assert_eq!(notices.count(), 1);
    assert_eq!(socket.ask("And now?").outcome, Some(Outcome::Completed));
}

#[test]
fn four_deaths_without_progress_end_the_answer_with_one_notice() {
    let mut installation = Installation::start();
    let script = Script {
        faults: Some(Faults {
            requests: u32::MAX,
            before_piece: 2,
            ending: Ending::Silence,
        }),
        ..Script::labelled("deadly")
    };
    let (id, page, ..) = begin(&installation, &script, 2);
    for death in 1..=4 {
        request_number(&installation, "deadly", death);
        sleep(Duration::from_millis(300));
        installation.kill();
        installation.start_again();
    }
    let answer = ended(&installation, id);
    assert_eq!(
        (outcome(&answer), answer.text()),
        (Some(Outcome::Interrupted), script.text_of(2))
    );
    assert!(answer.metadata.as_ref().unwrap().notice.is_some());
    assert_eq!(installation.provider.labelled("deadly").len(), 4);
    assert_shows_what_is_stored(&installation, id, &page);
    page.say("And now?");
    eventually("the conversation can be used", PATIENCE, || {
        let newest = installation.messages(id).pop()?;
        (newest.text() == "You said: And now?").then_some(())
    });
}

#[test]
fn a_stop_after_the_restart_wins() {
    let mut installation = Installation::start();
    let script = held("stopped");
    let (id, page, request, _) = begin(&installation, &script, 20);
    installation.kill();
    installation.start_again();
    request_number(&installation, "stopped", 2);
    page.stop(&request);
    let answer = ended(&installation, id);
    assert_eq!(outcome(&answer), Some(Outcome::Aborted));
    assert_eq!(answer.text(), script.text_of(20), "what had arrived is kept");
    installation
        .provider
        .wait_for("stopped", Duration::from_secs(3), |exchange| {
            exchange.standing.partial.is_some() && exchange.end == Some(ExchangeEnd::ClosedByCaller)
        });
    assert_eq!(installation.provider.labelled("stopped").len(), 2);
    assert_shows_what_is_stored(&installation, id, &page);
}

#[test]
fn a_stop_that_waited_for_the_connection_wins() {
    let mut installation = Installation::start();
    let script = held("stopped-while-away");
    let (id, page, request, _) = begin(&installation, &script, 20);
    installation.kill();
    page.stop(&request);
    installation.start_again();
    let answer = ended(&installation, id);
    assert_eq!(outcome(&answer), Some(Outcome::Aborted));
    assert_eq!(answer.text(), script.text_of(20));
    assert_shows_what_is_stored(&installation, id, &page);
}

#[test]
fn a_conversation_that_is_deleted_while_it_recovers_stays_deleted() {
    let mut installation = Installation::start();
    let script = held("deleted");
    let (id, page, ..) = begin(&installation, &script, 20);
    drop(page);
    installation.kill();
    installation.start_again();
    let mut agent = installation.agent();
    let mut socket = installation.conversation(id);
    request_number(&installation, "deleted", 2);
    agent.call(&DeleteConversation { id }).unwrap();
    assert_eq!(socket.expect_closed(PATIENCE).code, 4004);
    installation
        .provider
        .wait_for("deleted", Duration::from_secs(3), |exchange| {
            exchange.standing.partial.is_some() && exchange.end == Some(ExchangeEnd::ClosedByCaller)
        });
    assert_eq!(agent.call(&ListConversations {}).unwrap(), []);
    agent.close();
    eventually("no alarm", PATIENCE, || {
        (installation.alarms() == 0).then_some(())
    });
    assert_eq!(installation.provider.labelled("deleted").len(), 2);
}

#[test]
fn open_sockets_get_the_rest_after_the_wasm_was_reset() {
    let installation = Installation::start_entry(Entry::Fixture);
    let script = held("reset");
    let (id, page, ..) = begin(&installation, &script, 20);
    let connection = installation.sdk_connection(Endpoint::Conversation(id));
    let mut sdk = SdkAnswer::join(connection.open().unwrap());
    sdk.follow_until("half the answer", PATIENCE, |answer| {
        answer.text() == script.text_of(20)
    });
    let panicked = installation.host().fixture("/panic?object=panics");
    assert!(panicked.status >= 500, "{panicked:?}");
    installation.provider.release("reset");
    sdk.follow_until("the whole answer", UNATTENDED, SdkAnswer::is_complete);
    assert_eq!(sdk.text(), script.whole_text());
    let answer = assert_completed(&installation, id, &script);
    assert_eq!(sdk.message_id(), Some(&answer.id));
    assert_shows_what_is_stored(&installation, id, &page);
}

/// The client's offer and acknowledgement reach the object before anything else has looked after the turn.
#[test]
fn a_client_that_joins_before_the_recovery_does_not_prevent_it() {
    let mut installation = Installation::start();
    let script = held("early-bird");
    let (id, page, request, _) = begin(&installation, &script, 20);
    drop(page);
    installation.kill();
    installation.provider.release("early-bird");
    installation.start_again();
    let connection = installation.sdk_connection(Endpoint::Conversation(id));
    let mut socket = connection.open().unwrap();
    socket.send(&serde_json::json!({ "type": "cf_agent_stream_resume_request", "probeId": "probe" }));
    socket.send(&serde_json::json!({ "type": "cf_agent_stream_resume_ack", "id": request }));
    let mut sdk = SdkAnswer::join(socket);
    sdk.follow_until("the whole answer", UNATTENDED, SdkAnswer::is_complete);
    assert_eq!(sdk.text(), script.whole_text());
    assert_completed(&installation, id, &script);
}

#[test]
fn tabs_that_join_leave_and_cancel_agree_in_the_end() {
    let mut installation = Installation::start();
    let mut chance = Chance::of_this_run();
    for tabs in 2..=5_u64 {
        let script = Script {
            chunks: 100,
            gap: 20,
            ..Script::labelled(&format!("tabs-{tabs}"))
        };
        let (id, first, request, _) = begin(&installation, &script, 1);
        let mut open = vec![first];
        let is_cancelled = tabs % 2 == 1;
        for event in 0..tabs * 2 {
            sleep(Duration::from_millis(chance.below(150)));
            if event == tabs {
                installation.kill();
                installation.start_again();
            } else if chance.percent(60) || open.len() == 1 {
                open.push(installation.page(id));
            } else {
                let leaving = usize::try_from(chance.within(1..open.len() as u64)).unwrap();
                drop(open.remove(leaving));
            }
        }
        if is_cancelled {
            open.last().unwrap().stop(&request);
        }
        let answer = ended(&installation, id);
        if is_cancelled && outcome(&answer) == Some(Outcome::Aborted) {
            assert!(script.whole_text().starts_with(&answer.text()));
        } else {
            assert_completed(&installation, id, &script);
        }
        for page in &open {
            assert_shows_what_is_stored(&installation, id, page);
        }
    }
}
