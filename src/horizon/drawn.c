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
 * The snapshot decides whether a transaction has ended, never the entry.  A
 * transaction may commit after the snapshot and before the entries are read:
 * its row is not in the snapshot.  So an entry keeps the last transactions, with
 * their ids.
 *
 * State: in shared memory an entry for each process number, then one for each
 * prepared transaction; in this process the words that it has shown.  There is
 * no lock.  An entry's owner alone writes it: the backend with its number, or
 * the backend that is about to hand a prepared transaction over.
 *
 * Crash, restart, promotion: all entries are empty, and every transaction has
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

/* The transactions that an entry keeps. */
#define GID_DRAWN_KEPT			3

/* The xid at a place: of a transaction that has ended, or one of these. */
#define GID_DRAWN_FREE			UINT64CONST(0)	/* has nothing to say */
#define GID_DRAWN_OPEN			UINT64CONST(1)	/* its transaction runs */

/* The last transactions of a process number or of a prepared transaction. */
typedef struct GidDrawnEntry
{
	pg_atomic_uint64 xids[GID_DRAWN_KEPT];	/* owner */
	pg_atomic_uint64 bounds[GID_DRAWN_KEPT][GID_DRAWN_WORDS];	/* owner */
	pg_atomic_uint64 lost;		/* xid that was overwritten last; owner */
	pg_atomic_uint32 databases[GID_DRAWN_KEPT]; /* owner */
	pg_atomic_uint32 current;	/* the place that is open, or is opened next;
								 * owner */
} GidDrawnEntry;

typedef union GidDrawnEntryPadded
{
	GidDrawnEntry entry;
	char		pad[TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(GidDrawnEntry))];
} GidDrawnEntryPadded;

StaticAssertDecl(!GID_ATOMICS_ARE_PLAIN || sizeof(GidDrawnEntryPadded) == PG_CACHE_LINE_SIZE,
				 "a connection is to cost little memory");

typedef struct GidDrawnState
{
	pg_atomic_uint64 since;		/* the transactions that the server has
								 * recovered have smaller xids; 0: not known
								 * yet; CAS */
	/* an entry begins with a cache line */
	char		pad[PG_CACHE_LINE_SIZE - sizeof(pg_atomic_uint64)];
	GidDrawnEntryPadded entries[FLEXIBLE_ARRAY_MEMBER]; /* gid_drawn_number() */
} GidDrawnState;

static GidDrawnState *gid_drawn_state = NULL;

uint32		gid_drawn_shown = 0;

/* How many entries there are; gid_drawn_holder() takes their numbers. */
int
gid_drawn_number(void)
{
	return MaxBackends + max_prepared_xacts;
}

static Size
gid_drawn_size(void)
{
	return add_size(offsetof(GidDrawnState, entries),
					mul_size(gid_drawn_number(), sizeof(GidDrawnEntryPadded)));
}

static void
gid_drawn_init(void *part, int tranche)
{
	GidDrawnState *state = part;

	memset(state, 0, gid_drawn_size());
	pg_atomic_init_u64(&state->since, 0);
	for (int i = 0; i < gid_drawn_number(); i++)
	{
		GidDrawnEntry *entry = &state->entries[i].entry;

		pg_atomic_init_u32(&entry->current, 0);
		pg_atomic_init_u64(&entry->lost, GID_DRAWN_FREE);
		for (int place = 0; place < GID_DRAWN_KEPT; place++)
		{
			pg_atomic_init_u64(&entry->xids[place], GID_DRAWN_FREE);
			pg_atomic_init_u32(&entry->databases[place], InvalidOid);
			for (int word = 0; word < GID_DRAWN_WORDS; word++)
				pg_atomic_init_u64(&entry->bounds[place][word], GID_DRAWN_NOTHING);
		}
	}
}

/* ---- the transactions of this backend ---- */

/*
 * Begin the next place of an entry, and return its number.  A reader may be in
 * the middle of the place that is overwritten.  The reader reads "lost" after
 * the places, so "lost" is written before anything of the place.  The
 * transactions of an entry end one after the other.  So where "lost" has ended
 * in a snapshot, all that were overwritten before have ended, too.
 */
static int
gid_drawn_open(GidDrawnEntry *entry)
{
	int			place = pg_atomic_read_u32(&entry->current);
	uint64		xid = pg_atomic_read_u64(&entry->xids[place]);

	if (xid == GID_DRAWN_OPEN)
		return place;
	if (xid != GID_DRAWN_FREE)
		pg_atomic_write_u64(&entry->lost, xid);
	pg_write_barrier();
	pg_atomic_write_u64(&entry->xids[place], GID_DRAWN_OPEN);
	pg_write_barrier();
	pg_atomic_write_u32(&entry->databases[place], MyDatabaseId);
	for (int word = 0; word < GID_DRAWN_WORDS; word++)
		pg_atomic_write_u64(&entry->bounds[place][word], GID_DRAWN_NOTHING);
	return place;
}

/* Close the open place of an entry, with the id of its transaction. */
static void
gid_drawn_close(GidDrawnEntry *entry, uint64 xid)
{
	int			place = pg_atomic_read_u32(&entry->current);

	pg_write_barrier();
	pg_atomic_write_u64(&entry->xids[place], xid);
	pg_atomic_write_u32(&entry->current, (place + 1) % GID_DRAWN_KEPT);
}

/*
 * Show a bound of a word, a number below GID_DRAWN_WORDS, before the first
 * draw of the running transaction: every value that it will draw is "bound" or
 * more.  The backend has attached, and is no parallel worker: the rows of a
 * worker are its leader's.
 *
 * The draw's compare-and-swap of the word is a full barrier.  So a reader that
 * reads the word, and then the entries, sees the bound of every value below what
 * it read.  After an error between the two, a bound without a value stands
 * here until the transaction ends.
 */
void
gid_drawn_show(int word, uint64 bound)
{
	GidDrawnEntry *entry = &gid_drawn_state->entries[gid_my_proc_number()].entry;
	int			place = gid_drawn_open(entry);

	Assert(!IsParallelWorker());
	pg_atomic_write_u64(&entry->bounds[place][word], bound);
	gid_drawn_shown |= 1U << word;
}

/*
 * The running transaction has been prepared under an id: hand its bounds over
 * to an entry of its own.  Nobody can end it yet, so no one else writes there.
 * Readers read that entry after this backend's, so one of the two is seen.
 */
static void
gid_drawn_hand_over(GidDrawnEntry *entry, FullTransactionId xid)
{
	int			number = gid_prepared_proc(xid) - PreparedXactProcs;
	GidDrawnEntry *prepared = &gid_drawn_state->entries[MaxBackends + number].entry;
	int			from = pg_atomic_read_u32(&entry->current);
	int			place;

	Assert(number >= 0 && number < max_prepared_xacts);
	place = gid_drawn_open(prepared);
	for (int word = 0; word < GID_DRAWN_WORDS; word++)
		pg_atomic_write_u64(&prepared->bounds[place][word],
							pg_atomic_read_u64(&entry->bounds[from][word]));
	gid_drawn_close(prepared, U64FromFullTransactionId(xid));
	pg_write_barrier();
}

/*
 * The running transaction has ended, or was prepared.  Without an id it has
 * inserted nothing.  An exit of the backend aborts its transaction, too, so a
 * entry has no open place when another backend gets its number.
 */
static void
gid_drawn_end(bool is_prepared)
{
	GidDrawnEntry *entry = &gid_drawn_state->entries[gid_my_proc_number()].entry;
	int			place = pg_atomic_read_u32(&entry->current);
	FullTransactionId xid = GetTopFullTransactionIdIfAny();

	if (pg_atomic_read_u64(&entry->xids[place]) != GID_DRAWN_OPEN)
		return;
	if (is_prepared)
		gid_drawn_hand_over(entry, xid);
	if (is_prepared || !FullTransactionIdIsValid(xid))
		pg_atomic_write_u64(&entry->xids[place], GID_DRAWN_FREE);
	else
		gid_drawn_close(entry, U64FromFullTransactionId(xid));
}

/* Transaction callback: the transaction has left the process array. */
static void
gid_drawn_at_event(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE)
	{
		Assert(!TransactionIdIsValid(MyProc->xid));
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
 * Lower *horizon to the bounds of the transactions in an entry that have not
 * ended in a snapshot.  Returns false when that cannot be known.
 */
static bool
gid_drawn_lower_entry(const GidEnded *ended, int number, int word, uint64 *horizon)
{
	GidDrawnEntry *entry = &gid_drawn_state->entries[number].entry;
	uint64		lost;

	for (int place = 0; place < GID_DRAWN_KEPT; place++)
	{
		uint64		xid = pg_atomic_read_u64(&entry->xids[place]);

		if (xid == GID_DRAWN_FREE || (xid != GID_DRAWN_OPEN && gid_ended_has(ended, xid)))
			continue;
		pg_read_barrier();
		if (pg_atomic_read_u32(&entry->databases[place]) == MyDatabaseId)
		{
			/* once, because the place may be overwritten meanwhile */
			uint64		bound = pg_atomic_read_u64(&entry->bounds[place][word]);

			*horizon = Min(*horizon, bound);
		}
	}
	pg_read_barrier();
	lost = pg_atomic_read_u64(&entry->lost);
	return lost == GID_DRAWN_FREE || gid_ended_has(ended, lost);
}

/* A prepared transaction, as its dummy process shows it. */
typedef struct GidDrawnPrepared
{
	TransactionId xid;
	Oid			role;
	bool		is_here;		/* in this database */
	bool		is_recovered;	/* by the server, at its start or promotion */
} GidDrawnPrepared;

/*
 * Read the dummy process of a prepared transaction, which keeps the id of one
 * that has ended until it serves another.  Takes the lock TwoPhaseState,
 * because what is read belongs together.
 */
static GidDrawnPrepared
gid_drawn_prepared(int number)
{
	PGPROC	   *proc = &PreparedXactProcs[number];
	GidDrawnPrepared prepared;

	LWLockAcquire(TwoPhaseStateLock, LW_SHARED);
	prepared.xid = proc->xid;
	prepared.role = proc->roleId;
	prepared.is_here = proc->databaseId == MyDatabaseId;
	prepared.is_recovered = gid_proc_is_recovered(proc);
	LWLockRelease(TwoPhaseStateLock);
	return prepared;
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
		GidDrawnPrepared prepared = gid_drawn_prepared(i);

		if (prepared.xid == (TransactionId) xid)
			return prepared.is_here && prepared.is_recovered;
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
	for (int i = 0; i < ended->taken.nrunning && ended->running[i] < since; i++)
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
		known &= gid_drawn_lower_entry(ended, i, word, horizon);
		pg_read_barrier();
	}
	return known;
}

/* ---- the view ---- */

static void
gid_drawn_copy(GidDrawnEntry *entry, int place, GidDrawnHolder *holder)
{
	for (int word = 0; word < GID_DRAWN_WORDS; word++)
		holder->bounds[word] = pg_atomic_read_u64(&entry->bounds[place][word]);
}

/* The open transaction of a backend. */
static bool
gid_drawn_backend_holder(int number, GidDrawnHolder *holder)
{
	GidDrawnEntry *entry = &gid_drawn_state->entries[number].entry;
	int			place = pg_atomic_read_u32(&entry->current);

	if (pg_atomic_read_u64(&entry->xids[place]) != GID_DRAWN_OPEN ||
		pg_atomic_read_u32(&entry->databases[place]) != MyDatabaseId)
		return false;
	holder->pid = ProcGlobal->allProcs[number].pid;
	holder->role = ProcGlobal->allProcs[number].roleId;
	gid_drawn_copy(entry, place, holder);
	return holder->pid != 0;
}

/*
 * A prepared transaction.  The id that its process has is looked up, because
 * it may have ended.  The bounds of one that the server has recovered are 0.
 */
static bool
gid_drawn_prepared_holder(int number, GidDrawnHolder *holder)
{
	GidDrawnEntry *entry = &gid_drawn_state->entries[MaxBackends + number].entry;
	int			place = (pg_atomic_read_u32(&entry->current) + GID_DRAWN_KEPT - 1) % GID_DRAWN_KEPT;
	GidDrawnPrepared prepared = gid_drawn_prepared(number);

	holder->xid = prepared.xid;
	holder->role = prepared.role;
	if (!TransactionIdIsValid(holder->xid) || !prepared.is_here ||
		!TransactionIdIsInProgress(holder->xid))
		return false;
	if (prepared.is_recovered)
		return true;
	gid_drawn_copy(entry, place, holder);
	return (TransactionId) pg_atomic_read_u64(&entry->xids[place]) == holder->xid;
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
