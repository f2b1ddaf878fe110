//! What an element of a page is to a text, and what of a page is no part of its text.

/// What an element does to the text in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It is a part of its line.
    Inline,
    /// It has lines of its own.
    Line,
    /// It stands apart.
    Paragraph,
    /// It is a heading of this level.
    Heading(u8),
    /// It holds items, numbered or not.
    List { numbered: bool },
    /// It is an item of a list.
    Item,
    /// It holds rows.
    Table,
    /// It is a row of a table.
    Row,
    /// It is a cell of a row.
    Cell,
    /// Its white space counts.
    Preformatted,
    /// It names the page.
    Title,
    /// It is drawn, and has a syntax of its own.
    Drawing,
    /// It is beside the text: ways to other pages, forms, remarks.
    Beside,
    /// It is never a part of the text.
    Never,
}

pub(super) fn role(name: &[u8]) -> Role {
    match name {
        b"address" | b"center" | b"dd" | b"details" | b"dir" | b"div" | b"dl" | b"dt" | b"figcaption"
        | b"footer" | b"header" | b"hgroup" | b"legend" | b"optgroup" | b"summary" | b"caption" => Role::Line,
        b"article" | b"blockquote" | b"body" | b"fieldset" | b"figure" | b"main" | b"p" | b"section"
        | b"hr" => Role::Paragraph,
        b"table" => Role::Table,
        b"h1" => Role::Heading(1),
        b"h2" => Role::Heading(2),
        b"h3" => Role::Heading(3),
        b"h4" => Role::Heading(4),
        b"h5" => Role::Heading(5),
        b"h6" => Role::Heading(6),
        b"ol" => Role::List { numbered: true },
        b"ul" | b"menu" => Role::List { numbered: false },
        b"li" => Role::Item,
        b"tr" => Role::Row,
        b"td" | b"th" => Role::Cell,
        b"pre" | b"listing" | b"xmp" | b"plaintext" => Role::Preformatted,
        b"title" => Role::Title,
        b"svg" => Role::Drawing,
        b"aside" | b"form" | b"nav" | b"search" => Role::Beside,
        b"audio" | b"button" | b"canvas" | b"datalist" | b"frameset" | b"iframe" | b"noembed"
        | b"noframes" | b"noscript" | b"object" | b"script" | b"select" | b"style" | b"template"
        | b"textarea" | b"video" => Role::Never,
        _ => Role::Inline,
    }
}

/// Whether an element has no content and no end.
pub(super) fn is_void(name: &[u8]) -> bool {
    matches!(
        name,
        b"area"
            | b"base"
            | b"br"
            | b"col"
            | b"embed"
            | b"hr"
            | b"img"
            | b"input"
            | b"link"
            | b"meta"
            | b"source"
            | b"track"
            | b"wbr"
    )
}

/// Whether an element may end others where it begins.
pub(super) fn ends_others(next: &[u8]) -> bool {
    matches!(next, b"tbody" | b"tfoot") || role(next) != Role::Inline
}

/// Whether an element that is open ends where this one begins, since nobody writes its end.
pub(super) fn ends_before(open: &[u8], next: &[u8]) -> bool {
    match open {
        b"p" => {
            next == b"p"
                || !matches!(
                    role(next),
                    Role::Inline | Role::Never | Role::Drawing | Role::Title
                )
        }
        b"li" => next == b"li",
        b"dt" | b"dd" => matches!(next, b"dt" | b"dd"),
        b"td" | b"th" => matches!(next, b"td" | b"th" | b"tr" | b"tbody" | b"tfoot"),
        b"tr" => matches!(next, b"tr" | b"tbody" | b"tfoot"),
        b"thead" | b"tbody" => matches!(next, b"tbody" | b"tfoot"),
        b"head" => next == b"body",
        _ => false,
    }
}

/// Whether an element is never a part of a drawing, so that a drawing whose end is missing ends where it begins (HTML,
/// "The rules for parsing tokens in foreign content").
pub(super) fn ends_a_drawing(next: &[u8]) -> bool {
    matches!(
        next,
        b"b" | b"big"
            | b"blockquote"
            | b"body"
            | b"br"
            | b"center"
            | b"code"
            | b"dd"
            | b"div"
            | b"dl"
            | b"dt"
            | b"em"
            | b"embed"
            | b"h1"
            | b"h2"
            | b"h3"
            | b"h4"
            | b"h5"
            | b"h6"
            | b"head"
            | b"hr"
            | b"i"
            | b"img"
            | b"li"
            | b"listing"
            | b"menu"
            | b"meta"
            | b"nobr"
            | b"ol"
            | b"p"
            | b"pre"
            | b"ruby"
            | b"s"
            | b"small"
            | b"span"
            | b"strike"
            | b"strong"
            | b"sub"
            | b"sup"
            | b"table"
            | b"tt"
            | b"u"
            | b"ul"
            | b"var"
    )
}

/// Whether an element of a drawing may hold what a page holds.
pub(super) fn holds_text_in_a_drawing(name: &[u8]) -> bool {
    matches!(name, b"foreignobject" | b"desc" | b"title")
}

/// Whether an end that is met in a cell may end something outside it: only a part of its table.
pub(super) fn leaves_a_cell(end: &[u8]) -> bool {
    matches!(
        end,
        b"table" | b"tbody" | b"thead" | b"tfoot" | b"tr" | b"td" | b"th"
    )
}
