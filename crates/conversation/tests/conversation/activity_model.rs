//! Anything in any order: what is recorded of calls is what a plain model of them says, and never what cannot be.
