//! Reading and writing whole files and folders, with failures that name the path.

use std::fs;
use std::path::{Path, PathBuf};

use crate::checkout;
use crate::failure::{Failure, Result};

/// Folders that never hold sources of ours, wherever they are.
const SKIPPED: [&str; 6] = [
    "target",
    "node_modules",
    ".git",
    ".wrangler",
    "test-results",
    "playwright-report",
];

/// The files below a folder in a stable order, or the file itself; nothing when the path does not exist.
pub(crate) fn below(path: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if path.is_file() {
        found.push(path.to_path_buf());
    } else if path.is_dir() {
        collect(path, &mut found)?;
        found.sort();
    }
    Ok(found)
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).map_err(|error| Failure::at(folder, &error))?;
    for entry in entries {
        let path = entry.map_err(|error| Failure::at(folder, &error))?.path();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        if path.is_dir() {
            if !SKIPPED.contains(&name.as_str()) && path != checkout::build() {
                collect(&path, found)?;
            }
        } else {
            found.push(path);
        }
    }
    Ok(())
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| Failure::at(path, &error))
}

pub(crate) fn read_text(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| Failure::at(path, &error))
}

/// Writes a file and the folders above it.
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    if let Some(folder) = path.parent() {
        create_folder(folder)?;
    }
    fs::write(path, content).map_err(|error| Failure::at(path, &error))
}

pub(crate) fn create_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|error| Failure::at(path, &error))
}

/// An empty folder, whatever was there before.
pub(crate) fn empty_folder(path: &Path) -> Result<()> {
    remove_folder(path)?;
    create_folder(path)
}

pub(crate) fn remove_folder(path: &Path) -> Result<()> {
    if path.exists() {
        fs::remove_dir_all(path).map_err(|error| Failure::at(path, &error))?;
    }
    Ok(())
}

/// Makes `destination` hold exactly the files of `source`. Files that are equal are not touched and the folder itself
/// stays, because a running development server watches it.
pub(crate) fn mirror(source: &Path, destination: &Path) -> Result<()> {
    create_folder(destination)?;
    let wanted = below(source)?;
    for file in below(destination)? {
        if file
            .strip_prefix(destination)
            .is_ok_and(|name| !source.join(name).is_file())
        {
            fs::remove_file(&file).map_err(|error| Failure::at(&file, &error))?;
        }
    }
    for file in wanted {
        let Ok(name) = file.strip_prefix(source) else {
            continue;
        };
        let target = destination.join(name);
        let content = read(&file)?;
        if fs::read(&target).is_ok_and(|present| present == content) {
            continue;
        }
        write(&target, content)?;
    }
    Ok(())
}

/// Copies what a folder holds into another one; nothing when the folder does not exist.
pub(crate) fn copy_folder(source: &Path, destination: &Path) -> Result<()> {
    for file in below(source)? {
        if let Ok(name) = file.strip_prefix(source) {
            write(&destination.join(name), read(&file)?)?;
        }
    }
    Ok(())
}
