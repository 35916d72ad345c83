# test/lib/checks.sh
#		Checks of a script that count themselves; for scripts that have read
#		tools/setup.sh.  The last line of such a script is "N passed, N failed".

began=$(gid_seconds)
n=0						# checks so far
passed=0
failed=0

# checked NAME LOG COMMAND...: passes if the command does.
checked() {
	local name=$1 log=$2
	shift 2
	n=$((n + 1))
	if "$@" >"$log" 2>&1; then
		passed=$((passed + 1))
		gid_say "ok $n - $name"
	else
		failed=$((failed + 1))
		gid_say "not ok $n - $name"
		gid_tail "$log"
		return 1
	fi
}

# finish: the sum, and the end of the script.
finish() {
	gid_say "$(gid_since "$began") in all"
	gid_say "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
	exit
}
