#!/bin/bash
# test/odds/run.sh
#		Are the tables of doc/uniqueness.md those that odds.pl calculates?
#
#	test/odds/run.sh			shows what differs; status 1 if anything does
#	test/odds/run.sh --write	puts the calculated cells into the document

cd "$(dirname "$0")/../.." && exec perl test/odds/odds.pl "$@"
