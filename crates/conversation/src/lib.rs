//! conversation
