/*-------------------------------------------------------------------------
 *
 * horizon/drawn.c
 *		The transactions that have drawn values of the growing words.
 *
 * A reader that follows the ids of a table needs a horizon: a value below
 * which no row can appear any more.  A transaction that has drawn may insert
 * its row later.  So each transaction shows a lower bound of the values that
 * it draws, before its first draw from a word.  The reader takes the least
 * bound of the transactions that have not ended in its snapshot.
 *
 * The snapshot decides whether a transaction has ended, never the slot.  A
 * transaction may commit after the snapshot and before the look at the slots:
 * its row is not in the snapshot.  So a slot keeps the last transactions, with
 * their ids.
 *
 * State: in shared memory a slot for each process number, then one for each
 * prepared transaction; in this process the words that it has shown.  There is
 * no lock.  A slot's owner alone writes it: the backend with its number, or
 * the backend that is about to hand a prepared transaction over.
 *
 * Crash, restart, promotion: all slots are empty, and every transaction has
 * ended, but those that were prepared.  Their bounds are lost, and nothing can
 * be said in a snapshot in which one of them has not ended.  Clock step: no
 * effect.  Standby: nothing is drawn for rows.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/transam.h"
#include "access/twophase.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/procarray.h"

#include "base/compat.h"
#include "horizon/drawn.h"

/* The transactions that a slot keeps. */
#define GID_DRAWN_KEPT			3

/* An entry's xid: that of a transaction that has ended, or one of these. */
#define GID_DRAWN_FREE			UINT64CONST(0)	/* has nothing to say */
#define GID_DRAWN_OPEN			UINT64CONST(1)	/* its transaction runs */

/* The last transactions of a process number or of a prepared transaction. */
typedef struct GidDrawnSlot
{
	pg_atomic_uint64 xids[GID_DRAWN_KEPT];	/* owner */
	pg_atomic_uint64 bounds[GID_DRAWN_KEPT][GID_DRAWN_WORDS];	/* owner */
	pg_atomic_uint64 lost;		/* xid that was overwritten last; owner */
	pg_atomic_uint32 databases[GID_DRAWN_KEPT]; /* owner */
	pg_atomic_uint32 current;	/* the entry that is open, or is opened next;
								 * owner */
} GidDrawnSlot;

typedef union GidDrawnSlotPadded
{
	GidDrawnSlot slot;
	char		pad[TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(GidDrawnSlot))];
} GidDrawnSlotPadded;

StaticAssertDecl(sizeof(GidDrawnSlotPadded) == PG_CACHE_LINE_SIZE,
				 "a connection is to cost little memory");

typedef struct GidDrawnState
{
	pg_atomic_uint64 since;		/* the transactions that the server has
								 * recovered have smaller xids; 0: not known
								 * yet; CAS */
	/* a slot begins with a cache line */
	char		pad[PG_CACHE_LINE_SIZE - sizeof(pg_atomic_uint64)];
	GidDrawnSlotPadded slots[FLEXIBLE_ARRAY_MEMBER];	/* gid_drawn_number() */
} GidDrawnState;

static GidDrawnState *gid_drawn_state = NULL;

uint32		gid_drawn_shown = 0;

/* How many slots there are; gid_drawn_holder() takes their numbers. */
int
gid_drawn_number(void)
{
	return MaxBackends + max_prepared_xacts;
}

static Size
gid_drawn_size(void)
{
	return add_size(offsetof(GidDrawnState, slots),
					mul_size(gid_drawn_number(), sizeof(GidDrawnSlotPadded)));
}

static void
gid_drawn_init(void *part, int tranche)
{
	GidDrawnState *state = part;

	memset(state, 0, gid_drawn_size());
	pg_atomic_init_u64(&state->since, 0);
	for (int i = 0; i < gid_drawn_number(); i++)
	{
		GidDrawnSlot *slot = &state->slots[i].slot;

		pg_atomic_init_u32(&slot->current, 0);
		pg_atomic_init_u64(&slot->lost, GID_DRAWN_FREE);
		for (int entry = 0; entry < GID_DRAWN_KEPT; entry++)
		{
			pg_atomic_init_u64(&slot->xids[entry], GID_DRAWN_FREE);
			pg_atomic_init_u32(&slot->databases[entry], InvalidOid);
			for (int word = 0; word < GID_DRAWN_WORDS; word++)
				pg_atomic_init_u64(&slot->bounds[entry][word], GID_DRAWN_NOTHING);
		}
	}
}

/* ---- the transactions of this backend ---- */

/*
 * Begin an entry of a slot, and return its number.  A reader may be in the
 * middle of the entry that is overwritten.  The reader looks at "lost" after
 * the entries, so "lost" is written before anything of the entry.  The
 * transactions of a slot end one after the other.  So where "lost" has ended
 * in a snapshot, all that were overwritten before have ended, too.
 */
static int
gid_drawn_open(GidDrawnSlot *slot)
{
	int			entry = pg_atomic_read_u32(&slot->current);
	uint64		xid = pg_atomic_read_u64(&slot->xids[entry]);

	if (xid == GID_DRAWN_OPEN)
		return entry;
	if (xid != GID_DRAWN_FREE)
		pg_atomic_write_u64(&slot->lost, xid);
	pg_write_barrier();
	pg_atomic_write_u64(&slot->xids[entry], GID_DRAWN_OPEN);
	pg_write_barrier();
	pg_atomic_write_u32(&slot->databases[entry], MyDatabaseId);
	for (int word = 0; word < GID_DRAWN_WORDS; word++)
		pg_atomic_write_u64(&slot->bounds[entry][word], GID_DRAWN_NOTHING);
	return entry;
}

/* Close the open entry of a slot, with the id of its transaction. */
static void
gid_drawn_close(GidDrawnSlot *slot, uint64 xid)
{
	int			entry = pg_atomic_read_u32(&slot->current);

	pg_write_barrier();
	pg_atomic_write_u64(&slot->xids[entry], xid);
	pg_atomic_write_u32(&slot->current, (entry + 1) % GID_DRAWN_KEPT);
}

/*
 * Show a bound of a word, a number below GID_DRAWN_WORDS, before the first
 * draw of the running transaction: every value that it will draw is "bound" or
 * more.  The backend has attached, and is no parallel worker: the rows of a
 * worker are its leader's.
 *
 * The draw's compare-and-swap of the word is a full barrier.  So a reader that
 * reads the word, and then the slots, sees the bound of every value below what
 * it read.  After an error between the two, a bound without a value stands
 * here until the transaction ends.
 */
void
gid_drawn_show(int word, uint64 bound)
{
	GidDrawnSlot *slot = &gid_drawn_state->slots[gid_my_proc_number()].slot;
	int			entry = gid_drawn_open(slot);

	Assert(!IsParallelWorker());
	pg_atomic_write_u64(&slot->bounds[entry][word], bound);
	gid_drawn_shown |= 1U << word;
}

/*
 * The running transaction has been prepared under an id: hand its bounds over
 * to a slot of its own.  Nobody can end it yet, so no one else writes there.
 * Readers look at that slot after this backend's, so one of the two is seen.
 */
static void
gid_drawn_hand_over(GidDrawnSlot *slot, FullTransactionId xid)
{
	int			number = gid_prepared_proc(xid) - PreparedXactProcs;
	GidDrawnSlot *prepared = &gid_drawn_state->slots[MaxBackends + number].slot;
	int			from = pg_atomic_read_u32(&slot->current);
	int			entry = gid_drawn_open(prepared);

	for (int word = 0; word < GID_DRAWN_WORDS; word++)
		pg_atomic_write_u64(&prepared->bounds[entry][word],
							pg_atomic_read_u64(&slot->bounds[from][word]));
	gid_drawn_close(prepared, U64FromFullTransactionId(xid));
	pg_write_barrier();
}

/*
 * The running transaction has ended, or was prepared.  Without an id it has
 * inserted nothing.  An exit of the backend aborts its transaction, too, so a
 * slot has no open entry when another backend gets its number.
 */
static void
gid_drawn_end(bool is_prepared)
{
	GidDrawnSlot *slot = &gid_drawn_state->slots[gid_my_proc_number()].slot;
	int			entry = pg_atomic_read_u32(&slot->current);
	FullTransactionId xid = GetTopFullTransactionIdIfAny();

	if (pg_atomic_read_u64(&slot->xids[entry]) != GID_DRAWN_OPEN)
		return;
	if (is_prepared)
		gid_drawn_hand_over(slot, xid);
	if (is_prepared || !FullTransactionIdIsValid(xid))
		pg_atomic_write_u64(&slot->xids[entry], GID_DRAWN_FREE);
	else
		gid_drawn_close(slot, U64FromFullTransactionId(xid));
}

/* Transaction callback: the transaction has left the process array. */
static void
gid_drawn_at_event(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE)
	{
		gid_drawn_end(event == XACT_EVENT_PREPARE);
		gid_drawn_shown = 0;
	}
}

static void
gid_drawn_attach(void)
{
	static bool registered = false;

	if (!registered)
		RegisterXactCallback(gid_drawn_at_event, NULL);
	registered = true;
}

const GidPart gid_drawn_part = {
	.size_of = gid_drawn_size,
	.init = gid_drawn_init,
	.where = (void **) &gid_drawn_state,
	.attach = gid_drawn_attach,
};

/* ---- readers ---- */

/*
 * Lower *horizon to the bounds of the transactions in a slot that have not
 * ended in a snapshot.  Returns false when that cannot be known.
 */
static bool
gid_drawn_lower_slot(const GidEnded *ended, int number, int word, uint64 *horizon)
{
	GidDrawnSlot *slot = &gid_drawn_state->slots[number].slot;
	uint64		lost;

	for (int entry = 0; entry < GID_DRAWN_KEPT; entry++)
	{
		uint64		xid = pg_atomic_read_u64(&slot->xids[entry]);

		if (xid == GID_DRAWN_FREE || (xid != GID_DRAWN_OPEN && gid_ended_has(ended, xid)))
			continue;
		pg_read_barrier();
		if (pg_atomic_read_u32(&slot->databases[entry]) == MyDatabaseId)
		{
			/* once, because the entry may be overwritten meanwhile */
			uint64		bound = pg_atomic_read_u64(&slot->bounds[entry][word]);

			*horizon = Min(*horizon, bound);
		}
	}
	pg_read_barrier();
	lost = pg_atomic_read_u64(&slot->lost);
	return lost == GID_DRAWN_FREE || gid_ended_has(ended, lost);
}

/*
 * Read the dummy process of a prepared transaction, which keeps the id of one
 * that has ended until it serves another.  Takes the lock TwoPhaseState,
 * because what is read belongs together.
 */
static TransactionId
gid_drawn_prepared(int number, bool *is_here, bool *is_recovered)
{
	PGPROC	   *proc = &PreparedXactProcs[number];
	TransactionId xid;

	LWLockAcquire(TwoPhaseStateLock, LW_SHARED);
	xid = proc->xid;
	*is_here = proc->databaseId == MyDatabaseId;
	*is_recovered = gid_proc_is_recovered(proc);
	LWLockRelease(TwoPhaseStateLock);
	return xid;
}

/*
 * Return whether a transaction may be one that the server has recovered in
 * this database, as prepared, at its start or promotion.  The transaction had
 * not ended in a snapshot.  If it has ended since, nobody can tell, because
 * its dummy process may serve another transaction by now.
 */
static bool
gid_drawn_may_be_recovered(uint64 xid)
{
	for (int i = 0; i < max_prepared_xacts; i++)
	{
		bool		is_here;
		bool		is_recovered;

		if (gid_drawn_prepared(i, &is_here, &is_recovered) == (TransactionId) xid)
			return is_here && is_recovered;
	}
	return !TransactionIdIsInProgress((TransactionId) xid);
}

/*
 * Have the transactions of this database that the server has recovered ended
 * in a snapshot?  Their bounds are not known.
 */
static bool
gid_drawn_have_recovered_ended(const GidEnded *ended)
{
	uint64		since = pg_atomic_read_u64(&gid_drawn_state->since);
	uint64		next = U64FromFullTransactionId(ReadNextFullTransactionId());

	if (since == 0 && pg_atomic_compare_exchange_u64(&gid_drawn_state->since, &since, next))
		since = next;
	for (int i = 0; i < ended->nrunning && ended->running[i] < since; i++)
	{
		if (gid_drawn_may_be_recovered(ended->running[i]))
			return false;
	}
	return true;
}

/*
 * Lower *horizon, a value of a word, to the bounds of the transactions of this
 * database that have not ended in a snapshot.  The caller has read the value
 * from the word, and then made a barrier.  Returns false when nothing can be
 * said.  The backend has attached.  Takes the lock TwoPhaseState for moments
 * while a transaction is open that may be from before the server's start.
 */
bool
gid_drawn_lower(const GidEnded *ended, int word, uint64 *horizon)
{
	bool		known = gid_drawn_have_recovered_ended(ended);

	/* prepared transactions last: see gid_drawn_hand_over() */
	for (int i = 0; i < gid_drawn_number(); i++)
	{
		known &= gid_drawn_lower_slot(ended, i, word, horizon);
		pg_read_barrier();
	}
	return known;
}

/* ---- the view ---- */

static void
gid_drawn_copy(GidDrawnSlot *slot, int entry, GidDrawnHolder *holder)
{
	for (int word = 0; word < GID_DRAWN_WORDS; word++)
		holder->bounds[word] = pg_atomic_read_u64(&slot->bounds[entry][word]);
}

/* The open transaction of a backend. */
static bool
gid_drawn_backend_holder(int number, GidDrawnHolder *holder)
{
	GidDrawnSlot *slot = &gid_drawn_state->slots[number].slot;
	int			entry = pg_atomic_read_u32(&slot->current);

	if (pg_atomic_read_u64(&slot->xids[entry]) != GID_DRAWN_OPEN ||
		pg_atomic_read_u32(&slot->databases[entry]) != MyDatabaseId)
		return false;
	holder->pid = ProcGlobal->allProcs[number].pid;
	gid_drawn_copy(slot, entry, holder);
	return holder->pid != 0;
}

/*
 * A prepared transaction.  The id that its process has is looked up, because
 * it may have ended.  The bounds of one that the server has recovered are 0.
 */
static bool
gid_drawn_prepared_holder(int number, GidDrawnHolder *holder)
{
	GidDrawnSlot *slot = &gid_drawn_state->slots[MaxBackends + number].slot;
	int			entry = (pg_atomic_read_u32(&slot->current) + GID_DRAWN_KEPT - 1) % GID_DRAWN_KEPT;
	bool		is_here;
	bool		is_recovered;

	holder->xid = gid_drawn_prepared(number, &is_here, &is_recovered);
	if (!TransactionIdIsValid(holder->xid) || !is_here ||
		!TransactionIdIsInProgress(holder->xid))
		return false;
	if (is_recovered)
		return true;
	gid_drawn_copy(slot, entry, holder);
	return (TransactionId) pg_atomic_read_u64(&slot->xids[entry]) == holder->xid;
}

/*
 * Return a transaction of this database that holds horizons back, by a number
 * from 0 to gid_drawn_number() - 1.  Returns false when there is none.  The
 * backend has attached.
 */
bool
gid_drawn_holder(int number, GidDrawnHolder *holder)
{
	memset(holder, 0, sizeof(*holder));
	return number < MaxBackends ? gid_drawn_backend_holder(number, holder) :
		gid_drawn_prepared_holder(number - MaxBackends, holder);
}
