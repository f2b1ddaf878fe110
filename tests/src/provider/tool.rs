//! What the fixture's tools tell the world outside: when a call begins, and when it ends.

/// Where they tell it: the label of the script, the test's name for the call, and the moment follow.
pub(super) const PATH: &str = "/tool/";

/// One thing that a tool has told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolReport {
    /// The label of the script.
    pub label: String,
    /// The test's name for the call.
    pub call: String,
    /// What happened.
    pub moment: ToolMoment,
}

/// What happened to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolMoment {
    /// The tool began to work on it.
    Begun,
    /// The tool did what it was asked, and returns.
    Ended,
}

impl ToolReport {
    pub(super) fn new(label: &str, call: &str, moment: ToolMoment) -> Self {
        Self {
            label: label.to_owned(),
            call: call.to_owned(),
            moment,
        }
    }

    /// Reads the path of a request; `None` for one that is not a tool's.
    pub(super) fn read(path: &str) -> Option<Self> {
        let (label, rest) = path.strip_prefix(PATH)?.split_once('/')?;
        let (call, moment) = rest.split_once('/')?;
        let moment = match moment {
            "begun" => ToolMoment::Begun,
            "ended" => ToolMoment::Ended,
            _ => return None,
        };
        Some(Self::new(label, call, moment))
    }
}
