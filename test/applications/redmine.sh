#!/bin/bash
# test/applications/redmine.sh
#		Redmine with Debian's Rails, for test/applications/run.sh.  The operations are in
#		redmine/round.rb.
#
# Redmine writes into its own directory, so it runs from a copy.  Debian's package runs
# several instances from one directory, and "default" here.

set -eu -o pipefail

redmine=$GID_WORK/redmine
export RAILS_ENV=production REDMINE_LANG=en SCHEMA=/dev/null BUNDLE_APP_CONFIG=$redmine/.bundle RUBYOPT=-W0
verb=$1

install() {
	cp -R "$GID_UNPACKED/usr/share/redmine" "$redmine"
	cd "$redmine"
	# in the package these are links to places of an installation
	rm -f config/database.yml Gemfile.lock instances
	mkdir -p instances/default/{config,files,log,tmp} plugins tmp
	sed -i "s|'/usr/share/redmine/|'$redmine/|" Gemfile
	cat >instances/default/config/database.yml <<END
production:
  adapter: postgresql
  database: redmine
  host: $PGHOST
  port: $PGPORT
  username: app
  encoding: utf8
  pool: 8
END
	bundle exec rake generate_secret_token db:migrate >&2
	# another process, which sees the columns of all migrations
	bundle exec rake redmine:load_default_data >&2
}

case $verb in
	install) install ;;
	update) cd "$redmine" && bundle exec rake db:migrate redmine:plugins:migrate >&2 ;;
	round) cd "$redmine" && bundle exec rails runner "${BASH_SOURCE[0]%.sh}/round.rb" "$2" ;;
esac
