#!/bin/bash
# tools/deb.sh
#		What "make deb" runs: a Debian source package of the tree and a binary
#		package postgresql-NN-gid for each version of PostgreSQL, into build/.
#
# It is built in a copy (tools/setup.sh), as an unprivileged user.  The versions
# are those whose server development files are installed; PG_MAJOR chooses one.
# debian/control is made again for these versions.  The upstream tarball is the tree
# without debian/ and without what .gitattributes keeps out of the release archive: the
# same for the same files, wherever and by whom it is made.  All files have the time of
# debian/changelog, as they have in a package that is built from the source package.
#
# What only the uploader knows is not in the tree, but read from the environment:
# DEBFULLNAME and DEBEMAIL (the maintainer), DISTRIBUTION (such as unstable; without
# it the package says UNRELEASED), ITP (the number of the bug that announces the
# package, which a first upload closes).

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"

began=$(gid_seconds)
versions=${PG_MAJOR:-installed}
DISTRIBUTION=${DISTRIBUTION:-}
ITP=${ITP:-}
case $DISTRIBUTION in
	*[!a-z0-9-]*) gid_die "DISTRIBUTION is a name such as unstable: \"$DISTRIBUTION\"" ;;
esac
case $ITP in
	*[!0-9]*) gid_die "ITP is the number of a bug: \"$ITP\"" ;;
esac
gid_setup deb
output=$GID_ROOT/build
umask 022

# What the release archive has not.  (There is no .gitattributes in the archive.)
[ ! -e "$GID_TREE/.gitattributes" ] ||
	sed -n 's,^/\(.*[^/]\)/* export-ignore$,\1,p' "$GID_TREE/.gitattributes" |
	while read -r name; do
		gid_as rm -rf "${GID_TREE:?}/$name"
	done

# fill_in PROGRAM FILE... -- VALUE: the Perl program, which has the value as $v, on
# each line of these files of debian/.
fill_in() {
	local program=$1
	local -a files=()
	shift
	while [ "$1" != -- ]; do
		files+=("$GID_TREE/debian/$1")
		shift
	done
	# shellcheck disable=SC2016
	gid_as perl -pi -e 'BEGIN { $v = shift } '"$program" "$2" "${files[@]}" ||
		gid_die "could not write to debian/"
}

# The changelog's first line: "source (version-revision) ...".
read -r source version _ <"$GID_TREE/debian/changelog"
version=${version#(}
version=${version%-*}

# shellcheck disable=SC2016
{
	[ -z "${DEBEMAIL:-}" ] ||
		fill_in 's/^(Maintainer: ).*>/$1$v/; s/^ -- .*?>/ -- $v/' \
			control control.in changelog NEWS -- "${DEBFULLNAME:-the gid authors} <$DEBEMAIL>"
	[ -z "$DISTRIBUTION" ] ||
		fill_in 's/^(\S+ \(\S+\)) UNRELEASED;/$1 $v;/' changelog NEWS -- "$DISTRIBUTION"
	[ -z "$ITP" ] ||
		fill_in 's/^  \* Initial release\.$/  * Initial release. (Closes: #$v)/' changelog -- "$ITP"
}

epoch=$(date -d "$(sed -n 's/^ -- .*>  //p' "$GID_TREE/debian/changelog" | head -n 1)" +%s) &&
	gid_as chmod -R u=rwX,go=rX "$GID_TREE" &&
	gid_as find "$GID_TREE" -exec touch -h -d "@$epoch" {} + ||
	gid_die "could not set the times of the files"

gid_say "Building $source $version in $GID_WORK ..."
# shellcheck disable=SC2016
gid_run "$GID_LOGS/orig.log" 120 bash -c 'tar -C "$1" --sort=name --owner=0 --group=0 \
	--numeric-owner --transform "s,^\.,$2," \
	--exclude=./debian -cf - . | gzip -n -9 >"$3"' \
	bash "$GID_TREE" "$source-$version" "$GID_WORK/${source}_$version.orig.tar.gz" ||
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
