//! Which addresses of the web may be fetched: those of public websites, by name and by `https` alone.
//!
//! A tool fetches what a model asks for, and a model asks for what a page told it to. So an address is checked before
//! every request, each redirect's as well, and a [`PublicAddress`] cannot be had without the check. It is read as
//! browsers read it, so that all spellings of a host (in other digits, in percent signs, in full-width letters) come to
//! one before it is judged, and there are two rules for a host:
//!
//! - It is a name. No IP address may be fetched, neither a private one nor any other: what a page cites has a name.
//! - The name is one that a public website may have. What is kept for local use is refused, and so are services whose
//!   names lead to whatever address they spell.
//!
//! **What it does not do:** it does not resolve names. Whoever owns a public name may let it lead to a private address,
//! now or between two requests. Cleartext `http` becomes `https`, so that a host behind such a name would need a
//! certificate for it; and in a Worker, requests leave from Cloudflare's network, where no private host is near.

mod names;

use url::{Host, ParseError, Url};

/// The longest address, in bytes, before and after it was read.
pub const ADDRESS_BYTES: usize = 2_048;

/// An address that may be fetched: `https`, a public name, the usual port, no credentials, no fragment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicAddress(Url);

/// Why an address may not be fetched, in a sentence that a model can act on. It repeats nothing of the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressRefusal {
    /// It is none, or only a part of one.
    #[error("This is no whole web address. Give one that begins with https:// and has a name after it.")]
    NotWhole,
    /// Longer than [`ADDRESS_BYTES`].
    #[error("This address is too long. Use one of at most 2,048 bytes.")]
    TooLong,
    /// A control character or a backslash, which programs read in different ways.
    #[error("This address holds a backslash or a control character. Write it without.")]
    Spelling,
    /// Neither `https` nor `http`.
    #[error("Only addresses that begin with https:// or http:// can be read.")]
    Scheme,
    /// A user name or a password, or the place for them.
    #[error(
        "An address with a user name or a password is not read. Leave out what stands before the @ sign."
    )]
    Credentials,
    /// Not the port that `https` has.
    #[error("Only the usual port is read. Leave the port out.")]
    Port,
    /// An IP address, in whatever spelling.
    #[error("An IP address is not read. Use the name of a public website.")]
    IpAddress,
    /// A name that no host on the internet can have.
    #[error("This is not the name of a public website. Check the spelling.")]
    Name,
    /// A name that is kept for local use, or leads there.
    #[error("This name is for local use. Only public websites are read.")]
    LocalName,
}

impl PublicAddress {
    /// Reads an address that somebody wrote. `http` becomes `https`.
    ///
    /// # Errors
    /// [`AddressRefusal`] where it may not be fetched.
    pub fn parse(text: &str) -> Result<Self, AddressRefusal> {
        let text = text.trim_matches(' ');
        check_spelling(text)?;
        match text.split_once(':') {
            Some((scheme, rest)) if is_web(scheme) => {
                // Browsers take any number of slashes, which nobody writes who means well.
                let is_usual = rest.starts_with("//") && !rest.starts_with("///");
                let url = is_usual.then(|| Url::parse(text).map_err(refusal));
                Self::check(url.ok_or(AddressRefusal::NotWhole)??)
            }
            Some((scheme, _)) if is_scheme(scheme) => Err(AddressRefusal::Scheme),
            Some(_) | None => Err(AddressRefusal::NotWhole),
        }
    }

    /// Where a redirect from here leads; the location may be relative.
    ///
    /// # Errors
    /// [`AddressRefusal`] where that may not be fetched.
    pub fn follow(&self, location: &str) -> Result<Self, AddressRefusal> {
        check_spelling(location)?;
        Self::check(self.0.join(location).map_err(refusal)?)
    }

    /// The address as it is fetched and cited.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The name of the host.
    #[must_use]
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    fn check(mut url: Url) -> Result<Self, AddressRefusal> {
        if !is_web(url.scheme()) {
            return Err(AddressRefusal::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressRefusal::Credentials);
        }
        match url.host() {
            Some(Host::Domain(name)) => names::check(name)?,
            Some(Host::Ipv4(_) | Host::Ipv6(_)) => return Err(AddressRefusal::IpAddress),
            None => return Err(AddressRefusal::NotWhole),
        }
        // The usual port of either scheme is none.
        if url.port().is_some() {
            return Err(AddressRefusal::Port);
        }
        url.set_scheme("https").map_err(|()| AddressRefusal::Scheme)?;
        url.set_fragment(None);
        if url.as_str().len() > ADDRESS_BYTES {
            return Err(AddressRefusal::TooLong);
        }
        Ok(Self(url))
    }
}

/// What is wrong with an address before anybody has read it.
fn check_spelling(text: &str) -> Result<(), AddressRefusal> {
    if text.len() > ADDRESS_BYTES {
        return Err(AddressRefusal::TooLong);
    }
    if text.contains(|character: char| character == '\\' || character.is_control()) {
        return Err(AddressRefusal::Spelling);
    }
    // An empty user name is gone once the address was read.
    match authority(text) {
        Some(authority) if authority.contains('@') => Err(AddressRefusal::Credentials),
        Some(_) | None => Ok(()),
    }
}

/// What stands between the slashes and the path of an address that has both.
fn authority(text: &str) -> Option<&str> {
    let (before, after) = text.split_once("//")?;
    let is_beginning = before.is_empty() || before.strip_suffix(':').is_some_and(is_scheme);
    is_beginning.then(|| after.split(['/', '?', '#']).next().unwrap_or_default())
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

fn is_web(scheme: &str) -> bool {
    ["https", "http"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known))
}

fn refusal(error: ParseError) -> AddressRefusal {
    match error {
        ParseError::InvalidPort => AddressRefusal::Port,
        ParseError::InvalidIpv4Address | ParseError::InvalidIpv6Address => AddressRefusal::IpAddress,
        ParseError::IdnaError | ParseError::InvalidDomainCharacter => AddressRefusal::Name,
        ParseError::Overflow => AddressRefusal::TooLong,
        ParseError::EmptyHost
        | ParseError::RelativeUrlWithoutBase
        | ParseError::RelativeUrlWithCannotBeABaseBase
        | ParseError::SetHostOnCannotBeABaseUrl
        | _ => AddressRefusal::NotWhole,
    }
}
