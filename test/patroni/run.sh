#!/bin/bash
# test/patroni/run.sh
#		What "make test-patroni" runs: three members under Patroni with etcd, clients
#		that draw ids of every family and keep each of them, a fleet that leases its
#		node numbers from the cluster, and failures.  No id may come twice.
#
# The programs are Debian's.  Those whose packages would start a service are unpacked
# into the work directory (tools/setup.sh) and not installed.  All servers listen on
# addresses of this machine, 127.A.B.1 and others, with A and B of the run's own.
#
# Read from the environment:
#
#	GID_PATRONI_ROUNDS		rounds in each configuration, default 10.  In each round the
#							leader is killed, there is a switchover, and something else
#							happens
#	GID_PATRONI_PARTS		"synchronous asynchronous" or one of them
#	GID_PATRONI_SEED		the order of failures that a former run has printed
#
# and what tools/setup.sh reads.  The logs of a run that failed, and all repeats, are in
# test/output/patroni.  The last line is "N passed, N failed".

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../../tools/setup.sh"

OUTPUT=$GID_ROOT/test/output
ROUNDS=${GID_PATRONI_ROUNDS:-10}

case $ROUNDS in
	*[!0-9]* | '' | 0) gid_die "GID_PATRONI_ROUNDS must be a number above 0: \"$ROUNDS\"" ;;
esac

gid_setup patroni
gid_known patroni || gid_apt "$GID_WORK/apt.log" update || :
for package in patroni etcd-server; do
	gid_unpack $package || { gid_tail "$GID_WORK/apt.log" >&2; gid_die "could not get the package $package"; }
done
[ "$(id -u)" -ne 0 ] || chown -R "$GID_USER" "$GID_WORK/unpacked"
gid_build

# The driver ends by itself when this script is gone.
gid_run - $((ROUNDS * 1800 + 1800)) env GID_WORK="$GID_WORK" GID_BIN="$GID_BIN" GID_SCRIPT=$$ \
	GID_HOOK="$GID_TREE/doc/hooks/gid-authority-resume" GID_PATRONI_ROUNDS="$ROUNDS" \
	PYTHONPATH="$GID_WORK/unpacked/usr/lib/python3/dist-packages" PYTHONDONTWRITEBYTECODE=1 \
	/usr/bin/python3 "$GID_TREE/test/patroni/main.py"
rc=$?
if [ $rc -ne 0 ]; then
	mkdir -p "$OUTPUT/patroni"
	cp "$GID_WORK"/*/*.log "$GID_WORK"/*/repeats-* "$OUTPUT/patroni/" 2>/dev/null
	chown -R --reference="$GID_ROOT" "$OUTPUT" 2>/dev/null
	gid_say "Logs: $OUTPUT/patroni"
fi
exit $rc
