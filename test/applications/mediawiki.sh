#!/bin/bash
# test/applications/mediawiki.sh
#		MediaWiki's own maintenance scripts, for test/applications/run.sh: users, edits
#		and an import.  No web server is needed: an edit takes the same
#		way through the application.
#
# MediaWiki inserts a page, a text and a revision, and asks lastval() after each for the
# row's id.  A wrong id puts one page's text into another one, or loses the page.

set -eu -o pipefail

mediawiki=$GID_UNPACKED/usr/share/mediawiki
wiki=$GID_WORK/mediawiki
verb=$1
n=${2:-}

# php_run SCRIPT ARGUMENT...
php_run() {
	local script=$1
	shift
	php -d error_reporting=0 "$mediawiki/maintenance/$script.php" --conf "$wiki/LocalSettings.php" "$@"
}

# edit TITLE TEXT USER
edit() {
	printf '%s\n' "$2" | php_run edit -u "$3" -s "a summary" "$1" >&2
}

# without_round: what a user sees, without the round's number.
without_round() {
	sed "s/\\(Round\\|User\\)[ _]$n\\b/\\1/g"
}

install() {
	# in the package these are links to places of an installation
	rm -f "$mediawiki"/{LocalSettings.php,config,extensions,images}
	ln -s extensions-core "$mediawiki/extensions"
	mkdir -p "$wiki/cache" "$wiki/images"
	php -d error_reporting=0 "$mediawiki/maintenance/install.php" --dbtype postgres --dbserver "$PGHOST" \
		--dbport "$PGPORT" --dbname mediawiki --dbuser app --dbpass none --installdbuser app \
		--installdbpass none --confpath "$wiki" --server http://localhost --scriptpath /w \
		--pass a-password-of-its-own Wiki Admin >&2
	cat >>"$wiki/LocalSettings.php" <<END
\$wgCacheDirectory = '$wiki/cache';
\$wgUploadDirectory = '$wiki/images';
\$wgJobRunRate = 0;
END
	# the second update after an installation still adds an index; later ones add nothing
	php_run update --quick >&2
}

# pages_to_import: the pages of a dump, each with two revisions.
pages_to_import() {
	local i
	echo '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">'
	for i in {1..10}; do
		echo "<page><title>Round $n import $i</title><ns>0</ns>"
		for edition in 1 2; do
			echo "<revision><timestamp>2020-01-0${edition}T00:00:00Z</timestamp>"
			echo "<contributor><username>Admin</username></contributor><model>wikitext</model>"
			echo "<format>text/x-wiki</format><text>import $i, edition $edition [[Category:Round $n]]</text></revision>"
		done
		echo "</page>"
	done
	echo '</mediawiki>'
}

round() {
	local i edition pids
	php_run createAndPromote --force "User $n" a-password-of-its-own >&2

	# four sessions at a time; the dump below shows that each page has its own text
	for edition in 1 2; do
		pids=()
		for i in 1 2 3 4; do
			edit "Round $n page $i" "page $i, edition $edition, see [[Round $n page 1]] [[Category:Round $n]]" "User $n" &
			pids+=($!)
		done
		for i in "${pids[@]}"; do
			wait "$i"
		done
	done

	pages_to_import | php_run importDump --quiet >&2
	php_run runJobs >&2

	# everything that the wiki would hand out, but for keys and times
	printf "Round $n %s\n" "page "{1..4} "import "{1..10} >"$wiki/pages"
	php_run dumpBackup --full --quiet --pagelist="$wiki/pages" |
		sed -n '/<page>/,$p' | grep -v -E '<(id|parentid|timestamp|origin|sha1)>' |
		sed 's/ sha1="[a-z0-9]*"//' | without_round
	# what the above put off; at random MediaWiki adds a job that purges old changes
	php_run runJobs >&2

	# no revision without its page, no page without its text
	psql -X -At -v ON_ERROR_STOP=1 -d mediawiki <<END
SET search_path = mediawiki;
SELECT 'pages without their last revision', count(*) FROM page
	LEFT JOIN revision ON rev_id = page_latest AND rev_page = page_id WHERE rev_id IS NULL;
SELECT 'revisions without a text', count(*) FROM revision
	LEFT JOIN (slots JOIN content ON content_id = slot_content_id
		JOIN text ON 'tt:' || old_id = content_address) ON slot_revision_id = rev_id
	WHERE old_id IS NULL;
SELECT 'revisions of a page', replace(page_title, '_${n}_', '_'), count(*)
	FROM page JOIN revision ON rev_page = page_id WHERE page_title LIKE 'Round\\_${n}\\_%'
	GROUP BY page_title ORDER BY page_title COLLATE "C";
END
}

case $verb in
	install) install ;;
	update) php_run update --quick >&2 ;;
	round) round ;;
esac
