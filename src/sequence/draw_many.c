/*-------------------------------------------------------------------------
 *
 * sequence/draw_many.c
 *		Reserving many values of a sequence at once, beside the blocks.
 *
 * gid_next_many() and its siblings take a batch here, and
 * gid_authority_block() a block for another server.
 *
 * State: none.
 *
 * Invariants:
 * 1. No value is returned before its record is on disk, here and, where this
 *	  session asks for it, on the synchronous standbys.
 * 2. All values of a reservation are of one era, one cycle and one issuer.
 *
 * Concurrency, crash, standby: see sequence/page.c.  An error or cancel after
 * the record loses the values.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "utils/rel.h"

#include "sequence/draw.h"
#include "sequence/draw_many.h"
#include "sequence/entry.h"
#include "sequence/flush.h"

/* Open a sequence to draw from it. */
static void
gid_many_open(Oid sequence, GidOpenSequence *open)
{
	gid_open_for(sequence, ACL_USAGE | ACL_UPDATE,
				 "Grant USAGE on the sequence to the role.", open);
}

/*
 * Reserve values on the page of an open sequence, and flush the record.  2200H
 * when the sequence does not have them.
 */
static void
gid_many_reserve(GidOpenSequence *open, GidRequestKind kind, int64 count,
				 GidReserved *reserved)
{
	GidRequest	request = {.kind = kind,.count = count};
	GidSequenceKey key = gid_open_key(open, GID_SOURCE_PAGE);
	uint64		owner;
	GidBlockEntry *entry = gid_entry_find(&key, false, &owner);
	GidPageMark *mark = entry == NULL ? NULL : &entry->mark;
	XLogRecPtr	lsn;

	do
	{
		if (!gid_page_reserve(open, &request, mark, reserved, &lsn))
			gid_draw_raise_limit(open, count);
		gid_entry_end_earlier(open, GID_SOURCE_PAGE);
	} while (!gid_flush(lsn));
}

/*
 * Reserve "count" (1 or more) consecutive values of a sequence, of one era,
 * cycle and issuer.  Waits and errors are those of gid_draw_slow().  After an
 * error the sequence stands where it stood, but for what a supplier gave.
 */
void
gid_draw_many(Oid sequence, const GidSupplier *supplier, int64 count,
			  GidBatch *batch)
{
	GidOpenSequence open;

	gid_many_open(sequence, &open);
	if (supplier != NULL)
	{
		supplier->reserve_all(open.rel, count, &batch->values, &batch->issuer);
		batch->increment = 1;
	}
	else
	{
		gid_many_reserve(&open, GID_REQUEST_BATCH, count, &batch->values);
		batch->increment = open.sequence.increment;
		batch->issuer = 0;
	}
	relation_close(open.rel, NoLock);
}

/*
 * Reserve up to "count" (1 or more) consecutive values of a sequence, of one
 * era, for another server, which counts them upwards by ones.  Raises 55000
 * when the sequence descends; waits and other errors are those of
 * gid_draw_slow().
 */
void
gid_draw_of_era(Oid sequence, int64 count, GidReserved *reserved)
{
	GidOpenSequence open;

	gid_many_open(sequence, &open);
	if (open.sequence.increment < 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("sequence \"%s\" descends", RelationGetRelationName(open.rel)),
				 errdetail("Another server counts the values of a block upwards."),
				 errhint("Give the sequence a positive INCREMENT.")));
	gid_many_reserve(&open, GID_REQUEST_OF_ERA, count, reserved);
	relation_close(open.rel, NoLock);
}
