# test/lib/chroot.sh
#		"make" in chroots of Debian, for test/matrix.sh, test/arch.sh and
#		test/package.sh.  To be sourced by bash after tools/setup.sh.
#
# mmdebstrap makes a chroot, from the mirrors of this machine's apt and with
# its settings.  bubblewrap runs a command in it, with mounts and processes of
# its own, which end with the command.  The clone is only read, but for
# test/output/LABEL, where the tests of LABEL leave what they keep.
#
# Read from the environment: GID_MATRIX_CACHE (a directory that keeps the
# chroots for the next run), GID_UPGRADE_FROM (versions of PostgreSQL that a
# chroot gets packages of, too), GID_PATIENCE (factor of all time limits),
# TMPDIR.

PATH=$PATH:/usr/sbin:/sbin

# Which release brings which version of PostgreSQL; none: Debian has no package
# of it.  Suites after a plus sign are asked for this version alone: a version
# appears in experimental first, then in sid, then in testing.
CHROOT_RELEASES="15:bookworm 16: 17:trixie 18:forky 19:forky+sid+experimental"
# variables that a command in a chroot gets
CHROOT_VARIABLES="TESTS|FAULTS|PG_MAJOR|PG_TEST_[A-Z_]+|BENCH_PARTS|BENCH_SCALE|\
GID_UPGRADE_FROM|GID_ASSERT_OWN|GID_PATIENCE|GID_SANITIZE|https?_proxy|no_proxy"
CHROOT_OUTPUT=$GID_ROOT/test/output

work=					# the work directory
chroot=					# the chroot; empty: this machine
chroot_within=()		# before a command in it
chroot_child=			# process that is waited for
chroot_passed=0
chroot_failed=0
chroot_lines=()			# the summary

# chroot_release VERSION: the Debian release, with its suites; status 1 if
# there is no such version.
chroot_release() { tr ' ' '\n' <<<"$CHROOT_RELEASES" | sed -n "s/^$1://p" | grep ''; }

# chroot_versions: those of CHROOT_RELEASES.
chroot_versions() { sed 's/:[^ ]*//g' <<<"$CHROOT_RELEASES"; }

# chroot_begin: this script again as root, unless it is; the work directory.
chroot_begin() {
	local -a kept
	if [ "$(id -u)" -ne 0 ]; then
		gid_become_root || gid_die "a chroot needs root: run this as root or as a user of sudo"
		mapfile -d '' kept < <(env -0 | grep -zE "^($CHROOT_VARIABLES|ARCH|TMPDIR|GID_[A-Z0-9_]+)=")
		exec sudo env "${kept[@]}" bash "$0"
	fi
	trap chroot_cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	work=$(mktemp -d "${TMPDIR:-/tmp}/gid-chroot.XXXXXX") && chmod 755 "$work" || exit 1
	chroot_need bwrap bubblewrap
}

chroot_cleanup() {
	local rc=$?
	trap '' INT TERM HUP
	trap - EXIT
	cd / || :
	[ -z "$chroot_child" ] || { kill "$chroot_child"; wait "$chroot_child"; } 2>/dev/null
	umount -R -l "$work" 2>/dev/null		# what test/package.sh mounts
	rm -rf --one-file-system "$work"
	exit "$rc"
}

# chroot_need COMMAND PACKAGE...: this machine has the command, or gets the
# packages.
chroot_need() {
	command -v "$1" >/dev/null && return
	gid_say "Installing ${*:2} ..."
	gid_apt "$work/apt.log" update || :
	gid_apt "$work/apt.log" install --no-install-recommends --no-upgrade "${@:2}" ||
		{ gid_tail "$work/apt.log" >&2; gid_die "there is no $1"; }
}

# chroot_run [-v] LOG SECONDS COMMAND...: ended after so many seconds (status
# 124), or with this script.  -v shows what it says.
chroot_run() {
	local rc show=
	[ "$1" != -v ] || { show=1; shift; }
	: >"$1"					# there before tail looks for it
	setpriv --pdeathsig TERM timeout -k 60 $(($2 * ${GID_PATIENCE:-1})) "${@:3}" \
		</dev/null >"$1" 2>&1 &
	chroot_child=$!
	[ -z "$show" ] || tail -n +1 -f --pid="$chroot_child" "$1" &
	show=$!
	wait "$chroot_child"
	rc=$?
	chroot_child=
	wait "$show"
	[ $rc -ne 124 ] || echo "gid: ended by its time limit" >>"$1"
	return $rc
}

# ---- a chroot ----

# chroot_enter DIR: sets chroot and chroot_within.
chroot_enter() {
	chroot=$1
	mapfile -d '' chroot_within < <(env -0 | grep -zE "^($CHROOT_VARIABLES)=")
	chroot_within=(bwrap --die-with-parent --unshare-pid --cap-add ALL --bind "$1" /
		--proc /proc --dev /dev --perms 1777 --tmpfs /dev/shm
		env -i HOME=/root TERM="${TERM:-dumb}" LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${chroot_within[@]}")
}

# chroot_mirror SUITE: the first of this machine's mirrors that has it, or else
# Debian's own; status 1 if none has it.  "trixie-security" is a suite, too.
chroot_mirror() {
	local uri
	for uri in $(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' |
			grep '^http' | sort -u) http://deb.debian.org/debian; do
		timeout 120 /usr/lib/apt/apt-helper download-file "${uri%/}/dists/$1/Release" \
			"$work/Release" </dev/null >/dev/null 2>&1 && echo "$uri" && return
	done
	return 1
}

# chroot_apt_settings: how this machine reaches its mirrors.
chroot_apt_settings() {
	apt-config dump | grep -E '^Acquire::(https?|Retries|ForceIPv|Check-Date|Languages)' |
		grep -vi 'Proxy-\?Auto-\?Detect'
	# testing is copied to some mirrors once in a while
	echo 'Acquire::Check-Valid-Until "false";'
}

# chroot_sources VERSION RELEASE: the release's security updates, and the
# suites after its plus sign, from which only this version of PostgreSQL comes,
# with what it cannot do without.  From the releases of GID_UPGRADE_FROM comes
# what no other has.
chroot_sources() {
	local version suite mirror pin
	local -a more=($(tr + ' ' <<<"$2")) upgrade=()
	for version in ${GID_UPGRADE_FROM:-}; do
		suite=$(chroot_release "$version")
		[[ +$2+ = *+"${suite%%+*}"+* ]] || upgrade+=("${suite%%+*}")
	done
	for suite in "${more[0]}-security" "${more[@]:1}" ${upgrade[@]+"${upgrade[@]}"}; do
		mirror=$(chroot_mirror "$suite") && echo "deb $mirror $suite main"
	done >"$chroot/etc/apt/sources.list.d/gid.list"
	for suite in "${more[@]:1}" ${upgrade[@]+"${upgrade[@]}"}; do
		pin=n=$suite
		[ "$suite" != experimental ] || pin=a=$suite
		printf 'Package: *\nPin: release %s\nPin-Priority: 100\n\n' "$pin"
		[[ " ${more[*]:1} " != *" $suite "* ]] ||
			printf 'Package: src:postgresql-%s\nPin: release %s\nPin-Priority: 500\n\n' "$1" "$pin"
	done >"$chroot/etc/apt/preferences.d/gid"
}

# chroot_make VERSION RELEASE ARCH: enters a chroot that is up to date, with
# RELEASE as chroot_release() has it.
chroot_make() {
	local dir=${GID_MATRIX_CACHE:-$work}/$2 log=$work/chroot.log file
	[ "$3" = "$(dpkg --print-architecture)" ] || dir+=-$3
	mkdir -p "${dir%/*}" && exec 8>"$dir.lock" && flock -n 8 ||		# until the next one
		{ gid_say "$dir is in use"; return 1; }
	chroot_apt_settings >"$work/apt.conf"
	if [ ! -e "$dir/etc/debian_version" ]; then
		gid_say "Making a chroot of Debian $2 for $3 ..."
		chroot_need mmdebstrap mmdebstrap debian-archive-keyring
		chroot_need arch-test arch-test
		rm -rf --one-file-system "$dir.new"
		chroot_run "$log" 1800 mmdebstrap --mode=root --variant=minbase --architectures="$3" \
			--include=ca-certificates,make --aptopt="$work/apt.conf" --dpkgopt=force-unsafe-io \
			"${2%%+*}" "$dir.new" "$(chroot_mirror "${2%%+*}")" && mv -T "$dir.new" "$dir" ||
			{ gid_say "mmdebstrap failed:"; gid_tail "$log"; return 1; }
	fi
	gid_say "Using the chroot $dir."
	chroot_enter "$dir"
	cp "$work/apt.conf" "$dir/etc/apt/apt.conf.d/99gid" || return 1
	for file in /etc/apt/auth.conf /etc/apt/auth.conf.d /usr/local/share/ca-certificates \
			$(sed -nE 's/^Acquire::https::(.*::)?(CaInfo|SslCert|SslKey) "(.+)";$/\3/p' "$work/apt.conf"); do
		[ ! -e "$file" ] || cp -a --parents "$file" "$dir/" || return 1
	done
	cp -L /etc/resolv.conf /etc/hosts "$dir/etc/" || return 1
	printf '#!/bin/sh\nexit 101\n' >"$dir/usr/sbin/policy-rc.d"		# packages start no server
	chmod 755 "$dir/usr/sbin/policy-rc.d"
	rm -rf "$dir"/tmp/gid*
	chroot_sources "$1" "$2"
	chroot_run "$log" 1800 "${chroot_within[@]}" sh -c \
		'update-ca-certificates && dpkg --configure -a && apt-get -q update && apt-get -q -y upgrade' ||
		{ gid_say "could not bring the chroot up to date:"; gid_tail "$log"; }
}

# ---- the tests ----

# chroot_tests LABEL TITLE TARGET [VERSION RELEASE ARCH]: "make TARGET" in that
# chroot or, without one, on this machine.  Tests that did not come to their
# end count as one failed.
chroot_tests() {
	local log=$work/$1.log top=$work tree output start rc=1 line good=0 bad=0
	gid_say "== $2 =="
	start=$(gid_seconds)
	rm -rf "${CHROOT_OUTPUT:?}/$1"
	chroot='' chroot_within=()
	if [ $# -eq 3 ] || chroot_make "${@:4}"; then
		[ -z "$chroot" ] || top=$chroot
		tree=$top/gid
		rm -rf "$tree" && mkdir "$tree" && gid_tar_tree | tar -C "$tree" --no-same-owner -xf - || exit 1
		chroot_run -v "$log" 7200 ${chroot_within[@]+"${chroot_within[@]}"} ${CHROOT_SETTINGS[@]+"${CHROOT_SETTINGS[@]}"} \
			make --no-print-directory -C "${tree#"$chroot"}" "$3"
		rc=$?
		output=$tree/test/output
		[ "$3" != bench ] || output=$tree/test/bench/output
		if [ -d "$output" ]; then
			mkdir -p "$CHROOT_OUTPUT" && cp -R "$output" "$CHROOT_OUTPUT/$1" &&
				chown -R --reference="$GID_ROOT" "$CHROOT_OUTPUT" &&
				gid_say "what it has kept is in $CHROOT_OUTPUT/$1"
		fi
		rm -rf "$tree"
	fi
	line=$(grep -hE '^[0-9]+ passed, [0-9]+ failed$' "$log" 2>/dev/null | tail -n 1)
	[ "$3" != bench ] || [ $rc -ne 0 ] || line="1 passed, 0 failed"		# it counts no tests
	[ -z "$line" ] || read -r good _ bad _ <<<"$line"
	if [ -z "$line" ] || { [ $rc -ne 0 ] && [ "$bad" -eq 0 ]; }; then
		bad=$((bad + 1))
		line="$good passed, $bad failed, not run to the end"
	fi
	chroot_passed=$((chroot_passed + good))
	chroot_failed=$((chroot_failed + bad))
	chroot_lines+=("$2: $line, $(gid_since "$start")")
	gid_say ""
}

# chroot_summary: the last lines; status 0 if tests ran and none failed.
chroot_summary() {
	[ $((chroot_passed + chroot_failed)) -gt 0 ] || chroot_failed=1
	printf '%s\n' "${chroot_lines[@]}" "" "$chroot_passed passed, $chroot_failed failed"
	[ "$chroot_failed" -eq 0 ]
}
