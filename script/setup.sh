# What the scripts share; sourced, never run. Finds what is missing, installs it where that is allowed, and otherwise
# says in one line what to install.

cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

# The newest folder that holds the programs of a Postgres server, or nothing.
postgres_folder() {
    local folder found=
    {
        if [ -n "${CUTPOINT_PG_BIN:-}" ]; then echo "$CUTPOINT_PG_BIN"; fi
        ls -d /usr/lib/postgresql/*/bin /usr/lib/postgresql*/bin /usr/libexec/postgresql* /usr/pgsql-*/bin \
            /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin 2>/dev/null | sort -rV || true
        pg_config --bindir 2>/dev/null || true
        dirname "$(command -v initdb || true)" 2>/dev/null || true
    } | while read -r folder; do
        if [ -z "$found" ] && [ -x "$folder/postgres" ] && [ -x "$folder/initdb" ] && [ -x "$folder/pg_ctl" ]; then
            found=yes
            echo "$folder"
        fi
    done
}

# install PACKAGE WHAT: by apt where we are root, else one line that says what to do.
install() {
    if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        echo "installing $1" >&2
        export DEBIAN_FRONTEND=noninteractive
        # Without a default cluster: Cutpoint runs its own.
        if [ "$1" = postgresql ] && [ ! -e /etc/postgresql-common/createcluster.conf ]; then
            mkdir -p /etc/postgresql-common
            echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
        fi
        apt-get install -y -qq --no-install-recommends "$1" >/dev/null 2>&1 </dev/null || {
            apt-get update -qq >/dev/null 2>&1 </dev/null || true
            apt-get install -y -qq --no-install-recommends "$1" >/dev/null </dev/null ||
                fail "could not install $1 ($2)"
        }
    else
        fail "$2 is missing: install it (Debian, Ubuntu: apt-get install $1) and run this again"
    fi
}

need_compiler() {
    if ! command -v cargo >/dev/null && [ -x "$HOME/.cargo/bin/cargo" ]; then
        PATH="$HOME/.cargo/bin:$PATH"
    fi
    command -v cargo >/dev/null || fail "cargo is missing: install the Rust toolchain (rustup) and run this again"
    command -v cc >/dev/null || install build-essential "a C compiler"
}

need_postgres() {
    if [ -z "$(postgres_folder)" ]; then
        install postgresql "a PostgreSQL server (15 or later)"
    fi
}
