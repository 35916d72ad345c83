#!/bin/bash
# test/package.sh
#		What "make test-package" runs: the release archive and the Debian package
#		are built, twice under different circumstances, and the package is checked,
#		installed, used and removed as a user does it, by apt-get.
#
# All of it happens in a chroot (test/lib/chroot.sh) that is an overlay: its
# lower layer is this machine's root directory and its upper one is memory.
# What is tested is the tree as it is now, committed or not: the package is
# built from the unpacked archive.
#
# The last line is "N passed, N failed".

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"
# shellcheck source=test/lib/chroot.sh
. "$GID_ROOT/test/lib/chroot.sh"
# shellcheck source=test/lib/checks.sh
. "$GID_ROOT/test/lib/checks.sh"

unset PG_MAJOR TESTS		# the package is built for all versions that are installed
# The unpacked archive, in the overlay.
TREE=/gid-package/tree
# The files where packages put theirs, but for those that apt, dpkg and the
# system write by themselves.  Elsewhere other processes write into the lower
# layer meanwhile.
# shellcheck disable=SC2016
LIST='find /bin /boot /etc /lib* /opt /sbin /srv /usr /var -xdev \( -path /var/lib/apt \
	-o -path /var/cache -o -path /var/log -o -path /var/lib/dpkg \) -prune -o -print | sort'

# make_overlay: enters it.
make_overlay() {
	local root=$work/root
	mount -t tmpfs tmpfs "$work" && mkdir "$work"/{upper,work,root,log} && mount -t overlay -o \
		"lowerdir=/,upperdir=$work/upper,workdir=$work/work" overlay "$root" ||
		gid_die "could not make an overlay of this machine's root directory"
	# one that is mounted from elsewhere is not in the overlay
	[ -e "$root/var/lib/dpkg/status" ] && [ -x "$root/usr/bin/apt-get" ] && [ -e "$root/etc/apt" ] ||
		gid_die "this machine's /usr, /var or /etc is mounted by itself"
	mount -t tmpfs -o mode=1777 tmpfs "$root/tmp" && rm -f "$root/etc/resolv.conf" || exit 1
	cp -L /etc/resolv.conf "$root/etc/"
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"		# no server is started
	chmod 755 "$root/usr/sbin/policy-rc.d"
	echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/gid"
	# what "make install" brought to the machine
	rm -rf "$root"/usr/lib/postgresql/*/lib/{gid.so,bitcode/gid*} "$root"/usr/share/postgresql/*/extension/gid[.-]*
	mkdir -p "$root/gid-package/clone"
	chroot_enter "$root"
}

# check NAME SCRIPT [ARGUMENT...]: passes if the script, run in the overlay by
# bash -e, does.
check() {
	local log=$work/log/$((n + 1))
	checked "$1" "$log" chroot_run "$log" 1800 "${chroot_within[@]}" \
		bash -e -u -o pipefail -c "$2" bash "${@:3}"
}

# need NAME SCRIPT...: a check without which there is nothing to go on with.
need() { check "$@" || finish; }

# a mount namespace of its own, with which the overlay ends
if [ "${1:-}" != --private ]; then
	[ "$(id -u)" -eq 0 ] || chroot_begin
	exec unshare --mount --propagation private bash "$0" --private
fi
chroot_begin
make_overlay

# ---- the archive ----

gid_tar_tree | tar -C "$chroot/gid-package/clone" --no-same-owner -xf - || gid_die "could not copy the tree"

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

# ---- the package ----

# The uploader's part is set, too: tools/deb.sh.
need "make deb builds it from the unpacked archive" '
	cd "$1"
	DEBFULLNAME="the gid authors" DEBEMAIL=gid@example.org make deb DISTRIBUTION=unstable ITP=1000000' "$TREE"

# The overrides serve the lintian of several releases, so one may be unused.
# Two fields are superfluous in the newest release, needed in the oldest, and
# an override for them would be an error there.
check "lintian finds nothing" '
	cd "$1/build"
	tags="unused-override|redundant-priority-optional-field|redundant-rules-requires-root-no-field"
	lintian --allow-root --display-info --pedantic *.changes >/gid-package/lintian || [ $? -eq 2 ]
	! grep -v "^N: " /gid-package/lintian | grep -vE ": ($tags)( |\$)"' "$TREE"

# Another directory, user, umask, language, time zone and day.
# dpkg-buildpackage itself, not tools/deb.sh, which sets some of them.
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
major=$(cd "$chroot$TREE/build" && printf '%s\n' postgresql-*-gid_*.deb |
	sed 's/^postgresql-\([0-9]*\)-gid_.*/\1/' | sort -n | tail -n 1)
package=postgresql-$major-gid

need "apt-get installs $package" "$LIST >/gid-package/before"'
	apt-get -q -y install --no-install-recommends "$2"/build/"$1"_*.deb' "$package" "$TREE"

check "it has the files of make install and its documents, no others, and needs a major version" '
	dpkg-query -W -f "\${Depends}" "$1" | tr , "\n" | sed "s/^ *//" | grep -x "postgresql-$3"
	cd "$2"
	make -s PG_CONFIG=/usr/lib/postgresql/"$3"/bin/pg_config DESTDIR=/gid-package/destdir install >/dev/null
	make -s PG_CONFIG=/usr/lib/postgresql/"$3"/bin/pg_config clean >/dev/null
	(cd /gid-package/destdir && find . -type f) | sed "s,^\.,," | sort >/gid-package/installed.make
	dpkg -L "$1" | while read -r file; do [ -d "$file" ] || echo "$file"; done | sort >/gid-package/installed.dpkg
	grep -v "^/usr/share/doc/$1/\|^/usr/share/lintian/overrides/$1\$" /gid-package/installed.dpkg |
		diff /gid-package/installed.make -
	for file in README.md $(cd "$2" && ls doc/*.md doc/*.html doc/decoders/* doc/pictures/* doc/vectors/*) copyright changelog changelog.Debian NEWS.Debian; do
		[ -s "/usr/share/doc/$1/$file" ] || [ -s "/usr/share/doc/$1/$file.gz" ]
	done' "$package" "$TREE" "$major"

check "its autopkgtest, the regression and isolation tests, passes" '
	chown -R postgres "$1"
	cd "$1"
	runuser -u postgres -- sh debian/tests/installcheck >/gid-package/installcheck 2>&1 || {
		grep -E "^not ok |\.\.\. FAILED" /gid-package/installcheck
		head -n 30 regression.diffs
		tail -n 30 regression.diffs output_iso/regression.diffs
		exit 1
	}' "$TREE"

need "apt-get removes it" '
	apt-get -q -y purge "$1"' "$package"

check "nothing of it is left" "$LIST | diff /gid-package/before -"'
	! dpkg-query -W "$1" 2>/dev/null' "$package"

check "PGXN's client takes META.json, installs the zip, and takes it back" '
	bin=/usr/lib/postgresql/"$1"/bin
	set -- /usr/lib/postgresql/"$1"/lib /usr/share/postgresql/"$1"/extension
	cd /tmp
	pgxn install --yes --nosudo --pg_config "$bin/pg_config" /gid-package/clone/build/gid-*.zip
	[ -s "$1/gid.so" ]
	[ -s "$2/gid.control" ]
	pgxn uninstall --yes --nosudo --pg_config "$bin/pg_config" /gid-package/clone/build/gid-*.zip
	! find "$@" -name "gid[.-]*" -o -name gid | grep .' "$major"

finish
