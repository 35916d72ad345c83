/*-------------------------------------------------------------------------
 *
 * id/stat.c
 *		The views.
 *
 * State: none.  The files that own what a view shows say what holds at a
 * crash, a restart, a clock step and on a standby.  Slots and words are read
 * without a lock, and the backends pay nothing for that.  Blocks are read
 * under GidBlock, shared, for a moment, in which only a backend that needs a
 * new entry waits.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "catalog/pg_authid.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "attach/backend_slot.h"
#include "base/args.h"
#include "base/compat.h"
#include "clock/server_time.h"
#include "clock/word.h"
#include "horizon/word_xact.h"
#include "horizon/followed_table.h"
#include "node/node.h"
#include "sequence/block_table.h"

/* The names in the column "family". */
static const char *const gid_family_names[GID_NFAMILIES] = {
#define GID_WORD_FAMILY(id, family, ...) family,
#define GID_FAMILY_NAME(id, name) name,
	GID_WORDS(GID_WORD_FAMILY)
	GID_FAMILIES(GID_FAMILY_NAME)
};

/* Is hidden what a role's sessions do?  As in pg_stat_activity. */
static bool
gid_stat_is_hidden(Oid role)
{
	return !has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) &&
		!has_privs_of_role(GetUserId(), role);
}

/* ---- gid.stat_backends: the ids that each backend has made ---- */

/*
 * Fill the columns that differ between the families of a backend.  They may be
 * of slightly different moments.
 */
static void
gid_stat_put_family(GidSlot *slot, int family, Datum *values, bool *nulls)
{
	uint64		last = pg_atomic_read_u64(&slot->last[family]);

	values[2] = CStringGetTextDatum(gid_family_names[family]);
	nulls[3] = family >= GID_NWORDS;
	if (!nulls[3])
		values[3] = TimestampTzGetDatum(gid_timestamptz(gid_word_us(family, last)));
	values[4] = Int64GetDatum((int64) pg_atomic_read_u64(&slot->issued[family]));
}

/* Put the rows of a slot: one for each family, or one without a family. */
static void
gid_stat_put_slot(ReturnSetInfo *rsinfo, int number)
{
	GidSlot    *slot = gid_slot_of(number);
	uint32		pid = pg_atomic_read_u32(&slot->pid);
	Oid			role;
	bool		hidden;
	Datum		values[5] = {0};

	if (pid == 0)
		return;
	pg_read_barrier();
	role = pg_atomic_read_u32(&slot->role);
	hidden = gid_stat_is_hidden(role);
	values[0] = Int32GetDatum((int32) pid);
	values[1] = Int32GetDatum(number);
	if (hidden)
	{
		bool		nulls[lengthof(values)] = {false, false, true, true, true};

		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		return;
	}
	for (int family = 0; family < GID_NFAMILIES; family++)
	{
		bool		nulls[lengthof(values)] = {false};

		if (pg_atomic_read_u64(&slot->issued[family]) == 0)
			continue;
		pg_read_barrier();
		gid_stat_put_family(slot, family, values, nulls);
		/* all columns belong to one backend: the slot has not changed hands */
		pg_read_barrier();
		if (pg_atomic_read_u32(&slot->pid) != pid)
			return;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
}

PG_FUNCTION_INFO_V1(gid_stat_get_backends);
Datum
gid_stat_get_backends(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < MaxBackends; i++)
		gid_stat_put_slot((ReturnSetInfo *) fcinfo->resultinfo, i);
	return (Datum) 0;
}

/* ---- gid.stat_clock: families that follow the clock, node number ---- */

PG_FUNCTION_INFO_V1(gid_stat_get_clock);
Datum
gid_stat_get_clock(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (int id = 0; id < GID_NWORDS; id++)
	{
		Datum		values[6];
		bool		nulls[lengthof(values)] = {false};
		GidWordStat stat;
		Interval	lead = {0};

		if (!gid_word_stat(id, &stat))
			break;
		lead.time = stat.lead_us;
		values[0] = CStringGetTextDatum(gid_family_names[id]);
		values[1] = TimestampTzGetDatum(gid_timestamptz(stat.bound_us));
		values[2] = TimestampTzGetDatum(gid_timestamptz(stat.last_us));
		values[3] = IntervalPGetDatum(&lead);
		values[4] = Int64GetDatum(stat.steps_back);
		values[5] = Int64GetDatum(stat.waits);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(gid_stat_get_node);
Datum
gid_stat_get_node(PG_FUNCTION_ARGS)
{
	GidNodeStat stat;
	Datum		values[3];
	bool		nulls[lengthof(values)] = {false};
	const char *source;

	gid_node_stat(&stat);
	source = stat.authority != NULL ? psprintf("authority %s", stat.authority) :
		stat.is_leased ? "authority" : "gid.node_no";

	nulls[0] = stat.node < 0;
	values[0] = Int32GetDatum(stat.node);
	nulls[1] = stat.until_s == 0;
	values[1] = TimestampTzGetDatum(gid_timestamptz(stat.until_s * GID_US_PER_S));
	nulls[2] = !stat.is_leased && stat.node < 0;
	values[2] = CStringGetTextDatum(source);
	return gid_row(fcinfo, values, nulls);
}

/* ---- gid.stat_horizon: the rows that are about growing words ---- */

/*
 * Put a row for each word that a transaction holds back, or one that shows
 * nothing but the transaction.
 */
static void
gid_stat_put_holder(ReturnSetInfo *rsinfo, const GidWordXact *xact)
{
	bool		hidden = gid_stat_is_hidden(xact->role);

	for (GidWordId id = 0; id < GID_NWORDS; id++)
	{
		int			word = gid_word_xact_index(id);
		Datum		values[4];
		bool		nulls[lengthof(values)] = {false};

		if (word < 0 || xact->bounds[word] == GID_WORD_XACT_NOTHING)
			continue;
		nulls[0] = hidden;
		values[0] = CStringGetTextDatum(gid_family_names[id]);
		values[1] = Int32GetDatum(xact->pid);
		nulls[1] = xact->pid == 0;
		values[2] = TransactionIdGetDatum(xact->xid);
		nulls[2] = xact->pid != 0;
		values[3] = TimestampTzGetDatum(gid_timestamptz(gid_word_us(id, xact->bounds[word])));
		/* 0: of a prepared transaction from before the server's start */
		nulls[3] = hidden || xact->bounds[word] == 0;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		if (hidden)
			break;
	}
}

PG_FUNCTION_INFO_V1(gid_stat_get_horizon);
Datum
gid_stat_get_horizon(PG_FUNCTION_ARGS)
{
	GidWordXact xact;

	InitMaterializedSRF(fcinfo, 0);
	(void) gid_slot_mine();
	for (int i = 0; i < gid_word_xact_count(); i++)
	{
		if (gid_word_xact_read(i, &xact))
			gid_stat_put_holder((ReturnSetInfo *) fcinfo->resultinfo, &xact);
	}
	return (Datum) 0;
}

/* ---- gid.stat_readers: the sequences that readers follow ---- */

/*
 * May the caller see a sequence of this database: does it exist, too?  As
 * pg_sequences shows its value, or all of them to pg_monitor.
 */
static bool
gid_stat_may_read(Oid sequence)
{
	bool		missing = false;
	AclResult	result = pg_class_aclcheck_ext(sequence, GetUserId(), ACL_SELECT | ACL_USAGE, &missing);

	return !missing && (result == ACLCHECK_OK || has_privs_of_role(GetUserId(), ROLE_PG_MONITOR));
}

/* The view leaves out files that the sequences had before. */
PG_FUNCTION_INFO_V1(gid_stat_get_readers);
Datum
gid_stat_get_readers(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Snapshot	snapshot = GetActiveSnapshot();
	GidEnded	ended;

	InitMaterializedSRF(fcinfo, 0);
	(void) gid_slot_mine();
	/* nothing is followed in recovery */
	if (RecoveryInProgress() || snapshot->takenDuringRecovery)
		return (Datum) 0;
	gid_ended_read(snapshot, &ended);
	for (int i = 0; i < GID_FOLLOWED_ROWS; i++)
	{
		int64		now_us = gid_time_monotonic_us();
		GidFollowedStat stat;
		Interval	lag = {0};
		Datum		values[8];
		bool		nulls[lengthof(values)] = {false};

		if (!gid_followed_table_stat(i, &ended, &stat) || !gid_stat_may_read(stat.key.sequence))
			continue;
		if (stat.since_us != 0)
			lag.time = now_us - stat.since_us;
		values[0] = ObjectIdGetDatum(stat.key.sequence);
		values[1] = ObjectIdGetDatum(stat.key.file);
		values[2] = TimestampTzGetDatum(GetCurrentTimestamp() - (now_us - stat.asked_us));
		values[3] = Int64GetDatum(stat.horizon);
		values[4] = Int64GetDatum(stat.behind);
		nulls[3] = nulls[4] = !stat.is_known;
		values[5] = IntervalPGetDatum(&lag);
		values[6] = Int32GetDatum(stat.holders);
		values[7] = Int64GetDatum(gid_followed_table_evictions());
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(gid_stat_get_reader_evictions);
Datum
gid_stat_get_reader_evictions(PG_FUNCTION_ARGS)
{
	(void) gid_slot_mine();
	PG_RETURN_INT64(gid_followed_table_evictions());
}

/* ---- gid.stat_sequences: the blocks of sequences ---- */

/* The text of the column "source". */
static char *
gid_stat_source(const GidBlockStat *stat)
{
	GidSource	source = stat->key.source;

	if (source == GID_SOURCE_PAGE)
		return "local";
	if (gid_source_is_launch(source))
		return psprintf(gid_source_is_fetched(source) ? "launch %d, authority" : "launch %d",
						gid_source_launch(source));
	return stat->now.issuer == 0 ? "authorities" : psprintf("authority %u", stat->now.issuer - 1);
}

/* The view leaves out entries of files that the sequences had before. */
PG_FUNCTION_INFO_V1(gid_stat_get_sequences);
Datum
gid_stat_get_sequences(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	GidEntry   *entry = NULL;

	InitMaterializedSRF(fcinfo, 0);
	while ((entry = gid_block_table_walk(entry)) != NULL)
	{
		GidBlockStat stat;
		Datum		values[9];
		bool		nulls[lengthof(values)] = {false};

		CHECK_FOR_INTERRUPTS();
		/* the sequences that pg_sequences would show with a value */
		if (!gid_block_stat(entry, &stat) || stat.key.database != MyDatabaseId ||
			!gid_stat_may_read(stat.key.sequence))
			continue;
		values[0] = ObjectIdGetDatum(stat.key.sequence);
		values[1] = ObjectIdGetDatum(stat.key.relfilenumber);
		values[2] = CStringGetTextDatum(gid_stat_source(&stat));
		nulls[3] = nulls[4] = stat.now.left <= 0;
		values[3] = Int64GetDatum(stat.now.first_left);
		values[4] = Int64GetDatum(stat.last);
		values[5] = Int64GetDatum(stat.now.size);
		values[6] = Int64GetDatum(stat.reservations);
		values[7] = Int64GetDatum(stat.prefetched);
		values[8] = Int64GetDatum(stat.waits);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* ---- gid.stat_blocks: the blocks of all databases together ---- */

PG_FUNCTION_INFO_V1(gid_stat_get_blocks);
Datum
gid_stat_get_blocks(PG_FUNCTION_ARGS)
{
	Datum		values[1 + GID_BLOCK_NCOUNTERS];
	bool		nulls[lengthof(values)] = {false};

	(void) gid_slot_mine();
	values[0] = Int32GetDatum(gid_block_table_used());
	for (int i = 0; i < GID_BLOCK_NCOUNTERS; i++)
		values[1 + i] = Int64GetDatum(gid_block_counter(i));
	return gid_row(fcinfo, values, nulls);
}
