//! Packs the client for npm, as `npm pack` would: the same files give the same bytes. The server serves it compressed.

use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::{env, fs};

use tar::{Builder, Header};

/// What the package has besides `dist`.
const FILES: [&str; 4] = ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "package.json"];
const DIST: &str = "dist";
/// When npm says that files were changed: in 1985, in seconds.
const CHANGED: u64 = 499_162_500;

fn main() -> Result<()> {
    let sdk = path("CARGO_MANIFEST_DIR")?.join("../../sdk");
    let mut files: Vec<PathBuf> = FILES.map(PathBuf::from).to_vec();
    collect(&sdk, Path::new(DIST), &mut files)?;
    files.sort();
    let mut archive = Builder::new(Vec::new());
    for file in files {
        let content = fs::read(sdk.join(&file))?;
        let mut header = Header::new_ustar();
        header.set_mode(0o644);
        header.set_mtime(CHANGED);
        header.set_size(content.len() as u64);
        archive.append_data(&mut header, Path::new("package").join(&file), &content[..])?;
        println!("cargo::rerun-if-changed={}", sdk.join(file).display());
    }
    println!("cargo::rerun-if-changed={}", sdk.join(DIST).display());
    fs::write(path("OUT_DIR")?.join("wishbone-sdk.tar"), archive.into_inner()?)
}

/// A path that Cargo sets now: where it was when this was compiled may be gone, if several clones share a target directory.
fn path(variable: &str) -> Result<PathBuf> {
    env::var_os(variable).map(PathBuf::from).ok_or_else(|| Error::other(format!("{variable} is set by Cargo")))
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            collect(root, &path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
