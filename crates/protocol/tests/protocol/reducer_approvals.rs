//! A call that waits for the owner: it has no result before the owner's word, and the first word stays.

use crate::reducer_tools::{
    asked, available, called, decided, denied, error, failed, input, progressed, returned, state, tools,
};
use flarebot_protocol::message::{Approval, ToolState};

#[test]
fn a_call_that_waits_for_the_owner_runs_when_it_is_allowed() {
    let approval = Approval::asked("answer/1");
    let chunks = [
        called("1", input()),
        asked("1"),
        decided("1", true),
        progressed("1", "10 %"),
        returned("1", "noon"),
    ];
    let states = [
        ToolState::InputAvailable { input: input() },
        ToolState::ApprovalRequested {
            input: input(),
            approval: approval.clone(),
        },
        ToolState::ApprovalResponded {
            input: input(),
            approval: approval.answered(true, None),
        },
        available("10 %", Some(true)),
        available("noon", None),
    ];
    for (place, expected) in states.into_iter().enumerate() {
        assert_eq!(state(&chunks[..=place]), expected);
    }
}

#[test]
fn a_call_that_the_owner_declines_is_denied_and_never_looks_like_a_success() {
    let declined = ToolState::OutputDenied {
        input: input(),
        approval: Approval::asked("answer/1").answered(false, None),
    };
    let waits = [called("1", input()), asked("1")];
    let no = || [waits.as_slice(), &[decided("1", false)]].concat();
    for late in [
        returned("1", "noon"),
        progressed("1", "10 %"),
        failed("1", "It is late."),
        decided("1", true),
        asked("1"),
    ] {
        let chunks = [no(), vec![late.clone()]].concat();
        assert!(matches!(state(&chunks), ToolState::ApprovalResponded { .. }));
        let chunks = [no(), vec![denied("1"), late]].concat();
        assert_eq!(state(&chunks), declined);
    }
    let at_once = [waits.as_slice(), &[denied("1")]].concat();
    assert_eq!(state(&at_once), declined, "a denial says that the answer was no");
}

#[test]
fn a_call_that_was_allowed_stays_allowed() {
    let yes = [called("1", input()), asked("1"), decided("1", true)];
    for late in [denied("1"), decided("1", false), asked("1")] {
        let chunks = [yes.as_slice(), &[late]].concat();
        assert_eq!(state(&chunks), state(&yes));
    }
}

#[test]
fn a_call_has_no_result_before_the_owner_s_word() {
    let waits = [called("1", input()), asked("1")];
    for early in [returned("1", "noon"), progressed("1", "10 %")] {
        let chunks = [waits.as_slice(), &[early]].concat();
        assert_eq!(state(&chunks), state(&waits));
    }
    let stopped = [waits.as_slice(), &[failed("1", "You stopped it.")]].concat();
    assert_eq!(state(&stopped), error(input(), "You stopped it."));
}

#[test]
fn what_runs_or_was_never_asked_about_is_not_declined() {
    for chunks in [
        vec![called("1", input())],
        vec![called("1", input()), progressed("1", "10 %")],
    ] {
        for late in [denied("1"), decided("1", false)] {
            assert_eq!(state(&[chunks.clone(), vec![late]].concat()), state(&chunks));
        }
    }
}

#[test]
fn an_answer_to_one_question_decides_no_other() {
    let chunks = [
        called("1", input()),
        called("2", input()),
        asked("1"),
        asked("2"),
        decided("2", false),
        denied("2"),
        decided("3", true),
    ];
    let states: Vec<_> = tools(&chunks).into_iter().map(|call| call.state).collect();
    assert!(
        states[0].waits_for_approval() && states[1].is_declined(),
        "{states:?}"
    );
}
