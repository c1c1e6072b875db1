//! Opens files that anybody with access to the folder may have put there. A pipe, a device or an endless file is an
//! error at once, and never blocks.

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;

use crate::error::{FOLDER, StateError};

/// The size limit of a file that people write. A policy of a thousand rules needs a tenth of it.
pub const MOST: u64 = 1024 * 1024;

/// Opens a file, or creates it if `options` say so. Anything but a regular file is an error.
///
/// # Errors
/// It cannot be opened, or is not a regular file.
pub fn open(path: &Path, options: &OpenOptions) -> Result<File, StateError> {
    let mut options = options.clone();
    // A pipe without a writer would block the thread, and a terminal would become this process's controlling
    // terminal.
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    options.custom_flags(i32::try_from(flags).expect("the flags of a file have few bits"));
    match options.open(path) {
        Ok(file) => {
            let kind = file.metadata().map_err(StateError::io(path))?.file_type();
            regular(path, kind).map(|()| file)
        }
        // Opening a folder for writing fails, and so does opening a pipe without a reader. The error must say what
        // the path is.
        Err(error) => match path.metadata() {
            Ok(found) => regular(path, found.file_type()).and(Err(StateError::io(path)(error))),
            Err(_) => Err(StateError::io(path)(error)),
        },
    }
}

fn regular(path: &Path, kind: FileType) -> Result<(), StateError> {
    if kind.is_file() {
        return Ok(());
    }
    let found = match kind {
        kind if kind.is_dir() => FOLDER,
        kind if kind.is_fifo() => "a named pipe (FIFO)",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    };
    Err(StateError::NotAFile { path: path.to_owned(), found })
}

/// Reads a file of at most this many bytes; `None` if there is none.
///
/// # Errors
/// It cannot be read, is not a regular file, or is larger than `most`.
pub fn bytes(path: &Path, most: u64) -> Result<Option<Vec<u8>>, StateError> {
    let file = match open(path, OpenOptions::new().read(true)) {
        Err(StateError::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let size = file.metadata().map_err(StateError::io(path))?.len();
    let mut bytes = Vec::new();
    if size <= most {
        // The file may grow while it is read.
        file.take(most + 1).read_to_end(&mut bytes).map_err(StateError::io(path))?;
    }
    if size > most || bytes.len() as u64 > most {
        return Err(StateError::TooLarge { path: path.to_owned(), most });
    }
    Ok(Some(bytes))
}

/// Reads a text file of at most this many bytes; `None` if there is no file.
///
/// # Errors
/// As for [`bytes`], or the file is not UTF-8.
pub fn text(path: &Path, most: u64) -> Result<Option<String>, StateError> {
    let Some(bytes) = bytes(path, most)? else { return Ok(None) };
    let damaged =
        |_| StateError::Damaged { path: path.to_owned(), error: "expected text in UTF-8".to_owned() };
    String::from_utf8(bytes).map(Some).map_err(damaged)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn only_regular_files_of_bounded_size_are_read_and_opened() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let fifo = |path: &Path| mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        fifo(&at("fifo"));
        std::fs::create_dir(at("folder")).unwrap();
        let _listener = UnixListener::bind(at("socket")).unwrap();
        for (name, target) in [("endless", "/dev/zero"), ("nothing", "/dev/null"), ("piped", "fifo")] {
            symlink(target, at(name)).unwrap();
        }
        for (name, expected) in [
            ("fifo", "pipe"),
            ("piped", "pipe"),
            ("folder", "folder"),
            ("endless", "device"),
            ("nothing", "device"),
        ] {
            let wrong = text(&at(name), MOST).unwrap_err().to_string();
            assert!(wrong.contains(name) && wrong.contains(expected), "{wrong}");
            let wrong = open(&at(name), OpenOptions::new().append(true).create(true)).unwrap_err();
            assert!(wrong.to_string().contains(expected), "{wrong}");
        }
        assert!(text(&at("socket"), MOST).unwrap_err().to_string().contains("a socket"));
        let huge = File::create(at("huge")).unwrap();
        huge.set_len(2 << 30).unwrap();
        assert!(text(&at("huge"), MOST).unwrap_err().to_string().contains("larger than 1 MiB"));
        huge.set_len(MOST).unwrap();
        assert_eq!(text(&at("huge"), MOST).unwrap().unwrap().len() as u64, MOST);
        assert!(text(&at("missing"), MOST).unwrap().is_none());
    }
}
