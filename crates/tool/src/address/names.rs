//! Which names a public website may have.

use super::AddressRefusal;

const NAME_BYTES: usize = 253;
const LABEL_BYTES: usize = 63;

/// Names that are kept for local use, with all that end in them: by the registers of special names, by RFC 6762
/// (appendix G), and by the habits of networks, clusters and routers.
const LOCAL: [&str; 29] = [
    "alt",
    "arpa",
    "cluster",
    "consul",
    "corp",
    "dhcp",
    "docker",
    "domain",
    "home",
    "i2p",
    "internal",
    "intranet",
    "invalid",
    "kubernetes",
    "lan",
    "local",
    "localdomain",
    "localhost",
    "mail",
    "node",
    "onion",
    "private",
    "router",
    "service",
    "svc",
    "test",
    "tor",
    "vpn",
    "workgroup",
];

/// Public names that lead to private addresses: to the machine that asks, to the address that the name spells, or to a
/// cloud's description of the machine. There are others, and no list can hold them all.
const LEADING_TO_PRIVATE_ADDRESSES: [&str; 14] = [
    "backname.io",
    "lacolhost.com",
    "local-ip.co",
    "localhost.direct",
    "localtest.me",
    "lvh.me",
    "metadata.goog",
    "metadata.packet.net",
    "metadata.platformequinix.com",
    "metadata.tencentyun.com",
    "nip.io",
    "sslip.io",
    "vcap.me",
    "xip.io",
];

/// Checks a name that was read: it is in ASCII and in lower case.
pub(super) fn check(name: &str) -> Result<(), AddressRefusal> {
    let labels = || name.split('.');
    if name.len() > NAME_BYTES || !labels().all(is_label) {
        return Err(AddressRefusal::Name);
    }
    let last = labels().next_back().unwrap_or_default();
    if LOCAL.contains(&last) {
        return Err(AddressRefusal::LocalName);
    }
    if labels().count() < 2 || !is_top_level(last) {
        return Err(AddressRefusal::Name);
    }
    if LEADING_TO_PRIVATE_ADDRESSES
        .iter()
        .any(|listed| ends_in(name, listed))
    {
        return Err(AddressRefusal::LocalName);
    }
    Ok(())
}

fn is_label(label: &str) -> bool {
    (1..=LABEL_BYTES).contains(&label.len())
        && !label.starts_with('-')
        && !label.ends_with('-')
        && label
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
}

/// Letters alone, or a name in another script.
fn is_top_level(label: &str) -> bool {
    label.len() >= 2 && (label.starts_with("xn--") || label.bytes().all(|byte| byte.is_ascii_lowercase()))
}

fn ends_in(name: &str, ending: &str) -> bool {
    name.strip_suffix(ending)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}
