//! What the server sends before anybody has signed in.

#![cfg(feature = "ssr")]
#![allow(clippy::unwrap_used, reason = "tests")]

use flarebot_app::shell::{ShellAssets, render};
use flarebot_protocol::address::Page;

const ASSETS: ShellAssets<'static> = ShellAssets {
    boot: "/assets/boot-1.js",
    style: "/assets/style-1.css",
};

const ID: &str = "0193c6a0-1111-7abc-8def-0123456789ab";

fn pages() -> [Page; 5] {
    [
        Page::Home,
        Page::Conversation(ID.parse().unwrap()),
        Page::Settings,
        Page::Tasks,
        Page::SignIn,
    ]
}

#[test]
fn no_shell_has_an_inline_script_or_style() {
    for page in pages() {
        let shell = render(page, &ASSETS);
        assert_eq!(shell.matches("<script").count(), 1, "{page:?}");
        assert!(shell.contains(r#"<script type="module" src="/assets/boot-1.js"></script>"#));
        assert!(shell.contains(r#"<link rel="stylesheet" href="/assets/style-1.css">"#));
        for inline in ["<style", " style=", " onclick=", " onload=", "javascript:"] {
            assert!(!shell.contains(inline), "{page:?} has {inline}");
        }
    }
}

#[test]
fn a_conversations_shell_is_the_same_for_every_conversation_and_names_none() {
    let other = "0193c6a0-2222-7abc-8def-0123456789ab".parse().unwrap();
    let shell = render(Page::Conversation(ID.parse().unwrap()), &ASSETS);
    assert_eq!(shell, render(Page::Conversation(other), &ASSETS));
    assert!(!shell.contains("0193c6a0"));
}

#[test]
fn every_shell_is_a_whole_document_with_landmarks_and_one_heading() {
    let headings = ["New chat", "Conversation", "Settings", "Tasks", "Sign in"];
    for (page, heading) in pages().into_iter().zip(headings) {
        let shell = render(page, &ASSETS);
        assert!(
            shell.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"),
            "{page:?}"
        );
        assert!(shell.ends_with("</body></html>"), "{page:?}");
        assert_eq!(shell.matches("<h1").count(), 1, "{page:?}");
        assert_eq!(shell.matches("<main").count(), 1, "{page:?}");
        assert!(
            shell.contains(&format!(">{heading}</h1>")),
            "{page:?} lacks {heading}: {shell}"
        );
    }
}

#[test]
fn a_new_chat_can_be_written_in_before_the_client_has_loaded() {
    let shell = render(Page::Home, &ASSETS);
    assert!(shell.contains("<textarea"));
    assert!(!shell.contains("readonly"));
}
