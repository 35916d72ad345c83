# gid: identifiers made inside PostgreSQL.  "make help" lists the targets.

ifneq ($(realpath $(dir $(lastword $(MAKEFILE_LIST)))),$(realpath $(CURDIR)))
$(error gid is built in the directory of its sources: copy them, and run make there)
endif

MODULE_big = gid
OBJS = $(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/*/*.c)))
PGFILEDESC = "gid - identifiers made inside PostgreSQL"

EXTENSION = gid
DATA = $(sort $(wildcard gid--*.sql))

REGRESS = $(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))
ISOLATION = $(patsubst test/isolation/specs/%.spec,%,$(sort $(wildcard test/isolation/specs/*.spec)))
ISOLATION_OPTS = --inputdir=test/isolation
TAP_TESTS = 1
PROVE_TESTS = $(sort $(wildcard test/t/*.pl))

# The header files of libpq, which peer/libpq.c loads.  What the caller sets
# comes before.
override PG_CPPFLAGS += -I$(srcdir)/src -I$(libpq_srcdir)

EXTRA_CLEAN = build test/output test/bench/output

PG_CONFIG = pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)

# libpq's development package brings a pg_config, too, which names a file that
# only the server's development package has.
ifneq ($(and $(PGXS),$(wildcard $(PGXS))),)
include $(PGXS)

# The headers of PostgreSQL 15 declare functions with (), which C23 reads as (void).
ifeq ($(MAJORVERSION),15)
override CFLAGS += -std=gnu11
endif

# The library's own functions are found when it is linked, not each time it
# is loaded.  Apple's linker does so without being told.
ifneq ($(PORTNAME),darwin)
SHLIB_LINK += -Wl,-Bsymbolic
endif

# PGXS knows no headers unless the server was built with --enable-depend.
$(OBJS) $(OBJS:.o=.bc): $(wildcard src/*.h src/*/*.h)
else
all install uninstall installcheck clean:
	@echo 'gid: PostgreSQL'"'"'s server development files were not found by "$(PG_CONFIG)".' >&2
	@echo 'Debian, Ubuntu: apt-get install postgresql-server-dev-all build-essential' >&2
	@echo 'Elsewhere: name the installation, make PG_CONFIG=/path/to/pg_config' >&2
	@false
endif

# What "make quick" runs of them: an id of each family, sequences, other servers,
# horizons, served calls, privileges.
QUICK = $(patsubst sql/%.sql,%,$(wildcard sql/uuid_*.sql sql/*_id.sql)) gdid code encode \
	sequence_call sequence_setval sequence_nextval horizon serve_nextval extension settings

# The scripts below bring along what they need and work without PGXS.

test:
	@bash test/run.sh

# An answer in a minute.
quick:
	@TESTS="unit $(QUICK:%=regress:%) tap:003_crash" bash test/run.sh

test-frameworks:
	@TESTS="frameworks" bash test/run.sh

test-others:
	@TESTS="others" bash test/run.sh

test-randomness:
	@TESTS="randomness" bash test/run.sh

# Each safeguard of a model is needed.
test-models:
	@MODEL_WITHOUT=yes TESTS="model" bash test/run.sh

# Random interleavings of drawers and readers of a followed sequence.
test-simulator:
	@RUNS='$(RUNS)' SEED='$(SEED)' TESTS="simulator" bash test/run.sh

test-matrix:
	@bash test/matrix.sh

test-arch:
	@ARCH='$(ARCH)' bash test/arch.sh

# To the newest version, from the others that Debian has.
test-upgrade:
	@GID_MATRIX="$${GID_MATRIX:-19}" GID_UPGRADE_FROM="$${GID_UPGRADE_FROM:-15 17 18}" \
		TESTS=others:031_pg_upgrade bash test/matrix.sh

test-source:
	@bash test/source.sh

soak:
	@GID_SOAK_ROUNDS="$${GID_SOAK_ROUNDS:-3000}" GID_TAP_LIMIT="$${GID_TAP_LIMIT:-7200}" \
		TESTS="build tap:003_crash" bash test/run.sh

test-planted:
	@bash test/planted.sh $(FAULTS)

test-mutants:
	@N='$(N)' SEED='$(SEED)' MATCH='$(MATCH)' bash test/mutants.sh

test-assert:
	@bash test/source.sh --assert

test-musl:
	@bash test/source.sh --musl

# From 2.0, with the libraries of both versions.
test-update:
	@bash test/update.sh

test-core:
	@bash test/core.sh

test-coverage:
	@bash test/coverage.sh

test-sanitize:
	@bash test/sanitize.sh

test-valgrind:
	@bash test/valgrind.sh

test-npm:
	@TESTS=npm bash test/run.sh

test-patroni:
	@bash test/patroni/run.sh

test-applications:
	@bash test/applications/run.sh

demo:
	@bash demo/demo.sh

bench:
	@bash test/bench/run.sh
	@bash test/bench/far.sh

bench-portable:
	@bash test/bench/portable.sh

fuzz:
	@PG_CONFIG='$(PG_CONFIG)' bash test/fuzz/run.sh

dist:
	@bash tools/dist.sh

deb:
	@DISTRIBUTION='$(DISTRIBUTION)' ITP='$(ITP)' bash tools/deb.sh

image:
	@bash tools/image.sh

reference:
	@bash tools/reference.sh

vectors:
	@bash tools/vectors.sh

portable:
	@perl tools/portable.pl

pictures:
	@python3 tools/pictures.py

page:
	@python3 tools/page.py

test-package:
	@bash test/package.sh

# Where the server is; test-image goes there.
test-image-here:
	@bash test/image.sh

test-image:
	@GID_MATRIX="$${GID_MATRIX:-18}" GID_MATRIX_TARGET=test-image-here bash test/matrix.sh

format:
	@bash tools/format.sh

format-check:
	@bash tools/format.sh --check

typedefs:
	@PG_CONFIG='$(PG_CONFIG)' bash tools/format.sh --typedefs

help:
	@echo 'make                  build the extension (PG_CONFIG=... chooses the installation)'
	@echo 'make install          install it there'
	@echo 'make installcheck     run the tests against that installation'"'"'s running server,'
	@echo '                      as a superuser; they change gid.* with ALTER SYSTEM'
	@echo 'make clean            remove what was built'
	@echo ''
	@echo 'These install missing Debian packages, then use a private PostgreSQL that'
	@echo 'is removed at the end; PG_MAJOR=16 chooses a version, GID_KEEP=1 keeps it:'
	@echo ''
	@echo 'make quick            unit tests, some regression tests and a crash, in a minute'
	@echo 'make test             all checks and tests; TESTS selects some of them:'
	@echo '                      TESTS="static build unit simulator model fuzz'
	@echo '                      regress portable isolation clients tap" or, by name,'
	@echo '                      TESTS="regress:uuid_v7 tap:003_crash"'
	@echo '                      PG_TEST_EXTRA=gid_long adds the tests that take minutes'
	@echo 'make test-models      the searches of the models once more, without each safeguard'
	@echo 'make test-simulator   more interleavings of drawers and readers; RUNS=1000000 for each'
	@echo '                      room, SEED=2 for others'
	@echo 'make test-npm         programs that use packages of npm'
	@echo 'make test-matrix      make test with each version of PostgreSQL, 15 to 19, in chroots;'
	@echo '                      as root.  GID_MATRIX="15 17 19" selects, TESTS as above,'
	@echo '                      GID_MATRIX_CACHE=DIRECTORY keeps the chroots,'
	@echo '                      GID_SOURCE_16=DIRECTORY has the sources of a version that'
	@echo '                      Debian does not have'
	@echo 'make test-arch        build, unit, regression and isolation tests on other'
	@echo '                      processors, in chroots, under QEMU where needed; as root.'
	@echo '                      ARCH="i386 s390x arm64" selects, PG_MAJOR, TESTS and'
	@echo '                      GID_MATRIX_CACHE as above'
	@echo 'make test-upgrade     pg_upgrade to 19, in a chroot; as root.  GID_MATRIX chooses the new'
	@echo '                      version, GID_UPGRADE_FROM="15 17 18" the old ones'
	@echo 'make test-update      the update from 2.0: its regression tests with the new library, and'
	@echo '                      servers of both versions.  GID_UPDATE_FROM=DIRECTORY has the'
	@echo '                      sources of 2.0, where there is no repository'
	@echo 'make test-source      make test with a server that is built from GID_SOURCE=DIRECTORY'
	@echo 'make test-assert      the regression, isolation and TAP tests with a server that is'
	@echo '                      built with assertions, from GID_SOURCE if that is set; TESTS as'
	@echo '                      above, GID_ASSERT_CACHE=DIRECTORY keeps that server.'
	@echo '                      GID_ASSERT_OWN=1 takes the packages'"'"' server, and only gid has'
	@echo '                      assertions'
	@echo 'make test-musl        the regression, isolation and TAP tests with a server and gid that are'
	@echo '                      compiled with musl; TESTS as above, GID_MUSL_CACHE=DIRECTORY'
	@echo '                      keeps that server'
	@echo 'make test-core        PostgreSQL'"'"'s own regression tests, with gid.serve_nextval off'
	@echo '                      and on, on that server; what differs is in test/core.diff'
	@echo 'make test-coverage    which lines of src/ the regression, isolation and TAP tests'
	@echo '                      and the clients reach; TESTS as above'
	@echo 'make test-sanitize    the regression and isolation tests with gid.so compiled with the'
	@echo '                      sanitizers of addresses and of undefined behaviour; TESTS as above'
	@echo 'make test-valgrind    the regression tests under valgrind, half an hour'
	@echo 'make test-patroni     failovers under Patroni with etcd, some 40 minutes;'
	@echo '                      GID_PATRONI_ROUNDS=3 is the short form'
	@echo 'make test-applications  MediaWiki, Tryton and Redmine with gid.serve_nextval off, on and off,'
	@echo '                      and their dumps on a server without gid;'
	@echo '                      GID_APPLICATIONS="mediawiki tryton" selects'
	@echo 'make soak             rounds of faults in random order: GID_SOAK_ROUNDS=3000 rounds,'
	@echo '                      GID_SOAK_SEED=N the order that a former run has printed'
	@echo 'make test-planted     show that a test fails without each safeguard (test/planted);'
	@echo '                      FAULTS="no_flush no_bound" selects.  GID_MATRIX_TARGET=test-planted'
	@echo '                      make test-matrix does it with each version; test-assert and'
	@echo '                      test-valgrind as well'
	@echo 'make test-mutants     show which small random changes of src/ no test notices: N=60'
	@echo '                      changes, SEED=N those that a former run has printed,'
	@echo '                      MATCH=PATTERN only those whose printed line has it'
	@echo 'make demo             a tour with a million rows'
	@echo 'make bench            measure it; BENCH_SCALE=0.02 is a quick look,'
	@echo '                      BENCH_PARTS="calls inserts" some of it, BENCH_PUBLISH=yes'
	@echo '                      puts the figures and plots into the manual.  GID_MATRIX=18'
	@echo '                      GID_MATRIX_TARGET=bench make test-matrix uses another version'
	@echo ''
	@echo 'make bench-portable   measure the edition in SQL beside the library; BENCH_PUBLISH as above'
	@echo 'make fuzz             a million inputs to the harness of test/fuzz; FUZZ_RUNS=10000000'
	@echo '                      gives more.  Needs gcc, or clang with libFuzzer'
	@echo ''
	@echo 'make dist             the release archive of the last commit, in build/'
	@echo 'make deb              Debian packages, in build/; PG_MAJOR chooses a version.  For an'
	@echo '                      upload: DEBFULLNAME, DEBEMAIL, DISTRIBUTION=unstable, ITP=NUMBER'
	@echo 'make image            an extension image for operators of Kubernetes, in build/; Debian'
	@echo '                      with PostgreSQL 18 or later'
	@echo 'make test-package     install and remove the package in a throw-away view of this'
	@echo '                      machine; as root'
	@echo 'make test-image       start a server with the image'"'"'s files, in a chroot; as root.'
	@echo '                      GID_MATRIX="18 19" and GID_MATRIX_CACHE as above'
	@echo ''
	@echo 'make reference        write doc/reference.md from the comments of the SQL scripts'
	@echo 'make portable         write the edition in SQL: portable/install.sql, which is in the'
	@echo '                      repository, and the extension'"'"'s script'
	@echo 'make vectors          write the files of doc/vectors that gid makes itself'
	@echo 'make pictures         draw doc/pictures from doc/bench'
	@echo 'make page             write doc/read-an-id.html from the JavaScript decoder'
	@echo ''
	@echo 'make format           lay out the C sources with pg_bsd_indent'
	@echo 'make format-check     show what that would change'
	@echo 'make typedefs         write typedefs.list'

.PHONY: test quick test-frameworks test-others test-randomness test-models test-simulator test-npm test-matrix test-arch test-upgrade test-update test-source test-patroni soak test-planted test-mutants test-assert test-musl \
	test-core test-applications test-coverage test-sanitize test-valgrind demo bench bench-portable fuzz dist deb image reference vectors portable pictures page \
	test-package test-image test-image-here format format-check typedefs help
