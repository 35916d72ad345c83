/*-------------------------------------------------------------------------
 *
 * decimal/generator.c
 *		The generator under which a backend makes DecimalIds.
 *
 * A backend counts by itself under a generator number that nobody else of the
 * database and launch has.  It leases the number (decimal/lease.c), or
 * reserves a new one on the sequence gid_decimal_generator of the extension's
 * schema (sequence/page.c), whose value is launch * 10^5 + generator.  A
 * supplier may give new numbers in place of this server.  The launch is then
 * closed on the sequence here.
 *
 * State: the lease that this backend holds.  Its counter stands in the
 * backend's slot, so that it is safe in shared memory at any moment.
 *
 * Invariants:
 * 1. A generator number is used only after its reservation is on disk, and
 *	  where the session asks for synchronous standbys, on theirs.  That is
 *	  looked at once in each transaction.
 * 2. Once in each transaction the sequence is locked, until the end of the
 *	  transaction, and must be the one that the lease came from; a DROP
 *	  EXTENSION or ALTER SEQUENCE of another session has to wait, and ends the
 *	  lease.  What the transaction itself does to it, or undoes, comes as an
 *	  invalidation.
 * 3. The values on the sequence only grow, so a launch that has begun puts
 *	  every lower one out of use.
 *
 * A backend that falls behind others passes over counters (decimal/pace.c), so
 * that all insert at the end of an index.
 *
 * At exit the lease goes back with its counter.  A crash loses the leases;
 * new numbers are reserved then.  A standby reserves nothing.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "storage/ipc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "decimal/generator.h"
#include "layout/decimal_id.h"
#include "sequence/flush.h"
#include "sequence/open.h"
#include "sequence/page.h"
#include "sequence/page_form.h"

#define GID_GENERATOR_SEQUENCE	"gid_decimal_generator"

/* The last value of the sequence: launch 99999, generator 99999. */
#define GID_GENERATOR_MAX_NUMBER \
	(GID_DECIMAL_MAX_LAUNCH * GID_DECIMAL_LAUNCH_STEP + GID_DECIMAL_MAX_GENERATOR)

GidGenerator gid_generator = {.entry = GID_GENERATOR_NO_LEASE};

/* Give the lease back with the counter that it has come to. */
static void
gid_generator_return(int32 counter)
{
	int			entry = gid_generator.entry;

	if (entry == GID_GENERATOR_NO_LEASE)
		return;
	gid_generator.entry = GID_GENERATOR_NO_LEASE;
	gid_generator.lxid = InvalidLocalTransactionId;
	pg_atomic_write_u32(&gid_slot->generator, 0);
	gid_lease_return(entry, counter, gid_generator.pace.skipped);
}

/* Give the lease back with the counter that it has reached. */
static void
gid_generator_release(void)
{
	if (gid_generator.entry != GID_GENERATOR_NO_LEASE)
		gid_generator_return((int32) gid_generator_counter(gid_slot));
}

/* Lose the lease: nobody goes on with its generator number. */
static void
gid_generator_lose(int code, Datum arg)
{
	gid_generator_return(GID_DECIMAL_MAX_COUNTER);
}

/*
 * Wait until the synchronous standbys have the reservation of the generator
 * number, where this session asks for that.  The number may have been reserved
 * by a session that did not ask, or before standbys were named.  False, and
 * the lease is lost, when nobody asks any more; so it is after an error.
 */
static bool
gid_generator_confirm(void)
{
	return XLogRecPtrIsInvalid(gid_generator.lsn) || !gid_flush_is_asked() ||
		gid_flush_is_confirmed(gid_generator.lsn) ||
		gid_flush_wait_or_lose(gid_generator.lsn, gid_generator_lose, (Datum) 0);
}

/* At the exit of this backend, before it leaves its slot. */
static void
gid_generator_exit(int code, Datum arg)
{
	gid_generator_release();
}

/*
 * A relation has changed, or any one if InvalidOid: if it is the sequence,
 * this transaction did it, or undid it, and the lease is to be looked at anew.
 */
static void
gid_generator_invalidate(Datum arg, Oid relation)
{
	if (!OidIsValid(relation) || relation == gid_generator.sequence)
		gid_generator.lxid = InvalidLocalTransactionId;
}

/* Be level with the others of the database and launch (decimal/pace.c). */
void
gid_generator_keep_pace(GidSlot *slot)
{
	int32		counter = (int32) gid_generator_counter(slot);

	pg_atomic_write_u64(&slot->last[GID_FAMILY_DECIMAL],
						(uint64) gid_pace_keep(&gid_generator.pace, counter));
}

/* Go on with a lease that this backend now holds. */
static void
gid_generator_hold(int entry, const GidLeaseKey *key, const GidLease *lease)
{
	pg_atomic_write_u64(&gid_slot->last[GID_FAMILY_DECIMAL], (uint64) lease->counter);
	pg_atomic_write_u32(&gid_slot->generator, (uint32) lease->generator + 1);
	gid_generator.key = *key;
	gid_generator.generator = lease->generator;
	gid_generator.lsn = lease->lsn;
	gid_pace_begin(&gid_generator.pace, key, sizeof(*key), lease->skipped);
	gid_generator.entry = entry;
}

/*
 * The sequence that belongs to the extension of a function; InvalidOid when
 * there is none.  Takes no lock.
 */
Oid
gid_generator_find_sequence(Oid function)
{
	Oid			schema = get_func_namespace(function);
	Oid			sequence = InvalidOid;

	if (OidIsValid(schema))
		sequence = get_relname_relid(GID_GENERATOR_SEQUENCE, schema);
	return sequence;
}

/*
 * Open and lock it.  42P01 when it is not there.  Attaches to the shared
 * memory, so that a library of another version is noticed before a number is
 * taken.
 */
static void
gid_generator_open_sequence(Oid function, GidOpenSequence *open)
{
	Oid			sequence = gid_generator_find_sequence(function);

	(void) gid_slot_mine();
	if (!OidIsValid(sequence) || !gid_open_sequence(sequence, open))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("sequence \"%s\" does not exist beside gid_decimal_id()",
						GID_GENERATOR_SEQUENCE),
				 errdetail("It belongs to the extension gid and keeps the generator numbers of DecimalIds."),
				 errhint("Call gid_decimal_id() as the extension made it; if the sequence was dropped from the extension, add it again.")));
}

/* Raise 55000 if the sequence has come to a higher launch. */
static void
gid_generator_check_launch(int64 last_value, int32 launch)
{
	int64		used = last_value / GID_DECIMAL_LAUNCH_STEP;

	if (used > launch)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("launch %d is behind launch %lld", launch, (long long) used),
				 errdetail("This database has made DecimalIds of launch %lld, so generator numbers of launch %d may have been used.",
						   (long long) used, launch),
				 errhint("Set gid.launch_id to %lld or more.", (long long) used)));
}

/* Raise 55000 if a number of this server's own may have been given in a launch. */
static void
gid_generator_check_begun(int64 last_value, bool is_called, int32 launch)
{
	int64		first = launch * GID_DECIMAL_LAUNCH_STEP;
	int64		end = first + GID_DECIMAL_MAX_GENERATOR;
	bool		fresh = last_value < first || (last_value == first && !is_called);
	bool		closed = last_value > end || (last_value == end && is_called);

	if (fresh || closed)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("launch %d was begun without gid.decimal_authority", launch),
			 errdetail("This database has made DecimalIds of it under generator numbers of its own, which the authority may give again."),
			 errhint("Set gid.launch_id to a greater number, on every server of the launch.")));
}

/*
 * Reserve a new generator number of a launch, or all of them, durably; -1 when
 * there is none, or some are gone.  open->sequence is the sequence as it was
 * before, *lsn the end of the record.
 */
static int32
gid_generator_reserve(GidOpenSequence *open, int32 launch, GidRequestKind kind,
					  XLogRecPtr *lsn)
{
	const GidSequence *found = &open->sequence;
	int64		first = launch * GID_DECIMAL_LAUNCH_STEP;
	GidRequest	request = {
		.kind = kind,
		.count = 1,
		.floor = first,
		.ceiling = first + GID_DECIMAL_MAX_GENERATOR,
	};
	GidReserved reserved;

	if (found->increment < 1 || found->cycle || found->max_value < GID_GENERATOR_MAX_NUMBER)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("sequence \"%s\" was altered and cannot keep generator numbers",
						RelationGetRelationName(open->rel)),
				 errdetail("It has to ascend without a cycle, up to %lld.",
						   (long long) GID_GENERATOR_MAX_NUMBER),
				 errhint("Use ALTER SEQUENCE ... INCREMENT 1 MAXVALUE %lld NO CYCLE.",
						 (long long) GID_GENERATOR_MAX_NUMBER)));
	do
	{
		if (!gid_page_reserve(open, &request, NULL, &reserved, lsn))
		{
			gid_generator_check_launch(found->last_value, launch);
			return -1;
		}
	} while (!gid_flush(*lsn));
	return (int32) (reserved.first - first);
}

/* A new generator number of this server.  2200H when there is none left. */
static int32
gid_generator_reserve_own(GidOpenSequence *open, int32 launch, XLogRecPtr *lsn)
{
	int32		generator = gid_generator_reserve(open, launch, GID_REQUEST_WITHIN, lsn);

	if (generator < 0)
		ereport(ERROR,
				(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
				 errmsg("generator numbers of launch %d are used up", launch),
				 errdetail("A launch has generators 0 to %d; it ends, too, when a number of a gid.decimal_authority is used in it.",
						   GID_DECIMAL_MAX_GENERATOR),
				 errhint("Set gid.launch_id to a greater number.")));
	return generator;
}

/*
 * A new generator number of another server.  The launch is closed here: the
 * sequence is put at its end, so that no number of this server's own is given
 * in it later, and none of the authority's after one of its own: 55000.
 */
static int32
gid_generator_fetch(GidOpenSequence *open, int32 launch,
					const GidNumberSupplier *supplier)
{
	bool		is_called;
	XLogRecPtr	lsn;
	int64		last_value = gid_page_last_value(open->rel, &is_called, &lsn);
	int32		generator;

	gid_generator_check_begun(last_value, is_called, launch);
	generator = supplier->fetch(launch);
	/* another session may have closed it, or begun it, in the meantime */
	if (gid_generator_reserve(open, launch, GID_REQUEST_WHOLE, &lsn) < 0)
	{
		gid_generator_check_begun(open->sequence.last_value, open->sequence.is_called, launch);
		/* and may still wait for its record to be on disk */
		(void) gid_page_last_value(open->rel, &is_called, &lsn);
		(void) gid_flush(lsn);
	}
	return generator;
}

/*
 * Hold a lease of a key in place of the one that is held: an idle one, or one
 * of a new generator number.  Waits and errors: those of
 * gid_generator_prepare().
 */
static void
gid_generator_renew(GidOpenSequence *open, const GidLeaseKey *key,
					const GidNumberSupplier *supplier)
{
	GidLease	lease = {0};
	XLogRecPtr	lsn;
	bool		is_called;
	int			entry;

	gid_generator_release();
	gid_generator_check_launch(gid_page_last_value(open->rel, &is_called, &lsn), key->launch);
	entry = gid_lease_take(key, &lease);
	if (entry < 0)
	{
		if (key->sequence.source == 0)
			lease.generator = gid_generator_reserve_own(open, key->launch, &lease.lsn);
		else
			lease.generator = gid_generator_fetch(open, key->launch, supplier);
		entry = gid_lease_add(key, lease.generator, lease.lsn);
	}
	gid_generator_hold(entry, key, &lease);
}

/*
 * Make sure that this backend holds a lease that is good for the calling
 * function, the launch and the transaction, and whose counter has room.
 *
 * May wait for the lock on the sequence, a WAL flush and a standby.  Errors:
 * 55000 when the launch is behind, 2200H when its generators are used up, and
 * those of gid_generator_open_sequence().  Nothing is lost by
 * an error but possibly a generator number.
 */
void
gid_generator_prepare(Oid function, int32 launch,
					  const GidNumberSupplier *supplier)
{
	static bool registered = false;
	GidLeaseKey key;
	GidOpenSequence open;

	if (!registered)
	{
		before_shmem_exit(gid_generator_exit, (Datum) 0);
		CacheRegisterRelcacheCallback(gid_generator_invalidate, (Datum) 0);
		registered = true;
	}

	gid_generator_open_sequence(function, &open);
	memset(&key, 0, sizeof(key));
	key.sequence = gid_open_key(&open, supplier->source);
	key.launch = launch;

	do
	{
		if (gid_generator.entry == GID_GENERATOR_NO_LEASE ||
			!gid_lease_key_equal(&gid_generator.key, &key) ||
			gid_generator_counter(gid_slot) >= GID_DECIMAL_MAX_COUNTER)
			gid_generator_renew(&open, &key, supplier);
	} while (!gid_generator_confirm());
	gid_generator_keep_pace(gid_slot);
	gid_generator.function = function;
	gid_generator.sequence = open.key.sequence;
	gid_generator.lxid = gid_my_lxid();
	relation_close(open.rel, NoLock);
}

/*
 * Reserve a generator number of a launch for another server.  "function" is a
 * function of the extension.  Waits and errors: those of
 * gid_generator_prepare().
 */
int32
gid_generator_reserve_for_other(Oid function, int32 launch)
{
	GidOpenSequence open;
	XLogRecPtr	lsn;
	int32		generator;

	gid_generator_open_sequence(function, &open);
	generator = gid_generator_reserve_own(&open, launch, &lsn);
	relation_close(open.rel, NoLock);
	return generator;
}
