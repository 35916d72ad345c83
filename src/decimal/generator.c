/*-------------------------------------------------------------------------
 *
 * decimal/generator.c
 *		The generator under which a backend makes DecimalIds.
 *
 * A backend counts by itself under a generator number that no other backend of
 * the database and launch has.  It takes an idle lease of a number
 * (decimal/lease.c), or reserves a new number.  New numbers come from the
 * sequence gid.decimal_generator (sequence/page.c), whose values are
 * launch * 10^5 + generator.  If gid.decimal_authority is set, they come from
 * gid.authority_generator() on that server instead.  The launch is then closed
 * on the sequence here.
 *
 * State: the lease that this backend holds.  Its counter is in the backend's
 * slot, so that shared memory has it at any moment.  A hash of
 * gid.decimal_authority.
 *
 * Invariants:
 * 1. A generator number is used only after its reservation is on disk and, if
 *	  the session waits for synchronous standbys, on theirs.  The backend
 *	  checks that once in each transaction.
 * 2. Once in each transaction the backend locks the sequence, until the end of
 *	  the transaction.  The lease must be of this sequence.  A DROP EXTENSION
 *	  or ALTER SEQUENCE of another session waits for the lock, and ends the
 *	  lease.  What the transaction itself does to the sequence, or undoes,
 *	  comes as an invalidation.
 * 3. The values of the sequence only grow, so the first number of a launch
 *	  puts every lower launch out of use.
 *
 * A backend that falls behind others passes over counters (decimal/pace.c), so
 * that all backends insert at the end of an index.
 *
 * Exit: the backend returns the lease with its counter.  Crash, restart: the
 * leases are lost, and backends reserve new numbers.  A clock step has no
 * effect.  Standby: it reserves nothing.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "common/hashfn.h"
#include "storage/ipc.h"
#include "utils/inval.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "base/extension.h"
#include "base/settings.h"
#include "decimal/generator.h"
#include "layout/decimal_id.h"
#include "peer/ask.h"
#include "sequence/flush.h"
#include "sequence/page.h"

GidGenerator gid_generator = {.entry = GID_GENERATOR_NO_LEASE};

/* The hash of gid.decimal_authority; 0: not computed since it was changed. */
static uint32 gid_generator_known_authority = 0;

/* Return the lease, if there is one, with a counter. */
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

/*
 * Return the lease, if there is one, with the counter of the last id.  An exit
 * callback, too, which runs before the backend leaves its slot.
 */
static void
gid_generator_release(int code, Datum arg)
{
	if (gid_generator.entry != GID_GENERATOR_NO_LEASE)
		gid_generator_return((int32) gid_generator_counter(gid_slot));
}

/* Give up the lease, so that no backend uses its generator number again. */
static void
gid_generator_lose(int code, Datum arg)
{
	gid_generator_return(GID_DECIMAL_MAX_COUNTER);
}

/*
 * Invalidation callback: a relation has changed (InvalidOid: any may have).
 * This transaction holds a lock on the sequence, so if the sequence has
 * changed, this transaction did that, or undid it.  Check the lease again.
 */
static void
gid_generator_invalidate(Datum arg, Oid relation)
{
	if (!OidIsValid(relation) || relation == gid_generator.sequence)
		gid_generator.lxid = InvalidLocalTransactionId;
}

/*
 * Pass over counters, so that this backend is level with the others of the
 * database and launch (decimal/pace.c).  The backend holds a lease.  Takes no
 * lock and does not wait.
 */
void
gid_generator_keep_pace(GidSlot *slot)
{
	int32		counter = (int32) gid_generator_counter(slot);

	pg_atomic_write_u64(&slot->last[GID_FAMILY_DECIMAL],
						(uint64) gid_pace_keep(&gid_generator.pace, counter));
}

/* Continue a lease that this backend now holds. */
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
 * Open and lock the sequence.  Raises 42P01 when there is none.  Attaches to
 * the shared memory, so that a library of another version raises its error
 * before a number is reserved.
 */
static void
gid_generator_open_sequence(GidOpenSequence *open)
{
	Oid			sequence = gid_extension_relation(GID_GENERATOR_SEQUENCE);

	(void) gid_slot_mine();
	if (!OidIsValid(sequence) || !gid_open_sequence(sequence, open))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("sequence \"gid.%s\" does not exist", GID_GENERATOR_SEQUENCE),
				 errdetail("The sequence belongs to the extension gid and keeps the generator numbers of DecimalIds."),
				 errhint("If the schema \"gid\" or the sequence was taken out of the extension, add it again.")));
}

/* Raise 55000 if the sequence has reached a greater launch. */
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

/* Raise 55000 if this server may have used a number of its own in a launch. */
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
			 errdetail("This database has made DecimalIds of the launch under generator numbers of its own, which the authority may give again."),
			 errhint("Set gid.launch_id to a greater number, on every server of the launch.")));
}

/*
 * Reserve a new generator number of a launch (GID_REQUEST_WITHIN), or all of
 * its numbers (GID_REQUEST_WHOLE), durably.  Returns the number, or -1 when
 * none is left, or not all.  open->sequence is the sequence as it was before,
 * *lsn the end of the record.
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
		.most_skipped = gid_lease_limit(),
	};
	GidReserved reserved;

	if (found->increment < 1 || found->cycle || found->max_value < GID_GENERATOR_MAX_NUMBER)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("sequence \"%s\" was altered and cannot keep generator numbers",
						RelationGetRelationName(open->rel)),
				 errdetail("The sequence has to ascend without a cycle, up to %lld.",
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

/* Reserve a number of this server.  Raises 2200H when none is left. */
static int32
gid_generator_reserve_own(GidOpenSequence *open, int32 launch, XLogRecPtr *lsn)
{
	int32		generator = gid_generator_reserve(open, launch, GID_REQUEST_WITHIN, lsn);

	if (generator < 0)
		ereport(ERROR,
				(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
				 errmsg("generator numbers of launch %d are used up", launch),
				 errdetail("A launch has generator numbers 0 to %d. The launch also ends when it uses a number of a gid.decimal_authority.",
						   GID_DECIMAL_MAX_GENERATOR),
				 errhint("Set gid.launch_id to a greater number.")));
	return generator;
}

/* gid.decimal_authority has another value. */
void
gid_generator_forget_authority(void)
{
	gid_generator_known_authority = 0;
}

/*
 * Who reserves generator numbers: 0 for this server, else a hash of the
 * authority's name.  URIs of one authority with other users have the same
 * hash.  Raises 55000 when the setting was refused.  Does not wait.
 */
uint32
gid_generator_authority(void)
{
	if (!gid_setting_names_servers(gid_decimal_authority, "gid.decimal_authority"))
		return 0;
	if (gid_generator_known_authority == 0)
	{
		const char *name = gid_uri_name(gid_decimal_authority);

		gid_generator_known_authority = hash_bytes((const unsigned char *) name, strlen(name)) | 1;
	}
	return gid_generator_known_authority;
}

/* Is an answer a generator number? */
static bool
gid_generator_is_number(const GidQuestion *question, const int64 *numbers)
{
	return numbers[0] >= 0 && numbers[0] <= GID_DECIMAL_MAX_GENERATOR;
}

/*
 * Ask the authority for a new generator number of a launch.  Raises 08001 when
 * it does not answer.  Waits and other errors: those of gid_ask().
 */
static int32
gid_generator_ask(int32 launch)
{
	int64		generator;
	GidSilence	silence;
	GidQuestion question = {
		.call = "gid.authority_generator($1::pg_catalog.int4)",
		.nparams = 1,
		.params = {psprintf("%d", launch)},
		.ncolumns = 1,
		.is_answer = gid_generator_is_number,
	};

	if (!gid_ask(gid_uri_split(gid_decimal_authority), &question, &generator, &silence))
		ereport(ERROR,
				(errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
				 errmsg("could not get a generator number of launch %d from the authority", launch),
				 gid_ask_details(&silence)));
	return (int32) generator;
}

/*
 * Fetch a new generator number from the authority, and close the launch here:
 * put the sequence at the launch's end.  So this server reserves no number of
 * its own in that launch later.  Raises 55000 if it has already done so.
 */
static int32
gid_generator_fetch(GidOpenSequence *open, int32 launch)
{
	bool		is_called;
	XLogRecPtr	lsn;
	int64		last_value = gid_page_last_value(open->rel, &is_called, &lsn);
	int32		generator;

	gid_generator_check_begun(last_value, is_called, launch);
	generator = gid_generator_ask(launch);
	/* another session may have closed or begun the launch meanwhile */
	if (gid_generator_reserve(open, launch, GID_REQUEST_WHOLE, &lsn) < 0)
	{
		gid_generator_check_begun(open->sequence.last_value, open->sequence.is_called, launch);
		/* the record of that session may not be on disk yet */
		(void) gid_page_last_value(open->rel, &is_called, &lsn);
		(void) gid_flush(lsn);
	}
	return generator;
}

/*
 * Return the lease that is held, and hold a lease of a key: an idle lease, or
 * a lease of a new generator number.  Waits and errors: those of
 * gid_generator_prepare().
 */
static void
gid_generator_renew(GidOpenSequence *open, const GidLeaseKey *key)
{
	GidLease	lease = {0};
	XLogRecPtr	lsn;
	bool		is_called;
	int			entry;

	gid_generator_release(0, (Datum) 0);
	gid_generator_check_launch(gid_page_last_value(open->rel, &is_called, &lsn), key->launch);
	entry = gid_lease_take(key, &lease);
	if (entry < 0)
	{
		if (key->authority == 0)
			lease.generator = gid_generator_reserve_own(open, key->launch, &lease.lsn);
		else
			lease.generator = gid_generator_fetch(open, key->launch);
		entry = gid_lease_add(key, lease.generator, lease.lsn);
	}
	gid_generator_hold(entry, key, &lease);
}

/*
 * Make sure that this backend holds a lease for the launch (0 to 99999) and
 * the transaction.  The lease's counter has room.
 *
 * May wait for the lock on the sequence, a WAL flush, a standby and the
 * authority.  Raises 55000 when the launch is behind, or was begun without the
 * authority, or gid.decimal_authority was refused; 2200H when the launch's
 * generator numbers are used up; 42P01 without the sequence; 08001 when the
 * authority does not answer.  An error loses at most a generator number.  The
 * sequence stays locked until the end of the transaction.
 */
void
gid_generator_prepare(int32 launch)
{
	static bool registered = false;
	GidLeaseKey key = {.authority = gid_generator_authority(),.launch = launch};
	GidOpenSequence open;

	if (!registered)
	{
		before_shmem_exit(gid_generator_release, (Datum) 0);
		CacheRegisterRelcacheCallback(gid_generator_invalidate, (Datum) 0);
		registered = true;
	}

	gid_generator_open_sequence(&open);
	key.sequence = open.key;

	/*
	 * The session that reserved the number may not have waited for standbys,
	 * or standbys were named only later.  A wait that ends without them loses
	 * the lease.
	 */
	do
	{
		if (gid_generator.entry == GID_GENERATOR_NO_LEASE ||
			!gid_lease_key_equal(&gid_generator.key, &key) ||
			gid_generator_counter(gid_slot) >= GID_DECIMAL_MAX_COUNTER)
			gid_generator_renew(&open, &key);
	} while (!gid_flush_is_enough(gid_generator.lsn) &&
			 !gid_flush_wait_or_lose(gid_generator.lsn, gid_flush_is_asked(),
									 gid_generator_lose, (Datum) 0));
	gid_generator_keep_pace(gid_slot);
	gid_generator.sequence = open.key.sequence;
	gid_generator.lxid = gid_my_lxid();
	relation_close(open.rel, NoLock);
}

/*
 * Reserve a generator number of a launch (0 to 99999) for another server, and
 * return the number.  Waits and errors: those of gid_generator_prepare().
 */
int32
gid_generator_reserve_for_other(int32 launch)
{
	GidOpenSequence open;
	XLogRecPtr	lsn;
	int32		generator;

	gid_generator_open_sequence(&open);
	generator = gid_generator_reserve_own(&open, launch, &lsn);
	relation_close(open.rel, NoLock);
	return generator;
}
