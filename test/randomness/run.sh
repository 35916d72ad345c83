#!/bin/bash
# test/randomness/run.sh
#		Do permuted consecutive ids look random?  Asks ent and dieharder, of Debian; TAP.
#
# PG_CONFIG names the installation whose headers are used; no server is needed.
# These tools do not see much.  With GID_PERMUTE_ROUNDS 2 in permutation.h ent tells the
# ids of 32 bits, and those of 63 bits pass.
#
# The ids are 1, 2, 3, ... and the keys are fixed, so that each run has the same
# result.  Each id is written with all its bits and no other ones (ids.c).  With 32
# bits 64 MB are a part of 1/256 of all ids; with fewer bits they would be so large a
# part that a permutation is told from random numbers, in which values come twice.
#
# What ent must say of n = 2^26 bytes:
#	chi square 161 to 378: with 255 degrees of freedom one of a million is less,
#		one of a million is more
#	entropy 7.999995 or more: chi square / (2 ln 2 n) is what is missing to 8, that
#		is 0.000004 for a chi square of 378
#	mean 127.5 within 5 standard deviations of 73.9 / sqrt(n), 0.045
#	pi within 5 standard deviations of n / 6 points, 4 * 0.4105 / sqrt(n / 6), 0.00245
#	serial correlation within 5 standard deviations of 1 / sqrt(n), 0.00061
# dieharder says FAILED where p is below a millionth: birthday spacings (-d 0), count
# the ones (8), runs (15), monobit (100).

set -u -o pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1

bytes=$((64 << 20))
key=000102030405060708090a0b0c0d0e0f
pi=243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

bail() {
	echo "Bail out! $1"
	exit 1
}

# result STATUS NAME: what was measured is shown where it fails.
n=0 failed=0
result() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		sed 's/^/# /' "$scratch/said"
		failed=1
	fi
}

# ent_is BITS KEY
ent_is() {
	"$scratch/ids" "$1" "$2" "$bytes" | timeout 120 ent -t | tee "$scratch/said" |
		awk -F, -v n="$bytes" '
		function off(value, mean) { return value > mean ? value - mean : mean - value }
		/^1,/ {
			good = $2 == n && $3 >= 7.999995 && $4 >= 161 && $4 <= 378 && off($5, 127.5) <= 0.045 &&
				off($6, 3.14159265) <= 0.00245 && off($7, 0) <= 0.00061
		}
		END { exit !good }'
	result $? "ent: $1 bits, key ${2:0:8}..."
}

# dieharder_is TEST BITS: the stream goes on for as long as dieharder reads.
dieharder_is() {
	"$scratch/ids" "$2" "$key" 2000000000 | timeout 120 dieharder -g 200 -d "$1" >"$scratch/said"
	grep -qE '\|  *(PASSED|WEAK)' "$scratch/said" && ! grep -q FAILED "$scratch/said"
	result $? "dieharder -d $1: $2 bits"
}

for program in ent dieharder; do
	command -v "$program" >/dev/null || bail "there is no $program; Debian: apt-get install ent dieharder"
done
make -s -f test/plain/programs.mk PG_CONFIG="${PG_CONFIG:-pg_config}" OUT="$scratch" FLAGS=-O2 \
	PROGRAMS=test/randomness/ids || bail "ids.c does not compile"

for bits in 63 53 32; do
	ent_is "$bits" "$key"
done
ent_is 63 00000000000000000000000000000000
ent_is 56 "$pi"
for test in 0 15 100; do
	dieharder_is "$test" 63
	dieharder_is "$test" 32
done
dieharder_is 8 32
echo "1..$n"
exit "$failed"
