#!/bin/sh
# Installs and starts what the full test run needs beside Python: bubblewrap, a Docker engine with
# the worker image, and PostgreSQL's programs.
#
# System packages are installed only as root in a container, in CI, or with SYSTEM=1. Elsewhere it
# names what is missing, what that is for, and what will be left out; in CI a gap is an error.
set -u
BIN=${BIN:-.venv/bin}
missing=""

say() { echo "services: $*"; }
have() { command -v "$1" >/dev/null 2>&1; }
have_postgres() { ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || have initdb; }
in_container() { [ -e /.dockerenv ] || [ -e /run/.containerenv ] || grep -qs 'container=' /proc/1/environ; }
may_install() {
    [ "$(id -u)" = 0 ] && have apt-get && { [ -n "${CI:-}" ] || [ "${SYSTEM:-}" = 1 ] || in_container; }
}

wanted=""
have bwrap || wanted="$wanted bubblewrap"
have dockerd || docker info >/dev/null 2>&1 || wanted="$wanted docker.io"
have debootstrap || docker info >/dev/null 2>&1 || wanted="$wanted debootstrap"
have_postgres || wanted="$wanted postgresql"
if [ -n "$wanted" ] && may_install; then
    say "installing$wanted"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $wanted >/dev/null ||
        say "some packages could not be installed"
fi

engine_answers() { docker info >/dev/null 2>&1; }
if ! engine_answers && have dockerd && [ "$(id -u)" = 0 ] && { may_install || [ "${SYSTEM:-}" = 1 ]; }; then
    say "starting the Docker engine"
    mkdir -p out
    setsid nohup dockerd >out/dockerd.log 2>&1 </dev/null &
    tries=0
    until engine_answers || [ "$tries" -ge 120 ]; do tries=$((tries + 1)); sleep 0.5; done
fi

if engine_answers; then
    $BIN/grader sandbox build || say "the worker image could not be built"
fi

have bwrap || missing="$missing
  bubblewrap: the sandbox without a daemon (tests marked bwrap)"
engine_answers || missing="$missing
  a running Docker engine (Debian: docker.io): the reference sandbox (tests marked docker)"
have_postgres || missing="$missing
  postgresql: the store at scale (tests marked postgres)"
if [ -n "$missing" ]; then
    say "not here, so their tests are left out:$missing"
    say "install them, or run as root with SYSTEM=1"
    [ -z "${CI:-}" ] || exit 1
fi
exit 0
