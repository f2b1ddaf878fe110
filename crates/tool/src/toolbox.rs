//! The tools that a model is offered.

use crate::{Tool, ToolDescriptor};
use std::fmt;
use std::rc::Rc;

/// The longest name that every provider takes, in bytes.
const MAXIMUM_NAME_LENGTH: usize = 64;

/// Some tools, each under its name.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: Vec<Rc<dyn Tool>>,
}

/// What is wrong with a toolbox. Only a change of code can put it right, so a test should ask for it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolboxError {
    /// Not 1 to 64 lower-case letters, digits and underscores that begin with a letter.
    #[error("{0:?} is no name for a tool")]
    Name(&'static str),
    /// Two tools have the same name, so the later one cannot be found.
    #[error("two tools are called {0}")]
    NameTaken(&'static str),
    /// The schema of its arguments does not describe an object.
    #[error("the parameters of {0} are no object")]
    Parameters(&'static str),
    /// It has no time to run.
    #[error("the deadline of {0} is not after its beginning")]
    Deadline(&'static str),
}

impl Toolbox {
    /// These tools and one more.
    #[must_use]
    pub fn with(mut self, tool: impl Tool + 'static) -> Self {
        self.tools.push(Rc::new(tool));
        self
    }

    /// What is known of each tool, in the order in which they were added.
    #[must_use]
    pub fn descriptors(&self) -> Vec<ToolDescriptor> {
        self.tools.iter().map(|tool| tool.descriptor()).collect()
    }

    /// The tool of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Rc<dyn Tool>> {
        self.tools
            .iter()
            .find(|tool| tool.descriptor().name == name)
            .cloned()
    }

    /// Checks what the compiler cannot.
    ///
    /// # Errors
    /// [`ToolboxError`] with the first thing that is wrong.
    pub fn check(&self) -> Result<(), ToolboxError> {
        let descriptors = self.descriptors();
        for (position, descriptor) in descriptors.iter().enumerate() {
            let name = descriptor.name;
            if !is_name(name) {
                return Err(ToolboxError::Name(name));
            }
            if descriptors
                .iter()
                .take(position)
                .any(|earlier| earlier.name == name)
            {
                return Err(ToolboxError::NameTaken(name));
            }
            if descriptor
                .parameters
                .get("type")
                .is_none_or(|kind| kind != "object")
            {
                return Err(ToolboxError::Parameters(name));
            }
            if descriptor.deadline_milliseconds <= 0 {
                return Err(ToolboxError::Deadline(name));
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.tools.iter().map(|tool| tool.descriptor().name);
        formatter.debug_list().entries(names).finish()
    }
}

fn is_name(name: &str) -> bool {
    name.len() <= MAXIMUM_NAME_LENGTH
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
}
