#!/bin/bash
# test/fuzz/run.sh
#		What "make fuzz" runs: fuzz_idtext.c, with sanitizers, as TAP.
#
# Read from the environment:
#	FUZZ_RUNS		inputs, 1000000 without it
#	FUZZ_SEED		of the random inputs, 1 without it
#	FUZZ_ENGINE		libfuzzer (clang with its runtime) or driver (gcc, random inputs);
#					without it libfuzzer where clang has it
#	PG_CONFIG		whose headers and libraries are used
#
# The input that ended the program is kept in test/output/fuzz/.

set -u
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
output=test/output/fuzz

engine=${FUZZ_ENGINE:-}
if [ -z "$engine" ]; then
	engine=driver
	! echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
		clang -x c -fsanitize=fuzzer,address -o "$work/probe" - 2>/dev/null || engine=libfuzzer
fi
sanitize=address,undefined compiler=gcc driver=-DFUZZ_DRIVER
[ "$engine" = driver ] || sanitize+=,fuzzer compiler=clang driver=

if ! make -s -k -f test/plain/programs.mk CC="$compiler" PG_CONFIG="${PG_CONFIG:-pg_config}" \
	OUT="$work" PROGRAMS=test/fuzz/fuzz_idtext \
	FLAGS="-g -O2 -fno-omit-frame-pointer -fsanitize=$sanitize -fno-sanitize-recover=all $driver"; then
	echo "Bail out! fuzz_idtext does not compile"
	exit 1
fi
mkdir -p "$output"
if [ "$engine" = driver ]; then
	"$work/fuzz_idtext" "${FUZZ_RUNS:-1000000}" "${FUZZ_SEED:-1}"
else
	"$work/fuzz_idtext" -runs="${FUZZ_RUNS:-1000000}" -seed="${FUZZ_SEED:-1}" -max_len=128 \
		-timeout=25 -artifact_prefix="$output/"
fi >"$work/log" 2>&1
rc=$?
rmdir "$output" 2>/dev/null
[ $rc -eq 0 ] || grep -vE '^(#|INFO)' "$work/log" | head -n 40 | sed 's/^/# /'
[ $rc -eq 0 ] || printf 'not '
echo "ok 1 - fuzz_idtext, $engine"
echo "1..1"
exit $rc
