//! Texts that a logger cut, told by the marks that loggers leave.

/// What loggers write where they cut, in the middle or at the end.
const MARKS: &[&str] = &["(litellm_truncated skipped ", "[truncated by logger]", "<truncated by logger>"];

/// What loggers write at the very end of what they cut.
const ENDS: &[&str] = &["...[truncated]", "…[truncated]", "... [truncated]", "...(truncated)", "... (truncated)"];

/// Whether a logger cut this text. Tools write such words too, so only marks that stand where a logger puts them count.
pub fn is_cut(text: &str) -> bool {
    let tail = text.trim_end();
    ENDS.iter().any(|end| tail.ends_with(end)) || (text.len() > 20 && MARKS.iter().any(|mark| text.contains(mark)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_loggers_count_where_they_put_them() {
        assert!(is_cut("1100 degrees ... (litellm_truncated skipped 9000 chars. Set a limit) ... cooled"));
        assert!(is_cut("The kiln was...[truncated]"));
        assert!(!is_cut("The output says ...[truncated] and goes on."));
        assert!(!is_cut("The list was truncated."));
    }
}
