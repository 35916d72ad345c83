#!/bin/bash
# test/model/run.sh [MODEL...]
#		Has spin search the models of gid's protocols, each *.pml here.
#
# A line "search: NAME: OPTIONS" of a model names sizes whose search is whole and finds
# nothing; those of "long search:" take minutes, up to 4 GB and gid_long in PG_TEST_EXTRA.
# MODEL_WITHOUT=yes, which is "make test-models", also takes out each safeguard, "#define
# NAME number /* KIND: ...".  There spin has to find an assertion of that name violated, or
# a process that "waits" for ever.  "without: OPTIONS" are the sizes for the safeguards that
# follow.
#
# MODEL_JOBS: searches at a time (default 2).  The output is TAP, in the order in which
# the searches end.

set -u -o pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1

LONG=$(case " ${PG_TEST_EXTRA:-} " in *" gid_long "*) echo yes ;; esac)
LIMIT=600		# seconds for a search: a busy machine needs some
MEMORY=1200		# MB

# searches MODEL: a line "MODEL|KIND|NAME|OPTIONS" for each.
searches() {
	awk -v model="$1" -v long="$LONG" -v without="${MODEL_WITHOUT:-}" '
		/^ \* search: / || (long && /^ \* long search: /) {
			sub(/^[^:]*: /, "")
			name = options = $0
			sub(/:.*/, "", name)
			sub(/^[^:]*:/, "", options)
			print model "|nothing|" name "|" options
		}
		/^ \* without:/ { sizes = $0; sub(/^[^:]*:/, "", sizes) }
		without && /^#define[ \t]+[A-Z_]+[ \t]+[0-9]+[ \t]+\/\* [a-z]+: / {
			sub(/:/, "", $5)
			print model "|" $5 "|without " $2 "|-DWITHOUT=" $2 sizes
		}' "$1.pml"
}

# check NUMBER MODEL|KIND|NAME|OPTIONS: a search, in a directory of its own.
check() {
	local model kind name options dir=$WORK/$1 how=-O0 sign
	IFS='|' read -r model kind name options <<<"$2"
	case $kind in
		nothing) how=-O1 sign='errors: 0$' ;;
		waits) sign='^pan:1: invalid end state' ;;
		*) sign="^pan:1: assertion violated *!\($kind\)" ;;
	esac
	# partial order reduction does not allow "unless"
	! grep -qw unless "$model.pml" || how+=" -DNOREDUCE"
	mkdir "$dir"
	# shellcheck disable=SC2086
	(
		cp "$model.pml" "$dir" && cd "$dir" && spin $options -a "$model.pml" &&
			gcc -w $how -DSAFETY "-DMEMLIM=$MEMORY" -o pan pan.c &&
			timeout --foreground "$LIMIT" ./pan -m1000000 -w21
	) >"$dir/log" 2>&1 </dev/null
	# a search that is not whole has found nothing as well
	if grep -Eq "$sign" "$dir/log" && { [ "$kind" != nothing ] ||
		{ grep -q '^Full statespace search for:' "$dir/log" &&
			! grep -Eq 'max search depth too small|not completed|out of memory|^error' "$dir/log"; }; }; then
		echo "ok - $model: spin finds \"$kind\": $name ($(awk '/states, stored/ { print $1 }' "$dir/log") states)"
	else
		printf '%s\n' "not ok - $model: spin finds \"$kind\": $name" \
			"$(grep -vE '^Depth=|^[[:space:]]*$' "$dir/log" | tail -n 20 | sed 's/^/#   /')"
	fi
	rm -rf "$dir"
}

for tool in spin gcc; do
	command -v "$tool" >/dev/null || { echo "test/model/run.sh: $tool is needed" >&2; exit 1; }
done
WORK=$(mktemp -d "${TMPDIR:-/tmp}/gid-model.XXXXXX") || exit 1
trap 'rm -rf "$WORK"' EXIT
trap 'exit 1' INT TERM HUP
export WORK LIMIT MEMORY
export -f check

# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(printf '%s\n' *.pml | sed 's/\.pml$//')
for model; do searches "$model"; done | awk '{ print NR; print }' >"$WORK/checks"
echo "1..$(($(wc -l <"$WORK/checks") / 2))"
xargs -d '\n' -n 2 -P "${MODEL_JOBS:-2}" -a "$WORK/checks" bash -c 'check "$@"' bash |
	awk '/^(not )?ok/ { sub(/ok/, "ok " ++n) } { print; fflush() }'
