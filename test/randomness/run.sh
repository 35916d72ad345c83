#!/bin/bash
# test/randomness/run.sh
#		Do permuted consecutive ids look random?  Asks ent and dieharder, of Debian.
#
#	test/randomness/run.sh				TAP on standard output; status 1 if anything fails
#	test/randomness/run.sh --planted	shows that the checks fail with no rounds and with two
#
# PG_CONFIG names the installation whose headers are used; no server is needed.
# GID_RANDOMNESS_SHOW=1 shows what was measured.
#
# The ids are 1, 2, 3, ... and the keys are fixed, so that each run has the same
# result.  Each id is written with all its bits and no other ones (ids.c), so
# nothing is left out and the bit of a bigint that is always 0 does not disturb.
# With 32 bits 64 MB are a part of 1/256 of all ids; with fewer bits they would be so
# large a part that a permutation is told from random numbers, in which values
# come twice.
#
# What ent must say of n = 2^26 bytes:
#	chi square 161 to 378: with 255 degrees of freedom one of a million is less,
#		one of a million is more
#	entropy 7.999995 or more: chi square / (2 ln 2 n) is what is missing to 8, that
#		is 0.000004 for a chi square of 378
#	mean 127.5 within 5 standard deviations of 73.9 / sqrt(n), 0.045
#	pi within 5 standard deviations of n / 6 points, 4 * 0.4105 / sqrt(n / 6), 0.00245
#	serial correlation within 5 standard deviations of 1 / sqrt(n), 0.00061
# dieharder says FAILED where p is below a millionth.
#
# These tools do not see much: of 63 bits, two rounds pass.  What a small range
# shows over many keys is checked by test/unit/test_permute.c.

set -u -o pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1

MB=64
PG_CONFIG=${PG_CONFIG:-pg_config}

# Bits and key: the first bytes of 00 01 02 ..., zeros, the digits of pi.
STREAMS="
63 000102030405060708090a0b0c0d0e0f
63 00000000000000000000000000000000
56 243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89
53 000102030405060708090a0b0c0d0e0f
32 000102030405060708090a0b0c0d0e0f"

# dieharder's tests, and of how many bits: birthday spacings, count the ones,
# runs, monobit.  The key is the first one.
DIEHARDER="
0 63
0 32
8 32
15 63
15 32
100 63
100 32"

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# compile NAME [ROUNDS]: the program, perhaps with another number of rounds.
compile() {
	mkdir -p "$scratch/$1/layout" && cp src/layout/permutation.[ch] "$scratch/$1/layout/" || return 1
	[ -z "${2:-}" ] || sed -i "s/^\(#define GID_PERMUTE_ROUNDS\)\t.*/\1 $2/" "$scratch/$1/layout/permutation.h"
	gcc -std=gnu11 -O2 -Wall -Wextra -Werror -DFRONTEND -I"$scratch/$1" -Isrc \
		-isystem "$("$PG_CONFIG" --includedir-server)" -o "$scratch/$1/ids" \
		test/randomness/ids.c "$scratch/$1/layout/permutation.c" -L"$("$PG_CONFIG" --pkglibdir)" -lpgcommon -lpgport
}

# check_ent NAME BITS KEY
check_ent() {
	"$scratch/$1/ids" "$2" "$3" $((MB << 20)) | timeout 120 ent -t |
		awk -F, -v n=$((MB << 20)) -v bits="$2" -v key="$3" '
		function off(value, mean) { return value > mean ? value - mean : mean - value }
		/^1,/ {
			lines++
			print "# " $0
			bad = $2 != n || $3 < 7.999995 || $4 < 161 || $4 > 378 ||
				off($5, 127.5) > 0.045 || off($6, 3.14159265) > 0.00245 || off($7, 0) > 0.00061
		}
		END {
			print (bad || lines != 1 ? "not ok" : "ok") " - ent: " bits " bits, key " substr(key, 1, 8) "..."
		}'
}

# check_dieharder NAME BITS KEY TEST: the stream goes on for as long as it reads.
check_dieharder() {
	"$scratch/$1/ids" "$2" "$3" 2000000000 | timeout 120 dieharder -g 200 -d "$4" |
		awk -F'|' -v bits="$2" -v key="$3" -v test="$4" '
		NF == 6 && $6 ~ /PASSED|WEAK|FAILED/ {
			lines++
			print "# " $0
			bad += $6 ~ /FAILED/
		}
		END {
			print (bad || !lines ? "not ok" : "ok") " - dieharder -d " test ": " bits " bits, key " substr(key, 1, 8) "..."
		}'
}

# Waits until a processor is free.
turn() {
	while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
		wait -n
	done
}

# check NAME: all checks of a program, their lines without numbers.
check() {
	local bits key test n=100
	while read -r bits key; do
		[ -n "$bits" ] || continue
		n=$((n + 1))
		turn
		check_ent "$1" "$bits" "$key" >"$scratch/$1/result.$n" &
	done <<<"$STREAMS"
	while read -r test bits; do
		[ -n "$test" ] || continue
		n=$((n + 1))
		turn
		check_dieharder "$1" "$bits" 000102030405060708090a0b0c0d0e0f "$test" >"$scratch/$1/result.$n" &
	done <<<"$DIEHARDER"
	wait
	cat "$scratch/$1"/result.*
}

for program in ent dieharder gcc; do
	command -v "$program" >/dev/null ||
		{ echo "Bail out! there is no $program; Debian: apt-get install ent dieharder"; exit 1; }
done

if [ "${1:-}" = --planted ]; then
	rc=0
	for rounds in 0 2; do
		compile "rounds$rounds" "$rounds" || exit 1
		check "rounds$rounds" >"$scratch/planted"
		cat "$scratch/planted"
		if grep -q '^not ok' "$scratch/planted"; then
			echo "$rounds rounds: $(grep -c '^not ok' "$scratch/planted") of $(grep -cE '^(not )?ok' "$scratch/planted") checks fail"
		else
			echo "$rounds rounds: no check fails"
			rc=1
		fi
	done
	exit $rc
fi

compile ids || { echo "Bail out! ids.c does not compile"; exit 1; }
check ids | awk -v show="${GID_RANDOMNESS_SHOW:-}" '
	/^# / { measured = measured $0 "\n"; next }
	/^(not )?ok / {
		bad += /^not/
		sub(/ok - /, "ok " ++n " - ")
		print
		if (/^not/ || show != "")
			printf "%s", measured
		measured = ""
	}
	END { print "1.." n; exit bad > 0 || n == 0 }'
