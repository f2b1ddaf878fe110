//! An installation that is not fully configured does not start, and says what is wanted.

use crate::support::{INSTALLATION, ORIGIN, OWNER, SECRET, configuration};
use flarebot_session::{Configuration, ConfigurationError, Variable};

fn read_with(variable: Variable, value: Option<&str>) -> Result<Configuration, ConfigurationError> {
    Configuration::read(|name| {
        if name == variable.name() {
            return value.map(str::to_owned);
        }
        let usual = match name {
            "FLAREBOT_SESSION_SECRET" => SECRET,
            "FLAREBOT_OWNER_SUBJECT" => OWNER,
            "FLAREBOT_INSTALLATION_ID" => INSTALLATION,
            _ => ORIGIN,
        };
        Some(usual.to_owned())
    })
}

#[test]
fn a_complete_configuration_is_read() {
    let configuration = configuration();
    assert_eq!(configuration.owner_subject(), OWNER);
    assert_eq!(configuration.installation_id(), INSTALLATION);
    assert_eq!(configuration.origin(), ORIGIN);
}

#[test]
fn a_missing_or_empty_variable_is_named_with_what_it_must_be() {
    for variable in Variable::ALL {
        for value in [None, Some("")] {
            let error = read_with(variable, value).unwrap_err();
            assert_eq!(error, ConfigurationError::Missing(variable));
            let message = error.to_string();
            assert!(message.starts_with(variable.name()), "{message}");
            assert!(message.contains("it must be "), "{message}");
        }
    }
}

#[test]
fn a_short_secret_is_refused_without_showing_it() {
    let short = "correct-horse-battery-staple-12";
    assert_eq!(short.len(), 31);
    let error = read_with(Variable::SessionSecret, Some(short)).unwrap_err();
    assert_eq!(error, ConfigurationError::Malformed(Variable::SessionSecret));
    let message = format!("{error} {error:?}");
    assert!(!message.contains("horse"), "{message}");
    assert!(message.contains("32"), "{message}");

    let enough = format!("{short}3");
    assert!(read_with(Variable::SessionSecret, Some(&enough)).is_ok());
    let long = "long ".repeat(100);
    assert!(read_with(Variable::SessionSecret, Some(&long)).is_ok());
}

#[test]
fn names_are_printable_and_bounded() {
    let longest = "n".repeat(128);
    let too_long = "n".repeat(129);
    for variable in [Variable::OwnerSubject, Variable::InstallationId] {
        for value in ["a", "google|1234", "owner@example.com", longest.as_str()] {
            assert!(read_with(variable, Some(value)).is_ok(), "{value}");
        }
        for value in [
            " ",
            "two words",
            "line\nbreak",
            "nul\0",
            "naïve",
            too_long.as_str(),
        ] {
            let error = read_with(variable, Some(value)).unwrap_err();
            assert_eq!(error, ConfigurationError::Malformed(variable), "{value}");
            assert!(!error.to_string().contains(value.trim()) || value.trim().is_empty());
        }
    }
}

#[test]
fn the_origin_is_accepted_only_as_a_browser_writes_it() {
    let accepted = [
        "https://agent.example.com",
        "https://agent.example.com:8443",
        "https://192.0.2.7",
        "https://[2001:db8::1]",
        "http://localhost",
        "http://localhost:8787",
        "http://127.0.0.1:8787",
        "http://[::1]:8787",
    ];
    for value in accepted {
        assert_eq!(
            read_with(Variable::RuntimeOrigin, Some(value)).unwrap().origin(),
            value
        );
    }
    let long = format!("https://{}.example", "a.".repeat(130));
    let refused = [
        "agent.example.com",
        "https://",
        "https://agent.example.com/",
        "https://agent.example.com/path",
        "https://agent.example.com?query",
        "https://agent.example.com#fragment",
        "https://owner:password@agent.example.com",
        "https://agent.example.com:443",
        "https://Agent.example.com",
        "HTTPS://agent.example.com",
        " https://agent.example.com",
        "https://agent.example.com\n",
        "http://agent.example.com",
        "http://localhost.example.com",
        "http://127.0.0.2",
        "http://0.0.0.0:8787",
        "http://localhost:80",
        "ws://localhost:8787",
        "file:///",
        "null",
        long.as_str(),
    ];
    for value in refused {
        let error = read_with(Variable::RuntimeOrigin, Some(value)).unwrap_err();
        assert_eq!(
            error,
            ConfigurationError::Malformed(Variable::RuntimeOrigin),
            "{value}"
        );
        assert!(!error.to_string().contains("password"));
    }
}
