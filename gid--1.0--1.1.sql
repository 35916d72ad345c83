/* gid--1.0--1.1.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gid UPDATE TO '1.1'" to load this file. \quit

--
-- Sequences and GDIDs: a batch has an upper limit
--

COMMENT ON FUNCTION gid_next_many(regclass, int) IS
'count (1 to 65536, else 22023) consecutive values of a sequence, reserved in one step; 2200H when it has not so many left, and then nothing is taken; other errors as gid_next()';

COMMENT ON FUNCTION gid_next_gdids(regclass, int) IS
'count (1 to 65536, else 22023) new GDIDs of consecutive values of a sequence and one era, reserved in one step; errors as gid_next_many() and gid_next_gdid()';

--
-- Other servers: named by connection URIs
--

COMMENT ON COLUMN gid_stat_launches.source IS
'where its generator numbers come from: local, "authority HOST:PORT/DATABASE" of gid.decimal_authority, or authority when the setting names another one now';

--
-- What the generators are doing: the clock
--

COMMENT ON COLUMN gid_stat_clock.durable_bound IS
'the durable bound, which stands in gid.clock: no id has this time or a later one before the bound is moved';
COMMENT ON COLUMN gid_stat_clock.lead IS
'by how much the next id''s time leads the wall clock: up to five seconds after a crash or an immediate shutdown, more after the wall clock was set back; gone in twice its length';
