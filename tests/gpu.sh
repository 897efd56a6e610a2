#!/bin/bash
# The GPU tests in full, then with small tables under each tool of compute-sanitizer: one line each.
# usage: tests/gpu.sh BUILD_FOLDER [suite] [memcheck] [racecheck] [initcheck] [synccheck]
# RMAT_TEST_LIMIT: seconds that a program may take under a tool.  RMAT_TEST_LINES: lines of a failing
# program's output to show.  RMAT_TEST_ONLY: an expression that programs, or their tests, match.
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
limit=${RMAT_TEST_LIMIT:-300}
programs=() # and the name of a test, if it shares its program
for program in $(alias/test_alias_gpu --list | sed 's|^|alias/test_alias_gpu:|') \
    $(rmat/test_rmat_gpu --list | sed 's|^|rmat/test_rmat_gpu:|'); do
    if [ -x "${program%:*}" ] && [[ $program != *_none && $program =~ ${RMAT_TEST_ONLY:-.} ]]; then
        programs+=("$program")
    fi
done
failed=0

sanitize() {
    local name start=$SECONDS options=(--tool "$1" --error-exitcode 9 --target-processes application-only) small=1
    [[ $2 != *:* ]] || name=${2#*:}
    case $1 in
    memcheck) options+=(--leak-check full --padding 512) ;;
    racecheck) small=2 ;;
    esac
    # Failing calls of CUDA are what some of the tests are about.
    RMAT_TEST_SMALL=$small timeout -k 5 "$limit" compute-sanitizer "${options[@]}" \
        --report-api-errors no "./${2%:*}" ${name:+"$name"} >"$logs/$1.${2##*/}" 2>&1
    echo $? $((SECONDS - start)) >"$logs/$1.${2##*/}.status"
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
    if ! command -v compute-sanitizer >/dev/null; then
        echo "$tool: there is no compute-sanitizer"
        exit 1
    fi
    for program in "${programs[@]}"; do
        sanitize "$tool" "$program" &
    done
    wait
    passed=0 skipped=0 longest=0 bad=()
    for program in "${programs[@]}"; do
        read -r status time <"$logs/$tool.${program##*/}.status"
        [ "$time" -lt "$longest" ] || longest=$time slowest=$program
        case $status in
        0) passed=$((passed + 1)) ;;
        77) skipped=$((skipped + 1)) ;;
        *)
            if [ "$status" = 124 ] || [ "$status" = 137 ]; then
                status="not done in $limit s"
            else
                status="exit status $status"
            fi
            bad+=("$program")
            echo "--- $tool, $program: $status"
            grep -v '^=* *Host Frame' "$logs/$tool.${program##*/}" | tail -n "${RMAT_TEST_LINES:-40}"
            ;;
        esac
    done
    echo "$tool: $passed programs clean, $skipped skipped, ${#bad[@]} with errors ${bad[*]}" \
        "$((SECONDS - start)) s, $slowest longest"
    [ ${#bad[@]} -eq 0 ] || failed=1
done
exit $failed
