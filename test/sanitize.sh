#!/bin/bash
# test/sanitize.sh
#		What "make test-sanitize" runs: the regression and isolation tests, with
#		gid.so compiled with gcc's sanitizers.
#
# The sanitizer of undefined behaviour checks the arithmetic, shifts, casts, pointers and
# array indexes of gid.so.  The address sanitizer checks what gid.so reads and writes:
# its stack, its variables, and what malloc() gave.  Debian's server does not tell the
# sanitizer of palloc() and of shared memory, so it does not see the ends of those.  A
# report ends the process, and so fails the test.
#
# TESTS selects, as in test/run.sh; the default is "regress isolation".  The TAP tests and
# the clients' start servers without the address sanitizer, which cannot load gid.so.

set -u -o pipefail
# PostgreSQL compiles with -fwrapv, and then no signed overflow is reported.
export PROFILE="-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all \
-fno-wrapv -O1 -fno-omit-frame-pointer"
# A server leaves memory to the end of its processes.
export ASAN_OPTIONS=abort_on_error=1:detect_leaks=0
TESTS="sanitizers ${TESTS:-regress isolation}" exec bash "$(dirname "$0")/run.sh"
