# test/lib/chroot.sh
#		"make test" in chroots of Debian, for test/matrix.sh and test/arch.sh.  To be
#		sourced by bash after tools/setup.sh.
#
#	chroot_enter test-matrix GID_MATRIX "$@"	# root, mounts of its own
#	chroot_begin
#	chroot_make 18 forky "$(chroot_native)"	# sets $chroot
#	chroot_tree "$chroot"
#	chroot_test forky /gid test chroot "$chroot" "${CHROOT_CLEAN[@]}"
#	chroot_end
#
# The mirrors, the proxy and the certificates are those of this machine's apt.  If
# none of its mirrors has the release, debootstrap's own default is used.  If one
# has the release's security updates, they are part of it.
#
# Programs of a foreign processor run under QEMU's user mode.  The kernel is told
# so by an entry in binfmt_misc, which holds for the whole machine.
#
# Invariants:
# 1. Mounts are made in a mount namespace of this script's own: nobody else sees
#    them, and they end with its processes, however those end.
# 2. At exit, also by a signal, every process in a chroot is ended, what is
#    mounted there is unmounted, and the work directory is removed.  A directory
#    in which something is still mounted is not removed.
# 3. The clone is only read, but for test/output/: what the tests of LABEL keep
#    of a failure, or the results of "make bench", come to test/output/LABEL/.
# 4. An entry of binfmt_misc that this script has made goes at exit.  An entry
#    that is there, with the flag F, is used and stays.
#
# Read from the environment: GID_MATRIX_CACHE (a directory that keeps the chroots
# for the next run), TESTS, FAULTS, BENCH_PARTS, BENCH_SCALE, GID_ASSERT_OWN,
# GID_UPGRADE_FROM (versions of PostgreSQL that the chroot gets packages of, too),
# PG_TEST_*, TMPDIR, http_proxy, https_proxy, no_proxy.

PATH=$PATH:/usr/sbin:/sbin

# Which release brings which version of PostgreSQL; none: Debian has no package of
# it.  Suites after a plus sign are asked for this version alone: a version appears
# in experimental first, then in sid, then in testing.
CHROOT_RELEASES="15:bookworm 16: 17:trixie 18:forky 19:forky+sid+experimental"
CHROOT_BUILD_LIMIT=1800		# seconds for debootstrap
CHROOT_TEST_LIMIT=7200		# seconds for the tests in one chroot
CHROOT_OUTPUT=$GID_ROOT/test/output
# what a command in a chroot gets to see of the environment
CHROOT_CLEAN=(env -i HOME=/root TERM="${TERM:-dumb}" LC_ALL=C.UTF-8
	DEBIAN_FRONTEND=noninteractive
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
BINFMT=/proc/sys/fs/binfmt_misc

work=					# the work directory
chroot=					# where a chroot is, or is being made
chroot_child=			# process group that is waited for
chroot_unfinished=		# a chroot that is to go if it does not get ready
chroot_entries=()		# entries of binfmt_misc that this script has made
chroot_passed=0
chroot_failed=0
chroot_lines=()			# the summary

# chroot_release VERSION: the Debian release, with its suites; status 1 if there is
# no such version.
chroot_release() {
	local pair
	for pair in $CHROOT_RELEASES; do
		[ "${pair%%:*}" != "$1" ] || { echo "${pair#*:}"; return 0; }
	done
	return 1
}

# chroot_versions: those of CHROOT_RELEASES.
chroot_versions() { sed 's/:[^ ]*//g' <<<"$CHROOT_RELEASES"; }

# ---- root, a mount namespace ----

# chroot_variables NAME...: those of the environment that are passed on, as
# NAME=VALUE, NUL after each.
chroot_variables() {
	local name
	for name in TESTS FAULTS BENCH_PARTS BENCH_SCALE GID_UPGRADE_FROM GID_ASSERT_OWN $(compgen -v PG_TEST_) \
			http_proxy https_proxy no_proxy "$@"; do
		[ -z "${!name:-}" ] || printf '%s=%s\0' "$name" "${!name}"
	done
}

# chroot_enter TARGET NAMES ARG...: this script again, as root and in a mount
# namespace of its own.  NAMES are variables that it needs.  The second time, by
# the argument --private, the function does nothing.
chroot_enter() {
	local target=$1 names=$2
	local -a kept
	[ "${3:-}" != --private ] || return 0
	gid_become_root || gid_die \
		"$target makes chroots, which needs root: run it as root or as a user of sudo"
	"${gid_sudo[@]}" unshare --mount true || gid_die \
		"$target makes chroots, which needs mounts; this machine (a container?) does not let root mount"
	# shellcheck disable=SC2086
	mapfile -d '' kept < <(chroot_variables GID_MATRIX_CACHE TMPDIR $names)
	exec "${gid_sudo[@]}" env "${kept[@]}" \
		unshare --mount --propagation private bash "$0" --private
}

# chroot_begin: the work directory, and what happens at the end.
chroot_begin() {
	trap chroot_cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP
	work=${TMPDIR:-/tmp}
	case $work in
		*[!A-Za-z0-9._/-]*) gid_die "TMPDIR has characters that make cannot take" ;;
	esac
	work=$(mktemp -d "$work/gid-chroot.XXXXXX") || exit 1
	work=$(cd "$work" && pwd -P)
	chmod 755 "$work"
	if [ -n "${GID_MATRIX_CACHE:-}" ]; then
		mkdir -p "$GID_MATRIX_CACHE" || exit 1
		GID_MATRIX_CACHE=$(cd "$GID_MATRIX_CACHE" && pwd -P)
	fi
}

# ---- the end ----

# chroot_processes DIR: those whose root directory is DIR or below it.
chroot_processes() {
	local link root pid
	for link in /proc/[0-9]*/root; do
		root=$(readlink "$link" 2>/dev/null) || continue
		pid=${link#/proc/}
		case "$root/" in
			"$1"/*) echo "${pid%/root}" ;;
		esac
	done
}

# chroot_mounts DIR: what is mounted below it, the last one first.
chroot_mounts() {
	awk -v dir="$1/" 'index($2, dir) == 1 { print $2 }' /proc/self/mounts | tac
}

# chroot_leave DIR: ends the processes of a chroot and unmounts what it has.
chroot_leave() {
	local pids tries mount
	for ((tries = 0; tries < 20; tries++)); do
		pids=$(chroot_processes "$1")
		[ -n "$pids" ] || break
		# shellcheck disable=SC2086
		kill -KILL $pids 2>/dev/null
		sleep 0.1
	done
	for mount in $(chroot_mounts "$1"); do
		umount -R -l "$mount" 2>/dev/null
	done
}

# chroot_remove DIR: a chroot or the work directory, once nothing is mounted there.
chroot_remove() {
	[ -n "$(chroot_mounts "$1")" ] || rm -rf --one-file-system "$1" ||
		{ sleep 1; rm -rf --one-file-system "$1"; }
	[ ! -e "$1" ] || echo "gid: could not remove $1" >&2
}

# chroot_end_child: lets "make test" clean up, which takes it some seconds.
chroot_end_child() {
	local tries
	[ -n "$chroot_child" ] || return 0
	kill -TERM -- "-$chroot_child" 2>/dev/null
	for ((tries = 0; tries < 150; tries++)); do
		kill -0 -- "-$chroot_child" 2>/dev/null || break
		sleep 0.2
	done
	kill -KILL -- "-$chroot_child" 2>/dev/null
	chroot_child=
}

# chroot_end: makes room for the next chroot.
chroot_end() {
	[ -n "$chroot" ] || return 0
	chroot_leave "$chroot"
	case $chroot in
		"$work"/*) chroot_remove "$chroot" ;;
	esac
	[ -z "$chroot_unfinished" ] || chroot_remove "$chroot_unfinished"
	chroot_unfinished=
	chroot=
}

chroot_cleanup() {
	local rc=$? entry
	trap '' INT TERM HUP
	trap - EXIT
	cd / || :
	chroot_end_child
	chroot_end
	for entry in ${chroot_entries[@]+"${chroot_entries[@]}"}; do
		echo -1 >"$BINFMT/$entry"
	done
	[ -z "$work" ] || chroot_remove "$work"
	exit "$rc"
}

# chroot_run [-v] LOG LIMIT COMMAND...: the command in a process group of its own,
# ended after LIMIT seconds (status 124), or when this script is killed.  -v shows
# what it says.
chroot_run() {
	local log rc show=
	local -a limited
	[ "$1" != -v ] || { show=1; shift; }
	log=$1
	limited=(setpriv --pdeathsig TERM timeout -k 60 "$2")
	shift 2
	: >"$log"				# there before tail looks for it
	set -m
	"${limited[@]}" "$@" </dev/null >"$log" 2>&1 &
	chroot_child=$!
	set +m
	if [ -n "$show" ]; then
		tail -n +1 -f --pid="$chroot_child" "$log" &
		show=$!
	fi
	wait "$chroot_child"
	rc=$?
	chroot_child=
	[ -z "$show" ] || wait "$show"
	[ $rc -ne 124 ] || echo "gid: ended by its time limit" >>"$log"
	return $rc
}

# ---- foreign processors ----

# chroot_native: this machine's processor, as Debian calls it.
chroot_native() { dpkg --print-architecture; }

# chroot_needs_qemu ARCH
chroot_needs_qemu() {
	case $(chroot_native):$1 in
		"$1:$1" | amd64:i386) return 1 ;;
	esac
}

# chroot_qemu_entry ARCH: QEMU's name of the processor, and magic and mask by which
# the kernel knows its programs: the ELF header up to the machine.
chroot_qemu_entry() {
	local qemu class data machine type='\x02\x00' type_mask='\xfe\xff'
	case $1 in
		amd64) set -- x86_64 02 01 3e ;;
		arm64) set -- aarch64 02 01 b7 ;;
		armhf) set -- arm 01 01 28 ;;
		i386) set -- i386 01 01 03 ;;
		ppc64el) set -- ppc64le 02 01 15 ;;
		riscv64) set -- riscv64 02 01 f3 ;;
		s390x) set -- s390x 02 02 16 ;;
		*) return 1 ;;
	esac
	qemu=$1 class=$2 data=$3 machine="\\x$4\\x00"
	if [ "$data" = 02 ]; then	# the most significant byte comes first
		type='\x00\x02' type_mask='\xff\xfe' machine="\\x00\\x$4"
	fi
	printf '%s %s%s%s%s%s %s%s%s\n' "$qemu" \
		'\x7fELF' "\\x$class\\x$data\\x01" '\x00\x00\x00\x00\x00\x00\x00\x00\x00' \
		"$type" "$machine" \
		'\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff' \
		"$type_mask" '\xff\xff'
}

# chroot_qemu ARCH: lets programs of that processor run here; if they cannot, says
# why, with status 1.  The flag F makes the kernel open QEMU now, so that the
# chroots need no copy of it; O and C let setuid programs work.
chroot_qemu() {
	local arch=$1 qemu magic mask entry hex
	read -r qemu magic mask < <(chroot_qemu_entry "$arch") ||
		{ echo "this script does not know its ELF header"; return 1; }
	grep -qw binfmt_misc /proc/filesystems || modprobe -q binfmt_misc ||
		{ echo "this kernel has no binfmt_misc"; return 1; }
	[ -e "$BINFMT/register" ] || mount -t binfmt_misc binfmt_misc "$BINFMT" 2>"$work/mount" ||
		{ echo "binfmt_misc cannot be mounted"; return 1; }
	hex=$(sed 's/ELF/454c46/; s/\\x//g' <<<"$magic")
	for entry in "$BINFMT"/*; do
		case ${entry##*/} in
			gid-*) continue ;;	# goes when another run of this script ends
		esac
		grep -qx enabled "$entry" 2>/dev/null && grep -qx "magic $hex" "$entry" &&
			grep -q '^flags: .*F' "$entry" && return
	done
	command -v "qemu-$qemu-static" >/dev/null || chroot_install qemu-user-static >&2
	command -v "qemu-$qemu-static" >/dev/null ||
		{ echo "there is no qemu-$qemu-static"; return 1; }
	entry=gid-$qemu-$$
	printf '%s' ":$entry:M::$magic:$mask:$(command -v "qemu-$qemu-static"):OCF" \
		>"$BINFMT/register" 2>"$work/register" ||
		{ echo "binfmt_misc takes no entry: $(tail -n 1 "$work/register")"; return 1; }
	chroot_entries+=("$entry")
}

# ---- a chroot ----

# chroot_install PACKAGE...: on this machine.
chroot_install() {
	command -v apt-get >/dev/null || return 1
	gid_known "$1" || gid_apt "$work/apt.log" update || :
	gid_say "Installing $* ..."
	gid_apt "$work/apt.log" install --no-install-recommends --no-upgrade "$@" ||
		{ gid_tail "$work/apt.log" >&2; return 1; }
}

chroot_need_debootstrap() {
	command -v debootstrap >/dev/null && [ -d /usr/share/debootstrap ] && return
	chroot_install debootstrap debian-archive-keyring || gid_die "there is no debootstrap"
}

# chroot_apt_settings NAME...: those of this machine, in the form of apt.conf.
chroot_apt_settings() {
	local name
	for name in "$@"; do
		apt-config dump 2>/dev/null | grep -i "^Acquire::$name" |
			grep -vi 'Proxy-\?Auto-\?Detect'
	done
}

# chroot_mirror SUITE [ARCH]: the first of this machine's mirrors that has it, else
# debootstrap's own default if that has it, else nothing.  "trixie-security" is a
# suite, too.  apt's own downloader asks, with its proxy and its passwords.
chroot_mirror() {
	local uri
	{
		apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null
		sed -n 's/^DEF_MIRROR="\(.*\)"$/\1/p' "$(command -v debootstrap)"
	} | awk '!seen[$0]++' |
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
				grep -qE "^(Suite|Codename): $1\$" "$work/Release" &&
				grep -qE "^Architectures:.* ${2:-$(chroot_native)}( |\$)" "$work/Release" &&
				echo "$uri" && break
		done
}

# chroot_debootstrap RELEASE ARCH DIR LOG
chroot_debootstrap() {
	local script=/usr/share/debootstrap/scripts/$1 mirror proxy
	# a release that is younger than debootstrap is made as sid is
	[ -e "$script" ] || script=${script%/*}/sid
	mirror=$(chroot_mirror "$1" "$2")
	proxy=$(chroot_apt_settings 'http::Proxy "' | sed -n 's/.*"\(.*:.*\)";/\1/p' | head -n 1)
	chroot_run "$4" $((CHROOT_BUILD_LIMIT * ${GID_PATIENCE:-1})) \
		env http_proxy="${http_proxy:-$proxy}" debootstrap --arch="$2" \
		--variant=minbase --include=ca-certificates,make "$1" "$3" "$mirror" "$script"
}

# chroot_others SUITES: the releases of the versions in GID_UPGRADE_FROM, but for
# those that SUITES has.
chroot_others() {
	local version suite
	for version in ${GID_UPGRADE_FROM:-}; do
		suite=$(chroot_release "$version") || continue
		case +$1+ in
			*+"${suite%%+*}"+*) ;;
			*) echo "${suite%%+*}" ;;
		esac
	done | sort -u
}

# chroot_sources VERSION SUITES ARCH DIR: the release's security updates, and the
# suites after its plus sign, from which only this version of PostgreSQL comes, with
# what it cannot do without.  From the releases of the versions in GID_UPGRADE_FROM
# comes what no other has.
chroot_sources() {
	local suite mirror all=$2 others dir=$4/etc/apt
	others=$(chroot_others "$2")
	for suite in $others; do
		printf 'Package: *\nPin: release n=%s\nPin-Priority: 100\n\n' "$suite"
	done >"$dir/preferences.d/gid"
	for suite in "${all%%+*}-security" $(tr + ' ' <<<"${all#"${all%%+*}"}") $others; do
		mirror=$(chroot_mirror "$suite" "$3")
		[ -z "$mirror" ] || echo "deb $mirror $suite main"
	done >"$dir/sources.list.d/gid.list"
	for suite in $(tr + ' ' <<<"${all#"${all%%+*}"}"); do
		case $suite in
			experimental) suite=a=$suite ;;		# apt rates it low by itself
			*)
				suite=n=$suite
				printf 'Package: *\nPin: release %s\nPin-Priority: 100\n\n' "$suite" ;;
		esac
		printf 'Package: src:postgresql-%s\nPin: release %s\nPin-Priority: 500\n\n' \
			"$1" "$suite"
	done >>"$dir/preferences.d/gid"
}

# chroot_settings VERSION SUITES ARCH DIR: how this machine reaches its mirrors, and
# that packages start no server.
chroot_settings() {
	local dir=$4 file
	{
		chroot_apt_settings http https Retries ForceIPv Check-Date Languages
		# testing is copied to some mirrors once in a while
		echo 'Acquire::Check-Valid-Until "false";'
	} >"$dir/etc/apt/apt.conf.d/99gid" || return 1
	for file in /etc/apt/auth.conf /etc/apt/auth.conf.d \
			/usr/local/share/ca-certificates \
			$(chroot_apt_settings https |
				sed -n 's/.*::\(CaInfo\|CaPath\|SslCert\|SslKey\) "\(.*\)";/\2/p'); do
		[ ! -e "$file" ] || cp -a --parents "$file" "$dir/" || return 1
	done
	cp -L /etc/resolv.conf /etc/hosts "$dir/etc/" || return 1
	chroot_sources "$@" || return 1
	echo force-unsafe-io >"$dir/etc/dpkg/dpkg.cfg.d/gid"
	printf '#!/bin/sh\nexit 101\n' >"$dir/usr/sbin/policy-rc.d"
	chmod 755 "$dir/usr/sbin/policy-rc.d"
}

# chroot_mount DIR.  /dev is not the machine's own, but has the few nodes that
# everybody may use.
chroot_mount() {
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

# chroot_make VERSION RELEASE ARCH: sets chroot, a directory with everything mounted,
# of RELEASE as chroot_release() has it.
chroot_make() {
	local name=$2 log=$work/chroot.log cached=
	local -a kept
	chroot_need_debootstrap
	[ "$3" = "$(chroot_native)" ] || name=$name-$3
	chroot=$work/$name
	if [ -n "${GID_MATRIX_CACHE:-}" ]; then
		cached=$GID_MATRIX_CACHE/$name
		# held until the next chroot's
		exec 8>"$cached.lock" && flock -n 8 ||
			{ gid_say "$cached is in use"; chroot=; return 1; }
		chroot=$cached
		[ -e "$cached/etc/debian_version" ] || chroot=$cached.new
	fi
	if [ "$chroot" != "$cached" ]; then
		gid_say "Making a chroot of Debian $2 for $3 ..."
		chroot_unfinished=$chroot
		[ ! -e "$chroot" ] || chroot_remove "$chroot"
		chroot_debootstrap "${2%%+*}" "$3" "$chroot" "$log" ||
			{ gid_say "debootstrap failed:"; gid_tail "$log"; return 1; }
		chroot_leave "$chroot"
		if [ -n "$cached" ]; then
			mv "$chroot" "$cached" || return 1
			chroot=$cached
		fi
		chroot_unfinished=
	else
		gid_say "Using the chroot $chroot."
	fi
	chroot_settings "$1" "$2" "$3" "$chroot" && chroot_mount "$chroot" ||
		{ gid_say "could not prepare $chroot"; return 1; }
	# the packages' state may be of another day
	mapfile -d '' kept < <(chroot_variables)
	chroot_run "$log" $((CHROOT_BUILD_LIMIT * ${GID_PATIENCE:-1})) \
		chroot "$chroot" "${CHROOT_CLEAN[@]}" "${kept[@]}" sh -c \
		'update-ca-certificates && dpkg --configure -a && apt-get -q update && apt-get -q -y upgrade' ||
		{ gid_say "could not bring the chroot up to date:"; gid_tail "$log"; }
}

# ---- the tests ----

# chroot_tree DIR: the clone's files, as DIR/gid.
chroot_tree() {
	rm -rf "$1/gid" && mkdir "$1/gid" &&
		(gid_list_tree | tar -C "$GID_ROOT" --null -T - -cf -) |
		tar -C "$1/gid" --no-same-owner -xf -
}

# chroot_test LABEL TREE TARGET COMMAND...: "make TARGET" there, with the command
# before it; what it says is shown and kept in $work/LABEL.log.
chroot_test() {
	local label=$1 tree=$2 target=$3 rc output
	local -a kept
	shift 3
	mapfile -d '' kept < <(chroot_variables)
	chroot_run -v "$work/$label.log" $((CHROOT_TEST_LIMIT * ${GID_PATIENCE:-1})) \
		"$@" "${kept[@]}" make --no-print-directory -C "$tree" "$target"
	rc=$?
	output=${chroot:-$work}/gid/test/output
	[ "$target" != bench ] || output=${output%/output}/bench/output
	if [ -d "$output" ]; then
		mkdir -p "$CHROOT_OUTPUT" &&
			cp -R "$output" "$CHROOT_OUTPUT/$label" &&
			chown -R --reference="$GID_ROOT" "$CHROOT_OUTPUT" &&
			gid_say "what it has kept is in $CHROOT_OUTPUT/$label"
	fi
	[ -z "$chroot" ] || rm -rf "$chroot/gid"
	return $rc
}

# chroot_server VERSION: its full version in the chroot or, without one, here.
chroot_server() {
	chroot "${chroot:-/}" "/usr/lib/postgresql/$1/bin/postgres" -V 2>/dev/null |
		sed 's/^[^0-9]*\([^ ]*\).*/\1/' | grep . || echo "$1"
}

# chroot_count LABEL TEXT STATUS START: from the last line of the tests of LABEL.  Tests
# that did not come to their end count as one failed.
chroot_count() {
	local good=0 bad=0 line
	line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$work/$1.log" 2>/dev/null |
		tail -n 1)
	[ -z "$line" ] || read -r good _ bad _ <<<"$line"
	if [ -z "$line" ] || { [ "$3" -ne 0 ] && [ "$bad" -eq 0 ]; }; then
		bad=$((bad + 1))
		line="$good passed, $bad failed, not run to the end"
	fi
	chroot_passed=$((chroot_passed + good))
	chroot_failed=$((chroot_failed + bad))
	chroot_lines+=("$2: $line, $(gid_since "$4")")
}

# chroot_summary: the last lines; status 0 if tests ran and none failed.
chroot_summary() {
	[ $((chroot_passed + chroot_failed)) -gt 0 ] || chroot_failed=1
	printf '%s\n' "${chroot_lines[@]}" "" "$chroot_passed passed, $chroot_failed failed"
	[ "$chroot_failed" -eq 0 ]
}
