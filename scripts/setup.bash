# What the stages of ./test need, brought in when a stage first asks for it. Sourced by ./test.
#
# Only rustup's own parts (components, targets) are installed outside of target/.

TARGET=${CARGO_TARGET_DIR:-$PWD/target}
TOOLS=$TARGET/tools
VENVS=$TOOLS/python
INSTRUMENTED=$TARGET/instrumented
PATH=$TOOLS/bin:$PATH

CARGO_LLVM_COV=0.9.1
CARGO_DENY=0.20.2
CARGO_FUZZ=0.13.2
CARGO_SBOM=0.10.0
MDBOOK=0.5.4

export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-auto}

# A default toolchain of the version that rust-toolchain.toml names serves as well, and need not be fetched again.
named=$(sed -n 's/^channel = "\(.*\)"$/\1/p' rust-toolchain.toml)
if [[ -z ${RUSTUP_TOOLCHAIN-} && $(cd / && rustc --version 2>/dev/null) == "rustc $named "* ]]; then
    default=$(cd / && rustup show active-toolchain 2>/dev/null) && export RUSTUP_TOOLCHAIN=${default%% *}
fi

# A part of the toolchain that a minimal installation leaves out.
need_component() {
    local installed
    installed=$(rustup component list --installed 2>/dev/null) || return 0 # no rustup: the system's toolchain has it, or says so
    grep -q "^$1" <<<"$installed" || rustup component add "$1"
}

need_target() {
    local library
    library=$(rustc --print target-libdir --target "$1") && [[ -d $library ]] || rustup target add "$1"
}

# The compiler that counts which code an input reaches. Only rustup brings it.
need_nightly() {
    if ! command -v rustup >/dev/null; then
        echo "skipped: fuzzing needs a nightly compiler, which rustup would install"
        return "$SKIPPED"
    fi
    rustup toolchain list | grep -q '^nightly-' && return
    rustup toolchain install nightly --profile minimal >/dev/null 2>&1 && return
    echo "skipped: rustup cannot install a nightly compiler here"
    return "$SKIPPED"
}

# need_cargo_tool NAME VERSION [OPTION ...]: builds a cargo subcommand once; unoptimised, since that takes a third of the time.
need_cargo_tool() {
    local name=$1 version=$2
    [[ $("$name" --version 2>/dev/null || cargo "${name#cargo-}" --version 2>/dev/null) == *" "?(v)"$version"* ]] && return
    printf 'building %s %s\n' "$name" "$version"
    cargo install --quiet --debug --locked --root "$TOOLS" --target-dir "$TOOLS/build" "$name@$version" "${@:3}" &&
        rm -rf "$TOOLS/build"
}

# need_python_packages NAME REQUIREMENTS: a virtual environment of its own.
need_python_packages() {
    local venv=$VENVS/$1
    cmp -s "$2" "$venv/installed" && return
    [[ -x $venv/bin/pip ]] || make_venv "$venv" || return
    if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$2"; then
        unreachable_or_failed "$venv/bin/python" -m pip download --quiet --no-deps --dest "$TOOLS/probe" pip
        return
    fi
    cp "$2" "$venv/installed"
}

# Debian keeps a part of Python that this needs in a package of its own.
make_venv() {
    python3 -m venv "$1" 2>/dev/null && return
    rm -rf "$1"
    if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
        apt-get update -qq && apt-get install -qq -y python3-venv && python3 -m venv "$1"
    else
        echo "python3 cannot make virtual environments; install python3-venv" >&2
        return 1
    fi
}

# Sets NODE to a Node.js that is new enough; leaves it empty where there is none.
need_node() {
    need_python_packages node scripts/node-requirements.txt || return
    NODE=$VENVS/node/bin/node
}

# need_node_packages FOLDER [WHERE]: what the lock file in the folder names.
need_node_packages() {
    local packages=${2:-$TOOLS/node}
    cmp -s "$1/package-lock.json" "$packages/installed" && return
    mkdir -p "$packages"
    cp "$1/package.json" "$1/package-lock.json" "$packages/"
    if ! (PATH=$VENVS/node/bin:$PATH && cd "$packages" && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error); then
        unreachable_or_failed env PATH="$VENVS/node/bin:$PATH" npm view npm version
        return
    fi
    cp "$1/package-lock.json" "$packages/installed"
}

# Debian's OCI registry, unpacked and not installed, since its package would also start a service.
need_registry() {
    REGISTRY=$(command -v docker-registry || echo "$TOOLS/registry/usr/bin/docker-registry")
    [[ -x $REGISTRY ]] && return
    mkdir -p "$TOOLS/registry"
    if (cd "$TOOLS/registry" && apt-get download -qq docker-registry && dpkg -x docker-registry_*.deb .) >/dev/null 2>&1; then
        return
    fi
    REGISTRY=
    echo "skipped: there is no docker-registry here, and apt-get cannot bring it"
}

# After a failed download: a registry that cannot be reached at all is a reason to skip, anything else is a failure.
unreachable_or_failed() {
    "$@" >/dev/null 2>&1 && return 1
    printf 'skipped: the package registry cannot be reached (`%s` failed)\n' "$*"
    return "$SKIPPED"
}

# Runs cargo, or a program that cargo built, so that what it executes is counted. Clippy compiles the workspace: it is rustc with
# more lints, so one build serves the tests and the stage `clippy`.
instrumented() {
    need_component llvm-tools && need_cargo_tool cargo-llvm-cov "$CARGO_LLVM_COV" || return
    (
        export CARGO_TARGET_DIR=$INSTRUMENTED
        if need_component clippy >&2 && command -v clippy-driver >/dev/null; then
            export RUSTC_WORKSPACE_WRAPPER=clippy-driver
        fi
        environment=$(cargo llvm-cov show-env --sh 2>/dev/null) && eval "$environment" && "$@"
    )
}

# Builds the workspace and all its tests, for every stage that runs one of its programs. A build of one package alone would choose
# other features for its dependencies, and so compile nearly all of them a second time, wasmtime too.
build_tested() {
    instrumented cargo --color never build --workspace --all-targets "$@"
}

# The oldest macOS that the program runs on. Each build for a Mac says so, and they can share what they build.
LEAST_MACOS=12.0

# The folders of this machine that compilers write into a program, each with the name that stands there for it. The last one
# that fits counts. cargo keeps the sources of each registry in a folder of their own.
named_paths() {
    local folder
    printf '%s=%s\n' "$HOME" /home "${CARGO_HOME:-$HOME/.cargo}" /cargo "$PWD" /iac-mcp "$TARGET" /target
    for folder in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do
        printf '%s=/crates\n' "$folder"
    done
}

# Runs something that links with zig, which carries what a linker needs to know of a Mac's system. What it links holds no path
# of this machine. A quick build has no debug information, which names each object file.
with_zig() {
    local path rust=() c=
    cargo fetch --quiet --locked || return
    while read -r path; do
        rust+=("--remap-path-prefix=$path")
        c+=" -ffile-prefix-map=$path"
    done < <(named_paths)
    CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f' && echo "${rust[*]}") CFLAGS=$c CARGO_PROFILE_DEV_DEBUG=none CARGO_PROFILE_DEV_STRIP=debuginfo \
        MACOSX_DEPLOYMENT_TARGET=$LEAST_MACOS PATH=$VENVS/mac/bin:$PATH ZIG_GLOBAL_CACHE_DIR=$TOOLS/zig CARGO_ZIGBUILD_CACHE_DIR=$TOOLS/zigbuild "$@"
}

# Sets JSC to a shell of JavaScriptCore, the engine of a Mac's osascript; on Debian its packages are unpacked below target/.
need_jsc() {
    JSC=$(command -v jsc) && return
    JSC=/System/Library/Frameworks/JavaScriptCore.framework/Versions/Current/Helpers/jsc # on a Mac it is not on the PATH
    [[ -x $JSC ]] && return
    JSC=$TOOLS/jsc/jsc
    [[ -x $JSC ]] && "$JSC" -e 1 2>/dev/null && return
    if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
        echo "skipped: there is no jsc here, and no Debian package can be unpacked"
        return "$SKIPPED"
    fi
    unpack_jsc && "$JSC" -e 1 && return
    rm -rf "$TOOLS/jsc"
    echo "skipped: JavaScriptCore could not be brought in; install libjavascriptcoregtk-4.0-bin"
    return "$SKIPPED"
}

# Its library, and what that needs of Debian's and is not here.
unpack_jsc() {
    local root=$TOOLS/jsc packages=(libjavascriptcoregtk-4.0-bin libjavascriptcoregtk-4.0-18 libicu72)
    mkdir -p "$root" && (
        cd "$root" || exit
        download() { apt-get download -qq -o APT::Sandbox::User=root "${packages[@]}" 2>/dev/null; }
        download || { [[ $(id -u) == 0 ]] && apt-get update -qq && download; }
    ) || return
    local package
    for package in "$root"/*.deb; do dpkg-deb --extract "$package" "$root" || return; done
    rm -f "$root"/*.deb
    # shellcheck disable=SC2016 # the program finds its folder when it runs
    printf '#!/bin/sh\nhere=$(dirname "$0")\nLD_LIBRARY_PATH=$(dirname "$here"/usr/lib/*/libicuuc.so.72) exec "$here/usr/bin/jsc" "$@"\n' >"$root/jsc"
    chmod +x "$root/jsc"
}
