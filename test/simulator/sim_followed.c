/*-------------------------------------------------------------------------
 *
 * sim_followed.c
 *		Random interleavings of drawers and readers of a followed sequence.
 *
 *		sim_followed [RUNS [SEED]]
 *
 * The real horizon/followed.c and horizon/ended.c, compiled with little room,
 * merge the samples and find the horizons.  What is around them is played
 * here, one access to shared memory at a step: transactions that lock, draw,
 * insert, end or are prepared, as in the server; the steps of gid_horizon(),
 * sequence/position.c; the row of the sequence, horizon/followed_table.c; a session's
 * last horizon, horizon/session_horizon.c.
 *
 * A horizon is wrong if a row whose value is before it, and which the snapshot
 * does not show, was inserted by a transaction that has not been rolled back,
 * or is inserted later.
 *
 * First RUNS runs have to find nothing.  Then each rule of the callers is left
 * out, and some run has to find a wrong horizon.  Without the rules of
 * followed.c itself that is for test/planted.
 *
 * Left out: blocks (model/sequence), the gate, descending sequences, whose
 * positions are ranks as well.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "horizon/followed.h"
#include "../unit/tap.h"

#define BACKENDS		4
#define PREPARED		2
#define PROCS			(BACKENDS + PREPARED)
#define XIDS			48		/* of a run; a bit for each */
#define FIRST_XID		1000
#define STEPS			600		/* of a run */
#define ROWS			256
#define DRAWN			4		/* values that a transaction keeps for rows */
#define FAULT_RUNS		200000	/* in which a fault is found */
#define RECOVERED		0xffffffff	/* in the place of a backend's number */

#define ONE_IN(n)		(tap_random() % (n) == 0)

/* What can be left out of the callers' protocol. */
#define FAULTS(_) \
	_(NOTHING, "nothing") \
	_(VERSION, "no sample is dropped, whatever has changed since it was begun") \
	_(POSITION_FIRST, "the position is read after the lockers") \
	_(CONTENTS_LAST, "the contents of the snapshot are read before the lockers") \
	_(OWN, "the own transaction is no locker") \
	_(LOCAL_ID, "a transaction id is read without a check of the local id") \
	_(RECOVERED_HOLD, "lockers that were recovered are left out") \
	_(LOCK_LAST, "a lock is released before its transaction has left the process array") \
	_(PREPARED_LOCK, "a prepared transaction loses its lock") \
	_(PREPARE_ORDER, "PREPARE clears the process before it carries the lock on") \
	_(SET_CLEARS, "a setval() is not told") \
	_(SET_AFTER, "a setval() is told before it has moved the page") \
	_(SET_COUNTED, "a setval() of a sequence with a row is not told to samples without one") \
	_(SET_WITHOUT_ROW, "a setval() of a sequence without a row is not told") \
	_(NEW_VERSIONS, "a new row begins with the version of the one before") \
	_(LIFE, "a session's last horizon outlives a setval()")

#define FAULT_ID(id, what)	WITHOUT_##id,
#define FAULT_TEXT(id, what)	what,

typedef enum SimFault
{
	FAULTS(FAULT_ID)
	NFAULTS
} SimFault;

static const char *const fault_texts[] = {FAULTS(FAULT_TEXT)};

/* A process as others see it, or the dummy process of a prepared transaction. */
typedef struct SimProc
{
	uint64		vxid;			/* 0: no transaction */
	int			xid;			/* number, from 1 on; 0: none */
	int			locks;			/* on the sequence */
	bool		in_main;		/* not by the fast path */
	bool		is_valid;		/* a prepared transaction can be looked up */
} SimProc;

/* The steps of gid_horizon(), in the order of the code. */
typedef enum SimCallStep
{
	CALL_VERSION,
	CALL_POSITION,
	CALL_UNLOCK,
	CALL_LOCKERS,
	CALL_XIDS,
	CALL_CONTENTS,
	CALL_FINISH,
	CALL_STEPS
} SimCallStep;

typedef struct SimCall
{
	int			at;				/* which step is next */
	int			place;			/* process or locker of that step */
	bool		has_read_xid;	/* of the locker */
	int			read_xid;
	uint64		snapshot;		/* bits of what has ended in it */
	int			era;			/* in which the call began */
	uint64		version;
	GidSample	sample;
	GidLocker	lockers[PROCS + 1];
} SimCall;

typedef enum SimState
{
	IDLE, OPEN, DRAWING, CALLING, SETTING, PREPARING, LEAVING
} SimState;

/* A backend; the members of a transaction are cleared at its begin. */
typedef struct SimBackend
{
	SimState	state;
	uint32		lxid;
	int			dummy;			/* where it is prepared */
	int			step;			/* of SETTING, PREPARING */
	int64		set_to;
	bool		has_drawn;
	int			ndrawn;
	int64		drawn[DRAWN];	/* values that have no row */
	bool		has_first;
	uint64		first;			/* snapshot of REPEATABLE READ, or a cursor */
	bool		is_repeatable;
	SimCall		call;
	bool		has_last;		/* the session's last horizon */
	uint64		last_snapshot;
	int64		last_horizon;
	uint64		last_life;
} SimBackend;

typedef struct SimRow
{
	int64		value;
	int			xid;
} SimRow;

static SimFault without;
static SimProc procs[PROCS];
static SimBackend backends[BACKENDS];
static int	nxids;				/* given so far */
static uint64 ended;			/* a bit for each */
static uint64 aborted;
static SimRow rows[ROWS];
static int	nrows;
static int64 page;				/* the next value */
static int64 now_us;

/* What horizon/followed_table.c keeps. */
static union
{
	GidFollowed followed;
	char		room[sizeof(GidFollowed) + (PROCS + 1) * sizeof(GidLocker)];
}			table;
static bool has_row;
static uint64 versions;
static uint64 sets;

/* What is judged. */
static int	era;				/* grows with each setval() */
static bool is_setting;			/* it has moved the page and not returned */
static bool is_unasked;			/* nobody has noticed one without the library */
static bool is_uncovered;		/* and it was passed by */
static int64 told;				/* greatest horizon of this era */
static bool is_wrong;
static long nhorizons;
static long nknown;

/* ---- snapshots ---- */

#define BIT(xid)	(UINT64CONST(1) << (xid))

/* The contents of a snapshot, as the server takes it. */
static void
contents_of(uint64 bits, uint64 *running, GidEnded *contents)
{
	int			xmax = 1;

	contents->running = running;
	contents->taken.nrunning = 0;
	for (int xid = 1; xid <= nxids; xid++)
	{
		if (bits & BIT(xid))
			xmax = xid + 1;
	}
	contents->xmin = contents->taken.xmax = FIRST_XID + xmax;
	for (int xid = xmax - 1; xid >= 1; xid--)
	{
		if (!(bits & BIT(xid)))
			contents->xmin = FIRST_XID + xid;
	}
	for (int xid = 1; xid < xmax; xid++)
	{
		if (!(bits & BIT(xid)))
			running[contents->taken.nrunning++] = FIRST_XID + xid;
	}
}

/* ---- judgement ---- */

/* A snapshot was given a horizon by a call that began in an era. */
static void
judge_horizon(const SimCall *call, int64 horizon)
{
	nknown++;
	if (call->era != era || is_setting || is_unasked)
		return;
	told = Max(told, horizon);
	for (int i = 0; i < nrows; i++)
		is_wrong |= rows[i].value < horizon && !((call->snapshot | aborted) & BIT(rows[i].xid));
}

static void
insert_row(int64 value, int xid)
{
	if (nrows == ROWS)
		return;
	rows[nrows].value = value;
	rows[nrows++].xid = xid;
	is_wrong |= value < told;
}

/* From here on values are drawn again, so horizons from before say nothing. */
static void
begin_era(void)
{
	era++;
	told = PG_INT64_MIN;
}

/* ---- the row of the sequence ---- */

#define NO_ROW	(UINT64CONST(1) << 63)

static uint64
row_version(void)
{
	return has_row ? table.followed.version : NO_ROW | sets;
}

static void
row_give(void)
{
	has_row = true;
	if (without == WITHOUT_NEW_VERSIONS)
		gid_followed_clear(&table.followed, table.followed.version);
	else
		gid_followed_clear(&table.followed, ++versions);
}

static void
row_was_set(int64 position)
{
	if (without == WITHOUT_SET_CLEARS)
		return;
	/* also with a row, because another sequence may take that meanwhile */
	if (has_row ? without != WITHOUT_SET_COUNTED : without != WITHOUT_SET_WITHOUT_ROW)
		sets++;
	if (has_row)
		gid_followed_move(&table.followed, position, ++versions);
}

/*
 * A sample shows whether somebody has set the sequence back.  If the values
 * have come further than before meanwhile, nothing can show it.
 */
static void
notice_set(int64 position)
{
	if (!is_unasked)
		return;
	if (table.followed.nsamples > 0 && position >= table.followed.samples[0].position)
		is_uncovered = true;
	is_unasked = false;
	begin_era();
}

/* ---- a call ---- */

static SimCallStep
call_step(int at)
{
	static const SimCallStep position_late[] = {
		CALL_VERSION, CALL_UNLOCK, CALL_LOCKERS, CALL_POSITION, CALL_XIDS, CALL_CONTENTS, CALL_FINISH
	};
	static const SimCallStep contents_early[] = {
		CALL_VERSION, CALL_POSITION, CALL_UNLOCK, CALL_CONTENTS, CALL_LOCKERS, CALL_XIDS, CALL_FINISH
	};

	return without == WITHOUT_POSITION_FIRST ? position_late[at] :
		without == WITHOUT_CONTENTS_LAST ? contents_early[at] : (SimCallStep) at;
}

static void
call_begin(SimBackend *backend, SimProc *proc)
{
	SimCall    *call = &backend->call;
	bool		is_old = backend->has_first && (backend->is_repeatable || ONE_IN(6));

	proc->locks++;
	backend->state = CALLING;
	memset(call, 0, sizeof(*call));
	call->era = era;
	call->snapshot = is_old ? backend->first : ended;
	if (!backend->has_first)
		backend->first = call->snapshot;
	backend->has_first = true;
}

static void
call_add_locker(SimCall *call, uint64 vxid)
{
	int			place = call->sample.nlockers;

	for (int i = 0; i < call->sample.nlockers; i++)
	{
		if (call->lockers[i].vxid == vxid)
			return;
	}
	for (; place > 0 && call->lockers[place - 1].vxid > vxid; place--)
		call->lockers[place] = call->lockers[place - 1];
	memset(&call->lockers[place], 0, sizeof(GidLocker));
	call->lockers[place].vxid = vxid;
	call->sample.nlockers++;
}

/*
 * As GetLockConflicts() does: what each process has locked by the fast path,
 * one after the other, and then the lock itself.
 */
static bool
call_read_lockers(SimCall *call, const SimProc *mine)
{
	const SimProc *proc = &procs[call->place];

	if (call->place < BACKENDS)
	{
		if (proc->locks > 0 && !proc->in_main && proc->vxid != 0 && proc != mine)
			call_add_locker(call, proc->vxid);
		return ++call->place > PROCS;
	}
	for (int i = 0; i < PROCS; i++)
	{
		proc = &procs[i];
		if (proc->locks > 0 && proc->in_main && proc->vxid != 0 && proc != mine &&
			!(without == WITHOUT_RECOVERED_HOLD && proc->vxid >> 32 == RECOVERED))
			call_add_locker(call, proc->vxid);
	}
	if (mine->locks > 0 && without != WITHOUT_OWN)
		call_add_locker(call, mine->vxid);
	call->place = 0;
	return true;
}

/* As gid_locker_xid() does: the id, then the local id of the same process. */
static int
call_locker_xid(SimCall *call, uint64 vxid)
{
	const SimProc *proc = &procs[vxid >> 32];

	if (proc->vxid == vxid || without == WITHOUT_LOCAL_ID)
		return call->read_xid;
	for (int i = BACKENDS; i < PROCS; i++)
	{
		if (procs[i].is_valid && procs[i].vxid == vxid)
			return procs[i].xid;
	}
	return 0;
}

static bool
call_read_xids(SimCall *call)
{
	GidLocker  *locker = &call->lockers[call->place];
	int			xid;

	if (call->place == call->sample.nlockers)
		return true;
	if (locker->vxid >> 32 == RECOVERED)
		xid = (int) (uint32) locker->vxid;
	else if (!call->has_read_xid)
	{
		call->read_xid = procs[locker->vxid >> 32].xid;
		call->has_read_xid = true;
		return false;
	}
	else
		xid = call_locker_xid(call, locker->vxid);
	call->has_read_xid = false;
	call->place++;
	locker->xid = xid != 0 ? FIRST_XID + xid : 0;
	return false;
}

/* As gid_session_horizon_finish() does. */
static void
call_horizon(SimBackend *backend, bool is_known, int64 horizon)
{
	SimCall    *call = &backend->call;

	if (backend->last_life != table.followed.life && without != WITHOUT_LIFE)
		backend->has_last = false;
	if (!is_known && backend->has_last && (backend->last_snapshot & ~call->snapshot) == 0)
	{
		is_known = true;
		horizon = backend->last_horizon;
	}
	if (!is_known)
		return;
	backend->has_last = true;
	backend->last_snapshot = call->snapshot;
	backend->last_horizon = horizon;
	backend->last_life = table.followed.life;
	judge_horizon(call, horizon);
}

/* As gid_followed_table_merge() does. */
static void
call_finish(SimBackend *backend)
{
	SimCall    *call = &backend->call;
	bool		is_merged = row_version() == call->version || without == WITHOUT_VERSION;
	uint64		running[XIDS];
	GidEnded	contents;
	int64		horizon = 0;
	bool		is_known;

	if (!has_row)
		row_give();
	now_us += ONE_IN(10) ? 2 * GID_FOLLOWED_AGE_US : (int64) (tap_random() % 1000000);
	if (is_merged)
	{
		notice_set(call->sample.position);
		call->sample.lockers = call->lockers;
		gid_followed_merge(&table.followed, &call->sample, ++versions, now_us);
	}
	contents_of(call->snapshot, running, &contents);
	is_known = gid_followed_find(&table.followed, &contents, &horizon);
	nhorizons++;
	call_horizon(backend, is_known, horizon);
	backend->state = OPEN;
}

static void
call_continue(SimBackend *backend, SimProc *proc)
{
	SimCall    *call = &backend->call;
	uint64		running[XIDS];
	GidEnded	contents;
	bool		is_done = true;

	switch (call_step(call->at))
	{
		case CALL_VERSION:
			call->version = row_version();
			break;
		case CALL_POSITION:
			call->sample.position = page;
			break;
		case CALL_UNLOCK:
			proc->locks--;
			break;
		case CALL_LOCKERS:
			is_done = call_read_lockers(call, proc);
			break;
		case CALL_XIDS:
			is_done = call_read_xids(call);
			break;
		case CALL_CONTENTS:
			contents_of(ended, running, &contents);
			call->sample.taken = contents.taken;
			break;
		default:
			call_finish(backend);
	}
	call->at += is_done;
}

/* ---- a transaction ---- */

static void
transaction_begin(SimBackend *backend, SimProc *proc, int number)
{
	backend->state = OPEN;
	backend->has_drawn = false;
	backend->ndrawn = 0;
	backend->has_first = false;
	backend->is_repeatable = ONE_IN(2);
	proc->vxid = (uint64) number << 32 | ++backend->lxid;
	proc->in_main = ONE_IN(3);
}

/* Give a transaction an id.  The last ids stay for those that are open. */
static bool
transaction_get_xid(SimProc *proc, int kept)
{
	if (proc->xid == 0 && nxids + kept < XIDS)
		proc->xid = ++nxids;
	return proc->xid != 0;
}

static void
transaction_draw(SimBackend *backend)
{
	int64		value = page++;

	if (backend->ndrawn < DRAWN)
		backend->drawn[backend->ndrawn++] = value;
	backend->state = OPEN;
}

/* The steps after which a prepared transaction has taken its backend's place. */
static void
transaction_prepare(SimBackend *backend, SimProc *proc)
{
	SimProc    *dummy = &procs[backend->dummy];
	int			step = backend->step++;

	if (without == WITHOUT_PREPARE_ORDER && step > 0)
		step = 3 - step;
	if (step == 0)
	{
		dummy->vxid = proc->vxid;
		dummy->xid = proc->xid;
		dummy->in_main = dummy->is_valid = true;
	}
	else if (step == 1)
	{
		dummy->locks = without == WITHOUT_PREPARED_LOCK ? 0 : proc->locks;
		proc->locks = 0;
	}
	else
		proc->vxid = proc->xid = 0;
	if (backend->step == 3)
		backend->state = IDLE;
}

static void
transaction_set(SimBackend *backend)
{
	int			step = backend->step++;

	if (without == WITHOUT_SET_AFTER)
		step = 1 - step;
	if (step == 0)
		page = backend->set_to;
	else
		row_was_set(backend->set_to);
	if (backend->step == 2)
	{
		is_setting = false;
		begin_era();
		backend->state = OPEN;
	}
}

/* Has a call begun? */
static bool
somebody_calls(void)
{
	for (int i = 0; i < BACKENDS; i++)
	{
		if (backends[i].state == CALLING)
			return true;
	}
	return false;
}

/*
 * Set the sequence, the lock being held.  A session without the library tells
 * nobody; a call that has the position from before would hide that.
 */
static void
transaction_begin_set(SimBackend *backend)
{
	if (is_setting || is_unasked)
		return;
	backend->set_to = page - 4 + (int64) (tap_random() % 6);
	if (ONE_IN(3) && !somebody_calls())
	{
		is_unasked = true;
		begin_era();
		page = backend->set_to;
		return;
	}
	is_setting = true;
	begin_era();
	backend->step = 0;
	backend->state = SETTING;
}

/* Leave the process array, and then release the locks. */
static void
transaction_end(SimProc *proc)
{
	if (proc->xid != 0)
	{
		ended |= BIT(proc->xid);
		if (ONE_IN(4))
			aborted |= BIT(proc->xid);
	}
	proc->xid = 0;
	proc->vxid = 0;
}

static void
transaction_leave(SimBackend *backend, SimProc *proc)
{
	if (without == WITHOUT_LOCK_LAST && proc->locks > 0)
		proc->locks = 0;
	else if (proc->vxid != 0)
		transaction_end(proc);
	else
		proc->locks = 0;
	if (proc->vxid == 0 && proc->locks == 0)
		backend->state = IDLE;
}

/* Is there room for a prepared transaction? */
static int
free_dummy(void)
{
	for (int i = BACKENDS; i < PROCS; i++)
	{
		if (procs[i].vxid != 0)
			continue;
		for (int k = 0; k < BACKENDS; k++)
		{
			if (backends[k].state == PREPARING && backends[k].dummy == i)
				return 0;
		}
		return i;
	}
	return 0;
}

/* A transaction goes on with anything that it may do. */
static void
transaction_continue(SimBackend *backend, SimProc *proc)
{
	switch (tap_random() % 12)
	{
		case 0:
		case 1:
			/* the lock first, once in a transaction */
			proc->locks += !backend->has_drawn;
			backend->has_drawn = true;
			backend->state = DRAWING;
			break;
		case 2:
		case 3:
			if (backend->ndrawn > 0 && transaction_get_xid(proc, 0))
				insert_row(backend->drawn[--backend->ndrawn], proc->xid);
			break;
		case 4:
		case 5:
		case 6:
			call_begin(backend, proc);
			break;
		case 7:
			if (backend->has_drawn && ONE_IN(6))
				transaction_begin_set(backend);
			else if (ONE_IN(2))
				(void) transaction_get_xid(proc, 10);
			break;
		case 8:
			backend->dummy = free_dummy();
			if (backend->dummy == 0 || !ONE_IN(4) || !transaction_get_xid(proc, 5))
				break;
			proc->in_main = true;
			backend->step = 0;
			backend->state = PREPARING;
			break;
		default:
			backend->state = LEAVING;
	}
}

/* ---- a run ---- */

static void
step_backend(int number)
{
	SimBackend *backend = &backends[number];
	SimProc    *proc = &procs[number];

	switch (backend->state)
	{
		case IDLE:
			transaction_begin(backend, proc, number);
			break;
		case OPEN:
			transaction_continue(backend, proc);
			break;
		case DRAWING:
			transaction_draw(backend);
			break;
		case CALLING:
			call_continue(backend, proc);
			break;
		case SETTING:
			transaction_set(backend);
			break;
		case PREPARING:
			transaction_prepare(backend, proc);
			break;
		case LEAVING:
			transaction_leave(backend, proc);
	}
}

/* COMMIT PREPARED, or ROLLBACK PREPARED: as an end, but for the look-up. */
static void
step_dummy(SimProc *dummy)
{
	if (dummy->xid != 0)
	{
		uint64		vxid = dummy->vxid;

		transaction_end(dummy);
		dummy->vxid = vxid;
	}
	else if (dummy->is_valid)
		dummy->is_valid = false;
	else
		memset(dummy, 0, sizeof(*dummy));
}

/* Can a prepared transaction be ended: has PREPARE returned? */
static bool
dummy_is_done(int number)
{
	for (int i = 0; i < BACKENDS; i++)
	{
		if (backends[i].state == PREPARING && backends[i].dummy == number)
			return false;
	}
	return procs[number].vxid != 0;
}

static void
run_begin(void)
{
	memset(procs, 0, sizeof(procs));
	memset(backends, 0, sizeof(backends));
	memset(&table, 0, sizeof(table));
	nxids = nrows = era = 0;
	ended = aborted = versions = sets = 0;
	has_row = is_setting = is_unasked = is_uncovered = is_wrong = false;
	told = PG_INT64_MIN;
	page = 100;
	now_us = GID_FOLLOWED_AGE_US;
	if (ONE_IN(8))
	{
		SimProc    *dummy = &procs[BACKENDS];

		/* the server has recovered a prepared transaction */
		dummy->xid = ++nxids;
		dummy->vxid = (uint64) RECOVERED << 32 | dummy->xid;
		dummy->locks = 1;
		dummy->in_main = dummy->is_valid = true;
		insert_row(page - 1 - (int64) (tap_random() % 3), dummy->xid);
	}
}

/* Afterwards nobody has a transaction. */
static void
run_end(void)
{
	for (int i = 0; i < BACKENDS; i++)
	{
		while (backends[i].state != IDLE)
		{
			if (backends[i].state == OPEN)
				backends[i].state = LEAVING;
			step_backend(i);
		}
	}
	for (int i = BACKENDS; i < PROCS; i++)
	{
		while (procs[i].vxid != 0)
			step_dummy(&procs[i]);
	}
}

/* The horizon of a session that asks for the first time. */
static int64
run_ask(void)
{
	SimBackend *backend = &backends[0];

	memset(backend, 0, sizeof(*backend));
	transaction_begin(backend, &procs[0], 0);
	call_begin(backend, &procs[0]);
	while (backend->state == CALLING)
		call_continue(backend, &procs[0]);
	return backend->has_last ? backend->last_horizon : PG_INT64_MIN;
}

/* Returns false if a horizon was wrong, or stays behind when all have ended. */
static bool
run(void)
{
	run_begin();
	for (int i = 0; i < STEPS && !is_uncovered; i++)
	{
		int			number = (int) (tap_random() % (PROCS + 1));

		if (number < BACKENDS)
			step_backend(number);
		else if (number < PROCS && dummy_is_done(number) && ONE_IN(6))
			step_dummy(&procs[number]);
		else if (number == PROCS && ONE_IN(40))
			has_row = false;	/* another sequence takes it */
	}
	if (is_uncovered)
		return true;
	run_end();
	return !is_wrong && (is_uncovered || run_ask() == page);
}

/* ---- the program ---- */

static int64 seed = 1;

/* Run number N of a seed is the same whatever was run before it. */
static bool
run_number(long number)
{
	tap_seed = (uint64) seed * 1000003 + (uint64) number;
	tap_seed = tap_random();
	return run();
}

static void
test_sound(long runs)
{
	char		name[128];

	nhorizons = nknown = 0;
	snprintf(name, sizeof(name), "room for %d samples, %d gone: %ld runs find no wrong horizon",
			 GID_FOLLOWED_SAMPLES, GID_FOLLOWED_GONE, runs);
	tap_begin(name);
	for (long i = 0; i < runs; i++)
		tap_check(run_number(i), "run %ld: %s", i, is_wrong ? "a wrong horizon" : "it stays behind");
	tap_check(nknown > nhorizons / 4, "known: %ld of %ld horizons", nknown, nhorizons);
	tap_end();
}

static void
test_fault(SimFault fault)
{
	long		runs = 0;

	without = fault;
	tap_begin(fault_texts[fault]);
	while (runs < FAULT_RUNS && (run_number(runs), !is_wrong))
		runs++;
	tap_check(runs < FAULT_RUNS, "no wrong horizon in %ld runs", runs);
	tap_end();
	without = WITHOUT_NOTHING;
}

int
main(int argc, char **argv)
{
	long		runs = argc > 1 ? atol(argv[1]) : 20000;

	seed = argc > 2 ? atol(argv[2]) : 1;
	test_sound(runs);
	for (int fault = WITHOUT_NOTHING + 1; fault < NFAULTS; fault++)
	{
		test_fault(fault);
	}
	return tap_done();
}
