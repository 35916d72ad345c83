/*-------------------------------------------------------------------------
 *
 * sequence/advance.c
 *		Where a sequence stands, and moving it forward.
 *
 * To advance a sequence is to reserve all values up to the wanted one, and to
 * throw them away.  So it is one step under the lock of the page's buffer,
 * forward only, and a new timeline passes over values as in every reservation.
 * Temporary and unlogged sequences are advanced, too: nextval() draws from
 * them.
 *
 * State: none.  A crash leaves the sequence where the record has put it, which
 * has passed the gate before the call returns.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/rel.h"

#include "attach/backend_slot.h"
#include "sequence/advance.h"
#include "sequence/draw.h"
#include "sequence/gate.h"

/*
 * Find the value that the next draw takes from a block of gid.  Returns false
 * when there is no such block; then the page says what comes next, and *next
 * says nothing.  Waits for the buffer's lock of the page alone.
 */
static bool
gid_advance_block(const GidOpenSequence *open, int64 *next)
{
	uint64		owner;
	GidEntry   *entry = gid_block_entry(&open->key, false, &owner);
	GidBlockView view;

	if (entry == NULL || !gid_block_view(entry, owner, &view) ||
		(view.left <= 0 && !view.has_next))
		return false;
	*next = view.left > 0 ? view.next : view.next_first;
	return true;
}

/*
 * See where an open sequence stands.  Any lock on it will do, but it must not
 * be another session's temporary sequence.  The first call attaches.  Waits
 * for the buffer's lock of the page alone.  Raises XX001 when the page is
 * damaged.
 */
void
gid_advance_look(Relation rel, GidStand *stand)
{
	static const GidRequest request = {.kind = GID_REQUEST_SOME,.count = 1};
	GidOpenSequence open;
	GidSequence *seq = &stand->sequence;
	GidReserved reserved = {0};
	GidEntry   *entry;
	uint64		owner;
	int64		next;

	(void) gid_slot_mine();
	gid_page_open(rel, &open);
	gid_page_describe(&open);
	entry = gid_block_entry(&open.key, false, &owner);
	(void) gid_page_look(&open, entry, owner);
	*seq = open.sequence;
	stand->last = seq->last_value;
	stand->has_last = seq->is_called;
	stand->has_next = gid_reserve(seq, &request, &reserved);
	stand->next = reserved.first;
	if (gid_advance_block(&open, &next))
	{
		stand->next = next;
		stand->has_next = true;
		stand->last = (int64) ((uint64) stand->next - (uint64) seq->increment);
		stand->has_last = gid_reserve_steps(seq->increment > 0 ? seq->min_value : seq->max_value,
											stand->next, seq->increment) > 0;
	}
}

/*
 * Open a sequence to advance it.  The lock is held until the end of the
 * transaction.  Errors are those of gid_advance_to().
 */
static Relation
gid_advance_open(Oid sequence)
{
	Relation	rel = gid_page_lock(sequence);

	gid_page_check_named(rel, sequence, "Only a sequence can be advanced.", ACL_UPDATE,
						 "Grant UPDATE on the sequence to the role.");
	return rel;
}

/* Raise 22003 if a sequence cannot be advanced to a value. */
static void
gid_advance_check(const GidOpenSequence *open, int64 value)
{
	const GidSequence *seq = &open->sequence;
	int64		end = seq->increment > 0 ? seq->max_value : seq->min_value;

	if (seq->cycle)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("cannot advance sequence \"%s\"", RelationGetRelationName(open->rel)),
				 errdetail("With CYCLE the values begin again, so none is beyond all others."),
				 errhint("Use ALTER SEQUENCE ... NO CYCLE.")));
	if (gid_advance_is_after(seq, value, end))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("value %lld is beyond the range of sequence \"%s\"",
						(long long) value, RelationGetRelationName(open->rel)),
				 errdetail("The range ends at %lld.", (long long) end),
				 errhint("Give the sequence a wider range with ALTER SEQUENCE.")));
}

/*
 * Advance a sequence, so that the next value is the first of its own
 * progression beyond "value", or a later one if the sequence has come further.
 * *stand is where it stands then.
 *
 * A block of gid ends unless all its values are beyond "value".  So the next
 * draw of every session is beyond, also within a running statement.  What
 * sessions keep by the sequence's own CACHE is out of reach.
 *
 * May wait for the lock on the sequence, and at the gate.  Raises what
 * gid_page_check_named() raises, 42501 without UPDATE, and 22003 with CYCLE
 * and beyond the range.  Other errors are those of gid_page_reserve(), and
 * PostgreSQL's 0A000 for another session's temporary sequence.  The caller has
 * seen to gid_page_prevent().
 */
void
gid_advance_to(Oid sequence, int64 value, GidStand *stand)
{
	GidRequest	request = {.kind = GID_REQUEST_UP_TO,.count = PG_INT64_MAX,.ceiling = value};
	GidReserved reserved = {0};
	GidOpenSequence open;
	GidEntry   *entry;
	uint64		owner = 0;
	XLogRecPtr	lsn = InvalidXLogRecPtr;
	bool		moved = false;
	int64		next;

	(void) gid_slot_mine();
	gid_page_open(gid_advance_open(sequence), &open);
	gid_page_describe(&open);
	gid_advance_check(&open, value);
	entry = gid_block_entry(&open.key, false, &owner);

	/* more than 2^63 - 1 values are reserved in several steps */
	do
	{
		if (!gid_page_reserve(&open, entry, owner, &request, NULL, &reserved, &lsn))
			break;
		moved = true;
	} while (reserved.count == request.count);

	/* after the page: a block that is reserved from now on lies beyond */
	if (moved || !gid_advance_block(&open, &next) ||
		!gid_advance_is_after(&open.sequence, next, value))
		gid_draw_end_served(sequence);
	if (moved)
		(void) gid_gate(lsn);
	gid_advance_look(open.rel, stand);
	relation_close(open.rel, NoLock);
}
