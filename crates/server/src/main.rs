// The default allocator keeps freed memory and is slower under many small answers.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    wishbone_server::cli::command::main(std::env::args_os().skip(1))
}
