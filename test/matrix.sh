#!/bin/bash
# test/matrix.sh
#		What "make test-matrix" runs: "make test" with every supported major
#		version of PostgreSQL that Debian has, one after the other.
#
# A version is tested in the Debian release that brings it: on this machine, if
# that is its release, else in a chroot that debootstrap makes below TMPDIR.
# The mirrors, the proxy and the certificates are those of this machine's apt; if
# none of its mirrors has the release, debootstrap's own default is used.  If one
# has the release's security updates, they are part of it.
#
# Invariants:
# 1. Mounts are made in a mount namespace of this script's own: nobody else sees
#    them, and they end with its processes, however those end.
# 2. At exit, also by a signal, every process in a chroot is ended, what is
#    mounted there is unmounted, and the work directory is removed.  A directory
#    in which something is still mounted is not removed.
# 3. The clone is only read, but for test/output/: what a version's tests keep
#    of a failure comes to test/output/postgresql-N/.
#
# Read from the environment: GID_MATRIX (the versions, default "15 16 17 18"),
# GID_MATRIX_CACHE (a directory that keeps the chroots for the next run),
# GID_MATRIX_TARGET (what make is to do, default "test"; "test-package"), TESTS,
# PG_TEST_*, TMPDIR, http_proxy, https_proxy, no_proxy.
#
# The last lines are one for each version and the sum, "N passed, N failed".  A
# version whose tests did not come to their end counts as one failed.

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"
PATH=$PATH:/usr/sbin:/sbin

# Which release brings which version; none: Debian has no package of it.
RELEASES="15:bookworm 16: 17:trixie 18:forky"
BUILD_LIMIT=1800		# seconds for debootstrap
TEST_LIMIT=7200			# seconds for the tests of one version
OUTPUT=$GID_ROOT/test/output
# what a command in a chroot gets to see of the environment
CLEAN=(env -i HOME=/root TERM="${TERM:-dumb}" LC_ALL=C.UTF-8
	DEBIAN_FRONTEND=noninteractive
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
GID_MATRIX=${GID_MATRIX:-15 16 17 18}

work=					# the work directory
child=					# process group that is waited for
chroot=					# where a chroot is, or is being made
unfinished=				# a chroot that is to go if it does not get ready
passed=0
failed=0
summary=()

# release_of VERSION: the Debian release; status 1 if there is no such version.
release_of() {
	local pair
	for pair in $RELEASES; do
		[ "${pair%%:*}" != "$1" ] || { echo "${pair#*:}"; return 0; }
	done
	return 1
}

# ---- root, a mount namespace ----

# variables: those of the environment that are passed on, as NAME=VALUE, NUL
# after each.
variables() {
	local name
	for name in TESTS $(compgen -v PG_TEST_) http_proxy https_proxy no_proxy "$@"; do
		[ -z "${!name:-}" ] || printf '%s=%s\0' "$name" "${!name}"
	done
}

# enter: this script again, as root and in a mount namespace of its own.
enter() {
	local -a kept
	gid_become_root || gid_die \
		"test-matrix makes chroots, which needs root: run it as root or as a user of sudo"
	"${gid_sudo[@]}" unshare --mount true || gid_die \
		"test-matrix makes chroots, which needs mounts; this machine (a container?) does not let root mount"
	mapfile -d '' kept < <(variables GID_MATRIX GID_MATRIX_CACHE GID_MATRIX_TARGET TMPDIR)
	exec "${gid_sudo[@]}" env "${kept[@]}" \
		unshare --mount --propagation private bash "$0" --private
}

# ---- the end ----

# processes_in DIR: those whose root directory is DIR or below it.
processes_in() {
	local link root pid
	for link in /proc/[0-9]*/root; do
		root=$(readlink "$link" 2>/dev/null) || continue
		pid=${link#/proc/}
		case "$root/" in
			"$1"/*) echo "${pid%/root}" ;;
		esac
	done
}

# mounts_in DIR: what is mounted below it, the last one first.
mounts_in() {
	awk -v dir="$1/" 'index($2, dir) == 1 { print $2 }' /proc/self/mounts | tac
}

# leave DIR: ends the processes of a chroot and unmounts what it has.
leave() {
	local pids tries mount
	for tries in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		pids=$(processes_in "$1")
		[ -n "$pids" ] || break
		# shellcheck disable=SC2086
		kill -KILL $pids 2>/dev/null
		sleep 0.1
	done
	for mount in $(mounts_in "$1"); do
		umount -R -l "$mount" 2>/dev/null
	done
}

# remove DIR: a chroot or the work directory, once nothing is mounted there.
remove() {
	[ -n "$(mounts_in "$1")" ] || rm -rf --one-file-system "$1" ||
		{ sleep 1; rm -rf --one-file-system "$1"; }
	[ ! -e "$1" ] || echo "gid: could not remove $1" >&2
}

# end_child: lets "make test" clean up, which takes it some seconds.
end_child() {
	local tries
	[ -n "$child" ] || return 0
	kill -TERM -- "-$child" 2>/dev/null
	for ((tries = 0; tries < 150; tries++)); do
		kill -0 -- "-$child" 2>/dev/null || break
		sleep 0.2
	done
	kill -KILL -- "-$child" 2>/dev/null
	child=
}

cleanup() {
	local rc=$?
	trap '' INT TERM HUP
	trap - EXIT
	cd / || :
	end_child
	[ -z "$chroot" ] || leave "$chroot"
	[ -z "$unfinished" ] || remove "$unfinished"
	[ -z "$work" ] || remove "$work"
	exit "$rc"
}

# run [-v] LOG LIMIT COMMAND...: the command in a process group of its own, ended
# after LIMIT seconds (status 124), or when this script is killed.  -v shows what
# it says.
run() {
	local log rc show=
	local -a limited
	[ "$1" != -v ] || { show=1; shift; }
	log=$1
	limited=(setpriv --pdeathsig TERM timeout -k 60 "$2")
	shift 2
	: >"$log"				# there before tail looks for it
	set -m
	"${limited[@]}" "$@" </dev/null >"$log" 2>&1 &
	child=$!
	set +m
	if [ -n "$show" ]; then
		tail -n +1 -f --pid="$child" "$log" &
		show=$!
	fi
	wait "$child"
	rc=$?
	child=
	[ -z "$show" ] || wait "$show"
	[ $rc -ne 124 ] || echo "gid: ended by its time limit" >>"$log"
	return $rc
}

# ---- a chroot ----

need_debootstrap() {
	command -v debootstrap >/dev/null && [ -d /usr/share/debootstrap ] && return
	command -v apt-get >/dev/null || gid_die "test-matrix needs debootstrap"
	gid_known debootstrap || gid_apt "$work/apt.log" update || :
	gid_say "Installing debootstrap ..."
	gid_apt "$work/apt.log" install --no-install-recommends --no-upgrade \
		debootstrap debian-archive-keyring ||
		{ gid_tail "$work/apt.log" >&2; gid_die "could not install debootstrap"; }
}

# apt_settings NAME...: those of this machine, in the form of apt.conf.
apt_settings() {
	local name
	for name in "$@"; do
		apt-config dump 2>/dev/null | grep -i "^Acquire::$name" |
			grep -vi 'Proxy-\?Auto-\?Detect'
	done
}

# mirror_of RELEASE: the first of this machine's mirrors that has it; may be
# none.  "trixie-security" is a release, too.  apt's own downloader asks, with
# its proxy and its passwords.
mirror_of() {
	local uri
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
		awk '!seen[$0]++' |
		while read -r uri; do
			case $uri in
				http://* | https://*) ;;
				*) continue ;;
			esac
			rm -f "$work/Release"
			timeout 120 /usr/lib/apt/apt-helper download-file \
				"${uri%/}/dists/$1/Release" "$work/Release" </dev/null >/dev/null 2>&1 ||
				continue
			grep -qx 'Origin: Debian' "$work/Release" &&
				grep -qx "Codename: $1" "$work/Release" && echo "$uri" && break
		done
}

# debootstrap_into RELEASE DIR LOG
debootstrap_into() {
	local script=/usr/share/debootstrap/scripts/$1 mirror proxy
	# a release that is younger than debootstrap is made as sid is
	[ -e "$script" ] || script=${script%/*}/sid
	mirror=$(mirror_of "$1")
	proxy=$(apt_settings 'http::Proxy "' | sed -n 's/.*"\(.*:.*\)";/\1/p' | head -n 1)
	run "$3" $BUILD_LIMIT env http_proxy="${http_proxy:-$proxy}" debootstrap \
		--variant=minbase --include=ca-certificates,make "$1" "$2" "$mirror" "$script"
}

# settings_into DIR RELEASE: how this machine reaches its mirrors, and that
# packages start no server.
settings_into() {
	local dir=$1 file mirror
	{
		apt_settings http https Retries ForceIPv Check-Date Languages
		# testing is copied to some mirrors once in a while
		echo 'Acquire::Check-Valid-Until "false";'
	} >"$dir/etc/apt/apt.conf.d/99gid" || return 1
	for file in /etc/apt/auth.conf /etc/apt/auth.conf.d \
			/usr/local/share/ca-certificates \
			$(apt_settings https | sed -n 's/.*::\(CaInfo\|CaPath\|SslCert\|SslKey\) "\(.*\)";/\2/p'); do
		[ ! -e "$file" ] || cp -a --parents "$file" "$dir/" || return 1
	done
	cp -L /etc/resolv.conf /etc/hosts "$dir/etc/" || return 1
	mirror=$(mirror_of "$2-security")
	echo "${mirror:+deb $mirror $2-security main}" >"$dir/etc/apt/sources.list.d/gid.list"
	echo force-unsafe-io >"$dir/etc/dpkg/dpkg.cfg.d/gid"
	printf '#!/bin/sh\nexit 101\n' >"$dir/usr/sbin/policy-rc.d"
	chmod 755 "$dir/usr/sbin/policy-rc.d"
}

# mounts_into DIR.  /dev is not the machine's own, but has the few nodes that
# everybody may use.
mounts_into() {
	local dir=$1 name
	mount -t proc proc "$dir/proc" &&
		mount -t tmpfs -o mode=755 tmpfs "$dir/dev" &&
		mkdir "$dir/dev/shm" "$dir/dev/pts" &&
		mount -t tmpfs -o mode=1777 tmpfs "$dir/dev/shm" &&
		mount -t devpts -o newinstance,ptmxmode=666 devpts "$dir/dev/pts" || return 1
	for name in null zero full random urandom tty; do
		: >"$dir/dev/$name" && mount --bind "/dev/$name" "$dir/dev/$name" || return 1
	done
	ln -s pts/ptmx "$dir/dev/ptmx" &&
		ln -s /proc/self/fd "$dir/dev/fd" &&
		ln -s fd/0 "$dir/dev/stdin" &&
		ln -s fd/1 "$dir/dev/stdout" &&
		ln -s fd/2 "$dir/dev/stderr"
}

# make_chroot VERSION RELEASE: sets chroot, a directory with everything mounted.
make_chroot() {
	local log=$work/chroot-$2.log cached=
	local -a kept
	chroot=$work/$2
	if [ -n "${GID_MATRIX_CACHE:-}" ]; then
		cached=$GID_MATRIX_CACHE/$2
		# held until the next version's
		exec 8>"$cached.lock" && flock -n 8 ||
			{ gid_say "$cached is in use"; chroot=; return 1; }
		chroot=$cached
		[ -e "$cached/etc/debian_version" ] || chroot=$cached.new
	fi
	if [ "$chroot" != "$cached" ]; then
		gid_say "Making a chroot of Debian $2 ..."
		unfinished=$chroot
		[ ! -e "$chroot" ] || remove "$chroot"
		debootstrap_into "$2" "$chroot" "$log" ||
			{ gid_say "debootstrap failed:"; gid_tail "$log"; return 1; }
		leave "$chroot"
		if [ -n "$cached" ]; then
			mv "$chroot" "$cached" || return 1
			chroot=$cached
		fi
		unfinished=
	else
		gid_say "Using the chroot $chroot."
	fi
	settings_into "$chroot" "$2" && mounts_into "$chroot" ||
		{ gid_say "could not prepare $chroot"; return 1; }
	# the packages' state may be of another day
	mapfile -d '' kept < <(variables)
	run "$log" $BUILD_LIMIT chroot "$chroot" "${CLEAN[@]}" "${kept[@]}" sh -c \
		'update-ca-certificates && dpkg --configure -a && apt-get -q update && apt-get -q -y upgrade' ||
		{ gid_say "could not bring the chroot up to date:"; gid_tail "$log"; }
}

# ---- the tests ----

# tree_into DIR: the clone's files, as DIR/gid.
tree_into() {
	rm -rf "$1/gid" && mkdir "$1/gid" &&
		(gid_list_tree | tar -C "$GID_ROOT" --null -T - -cf -) |
		tar -C "$1/gid" --no-same-owner -xf -
}

# make_test VERSION TREE COMMAND...: "make test" there, with the command before
# it; what it says is shown and kept in test-VERSION.log.
make_test() {
	local version=$1 tree=$2
	local -a kept
	shift 2
	mapfile -d '' kept < <(variables)
	run -v "$work/test-$version.log" $TEST_LIMIT "$@" "${kept[@]}" \
		PG_MAJOR="$version" make --no-print-directory -C "$tree" "${GID_MATRIX_TARGET:-test}"
}

# own_release: this machine's, if it is Debian's.
own_release() {
	[ ! -r /etc/os-release ] || (
		. /etc/os-release
		[ "${ID:-}" != debian ] || echo "${VERSION_CODENAME:-}"
	)
}

# test_version VERSION RELEASE: status 0 if the tests came to their end.
test_version() {
	local rc kept
	if [ "$2" = "$(own_release)" ]; then
		gid_say "== PostgreSQL $1, Debian $2, this machine =="
		tree_into "$work" || return 1
		kept=$work/gid
		make_test "$1" "$kept" env TMPDIR="${TMPDIR:-/tmp}"
		rc=$?
	else
		gid_say "== PostgreSQL $1, Debian $2, in a chroot =="
		need_debootstrap
		make_chroot "$1" "$2" && tree_into "$chroot" || return 1
		kept=$chroot/gid
		make_test "$1" /gid chroot "$chroot" "${CLEAN[@]}"
		rc=$?
	fi
	if [ -d "$kept/test/output" ]; then
		mkdir -p "$OUTPUT" &&
			cp -R "$kept/test/output" "$OUTPUT/postgresql-$1" &&
			chown -R --reference="$GID_ROOT" "$OUTPUT" &&
			gid_say "what failed is in $OUTPUT/postgresql-$1"
	fi
	[ -z "$chroot" ] || rm -rf "$chroot/gid"
	return $rc
}

# end_version: makes room for the next one.
end_version() {
	[ -n "$chroot" ] || return 0
	leave "$chroot"
	case $chroot in
		"$work"/*) remove "$chroot" ;;
	esac
	[ -z "$unfinished" ] || remove "$unfinished"
	unfinished=
	chroot=
}

# count VERSION RELEASE STATUS START: from the last line of its tests.
count() {
	local good=0 bad=0 line full
	full=$(chroot "${chroot:-/}" "/usr/lib/postgresql/$1/bin/postgres" -V 2>/dev/null |
		sed 's/^[^0-9]*\([0-9.]*\).*/\1/')
	line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$work/test-$1.log" 2>/dev/null |
		tail -n 1)
	[ -z "$line" ] || read -r good _ bad _ <<<"$line"
	if [ -z "$line" ] || { [ "$3" -ne 0 ] && [ "$bad" -eq 0 ]; }; then
		bad=$((bad + 1))
		line="$good passed, $bad failed, not run to the end"
	fi
	passed=$((passed + good))
	failed=$((failed + bad))
	summary+=("PostgreSQL ${full:-$1} (Debian $2): $line, $(gid_since "$4")")
}

main() {
	local version release start ran=
	for version in $GID_MATRIX; do
		release_of "$version" >/dev/null ||
			gid_die "GID_MATRIX: \"$version\" is not one of: $(sed 's/:[a-z]*//g' <<<"$RELEASES")"
	done
	[ "${1:-}" = --private ] || enter
	trap cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP
	work=${TMPDIR:-/tmp}
	case $work in
		*[!A-Za-z0-9._/-]*) gid_die "TMPDIR has characters that make cannot take" ;;
	esac
	work=$(mktemp -d "$work/gid-matrix.XXXXXX") || exit 1
	work=$(cd "$work" && pwd -P)
	chmod 755 "$work"
	if [ -n "${GID_MATRIX_CACHE:-}" ]; then
		mkdir -p "$GID_MATRIX_CACHE" || exit 1
		GID_MATRIX_CACHE=$(cd "$GID_MATRIX_CACHE" && pwd -P)
	fi
	rm -rf "$OUTPUT"/postgresql-*
	for version in $GID_MATRIX; do
		release=$(release_of "$version")
		if [ -z "$release" ]; then
			summary+=("PostgreSQL $version: not run, Debian has no package of it")
			continue
		fi
		ran=1
		start=$(gid_seconds)
		test_version "$version" "$release"
		count "$version" "$release" $? "$start"
		end_version
		gid_say ""
	done
	[ -n "$ran" ] || failed=1
	printf '%s\n' "${summary[@]}" "" "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
	exit
}

main "$@"
