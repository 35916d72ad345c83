/*-------------------------------------------------------------------------
 *
 * attach/drawn.c
 *		The transactions that have drawn values of the growing words.
 *
 * A reader that follows the ids of a table needs a horizon: a value below
 * which no row can appear any more.  A transaction that has drawn may insert
 * its row later.  So each transaction shows a lower bound of the values that
 * it draws, before its first draw from a word.  The reader takes the least
 * bound of the transactions that have not ended in its snapshot.
 *
 * Whether a transaction has ended is a question to the snapshot, never to the
 * slot.  Between the snapshot and the look at the slots a transaction may
 * commit; its slot would be clear, and its row is not in the snapshot.  So a
 * slot keeps the last transactions, with their ids.
 *
 * State: in shared memory a slot for each process number, and a table of
 * prepared transactions; in this process the words that it has shown.
 *
 * Invariants:
 * 1. A transaction's bound is in a slot before its first compare-and-swap of
 *	  the word, which is a full barrier.  So a reader that reads the word, and
 *	  then the slots, sees the bound of every value below what it read.
 * 2. A parallel worker shows its bound in its leader's slot, because the row
 *	  is the leader's.  The leader need not have attached.  Then it does not
 *	  close the entry at the end of its transaction, and does not move it when
 *	  the transaction is prepared.  Others do that: a reader, the leader's
 *	  next worker, and the next backend with its number that attaches.  They
 *	  know the transaction by its virtual transaction id, and change the entry
 *	  under the mutex, under which it is opened.  So they cannot take a later
 *	  transaction for the one that has ended.
 * 3. The entry of a transaction that ended with an id stays until three later
 *	  transactions of the slot have ended with an id, whichever backend has the
 *	  slot.  "lost" is the id of the entry that was overwritten last.  The
 *	  transactions of a slot end one after the other.  So if "lost" has ended
 *	  in a snapshot, every entry that was overwritten has.
 * 4. A transaction without an id has inserted no row.  Its entry is used
 *	  again.
 * 5. A slot's entry is overwritten in this order: "lost", xid, the rest.  A
 *	  reader reads the xid, the rest, "lost".  So a reader that misses an entry
 *	  sees that it was lost.
 * 6. A prepared transaction ends in any order, so its bounds move to the
 *	  table.  An entry of the table is used again when its transaction has
 *	  ended, and keeps the id of the one before in "lost", by the same
 *	  reasoning.
 *
 * An error or a cancel before the first draw leaves a bound too much, until
 * the transaction ends.  A backend that exits aborts its transaction first, so
 * its entry gets its id.
 *
 * Crash, restart: all slots are empty, and every transaction has ended, but
 * those that were prepared.  The server recovers them, and their bounds are
 * lost; nothing can be said in a snapshot in which one of them has not ended.
 * The same after a promotion.  Clock step: no effect.  Standby: nothing is
 * drawn for rows.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/twophase.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/spin.h"

#include "attach/backend_slot.h"
#include "attach/drawn.h"
#include "base/compat.h"

/* The transactions that a slot keeps. */
#define GID_DRAWN_KEPT			3

/*
 * An entry's xid: that of a transaction that has ended, or one of these.  With
 * GID_DRAWN_BEFORE the xid is not known, and the transaction had ended before
 * the xid in the other bits was assigned.
 */
#define GID_DRAWN_FREE			UINT64CONST(0)
#define GID_DRAWN_OPEN			UINT64CONST(1)
#define GID_DRAWN_BEFORE		(UINT64CONST(1) << 63)

/* The last transactions of a process number. */
typedef struct GidDrawnSlot
{
	slock_t		mutex;			/* to open an entry, or lower its bounds */
	uint8		current;		/* the entry that is open, or is opened next;
								 * written by the owner at the end of a
								 * transaction */
	pg_atomic_uint32 lxid;		/* of the open transaction; mutex */
	pg_atomic_uint64 lost;		/* xid that was overwritten last; mutex */
	pg_atomic_uint64 xids[GID_DRAWN_KEPT];	/* opened under mutex, closed by
											 * CAS */
	pg_atomic_uint32 databases[GID_DRAWN_KEPT]; /* mutex */
	pg_atomic_uint32 backend;	/* with lxid: the open transaction's virtual
								 * id; mutex */
	pg_atomic_uint64 bounds[GID_DRAWN_KEPT][GID_DRAWN_WORDS];	/* mutex */
} GidDrawnSlot;

typedef union GidDrawnSlotPadded
{
	GidDrawnSlot slot;
	char		pad[TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(GidDrawnSlot))];
} GidDrawnSlotPadded;

StaticAssertDecl(sizeof(GidDrawnSlotPadded) == PG_CACHE_LINE_SIZE,
				 "a connection is to cost little memory");

/* A transaction that was prepared. */
typedef struct GidDrawnPrepared
{
	uint64		xid;			/* 0: the entry was never used; lock */
	uint64		lost;			/* xid of the transaction before; lock */
	Oid			database;		/* lock */
	uint64		bounds[GID_DRAWN_WORDS];	/* lock */
} GidDrawnPrepared;

/* The part; the slots follow the prepared transactions. */
typedef struct GidDrawnState
{
	LWLock		lock;			/* protects what says "lock" */
	pg_atomic_uint64 since;		/* the transactions that the server has
								 * recovered have smaller xids; 0: not known
								 * yet; CAS */
	GidDrawnPrepared prepared[FLEXIBLE_ARRAY_MEMBER];	/* max_prepared_xacts */
} GidDrawnState;

static GidDrawnState *gid_drawn_state = NULL;

uint32		gid_drawn_shown = 0;

static Size
gid_drawn_head_size(void)
{
	return TYPEALIGN(PG_CACHE_LINE_SIZE,
					 add_size(offsetof(GidDrawnState, prepared),
							  mul_size(max_prepared_xacts, sizeof(GidDrawnPrepared))));
}

static Size
gid_drawn_size(void)
{
	return add_size(gid_drawn_head_size(), mul_size(MaxBackends, sizeof(GidDrawnSlotPadded)));
}

/* The slot of a process number. */
static GidDrawnSlot *
gid_drawn_slot(int number)
{
	char	   *slots = (char *) gid_drawn_state + gid_drawn_head_size();

	return &((GidDrawnSlotPadded *) slots)[number].slot;
}

static void
gid_drawn_init(void *part, int tranche)
{
	GidDrawnState *state = part;

	memset(state, 0, gid_drawn_size());
	LWLockInitialize(&state->lock, tranche);
	pg_atomic_init_u64(&state->since, 0);
	for (int i = 0; i < MaxBackends; i++)
	{
		GidDrawnSlotPadded *slots = (GidDrawnSlotPadded *) ((char *) part + gid_drawn_head_size());
		GidDrawnSlot *slot = &slots[i].slot;

		SpinLockInit(&slot->mutex);
		pg_atomic_init_u32(&slot->lxid, InvalidLocalTransactionId);
		pg_atomic_init_u32(&slot->backend, 0);
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

/* The xid that the server assigns next. */
static uint64
gid_drawn_next_xid(void)
{
	return U64FromFullTransactionId(ReadNextFullTransactionId());
}

/*
 * Has an entry's transaction ended in a snapshot?  With GID_DRAWN_BEFORE it
 * had ended before an xid was assigned.  A snapshot in which that xid, or a
 * later one, has ended was taken afterwards, however old the transactions are
 * that still run.
 */
static bool
gid_drawn_has_ended(const GidEnded *ended, uint64 xid)
{
	if (xid == GID_DRAWN_OPEN)
		return false;
	if (xid & GID_DRAWN_BEFORE)
	{
		uint64		next = xid & ~GID_DRAWN_BEFORE;

		return ended->xmin >= next || ended->xmax > next;
	}
	return gid_ended_has(ended, xid);
}

/* Is the open entry of a slot that of another transaction than the running one? */
static bool
gid_drawn_is_earlier(int number)
{
	GidDrawnSlot *slot = gid_drawn_slot(number);
	volatile PGPROC *proc = &ProcGlobal->allProcs[number];

	return pg_atomic_read_u64(&slot->xids[slot->current]) == GID_DRAWN_OPEN &&
		(pg_atomic_read_u32(&slot->lxid) != gid_proc_lxid(proc) ||
		 pg_atomic_read_u32(&slot->backend) != (uint32) gid_proc_backend(proc));
}

/*
 * Was an open entry left by an earlier transaction?  The leader of a parallel
 * query may have ended without having attached, and so without closing it.  A
 * backend that has attached closes its entries itself.
 */
static bool
gid_drawn_is_stale(int number)
{
	return pg_atomic_read_u32(&gid_slot_of(number)->pid) == 0 && gid_drawn_is_earlier(number);
}

/*
 * Is a transaction of the table running?  A xid that is 2^31 behind the next
 * one has ended, and the server would take its 32 bits for a later one.
 */
static bool
gid_drawn_is_running(uint64 xid)
{
	return gid_ended_is_recent(xid, gid_drawn_next_xid()) &&
		TransactionIdIsInProgress((TransactionId) xid);
}

/*
 * Put the bounds of a transaction that is prepared, or about to be, into the
 * table, unless it has them.  Returns false when the transaction has ended.
 * Raises 53200 when the table is full.
 */
static bool
gid_drawn_put_prepared(uint64 xid, Oid database, const uint64 *bounds)
{
	GidDrawnPrepared *place = NULL;
	bool		running;
	bool		found = false;

	LWLockAcquire(&gid_drawn_state->lock, LW_EXCLUSIVE);
	running = gid_drawn_is_running(xid);
	for (int i = 0; i < max_prepared_xacts; i++)
	{
		GidDrawnPrepared *prepared = &gid_drawn_state->prepared[i];

		if (prepared->xid == xid)
			found = true;
		else if (place == NULL && (prepared->xid == 0 || !gid_drawn_is_running(prepared->xid)))
			place = prepared;
	}
	if (running && !found && place != NULL)
	{
		place->lost = place->xid;
		place->xid = xid;
		place->database = database;
		memcpy(place->bounds, bounds, sizeof(place->bounds));
	}
	LWLockRelease(&gid_drawn_state->lock);
	if (running && !found && place == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("maximum number of prepared transactions reached"),
				 errhint("Increase \"max_prepared_transactions\" (currently %d).",
						 max_prepared_xacts)));
	return running;
}

/*
 * Close the open entry of a slot, if an earlier transaction has left it so.
 * If that transaction is prepared, its bounds move to the table.  Else it has
 * ended; its xid is not known, but it is less than the next one.  Raises 53200
 * when the table is full.
 */
static void
gid_drawn_close_stale(int number)
{
	GidDrawnSlot *slot = gid_drawn_slot(number);
	int			entry = slot->current;
	uint32		backend;
	VirtualTransactionId vxid;
	Oid			database;
	uint64		bounds[GID_DRAWN_WORDS];
	bool		stale;
	bool		more;
	TransactionId xid = InvalidTransactionId;
	uint64		open = GID_DRAWN_OPEN;
	uint64		closed = GID_DRAWN_FREE;

	SpinLockAcquire(&slot->mutex);
	stale = gid_drawn_is_earlier(number);
	backend = pg_atomic_read_u32(&slot->backend);
	vxid = (VirtualTransactionId)
	{
		(int) backend, pg_atomic_read_u32(&slot->lxid)
	};
	database = pg_atomic_read_u32(&slot->databases[entry]);
	for (int word = 0; word < GID_DRAWN_WORDS; word++)
		bounds[word] = pg_atomic_read_u64(&slot->bounds[entry][word]);
	SpinLockRelease(&slot->mutex);
	if (!stale)
		return;

	if (max_prepared_xacts > 0)
		xid = TwoPhaseGetXidByVirtualXID(vxid, &more);
	/* the xid after a transaction that has ended is read after its end */
	if (!TransactionIdIsValid(xid) ||
		!gid_drawn_put_prepared(gid_ended_widen(xid, gid_drawn_next_xid()), database, bounds))
		closed = gid_drawn_next_xid() | GID_DRAWN_BEFORE;

	/* others may have closed the entry meanwhile, and opened it again */
	SpinLockAcquire(&slot->mutex);
	if (pg_atomic_read_u32(&slot->lxid) == vxid.localTransactionId &&
		pg_atomic_read_u32(&slot->backend) == backend)
		(void) pg_atomic_compare_exchange_u64(&slot->xids[entry], &open, closed);
	SpinLockRelease(&slot->mutex);
}

/*
 * Show a bound of a word, a number below GID_DRAWN_WORDS, before the first
 * draw of the running transaction: every value that it will draw is "bound" or
 * more.  The backend has attached.  Waits for a spinlock at the most.
 */
void
gid_drawn_show(int word, uint64 bound)
{
	PGPROC	   *proc = MyProc->lockGroupLeader != NULL ? MyProc->lockGroupLeader : MyProc;
	int			number = proc - ProcGlobal->allProcs;
	GidDrawnSlot *slot = gid_drawn_slot(number);
	int			entry = slot->current;
	uint64		xid;

	if (gid_drawn_is_stale(number))
		gid_drawn_close_stale(number);

	SpinLockAcquire(&slot->mutex);
	xid = pg_atomic_read_u64(&slot->xids[entry]);
	if (xid != GID_DRAWN_OPEN)
	{
		if (xid != GID_DRAWN_FREE)
			pg_atomic_write_u64(&slot->lost, xid);
		pg_atomic_write_u32(&slot->lxid, gid_proc_lxid(proc));
		pg_atomic_write_u32(&slot->backend, (uint32) gid_proc_backend(proc));
		pg_write_barrier();
		pg_atomic_write_u64(&slot->xids[entry], GID_DRAWN_OPEN);
		pg_write_barrier();
		pg_atomic_write_u32(&slot->databases[entry], MyDatabaseId);
		for (int i = 0; i < GID_DRAWN_WORDS; i++)
			pg_atomic_write_u64(&slot->bounds[entry][i], GID_DRAWN_NOTHING);
	}
	if (bound < pg_atomic_read_u64(&slot->bounds[entry][word]))
		pg_atomic_write_u64(&slot->bounds[entry][word], bound);
	SpinLockRelease(&slot->mutex);
	gid_drawn_shown |= 1U << word;
}

/* The running transaction has ended: its entry gets its id. */
static void
gid_drawn_end(bool is_prepared)
{
	GidDrawnSlot *slot = gid_drawn_slot(gid_my_proc_number());
	int			entry = slot->current;
	uint64		open = GID_DRAWN_OPEN;
	uint64		xid = U64FromFullTransactionId(GetTopFullTransactionIdIfAny());

	if (is_prepared || xid == 0)
		(void) pg_atomic_compare_exchange_u64(&slot->xids[entry], &open, GID_DRAWN_FREE);
	else if (pg_atomic_compare_exchange_u64(&slot->xids[entry], &open, xid))
		slot->current = (entry + 1) % GID_DRAWN_KEPT;
}

/*
 * The running transaction is about to be prepared: put its bounds into the
 * table.  Raises 53200 when the table is full; then it cannot be prepared.
 */
static void
gid_drawn_prepare(void)
{
	GidDrawnSlot *slot = gid_drawn_slot(gid_my_proc_number());
	int			entry = slot->current;
	uint64		bounds[GID_DRAWN_WORDS];

	if (pg_atomic_read_u64(&slot->xids[entry]) != GID_DRAWN_OPEN || max_prepared_xacts == 0)
		return;
	for (int word = 0; word < GID_DRAWN_WORDS; word++)
		bounds[word] = pg_atomic_read_u64(&slot->bounds[entry][word]);
	(void) gid_drawn_put_prepared(U64FromFullTransactionId(GetTopFullTransactionId()),
								  MyDatabaseId, bounds);
}

/* Transaction callback. */
static void
gid_drawn_at_event(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_PRE_PREPARE:
			gid_drawn_prepare();
			break;
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PREPARE:
			gid_drawn_end(event == XACT_EVENT_PREPARE);
			gid_drawn_shown = 0;
			break;
		case XACT_EVENT_PARALLEL_COMMIT:
		case XACT_EVENT_PARALLEL_ABORT:
			gid_drawn_shown = 0;
			break;
		default:
			break;
	}
}

/*
 * This backend attaches.  From now on it closes its entries itself, so it
 * closes the one that was left open: by an earlier transaction of its own, or
 * of a backend that had its number.  One that its running transaction's
 * workers have opened stays.
 */
static void
gid_drawn_attach(void)
{
	static bool registered = false;

	if (!registered)
		RegisterXactCallback(gid_drawn_at_event, NULL);
	registered = true;
	gid_drawn_close_stale(gid_my_proc_number());
}

const GidPart gid_drawn_part = {
	.lock_name = "GidDrawn",
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
	GidDrawnSlot *slot = gid_drawn_slot(number);

	for (int entry = 0; entry < GID_DRAWN_KEPT; entry++)
	{
		uint64		xid = pg_atomic_read_u64(&slot->xids[entry]);

		if (xid == GID_DRAWN_OPEN && gid_drawn_is_stale(number))
		{
			gid_drawn_close_stale(number);
			xid = pg_atomic_read_u64(&slot->xids[entry]);
		}
		if (xid == GID_DRAWN_FREE || gid_drawn_has_ended(ended, xid))
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
	return gid_drawn_has_ended(ended, pg_atomic_read_u64(&slot->lost));
}

/* The same for the prepared transactions. */
static bool
gid_drawn_lower_prepared(const GidEnded *ended, int word, uint64 *horizon)
{
	bool		known = true;

	LWLockAcquire(&gid_drawn_state->lock, LW_SHARED);
	for (int i = 0; i < max_prepared_xacts; i++)
	{
		const GidDrawnPrepared *prepared = &gid_drawn_state->prepared[i];

		if (!gid_ended_has(ended, prepared->xid) && prepared->database == MyDatabaseId)
			*horizon = Min(*horizon, prepared->bounds[word]);
		if (!gid_ended_has(ended, prepared->lost))
			known = false;
	}
	LWLockRelease(&gid_drawn_state->lock);
	return known;
}

/*
 * Is a transaction certainly none of this database that the server recovered
 * when it started, or was promoted?  It had not ended in a snapshot.  If it
 * has ended since, and its process serves another transaction, nobody knows.
 */
static bool
gid_drawn_is_not_recovered(uint64 xid)
{
	for (int i = 0; i < max_prepared_xacts; i++)
	{
		volatile PGPROC *proc = &PreparedXactProcs[i];

		if (proc->xid == (TransactionId) xid)
			return !gid_proc_is_recovered(proc) || proc->databaseId != MyDatabaseId;
	}
	return TransactionIdIsInProgress((TransactionId) xid);
}

/*
 * Have the transactions of this database that the server has recovered ended
 * in a snapshot?  Their bounds are not known.
 */
static bool
gid_drawn_have_recovered_ended(const GidEnded *ended)
{
	uint64		since = pg_atomic_read_u64(&gid_drawn_state->since);
	uint64		next = gid_drawn_next_xid();

	if (since == 0 && pg_atomic_compare_exchange_u64(&gid_drawn_state->since, &since, next))
		since = next;
	for (int i = 0; i < ended->nrunning && ended->running[i] < since; i++)
	{
		if (!gid_drawn_is_not_recovered(ended->running[i]))
			return false;
	}
	return true;
}

/*
 * Lower *horizon, a value of a word, to the bounds of the transactions of this
 * database that have not ended in a snapshot.  The caller has read the value
 * from the word, and then made a barrier.  Returns false when nothing can be
 * said.  The backend has attached.  Takes the lock GidDrawn for a moment.
 */
bool
gid_drawn_lower(const GidEnded *ended, int word, uint64 *horizon)
{
	bool		known = gid_drawn_have_recovered_ended(ended);

	for (int i = 0; i < MaxBackends; i++)
		known &= gid_drawn_lower_slot(ended, i, word, horizon);
	known &= gid_drawn_lower_prepared(ended, word, horizon);
	return known;
}

/* ---- the view ---- */

/* How many numbers gid_drawn_holder() takes. */
int
gid_drawn_number(void)
{
	return MaxBackends + 2 * max_prepared_xacts;
}

/* The bounds of an open entry of a slot. */
static bool
gid_drawn_slot_holder(int number, GidDrawnHolder *holder)
{
	GidDrawnSlot *slot = gid_drawn_slot(number);
	int			entry = slot->current;

	if (gid_drawn_is_stale(number))
		gid_drawn_close_stale(number);
	if (pg_atomic_read_u64(&slot->xids[entry]) != GID_DRAWN_OPEN ||
		pg_atomic_read_u32(&slot->databases[entry]) != MyDatabaseId)
		return false;
	holder->pid = ProcGlobal->allProcs[number].pid;
	for (int word = 0; word < GID_DRAWN_WORDS; word++)
		holder->bounds[word] = pg_atomic_read_u64(&slot->bounds[entry][word]);
	return holder->pid != 0;
}

/* The bounds of an entry of the table of prepared transactions. */
static bool
gid_drawn_prepared_holder(int number, GidDrawnHolder *holder)
{
	GidDrawnPrepared prepared;

	LWLockAcquire(&gid_drawn_state->lock, LW_SHARED);
	prepared = gid_drawn_state->prepared[number];
	LWLockRelease(&gid_drawn_state->lock);
	if (prepared.xid == 0 || prepared.database != MyDatabaseId ||
		!gid_drawn_is_running(prepared.xid))
		return false;
	holder->xid = (TransactionId) prepared.xid;
	memcpy(holder->bounds, prepared.bounds, sizeof(holder->bounds));
	return true;
}

/* A transaction of this database that the server has recovered. */
static bool
gid_drawn_recovered_holder(int number, GidDrawnHolder *holder)
{
	volatile PGPROC *proc = &PreparedXactProcs[number];

	holder->xid = proc->xid;
	return TransactionIdIsValid(holder->xid) && gid_proc_is_recovered(proc) &&
		proc->databaseId == MyDatabaseId && TransactionIdIsInProgress(holder->xid);
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
	if (number < MaxBackends)
		return gid_drawn_slot_holder(number, holder);
	number -= MaxBackends;
	if (number < max_prepared_xacts)
		return gid_drawn_prepared_holder(number, holder);
	return gid_drawn_recovered_holder(number - max_prepared_xacts, holder);
}
