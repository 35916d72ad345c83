/*-------------------------------------------------------------------------
 *
 * gid_draw.c
 *		Drawing values from a sequence.
 *
 * All backends take values from one block (gid_block.c), which is reserved on
 * the sequence's page (gid_page.c) before its first value is handed out.  Who
 * finds the block used up reserves the next one, while the others who need a
 * value wait; who takes the value that leaves less than a quarter has the next
 * block written ahead, and nobody waits.
 *
 * State: for each sequence that this backend draws from, the transaction and
 * role for which it has been locked and checked, and its entry.
 *
 * Invariants:
 * 1. A block is opened only when its record is on disk.  Of one that was
 *	  written ahead the WAL writer sees to that; whoever opens it makes sure.
 * 2. Blocks are reserved and opened by the holder of the entry's claim, who
 *	  releases it also when it fails or is cancelled.  Of what happens in
 *	  between, the block is all that can be lost.
 * 3. In each transaction the sequence is locked as by nextval(), and the role
 *	  checked, before the first value, and when the role has changed.  No other
 *	  session can drop or alter the sequence until the transaction ends.
 * 4. What the transaction itself does to the sequence (DROP, ALTER, TRUNCATE
 *	  ... RESTART IDENTITY, REVOKE, and the rollback of these to a savepoint)
 *	  comes as an invalidation of its relation before the next command, and it
 *	  is looked at anew.
 * 5. A sequence's new file has another entry, so blocks of the old one are
 *	  never seen again, unless the new file is rolled back.  What was drawn from
 *	  a file that is rolled back may come again: whoever altered the sequence
 *	  set its values back.
 *
 * A crash loses what is left of the open block and of the one written ahead.
 * On a standby, in a read-only transaction and in a parallel operation nothing
 * is drawn, as by nextval(); after a promotion the pages stand where the WAL
 * that was received has put them.  A clock set back changes nothing; the
 * monotonic clock alone decides how large a block is.
 *
 * References: azist's GDID generator reserves blocks from an authority in the
 * same way, and prefetches below a low-water mark.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xlog.h"
#include "storage/ipc.h"
#include "utils/acl.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/rel.h"

#include "gid_clock.h"
#include "gid_draw.h"
#include "gid_guc.h"

/* A draw that is good for no call: no transaction has the invalid number. */
static GidDraw gid_draw_none = {.lxid = InvalidLocalTransactionId};

GidDraw    *gid_draw_current = &gid_draw_none;

/* GidDraw of each sequence; NULL: none. */
static HTAB *gid_draws = NULL;

/* Forget all sequences. */
static void
gid_draw_reset(void)
{
	gid_draw_current = &gid_draw_none;
	if (gid_draws != NULL)
		hash_destroy(gid_draws);
	gid_draws = NULL;
}

/* A relation has changed, or any one if InvalidOid. */
static void
gid_draw_invalidate(Datum arg, Oid relation)
{
	if (!OidIsValid(relation))
		gid_draw_reset();
	else if (gid_draws != NULL)
	{
		if (gid_draw_current->sequence == relation)
			gid_draw_current = &gid_draw_none;
		(void) hash_search(gid_draws, &relation, HASH_REMOVE, NULL);
	}
}

/* Keep what was found out about a sequence for the next calls. */
static void
gid_draw_keep(const GidDraw *draw)
{
	static bool registered = false;

	if (!registered)
	{
		CacheRegisterRelcacheCallback(gid_draw_invalidate, (Datum) 0);
		registered = true;
	}
	/* bounded, as the entries are */
	if (gid_draws != NULL &&
		hash_get_num_entries(gid_draws) >= GID_BLOCK_ENTRIES &&
		hash_search(gid_draws, &draw->sequence, HASH_FIND, NULL) == NULL)
		gid_draw_reset();
	if (gid_draws == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(Oid),.entrysize = sizeof(GidDraw)};

		gid_draws = hash_create("gid sequences", 16, &control,
								HASH_ELEM | HASH_BLOBS);
	}
	gid_draw_current = hash_search(gid_draws, &draw->sequence, HASH_ENTER, NULL);
	*gid_draw_current = *draw;
}

/* Raise 42501 unless the role has one of these rights on a sequence. */
static void
gid_draw_check_privilege(Relation sequence, AclMode mode, const char *hint)
{
	if (pg_class_aclcheck(RelationGetRelid(sequence), GetUserId(), mode) == ACLCHECK_OK)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("permission denied for sequence %s",
					RelationGetRelationName(sequence)),
			 errhint("%s", hint)));
}

/*
 * Open a sequence, locked until the end of the transaction, by a role that
 * has one of these rights on it.  42P01 when it is not there.
 */
static Relation
gid_draw_open_relation(Oid sequence, AclMode mode, const char *hint)
{
	Relation	rel = gid_page_open_sequence(sequence);

	if (rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("sequence with OID %u does not exist", sequence),
				 errdetail("It was dropped, or there never was one."),
				 errhint("Name a sequence that exists.")));
	gid_draw_check_privilege(rel, mode, hint);
	return rel;
}

/*
 * Open a sequence to draw from it: see gid_draw_open_relation().
 */
static Relation
gid_draw_open(Oid sequence)
{
	return gid_draw_open_relation(sequence, ACL_USAGE | ACL_UPDATE,
								  "Grant USAGE on the sequence to the role.");
}

/*
 * Find out all about a sequence that is open for this transaction and role.
 */
static void
gid_draw_find(Relation rel, GidDraw *draw)
{
	GidDraw    *known = NULL;
	Oid			sequence = RelationGetRelid(rel);

	if (gid_draws != NULL)
		known = hash_search(gid_draws, &sequence, HASH_FIND, NULL);
	if (known != NULL && known->entry != NULL &&
		known->relfilenumber == gid_relfilenumber(rel) &&
		known->owner == pg_atomic_read_u64(&known->entry->owner))
	{
		*draw = *known;
		gid_block_touch(draw->entry);
	}
	else
	{
		GidSequenceKey key;

		gid_page_read_key(rel, &key);
		draw->sequence = key.sequence;
		draw->relfilenumber = key.relfilenumber;
		draw->entry = gid_block_find(&key, &draw->owner);
	}
	draw->lxid = gid_my_lxid();
	draw->role = GetUserId();
	gid_draw_keep(draw);
}

/* Raise 2200H, as nextval() does. */
static void
gid_draw_raise_limit(Relation rel, const GidSequence *seq)
{
	bool		up = seq->increment > 0;

	ereport(ERROR,
			(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
			 errmsg(up ? "nextval: reached maximum value of sequence \"%s\" (%lld)" :
					"nextval: reached minimum value of sequence \"%s\" (%lld)",
					RelationGetRelationName(rel),
					(long long) (up ? seq->max_value : seq->min_value)),
			 errhint("Give the sequence a wider range with ALTER SEQUENCE, or CYCLE.")));
}

/* How many values the next block of a sequence should have. */
static int64
gid_draw_block_size(const GidBlockEntry *entry, const GidSequence *seq,
					int64 now_us, int64 left)
{
	if (seq->cache > 1)
		return Min(seq->cache, GID_BLOCK_MAX_SIZE);
	return gid_history_size(&entry->history, now_us, left, gid_max_block_size);
}

/*
 * Reserve the next block of a sequence and write it into its entry; "left"
 * values of the open one are not drawn yet.  False when the sequence has come
 * to its end.  The caller has the claim, and flushes the record.
 */
static bool
gid_draw_reserve(Relation rel, GidBlockEntry *entry, GidSequence *seq,
				 int64 left, XLogRecPtr *lsn)
{
	bool		up = seq->increment > 0;
	int64		now_us = gid_clock_monotonic_us();
	GidRequest	request = {
		.count = gid_draw_block_size(entry, seq, now_us, left),
		.floor = up ? PG_INT64_MIN : PG_INT64_MAX,
		.ceiling = up ? PG_INT64_MAX : PG_INT64_MIN,
	};
	GidReserved reserved;

	if (!gid_page_reserve(rel, seq, &request, &reserved, lsn))
		return false;
	gid_block_fill(entry, &reserved, seq->increment);
	gid_history_note(&entry->history, now_us, reserved.count);
	pg_atomic_write_u64(&entry->reservations,
						pg_atomic_read_u64(&entry->reservations) + 1);
	return true;
}

/* Release the claim of an entry, on whatever way out. */
static void
gid_draw_release(int code, Datum entry)
{
	gid_claim_release(&((GidBlockEntry *) DatumGetPointer(entry))->claim);
}

/*
 * Open the next block and take its first value; it is reserved unless that was
 * done ahead.  2200H when the sequence has come to its end.  The caller has the
 * claim.
 */
static int64
gid_draw_next_block(Relation rel, GidBlockEntry *entry, GidSequence *seq)
{
	XLogRecPtr	lsn = entry->ahead_lsn;

	if (!entry->ahead && !gid_draw_reserve(rel, entry, seq, 0, &lsn))
		gid_draw_raise_limit(rel, seq);
	gid_page_flush(lsn);
	return gid_block_open(entry);
}

/*
 * Have the next block written ahead, if nobody else does and it is time.  The
 * sequence is locked.  At its end nothing happens: the error is for whoever
 * wants a value that is not there.
 */
void
gid_draw_ahead(Oid sequence, GidBlockEntry *entry, uint64 owner)
{
	Relation	rel = relation_open(sequence, NoLock);
	GidSequence seq;

	gid_page_read_parameters(rel, &seq);
	if (gid_claim_try(&entry->claim))
	{
		PG_ENSURE_ERROR_CLEANUP(gid_draw_release, PointerGetDatum(entry));
		{
			int64		left;
			XLogRecPtr	lsn;

			if (pg_atomic_read_u64(&entry->owner) == owner && !entry->ahead &&
				gid_block_is_low(entry, &left) &&
				gid_draw_reserve(rel, entry, &seq, left, &lsn))
			{
				if (!XLogRecPtrIsInvalid(lsn))
					XLogSetAsyncXactLSN(lsn);
				entry->ahead_lsn = lsn;
				entry->ahead = true;
				pg_atomic_write_u64(&entry->prefetched,
									pg_atomic_read_u64(&entry->prefetched) + 1);
			}
		}
		PG_END_ENSURE_ERROR_CLEANUP(gid_draw_release, PointerGetDatum(entry));
		gid_claim_release(&entry->claim);
	}
	relation_close(rel, NoLock);
}

/*
 * Take a value of an entry, from a new block if need be.  False when the caller
 * has to look again, after a wait perhaps.
 */
static bool
gid_draw_from_entry(Relation rel, const GidDraw *draw, int64 *value)
{
	GidBlockEntry *entry = draw->entry;
	GidBlockTake take = gid_block_take(entry, draw->owner, value);
	GidSequence seq;
	volatile bool done = false;

	if (take == GID_BLOCK_TAKEN_LOW)
		gid_draw_ahead(draw->sequence, entry, draw->owner);
	if (take != GID_BLOCK_NONE)
		return true;

	gid_page_read_parameters(rel, &seq);
	if (!gid_claim_try(&entry->claim))
	{
		gid_block_wait(entry);
		return false;
	}
	PG_ENSURE_ERROR_CLEANUP(gid_draw_release, PointerGetDatum(entry));
	{
		int64		left;

		(void) gid_block_is_low(entry, &left);
		if (pg_atomic_read_u64(&entry->owner) == draw->owner && left == 0)
		{
			*value = gid_draw_next_block(rel, entry, &seq);
			done = true;
		}
	}
	PG_END_ENSURE_ERROR_CLEANUP(gid_draw_release, PointerGetDatum(entry));
	gid_claim_release(&entry->claim);
	return done;
}

/* Reserve values beside the blocks, all or none.  2200H when there are not so many. */
static void
gid_draw_beside(Relation rel, GidSequence *seq, int64 count,
				GidReserved *reserved)
{
	GidRequest	request = {.count = count,.whole = true};
	XLogRecPtr	lsn;

	gid_page_read_parameters(rel, seq);
	if (!gid_page_reserve(rel, seq, &request, reserved, &lsn))
		gid_draw_raise_limit(rel, seq);
	gid_page_flush(lsn);
}

/*
 * The next value of a sequence; the first of a transaction or of a block.
 *
 * May wait for the lock on the sequence, for another backend that reserves a
 * block, and for a WAL flush; all but the last are interruptible.  42P01,
 * 42809, 0A000 and 42501 when the sequence is not there, is none, does not
 * survive a crash, or is not the role's to draw from; 2200H at its end.
 */
int64
gid_draw_slow(Oid sequence)
{
	int64		value = 0;
	bool		done = false;

	(void) gid_shmem_my_slot();
	while (!done)
	{
		Relation	rel = gid_draw_open(sequence);
		GidDraw		draw;

		gid_draw_find(rel, &draw);
		if (draw.entry != NULL)
			done = gid_draw_from_entry(rel, &draw, &value);
		else
		{
			GidSequence seq;
			GidReserved reserved;

			/* every entry is being worked on */
			gid_draw_beside(rel, &seq, 1, &reserved);
			value = reserved.first;
			done = true;
		}
		relation_close(rel, NoLock);
	}
	return value;
}

/*
 * Reserve "count" (1 or more) consecutive values of a sequence at once, of one
 * era and cycle, beside the blocks.  Waits and errors are those of
 * gid_draw_slow(); nothing is taken when there are not so many.
 */
void
gid_draw_many(Oid sequence, int64 count, GidReserved *reserved,
			  int64 *increment)
{
	Relation	rel;
	GidSequence seq;

	(void) gid_shmem_my_slot();
	rel = gid_draw_open(sequence);
	gid_draw_beside(rel, &seq, count, reserved);
	*increment = seq.increment;
	relation_close(rel, NoLock);
}

/*
 * End the blocks of a sequence, so that the next value is reserved anew.  The
 * role needs UPDATE.  Waits and errors as for gid_draw_slow().
 */
void
gid_draw_forget(Oid sequence)
{
	bool		done = false;

	(void) gid_shmem_my_slot();
	while (!done)
	{
		Relation	rel = gid_draw_open_relation(sequence, ACL_UPDATE,
												 "Grant UPDATE on the sequence to the role.");
		GidSequenceKey key;
		GidBlockEntry *entry;
		uint64		owner;

		gid_page_read_key(rel, &key);
		entry = gid_block_find(&key, &owner);
		if (entry == NULL)
			CHECK_FOR_INTERRUPTS();
		else if (gid_claim_try(&entry->claim))
		{
			if (pg_atomic_read_u64(&entry->owner) == owner)
				gid_block_end(entry);
			done = true;
			gid_claim_release(&entry->claim);
		}
		else
			gid_block_wait(entry);
		relation_close(rel, NoLock);
	}
}
