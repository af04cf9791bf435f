//! How full a window a request makes.

use crate::transcript::Prompt;

use super::Target;

/// The size of a lone request beside the window that it has to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Tokens of the prompt and those reserved for output.
    pub total: u64,
    pub window: u64,
    /// The log states the size; else it is our own estimate.
    pub is_exact: bool,
}

impl Load {
    /// The load of a prompt on a target; `None` for one that is no lone request, or where no window is known.
    pub fn of(prompt: &Prompt, target: &Target) -> Option<Load> {
        let counted = prompt.envelope().counted;
        let stated = counted.and_then(|counted| counted.window).map(u64::from);
        let window = stated.or_else(|| target.window())?;
        let total = prompt.envelope().in_window.or_else(|| prompt.lone_size())?;
        Some(Load { total, window, is_exact: counted.is_some() })
    }
}
