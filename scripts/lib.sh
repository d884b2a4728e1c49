# shellcheck shell=bash
# What ./scripts/test and ./scripts/with-postgres share: talking to the person at the terminal,
# finding and installing programs, and ending what was started. Sourced, never run.

say() { printf '%s\n' "$@" >&2; } # a line for each argument
die() { say "$(basename "$0"): $*"; exit 1; }

# ---- Programs ------------------------------------------------------------------------------

missing_packages=() # apt packages that would provide what is missing
problems=()         # what apt cannot provide here, each with the next step

has() { command -v "$1" >/dev/null 2>&1; }

# May this run install packages: as root, or with a sudo that asks for no password?
may_install() { has apt-get && { [[ $EUID -eq 0 ]] || { has sudo && sudo -n true 2>/dev/null; }; }; }

as_root() { if [[ $EUID -eq 0 ]]; then "$@"; else sudo -n "$@"; fi; }

# How a person types a command that needs root.
sudo_word() { if [[ $EUID -ne 0 ]]; then printf 'sudo '; fi; }

apt_get() {
  # Another apt (unattended-upgrades on a fresh machine) may hold the lock: wait for it.
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=300 -o APT::Install-Recommends=false "$@" </dev/null >&2
}

apt_lists_empty() { ! compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null; }

apt_updated=
apt_update() {
  say "Reading the package lists (apt-get update) ..."
  apt_get update || die "apt-get update failed (see above). Next step: make it work, then run this again."
  apt_updated=yes
}

# The version apt would install of a package; nothing if it offers none.
apt_offers() {
  has apt-cache || return 0
  if apt_lists_empty && may_install; then apt_update; fi
  LC_ALL=C apt-cache policy "$1" 2>/dev/null | awk '$1 == "Candidate:" && $2 != "(none)" { print $2 }'
}

# Installs what the need_* functions found missing, or ends with the exact next step.
install_missing() {
  local command problem
  command="$(sudo_word)apt-get update && $(sudo_word)apt-get install -y ${missing_packages[*]}"
  if ((${#missing_packages[@]})) && ! may_install; then
    if has apt-get; then
      problems+=("These packages are missing: ${missing_packages[*]}
(and this script may not install them: it is not root, and sudo asks for a password).
  Next step:  $command")
    else
      problems+=("These Debian packages, or your system's equivalents, are missing: ${missing_packages[*]}
  Next step:  install them (this script installs only where there is apt-get).")
    fi
  fi
  if ((${#problems[@]})); then
    for problem in "${problems[@]}"; do say "" "$problem"; done
    say ""
    die "something the tests need is missing; nothing was run. Take the next step above, then run this again."
  fi
  ((${#missing_packages[@]})) || return 0

  if apt_lists_empty; then apt_update; fi
  say "Installing with apt-get: ${missing_packages[*]} ..."
  if ! apt_get install "${missing_packages[@]}"; then
    # Old lists name files that the mirror no longer has.
    if [[ -z $apt_updated ]]; then
      apt_update
      apt_get install "${missing_packages[@]}" || die "could not install. Next step:  $command"
    else
      die "could not install. Next step:  $command"
    fi
  fi
  missing_packages=()
  hash -r
}

# The folder of the newest PostgreSQL server's programs. Debian keeps them out of PATH, and a
# client-only package makes the folder too, so the server's own programs are looked for.
postgres_bin() {
  local dir path
  while read -r dir; do
    if [[ -x $dir/initdb && -x $dir/postgres ]]; then printf '%s\n' "$dir"; return; fi
  done < <(compgen -G '/usr/lib/postgresql/*/bin' | sort -rV)
  if path=$(command -v postgres) && [[ -x ${path%/*}/initdb ]]; then printf '%s\n' "${path%/*}"; return; fi
  return 1
}

# Tests of mail talk to aiosmtpd, of Debian's own Python; openssl makes its certificate.
need_smtp() {
  /usr/bin/python3 -c 'import aiosmtpd' 2>/dev/null || missing_packages+=(python3-aiosmtpd)
  has openssl || missing_packages+=(openssl)
}

need_postgres() { postgres_bin >/dev/null || missing_packages+=(postgresql); }

# The fault machine has clusters of its own, and a clock that jumps.
need_faults() {
  [[ " ${missing_packages[*]} " == *" postgresql "* ]] || need_postgres
  compgen -G '/usr/lib/*/faketime/libfaketimeMT.so.1' >/dev/null || missing_packages+=(faketime)
}

# ---- Processes -----------------------------------------------------------------------------

# Sets process_state, process_parent and process_start; fails when there is no such process. The
# start time tells a process from a later one that got the same number.
process_facts() { # PID
  local stat='' fields
  { read -r -d '' stat <"/proc/$1/stat"; } 2>/dev/null || true
  [[ -n $stat ]] || return 1
  read -ra fields <<<"${stat##*) }" # the name before it may hold anything
  process_state=${fields[0]}
  process_parent=${fields[1]}
  process_start=${fields[19]}
}

# "PID:START" of a process and everything below it, the process itself first.
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
    # shellcheck disable=SC2206 # numbers separated by blanks
    queue+=(${children[$pid]-})
  done
}

still_runs() { # PID:START
  process_facts "${1%:*}" && [[ $process_state != Z && $process_start == "${1#*:}" ]]
}

# Waits until all of the processes are gone, at most so many seconds.
wait_gone() { # SECONDS PID:START ...
  local deadline=$((SECONDS + $1)) process
  shift
  for process in "$@"; do
    while still_runs "$process"; do
      ((SECONDS < deadline)) || return 1
      sleep 0.05
    done
  done
}

signal_those_left() { # SIGNAL PID:START ...
  local signal=$1 process
  shift
  for process in "$@"; do
    if still_runs "$process"; then kill "-$signal" "${process%:*}" 2>/dev/null || true; fi
  done
}

# Ends a process that this script started, and what that one started: first it alone, so that
# it can tidy up; then what it left behind (cargo leaves its test programs); by force at last.
stop_process() { # PID SIGNAL SECONDS-TO-TIDY-UP
  local tree
  mapfile -t tree < <(process_tree "$1")
  ((${#tree[@]})) || return 0
  signal_those_left "$2" "${tree[0]}"
  wait_gone "$3" "${tree[0]}" || true
  signal_those_left TERM "${tree[@]}"
  wait_gone 5 "${tree[@]}" || true
  signal_those_left KILL "${tree[@]}"
}

# Runs a command as if in the foreground (it has the terminal's input, and Ctrl-C reaches it),
# but so that a signal to this script is acted on at once: bash lets traps wait for a
# foreground command, and not for `wait`.
child_pid=
run_child() {
  local status=0
  env --default-signal=INT,QUIT -- "$@" <&0 &
  child_pid=$!
  wait "$child_pid" || status=$?
  child_pid=
  return "$status"
}

stop_child() { # SECONDS-TO-TIDY-UP
  if [[ -n $child_pid ]]; then stop_process "$child_pid" TERM "$1"; child_pid=; fi
}

# Ends through the EXIT trap, whatever the signal.
exit_on_signals() {
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}
ignore_signals() { trap '' HUP INT TERM; }
