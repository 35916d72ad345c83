#!/bin/bash
# tools/format.sh
#		Lays out the C sources as core's pgindent does.
#
#	tools/format.sh				formats src/*.[ch] and test/*/*.[ch] in place
#	tools/format.sh --check		shows the differences, status 1 if there are any
#	tools/format.sh --typedefs	writes typedefs.list again: the types that the
#								compiler's debug information names and that
#								the sources use
#
# The flags and the two corrections around the program are those of
# src/tools/pgindent in PostgreSQL 15 and 16.  pg_bsd_indent knows a type from
# a variable only by typedefs.list, which holds what the sources here use.

set -u -o pipefail
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 1

FLAGS="-bad -bap -bbb -bc -bl -cli1 -cp33 -cdb -nce -d0 -di12 -nfc1 -i4 -l79
	-lp -lpl -nip -npro -sac -tpg -ts4"

shopt -s nullglob
SOURCES=(src/*.[ch] src/*/*.[ch] test/*/*.[ch])

die() {
	printf 'format: %s\n' "$*" >&2
	exit 2
}

# The typedefs that occur in a source, by the debug information of all of them.
typedefs() {
	local include file
	include=$("${PG_CONFIG:-pg_config}" --includedir-server) || return
	for file in src/*.c src/*/*.c test/*/*.c; do
		gcc -std=gnu11 -g -O0 -w -Isrc -I"$include" -I"$(dirname "$include")/.." -D_GNU_SOURCE \
			-fno-eliminate-unused-debug-types \
			-c -o "$scratch/object.o" "$file" || return
		objdump --dwarf=info "$scratch/object.o"
	done | awk '/Abbrev Number/ { t = /DW_TAG_typedef/ }
		t && /DW_AT_name/ { print $NF; t = 0 }' | sort -u >"$scratch/known"
	# the preprocessor here only takes the comments away
	cat "${SOURCES[@]}" | gcc -fpreprocessed -dD -E -P -x c - 2>/dev/null |
		grep -oE '[A-Za-z_][A-Za-z0-9_]*' |
		sort -u | comm -12 - "$scratch/known"
}

# $1 laid out, on standard output.  A comment that opens with dashes stays as
# it is; a function's type on its own line keeps one blank before the star.
layout() {
	sed -e 's,/\*  *---,/*---X_X,g' "$1" |
		pg_bsd_indent $FLAGS "-U$scratch/typedefs" |
		sed -E -e 's,/\*---X_X,/* ---,g' \
			-e 's/^([A-Za-z_][^[:space:]]*)[[:space:]]+\*$/\1 */'
}

scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

mode=${1:-write}
case $mode in
	--typedefs)
		typedefs >"$scratch/new" && [ -s "$scratch/new" ] ||
			die "could not find the types"
		cat "$scratch/new" >typedefs.list
		exit ;;
	--check | write) ;;
	*) die "unknown argument \"$1\"" ;;
esac

command -v pg_bsd_indent >/dev/null ||
	die "pg_bsd_indent is missing (on Debian and Ubuntu: apt-get install pg-bsd-indent)"
[ ${#SOURCES[@]} -gt 0 ] || die "no sources found"
[ -s typedefs.list ] || die "typedefs.list is missing"

# Names that some header makes a type and that are common words elsewhere.
{
	grep -vxE 'ANY|FD_SET|U|abs|allocfunc|boolean|date|digit|ilist|interval|iterator|other|pointer|printfunc|reference|string|timestamp|type|wrap' typedefs.list
	echo bool
} >"$scratch/typedefs"

changed=0
for file in "${SOURCES[@]}"; do
	layout "$file" >"$scratch/new" && [ -s "$scratch/new" ] ||
		die "pg_bsd_indent failed on $file"
	cmp -s "$file" "$scratch/new" && continue
	changed=1
	if [ "$mode" = --check ]; then
		diff -u --label "$file" --label "$file, formatted" "$file" "$scratch/new"
	else
		cat "$scratch/new" >"$file"
		echo "formatted $file"
	fi
done
[ "$mode" != --check ] || exit "$changed"
