//! The headers that every response of a kind carries, so that the browser enforces what the server means.

/// The headers of every page.
///
/// The policy starts from nothing and allows what a page uses: its own scripts, style, images, font, manifest and
/// socket (`'self'` covers the same host's `ws:` and `wss:`). WebAssembly may be compiled; no other evaluation, and
/// nothing inline, is allowed. No page may be framed, and none hands out its address.
#[must_use]
pub const fn page_headers() -> &'static [(&'static str, &'static str)] {
    &[
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; \
             font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; \
             frame-ancestors 'none'",
        ),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        (
            "Permissions-Policy",
            "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), \
             idle-detection=(), magnetometer=(), microphone=(), midi=(), payment=(), \
             publickey-credentials-get=(), screen-wake-lock=(), serial=(), usb=(), xr-spatial-tracking=()",
        ),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
}

/// The headers of every private answer, refusals included: kept nowhere, taken for nothing else.
#[must_use]
pub const fn private_headers() -> &'static [(&'static str, &'static str)] {
    &[
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
    ]
}
