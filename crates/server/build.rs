//! Packs the client for npm, as `npm pack` would: the same files give the same bytes. The server serves it compressed.

use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// What the package has besides `dist`.
const FILES: [&str; 4] = ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "package.json"];
const DIST: &str = "dist";
const BLOCK: usize = 512;
/// When npm says that files were changed: in 1985, in seconds.
const CHANGED: u64 = 499_162_500;

fn main() -> Result<()> {
    let sdk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sdk");
    let mut files: Vec<PathBuf> = FILES.map(PathBuf::from).to_vec();
    collect(&sdk, Path::new(DIST), &mut files)?;
    files.sort();
    let mut archive = Vec::new();
    for file in files {
        add(&mut archive, &file, &fs::read(sdk.join(&file))?)?;
        println!("cargo::rerun-if-changed={}", sdk.join(file).display());
    }
    println!("cargo::rerun-if-changed={}", sdk.join(DIST).display());
    archive.resize(archive.len() + 2 * BLOCK, 0);
    let out = env::var_os("OUT_DIR").ok_or_else(|| Error::other("OUT_DIR is set by Cargo"))?;
    fs::write(Path::new(&out).join("wishbone-sdk.tar"), archive)
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

/// Adds a file in the format of POSIX (ustar).
fn add(archive: &mut Vec<u8>, file: &Path, content: &[u8]) -> Result<()> {
    let name = format!("package/{}", file.to_string_lossy().replace('\\', "/"));
    if name.len() >= 100 {
        return Err(Error::other(format!("{name} is too long for a tar header")));
    }
    // Name, mode, owner, group, size, time; the checksum, which counts as spaces here; a file, linked to nothing.
    let size = content.len();
    let numbers = format!("0000644\00000000\00000000\0{size:011o}\0{CHANGED:011o}\0");
    let mut header = format!("{name:\0<100}{numbers}        0{:\0<100}ustar\x0000", "");
    let sum: u32 = header.bytes().map(u32::from).sum();
    header.replace_range(148..156, &format!("{sum:06o}\0 "));
    archive.extend_from_slice(header.as_bytes());
    archive.resize(archive.len().next_multiple_of(BLOCK), 0);
    archive.extend_from_slice(content);
    archive.resize(archive.len().next_multiple_of(BLOCK), 0);
    Ok(())
}
