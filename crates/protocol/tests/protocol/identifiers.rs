//! Ids that a client may choose.

use flarebot_protocol::{MessageId, RequestId};
use proptest::prelude::*;

#[test]
fn an_id_is_one_to_128_printable_characters() {
    assert!(RequestId::new("a").is_ok());
    assert!(RequestId::new("~!*'();:@&=+$,/?#[]").is_ok());
    assert!(RequestId::new("x".repeat(128)).is_ok());
    for hostile in ["", " ", "a b", "a\n", "a\0", "ä", "\u{202e}a", "a\u{7f}"] {
        assert!(RequestId::new(hostile).is_err(), "{hostile:?}");
        let json = serde_json::to_string(hostile).unwrap();
        assert!(serde_json::from_str::<RequestId>(&json).is_err(), "{hostile:?}");
    }
    assert!(RequestId::new("x".repeat(129)).is_err());
}

#[test]
fn a_continued_request_knows_its_original_and_its_attempt() {
    let original = RequestId::new("request").unwrap();
    assert!(original.is_original());
    assert_eq!((original.original(), original.attempt()), (original.clone(), 1));
    let continued = original.continued(3);
    assert_eq!(continued, RequestId::new("request~3").unwrap());
    assert!(!continued.is_original());
    assert_eq!((continued.original(), continued.attempt()), (original, 3));
}

#[test]
fn what_is_no_continuation_is_its_own_original() {
    for text in ["~2", "a~", "a~1", "a~x", "a~4294967296"] {
        let id = RequestId::new(text).unwrap();
        assert_eq!((id.original(), id.attempt()), (id, 1));
    }
}

proptest! {
    #[test]
    fn what_a_client_may_choose_can_be_continued_and_read_back(text in "[!-~]{1,128}", attempt in 2..u32::MAX) {
        let id = RequestId::new(text).unwrap();
        if id.is_original() {
            let continued = id.continued(attempt);
            let json = serde_json::to_string(&continued).unwrap();
            prop_assert_eq!(&serde_json::from_str::<RequestId>(&json).unwrap(), &continued);
            prop_assert_eq!(continued.original(), id);
            prop_assert_eq!(continued.attempt(), attempt);
        }
    }


    #[test]
    fn an_id_is_read_back_from_json(text in "[!-~]{1,128}") {
        let id = MessageId::new(text).unwrap();
        let json = serde_json::to_string(&id).unwrap();
        prop_assert_eq!(serde_json::from_str::<MessageId>(&json).unwrap(), id);
    }
}
