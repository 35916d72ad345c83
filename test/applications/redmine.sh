#!/bin/bash
# test/applications/redmine.sh
#		Redmine with Debian's Rails, for test/applications/run.sh.  The operations are in
#		redmine/round.rb.
#
# Redmine writes into its own directory, so it runs from a copy.

set -eu -o pipefail

redmine=$GID_WORK/redmine
export RAILS_ENV=production REDMINE_LANG=en SCHEMA=/dev/null BUNDLE_APP_CONFIG=$redmine/.bundle RUBYOPT=-W0
verb=$1

install() {
	cp -R "$GID_UNPACKED/usr/share/redmine" "$redmine"
	cd "$redmine"
	# in the package these are links to places of an installation
	rm -f config/database.yml Gemfile.lock instances
	rm -rf public && mkdir -p public/plugin_assets tmp log files plugins
	sed -i "s|'/usr/share/redmine/|'$redmine/|" Gemfile
	cat >config/database.yml <<END
production:
  adapter: postgresql
  database: redmine
  host: $PGHOST
  port: $PGPORT
  username: app
  encoding: utf8
  pool: 8
END
	bundle install --local >&2
	bundle exec rake generate_secret_token db:migrate redmine:load_default_data >&2
}

case $verb in
	install) install ;;
	update) cd "$redmine" && bundle exec rake db:migrate redmine:plugins:migrate >&2 ;;
	round) cd "$redmine" && bundle exec rails runner "${BASH_SOURCE[0]%.sh}/round.rb" "$2" ;;
esac
