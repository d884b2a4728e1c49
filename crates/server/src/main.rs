// The default allocator returns less memory to the system and is slower with many small responses.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    wishbone_server::cli::command::main(std::env::args_os().skip(1))
}
