/*-------------------------------------------------------------------------
 *
 * sequence/confirm.c
 *		Blocks that the synchronous standbys may not have yet.
 *
 * State: the mark in the state of an entry (sequence/block.h).
 *
 * Invariants:
 * 1. A session that asks for synchronous standbys takes a value of a block
 *	  only when they have confirmed the block's record.
 * 2. A session waits without a claim or a lock of gid.  A session that does
 *	  not ask goes on with the same block.
 * 3. A wait that ends without the standbys loses the block for all sessions.
 *
 * After a crash, a restart or a promotion the block is gone with the shared
 * memory.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "sequence/confirm.h"
#include "sequence/flush.h"

/* A block that a session waits for. */
typedef struct GidConfirmWait
{
	GidBlockEntry *entry;
	uint64		state;
} GidConfirmWait;

/* The wait has ended without the standbys: lose the block. */
static void
gid_confirm_lose(int code, Datum wait)
{
	GidConfirmWait *w = (GidConfirmWait *) DatumGetPointer(wait);

	gid_block_lose(w->entry, w->state);
}

/*
 * Wait until the standbys have flushed the record of the block that was in use
 * when the entry had this state, and let all sessions take its values.  "lsn"
 * is the end of the record.  Interruptible.  Returns false when nobody asks
 * for standbys any more; then, and after an error, the block is lost.  The
 * caller has no claim.
 */
bool
gid_confirm_wait(GidBlockEntry *entry, uint64 state, XLogRecPtr lsn)
{
	GidConfirmWait wait = {entry, state};

	if (!gid_flush_wait_or_lose(lsn, gid_confirm_lose, PointerGetDatum(&wait)))
		return false;
	gid_block_confirm(entry, state);
	return true;
}

/*
 * Take a value of the block in use, where this session may.  A session that
 * asks for synchronous standbys waits, interruptibly, until they have flushed
 * the block's record, also where they were named after the block was opened.
 * Returns GID_BLOCK_NONE, too, when the block's record ends before
 * "valid_from", or the wait has lost the block.
 */
GidBlockTake
gid_confirm_take(GidBlockEntry *entry, uint64 owner, XLogRecPtr valid_from,
				 GidValue *value)
{
	XLogRecPtr	lsn;
	uint64		state = gid_block_state(entry, owner, &lsn);
	bool		marked = (state & GID_BLOCK_UNCONFIRMED) != 0;
	bool		asked;

	if (state == 0 || lsn < valid_from)
		return GID_BLOCK_NONE;
	asked = !XLogRecPtrIsInvalid(lsn) && gid_flush_is_asked();
	if (marked || asked)
	{
		if (gid_flush_is_confirmed(lsn))
			gid_block_confirm(entry, state);
		else if (!asked)
			return gid_block_take_unconfirmed(entry, owner, value);
		else if (!gid_confirm_wait(entry, state, lsn))
			return GID_BLOCK_NONE;
	}
	return gid_block_take(entry, owner, value);
}
