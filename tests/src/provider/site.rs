//! The pages of the web that a test has made up. All names under `.example` lead here, and everybody who asks for one of
//! them is remembered.

use super::request::Request;
use super::{ExchangeEnd, Provider, State};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

/// What an address of the web answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebPage {
    /// The status.
    pub status: u16,
    /// The headers, besides those of the transport.
    pub headers: Vec<(String, String)>,
    /// The body, or its beginning.
    pub body: Vec<u8>,
    /// Whether the rest of the body never comes, while the connection stays open.
    pub stalls: bool,
}

impl WebPage {
    /// A page of this type.
    #[must_use]
    pub fn new(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type".to_owned(), content_type.to_owned())],
            body: body.into(),
            stalls: false,
        }
    }

    /// A page of HTML.
    #[must_use]
    pub fn html(body: &str) -> Self {
        Self::new("text/html; charset=utf-8", body)
    }

    /// A redirect.
    #[must_use]
    pub fn redirect(location: &str) -> Self {
        Self {
            status: 302,
            headers: vec![("location".to_owned(), location.to_owned())],
            ..Self::html("<p>Elsewhere.")
        }
    }

    /// The same, of which the rest never comes.
    #[must_use]
    pub fn stalling(self) -> Self {
        Self { stalls: true, ..self }
    }
}

/// One request for a page.
#[derive(Debug, Clone)]
pub struct Visit {
    /// The name and the path: `page.example/path?query`.
    pub address: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// How it ended; `None` while the body goes on.
    pub end: Option<ExchangeEnd>,
}

impl Visit {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers
            .find(|(candidate, _)| candidate == name)
            .map(|(_, value)| value.as_str())
    }
}

impl Provider {
    /// Puts a page at an address: `page.example/path?query`.
    pub fn put_page(&self, address: &str, page: WebPage) {
        self.state
            .change(|book| book.pages.insert(address.to_owned(), page));
    }

    /// Every request for a page so far, oldest first.
    #[must_use]
    pub fn visits(&self) -> Vec<Visit> {
        self.state.book().visits.clone()
    }

    /// Waits for a request for a page of which `condition` holds.
    ///
    /// # Panics
    /// When there is none within `patience`.
    pub fn wait_for_visit(&self, patience: Duration, condition: impl Fn(&Visit) -> bool) -> Visit {
        let found = self.state.wait(patience, |book| {
            book.visits.iter().find(|visit| condition(visit)).cloned()
        });
        found.unwrap_or_else(|| {
            panic!(
                "no visit as expected within {patience:?}, but {:#?}",
                self.visits()
            )
        })
    }
}

/// The address of a page that is asked for; `None` for what is a model's or a tool's.
pub(super) fn address(request: &Request) -> Option<String> {
    let host = request.header("host")?;
    host.ends_with(".example")
        .then(|| format!("{host}{}", request.path))
}

/// Answers a request for a page.
pub(super) fn serve(
    mut connection: &TcpStream,
    state: &Arc<State>,
    address: String,
    request: Request,
) -> io::Result<()> {
    let (number, page) = state.change(|book| {
        let page = book.pages.get(&address).cloned();
        book.visits.push(Visit {
            address,
            headers: request.headers,
            end: None,
        });
        (book.visits.len() - 1, page)
    });
    let page = page.unwrap_or_else(|| WebPage {
        status: 404,
        ..WebPage::html("<p>There is no such page.")
    });
    let played = write(connection, &page);
    if page.stalls {
        // Whoever asked has nothing more to say: this waits for the end of the connection.
        let mut rest = [0; 64];
        while matches!(connection.read(&mut rest), Ok(1..)) {}
    }
    state.change(|book| {
        let is_whole = played.is_ok() && !page.stalls;
        book.visits[number].end = Some(match is_whole {
            true => ExchangeEnd::Played,
            false => ExchangeEnd::ClosedByCaller,
        });
    });
    played
}

fn write(mut connection: &TcpStream, page: &WebPage) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {} Scripted\r\nconnection: close\r\n", page.status);
    for (name, value) in &page.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !page.stalls {
        head.push_str(&format!("content-length: {}\r\n", page.body.len()));
    }
    head.push_str("\r\n");
    connection.write_all(head.as_bytes())?;
    connection.write_all(&page.body)
}
