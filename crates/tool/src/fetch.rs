//! One request to the web, as a tool makes it through its host.

use crate::address::PublicAddress;

/// One request: a `GET` without cookies or credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchRequest {
    /// Where to: an address that may be fetched, since there is no other of its type.
    pub address: PublicAddress,
    /// What is wanted, as the `accept` header says it.
    pub accept: &'static str,
    /// How much of the body is read at most, in bytes.
    pub maximum_bytes: usize,
    /// When head and body have to be there, in milliseconds since 1970.
    pub deadline: i64,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The status.
    pub status: u16,
    /// The header `content-type`.
    pub content_type: Option<String>,
    /// The header `location`: where a redirect leads, and nobody went.
    pub location: Option<String>,
    /// The body, or its beginning. Only that of a page is read: it is empty where the status is not from 200 to 299.
    pub body: Vec<u8>,
    /// Whether the body goes on after what was read.
    pub body_goes_on: bool,
}

/// Why nothing came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FetchFailure {
    /// There is nobody at the address, or the connection broke.
    #[error("the address could not be reached")]
    Unreachable,
    /// It was not there at the deadline.
    #[error("the address did not answer in time")]
    TimedOut,
}
