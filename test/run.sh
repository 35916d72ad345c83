#!/bin/bash
# test/run.sh
#		What "make test" runs: every check and test, against a private copy of
#		PostgreSQL (tools/setup.sh).
#
# TESTS selects stages, and tests within one: TESTS="unit regress:uuid_v7
# tap:003_crash".  Without it the stages of STAGES run.  The others of
# ALL_STAGES need other software, or a server or library that was built for
# them.  The results of what fails are copied to test/output/.
#
# The last line is "N passed, N failed"; it counts checks, regression tests,
# isolation specs and the assertions of TAP programs.  A stage that runs no
# test has failed, unless it says that they are skipped.
#
# Read from the environment: TESTS, GID_SANITIZE (options of gcc for the unit
# tests, default: the sanitizers of addresses and of undefined behaviour),
# GID_COPT (options of gcc for gid.so), and what tools/setup.sh reads.

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"

STAGES="static build unit simulator model fuzz regress portable isolation clients tap"
# in the order in which they run; between the first and the last three rows beside each
# other, those that need no server, those that share one, and those with servers of their own
FIRST_STAGES="assertions sanitizers"
PLAIN_STAGES="static build unit simulator model fuzz randomness"
SERVER_STAGES="regress portable isolation clients frameworks npm"
TAP_STAGES="tap others"
ALL_STAGES="$FIRST_STAGES $PLAIN_STAGES $SERVER_STAGES $TAP_STAGES coverage"
: "${TESTS:=$STAGES}"
OUTPUT=$GID_ROOT/test/output
SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all"
# The server fixes the parameters of its hooks and callbacks, used or not.
WARNINGS="-Wall -Wextra -Wno-unused-parameter"

# The regression tests that need the library.  The edition in SQL passes all others,
# without the parts between "\if :library" and "\endif".
LIBRARY="authority_answer authority_block authority_draw authority_setting contexts decimal_launch extension
	extension_schema extension_update gdid gdid_era gdid_next lookalikes node_authority reference
	sequence_altered sequence_block sequence_call sequence_error sequence_many sequence_nextval
	sequence_setval serve_nextval settings stat_backends stat_sequences"

# What a server logs when an assertion, a sanitizer or a signal ends a process.
CRASH='^TRAP:|was terminated by signal|: runtime error: |: AddressSanitizer: '

# The version of pg_bsd_indent whose layout the tree has; others differ in a
# few places.
INDENT_VERSION=2.1.1

stage_passed=0
stage_failed=0
stage_skipped=0

# ---- counting ----

# pass COUNT / fail NAME [COUNT]
pass() { stage_passed=$((stage_passed + $1)); }

fail() {
	stage_failed=$((stage_failed + ${2:-1}))
	echo "failed: $stage: $1" >>"$GID_LOGS/failures"
}

# check NAME LOG COMMAND...: its output is shown if it fails.
check() {
	local name=$1 log=$GID_LOGS/$2
	if gid_run "$log" 600 "${@:3}"; then
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
	for file; do
		[ -e "$file" ] && mkdir -p "$OUTPUT/$stage" && cp -R "$file" "$OUTPUT/$stage/"
	done 2>/dev/null
	chown -R --reference="$GID_ROOT" "$OUTPUT" 2>/dev/null
}

# chosen STAGE FILE...: those names of files that TESTS selects, without
# suffix, one a line.
chosen() {
	local stage=$1 name word
	for name in "${@:2}"; do
		name=$(basename "${name%.*}")
		for word in $TESTS; do
			[[ $word != "$stage" && $word != "$stage:$name" ]] || { echo "$name"; break; }
		done
	done
}

# known STAGE NAME: does the stage have this test?
known() {
	local -A folders=([unit]=unit [regress]=../sql [portable]=../sql [isolation]=isolation/specs [clients]=clients
		[frameworks]=frameworks [npm]=frameworks [tap]=t [others]=others)
	[ -n "${folders[$1]:-}" ] && compgen -G "$GID_ROOT/test/${folders[$1]}/$2.*" >/dev/null
}

# prove LOG SECONDS PROGRAM FILE [VARIABLE=VALUE...]: runs a file that prints
# TAP, in the tree, by a program or, without one, by itself.
prove() {
	gid_run "$1" "$2" env -C "$GID_TREE" PG_CONFIG="$GID_PG_CONFIG" "${@:5}" prove --norc -v -e "$3" "$4"
}

# tap_result NAME LOG STATUS: counts the assertions in what prove has printed.
# Its status is not 0 when one failed, when the plan is broken, and when the
# test ended with an error. What the test says by "# total: " is shown.
tap_result() {
	local ok bad skip
	ok=$(grep -E '^ok [0-9]' "$2" | grep -civE '# *skip')
	bad=$(grep -cE '^not ok [0-9]' "$2")
	skip=$(grep -ciE '^ok [0-9].*# *skip|\.\. skipped: ' "$2")
	sed -n 's/^# total: /    /p' "$2"
	[ "$bad" -gt 0 ] || [ "$3" -eq 0 ] && [ $((ok + bad + skip)) -gt 0 ] || bad=1
	pass "$ok"
	stage_skipped=$((stage_skipped + skip))
	[ "$skip" -eq 0 ] || gid_say "  $1: $(grep -iE '# *skip|\.\. skipped: ' "$2" | sort | uniq -c)"
	[ "$bad" -gt 0 ] || return 0
	fail "$1" "$bad"
	gid_say "  $1: $bad failed (status $3):"
	grep -n -A 12 '^not ok' "$2" | head -n 60 | sed 's/^/    | /'
	gid_tail "$2" 25
	keep "$2"
	return 1
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

# gid.so was compiled with sanitizers.  The clusters of the next stages run
# with the address sanitizer's library, which has to be loaded before all
# others.  That library starts at the first malloc(), and deadlocks when a libc
# function calls malloc() with a lock held, as bindtextdomain() does in the
# start of a library of the server.  So first.so, which the linker starts
# before the others, calls malloc().
stage_sanitizers() {
	local first=$GID_WORK/first.so
	printf '%s\n' '#include <stdlib.h>' \
		'__attribute__((constructor)) static void start(void) { free(malloc(1)); }' >"$GID_WORK/first.c"
	cat >"$GID_WORK/postgres" <<-END
		#!/bin/sh
		LD_PRELOAD=$(gcc -print-file-name=libasan.so):$first exec "$GID_BIN/postgres" "\$@"
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
	prove "$GID_LOGS/static.log" 300 perl test/static.pl
	tap_result static.pl "$GID_LOGS/static.log" $?
	if [ "$(pg_bsd_indent --version 2>/dev/null | awk '{ print $2 }')" = "$INDENT_VERSION" ]; then
		check "make format-check" format.log bash "$GID_TREE/tools/format.sh" --check
	else
		gid_say "  make format-check left out: it needs pg_bsd_indent $INDENT_VERSION"
	fi
	check "portable/install.sql is what make portable writes" portable-written.log \
		env -C "$GID_TREE" perl tools/portable.pl --check
	check "the faults of test/planted apply" planted.log bash "$GID_TREE/test/planted.sh" --check
	check "the manual's code is that of test/clients and test/frameworks" clients-manual.log \
		env -C "$GID_TREE" perl test/clients/manual.pl
	check "code that differs is found" clients-manual-planted.log \
		env -C "$GID_TREE" perl test/clients/manual.pl --planted
	check "the formulas and tables of doc/uniqueness.md are those of test/odds" odds.log \
		bash "$GID_TREE/test/odds/run.sh"
	if command -v python3 >/dev/null; then
		check "the manual's pictures are those of tools/pictures.py" pictures.log \
			env -C "$GID_TREE" PYTHONDONTWRITEBYTECODE=1 python3 tools/pictures.py --check
		check "doc/read-an-id.html is that of tools/page.py" page.log \
			env -C "$GID_TREE" PYTHONDONTWRITEBYTECODE=1 python3 tools/page.py --check
		check "the manual's figures are those of doc/bench" figures.log \
			bash -c 'cd "$1" && python3 test/bench/report --check README.md doc/*.md' bash "$GID_TREE"
	else
		gid_say "  the manual's pictures, page and figures left out: there is no python3"
	fi
}

# What the compiler and the linker say.  The build that is tested has all warnings, unless
# it has options of its own.
stage_build() {
	if [ -z "${GID_COPT:-}" ]; then
		check "the build has no warnings" build.log \
			bash -c '! grep -F -A 8 " warning: " "$1"' bash "$GID_LOGS/install.log"
	else
		build werror ""
	fi
	# what only assertions read is not unused here
	build assert "-DUSE_ASSERT_CHECKING=1 -g0 -O1"
	check "only names that start with gid_ are exported" symbols.log \
		bash -c 'nm -D --defined-only "$1" | awk "
			{ total++ }
			\$NF !~ /^(gid_|pg_finfo_gid_|Pg_magic_func\$|_PG_init\$|_init\$|_fini\$)/ { print \$NF; bad = 1 }
			END { exit bad || total == 0 }"' bash "$GID_TREE/gid.so"
	# Code that acts as another role, or runs SQL, is what a database's owner
	# attacks.  A DSA area counts the processes that attach; those that end
	# count with a callback of theirs alone.
	check "nothing that runs SQL, changes the role, or counts connections and never forgets them" calls.log \
		bash -c 'nm -D --undefined-only "$1" | awk "
			/ (SPI_|SetUserId|dsa_(attach|create)\$)/ { print; bad = 1 }
			/ dsa_attach_in_place\$/ { attaches = 1 }
			/ dsa_on_shmem_exit_release_in_place\$/ { ends = 1 }
			END { exit bad || attaches != ends }"' bash "$GID_TREE/gid.so"
}

# build NAME OPTIONS: in a copy of the sources, with warnings as errors.
build() {
	local dir=$GID_WORK/build-$1
	gid_as mkdir "$dir" && gid_as cp -R "$GID_TREE"/{Makefile,gid.control,src} "$dir/"
	gid_as find "$dir" \( -name '*.o' -o -name '*.bc' \) -delete
	check "build with warnings as errors $2" "build-$1.log" \
		make -s -C "$dir" -j2 PG_CONFIG="$GID_PG_CONFIG" with_llvm=no \
		PG_CPPFLAGS="$(server_headers)" PG_CFLAGS="$WARNINGS -Werror $2" all
}

# The server's headers, of which the compiler says nothing.
server_headers() { echo "-isystem $(gid_as "$GID_PG_CONFIG" --includedir-server)"; }

# Each file of test/unit is a program.
stage_unit() {
	local name log programs='' dir=$GID_WORK/unit
	gid_as mkdir -p "$dir"
	for name in $(chosen unit "$GID_TREE"/test/unit/*.c); do
		programs+=" test/unit/$name"
	done
	gid_run "$GID_LOGS/unit-build.log" 600 make -C "$GID_TREE" -s -k -j"$(nproc)" \
		-f test/plain/programs.mk PG_CONFIG="$GID_PG_CONFIG" OUT="$dir" PROGRAMS="$programs" \
		FLAGS="-g -O1 -fno-omit-frame-pointer ${GID_SANITIZE-$SANITIZE}" || {
		gid_tail "$GID_LOGS/unit-build.log"
		keep "$GID_LOGS/unit-build.log"
	}
	for name in $programs; do
		name=${name##*/}
		log=$GID_LOGS/unit-$name.log
		[ -x "$dir/$name" ] || { fail "$name does not compile"; continue; }
		prove "$log" 300 '' "$dir/$name" UBSAN_OPTIONS=print_stacktrace=1
		tap_result "$name" "$log" $?
	done
}

# Permuted consecutive ids, judged by ent and dieharder.
stage_randomness() { script test/randomness/run.sh; }

# Random interleavings around the pure file of followed sequences.
stage_simulator() {
	script test/simulator/run.sh SIMULATOR_RUNS="${RUNS:-}" SIMULATOR_SEED="${SEED:-}"
}

# The protocols' models, searched by spin.
stage_model() { script test/model/run.sh MODEL_JOBS="$(nproc)" MODEL_WITHOUT="${MODEL_WITHOUT:-}"; }

# A short run of each harness, the same inputs every time.
stage_fuzz() { script test/fuzz/run.sh FUZZ_ENGINE=driver FUZZ_RUNS=100000; }

# script FILE [VARIABLE=VALUE...]
script() {
	prove "$GID_LOGS/$stage.log" 600 bash "$@"
	tap_result "$stage" "$GID_LOGS/$stage.log" $?
}

stage_regress() {
	# shellcheck disable=SC2046
	pg_regress REGRESS ISOLATION regression $(chosen regress "$GID_TREE"/sql/*.sql)
}

# The edition in SQL, with the same tests and the same expected output.  Both lose the
# parts that need the library; sql/include/start.sql creates the version that GID_VERSION
# names.
stage_portable() {
	local tree=$GID_WORK/tree-portable share names name version GID_TREE=$GID_TREE
	# shellcheck disable=SC2046,SC2086
	names=$(chosen portable $(cd "$GID_TREE/sql" && printf '%s\n' *.sql | grep -vxF "$(printf '%s.sql\n' $LIBRARY)"))
	gid_as mkdir "$tree"
	gid_as cp -R "$GID_TREE"/{Makefile,gid.control,sql,expected,doc,tools} "$tree/"
	share=$(gid_as "$GID_PG_CONFIG" --sharedir)/extension
	gid_as perl "$GID_TREE/tools/portable.pl" "$tree" || { fail "tools/portable.pl"; return; }
	gid_as cp "$tree"/gid--*sql.sql "$share/"
	version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" "$GID_TREE/portable/gid.control")
	for name in $names; do
		gid_as sed -i '/^\\if :library$/,/^\\endif$/d' "$tree/sql/$name.sql" "$tree/expected/$name.out"
	done
	GID_TREE=$tree
	# shellcheck disable=SC2086
	GID_VERSION=$version pg_regress REGRESS ISOLATION regression $names
}

stage_isolation() {
	# shellcheck disable=SC2046
	pg_regress ISOLATION REGRESS output_iso/regression $(chosen isolation "$GID_TREE"/test/isolation/specs/*.spec)
}

# pg_regress VARIABLE OTHER RESULT NAME...: PGXS's installcheck, with this list
# alone, in a cluster of its own.  Its collation is not C, and upper('i') is not I,
# because "make installcheck" must pass in every locale.
pg_regress() {
	local variable=$1 other=$2 result=$3 log=$GID_LOGS/$stage.log rc ok bad
	shift 3
	[ $# -gt 0 ] || return 0
	GID_LANGUAGE=tr gid_cluster_start "$stage" "fsync = off"
	gid_run "$log" "${GID_STAGE_LIMIT:-900}" make -C "$GID_TREE" PG_CONFIG="$GID_PG_CONFIG" \
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
	keep "$log" "$GID_TREE/$result.diffs" "$(dirname "$GID_TREE/$result")/results" "$GID_WORK/$stage.log"
}

# Programs that use gid through the drivers of other languages.
stage_clients() { programs "$GID_TREE"/test/clients/with_*; }

# The same through frameworks and a connection pool.
stage_frameworks() { programs "$GID_TREE"/test/frameworks/with_*.{py,java}; }

# What uses packages of npm.
stage_npm() {
	gid_as cp -R "$GID_TREE/test/frameworks/node/." "$GID_WORK/node"
	if gid_run "$GID_LOGS/npm.log" 240 npm install --prefix "$GID_WORK/node" --no-audit --no-fund \
		--no-update-notifier --ignore-scripts --fetch-timeout 30000; then
		programs "$GID_TREE"/test/frameworks/with_*.js
	else
		fail "npm did not install the packages"
		gid_tail "$GID_LOGS/npm.log" 5
	fi
}

# programs FILE...: each in a database of its own.  One whose program is not
# there is skipped; one without its driver says so itself.
programs() {
	local file name log program java=/usr/share/java/postgresql.jar
	gid_cluster_start "$stage" "fsync = off" "gid.authority = 0" "gid.node_no = 1"
	for file; do
		name=$(chosen "$stage" "$file")
		[ -n "$name" ] || continue
		log=$GID_LOGS/$name.log
		gid_as createdb "$name"
		case $file in
			*.py) program=/usr/bin/python3 ;;
			*.js) program=node ;;
			*.java)
				program="java -XX:TieredStopAtLevel=1 -cp $GID_WORK/java-$name:$java Main"
				[ -e $java ] || program="package libpostgresql-jdbc-java"
				gid_run "$log" 300 javac -d "$GID_WORK/java-$name" "$file" || gid_tail "$log" ;;
		esac
		if command -v "${program%% *}" >/dev/null; then
			prove "$log" 300 "$program" "${file#"$GID_TREE"/}" PGDATABASE="$name" PYTHONDONTWRITEBYTECODE=1 \
				PYTHONPATH="$GID_TREE/test/clients" NODE_PATH="$GID_WORK/node/node_modules" \
				PATH="$GID_BIN:$PATH:$GID_WORK/unpacked/usr/sbin:/usr/sbin"
		else
			echo "$name .. skipped: there is no $program" >"$log"
		fi
		tap_result "$name" "$log" $?
	done
	gid_cluster_stop "$stage" || fail "the server did not stop"
}

# TAP tests of gid alone, and those with other software.
stage_tap() { tap_files t; }
stage_others() { tap_files others; }

# tap_files FOLDER: each file of test/FOLDER is run as "make installcheck" of
# PGXS runs it, but in a directory of its own.  Its output and status are there
# then.  More run at a time than there are processors, because a file often
# waits: for a clock, a limit of time, a server that starts.  The largest come
# first: they take longest.
tap_files() {
	local folder=$1 name log rc dir=$GID_WORK/tap
	gid_as mkdir -p "$dir"
	gid_run "$GID_LOGS/template.log" 120 initdb -D "$dir/template" -A trust --no-sync
	# shellcheck disable=SC2046
	chosen "$stage" $(ls -S "$GID_TREE/test/$folder"/*.pl) >"$GID_LOGS/tap.names"
	# shellcheck disable=SC2016
	gid_run - $((3600 + ${GID_TAP_LIMIT:-1200})) env -C "$GID_TREE" PATH="$GID_BIN:$PATH:$GID_WORK/unpacked/usr/sbin:$GID_WORK/unpacked/usr/bin" \
		PGXS="$(dirname "$(gid_as "$GID_PG_CONFIG" --pgxs)")/../.." PGPORT=65432 \
		PG_TEST_PORT_DIR="$dir/ports" INITDB_TEMPLATE="$dir/template" \
		xargs -a "$GID_LOGS/tap.names" -P "$((3 * $(nproc)))" -I NAME bash -c '
			export TESTDIR=$1/NAME TESTDATADIR=$1/NAME/tmp_check TESTLOGDIR=$1/NAME/tmp_check/log
			export PG_REGRESS=$PGXS/src/test/regress/pg_regress
			mkdir -p "$TESTDIR"
			timeout -k 10 "${GID_TAP_LIMIT:-1200}" prove -I "$PGXS/src/test/perl" -I . -v --norc \
				"test/$2/NAME.pl" >"$TESTDIR/tap" 2>&1
			echo $? >"$TESTDIR/status"
			echo "  NAME: $SECONDS s"' bash "$dir" "$folder"
	while read -r name; do
		log=$GID_LOGS/tap-$name.log
		cp "$dir/$name/tap" "$log" 2>/dev/null || : >"$log"
		rc=$(cat "$dir/$name/status" 2>/dev/null || echo 1)
		tap_result "$name" "$log" "$rc" || keep "$dir/$name"/tmp_check/log/*
		# a test may not notice that a background process crashed
		if grep -hs -A 20 '^TRAP:' "$dir/$name"/tmp_check/log/* >"$GID_LOGS/trap"; then
			fail "$name: an assertion failed in a server"
			gid_tail "$GID_LOGS/trap" 60
			keep "$dir/$name"/tmp_check/log/*
		fi
	done <"$GID_LOGS/tap.names"
}

# ---- the run ----

run_stage() {
	local start
	start=$(gid_seconds)
	stage=$1
	stage_passed=0
	stage_failed=0
	stage_skipped=0
	"stage_$stage"
	if [ $((stage_passed + stage_failed + stage_skipped)) -eq 0 ]; then
		fail "no test was run"
		gid_say "  no test was run"
	fi
	echo "$stage_passed $stage_failed $stage_skipped" >>"$GID_LOGS/counts"
	gid_say "$stage: $stage_passed passed, $stage_failed failed, $(gid_since "$start")"
}

# run_stages STAGE...: those that TESTS selects, one after the other.
run_stages() {
	local name
	for name; do
		! gid_selected "$name" || run_stage "$name"
	done
}

# Its status is that of the run.
summary() {
	local passed failed skipped
	read -r passed failed skipped < <(awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }' "$GID_LOGS/counts")
	gid_say ""
	if [ "$failed" -gt 0 ]; then
		cat "$GID_LOGS/failures"
		gid_say "see $OUTPUT"
	fi
	[ "$skipped" -eq 0 ] || gid_say "$skipped skipped"
	gid_say "$(gid_since "$began") in all, $("$GID_PG_CONFIG" --version)"
	gid_say "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
	exit
}

# test/mutants.sh takes the functions only.
[ "${BASH_SOURCE[0]}" = "$0" ] || return 0

began=$(gid_seconds)
for word in $TESTS; do
	[[ " $ALL_STAGES " == *" ${word%%:*} "* ]] ||
		gid_die "TESTS: \"${word%%:*}\" is not one of: $ALL_STAGES"
	[[ $word != *:* ]] || known "${word%%:*}" "${word#*:}" ||
		gid_die "TESTS: ${word%%:*} has no test \"${word#*:}\""
done

gid_setup test
rm -rf "$OUTPUT"
gid_say "gid tests with PostgreSQL $GID_MAJOR, as user $GID_USER, in $GID_WORK"

stage=install
if ! gid_install PG_CPPFLAGS="$(server_headers)" PG_CFLAGS="$WARNINGS" ${GID_COPT:+COPT="$GID_COPT"}; then
	fail "the build"
	echo 0 1 0 >"$GID_LOGS/counts"
	gid_tail "$GID_LOGS/install.log"
	gid_tail "$GID_LOGS/install2.log"
	keep "$GID_LOGS"/install*.log
	summary
fi
run_stages $FIRST_STAGES
# The TAP tests wait more than they work, and no row is to be the last one alone.
beside=()
for row in "$TAP_STAGES" "$SERVER_STAGES" "$PLAIN_STAGES"; do
	# shellcheck disable=SC2086
	run_stages $row &
	beside+=($!)
done
for row in "${beside[@]}"; do
	wait "$row" || { stage=$row; fail "a row of stages has ended early"; echo 0 1 0 >>"$GID_LOGS/counts"; }
done
run_stages coverage
summary
