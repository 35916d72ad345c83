#!/bin/bash
# tools/deb.sh
#		What "make deb" runs: a Debian source package of the tree and a binary
#		package postgresql-NN-gid for each version of PostgreSQL, into build/.
#
# It is built in a copy (tools/setup.sh), as an unprivileged user.  The versions
# are those whose server development files are installed; PG_MAJOR chooses one.
# debian/control is made again for these versions.  The tree names nobody as maintainer:
# whoever releases the package gives DEBFULLNAME and DEBEMAIL.  The upstream
# tarball is the tree without debian/, and the same for the same files.

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"

began=$(gid_seconds)
versions=${PG_MAJOR:-installed}
gid_setup deb
output=$GID_ROOT/build

# The changelog's first line: "source (version-revision) ...".
read -r source version _ <"$GID_TREE/debian/changelog"
version=${version#(}
version=${version%-*}

if [ -n "${DEBEMAIL:-}" ]; then
	maintainer="${DEBFULLNAME:-the gid authors} <$DEBEMAIL>"
	# shellcheck disable=SC2016
	gid_as perl -pi -e 'BEGIN { $m = shift } s/^(Maintainer: ).*>/$1$m/; s/^ -- .*?>/ -- $m/' \
		"$maintainer" "$GID_TREE"/debian/{control,control.in,changelog} ||
		gid_die "could not put the maintainer into debian/"
fi

gid_say "Building $source $version in $GID_WORK ..."
# shellcheck disable=SC2016
gid_run "$GID_LOGS/orig.log" 120 bash -c 'tar -C "$1" --sort=name --mtime=@0 --owner=0 \
	--group=0 --numeric-owner --transform "s,^\.,$2," --exclude=./debian -cf - . |
	gzip -n -9 >"$3"' bash "$GID_TREE" "$source-$version" "$GID_WORK/${source}_$version.orig.tar.gz" ||
	{ gid_tail "$GID_LOGS/orig.log" >&2; gid_die "could not make the upstream tarball"; }
gid_run "$GID_LOGS/deb.log" 1800 env -C "$GID_TREE" PG_UPDATECONTROL=yes \
	PG_SUPPORTED_VERSIONS="$versions" dpkg-buildpackage -us -uc ||
	{ gid_tail "$GID_LOGS/deb.log" >&2; gid_die "the package was not built"; }

mkdir -p "$output" && rm -f "$output"/*gid*.deb "$output/$source"_* &&
	cp "$GID_WORK"/*.deb "$GID_WORK/$source"_* "$output/" &&
	chown -R --reference="$GID_ROOT" "$output" ||
	gid_die "could not write to $output"
gid_say "Built in $(gid_since "$began"):"
ls "$output"/*gid*.deb "$output"/*.dsc
