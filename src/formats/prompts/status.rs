//! The HTTP status of a failed call, out of the free text that a tracer kept of its error.

/// Classes of errors in clients of providers, and the status that each stands for.
const CLASSES: &[(&str, u16)] = &[
    ("BadRequest", 400),
    ("ValidationException", 400),
    ("invalid_request_error", 400),
    ("Authentication", 401),
    ("PermissionDenied", 403),
    ("NotFound", 404),
    ("RateLimit", 429),
    ("Throttling", 429),
    ("InternalServer", 500),
    ("Overloaded", 529),
];

/// The status that a text states, or that the class of the error stands for.
pub(in crate::formats) fn of(text: &str) -> Option<u16> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    let stated =
        words.filter(|word| word.len() == 3).find_map(|word| word.parse().ok().filter(|n| (400..600).contains(n)));
    stated.or_else(|| CLASSES.iter().find(|(class, _)| text.contains(class)).map(|(_, status)| *status))
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn a_stated_status_comes_before_a_class() {
        assert_eq!(of("Error code: 400 - {'type': 'error'}"), Some(400));
        assert_eq!(of("BadRequestError("), Some(400));
        assert_eq!(of("acme.RateLimitError: slow down, 12 left"), Some(429));
        assert_eq!(of("400"), Some(400));
        assert_eq!(of("the kiln is cold"), None);
    }
}
