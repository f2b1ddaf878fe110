//! Random bytes for secrets and ids, from the operating system.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::failure::{Failure, Result};

/// Bytes from the operating system's generator.
pub(crate) fn bytes<const N: usize>() -> Result<[u8; N]> {
    let path = Path::new("/dev/urandom");
    let mut bytes = [0; N];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|error| Failure::at(path, &error))?;
    Ok(bytes)
}
