#!/bin/bash
# tools/image.sh
#		What "make image" runs: an extension image for operators that mount
#		extensions into PostgreSQL's pods, as an OCI archive,
#		build/gid-VERSION-pgNN-oci.tar.
#
# The layout is the one that CloudNativePG documents: share/extension with the control
# file and the scripts, lib with the library.  The licence is in licenses/gid, where
# CloudNativePG's own images have theirs.  There is no base image.  The files are those
# of the Debian package (tools/deb.sh), so the image fits servers of that Debian
# release, major version and processor.  The bitcode stays out: a server looks for it
# in its own library directory only.
#
# The same commit and the same Debian package give the same archive, bit for bit: the
# layer is made by tar with a fixed order and owner, and every time in the image is
# SOURCE_DATE_EPOCH, or the time of the last commit, or that of debian/changelog.
#
# Read from the environment: SOURCE_DATE_EPOCH, PG_MAJOR (18 or later: extensions are
# found elsewhere from 18 on), and what tools/deb.sh reads.

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"

began=$(gid_seconds)
gid_begin image
[ "$GID_MAJOR" -ge 18 ] || gid_die \
	"an extension image needs PostgreSQL 18 or later, not $GID_MAJOR: PG_MAJOR chooses a version"
GID_BIN=/usr/lib/postgresql/$GID_MAJOR/bin
architecture=$(dpkg --print-architecture)
case $architecture in			# Go has names of its own
	armhf | armel) processor=arm ;;
	i386) processor=386 ;;
	mips64el) processor=mips64le ;;
	ppc64el) processor=ppc64le ;;
	*) processor=$architecture ;;
esac
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-unknown}")
epoch=${SOURCE_DATE_EPOCH:-$(git -c safe.directory='*' -C "$GID_ROOT" log -1 --format=%ct 2>/dev/null)}
epoch=${epoch:-$(date -d "$(sed -n 's/^ -- .*>  //p' "$GID_ROOT/debian/changelog" | head -n 1)" +%s)}

PG_MAJOR=$GID_MAJOR bash "$GID_ROOT/tools/deb.sh" || gid_die "there is no package to take the files from"
package=$(ls "$GID_ROOT"/build/postgresql-"$GID_MAJOR"-gid_*_"$architecture".deb)
version=$(perl -MJSON::PP -0777 -ne 'print decode_json($_)->{version}' "$GID_ROOT/META.json")
description=$(perl -MJSON::PP -0777 -ne 'print decode_json($_)->{description}' "$GID_ROOT/META.json")
tag=$version-$GID_MAJOR-$release
archive=$GID_ROOT/build/gid-$version-pg$GID_MAJOR-oci.tar

# pack DIRECTORY ARCHIVE NAME...: what it has of these names.  The same files give the
# same archive.
pack() {
	local directory=$1 archive=$2
	shift 2
	gid_as tar -C "$directory" --sort=name --mtime="@$epoch" --owner=0 --group=0 \
		--numeric-owner --mode=u=rwX,go=rX --format=ustar -cf "$archive" -- "$@"
}

# image COMMAND...: umoci's, on the image that is made.
image() {
	gid_as umoci "$@" >>"$GID_LOGS/umoci.log" 2>&1 ||
		{ gid_tail "$GID_LOGS/umoci.log" >&2; gid_die "umoci $1 failed"; }
}

# ---- the layer ----

gid_as mkdir -p "$GID_WORK"/{package,root/{lib,licenses/gid,share/extension}}
install -m 644 "$package" "$GID_WORK/package.deb" &&
	gid_as dpkg-deb -x "$GID_WORK/package.deb" "$GID_WORK/package" &&
	gid_as cp "$GID_WORK/package/usr/lib/postgresql/$GID_MAJOR/lib/gid.so" "$GID_WORK/root/lib/" &&
	gid_as cp "$GID_WORK/package/usr/share/postgresql/$GID_MAJOR/extension"/gid{.control,--*.sql} \
		"$GID_WORK/root/share/extension/" &&
	gid_as cp "$GID_WORK/package/usr/share/doc/postgresql-$GID_MAJOR-gid/copyright" \
		"$GID_WORK/root/licenses/gid/" &&
	pack "$GID_WORK/root" "$GID_WORK/layer.tar" lib licenses share ||
	gid_die "the package has not the files of an image"

# ---- the image ----

created=$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)
declare -a facts=()
while IFS='=' read -r key value; do
	facts+=(--config.label="org.opencontainers.image.$key=$value"
		--manifest.annotation="org.opencontainers.image.$key=$value")
done <<END
created=$created
description=$description
licenses=PostgreSQL
title=gid for PostgreSQL $GID_MAJOR, Debian $release
version=$version
END
layout=$GID_WORK/layout
image init --layout "$layout"
image new --image "$layout:$tag"
image raw add-layer --image "$layout:$tag" --history.created "$created" \
	--history.created_by "make image" "$GID_WORK/layer.tar"
image config --image "$layout:$tag" --no-history --os linux --architecture "$processor" \
	--created "$created" --config.user 65532:65532 "${facts[@]}"
image gc --layout "$layout"
pack "$layout" "$GID_WORK/oci.tar" blobs index.json oci-layout && cp "$GID_WORK/oci.tar" "$archive" &&
	chown --reference="$GID_ROOT" "$archive" ||
	gid_die "could not write $archive"
gid_say "Made in $(gid_since "$began"):"
echo "$archive"
