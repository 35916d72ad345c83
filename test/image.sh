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

# In another place and time zone, with another umask: the same bits.
make_again() {
	local copy=$GID_WORK/another/place
	mkdir -p "$copy" && (gid_list_tree | tar -C "$GID_ROOT" --null -T - -cf -) |
		tar -C "$copy" --no-same-owner -xf - || return 1
	(umask 027 && SOURCE_DATE_EPOCH=$(date -d "$(created)" +%s) TZ=Asia/Kathmandu \
		PG_MAJOR=$GID_MAJOR bash "$copy/tools/image.sh") || return 1
	cmp "$archive" "$copy/build/${archive##*/}"
}

# created: the time in the image.
created() {
	manifest | perl -MJSON::PP -0777 -ne \
		'print decode_json($_)->{annotations}{"org.opencontainers.image.created"}'
}

# blob DIGEST, manifest: of the image's layout.
blob() { cat "${layout%:*}/blobs/${1/:/\/}"; }
manifest() {
	blob "$(perl -MJSON::PP -0777 -ne 'print decode_json($_)->{manifests}[0]{digest}' "${layout%:*}/index.json")"
}

unpack() {
	local tag
	mkdir "$GID_WORK/layout" && tar -C "$GID_WORK/layout" -xf "$archive" || return 1
	tag=$(umoci ls --layout "$GID_WORK/layout") && [ "$(wc -l <<<"$tag")" -eq 1 ] || return 1
	layout=$GID_WORK/layout:$tag
	chown -R "$GID_USER" "$GID_WORK/layout"
	gid_as umoci unpack --rootless --image "$layout" "$GID_WORK/bundle"
}

# The files and directories, with their permissions.
contents() {
	{
		echo "drwxr-xr-x lib" "-rw-r--r-- lib/gid.so" "drwxr-xr-x licenses" \
			"drwxr-xr-x licenses/gid" "-rw-r--r-- licenses/gid/copyright" \
			"drwxr-xr-x share" "drwxr-xr-x share/extension" "-rw-r--r-- share/extension/gid.control" |
			xargs -n 2
		(cd "$GID_ROOT" && ls gid--*.sql) | sed 's,^,-rw-r--r-- share/extension/,'
	} | sort -k 2 >"$GID_WORK/expected"
	find "$GID_WORK/bundle/rootfs" -mindepth 1 -printf '%M %P\n' | sort -k 2 |
		diff "$GID_WORK/expected" -
}

same_scripts() {
	local file
	for file in "$GID_ROOT"/gid{.control,--*.sql}; do
		cmp "$file" "$GID_WORK/bundle/rootfs/share/extension/${file##*/}" || return 1
	done
}

# What the manifest and the configuration say, and what they do not.
annotations() {
	manifest >"$GID_WORK/manifest" &&
		blob "$(perl -MJSON::PP -0777 -ne 'print decode_json($_)->{config}{digest}' "$GID_WORK/manifest")" \
			>"$GID_WORK/config" || return 1
	# shellcheck disable=SC2016
	perl -MJSON::PP -e '
		my ($manifest, $config, $meta) = map { local (@ARGV, $/) = $_; decode_json(<>) } @ARGV;
		my $facts = $manifest->{annotations};
		my $prefix = "org.opencontainers.image";
		my %expected = map { ("$prefix.$_->[0]", $_->[1]) } [ version => $meta->{version} ],
			[ licenses => "PostgreSQL" ], [ description => $meta->{description} ];
		print JSON::PP->new->pretty->encode($_) for $manifest, $config;
		for (keys %expected) { die "$_\n" unless $facts->{$_} eq $expected{$_} }
		for (keys %$facts) { die "label $_\n" unless $config->{config}{Labels}{$_} eq $facts->{$_} }
		die "facts\n" unless 5 == keys %$facts && $facts->{"$prefix.title"} =~ /^gid for PostgreSQL \d+, Debian \w+$/;
		die "created\n" unless $config->{created} eq $facts->{"$prefix.created"};
		die "layers\n" unless 1 == @{ $manifest->{layers} } && 1 == @{ $config->{rootfs}{diff_ids} };
		die "system\n" unless $config->{os} eq "linux";
		' "$GID_WORK/manifest" "$GID_WORK/config" "$GID_ROOT/META.json" &&
		! grep -rIlE "https?://|$(uname -n | sed 's/\./\\./g')" "$GID_WORK/manifest" "$GID_WORK/config"
}

# ---- a server ----

no_gid() {
	gid_cluster_start bare || return 1
	sql "CREATE EXTENSION gid" >"$GID_WORK/refused" 2>&1
	gid_cluster_stop bare
	grep 'extension "gid" is not available' "$GID_WORK/refused"
}

# ids: one of most families, as a line each.
ids() {
	sql "$1
		SELECT substr(gid_uuid_v7()::text, 15, 1);
		SELECT gid_extract_shard(gid_uuid_shard(208));
		SELECT gid_extract_trace_node(gid_trace_id());
		SELECT gid_extract_snowflake_node(gid_snowflake_id());
		SELECT gid_decimal_id() % 100000;
		CREATE SEQUENCE s;
		SELECT gid_next('s');
		SELECT gid_next_gdid('s');
		SELECT gid_next_code('s', 'A-0099', 'numeric');
		SELECT probin FROM pg_proc WHERE proname = 'gid_uuid_v7';
		SELECT extversion FROM pg_extension WHERE extname = 'gid'" | tee "$GID_WORK/ids"
	printf '%s\n' 7 208 5 5 65 1 0:3:2 A-0102 "\$libdir/gid" \
		"$(sed -n "s/^default_version = '\(.*\)'/\1/p" "$GID_ROOT/gid.control")" |
		diff "$GID_WORK/ids" -
}

fresh() {
	gid_cluster_start image "extension_control_path = '\$system:$root/share'" \
		"dynamic_library_path = '\$libdir:$root/lib'" \
		"gid.node_no = 5" "gid.authority = 3" "gid.launch_id = 65" &&
		ids "CREATE EXTENSION gid;"
}

preloaded() {
	echo "shared_preload_libraries = 'gid'" | gid_as tee -a "$GID_WORK/image/postgresql.conf" >/dev/null
	gid_cluster_stop image && gid_cluster_restart image &&
		[ "$(sql "SHOW gid.node_no")" = 5 ] &&		# known before any function is called
		[ "$(sql "SELECT count(*) FROM pg_stat_activity; SELECT gid_next('s') > 3" | tail -n 1)" = t ] &&
		ids "DROP EXTENSION gid CASCADE; DROP SEQUENCE s; CREATE EXTENSION gid;"
}

gid_setup image
root=$GID_WORK/bundle/rootfs
archive=
layout=
chmod 755 "$GID_WORK"
check "make image makes an archive" make_image || finish
check "umoci unpacks it, an image with one layer" unpack || finish
check "it has the control file, the scripts, the library and the licence, and nothing else" contents
check "the scripts are those of the tree" same_scripts
check "version, licence and description are said, and no host" annotations
check "made again in another place, time zone and umask it is the same" make_again
check "the server has no gid of its own" no_gid
check "with the two paths set the extension is created and makes ids" fresh || finish
check "the same with gid preloaded" preloaded
gid_cluster_stop image
finish
