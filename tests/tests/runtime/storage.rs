//! The storage seam inside a real Durable Object behaves as the strict native driver does.

use flarebot_tests::{Entry, Installation};

#[test]
fn an_object_s_database_passes_the_conformance_checks() {
    let installation = Installation::start_entry(Entry::Fixture);
    let response = installation.host().fixture("/sql-conformance");
    assert_eq!(response.status, 200, "{}", response.text());
    let checks = response.json();
    let checks = checks.as_array().unwrap();
    assert!(checks.len() > 10, "only {} checks ran", checks.len());
    let failed: Vec<_> = checks
        .iter()
        .filter(|check| !check["failure"].is_null())
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn the_fixture_is_out_of_reach_from_outside() {
    let installation = Installation::start_entry(Entry::Fixture);
    for path in [
        "/panic",
        "/fixture/panic",
        "/agents/fixture/fixture",
        "/agents/fixture/fixture/panic",
    ] {
        let response = installation.send(&installation.owner_request("GET", path));
        assert_eq!(response.status, 404, "{path}");
    }
}
