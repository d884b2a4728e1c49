# shellcheck shell=bash
# Functions shared by the scripts in this folder: messages, package and tool installation, process cleanup.
# Source this file; do not run it.

say() { printf '%s\n' "$@" >&2; } # prints each argument on its own line
die() { say "$(basename "$0"): $*"; exit 1; }

# ---- Programs ------------------------------------------------------------------------------

missing_packages=() # apt packages to install
problems=()         # requirements that apt cannot meet, each with the next step

has() { command -v "$1" >/dev/null 2>&1; }

# True if this script may install packages: as root, or through sudo without a password.
may_install() { has apt-get && { [[ $EUID -eq 0 ]] || { has sudo && sudo -n true 2>/dev/null; }; }; }

as_root() { if [[ $EUID -eq 0 ]]; then "$@"; else sudo -n "$@"; fi; }

# The prefix for commands that the user has to type as root.
sudo_word() { if [[ $EUID -ne 0 ]]; then printf 'sudo '; fi; }

apt_get() {
  # unattended-upgrades may hold the lock on a new machine: wait for it.
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=300 -o APT::Install-Recommends=false "$@" </dev/null >&2
}

apt_lists_empty() { ! compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null; }

apt_updated=
apt_update() {
  say "Updating the package lists (apt-get update) ..."
  apt_get update || die "apt-get update failed (see above). Next step: fix the cause, then run this again."
  apt_updated=yes
}

# Prints the version of a package that apt would install, or nothing.
apt_offers() {
  has apt-cache || return 0
  if apt_lists_empty && may_install; then apt_update; fi
  LC_ALL=C apt-cache policy "$1" 2>/dev/null | awk '$1 == "Candidate:" && $2 != "(none)" { print $2 }'
}

# Installs missing_packages. Exits with the next step if it may not, or if there are problems.
install_missing() {
  local command problem
  command="$(sudo_word)apt-get update && $(sudo_word)apt-get install -y ${missing_packages[*]}"
  if ((${#missing_packages[@]})) && ! may_install; then
    if has apt-get; then
      problems+=("Missing packages: ${missing_packages[*]}
(This script cannot install them: it does not run as root, and sudo needs a password.)
  Next step:  $command")
    else
      problems+=("Missing packages (Debian names): ${missing_packages[*]}
  Next step:  install them or their equivalents. This script can install packages only with apt-get.")
    fi
  fi
  if ((${#problems[@]})); then
    for problem in "${problems[@]}"; do say "" "$problem"; done
    say ""
    die "requirements are missing; nothing was run. Take the next step above, then run this again."
  fi
  ((${#missing_packages[@]})) || return 0

  if apt_lists_empty; then apt_update; fi
  say "Installing with apt-get: ${missing_packages[*]} ..."
  if ! apt_get install "${missing_packages[@]}"; then
    # Outdated lists name files that the mirror has deleted.
    if [[ -z $apt_updated ]]; then
      apt_update
      apt_get install "${missing_packages[@]}" || die "apt-get install failed (see above). Next step:  $command"
    else
      die "apt-get install failed (see above). Next step:  $command"
    fi
  fi
  missing_packages=()
  hash -r
}

# Adds a package to missing_packages once.
need_package() { [[ " ${missing_packages[*]} " == *" $1 "* ]] || missing_packages+=("$1"); }

# Prints the directory of the newest PostgreSQL server programs. Debian does not put them into PATH. The directory
# also exists with only the client package installed, so the server programs are checked.
postgres_bin() {
  local dir path
  while read -r dir; do
    if [[ -x $dir/initdb && -x $dir/postgres ]]; then printf '%s\n' "$dir"; return; fi
  done < <(compgen -G '/usr/lib/postgresql/*/bin' | sort -rV)
  if path=$(command -v postgres) && [[ -x ${path%/*}/initdb ]]; then printf '%s\n' "${path%/*}"; return; fi
  return 1
}

need_postgres() { postgres_bin >/dev/null || need_package postgresql; }

# ---- Cargo tools ---------------------------------------------------------------------------

# Tools that take minutes to install are shared by all clones.
tools=${XDG_CACHE_HOME:-$HOME/.cache}/wishbone-tests
PATH=$PATH:$tools/bin

# Some tools know --version only after the name by which cargo calls them.
tool_version() { "$1" --version 2>/dev/null || "$1" "${1##*/cargo-}" --version 2>/dev/null; }

# Installs a cargo tool, without optimization and debug assertions: that compiles faster, and
# the tools run for seconds only. Uses cargo's target directory, $target.
install_tool() { # NAME VERSION
  local path
  if path=$(command -v "$1") && [[ $(tool_version "$path") == *"$2" ]]; then
    printf '%s %s is installed: %s\n' "$1" "$2" "$path"
    return
  fi
  printf 'Installing %s %s into %s (cargo install) ...\n' "$1" "$2" "$tools"
  if ! run_child env -u RUSTC_WORKSPACE_WRAPPER CARGO_TARGET_DIR="${target:?}/tools" CARGO_PROFILE_DEV_DEBUG=false \
    CARGO_PROFILE_DEV_DEBUG_ASSERTIONS=false CARGO_PROFILE_DEV_OVERFLOW_CHECKS=false \
    cargo install --quiet --locked --debug --root "$tools" --version "=$2" "$1"; then
    say "$1 could not be installed. Next step: fix the error above (crates.io must be reachable), then run this again."
    return 1
  fi
}

# ---- Processes -----------------------------------------------------------------------------

# Sets process_state, process_parent and process_start; fails if the process does not exist. The start time
# distinguishes a process from a later one with the same PID.
process_facts() { # PID
  local stat='' fields
  { read -r -d '' stat <"/proc/$1/stat"; } 2>/dev/null || true
  [[ -n $stat ]] || return 1
  read -ra fields <<<"${stat##*) }" # the process name before it may contain any character
  process_state=${fields[0]}
  process_parent=${fields[1]}
  process_start=${fields[19]}
}

# Prints "PID:START" of a process and all its descendants, the process itself first.
process_tree() { # PID
  local path pid queue
  local -A children=() started=()
  for path in /proc/[0-9]*; do
    pid=${path#/proc/}
    process_facts "$pid" || continue
    [[ $process_state != Z ]] || continue
    children[$process_parent]+=" $pid"
    started[$pid]=$process_start
  done
  queue=("$1")
  while ((${#queue[@]})); do
    pid=${queue[0]}
    queue=("${queue[@]:1}")
    [[ -n ${started[$pid]-} ]] || continue
    printf '%s:%s\n' "$pid" "${started[$pid]}"
    # shellcheck disable=SC2206 # numbers separated by spaces
    queue+=(${children[$pid]-})
  done
}

is_running() { # PID:START
  process_facts "${1%:*}" && [[ $process_state != Z && $process_start == "${1#*:}" ]]
}

# Waits until all processes have exited; fails after the timeout.
wait_for_exit() { # SECONDS PID:START ...
  local deadline=$((SECONDS + $1)) process
  shift
  for process in "$@"; do
    while is_running "$process"; do
      ((SECONDS < deadline)) || return 1
      sleep 0.05
    done
  done
}

signal_running() { # SIGNAL PID:START ...
  local signal=$1 process
  shift
  for process in "$@"; do
    if is_running "$process"; then kill "-$signal" "${process%:*}" 2>/dev/null || true; fi
  done
}

# Stops a child process and its descendants. The child is signalled first, so that it can clean up; then the
# descendants it left behind (cargo leaves its test binaries); SIGKILL is the last resort.
stop_process() { # PID SIGNAL CLEANUP-SECONDS
  local tree
  mapfile -t tree < <(process_tree "$1")
  ((${#tree[@]})) || return 0
  signal_running "$2" "${tree[0]}"
  wait_for_exit "$3" "${tree[0]}" || true
  signal_running TERM "${tree[@]}"
  wait_for_exit 5 "${tree[@]}" || true
  signal_running KILL "${tree[@]}"
}

# Runs a command like a foreground command (with terminal input, and Ctrl-C reaches it), but this script handles
# signals at once: bash delays traps until a foreground command ends, but not during `wait`.
child_pid=
run_child() {
  local status=0
  env --default-signal=INT,QUIT -- "$@" <&0 &
  child_pid=$!
  wait "$child_pid" || status=$?
  child_pid=
  return "$status"
}

# Runs a command like run_child, and stops it when it has printed nothing for so long: a slow command may take its time,
# one that hangs fails with status 124.
run_watched() { # SECONDS COMMAND [ARGUMENT ...]
  local limit=$1 status=0 output
  shift
  exec {output}< <(exec env --default-signal=INT,QUIT -- "$@" 2>&1)
  child_pid=$!
  # Into REPLY: IFS, which keeps blanks in a named variable, would hold in traps that run meanwhile.
  while true; do
    read -r -t "$limit" -u "$output" || { status=$?; break; }
    printf '%s\n' "$REPLY"
  done
  printf '%s' "$REPLY" # an incomplete last line
  exec {output}<&-
  # A process that the command left behind may hold its output.
  if ((status > 128)) && kill -0 "$child_pid" 2>/dev/null; then
    say "Stopped: no output for $limit seconds."
    stop_child 10
    return 124
  fi
  status=0
  wait "$child_pid" || status=$?
  child_pid=
  return "$status"
}

stop_child() { # CLEANUP-SECONDS
  if [[ -n $child_pid ]]; then stop_process "$child_pid" TERM "$1"; child_pid=; fi
}

# Makes signals run the EXIT trap.
exit_on_signals() {
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}
ignore_signals() { trap '' HUP INT TERM; }
