/*-------------------------------------------------------------------------
 *
 * horizon/word_xact.c
 *		The transactions that have drawn values of the growing words.
 *
 * A reader that follows the ids of a table needs a horizon: a value below
 * which no row can appear any more.  A transaction that has drawn may insert
 * its row later.  So each transaction shows a lower bound of the values that
 * it draws, before its first draw from a word.  The reader takes the least
 * bound of the transactions that have not ended in its snapshot.
 *
 * The snapshot decides whether a transaction has ended, never the ring.  A
 * transaction may commit after the snapshot and before the rings are read:
 * its row is not in the snapshot.  So a ring keeps the last transactions, with
 * their ids.
 *
 * State: in shared memory a ring for each process number, then one for each
 * prepared transaction; in this process the words that it has shown.  There is
 * no lock.  A ring has one writer: the backend with its number, or
 * the backend that is about to hand a prepared transaction over.
 *
 * Crash, restart, promotion: all rings are empty, and every transaction has
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
#include "horizon/word_xact.h"

/* The transactions that a ring keeps. */
#define GID_WORD_XACT_KEPT			3

/* The xid at a place: of a transaction that has ended, or one of these. */
#define GID_WORD_XACT_FREE			UINT64CONST(0)	/* has nothing to say */
#define GID_WORD_XACT_OPEN			UINT64CONST(1)	/* its transaction runs */

/* The last transactions of a process number or of a prepared transaction. */
typedef struct GidWordXactRing
{
	pg_atomic_uint64 xids[GID_WORD_XACT_KEPT];	/* writer */
	pg_atomic_uint64 bounds[GID_WORD_XACT_KEPT][GID_WORD_XACT_WORDS];	/* writer */
	pg_atomic_uint64 overwritten;	/* xid that was overwritten last; writer */
	pg_atomic_uint32 databases[GID_WORD_XACT_KEPT]; /* writer */
	pg_atomic_uint32 current;	/* the place that is open, or is opened next;
								 * writer */
} GidWordXactRing;

typedef union GidWordXactRingPadded
{
	GidWordXactRing ring;
	char		pad[TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(GidWordXactRing))];
} GidWordXactRingPadded;

StaticAssertDecl(!GID_ATOMICS_ARE_PLAIN || sizeof(GidWordXactRingPadded) == PG_CACHE_LINE_SIZE,
				 "a connection is to cost little memory");

typedef struct GidWordXactState
{
	pg_atomic_uint64 since;		/* the transactions that the server has
								 * recovered have smaller xids; 0: not known
								 * yet; CAS */
	/* a ring begins with a cache line */
	char		pad[PG_CACHE_LINE_SIZE - sizeof(pg_atomic_uint64)];
	GidWordXactRingPadded rings[FLEXIBLE_ARRAY_MEMBER]; /* gid_word_xact_count() */
} GidWordXactState;

static GidWordXactState *gid_word_xact_state = NULL;

uint32		gid_word_xact_shown = 0;

/* How many rings there are; gid_word_xact_read() takes their numbers. */
int
gid_word_xact_count(void)
{
	return MaxBackends + max_prepared_xacts;
}

static Size
gid_word_xact_size(void)
{
	return add_size(offsetof(GidWordXactState, rings),
					mul_size(gid_word_xact_count(), sizeof(GidWordXactRingPadded)));
}

static void
gid_word_xact_init(void *part, int tranche)
{
	GidWordXactState *state = part;

	pg_atomic_init_u64(&state->since, 0);
	for (int i = 0; i < gid_word_xact_count(); i++)
	{
		GidWordXactRing *ring = &state->rings[i].ring;

		pg_atomic_init_u32(&ring->current, 0);
		pg_atomic_init_u64(&ring->overwritten, GID_WORD_XACT_FREE);
		for (int place = 0; place < GID_WORD_XACT_KEPT; place++)
		{
			pg_atomic_init_u64(&ring->xids[place], GID_WORD_XACT_FREE);
			pg_atomic_init_u32(&ring->databases[place], InvalidOid);
			for (int word = 0; word < GID_WORD_XACT_WORDS; word++)
				pg_atomic_init_u64(&ring->bounds[place][word], GID_WORD_XACT_NOTHING);
		}
	}
}

/* ---- the transactions of this backend ---- */

/*
 * Begin the next place of a ring, and return its number.  A reader may be in
 * the middle of the place that is overwritten.  The reader reads "overwritten"
 * after the places, so "overwritten" is written before anything of the place.
 * The transactions of a ring end one after the other.  So where "overwritten"
 * has ended in a snapshot, all that were overwritten before have ended, too.
 */
static int
gid_word_xact_open(GidWordXactRing *ring)
{
	int			place = pg_atomic_read_u32(&ring->current);
	uint64		xid = pg_atomic_read_u64(&ring->xids[place]);

	if (xid == GID_WORD_XACT_OPEN)
		return place;
	if (xid != GID_WORD_XACT_FREE)
		pg_atomic_write_u64(&ring->overwritten, xid);
	pg_write_barrier();
	pg_atomic_write_u64(&ring->xids[place], GID_WORD_XACT_OPEN);
	pg_write_barrier();
	pg_atomic_write_u32(&ring->databases[place], MyDatabaseId);
	for (int word = 0; word < GID_WORD_XACT_WORDS; word++)
		pg_atomic_write_u64(&ring->bounds[place][word], GID_WORD_XACT_NOTHING);
	return place;
}

/* Close the open place of a ring, with the id of its transaction. */
static void
gid_word_xact_close(GidWordXactRing *ring, uint64 xid)
{
	int			place = pg_atomic_read_u32(&ring->current);

	pg_write_barrier();
	pg_atomic_write_u64(&ring->xids[place], xid);
	pg_atomic_write_u32(&ring->current, (place + 1) % GID_WORD_XACT_KEPT);
}

/*
 * Show a bound of a word, a number below GID_WORD_XACT_WORDS, before the first
 * draw of the running transaction: every value that it will draw is "bound" or
 * more.  The backend has attached, and is no parallel worker: the rows of a
 * worker are its leader's.
 *
 * The draw's compare-and-swap of the word is a full barrier.  So a reader that
 * reads the word, and then the rings, sees the bound of every value below what
 * it read.  After an error between the two, a bound without a value stands
 * here until the transaction ends.
 */
void
gid_word_xact_show(int word, uint64 bound)
{
	GidWordXactRing *ring = &gid_word_xact_state->rings[gid_my_proc_number()].ring;
	int			place = gid_word_xact_open(ring);

	Assert(!IsParallelWorker());
	pg_atomic_write_u64(&ring->bounds[place][word], bound);
	gid_word_xact_shown |= 1U << word;
}

/*
 * The running transaction has been prepared under an id: hand its bounds over
 * to a ring of its own.  Nobody can end it yet, so no one else writes there.
 * Readers read that ring after this backend's, so one of the two is seen.
 */
static void
gid_word_xact_hand_over(GidWordXactRing *ring, FullTransactionId xid)
{
	int			number = gid_prepared_proc(xid) - PreparedXactProcs;
	GidWordXactRing *prepared = &gid_word_xact_state->rings[MaxBackends + number].ring;
	int			from = pg_atomic_read_u32(&ring->current);
	int			place;

	Assert(number >= 0 && number < max_prepared_xacts);
	place = gid_word_xact_open(prepared);
	for (int word = 0; word < GID_WORD_XACT_WORDS; word++)
		pg_atomic_write_u64(&prepared->bounds[place][word],
							pg_atomic_read_u64(&ring->bounds[from][word]));
	gid_word_xact_close(prepared, U64FromFullTransactionId(xid));
	pg_write_barrier();
}

/*
 * The running transaction has ended, or was prepared.  Without an id it has
 * inserted nothing.  An exit of the backend aborts its transaction, too, so a
 * ring has no open place when another backend gets its number.
 */
static void
gid_word_xact_end(bool is_prepared)
{
	GidWordXactRing *ring = &gid_word_xact_state->rings[gid_my_proc_number()].ring;
	int			place = pg_atomic_read_u32(&ring->current);
	FullTransactionId xid = GetTopFullTransactionIdIfAny();

	if (pg_atomic_read_u64(&ring->xids[place]) != GID_WORD_XACT_OPEN)
		return;
	if (is_prepared)
		gid_word_xact_hand_over(ring, xid);
	if (is_prepared || !FullTransactionIdIsValid(xid))
		pg_atomic_write_u64(&ring->xids[place], GID_WORD_XACT_FREE);
	else
		gid_word_xact_close(ring, U64FromFullTransactionId(xid));
}

/* Transaction callback: the transaction has left the process array. */
static void
gid_word_xact_at_event(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE)
	{
		Assert(!TransactionIdIsValid(MyProc->xid));
		/* it has its locks still (horizon/lockers.c) */
		Assert(LocalTransactionIdIsValid(MyProc->fpLocalTransactionId));
		gid_word_xact_end(event == XACT_EVENT_PREPARE);
		gid_word_xact_shown = 0;
	}
}

static void
gid_word_xact_attach(void)
{
	static bool registered = false;

	if (!registered)
		RegisterXactCallback(gid_word_xact_at_event, NULL);
	registered = true;
}

const GidPart gid_word_xact_part = {
	.size_of = gid_word_xact_size,
	.init = gid_word_xact_init,
	.where = (void **) &gid_word_xact_state,
	.attach = gid_word_xact_attach,
};

/* ---- readers ---- */

/*
 * Lower *horizon to the bounds of the transactions in a ring that have not
 * ended in a snapshot.  Returns false when that cannot be known.
 */
static bool
gid_word_xact_lower_ring(const GidEnded *ended, int number, int word, uint64 *horizon)
{
	GidWordXactRing *ring = &gid_word_xact_state->rings[number].ring;
	uint64		overwritten;

	for (int place = 0; place < GID_WORD_XACT_KEPT; place++)
	{
		uint64		xid = pg_atomic_read_u64(&ring->xids[place]);

		if (xid == GID_WORD_XACT_FREE || (xid != GID_WORD_XACT_OPEN && gid_ended_has(ended, xid)))
			continue;
		pg_read_barrier();
		if (pg_atomic_read_u32(&ring->databases[place]) == MyDatabaseId)
		{
			/* once, because the place may be overwritten meanwhile */
			uint64		bound = pg_atomic_read_u64(&ring->bounds[place][word]);

			*horizon = Min(*horizon, bound);
		}
	}
	pg_read_barrier();
	overwritten = pg_atomic_read_u64(&ring->overwritten);
	return overwritten == GID_WORD_XACT_FREE || gid_ended_has(ended, overwritten);
}

/* A prepared transaction, as its dummy process shows it. */
typedef struct GidWordXactPrepared
{
	TransactionId xid;
	Oid			role;
	bool		is_here;		/* in this database */
	bool		is_recovered;	/* by the server, at its start or promotion */
} GidWordXactPrepared;

/*
 * Read the dummy process of a prepared transaction, which keeps the id of one
 * that has ended until it serves another.  Takes the lock TwoPhaseState,
 * because what is read belongs together.
 */
static GidWordXactPrepared
gid_word_xact_prepared(int number)
{
	PGPROC	   *proc = &PreparedXactProcs[number];
	GidWordXactPrepared prepared;

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
gid_word_xact_may_be_recovered(uint64 xid)
{
	for (int i = 0; i < max_prepared_xacts; i++)
	{
		GidWordXactPrepared prepared = gid_word_xact_prepared(i);

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
gid_word_xact_have_recovered_ended(const GidEnded *ended)
{
	uint64		since = pg_atomic_read_u64(&gid_word_xact_state->since);
	uint64		next = U64FromFullTransactionId(ReadNextFullTransactionId());

	if (since == 0 && pg_atomic_compare_exchange_u64(&gid_word_xact_state->since, &since, next))
		since = next;
	for (int i = 0; i < ended->taken.nrunning && ended->running[i] < since; i++)
	{
		if (gid_word_xact_may_be_recovered(ended->running[i]))
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
gid_word_xact_lower(const GidEnded *ended, int word, uint64 *horizon)
{
	bool		known = gid_word_xact_have_recovered_ended(ended);

	/* prepared transactions last: see gid_word_xact_hand_over() */
	for (int i = 0; i < gid_word_xact_count(); i++)
	{
		known &= gid_word_xact_lower_ring(ended, i, word, horizon);
		pg_read_barrier();
	}
	return known;
}

/* ---- the view ---- */

static void
gid_word_xact_copy(GidWordXactRing *ring, int place, GidWordXact *xact)
{
	for (int word = 0; word < GID_WORD_XACT_WORDS; word++)
		xact->bounds[word] = pg_atomic_read_u64(&ring->bounds[place][word]);
}

/* The open transaction of a backend. */
static bool
gid_word_xact_of_backend(int number, GidWordXact *xact)
{
	GidWordXactRing *ring = &gid_word_xact_state->rings[number].ring;
	int			place = pg_atomic_read_u32(&ring->current);

	if (pg_atomic_read_u64(&ring->xids[place]) != GID_WORD_XACT_OPEN ||
		pg_atomic_read_u32(&ring->databases[place]) != MyDatabaseId)
		return false;
	xact->pid = ProcGlobal->allProcs[number].pid;
	xact->role = ProcGlobal->allProcs[number].roleId;
	gid_word_xact_copy(ring, place, xact);
	return xact->pid != 0;
}

/*
 * A prepared transaction.  The id that its process has is looked up, because
 * it may have ended.  The bounds of one that the server has recovered are 0.
 */
static bool
gid_word_xact_of_prepared(int number, GidWordXact *xact)
{
	GidWordXactRing *ring = &gid_word_xact_state->rings[MaxBackends + number].ring;
	int			place = (pg_atomic_read_u32(&ring->current) + GID_WORD_XACT_KEPT - 1) % GID_WORD_XACT_KEPT;
	GidWordXactPrepared prepared = gid_word_xact_prepared(number);

	xact->xid = prepared.xid;
	xact->role = prepared.role;
	if (!TransactionIdIsValid(xact->xid) || !prepared.is_here ||
		!TransactionIdIsInProgress(xact->xid))
		return false;
	if (prepared.is_recovered)
		return true;
	gid_word_xact_copy(ring, place, xact);
	return (TransactionId) pg_atomic_read_u64(&ring->xids[place]) == xact->xid;
}

/*
 * Return a transaction of this database that holds horizons back, by a number
 * from 0 to gid_word_xact_count() - 1.  Returns false when there is none.  The
 * backend has attached.
 */
bool
gid_word_xact_read(int number, GidWordXact *xact)
{
	memset(xact, 0, sizeof(*xact));
	return number < MaxBackends ? gid_word_xact_of_backend(number, xact) :
		gid_word_xact_of_prepared(number - MaxBackends, xact);
}
