/*-------------------------------------------------------------------------
 *
 * id/stat_sequences.c
 *		The view gid_stat_sequences: the blocks of sequences in shared memory.
 *
 * State: none.  The blocks are read as they are, while other backends draw
 * from them.  Reading takes GidBlock shared for a moment; only a backend that
 * needs a new entry waits for that.
 *
 * Invariants:
 * 1. A caller sees the sequences that pg_sequences would show with a value,
 *	  and only those of this database.
 *
 * The rate of a sequence is an estimate, because its history may be written
 * while it is read.  Crash, restart: there are no entries.  Clock step and
 * standby do not matter.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_sequence.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "clock/server_time.h"
#include "id/views.h"
#include "sequence/entry.h"

#define GID_STAT_SEQUENCE_COLUMNS	14

/* Where the values of a sequence end. */
typedef struct GidStatEnd
{
	bool		known;			/* not known of an authority's sequence */
	bool		cycle;
	int64		increment;
	int64		value;
} GidStatEnd;

/* Look up where the sequence of a block ends; false if it was dropped. */
static bool
gid_stat_get_end(const GidEntryStat *stat, GidStatEnd *end)
{
	HeapTuple	tuple = SearchSysCache1(SEQRELID, ObjectIdGetDatum(stat->key.sequence.sequence));
	Form_pg_sequence form;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_sequence) GETSTRUCT(tuple);
	end->known = stat->key.source == GID_SOURCE_PAGE;
	end->cycle = end->known && form->seqcycle;
	end->increment = end->known ? form->seqincrement : 1;
	if (!end->known)
		end->value = PG_INT64_MAX;
	else
		end->value = end->increment > 0 ? form->seqmax : form->seqmin;
	ReleaseSysCache(tuple);
	return true;
}

/*
 * Set exhausted_at and era_ends_at, if they are known, for a rate of values a
 * second.  Neither is known when the block was ended.  exhausted_at is not
 * known of an authority's sequence.
 */
static void
gid_stat_ends(const GidEntryStat *stat, double rate, Datum *values, bool *nulls)
{
	double		undrawn = (double) stat->left + (double) stat->ahead;
	int64		from = stat->reserved_to;
	GidStatEnd	end;
	int64		era_end;

	if (!gid_stat_get_end(stat, &end))
		return;
	/* ALTER SEQUENCE may have moved the end to before the block */
	if (end.increment > 0 ? from > end.value : from < end.value)
		return;

	nulls[0] = !end.known;
	values[0] = TimestampTzGetDatum(end.cycle ? DT_NOEND :
									gid_stat_moment(undrawn + gid_reserve_steps(from, end.value, end.increment), rate));
	era_end = gid_reserve_era_end(from, end.increment);
	nulls[1] = from < 1 ||
		(end.increment > 0 ? era_end > end.value : era_end < end.value);
	values[1] = TimestampTzGetDatum(gid_stat_moment(undrawn + gid_reserve_steps(from, era_end, end.increment), rate));
}

/* May the caller see the values of a sequence of this database? */
static bool
gid_stat_may_see(const GidSequenceKey *key)
{
	bool		missing = false;

	return key->database == MyDatabaseId &&
		pg_class_aclcheck_ext(key->sequence, GetUserId(), ACL_SELECT | ACL_USAGE,
							  &missing) == ACLCHECK_OK &&
		!missing;
}

/* The text of the column "source". */
static char *
gid_stat_source(const GidEntryStat *stat)
{
	if (stat->key.source == GID_SOURCE_PAGE)
		return "local";
	if (stat->issuer == 0)
		return "authorities";
	return psprintf("authority %u", stat->issuer - 1);
}

/* Put the row of an entry. */
static void
gid_stat_put_sequence(ReturnSetInfo *rsinfo, const GidEntryStat *stat)
{
	Datum		values[GID_STAT_SEQUENCE_COLUMNS];
	bool		nulls[GID_STAT_SEQUENCE_COLUMNS] = {false};
	double		rate = gid_reserve_rate(&stat->history, gid_time_monotonic_us(),
										stat->left + stat->ahead);

	values[0] = ObjectIdGetDatum(stat->key.sequence.sequence);
	values[1] = ObjectIdGetDatum(stat->key.sequence.relfilenumber);
	values[2] = CStringGetTextDatum(gid_stat_source(stat));
	nulls[3] = nulls[4] = stat->left <= 0;
	values[3] = Int64GetDatum(stat->next);
	values[4] = Int64GetDatum(stat->last);
	values[5] = Int64GetDatum(stat->size);
	values[6] = Int64GetDatum(stat->reservations);
	values[7] = Int64GetDatum(stat->prefetched);
	values[8] = Int64GetDatum(stat->waits);
	values[9] = Int64GetDatum(stat->left);
	values[10] = Int64GetDatum(stat->ahead);
	values[11] = Float8GetDatum(rate);
	nulls[12] = nulls[13] = true;
	if (rate > 0 && stat->size > 0)
		gid_stat_ends(stat, rate, &values[12], &nulls[12]);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * gid_stat_get_sequences() -> setof (sequence oid, relfilenode oid,
 *		source text, next bigint, last bigint, block_size bigint, reservations
 *		bigint, prefetched bigint, waits bigint, values_left bigint,
 *		values_ahead bigint, pace double precision, exhausted_at timestamptz,
 *		era_ends_at timestamptz)
 *
 * A row for each entry of this database whose sequence the caller may read or
 * use.  The view leaves out entries of files that the sequences had before.
 */
PG_FUNCTION_INFO_V1(gid_stat_get_sequences);
Datum
gid_stat_get_sequences(PG_FUNCTION_ARGS)
{
	GidEntryStat stat;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < GID_ENTRIES && gid_entry_stat(i, &stat); i++)
	{
		if (gid_stat_may_see(&stat.key.sequence))
			gid_stat_put_sequence((ReturnSetInfo *) fcinfo->resultinfo, &stat);
	}
	return (Datum) 0;
}
