//! The generator: the same seed gives the same bytes, and both forms tell the same sessions.

use cutpoint::generate::{self, Form, Shape};
use cutpoint::model::{Origin, Session};
use cutpoint::source::{self, Input, Report};

fn bytes(shape: &Shape, form: Form) -> Vec<u8> {
    let mut out = Vec::new();
    generate::write(shape, form, &mut out).unwrap();
    out
}

fn read(shape: &Shape, form: Form) -> (Vec<Session>, Report) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes(shape, form)).unwrap();
    let mut sessions = Vec::new();
    let paths = [file.path().display().to_string()];
    let report = source::sessions(Input { paths: &paths, ..Input::default() }, &mut |session| sessions.push(session));
    (sessions, report.unwrap())
}

fn small() -> Shape {
    Shape { sessions: 20, ..Shape::default() }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    assert_eq!(bytes(&small(), Form::Native), bytes(&small(), Form::Native));
    assert_ne!(bytes(&small(), Form::Native), bytes(&Shape { seed: 2, ..small() }, Form::Native));
}

#[test]
fn the_bundled_sample_is_what_its_command_makes() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/demo.jsonl");
    let made = bytes(&Shape { sessions: 64, seed: 105, ..Shape::default() }, Form::Sessions);
    if std::env::var_os("CUTPOINT_WRITE_SAMPLE").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    assert!(std::fs::read(path).unwrap() == made);
}

#[test]
fn more_sessions_leave_the_first_ones_as_they_were() {
    let fewer = bytes(&Shape { sessions: 5, ..small() }, Form::Sessions);
    assert!(bytes(&small(), Form::Sessions).starts_with(&fewer));
}

#[test]
fn both_forms_tell_the_same_sessions() {
    let shape = Shape { compact_at: u32::MAX, ..small() };
    let (native, report) = read(&shape, Form::Native);
    let (whole, _) = read(&shape, Form::Sessions);
    assert_eq!((native.len(), report.n_defects, report.duplicates), (20, 0, 0));
    for (native, whole) in native.iter().zip(&whole) {
        assert_eq!(native.messages, whole.messages, "{}", native.id);
        let uptos = |session: &Session| session.calls.iter().map(|call| call.upto).collect::<Vec<_>>();
        assert_eq!(uptos(native), uptos(whole), "{}", native.id);
    }
}

#[test]
fn a_client_that_compacts_shows_and_every_message_it_sent_is_kept() {
    let shape = Shape { compact_at: 3_000, ..small() };
    let (native, _) = read(&shape, Form::Native);
    let (whole, _) = read(&shape, Form::Sessions);
    let compactions: Vec<_> = native.iter().flat_map(|session| &session.compactions).collect();
    assert!(compactions.len() > 5 && compactions.iter().all(|seen| seen.origin == Origin::Inferred));
    assert!(compactions.iter().all(|seen| !seen.evicted.is_empty() && seen.inserted.is_empty()));
    let refused = native.iter().flat_map(|session| &session.calls).filter(|call| call.reply.status == Some(400));
    assert!(refused.count() > 0);
    for (native, whole) in native.iter().zip(&whole) {
        let mut written = whole.messages.iter();
        assert!(native.messages.iter().all(|sent| written.any(|message| message == sent)), "{}", native.id);
    }
}
