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

proptest! {
    #[test]
    fn an_id_is_read_back_from_json(text in "[!-~]{1,128}") {
        let id = MessageId::new(text).unwrap();
        let json = serde_json::to_string(&id).unwrap();
        prop_assert_eq!(serde_json::from_str::<MessageId>(&json).unwrap(), id);
    }
}
