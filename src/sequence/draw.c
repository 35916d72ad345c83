/*-------------------------------------------------------------------------
 *
 * sequence/draw.c
 *		Drawing values from a sequence.
 *
 * All backends take values from one block (sequence/block.c), which is
 * reserved on the sequence's page (sequence/page.c) before its first value is
 * handed out.  Who finds the block used up reserves the next one, while the
 * others who need a value wait; who takes the value that leaves less than a
 * quarter has the next block written ahead, and nobody waits.
 *
 * State: for each sequence that this backend draws from, the transaction and
 * role for which it has been locked and checked, and its entry.
 *
 * Invariants:
 * 1. A block is opened only when its record is on disk.  Of one that was
 *	  written ahead the WAL writer sees to that; whoever opens it makes sure.
 * 2. Blocks are reserved and opened by the holder of the entry's claim, who
 *	  releases it also when it fails or is cancelled.  Of what happens in
 *	  between, the block is all that can be lost.  The claim is not held while
 *	  a session waits for standbys: a session that does not ask for them goes
 *	  on.
 * 3. In each transaction the sequence is locked as by nextval(), and the role
 *	  checked, before the first value, and when the role has changed.  No other
 *	  session can drop or alter the sequence until the transaction ends.
 * 4. What the transaction itself does to the sequence (DROP, ALTER, TRUNCATE
 *	  ... RESTART IDENTITY, REVOKE, and the rollback of these to a savepoint)
 *	  comes as an invalidation of its relation before the next command, and it
 *	  is looked at anew.
 * 5. A sequence's new file has another entry, so blocks of the old one are
 *	  never seen again, unless the new file is rolled back.  The old file has
 *	  then come as far as the new one (sequence/page.c), and its blocks were
 *	  ended.
 * 6. A session that asks for synchronous standbys takes values only of a block
 *	  whose record they have.  Where its wait ends without that, the block is
 *	  lost for all sessions.  Standbys that are named in the middle of a
 *	  transaction count from the next block or transaction on.
 * 7. A transaction that draws for the first time after a setval() draws no
 *	  value that was reserved before it.  The first draw looks at the page
 *	  (sequence/page.c), and takes values only of blocks whose records are
 *	  later than what it found there.  nextval() looks the same as setval().
 *	  Where the relation writes no WAL a setval() leaves no trace.  There the
 *	  blocks end with the transaction that made the file; no other one draws
 *	  from them.
 *
 * A crash or a restart loses what is left of the open block and of the one
 * written ahead.  On a standby, in a read-only transaction and in a parallel
 * operation nothing is drawn, as by nextval(); after a promotion the pages
 * stand where the WAL that was received has put them.  A clock set back
 * changes nothing; the monotonic clock alone decides how large a block is.
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
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/rel.h"

#include "base/settings.h"
#include "clock/server_time.h"
#include "sequence/confirm.h"
#include "sequence/draw.h"
#include "sequence/flush.h"
#include "sequence/open.h"

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
		for (uint32 source = 0; source < GID_NSOURCES; source++)
		{
			GidDrawKey	key = {relation, source};

			(void) hash_search(gid_draws, &key, HASH_REMOVE, NULL);
		}
		if (gid_draw_current->key.sequence == relation)
			gid_draw_current = &gid_draw_none;
	}
}

/* What finds a sequence and a supplier in gid_draws. */
static GidDrawKey
gid_draw_key(Oid sequence, const GidSupplier *supplier)
{
	GidDrawKey	key = {sequence, supplier == NULL ? GID_SOURCE_PAGE : GID_SOURCE_SUPPLIER};

	return key;
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
		hash_search(gid_draws, &draw->key, HASH_FIND, NULL) == NULL)
		gid_draw_reset();
	if (gid_draws == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(GidDrawKey),.entrysize = sizeof(GidDraw)};

		gid_draws = hash_create("gid sequences", 16, &control,
								HASH_ELEM | HASH_BLOBS);
	}
	gid_draw_current = hash_search(gid_draws, &draw->key, HASH_ENTER, NULL);
	*gid_draw_current = *draw;
}

/* Open a sequence to draw from it: see gid_open_for(). */
static Relation
gid_draw_open(Oid sequence)
{
	return gid_open_for(sequence, ACL_USAGE | ACL_UPDATE,
						"Grant USAGE on the sequence to the role.");
}

/*
 * Find out all about a sequence that is open for this transaction and role.
 */
static void
gid_draw_find(Relation rel, const GidSupplier *supplier, GidDraw *draw)
{
	GidDraw    *known = NULL;
	GidDrawKey	draw_key = gid_draw_key(RelationGetRelid(rel), supplier);

	if (gid_draws != NULL)
		known = hash_search(gid_draws, &draw_key, HASH_FIND, NULL);
	if (known != NULL &&
		known->relfilenumber == gid_relfilenumber(rel) &&
		known->owner == pg_atomic_read_u64(&known->entry->owner))
	{
		*draw = *known;
		gid_block_touch(draw->entry);
	}
	else
	{
		GidSequenceKey key;

		/* so that all agree on the database's row: no lock was waited for */
		AcceptInvalidationMessages();
		gid_page_read_key(rel, draw_key.source, &key);
		draw->key = draw_key;
		draw->relfilenumber = key.relfilenumber;
		draw->entry = gid_block_find(&key, true, &draw->owner);
	}
	if (supplier == NULL)
		gid_page_look(rel, &draw->entry->mark);
	draw->lxid = gid_my_lxid();
	draw->role = GetUserId();
	draw->supplier = supplier;
	gid_draw_keep(draw);
}

/* Raise 2200H, as nextval() does, for who asked for so many values. */
static void
gid_draw_raise_limit(Relation rel, const GidSequence *seq, int64 count)
{
	bool		up = seq->increment > 0;

	ereport(ERROR,
			(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
			 errmsg(up ? "nextval: reached maximum value of sequence \"%s\" (%lld)" :
					"nextval: reached minimum value of sequence \"%s\" (%lld)",
					RelationGetRelationName(rel),
					(long long) (up ? seq->max_value : seq->min_value)),
			 errdetail("It stands at %lld; %lld more do not fit.",
					   (long long) seq->last_value, (long long) count),
			 errhint("Give the sequence a wider range with ALTER SEQUENCE, or CYCLE.")));
}

/*
 * Blocks whose records end before this LSN were overtaken by a setval() or
 * nextval().  What other servers give is not: it is not on the page.
 */
static XLogRecPtr
gid_draw_valid_from(const GidDraw *draw)
{
	if (draw->supplier != NULL)
		return InvalidXLogRecPtr;
	return pg_atomic_read_u64(&draw->entry->mark.valid_from);
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
 * A reservation was made on a file that this transaction made: end the blocks
 * of the files that a rollback would bring back.  Their values would come
 * after those of the reservation, and are smaller.
 */
static void
gid_draw_end_earlier(Relation rel, uint32 source)
{
	ListCell   *cell;

	foreach(cell, gid_page_earlier_files(rel))
	{
		GidSequenceKey key;

		gid_page_read_key(rel, source, &key);
		key.relfilenumber = lfirst_oid(cell);
		gid_block_end_file(&key);
	}
}

/*
 * Get the next block of a sequence and write it into its entry; "left" values
 * of the open one are not drawn yet.  False when there is none: the sequence
 * has come to its end, or the supplier has none and it is not "needed".  The
 * caller has the claim, and flushes the record.
 */
static bool
gid_draw_reserve(Relation rel, const GidDraw *draw, GidSequence *seq,
				 int64 left, bool needed)
{
	GidBlockEntry *entry = draw->entry;
	int64		now_us = gid_time_monotonic_us();
	GidRequest	request = {
		.kind = GID_REQUEST_SOME,
		.count = gid_draw_block_size(entry, seq, now_us, left),
	};
	GidReserved reserved;
	uint32		issuer = 0;
	int64		increment = seq->increment;
	XLogRecPtr	lsn = InvalidXLogRecPtr;

	if (draw->supplier != NULL)
	{
		if (!draw->supplier->reserve(rel, request.count, needed, &reserved, &issuer))
			return false;
		increment = 1;
	}
	else if (!gid_page_reserve(rel, seq, &request, &entry->mark, &reserved, &lsn))
		return false;
	gid_draw_end_earlier(rel, draw->key.source);
	gid_block_fill(entry, &reserved, increment, issuer, lsn);
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
 * done ahead.  *state and *lsn are for gid_confirm_wait().  2200H when the
 * sequence has come to its end, 08001 when no other server answers.  The
 * caller has the claim.
 */
static GidValue
gid_draw_next_block(Relation rel, const GidDraw *draw, GidSequence *seq,
					uint64 *state, XLogRecPtr *lsn)
{
	bool		confirmed;

	if (!draw->entry->ahead && !gid_draw_reserve(rel, draw, seq, 0, true))
		gid_draw_raise_limit(rel, seq, 1);
	*lsn = gid_block_next_lsn(draw->entry);
	gid_flush_disk(*lsn);
	confirmed = XLogRecPtrIsInvalid(*lsn) || !gid_flush_are_standbys_named() ||
		gid_flush_is_confirmed(*lsn);
	return gid_block_open(draw->entry, confirmed, state);
}

/*
 * Have the next block written ahead, if nobody else does and it is time.  The
 * sequence is locked.  When there is none nothing happens: the error is for
 * whoever wants a value that is not there (but for that of a transaction which
 * has altered the sequence, see gid_page_reserve()).
 */
void
gid_draw_ahead(const GidDraw *current)
{
	/* an invalidation may take away the other one */
	GidDraw		draw = *current;
	GidBlockEntry *entry = draw.entry;
	Relation	rel = relation_open(draw.key.sequence, NoLock);
	GidSequence seq;

	gid_page_read_parameters(rel, &seq);
	if (gid_claim_try(&entry->claim))
	{
		PG_ENSURE_ERROR_CLEANUP(gid_draw_release, PointerGetDatum(entry));
		{
			int64		left;

			if (pg_atomic_read_u64(&entry->owner) == draw.owner && !entry->ahead &&
				gid_block_is_low(entry, &left) &&
				gid_draw_reserve(rel, &draw, &seq, left, false))
			{
				XLogRecPtr	lsn = gid_block_next_lsn(entry);

				if (!XLogRecPtrIsInvalid(lsn))
					XLogSetAsyncXactLSN(lsn);
				pg_write_barrier(); /* for gid_block_look() */
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
 * Open the next block of an entry, if nobody else does and the block in use
 * has no value left or was overtaken, and take its first value.  False when
 * the caller has to look again, after a wait perhaps.  *state and *lsn as for
 * gid_draw_next_block().
 */
static bool
gid_draw_try_next_block(Relation rel, const GidDraw *draw, GidValue *value,
						uint64 *state, XLogRecPtr *lsn)
{
	GidBlockEntry *entry = draw->entry;
	GidSequence seq;
	volatile bool done = false;

	gid_page_read_parameters(rel, &seq);
	if (!gid_claim_try(&entry->claim))
	{
		gid_block_wait(entry);
		return false;
	}
	PG_ENSURE_ERROR_CLEANUP(gid_draw_release, PointerGetDatum(entry));
	{
		int64		left;

		gid_block_drop_before(entry, gid_draw_valid_from(draw));
		(void) gid_block_is_low(entry, &left);
		if (pg_atomic_read_u64(&entry->owner) == draw->owner && left == 0)
		{
			*value = gid_draw_next_block(rel, draw, &seq, state, lsn);
			done = true;
		}
	}
	PG_END_ENSURE_ERROR_CLEANUP(gid_draw_release, PointerGetDatum(entry));
	gid_claim_release(&entry->claim);
	return done;
}

/*
 * Take a value of an entry, from a new block if need be.  False when the
 * caller has to look again, after a wait perhaps.
 */
static bool
gid_draw_from_entry(Relation rel, const GidDraw *draw, GidValue *value)
{
	GidBlockTake take = gid_confirm_take(draw->entry, draw->owner,
										 gid_draw_valid_from(draw), value);
	XLogRecPtr	lsn;
	uint64		state;

	if (take == GID_BLOCK_TAKEN_LOW)
		gid_draw_ahead(draw);
	if (take != GID_BLOCK_NONE)
		return true;
	if (!gid_draw_try_next_block(rel, draw, value, &state, &lsn))
		return false;
	if ((state & GID_BLOCK_UNCONFIRMED) != 0 && gid_flush_is_asked())
		return gid_confirm_wait(draw->entry, state, lsn);
	return true;
}

/* The entry of an open sequence and a source; NULL when there is none. */
static GidBlockEntry *
gid_draw_entry(Relation rel, uint32 source, uint64 *owner)
{
	GidSequenceKey key;

	/* so that all agree on the database's row: no lock was waited for */
	AcceptInvalidationMessages();
	gid_page_read_key(rel, source, &key);
	return gid_block_find(&key, false, owner);
}

/*
 * Reserve values on the page of a sequence, beside the blocks, and have that
 * on disk.  2200H when there is nothing to take.
 */
static void
gid_draw_from_page(Relation rel, GidRequestKind kind, int64 count,
				   GidSequence *seq, GidReserved *reserved)
{
	GidRequest	request = {.kind = kind,.count = count};
	uint64		owner;
	GidBlockEntry *entry = gid_draw_entry(rel, GID_SOURCE_PAGE, &owner);
	GidPageMark *mark = entry == NULL ? NULL : &entry->mark;
	XLogRecPtr	lsn;

	gid_page_read_parameters(rel, seq);
	do
	{
		if (!gid_page_reserve(rel, seq, &request, mark, reserved, &lsn))
			gid_draw_raise_limit(rel, seq, count);
		gid_draw_end_earlier(rel, GID_SOURCE_PAGE);
	} while (!gid_flush(lsn));
}

/*
 * Take a value of a sequence that this transaction and role have drawn from
 * before, and another sequence since.
 */
static bool
gid_draw_again(Oid sequence, const GidSupplier *supplier, GidValue *value)
{
	GidDrawKey	key = gid_draw_key(sequence, supplier);
	GidDraw    *known = NULL;
	GidBlockTake take;

	if (gid_draws != NULL)
		known = hash_search(gid_draws, &key, HASH_FIND, NULL);
	if (known == NULL || known->lxid != gid_my_lxid() ||
		known->role != GetUserId())
		return false;
	gid_draw_current = known;
	take = gid_confirm_take(known->entry, known->owner,
							gid_draw_valid_from(known), value);
	if (take == GID_BLOCK_TAKEN_LOW)
		gid_draw_ahead(known);
	return take != GID_BLOCK_NONE;
}

/*
 * The next value of a sequence; the first of a transaction or of a block, or
 * that of another sequence than the last one.
 *
 * May wait for the lock on the sequence, for another backend that reserves a
 * block, for a WAL flush, a standby or a supplier; all but the flush are
 * interruptible.
 * 42P01, 42809, 0A000 and 42501 when the sequence is not there, is none, does
 * not survive a crash, or is not the role's to draw from; 2200H at its end;
 * 08001 when no other server answers.
 */
GidValue
gid_draw_slow(Oid sequence, const GidSupplier *supplier)
{
	GidValue	value = {0};
	bool		done;

	done = gid_draw_again(sequence, supplier, &value);
	while (!done)
	{
		Relation	rel = gid_draw_open(sequence);
		GidDraw		draw;

		gid_draw_find(rel, supplier, &draw);
		done = gid_draw_from_entry(rel, &draw, &value);
		relation_close(rel, NoLock);
	}
	return value;
}

/*
 * Reserve "count" (1 or more) consecutive values of a sequence at once, of one
 * era, cycle and authority, beside the blocks.  Waits and errors are those of
 * gid_draw_slow(); nothing is taken when there are not so many, but for what
 * a supplier gave.
 */
void
gid_draw_many(Oid sequence, const GidSupplier *supplier, int64 count,
			  GidBatch *batch)
{
	Relation	rel;
	GidSequence seq;

	rel = gid_draw_open(sequence);
	if (supplier != NULL)
	{
		supplier->reserve_all(rel, count, &batch->values, &batch->issuer);
		batch->increment = 1;
	}
	else
	{
		gid_draw_from_page(rel, GID_REQUEST_BATCH, count, &seq, &batch->values);
		batch->increment = seq.increment;
		batch->issuer = 0;
	}
	relation_close(rel, NoLock);
}

/*
 * Reserve up to "count" (1 or more) consecutive values of a sequence, of one
 * era, for another server, which counts them by ones.  55000 when the sequence
 * descends; waits and other errors are those of gid_draw_slow().
 */
void
gid_draw_of_era(Oid sequence, int64 count, GidReserved *reserved)
{
	Relation	rel = gid_draw_open(sequence);
	GidSequence seq;

	gid_page_read_parameters(rel, &seq);
	if (seq.increment < 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("sequence \"%s\" descends", RelationGetRelationName(rel)),
				 errdetail("Another server counts the values of a block upwards."),
				 errhint("Give the sequence a positive INCREMENT.")));
	gid_draw_from_page(rel, GID_REQUEST_OF_ERA, count, &seq, reserved);
	relation_close(rel, NoLock);
}

/* End the block of a sequence and a source.  The sequence is open. */
static void
gid_draw_forget_source(Relation rel, uint32 source)
{
	uint64		owner;
	GidBlockEntry *entry = gid_draw_entry(rel, source, &owner);

	if (entry == NULL)
		return;
	while (!gid_claim_try(&entry->claim))
		gid_block_wait(entry);
	if (pg_atomic_read_u64(&entry->owner) == owner)
		gid_block_end(entry);
	gid_claim_release(&entry->claim);
}

/*
 * End the blocks of a sequence, so that the next value is reserved anew.  The
 * role needs UPDATE.  Waits and errors as for gid_draw_slow().
 */
void
gid_draw_forget(Oid sequence)
{
	Relation	rel;

	rel = gid_open_for(sequence, ACL_UPDATE, "Grant UPDATE on the sequence to the role.");
	for (uint32 source = 0; source < GID_NSOURCES; source++)
		gid_draw_forget_source(rel, source);
	relation_close(rel, NoLock);
}
