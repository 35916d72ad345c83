#!/bin/bash
# test/coverage.sh
#		What "make test-coverage" runs: the tests that need a server, with a library
#		that counts which of its lines run.
#
# gcc builds the library with --coverage.  Each server process adds its counts to
# the files beside the objects when the process ends.  A process that is killed,
# or ends by an immediate shutdown, adds nothing.  So the counts of error paths
# before a crash are lower than the truth.
#
# test/run.sh calls "coverage.sh --report TREE" as its last stage.  The report is
# a line for each file of src/: the share of lines that ran, their number, the
# number of all lines.  test/output/coverage/missed has the lines that did not run.
#
# TESTS selects, as in test/run.sh; the default is "regress isolation clients tap".

set -u -o pipefail

# report: reads what gcov prints, in the directory of the sources.  A header is in
# many objects; its line ran if it ran in one of them.
report() {
	find src -name '*.gcda' -exec gcov -r -t {} + 2>/dev/null | awk -v missed=coverage-missed '
		{ count = $0; sub(/:.*/, "", count); gsub(/ /, "", count)
		  rest = $0; sub(/^[^:]*:/, "", rest)
		  line = rest + 0; sub(/^[^:]*:/, "", rest) }
		line == 0 && rest ~ /^Source:/ { file = substr(rest, 8); next }
		line == 0 || count == "-" || file !~ /^src\// { next }
		{ key = file ":" line
		  if (!(key in text)) { text[key] = rest; of[key] = file; order[++n] = key; all[file]++ }
		  if (count !~ /^[#=]/ && !(key in ran)) { ran[key] = 1; hit[file]++ } }
		END {
			for (i = 1; i <= n; i++)
				if (!(order[i] in ran))
					print order[i] ":" text[order[i]] | "sort -t: -k1,1 -k2,2n >" missed
			for (file in all) {
				printf "%6.1f %% %6d %6d  %s\n", 100 * hit[file] / all[file], hit[file], all[file], file | "sort -k5"
				hits += hit[file]; total += all[file]
			}
			close("sort -k5")
			if (total == 0)
				exit 1
			printf "%6.1f %% %6d %6d  total\n", 100 * hits / total, hits, total
		}'
}

if [ "${1:-}" = --report ]; then
	cd "$2" && report
	exit
fi
PROFILE="--coverage -O0" TESTS="${TESTS:-regress isolation clients tap} coverage" \
	exec bash "$(dirname "$0")/run.sh"
