#!/bin/bash
# The GPU tests in full, then with small tables under each tool of compute-sanitizer: one line each.
# usage: tests/gpu.sh BUILD_FOLDER [suite] [memcheck] [racecheck] [initcheck] [synccheck]
if [ ! -d "${1:-}/tests" ]; then
    echo "usage: $0 BUILD_FOLDER [suite] [memcheck] [racecheck] [initcheck] [synccheck]" >&2
    exit 2
fi
cd "$1/tests" || exit 2
shift
if ! command -v compute-sanitizer >/dev/null; then
    PATH=$PATH:/usr/local/cuda/bin
fi
[ $# -gt 0 ] || set -- suite memcheck racecheck initcheck synccheck
logs=$(mktemp -d) || exit 1
trap 'rm -rf "$logs"' EXIT
programs=$(ls test_alias_gpu_* test_rmat_gpu* test_device_headers 2>/dev/null | grep -v _none)
failed=0

sanitize() {
    local options=(--tool "$1" --error-exitcode 9 --target-processes application-only) small=1
    case $1 in
    memcheck) options+=(--leak-check full --padding 512) ;;
    racecheck) small=2 ;;
    esac
    # Failing calls of CUDA are what some of the tests are about.
    RMAT_TEST_SMALL=$small compute-sanitizer "${options[@]}" --report-api-errors no "./$2" \
        >"$logs/$1.$2" 2>&1
    echo $? >"$logs/$1.$2.status"
}

for tool in "$@"; do
    start=$SECONDS
    if [ "$tool" = suite ]; then
        if ctest -L gpu --output-on-failure >"$logs/suite" 2>&1; then
            skipped=$(grep -c 'Test.*\*\*\*Skipped' "$logs/suite")
            echo "suite: passed, $skipped programs skipped, $((SECONDS - start)) s"
        else
            failed=1
            cat "$logs/suite"
            echo "suite: FAILED, $((SECONDS - start)) s"
        fi
        continue
    fi
    for program in $programs; do
        sanitize "$tool" "$program" &
    done
    wait
    passed=0 skipped=0 bad=()
    for program in $programs; do
        case $(cat "$logs/$tool.$program.status") in
        0) passed=$((passed + 1)) ;;
        77) skipped=$((skipped + 1)) ;;
        *)
            bad+=("$program")
            echo "--- $tool, $program"
            grep -v '^=* *Host Frame' "$logs/$tool.$program" | tail -n "${RMAT_TEST_LINES:-40}"
            ;;
        esac
    done
    echo "$tool: $passed programs clean, $skipped skipped, ${#bad[@]} with errors ${bad[*]}" \
        "$((SECONDS - start)) s"
    [ ${#bad[@]} -eq 0 ] || failed=1
done
exit $failed
