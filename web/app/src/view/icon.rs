//! The icons: one path each, drawn in the colour of the text beside them. They are always decoration; the label of what
//! they stand in says what it does.

use leptos::prelude::*;

/// Which icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Glyph {
    Flame,
    Menu,
    Pen,
    Bin,
    Plus,
    Send,
    Stop,
    Copy,
    Tick,
    Clock,
    Sliders,
    Down,
    Cross,
    Bookmark,
    Globe,
    Spanner,
}

impl Glyph {
    const fn path(self) -> &'static str {
        match self {
            Self::Flame => {
                "M12 3c.6 3.6 5.5 5.4 5.5 10.6A5.5 5.5 0 0 1 12 19.5a5.5 5.5 0 0 1-5.5-5.9c0-2.2 1-3.7 2.2-4.9.2 1.6.9 2.4 1.8 2.7C10.2 8.4 10.6 5.4 12 3z"
            }
            Self::Menu => "M4 7h16M4 12h16M4 17h10",
            Self::Pen => "M4 20l1-4L16.5 4.5a1.8 1.8 0 0 1 2.6 0l.4.4a1.8 1.8 0 0 1 0 2.6L8 19z",
            Self::Bin => "M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7M10.3 10.5v5.5M13.7 10.5v5.5",
            Self::Plus => "M12 5v14M5 12h14",
            Self::Send => "M12 19V5.5M6 11l6-6 6 6",
            Self::Stop => "M7.5 7.5h9v9h-9z",
            Self::Copy => "M9 9h10.5v10.5H9zM15 9V4.5H4.5V15H9",
            Self::Tick => "M5 12.5l4.5 4.5L19 7.5",
            Self::Clock => "M12 7.5V12l3 2M20.5 12a8.5 8.5 0 1 1-17 0 8.5 8.5 0 0 1 17 0z",
            Self::Sliders => "M4 8h9M17 8h3M4 16h3M11 16h9M15 5.8v4.4M9 13.8v4.4",
            Self::Down => "M12 5v13.5M6 13l6 6 6-6",
            Self::Cross => "M6 6l12 12M18 6L6 18",
            Self::Bookmark => "M7 4.5h10V20l-5-4-5 4z",
            Self::Globe => {
                "M20.5 12a8.5 8.5 0 1 1-17 0 8.5 8.5 0 0 1 17 0zM3.5 12h17M12 3.5c4.5 4.8 4.5 12.2 0 17-4.5-4.8-4.5-12.2 0-17z"
            }
            Self::Spanner => "M14.5 9.5L5 19M19.5 7l-3 1.5L15 7l1.5-3A4.8 4.8 0 1 0 19.5 7z",
        }
    }
}

#[component]
pub(super) fn Icon(glyph: Glyph) -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
            <path d=glyph.path() />
        </svg>
    }
}
