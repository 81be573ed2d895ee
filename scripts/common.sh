# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# common.sh: what quickstart and test share: messages, packages, platforms. Sourced, not run.

say() { printf '%s: %s\n' "$(basename "$0")" "$*"; }
die() { printf '%s: error: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# install_packages PACKAGE...: installs those that are missing, on Debian and its kin.
# Returns non-zero, having said why, when something is missing and cannot be installed.
install_packages() {
    local missing=() as_root=() package
    command -v dpkg-query >/dev/null || return 0 # another distribution: the compilers are looked for later
    for package; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
            missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || { say "missing, and neither root nor sudo to install them: ${missing[*]}"; return 1; }
        as_root=(sudo)
    fi
    say "installing ${missing[*]}"
    local log; log=$(mktemp)
    if ! { "${as_root[@]}" apt-get update -qq &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
        tail -n 15 "$log" >&2
        rm -f "$log"
        say "could not install ${missing[*]}"
        return 1
    fi
    rm -f "$log"
}

# Those of the AMD GPUs here, "gfx90a;gfx942".
find_amd_architectures() {
    { rocm_agent_enumerator 2>/dev/null || true; } | grep -xE 'gfx[1-9][0-9a-f]+' | sort -u | paste -sd ';' || true
}

find_nvcc() { command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null; }

# The header folder that an NVIDIA build takes HIP from, or nothing.
find_hip_headers() {
    local folder
    for folder in ${SUBWAVE_HIP_INCLUDE_DIR-} "${ROCM_PATH-/opt/rocm}/include" /usr/include; do
        [ -f "$folder/hip/nvidia_detail/nvidia_hip_runtime_api.h" ] && echo "$folder" && return
    done
}

# The Debian archive that the machine's apt uses, or nothing.
find_debian_archive() {
    ! command -v apt-get >/dev/null ||
        apt-get indextargets --format "\$(LABEL)|\$(COMPONENT)|\$(REPO_URI)" 'Created-By: Packages' |
        awk -F'|' '$1 == "Debian" && $2 == "main" { print $3; exit }'
}

# count_tests REPORT: sets tests, failed and skipped to what ctest's JUnit file has.
# shellcheck disable=SC2034
count_tests() {
    tests=0 failed=0 skipped=0
    eval "$(sed -n 's/.*tests="\([0-9]*\)".*/tests=\1/p; s/.*failures="\([0-9]*\)".*/failed=\1/p; s/.*skipped="\([0-9]*\)".*/skipped=\1/p' "$1" | head -n 3)"
}

# What cmake and ctest are run by: nothing, or scripts/rocm7.
within=()

# configure_and_build PRESET FOLDER [CMAKE OPTION...] [-- TARGET...]
configure_and_build() {
    local preset=$1 folder=$2 options=() log
    shift 2
    while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1"); shift; done
    [ $# -eq 0 ] || shift
    # The builds of one run compile the CPU device's kernels alike, in another folder each.
    if "${within[@]}" sh -c 'command -v ccache' >/dev/null; then
        local launcher; launcher="env;CCACHE_NOHASHDIR=1;CCACHE_BASEDIR=$("${within[@]}" pwd);ccache"
        options+=("-DCMAKE_C_COMPILER_LAUNCHER=$launcher" "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher")
    fi
    log=$(mktemp)
    "${within[@]}" cmake --preset "$preset" -B "$folder" "${options[@]}" >"$log" 2>&1 ||
        { tail -n 30 "$log" >&2; rm -f "$log"; return 1; }
    rm -f "$log"
    "${within[@]}" cmake --build "$folder" ${1:+--target "$@"}
}

# processor_seconds: sets `seconds` to what the commands run so far have had of all processors.
# shellcheck disable=SC2034
processor_seconds() {
    local file; file=$(mktemp)
    times >"$file" # in a pipe it would be another shell's
    seconds=$(awk -F'[ms ]+' 'NR == 2 { printf "%d", $1 * 60 + $2 + $3 * 60 + $4 }' "$file")
    rm -f "$file"
}
