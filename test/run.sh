#!/bin/bash
# test/run.sh
#		What "make test" runs: every check and test, against a private copy of
#		PostgreSQL (tools/setup.sh).
#
# TESTS selects stages, and tests within one: TESTS="unit regress:uuid_v7
# tap:003_crash".  Without it the stages of STAGES run.  Those of MORE_STAGES need
# other software, or a server or library that was built for them, and run when
# TESTS names them.  The results of what fails are copied to test/output/.
#
# The last line is "N passed, N failed"; it counts static checks, builds, unit
# assertions, those of ent and dieharder, searches of models, fuzzing harnesses,
# regression tests, isolation specs, assertions of clients, frameworks and TAP
# tests.  A stage that runs no test has failed, unless it says that they are
# skipped.
#
# Read from the environment: TESTS, GID_SANITIZE (options of gcc for the unit tests,
# default: the sanitizers of addresses and of undefined behaviour), GID_COPT (options
# of gcc for gid.so), and what tools/setup.sh reads.

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"

STAGES="static build unit model fuzz regress isolation clients tap"
MORE_STAGES="assertions sanitizers randomness frameworks npm others coverage"
: "${TESTS:=$STAGES}"
OUTPUT=$GID_ROOT/test/output
SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all"

# What a server logs when an assertion, a sanitizer or a signal ends a process.
CRASH='^TRAP:|was terminated by signal|: runtime error: |: AddressSanitizer: '

# The version of pg_bsd_indent whose layout the tree has; others differ in a
# few places.
INDENT_VERSION=2.1.1

passed=0
failed=0
skipped=0
stage_passed=0
stage_failed=0
failures=()

# ---- counting ----

# pass COUNT / fail NAME [COUNT]
pass() { stage_passed=$((stage_passed + $1)); }

fail() {
	stage_failed=$((stage_failed + ${2:-1}))
	failures+=("$stage: $1")
}

# check NAME LOG COMMAND...: a static check; its output is shown if it fails.
check() {
	local name=$1 log=$GID_LOGS/$2
	shift 2
	if gid_run "$log" 600 "$@"; then
		pass 1
	else
		fail "$name"
		gid_say "  $name failed:"
		gid_tail "$log"
		keep "$log"
	fi
}

# keep FILE...: into test/output/STAGE/, where they outlive the work directory.
keep() {
	local file
	for file in "$@"; do
		if [ -e "$file" ] && mkdir -p "$OUTPUT/$stage" 2>/dev/null; then
			cp -R "$file" "$OUTPUT/$stage/" 2>/dev/null
			chown -R --reference="$GID_ROOT" "$OUTPUT" 2>/dev/null
		fi
	done
}

# chosen STAGE NAME...: those names that TESTS selects, one a line.
chosen() {
	local stage=$1 name word
	shift
	for name in "$@"; do
		for word in $TESTS; do
			case $word in
				"$stage" | "$stage:$name") echo "$name"; break ;;
			esac
		done
	done
}

# names GLOB SUFFIX: the tree's files that match, without directory and suffix.
names() {
	local file
	for file in "$GID_TREE"/$1; do
		[ ! -e "$file" ] || basename "$file" "$2"
	done
}

# known STAGE NAME: does the stage have this test?
known() {
	local file
	case $1 in
		unit) file=test/unit/$2.c ;;
		regress) file=sql/$2.sql ;;
		isolation) file=test/isolation/specs/$2.spec ;;
		clients | frameworks) file=test/$1/$2 ;;
		npm) file=test/frameworks/$2 ;;
		tap) file=test/t/$2.pl ;;
		others) file=test/others/$2.pl ;;
		*) return 1 ;;
	esac
	[ -e "$GID_ROOT/$file" ]
}

# tap_count FILE: passed, failed and skipped top-level assertions of a TAP
# stream, a broken plan as one failure.  A bare "ok" is prove's own line.  A newer
# prove reports a file that is skipped in words of its own.
tap_count() {
	awk '
		/^ok [0-9]+.*# *(skip|SKIP)/ { skip++; seen++; next }
		/^ok [0-9]+/ { ok++; seen++; next }
		/^not ok .*# *TODO/ { skip++; seen++; next }
		/^not ok [0-9]+/ { bad++; seen++; next }
		/^1\.\.0 .*[Ss][Kk][Ii][Pp]/ { skip++; planned = 1; next }
		/^test\/(t|others)\/[^ ]* \.\. skipped: / && !planned { skip++; planned = 1; next }
		/^1\.\.[0-9]+/ { plan = substr($1, 4); planned = 1 }
		/^Bail out!/ { broken = 1 }
		END {
			if (!planned || broken || (plan != "" && plan != seen))
				bad += (bad == 0)
			print ok + 0, bad + 0, skip + 0
		}' "$1"
}

# ---- stages ----

# The server checks assertions, unless only gid.so was compiled with them.
stage_assertions() {
	gid_cluster_start assertions "fsync = off"
	[ -n "${GID_COPT:-}" ] || check "SHOW debug_assertions is on" assertions-server.log \
		bash -c 'psql -XAtq -d postgres -c "SHOW debug_assertions" | grep -x on'
	check "gid.so calls ExceptionalCondition()" assertions-gid.log \
		bash -c 'nm -D "$1" | grep -w ExceptionalCondition' bash "$GID_TREE/gid.so"
	gid_cluster_stop assertions || fail "the server did not stop"
}

# gid.so was compiled with sanitizers.  The clusters of the next stages run with the
# address sanitizer's library, which has to be loaded before all others.  That library
# starts at the first malloc(), and deadlocks when a libc function calls malloc() with a
# lock held, as bindtextdomain() does in the start of a library of the server.  So
# first.so, which the linker starts before the others, calls malloc().
stage_sanitizers() {
	local library first=$GID_WORK/first.so
	library=$(gcc -print-file-name=libasan.so)
	printf '%s\n' '#include <stdlib.h>' \
		'__attribute__((constructor)) static void start(void) { free(malloc(1)); }' >"$GID_WORK/first.c"
	cat >"$GID_WORK/postgres" <<-END
		#!/bin/sh
		LD_PRELOAD=$library:$first exec "$GID_BIN/postgres" "\$@"
	END
	chmod 755 "$GID_WORK/postgres"
	check "a library that starts the address sanitizer" sanitizers-first.log \
		gcc -shared -fPIC -fno-builtin -Wl,-z,initfirst -o "$first" "$GID_WORK/first.c"
	check "the server runs with the address sanitizer" sanitizers-server.log \
		"$GID_WORK/postgres" --version
	check "gid.so calls both sanitizers" sanitizers-gid.log \
		bash -c 'names=$(nm -D "$1") && [[ $names == *__asan_report_load* && $names == *__ubsan_handle_* ]]' \
		bash "$GID_TREE/gid.so"
	GID_POSTGRES=$GID_WORK/postgres
}

# Which lines of gid.so have run.
stage_coverage() {
	check "the tests that ran reach lines of src" coverage.log \
		bash "$GID_TREE/test/coverage.sh" --report "$GID_TREE"
	cat "$GID_LOGS/coverage.log"
	cp "$GID_TREE/coverage-missed" "$GID_LOGS/missed" && keep "$GID_LOGS/missed" "$GID_LOGS/coverage.log"
}

# What can be told without a server.
stage_static() {
	if [ "$(pg_bsd_indent --version 2>/dev/null | awk '{ print $2 }')" = "$INDENT_VERSION" ]; then
		check "make format-check" format.log bash "$GID_TREE/tools/format.sh" --check
	else
		gid_say "  make format-check left out: it needs pg_bsd_indent $INDENT_VERSION"
	fi
	check "every test has its expected output and the reverse" pairs.log \
		bash -c 'cd "$1" && diff <(printf "%s\n" sql/*.sql | sed "s,.*/,,; s,\.sql$,,") \
			<(printf "%s\n" expected/*.out | sed "s,.*/,,; s,\.out$,,") &&
			diff <(ls test/isolation/specs | sed "s,\.spec$,,") \
			<(ls test/isolation/expected | sed "s,\.out$,,")' bash "$GID_TREE"
	check "each file of src includes its own floor and those below, in no circle" floors.log \
		perl "$GID_TREE/test/floors.pl"
	check "a step up and a circle that are planted are found" floors-planted.log \
		bash -c 'cp -R "$1/src" "$1/test/floors.pl" "$2/" && mkdir "$2/test" && mv "$2/floors.pl" "$2/test/" &&
			echo "#include \"id/families.h\"" >>"$2/src/base/args.c" &&
			echo "#include \"sequence/draw.h\"" >>"$2/src/sequence/block.c" &&
			! out=$(perl "$2/test/floors.pl") && echo "$out" &&
			[[ $out == *"above it"*"a circle"* ]]' bash "$GID_TREE" "$(gid_as mktemp -d "$GID_WORK/floors.XXXXXX")"
	check "what the comments of src and of the models name is there" names.log \
		env -C "$GID_TREE" PG_CONFIG="$GID_PG_CONFIG" perl test/symbols.pl
	check "names that are planted there are found" names-planted.log \
		env -C "$GID_TREE" PG_CONFIG="$GID_PG_CONFIG" perl test/symbols.pl --planted
	check "the faults of test/planted apply" planted.log \
		bash "$GID_TREE/test/planted.sh" --check
	check "META.json and what must agree with it" meta.log \
		env -C "$GID_TREE" perl test/meta.pl
	check "faults that are planted there are found" meta-planted.log \
		env -C "$GID_TREE" perl test/meta.pl --planted
	check "the manual's code is that of test/clients and test/frameworks" clients-manual.log \
		env -C "$GID_TREE" perl test/clients/manual.pl
	check "code that differs is found" clients-manual-planted.log \
		env -C "$GID_TREE" perl test/clients/manual.pl --planted
	check "every link of the documents leads somewhere" links.log \
		env -C "$GID_TREE" perl test/links.pl
	check "faults that are planted in the documents are found" links-planted.log \
		env -C "$GID_TREE" perl test/links.pl --planted
	check "the formulas and tables of doc/uniqueness.md are those of test/odds" odds.log \
		env PG_CONFIG="$GID_PG_CONFIG" bash "$GID_TREE/test/odds/run.sh"
	if command -v python3 >/dev/null; then
		check "the manual's pictures are those of tools/pictures.py" pictures.log \
			env -C "$GID_TREE" PYTHONDONTWRITEBYTECODE=1 python3 tools/pictures.py --check
		check "the manual's figures are those of doc/bench" figures.log \
			bash -c 'cd "$1" && python3 test/bench/report --check README.md doc/*.md' bash "$GID_TREE"
	else
		gid_say "  the manual's pictures and figures left out: there is no python3"
	fi
	check "every test that the manual names is there" named.log \
		bash -c 'cd "$1" && named=$(grep -ohE "\b0[0-9]{2}_[a-z_]+" README.md doc/*.md | sort -u) &&
			for test in $named; do ls test/*/"$test.pl" || exit 1; done' bash "$GID_TREE"
}

# What the compiler and the linker say.  Each build has a copy of the sources.
# The server fixes the parameters of its hooks and callbacks, used or not.
stage_build() {
	local include
	include=$(gid_as "$GID_PG_CONFIG" --includedir-server)
	build werror "-isystem $include" "-Wall -Wextra -Wno-unused-parameter -Werror"
	build assert "-isystem $include -DUSE_ASSERT_CHECKING=1" "-Wall -Wextra -Wno-unused-parameter -Werror"
	check "only names that start with gid_ are exported" symbols.log \
		bash -c 'nm -D --defined-only "$1" | awk "
			{ total++ }
			\$NF !~ /^(gid_|pg_finfo_gid_|Pg_magic_func\$|_PG_init\$|_init\$|_fini\$)/ { print \$NF; bad = 1 }
			END { exit bad || total == 0 }"' bash "$GID_TREE/gid.so"
	# Code that acts as another role, or runs SQL, is what a database's owner attacks.
	check "nothing that runs SQL or changes the role" sql.log \
		bash -c '! nm -D --undefined-only "$1" | grep -E " (SPI_|SetUserId)"' bash "$GID_TREE/gid.so"
	# A DSA area counts the processes that attach and never those that end.
	check "nothing that counts connections and never forgets them" dsa.log \
		bash -c '! nm -D --undefined-only "$1" | grep -E "dsa_(attach|create)"' bash "$GID_TREE/gid.so"
}

# build NAME CPPFLAGS CFLAGS
build() {
	local dir=$GID_WORK/build-$1
	if ! gid_as mkdir "$dir" || ! gid_as cp -R "$GID_TREE/Makefile" \
			"$GID_TREE"/gid.control "$GID_TREE/src" "$dir/"; then
		fail "could not copy the sources"
		return
	fi
	gid_as find "$dir" \( -name '*.o' -o -name '*.bc' \) -delete
	check "build with $3${2#-isystem*server}" "build-$1.log" \
		make -s -C "$dir" -j2 PG_CONFIG="$GID_PG_CONFIG" with_llvm=no \
		PG_CPPFLAGS="$2" PG_CFLAGS="$3" all
}

# Each file of test/unit is a program; it runs in the tree's top directory.
stage_unit() {
	local name log programs='' dir=$GID_WORK/unit
	gid_as mkdir -p "$dir"
	chosen unit $(names 'test/unit/*.c' .c) >"$GID_LOGS/unit.names"
	while read -r name; do
		programs+=" test/unit/$name"
	done <"$GID_LOGS/unit.names"
	gid_run "$GID_LOGS/unit-build.log" 600 make -C "$GID_TREE" -s -k -j"$(nproc)" \
		-f test/plain/programs.mk PG_CONFIG="$GID_PG_CONFIG" OUT="$dir" PROGRAMS="$programs" \
		FLAGS="-g -O1 -fno-omit-frame-pointer ${GID_SANITIZE-$SANITIZE}" || {
		gid_tail "$GID_LOGS/unit-build.log"
		keep "$GID_LOGS/unit-build.log"
	}
	while read -r name; do
		log=$GID_LOGS/unit-$name.log
		if [ ! -x "$dir/$name" ]; then
			fail "$name does not compile"
			continue
		fi
		gid_run "$log" 120 env UBSAN_OPTIONS=print_stacktrace=1 bash -c \
			'cd "$1" && exec "$2"' bash "$GID_TREE" "$dir/$name"
		tap_result "$name" "$log" $?
	done <"$GID_LOGS/unit.names"
}

# Permuted consecutive ids, judged by ent and dieharder.
stage_randomness() { script test/randomness/run.sh; }

# The protocols' models, searched by spin.
stage_model() { script test/model/run.sh MODEL_JOBS="$(nproc)" MODEL_WITHOUT="${MODEL_WITHOUT:-}"; }

# A short run of each harness, the same inputs every time.
stage_fuzz() { script test/fuzz/run.sh FUZZ_ENGINE=driver FUZZ_RUNS=100000; }

# script FILE [VARIABLE=VALUE...]: one whose output is TAP.
script() {
	local file=$GID_TREE/$1 log=$GID_LOGS/$stage.log
	shift
	gid_run "$log" 600 env PG_CONFIG="$GID_PG_CONFIG" "$@" bash "$file"
	tap_result "$stage" "$log" $?
}

# tap_result NAME LOG STATUS: counts the assertions of a test that has run; its
# own status is 0 when none failed.  What the test says by "# total: " is shown.
tap_result() {
	local ok bad skip
	read -r ok bad skip <<<"$(tap_count "$2")"
	sed -n 's/^# total: /    /p' "$2"
	[ "$3" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
	[ $((ok + bad + skip)) -gt 0 ] || bad=1
	pass "$ok"
	skipped=$((skipped + skip))
	[ "$skip" -eq 0 ] || { gid_say "  $1: $skip skipped"; grep -hE '# *[Ss][Kk][Ii][Pp]|^test/(t|others)/[^ ]* \.\. skipped: ' "$2" | sort | uniq -c | sed 's/^/    /'; }
	[ "$bad" -gt 0 ] || return 0
	fail "$1" "$bad"
	gid_say "  $1: $bad failed (status $3):"
	grep -n -A 12 '^not ok' "$2" | head -n 60 | sed 's/^/    | /'
	gid_tail "$2" 25
	keep "$2"
	return 1
}

# Those of FIRST_TESTS, a pattern, come first.
stage_regress() {
	# shellcheck disable=SC2046
	pg_regress REGRESS ISOLATION regression \
		$(chosen regress $(names 'sql/*.sql' .sql | sed -nE "/^(${FIRST_TESTS:-})/p") \
			$(names 'sql/*.sql' .sql) | awk '!seen[$0]++')
}

stage_isolation() {
	# shellcheck disable=SC2046
	pg_regress ISOLATION REGRESS output_iso/regression \
		$(chosen isolation $(names 'test/isolation/specs/*.spec' .spec))
}

# pg_regress VARIABLE OTHER RESULT NAME...: PGXS's installcheck, with this list
# alone, in a cluster of its own.
pg_regress() {
	local variable=$1 other=$2 result=$3 log=$GID_LOGS/$stage.log rc ok bad
	shift 3
	[ $# -gt 0 ] || return 0
	gid_cluster_start "$stage" "fsync = off"
	gid_run "$log" 900 make -C "$GID_TREE" PG_CONFIG="$GID_PG_CONFIG" \
		"$variable=$*" "$other=" TAP_TESTS= installcheck
	rc=$?
	gid_cluster_stop "$stage" || fail "the server did not stop"
	# 15: "test name ... ok"; from 16 on: "ok 1 - name"
	ok=$(grep -cE '^(test .*|     .*)\.\.\. ok |^ok [0-9]+ ' "$log")
	bad=$(grep -cE '^(test .*|     .*)\.\.\. FAILED|^not ok [0-9]+ ' "$log")
	[ $((ok + bad)) -eq $# ] || bad=$((bad + 1))
	[ $rc -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
	pass "$ok"
	if grep -E "$CRASH" "$GID_WORK/$stage.log" >"$GID_LOGS/crash"; then
		bad=$((bad + 1))
		gid_say "  the server crashed:"
		gid_tail "$GID_LOGS/crash"
	fi
	[ "$bad" -gt 0 ] || return 0
	fail "$bad failed, see test/output/$stage" "$bad"
	grep -E '\.\.\. FAILED|^not ok ' "$log" | sed 's/^/  /'
	if [ -s "$GID_TREE/$result.diffs" ]; then
		head -n 200 "$GID_TREE/$result.diffs" | sed 's/^/    | /'
	else
		gid_tail "$log"
		gid_tail "$GID_WORK/$stage.log" 15
	fi
	keep "$log" "$GID_TREE/$result.diffs" "$GID_WORK/$stage.log"
}

# Programs that use gid through the drivers of other languages.
stage_clients() { programs clients 'with_*'; }

# The same through frameworks and a connection pool.
stage_frameworks() {
	programs frameworks 'with_*.py' 'with_*.java'
}

# What uses packages of npm.
stage_npm() {
	gid_as cp -R "$GID_TREE/test/frameworks/node/." "$GID_WORK/node"
	if gid_run "$GID_LOGS/npm.log" 240 npm install --prefix "$GID_WORK/node" --no-audit --no-fund \
		--no-update-notifier --ignore-scripts --fetch-timeout 30000; then
		programs frameworks 'with_*.js'
	else
		fail "npm did not install the packages"
		gid_tail "$GID_LOGS/npm.log" 5
	fi
}

# programs FOLDER GLOB...: runs programs of test/FOLDER, each in a database of its own.
# One without its driver says that it is skipped.
programs() {
	local name file log rc needs java=/usr/share/java/postgresql.jar folder=test/$1
	shift
	gid_cluster_start "$stage" "fsync = off" "gid.authority = 0" "gid.node_no = 1"
	# shellcheck disable=SC2046
	for name in $(chosen "$stage" $(for glob; do names "$folder/$glob" ''; done)); do
		file=$GID_TREE/$folder/$name
		log=$GID_LOGS/$name.log
		gid_as createdb "${name%.*}"
		case $name in
			*.py)
				needs=python3
				set -- /usr/bin/python3 "$file" ;;
			*.js)
				needs=node
				set -- node "$file" ;;
			*.java)
				needs=javac
				# shellcheck disable=SC2016
				set -- bash -c 'javac -d "$1" "$3" && exec java -XX:TieredStopAtLevel=1 -cp "$1:$2" Main' \
					bash "$GID_WORK/java-${name%.*}" "$java" "$file" ;;
		esac
		if ! command -v "$needs" >/dev/null; then
			echo "1..0 # SKIP there is no $needs" >"$log"
			rc=0
		elif [ "$needs" = javac ] && [ ! -e "$java" ]; then
			echo "1..0 # SKIP the package libpostgresql-jdbc-java is not there" >"$log"
			rc=0
		else
			gid_run "$log" 120 env PGDATABASE="${name%.*}" PYTHONDONTWRITEBYTECODE=1 \
				PYTHONPATH="$GID_TREE/test/clients" \
				NODE_PATH="$GID_WORK/node/node_modules" \
				PATH="$GID_BIN:$PATH:$GID_WORK/unpacked/usr/sbin:/usr/sbin" "$@"
			rc=$?
		fi
		tap_result "$name" "$log" "$rc"
	done
	gid_cluster_stop "$stage" || fail "the server did not stop"
}

# TAP tests of gid alone, and those with other software.
stage_tap() { tap_files t; }
stage_others() { tap_files others; }

# tap_files FOLDER: each file of test/FOLDER is run by itself, in a directory of its own.
# More run at a time than there are processors, because a file often waits: for a clock,
# a limit of time, a server that starts.
tap_files() {
	local folder=$1 name log rc seconds pgxs dir=$GID_WORK/tap
	pgxs=$(dirname "$(gid_as "$GID_PG_CONFIG" --pgxs)")/../..
	gid_as mkdir -p "$dir"
	gid_run "$GID_LOGS/template.log" 120 initdb -D "$dir/template" -A trust --no-sync
	# shellcheck disable=SC2046
	chosen "$stage" $(names "test/$folder/*.pl" .pl) >"$GID_LOGS/tap.names"
	# shellcheck disable=SC2016
	gid_run - 3600 env PATH="$GID_BIN:$PATH:$GID_WORK/unpacked/usr/sbin" bash -c 'xargs -a "$1" -P "$((2 * $(nproc)))" -n 1 bash "${@:2}"' bash \
		"$GID_LOGS/tap.names" "$GID_TREE/test/tap.sh" "$GID_TREE" "$pgxs" "$dir" "$folder"
	while read -r name; do
		log=$GID_LOGS/tap-$name.log
		rc=1 seconds=0
		cp "$dir/$name/tap" "$log" 2>/dev/null || : >"$log"
		[ ! -e "$dir/$name/end" ] || read -r rc seconds <"$dir/$name/end"
		tap_result "$name" "$log" "$rc" || keep "$dir/$name"/tmp_check/log/*
		# a test may not notice that a background process crashed
		if grep -hs -A 20 '^TRAP:' "$dir/$name"/tmp_check/log/* >"$GID_LOGS/trap"; then
			fail "$name: an assertion failed in a server"
			gid_say "  $name: an assertion failed in a server:"
			head -n 60 "$GID_LOGS/trap" | sed 's/^/    | /'
			keep "$dir/$name"/tmp_check/log/*
		fi
	done <"$GID_LOGS/tap.names"
}

# ---- the run ----

run_stage() {
	local start before=$skipped
	start=$(gid_seconds)
	stage=$1
	stage_passed=0
	stage_failed=0
	"stage_$stage"
	if [ $((stage_passed + stage_failed + skipped - before)) -eq 0 ]; then
		fail "no test was run"
		gid_say "  no test was run"
	fi
	passed=$((passed + stage_passed))
	failed=$((failed + stage_failed))
	gid_say "$stage: $stage_passed passed, $stage_failed failed, $(gid_since "$start")"
}

summary() {
	local line
	gid_say ""
	for line in ${failures[@]+"${failures[@]}"}; do
		gid_say "failed: $line"
	done
	[ "$failed" -eq 0 ] || gid_say "what failed is in $OUTPUT"
	[ "$skipped" -eq 0 ] || gid_say "$skipped skipped"
	gid_say "$(gid_since "$began") in all, PostgreSQL $GID_MAJOR"
	gid_say "$passed passed, $failed failed"
	[ "$failed" -eq 0 ] || exit 1
	exit 0
}

# test/mutants.sh takes the functions only.
[ "${BASH_SOURCE[0]}" = "$0" ] || return 0

began=$(gid_seconds)
for word in $TESTS; do
	case " $STAGES $MORE_STAGES " in
		*" ${word%%:*} "*) ;;
		*) gid_die "TESTS: \"${word%%:*}\" is not one of: $STAGES $MORE_STAGES" ;;
	esac
	[[ $word != *:* ]] || known "${word%%:*}" "${word#*:}" ||
		gid_die "TESTS: ${word%%:*} has no test \"${word#*:}\""
done

gid_setup test
rm -rf "$OUTPUT"
gid_say "gid tests with PostgreSQL $GID_MAJOR, as user $GID_USER, in $GID_WORK"

stage=install
if ! gid_install ${GID_COPT:+COPT="$GID_COPT"}; then
	fail "the build"
	failed=1
	gid_tail "$GID_LOGS/install.log"
	gid_tail "$GID_LOGS/install2.log"
	keep "$GID_LOGS"/install*.log
	summary
fi
for stage in assertions sanitizers $STAGES randomness frameworks npm others coverage; do
	! gid_selected "$stage" || run_stage "$stage"
done
summary
