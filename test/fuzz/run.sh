#!/bin/bash
# test/fuzz/run.sh
#		What "make fuzz" runs: the harnesses fuzz_*.c, each with its seeds.
#
#	test/fuzz/run.sh [NAME...]			all harnesses, or those named
#	test/fuzz/run.sh --faults [NAME...]	the same with each fault of the file
#										"faults" planted: it has to be found
#
# Read from the environment:
#	FUZZ_RUNS		runs of each harness, 1000000 without it
#	FUZZ_SECONDS	ends each after so many seconds, libFuzzer only
#	FUZZ_SEED		of the random numbers, 1 without it
#	FUZZ_ENGINE		libfuzzer (needs clang with its runtime), or driver (gcc and
#					driver.c, no feedback from coverage); without it the first of
#					them that is there
#	PG_CONFIG		whose headers and libraries are used
#
# Sanitizers for addresses and undefined behaviour are on in either.  Its output
# is TAP, an assertion for each harness or fault; the last line is "N passed,
# N failed".  The input and the output of what failed are copied to
# test/output/fuzz/.

set -u -o pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd -P) || exit 1
root=$(cd "$here/../.." && pwd -P) || exit 1
runs=${FUZZ_RUNS:-1000000}
seed=${FUZZ_SEED:-1}
passed=0
failed=0

die() {
	printf 'fuzz: %s\n' "$*" >&2
	exit 1
}

ok() {
	passed=$((passed + 1))
	echo "ok $((passed + failed)) - $1"
}

not_ok() {
	failed=$((failed + 1))
	echo "not ok $((passed + failed)) - $1"
}

# The first pg_config that has the server's headers: sets config.
find_pg_config() {
	local include lib
	for config in ${PG_CONFIG:-} pg_config /usr/lib/postgresql/*/bin/pg_config; do
		include=$("$config" --includedir-server 2>/dev/null) || continue
		lib=$("$config" --pkglibdir) || continue
		[ ! -e "$include/postgres_fe.h" ] || [ ! -e "$lib/libpgport.a" ] || return 0
	done
	die "PostgreSQL's server development files were not found; name them by PG_CONFIG"
}

has_libfuzzer() {
	echo '#include <stdint.h>
		#include <stddef.h>
		int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) { return d == 0 && n > 0; }' |
		clang -x c -fsanitize=fuzzer,address,undefined -o "$work/probe" - 2>/dev/null
}

# build TREE DIRECTORY NAME...: the harnesses DIRECTORY/fuzz_NAME; what the compiler
# says is in DIRECTORY/build.log
build() {
	local tree=$1 dir=$2 compiler=gcc sanitize=address,undefined driver=test/fuzz/driver
	shift 2
	if [ "$engine" = libfuzzer ]; then
		compiler=clang sanitize=fuzzer,address,undefined driver=
	fi
	make -C "$tree" -s -k -j"$(nproc)" -f test/plain/programs.mk CC="$compiler" \
		PG_CONFIG="$config" OUT="$dir" PROGRAMS="$(printf 'test/fuzz/fuzz_%s ' "$@")" EXTRA="$driver" \
		FLAGS="-g -O2 -fno-omit-frame-pointer -fsanitize=$sanitize -fno-sanitize-recover=all" \
		>"$dir/build.log" 2>&1
}

# run NAME PROGRAM DIRECTORY: its output is in DIRECTORY/log, the input that ended
# it in DIRECTORY/crash-*
run() {
	local limit=() rc
	mkdir -p "$3/corpus"
	# libFuzzer's own corpus is thrown away: every run begins with the seeds
	if [ "$engine" = libfuzzer ]; then
		[ -z "${FUZZ_SECONDS:-}" ] || limit=("-max_total_time=$FUZZ_SECONDS")
		nice -n 10 "$2" -runs="$runs" -seed="$seed" -max_len=256 -timeout=25 \
			${limit[@]+"${limit[@]}"} -artifact_prefix="$3/" "$3/corpus" \
			"$here/seeds/$1" >"$3/log" 2>&1
	else
		# of the two sanitizers' runtimes only one tells the driver of an end
		UBSAN_OPTIONS=abort_on_error=1:print_stacktrace=1 \
			FUZZ_CRASH=$3/crash-input nice -n 10 "$2" "$runs" "$seed" \
			"$here/seeds/$1"/* >"$3/log" 2>&1
	fi
	rc=$?
	return "$rc"
} 2>/dev/null					# nothing about signals from the shell

# What a run says of itself at its end.
done_runs() {
	local n
	n=$(sed -n 's/^Done \([0-9]*\) runs in .*/\1/p' "$1")
	echo "${n:-$runs}"
}

# give_up NAME DIRECTORY LOG WHY
give_up() {
	local output=$root/test/output/fuzz/$1
	not_ok "fuzz_$1: $4"
	grep -v -e '^#[0-9]' -e '^INFO' -e '^outcomes' "$3" | head -n 40 | sed 's/^/    | /'
	if mkdir -p "$output" 2>/dev/null; then
		cp "$3" "$2"/crash-* "$2"/timeout-* "$output/" 2>/dev/null
		echo "    more is in $output"
	fi
}

fuzz() {
	local name=$1 dir=$work/$1 start=$SECONDS
	mkdir -p "$dir"
	if [ ! -x "$work/fuzz_$name" ]; then
		give_up "$name" "$dir" "$work/build.log" "does not compile"
	elif ! run "$name" "$work/fuzz_$name" "$dir"; then
		give_up "$name" "$dir" "$dir/log" "a fault was found"
	elif ! grep -q '^outcomes:' "$dir/log" || grep -q ' not seen,' "$dir/log"; then
		give_up "$name" "$dir" "$dir/log" "what it is to test was not reached"
		grep '^outcomes' "$dir/log"
	else
		ok "fuzz_$name: $(done_runs "$dir/log") runs, $((SECONDS - start)) s, $engine"
		[ -z "${FUZZ_VERBOSE:-}" ] || grep '^outcomes' "$dir/log"
	fi
}

# fault NUMBER NAME FILE EDIT: the sources, but with EDIT by sed
fault() {
	local tree=$work/fault$1 what="$2, fault $1: $3, $4" rc
	mkdir -p "$tree/test" && cp -R "$root/src" "$tree/" &&
		cp -R "$here" "$root/test/plain" "$tree/test/" ||
		die "could not copy the sources"
	sed -i "$4" "$tree/$3"
	rc=0
	if cmp -s "$root/$3" "$tree/$3"; then
		not_ok "$what: nothing was changed"
		return
	elif ! build "$tree" "$tree" "$2"; then
		sed 's/^/    | /' "$tree/build.log"
		not_ok "$what: does not compile"
		return
	fi
	run "$2" "$tree/fuzz_$2" "$tree" || rc=$?
	if [ "$rc" -ne 0 ] && ls "$tree"/crash-* >/dev/null 2>&1; then
		ok "$what"
		[ -z "${FUZZ_VERBOSE:-}" ] || grep -m 3 -e 'ERROR' -e 'runtime error' \
			-e '^test/fuzz/.*: ' "$tree/log" | sed 's/^/    | /'
	else
		not_ok "$what: not found"
	fi
	rm -rf "$tree"
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
find_pg_config
engine=${FUZZ_ENGINE:-}
if [ -z "$engine" ]; then
	if has_libfuzzer; then engine=libfuzzer; else engine=driver; fi
fi
case $engine in
	libfuzzer) has_libfuzzer || die "clang with libFuzzer is missing (on Debian and Ubuntu: apt-get install clang libclang-rt-dev)" ;;
	driver) ;;
	*) die "FUZZ_ENGINE: \"$engine\" is neither libfuzzer nor driver" ;;
esac

faults=
if [ "${1:-}" = --faults ]; then
	faults=yes
	shift
fi
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
	for file in "$here"/fuzz_*.c; do
		name=$(basename "$file" .c)
		names+=("${name#fuzz_}")
	done
fi
for name in "${names[@]}"; do
	[ -e "$here/fuzz_$name.c" ] || die "there is no harness \"$name\""
done
[ -n "$faults" ] || build "$root" "$work" "${names[@]}"
for name in "${names[@]}"; do
	if [ -z "$faults" ]; then
		fuzz "$name"
		continue
	fi
	number=0
	planted=$passed
	while IFS='|' read -r of file edit; do
		number=$((number + 1))
		[ "$of" != "$name" ] || fault "$number" "$name" "$file" "$edit"
	done < <(grep -v -e '^#' -e '^$' "$here/faults")
	if [ "$planted" -eq "$passed" ] && [ "$failed" -eq 0 ]; then
		not_ok "$name: no fault was planted"
	fi
done
echo "1..$((passed + failed))"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
