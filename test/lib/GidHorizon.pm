# A server and a table with an id of each kind that has a horizon.
package GidHorizon;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use GidTest;

our @EXPORT = qw(%HORIZON @KINDS %TYPE $INSERT horizon_node);

# Each kind of id: its column, and the horizon.
our %HORIZON = (
	v7 => 'gid_uuid_v7_horizon()',
	sequential => 'gid_uuid_sequential_horizon()',
	snowflake => 'gid_snowflake_id_horizon()',
	next => "gid_horizon('ids')",
	serial => "gid_horizon('e_serial_seq')");
our @KINDS = sort keys %HORIZON;
our %TYPE = map { $_ => /^(?:v7|sequential)$/ ? 'uuid' : 'bigint' } @KINDS;

our $INSERT = "INSERT INTO e (what) VALUES ('x')";

# The server, started, with the extension and the table.  Plans are parallel where they
# can be.
sub horizon_node
{
	my (%init) = @_;
	my $node = gid_node('main', <<'EOC', %init);
max_prepared_transactions = 40
max_worker_processes = 16
wal_writer_delay = 10s
min_parallel_table_scan_size = 0
parallel_setup_cost = 0
parallel_tuple_cost = 0
EOC

	$node->start;
	$node->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid;
CREATE SEQUENCE ids;
CREATE TABLE e (
	v7 uuid DEFAULT gid_uuid_v7(), sequential uuid DEFAULT gid_uuid_sequential(),
	snowflake bigint DEFAULT gid_snowflake_id(), next bigint DEFAULT gid_next('ids'),
	serial bigserial, what text);
EOS
	return $node;
}

1;
