#!/bin/bash
# tools/dist.sh
#		What "make dist" runs: the release archive of the commit that is checked
#		out, build/gid-VERSION.zip (what PGXN takes) and build/gid-VERSION.tar.gz.
#
# The version is META.json's.  What .gitattributes marks as export-ignore is left
# out; what is not committed is not in it, and this script says so.  The same commit
# gives the same archives: a zip has local times, so the time zone is set; git's own
# settings say which permissions files get and how lines end, so they are set, too.

set -u -o pipefail
cd "$(dirname "$0")/.." || exit 1

die() {
	printf 'gid: %s\n' "$*" >&2
	exit 1
}

git() {
	TZ=UTC command git -c safe.directory='*' -c tar.umask=0022 -c core.autocrlf=false \
		-c tar.tar.gz.command='gzip -cn -9' "$@"
}

[ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ] ||
	die "the release archive is made from a git clone, and this is none"
name=$(git show HEAD:META.json | perl -MJSON::PP -0777 -ne '
	my $meta = decode_json($_); print "$meta->{name}-$meta->{version}"') &&
	[ -n "$name" ] || die "META.json of the commit has no name and version"
[ -z "$(git status --porcelain)" ] ||
	echo "gid: changes that are not committed are left out" >&2

mkdir -p build || exit 1
for format in zip tar.gz; do
	git archive --format="$format" --prefix="$name/" -o "build/$name.$format" HEAD ||
		die "could not make build/$name.$format"
	echo "build/$name.$format"
done
chown -R --reference=. build
