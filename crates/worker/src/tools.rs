//! The tools that turns may use. Registering one is one line: here, or in `flarebot_tool` for those that need nothing of
//! the platform and of no feature.

use flarebot_tool::{Tool, Toolbox};
use std::cell::RefCell;
use std::rc::Rc;

thread_local! {
    static TOOLBOX: RefCell<Rc<Toolbox>> = RefCell::new(Rc::new(flarebot_memory::with_tools(flarebot_tool::builtin())));
}

/// Adds a tool to those that every turn from now on may use. For bundles that bring tools of their own.
pub fn register_tool(tool: impl Tool + 'static) {
    TOOLBOX.with_borrow_mut(|toolbox| *toolbox = Rc::new(Toolbox::clone(toolbox).with(tool)));
}

/// The tools as they are now.
pub(crate) fn toolbox() -> Rc<Toolbox> {
    TOOLBOX.with_borrow(Rc::clone)
}
