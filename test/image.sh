#!/bin/bash
# test/image.sh
#		What "make test-image-here" runs, and "make test-image" in a chroot with
#		PostgreSQL 18: the extension image is made, read by umoci, and its files are
#		used by a server that has no gid of its own.
#
# The server gets nothing but the two settings that an operator gives it,
# extension_control_path and dynamic_library_path.
#
# Read from the environment: what tools/setup.sh reads.
#
# The last line is "N passed, N failed".

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"
# shellcheck source=test/lib/checks.sh
. "$GID_ROOT/test/lib/checks.sh"

# check NAME COMMAND...: passes if the command does.
check() { checked "$1" "$GID_LOGS/check.$((n + 1))" "${@:2}"; }

# sql STATEMENTS: as psql prints them, without alignment.
sql() { gid_as psql -XAtq -v ON_ERROR_STOP=1 -d postgres -c "$1"; }

# ---- the archive ----

make_image() {
	rm -f "$GID_ROOT"/build/gid-*-oci.tar
	PG_MAJOR=$GID_MAJOR bash "$GID_ROOT/tools/image.sh" &&
		archive=$(ls "$GID_ROOT/build/"gid-*-pg"$GID_MAJOR"-oci.tar)
}

# blob DIGEST: of the image's layout.  field FIELD [FILE]: of the manifest or
# that file, as Perl says it.
blob() { cat "$GID_WORK/layout/blobs/${1/:/\/}"; }
field() { perl -MJSON::PP -0777 -ne "print decode_json(\$_)->$1" "${2:-$GID_WORK/manifest}"; }

unpack() {
	mkdir "$GID_WORK/layout" && tar -C "$GID_WORK/layout" -xf "$archive" || return 1
	tag=$(umoci ls --layout "$GID_WORK/layout") && [ "$(wc -l <<<"$tag")" -eq 1 ] || return 1
	blob "$(field '{manifests}[0]{digest}' "$GID_WORK/layout/index.json")" >"$GID_WORK/manifest" || return 1
	chown -R "$GID_USER" "$GID_WORK/layout"
	gid_as umoci unpack --rootless --image "$GID_WORK/layout:$tag" "$GID_WORK/bundle"
}

# The files and directories, with their permissions; the scripts are the
# tree's.
contents() {
	local file
	{
		printf '%s\n' "drwxr-xr-x lib" "-rw-r--r-- lib/gid.so" "drwxr-xr-x licenses" \
			"drwxr-xr-x licenses/gid" "-rw-r--r-- licenses/gid/copyright" \
			"drwxr-xr-x share" "drwxr-xr-x share/extension" "-rw-r--r-- share/extension/gid.control"
		(cd "$GID_ROOT" && ls gid--*.sql) | sed 's,^,-rw-r--r-- share/extension/,'
	} | sort -k 2 >"$GID_WORK/expected"
	find "$root" -mindepth 1 -printf '%M %P\n' | sort -k 2 | diff "$GID_WORK/expected" - || return 1
	for file in "$GID_ROOT"/gid{.control,--*.sql}; do
		cmp "$file" "$root/share/extension/${file##*/}" || return 1
	done
}

# What the manifest and the configuration say, and what they do not.
annotations() {
	local name=org.opencontainers.image
	blob "$(field '{config}{digest}')" >"$GID_WORK/config" || return 1
	[ "$(field "{annotations}{'$name.version'}")" = "$(sed -n 's/^   "version": "\(.*\)",$/\1/p' "$GID_ROOT/META.json")" ] &&
		[ "$(field "{annotations}{'$name.licenses'}")" = PostgreSQL ] &&
		grep -F "\"$name.created\":\"$(field "{annotations}{'$name.created'}")\"" "$GID_WORK/config" &&
		! grep -lE "https?://|$(uname -n | sed 's/\./\\./g')" "$GID_WORK/manifest" "$GID_WORK/config"
}

# In another place and time zone, with another umask: the same bits.
make_again() {
	local copy=$GID_WORK/another/place created
	created=$(field "{annotations}{'org.opencontainers.image.created'}")
	mkdir -p "$copy" && gid_tar_tree | tar -C "$copy" --no-same-owner -xf - || return 1
	(umask 027 && SOURCE_DATE_EPOCH=$(date -d "$created" +%s) TZ=Asia/Kathmandu \
		PG_MAJOR=$GID_MAJOR bash "$copy/tools/image.sh") || return 1
	cmp "$archive" "$copy/build/${archive##*/}"
}

# ---- a server ----

no_gid() {
	(gid_cluster_start bare) || return 1
	sql "CREATE EXTENSION gid" >"$GID_WORK/refused" 2>&1
	gid_cluster_stop bare
	grep 'extension "gid" is not available' "$GID_WORK/refused"
}

# ids: with the extension new.
ids() {
	sql "DROP EXTENSION IF EXISTS gid CASCADE; DROP SEQUENCE IF EXISTS s; CREATE EXTENSION gid; CREATE SEQUENCE s;
		SELECT substr(gid_uuid_v7()::text, 15, 1);
		SELECT gid_extract_trace_node(gid_trace_id());
		SELECT gid_next('s');
		SELECT gid_next_gdid('s');
		SELECT probin FROM pg_proc WHERE proname = 'gid_uuid_v7'" | tee "$GID_WORK/ids"
	printf '%s\n' 7 5 1 0:3:2 "\$libdir/gid" | diff "$GID_WORK/ids" -
}

fresh() {
	(gid_cluster_start image "extension_control_path = '\$system:$root/share'" \
		"dynamic_library_path = '\$libdir:$root/lib'" \
		"gid.node_no = 5" "gid.authority = 3" "client_min_messages = warning") && ids
}

preloaded() {
	echo "shared_preload_libraries = 'gid'" | gid_as tee -a "$GID_WORK/image/postgresql.conf" >/dev/null
	gid_cluster_stop image && (gid_cluster_restart image) &&
		[ "$(sql "SELECT gid_next('s') > 2")" = t ] && ids
}

gid_setup image
root=$GID_WORK/bundle/rootfs
archive=
chmod 755 "$GID_WORK"
check "make image makes an archive" make_image || finish
check "umoci unpacks it" unpack || finish
check "it has the control file, the scripts, the library and the licence, and nothing else" contents
check "version and licence are said, and no host" annotations
check "made again in another place, time zone and umask it is the same" make_again
check "the server has no gid of its own" no_gid
check "with the two paths set the extension is created and makes ids" fresh || finish
check "the same with gid preloaded" preloaded
gid_cluster_stop image
finish
