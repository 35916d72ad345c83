#!/bin/bash
# test/odds/run.sh
#		The formulas and tables of doc/uniqueness.md: are they those that tables.c
#		prints, from model.h and the headers of src?
#
#	test/odds/run.sh			shows what differs; status 1 if anything does
#	test/odds/run.sh --write	puts formulas and tables into the document
#
# PG_CONFIG names the installation whose headers are used; no server is needed.

set -e -o pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."

DOC=doc/uniqueness.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

make -s -f test/plain/programs.mk PG_CONFIG="${PG_CONFIG:-pg_config}" OUT="$scratch" FLAGS=-O2 \
	PROGRAMS=test/odds/tables
"$scratch/tables" >"$scratch/tables.md"

if [ "${1:-}" = --write ]; then
	awk 'NR == FNR {
			if (/^<!-- odds: /) name = $3
			block[name] = block[name] $0 "\n"
			next
		}
		/^<!-- odds: / { on = 1; printf "%s", block[$3] }
		!on { print }
		/^<!-- end -->/ { on = 0 }' "$scratch/tables.md" "$DOC" >"$scratch/new"
	cat "$scratch/new" >"$DOC"
	exit
fi

# The document may have the blocks in another order.
blocks() {
	awk '/^<!-- odds: / { name = $3 } name { print name, ++n[name], $0 } /^<!-- end -->/ { name = "" }' "$1" |
		sort -s -k 1,1 -k 2n,2
}
diff <(blocks "$scratch/tables.md") <(blocks "$DOC")
