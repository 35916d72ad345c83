/*-------------------------------------------------------------------------
 *
 * sequence/confirm.c
 *		Blocks that the synchronous standbys may not have yet.
 *
 * State: the mark in the state of an entry (sequence/block.h).
 *
 * Invariants:
 * 1. A session that asks for synchronous standbys takes a value of a block
 *	  only when they have confirmed the block's record.  The standbys of
 *	  gid.reservation_standbys are waited for before a block is opened, and
 *	  here if the setting was changed afterwards.
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
 * Wait until the standbys that this session needs have flushed the record of
 * the block that was in use when the entry had this state.  "lsn" is the end
 * of the record.  Interruptible.  Returns false when the settings were changed
 * meanwhile; then, and after an error, the block is lost.  The caller has no
 * claim.
 */
bool
gid_confirm_wait(GidBlockEntry *entry, uint64 state, XLogRecPtr lsn)
{
	GidConfirmWait wait = {entry, state};
	bool		asked = gid_flush_is_asked();

	if (!gid_flush_wait_or_lose(lsn, asked, gid_confirm_lose, PointerGetDatum(&wait)))
		return false;
	if (asked)
		gid_block_confirm(entry, state);
	return true;
}

/*
 * Take a value of the block in use, where this session may.  The session
 * waits, interruptibly, until the standbys that it needs have flushed the
 * block's record, also where the settings were changed after the block was
 * opened.  Returns GID_BLOCK_NONE, too, when the block's record ends before
 * "valid_from", or the wait has lost the block.
 */
GidBlockTake
gid_confirm_take(GidBlockEntry *entry, uint64 owner, XLogRecPtr valid_from,
				 GidValue *value)
{
	XLogRecPtr	lsn;
	uint64		state = gid_block_state(entry, owner, &lsn);

	if (state == 0 || lsn < valid_from)
		return GID_BLOCK_NONE;
	if (!gid_flush_is_enough(lsn) && !gid_confirm_wait(entry, state, lsn))
		return GID_BLOCK_NONE;
	if (state & GID_BLOCK_UNCONFIRMED)
	{
		if (!gid_flush_is_confirmed(lsn))
			return gid_block_take_unconfirmed(entry, owner, value);
		gid_block_confirm(entry, state);
	}
	return gid_block_take(entry, owner, value);
}
