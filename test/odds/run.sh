#!/bin/bash
# test/odds/run.sh
#		Checks doc/uniqueness.md: simulations of what it calculates, and its
#		formulas and tables against the program that prints them.
#
#	test/odds/run.sh			TAP on standard output; status 1 if anything fails
#	test/odds/run.sh --write	puts formulas and tables into the document
#
# PG_CONFIG names the installation whose headers are used; no server is needed.
# GID_SEED chooses other random numbers, GID_ODDS_SHOW=1 shows what was counted.

set -u -o pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1

DOC=doc/uniqueness.md
PROGRAMS="uuids numbers"
PG_CONFIG=${PG_CONFIG:-pg_config}

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# block NAME FILE: what stands between "<!-- odds: NAME -->" and "<!-- end -->".
block() {
	awk -v name="$1" '/^<!-- odds: / { on = $3 == name } on; /^<!-- end -->/ { on = 0 }' "$2"
}

make -s -k -j2 -f test/plain/programs.mk PG_CONFIG="$PG_CONFIG" OUT="$scratch" FLAGS=-O2 \
	PROGRAMS="$(printf 'test/odds/%s ' tables $PROGRAMS)" >"$scratch/build.log" 2>&1 ||
	sed 's/^/# /' "$scratch/build.log"
"$scratch/tables" >"$scratch/tables.md" ||
	{ echo "Bail out! the tables cannot be made"; exit 1; }

if [ "${1:-}" = --write ]; then
	awk 'NR == FNR {
			if (/^<!-- odds: /) name = $3
			block[name] = block[name] $0 "\n"
			next
		}
		/^<!-- odds: / { on = 1; printf "%s", block[$3] }
		!on { print }
		/^<!-- end -->/ { on = 0 }' "$scratch/tables.md" "$DOC" >"$scratch/new" &&
		cat "$scratch/new" >"$DOC"
	exit
fi

# The programs count their own assertions; one plan comes out, with what follows.
{
	for program in $PROGRAMS; do
		if [ -x "$scratch/$program" ]; then
			timeout 120 "$scratch/$program" || echo "not ok - $program: status $?"
		else
			echo "not ok - $program does not compile"
		fi
	done
	grep '^<!-- odds' "$DOC" | sort >"$scratch/in_doc"
	grep '^<!-- odds' "$scratch/tables.md" | sort >"$scratch/printed"
	if diff "$scratch/printed" "$scratch/in_doc" | sed 's/^/# /'; then
		echo "ok - the document has every formula and table"
	else
		echo "not ok - the document has every formula and table"
	fi
	while read -r _ _ name _; do
		if diff <(block "$name" "$scratch/tables.md") <(block "$name" "$DOC") | sed 's/^/# /'; then
			echo "ok - doc/uniqueness.md: $name"
		else
			echo "not ok - doc/uniqueness.md: $name"
		fi
	done <"$scratch/printed"
} 2>&1 | awk '
	/^1\.\.[0-9]+$/ { next }
	/^(not )?ok / {
		bad += /^not/
		sub(/ok [0-9]* ?- /, "ok " ++n " - ")
	}
	{ print }
	END { print "1.." n; exit bad > 0 || n == 0 }'
