#!/bin/bash
# test/tap.sh TREE PGXS DIRECTORY FOLDER NAME
#		One file of test/FOLDER, as "make installcheck" of PGXS runs it, but in a
#		directory of its own, so that several can run at a time.
#
# In the directory are then the output, "tap", and the status and the seconds
# that it took, "end".

tree=$1 pgxs=$2 dir=$3/$5 folder=$4 name=$5
mkdir -p "$dir" && cd "$tree" || exit
export TESTDIR=$dir TESTDATADIR=$dir/tmp_check TESTLOGDIR=$dir/tmp_check/log
export PGPORT=65432 PG_REGRESS=$pgxs/src/test/regress/pg_regress
export PG_TEST_PORT_DIR=$3/ports	# so that no two take one port
export INITDB_TEMPLATE=$3/template
timeout -k 10 "${GID_TAP_LIMIT:-1200}" prove -I "$pgxs/src/test/perl" -I . -v --norc "test/$folder/$name.pl" \
	>"$dir/tap" 2>&1
echo "$? $SECONDS" >"$dir/end"
echo "  $name: $SECONDS s"
