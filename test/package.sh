#!/bin/bash
# test/package.sh
#		What "make test-package" runs: the release archive and the Debian package
#		are built, twice under different circumstances, and the package is checked,
#		installed, used and removed as a user does it, by apt-get.
#
# All of it happens in a throw-away view of this machine: an overlay whose lower
# layer is the machine's root directory and whose upper one is memory, with a
# root shell in it.  Build and test packages are installed there, too.
#
# Invariants:
# 1. Nothing of the machine is written: a command that changes something runs in
#    the overlay.  But for build/ nothing of the clone is, either.
# 2. Mounts are made in a mount namespace of this script's own and processes in
#    a process namespace of their own: they end with it, however it ends.
# 3. What is tested is the archive of the tree as it is now, committed or not:
#    the package is built from the unpacked archive alone.
#
# Read from the environment: TMPDIR, http_proxy, https_proxy, no_proxy.
#
# The last line is "N passed, N failed".

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"
# shellcheck source=test/lib/checks.sh
. "$GID_ROOT/test/lib/checks.sh"
PATH=$PATH:/usr/sbin:/sbin

LIMIT=1800				# seconds for a command
# what a command in the overlay gets to see of the environment
CLEAN=(env -i HOME=/root TERM="${TERM:-dumb}" LC_ALL=C.UTF-8
	DEBIAN_FRONTEND=noninteractive
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
# The unpacked archive, in the overlay.
TREE=/gid-package/tree
# The files where packages put theirs, but for those that apt, dpkg and the system write
# by themselves.  Elsewhere other processes write into the lower layer meanwhile.
# shellcheck disable=SC2016
LIST='find /bin /boot /etc /lib* /opt /sbin /srv /usr /var -xdev \( -path /var/lib/apt \
	-o -path /var/cache -o -path /var/log -o -path /var/lib/dpkg \) -prune -o -print | sort'

work=					# the work directory
root=					# where the overlay is

# enter: this script again, as root and in namespaces of its own.
enter() {
	local name propagation=private
	local -a kept=()
	gid_become_root || gid_die \
		"test-package installs packages in an overlay, which needs root: run it as root or as a user of sudo"
	# In a chroot of test/matrix.sh / is no mount, and all mounts are private.
	mountpoint -q / || propagation=unchanged
	"${gid_sudo[@]}" unshare --mount --propagation "$propagation" true || gid_die \
		"test-package makes an overlay; this machine (a container?) does not let root mount"
	for name in TMPDIR http_proxy https_proxy no_proxy; do
		[ -z "${!name:-}" ] || kept+=("$name=${!name}")
	done
	exec "${gid_sudo[@]}" env "${kept[@]}" unshare --mount \
		--propagation "$propagation" --pid --fork --kill-child bash "$0" --private
}

cleanup() {
	local rc=$?
	trap '' INT TERM HUP
	trap - EXIT
	cd / || :
	umount -R -l "$work/overlay" "$work/root" 2>/dev/null
	rmdir "$work/overlay" "$work/root" "$work" ||
		echo "gid: could not remove $work" >&2
	exit "$rc"
}

# make_overlay: sets root.
make_overlay() {
	local name
	work=$(mktemp -d "${TMPDIR:-/tmp}/gid-package.XXXXXX") || exit 1
	mkdir "$work/overlay" "$work/root" || exit 1
	root=$work/root
	mount -t tmpfs tmpfs "$work/overlay" && mkdir "$work/overlay"/{upper,work} &&
		mount -t overlay -o "lowerdir=/,upperdir=$work/overlay/upper,workdir=$work/overlay/work" \
			overlay "$root" || gid_die "could not make an overlay of this machine's root directory"
	# one that is mounted from elsewhere is not in the overlay
	[ -e "$root/var/lib/dpkg/status" ] && [ -x "$root/usr/bin/apt-get" ] &&
		[ -e "$root/etc/apt" ] ||
		gid_die "this machine's /usr, /var or /etc is mounted by itself"
	mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" || exit 1
	mount -t tmpfs -o mode=1777 tmpfs "$root/tmp" || exit 1
	[ -s "$root/etc/resolv.conf" ] || {
		rm -f "$root/etc/resolv.conf"
		cp -L /etc/resolv.conf "$root/etc/"
	}
	# no server is started, none is made
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod 755 "$root/usr/sbin/policy-rc.d"
	echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/gid"
	# what "make install" brought to the machine
	rm -f "$root"/usr/lib/postgresql/*/lib/gid.so \
		"$root"/usr/share/postgresql/*/extension/gid[.-]*
	rm -rf "$root"/usr/lib/postgresql/*/lib/bitcode/gid \
		"$root"/usr/lib/postgresql/*/lib/bitcode/gid.index.bc
	mkdir "$root/gid-package" "$root/gid-package/log" || exit 1
}

# within COMMAND...: the command in the overlay, at most LIMIT seconds.
within() {
	local name
	local -a kept=()
	for name in http_proxy https_proxy no_proxy; do
		[ -z "${!name:-}" ] || kept+=("$name=${!name}")
	done
	timeout --foreground -k 10 $LIMIT chroot "$root" "${CLEAN[@]}" "${kept[@]}" "$@" </dev/null
}

# check NAME SCRIPT [ARGUMENT...]: passes if the script, run in the overlay by
# bash -e, does.
check() {
	local name=$1 script=$2
	shift 2
	checked "$name" "$root/gid-package/log/$((n + 1))" \
		within bash -e -u -o pipefail -c "$script" bash "$@"
}

# need NAME SCRIPT...: a check without which there is nothing to go on with.
need() { check "$@" || finish; }

[ "${1:-}" = --private ] || enter
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
make_overlay

# ---- the archive ----

mkdir "$root/gid-package/clone"
(gid_list_tree | tar -C "$GID_ROOT" --null -T - -cf -) |
	tar -C "$root/gid-package/clone" --no-same-owner -xf - || gid_die "could not copy the tree"

need "the package lists are read, the tools installed" '
	apt-get -q update
	apt-get -q -y install --no-install-recommends git make unzip lintian faketime pgxnclient'

need "make dist makes an archive of the tree" '
	cd /gid-package/clone
	git init -q .
	git add -A
	git -c user.name=gid -c user.email=gid@localhost commit -q -m "the tree"
	make dist'

check "the zip and the tarball have the same files: the tree without what is not for release" '
	mkdir /gid-package/zip /gid-package/tar
	unzip -q -d /gid-package/zip /gid-package/clone/build/gid-*.zip
	tar -C /gid-package/tar -xzf /gid-package/clone/build/gid-*.tar.gz
	diff -r /gid-package/zip /gid-package/tar
	git -C /gid-package/clone ls-files | grep -v "^\.ci/\|^\.gitignore$\|^\.gitattributes$" | sort >/gid-package/tree.list
	cd /gid-package/zip/gid-*
	find . -type f | sed "s,^\./,," | sort | diff /gid-package/tree.list -
	mkdir -p "${1%/*}"
	mv /gid-package/zip/gid-* "$1"' "$TREE"

check "in another clone, time zone, language and umask the archives are the same" '
	git clone -q /gid-package/clone /gid-package/other-clone
	cd /gid-package/other-clone
	git config tar.umask 0077
	git config core.autocrlf true
	umask 077
	TZ=Asia/Kathmandu LC_ALL=C make dist
	for file in /gid-package/clone/build/gid-*; do
		cmp "$file" "build/${file##*/}"
	done'

# What PGXN expects of an upload.  test/meta.pl has the rules for META.json.
check "PGXN can take the zip: META.json is valid and stands where the names say" '
	cd "$1"
	perl test/meta.pl
	perl test/meta.pl --planted
	prefix=$(perl -MJSON::PP -0777 -ne '\''$_ = decode_json($_); print "$_->{name}-$_->{version}"'\'' META.json)
	[ "$(cd /gid-package/clone/build && ls *.zip)" = "$prefix.zip" ]
	unzip -Z1 /gid-package/clone/build/*.zip >/gid-package/zip.list
	[ -z "$(grep -v "^$prefix/" /gid-package/zip.list)" ]
	[ "$(grep "META\.json$" /gid-package/zip.list)" = "$prefix/META.json" ]
	grep -x "$prefix/README.md" /gid-package/zip.list' "$TREE"

# ---- the package ----

# The uploader's part is set, too: tools/deb.sh.
need "make deb builds it from the unpacked archive" '
	cd "$1"
	DEBFULLNAME="the gid authors" DEBEMAIL=gid@example.org make deb DISTRIBUTION=unstable ITP=1000000' "$TREE"

# The overrides serve the lintian of several releases, so one may be unused.  Two
# fields are superfluous in the newest release, needed in the oldest, and an override
# for them would be an error there.
check "lintian finds nothing" '
	cd "$1/build"
	tags="unused-override|redundant-priority-optional-field|redundant-rules-requires-root-no-field"
	lintian --allow-root --display-info --pedantic *.changes >/gid-package/lintian || [ $? -eq 2 ]
	! grep -v "^N: " /gid-package/lintian | grep -vE ": ($tags)( |\$)"' "$TREE"

# Another directory, user, umask, language, time zone and day.  dpkg-buildpackage
# itself, not tools/deb.sh, which sets some of them.
check "built again under other circumstances the packages are the same, bit for bit" '
	mkdir -p "$1"
	cp "$2"/build/*.dsc "$2"/build/*.tar.* "$1/"
	cd "$1"
	chown -R nobody .
	runuser -u nobody -- env HOME="$1" LC_ALL=C LANGUAGE=tr TZ=Asia/Kathmandu \
		PG_SUPPORTED_VERSIONS=installed bash -e -u -c "
		dpkg-source -x *.dsc source
		cd source
		faketime -f \"+400d\" dpkg-buildpackage -us -uc -S
		umask 0027
		faketime -f \"+400d\" dpkg-buildpackage -us -uc -b"
	for kind in deb dsc tar.gz tar.xz; do
		for file in "$2"/build/*."$kind"; do
			cmp "$file" "$1/${file##*/}"
		done
	done' /gid-package/elsewhere/where-it-is-built-again "$TREE"

# The version of PostgreSQL that is tested: the highest one that was built.
major=$(within sh -c 'ls /gid-package/tree/build/postgresql-*-gid_*.deb' |
	sed 's/.*postgresql-\([0-9]*\)-gid_.*/\1/' | sort -n | tail -n 1)
package=postgresql-$major-gid

check "it depends on the major version of PostgreSQL, not on a minor one" '
	dpkg-deb -f "$3"/build/"$1"_*.deb Depends | tee /gid-package/depends
	tr , "\n" </gid-package/depends | sed "s/^ *//" | grep -x "postgresql-$2"' "$package" "$major" "$TREE"

need "apt-get installs $package" "$LIST >/gid-package/before"'
	cp "$2"/build/"$1"_*.deb /gid-package/package.deb
	apt-get -q -y install --no-install-recommends /gid-package/package.deb' "$package" "$TREE"

check "it has the files of make install and its documents, no others" '
	cd "$2"
	make -s PG_CONFIG=/usr/lib/postgresql/"$3"/bin/pg_config DESTDIR=/gid-package/destdir install >/dev/null
	make -s PG_CONFIG=/usr/lib/postgresql/"$3"/bin/pg_config clean >/dev/null
	(cd /gid-package/destdir && find . -type f) | sed "s,^\.,," | sort >/gid-package/installed.make
	dpkg -L "$1" | while read -r file; do [ -d "$file" ] || echo "$file"; done | sort >/gid-package/installed.dpkg
	grep -v "^/usr/share/doc/$1/\|^/usr/share/lintian/overrides/$1\$" /gid-package/installed.dpkg |
		diff /gid-package/installed.make -
	for file in README.md $(cd "$2" && ls doc/*.md doc/decoders/* doc/pictures/* doc/vectors/*) copyright changelog changelog.Debian NEWS.Debian; do
		[ -s "/usr/share/doc/$1/$file" ] || [ -s "/usr/share/doc/$1/$file.gz" ]
	done' "$package" "$TREE" "$major"

check "the extension is created, an id is made" '
	sed -n "s/^default_version = '\''\(.*\)'\''/\1|7|t/p" "$2/gid.control" >/gid-package/expected
	cd /tmp
	runuser -u postgres -- env NONROOT=1 pg_virtualenv -v "$1" \
		psql -XAtq -v ON_ERROR_STOP=1 -c "CREATE EXTENSION gid" -c "
			SELECT extversion, substr(gid_uuid_v7()::text, 15, 1), gid_uuid_v7() < gid_uuid_v7()
			FROM pg_extension WHERE extname = '\''gid'\''" | tee /gid-package/result
	grep -xFf /gid-package/expected /gid-package/result' "$major" "$TREE"

check "its autopkgtest, the regression and isolation tests, passes" '
	chown -R postgres "$1"
	cd "$1"
	runuser -u postgres -- sh debian/tests/installcheck >/gid-package/installcheck 2>&1 || {
		grep -E "^not ok |\.\.\. FAILED" /gid-package/installcheck
		head -n 30 regression.diffs
		tail -n 30 regression.diffs output_iso/regression.diffs
		exit 1
	}' "$TREE"

# ---- an upgrade under a running server ----

upgrade=$(cat <<'END'
cd /gid-package
bin=/usr/lib/postgresql/$3/bin

# repack VERSION [LIBRARY]: installs the package as another version.
repack() {
	dpkg-deb -R package.deb "repack-$4"
	sed -i "s/^Version: .*/Version: $4/" "repack-$4/DEBIAN/control"
	[ -z "${5:-}" ] || cp "$5" "repack-$4/usr/lib/postgresql/$3/lib/gid.so"
	dpkg-deb -b "repack-$4" "$4.deb"
	dpkg -i "$4.deb"
}

server() {
	runuser -u postgres -- "$bin/pg_ctl" -D /gid-package/data -l /gid-package/data/log -w -s \
		-o "-c listen_addresses= -c unix_socket_directories=/tmp" "$@"
}

sql() { runuser -u postgres -- "$bin/psql" -XAtq -h /tmp -d postgres -v VERBOSITY=verbose -c "$1" 2>&1; }

# ask SQL ANSWER: what the session that stays gives.
ask() {
	local answer
	echo "$1;" >&"${OLD[1]}"
	read -r -t 60 -u "${OLD[0]}" answer
	echo "the old session: $answer"
	[ "$answer" = "$2" ]
}

mkdir data
chown postgres data
runuser -u postgres -- "$bin/initdb" -D /gid-package/data -A trust --no-sync >/dev/null
server start
trap 'server stop -m immediate' EXIT
sql "CREATE EXTENSION gid; CREATE SEQUENCE s"
coproc OLD { runuser -u postgres -- "$bin/psql" -XAtq -h /tmp -d postgres 2>&1; }
ask "SELECT gid_next('s')" 1

# the same library
repack "$@" 98
[ "$(sql "SELECT gid_next('s')")" = 2 ]
ask "SELECT gid_next('s')" 3
[ "$(sql "SELECT gid_next('s')")" = 4 ]

# another version
cp -R "$2" other
sed -i 's/^\(#define GID_VERSION[^"]*\)".*"/\1"9.9"/' other/src/attach/attach.c
make -s -C other PG_CONFIG="$bin/pg_config" with_llvm=no clean all
repack "$@" 99 other/gid.so
sql "SELECT gid_next('s')" | tee refused || :
grep "ERROR:  55000" refused
grep "HINT:  Restart the server" refused
[ "$(sql "SELECT 1")" = 1 ]
ask "SELECT gid_next('s')" 5
server restart -m fast
[ "$(sql "SELECT gid_next('s') > 5")" = t ]
server stop -m fast
trap - EXIT
[ -z "$(grep -E "was terminated by signal|PANIC" data/log)" ]
dpkg -i package.deb
END
)
check "its upgrade under a running server: old sessions go on, new ones work or are told to restart it" \
	"$upgrade" "$package" "$TREE" "$major"

need "apt-get removes it" '
	apt-get -q -y purge "$1"' "$package"

check "nothing of it is left" "$LIST | diff /gid-package/before -"'
	! dpkg-query -W "$1" 2>/dev/null' "$package"

check "PGXN's client installs the zip, and takes it back" '
	bin=/usr/lib/postgresql/"$1"/bin
	set -- /usr/lib/postgresql/"$1"/lib /usr/share/postgresql/"$1"/extension
	cd /tmp
	pgxn install --yes --nosudo --pg_config "$bin/pg_config" /gid-package/clone/build/gid-*.zip
	[ -s "$1/gid.so" ]
	[ -s "$2/gid.control" ]
	pgxn uninstall --yes --nosudo --pg_config "$bin/pg_config" /gid-package/clone/build/gid-*.zip
	! find "$@" -name "gid[.-]*" -o -name gid | grep .' "$major"

finish
