//! Goes where an address leads: from redirect to redirect, each of them checked before anything is asked of it.

use crate::address::{AddressRefusal, PublicAddress};
use crate::page::PAGE_BYTES;
use crate::{FetchFailure, FetchRequest, Fetched, Host};

/// How often an address may lead to another.
const REDIRECTS: usize = 5;

/// Markdown is as welcome as a page: some servers have both.
const ACCEPTED: &str = "text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, */*;q=0.1";

/// Where the way ended, and what was there.
pub(super) struct Visit {
    pub(super) address: PublicAddress,
    pub(super) fetched: Fetched,
}

/// Why there is nothing, in a sentence for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum VisitFailure {
    #[error("The site cannot be reached. Check its name, or use another source.")]
    Unreachable,
    #[error("The page was not there within 15 seconds. Use another source, or try again later.")]
    TimedOut,
    #[error("The site leads on to an address that is not read. {0}")]
    LeadsAstray(AddressRefusal),
    #[error("The site leads from one address to the next and to no page. Use another source.")]
    TooManyRedirects,
    #[error("The site leads in a circle, perhaps because it wants cookies. Use another source.")]
    Circle,
    #[error("There is no such page (status {0}). Check the address, or use another source.")]
    Missing(u16),
    #[error(
        "The site does not show this page without signing in, or not to programs (status {0}). Use another source."
    )]
    Forbidden(u16),
    #[error("The site wants fewer requests (status 429). Use another source, or try again later.")]
    TooMany,
    #[error("The site has a fault of its own (status {0}). Use another source, or try again later.")]
    Faulty(u16),
    #[error("The site answered with status {0} in place of a page. Use another source.")]
    Unexpected(u16),
}

/// Follows redirects until there is a page.
pub(super) async fn visit(
    host: &dyn Host,
    address: PublicAddress,
    deadline: i64,
) -> Result<Visit, VisitFailure> {
    let mut visited = vec![address.clone()];
    let mut address = address;
    loop {
        let request = FetchRequest {
            address: address.clone(),
            accept: ACCEPTED,
            maximum_bytes: PAGE_BYTES,
            deadline,
        };
        let fetched = host.fetch(request).await.map_err(|failure| match failure {
            FetchFailure::Unreachable => VisitFailure::Unreachable,
            FetchFailure::TimedOut => VisitFailure::TimedOut,
        })?;
        let location = match (fetched.status, &fetched.location) {
            (301 | 302 | 303 | 307 | 308, Some(location)) => location,
            (200..=299, _) => return Ok(Visit { address, fetched }),
            (status, _) => return Err(failure(status)),
        };
        address = address.follow(location).map_err(VisitFailure::LeadsAstray)?;
        if visited.contains(&address) {
            return Err(VisitFailure::Circle);
        }
        if visited.len() > REDIRECTS {
            return Err(VisitFailure::TooManyRedirects);
        }
        visited.push(address.clone());
    }
}

fn failure(status: u16) -> VisitFailure {
    match status {
        404 | 410 => VisitFailure::Missing(status),
        401 | 402 | 403 | 407 | 451 => VisitFailure::Forbidden(status),
        429 => VisitFailure::TooMany,
        500.. => VisitFailure::Faulty(status),
        _ => VisitFailure::Unexpected(status),
    }
}
