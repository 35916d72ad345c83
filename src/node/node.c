/*-------------------------------------------------------------------------
 *
 * node/node.c
 *		The node number of this server: set, or leased for a time.
 *
 * The number is the setting gid.node_no.  If gid.node_authority names a
 * server, the number is leased from there instead.  A lease is a number and
 * an interval of the time that stands in the ids.  The authority never gives
 * out two intervals of one number that overlap (id/authority_node.c).
 *
 * An id has the number of the lease that holds the id's second.  The number is
 * looked up after that time has been drawn.  So no id lies outside a lease,
 * even if its process was stopped for longer than a lease, or the clock set.
 *
 * State: in shared memory the holder, the last two leases, and what the
 * authority answered last; in this process the seconds whose number is known.
 * Two leases do not overlap, and a published lease is never shortened.  So
 * what a backend knows of a lease stays true, all backends use one number for
 * the ids of one second, and the ids keep their order.
 *
 * Crash, restart: leases and holder are lost, and the lease ends by itself on
 * the authority.  Clock step: leases are in the time of the ids, and the
 * server's time does not go back.  Standby: it has leases of its own.  Reload:
 * the leases of an earlier authority are used to their end.  A virtual machine
 * that is resumed twice with its memory repeats ids until its lease ends.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "miscadmin.h"
#include "storage/latch.h"
#include "storage/lock.h"
#include "storage/lwlock.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "attach/backend_slot.h"
#include "base/args.h"
#include "base/compat.h"
#include "base/random.h"
#include "base/settings.h"
#include "clock/clock.h"
#include "clock/server_time.h"
#include "clock/word.h"
#include "peer/ask.h"
#include "peer/errand.h"
#include "peer/libpq.h"
#include "node/node.h"

extern PGDLLEXPORT void gid_node_errand(Datum argument);

/*
 * After a question that gave no lease, or was broken off, the next one comes
 * this much later.  The question may have cost a number, and a server that
 * asks again at once would use up the numbers of all servers.
 */
#define GID_NODE_AGAIN_US		GID_US_PER_S

/* What is known of leases. */
typedef struct GidNodeLeases
{
	GidNodeLease last[2];		/* the last two, the later one second */
	int64		extend_s;		/* from this second on the later lease is to
								 * be extended */
	GidNodeLease answered;		/* the authority's last answer, confirmed or
								 * not; until_s 0: none */
	int64		failed_us;		/* monotonic time of the last question's end,
								 * if it gave no lease; else 0 */
	int64		errand_us;		/* monotonic time before which no errand
								 * starts; 0: none is at work */
} GidNodeLeases;

typedef struct GidNodeState
{
	LWLock		lock;			/* protects the leases */
	pg_uuid_t	holder;			/* this life of the server; constant */
	GidNodeLeases leases;		/* lock */
} GidNodeState;

static GidNodeState *gid_node_state = NULL;

GidNodeLease gid_node_known = {0, 0, 0};

/* Set up the part.  Raises XX000 when the source of random bytes fails. */
static void
gid_node_init(void *part, int tranche)
{
	GidNodeState *state = part;

	LWLockInitialize(&state->lock, tranche);

	/*
	 * The holder exists only here.  So each start, each copy of the files and
	 * each standby gets leases of its own.
	 */
	gid_random_fill(&state->holder, sizeof(state->holder));
	/* a UUID version 4 */
	state->holder.data[6] = (state->holder.data[6] & 0x0f) | 0x40;
	state->holder.data[8] = (state->holder.data[8] & 0x3f) | 0x80;
}

const GidPart gid_node_part = {
	.lock_name = "GidNode",
	.size = sizeof(GidNodeState),
	.init = gid_node_init,
	.where = (void **) &gid_node_state,
};

/* A setting has changed: look the number up again. */
void
gid_node_forget(void)
{
	gid_node_known.until_s = gid_node_known.since_s;
}

static bool
gid_node_is_in(const GidNodeLease *lease, int64 second)
{
	return second >= lease->since_s && second < lease->until_s;
}

static GidNodeLeases
gid_node_read(void)
{
	GidNodeLeases leases;

	LWLockAcquire(&gid_node_state->lock, LW_SHARED);
	leases = gid_node_state->leases;
	LWLockRelease(&gid_node_state->lock);
	return leases;
}

/* May the authority be asked: is no question that failed too recent? */
static bool
gid_node_may_ask(const GidNodeLeases *leases)
{
	return leases->failed_us == 0 ||
		gid_time_monotonic_us() - leases->failed_us >= GID_NODE_AGAIN_US;
}

/* The server's time, in whole seconds since the Unix epoch. */
static int64
gid_node_now_s(void)
{
	return gid_floor_div(gid_time_read().us, GID_US_PER_S);
}

/*
 * The first second for which this server has made no id with a node number,
 * and makes none before the server's time comes to it.
 */
static int64
gid_node_fresh_s(int64 now_s)
{
	static const GidWordId words[] = {GID_WORD_TRACE, GID_WORD_SNOWFLAKE};
	int64		last_s = now_s;

	for (int i = 0; i < (int) lengthof(words); i++)
	{
		uint64		last = pg_atomic_read_u64(&gid_clock->words[words[i]].word.last);

		last_s = Max(last_s, gid_word_us(words[i], last) / GID_US_PER_S);
	}
	return last_s + 1;
}

/* ---- asking the authority ---- */

/* What the authority is asked for. */
typedef struct GidNodeRequest
{
	GidNodeLease wanted;		/* the seconds */
	GidNodeLease held;			/* the last answer; until_s 0: none */
} GidNodeRequest;

/*
 * Is an answer a lease of the seconds that were asked for, or an extension of
 * the lease that is held?
 */
static bool
gid_node_is_lease(const GidQuestion *question, const int64 *numbers)
{
	const GidNodeRequest *request = question->asked;

	/* "not now", and the moment from which on numbers are leased */
	if (numbers[0] == -1)
		return numbers[1] >= 0 && numbers[1] <= GID_LAST_SECOND;
	return numbers[0] >= 0 && numbers[0] <= gid_node_max &&
		numbers[1] >= request->wanted.since_s && numbers[1] < numbers[2] &&
		numbers[2] <= Max(request->wanted.until_s, request->held.until_s);
}

/* The numbers in the authority's answer. */
#define GID_NODE_NUMBERS		3

/* What came of asking the authority. */
typedef struct GidNodeAnswer
{
	bool		is_confirmed;
	int64		numbers[GID_NODE_NUMBERS];	/* node, since, until; node -1:
											 * not now */
	GidSilence	silence;		/* if not is_confirmed */
} GidNodeAnswer;

/*
 * Ask the authority for a lease, and have the authority confirm it in the same
 * session.  Only a confirmed lease may be used.  Waits and errors are those of
 * gid_ask().
 */
static void
gid_node_put(const GidNodeRequest *request, GidNodeAnswer *answer)
{
	bool		has_held = request->held.until_s > 0;
	GidQuestion question = {
		.columns = "coalesce(node, -1),"
		" coalesce(extract(epoch FROM since)::pg_catalog.int8, 0),"
		" coalesce(extract(epoch FROM until)::pg_catalog.int8, 0)",
		.call = "gid.authority_node($1::pg_catalog.uuid, $2::pg_catalog.int4,"
		" pg_catalog.to_timestamp($3::pg_catalog.float8),"
		" pg_catalog.to_timestamp($4::pg_catalog.float8),"
		" pg_catalog.to_timestamp($5::pg_catalog.float8), $6::pg_catalog.int4)",
		.nparams = 6,
		.ncolumns = GID_NODE_NUMBERS,
		.confirm = "gid.authority_confirm()",
		.is_retried = true,
		.asked = request,
		.is_answer = gid_node_is_lease,
	};

	StaticAssertDecl(lengthof(question.params) >= 6, "too few parameters");

	question.params[0] = DatumGetCString(DirectFunctionCall1(uuid_out, UUIDPGetDatum(&gid_node_state->holder)));
	question.params[1] = has_held ? psprintf("%d", request->held.node) : NULL;
	question.params[2] = has_held ? psprintf("%lld", (long long) request->held.until_s) : NULL;
	question.params[3] = psprintf("%lld", (long long) request->wanted.since_s);
	question.params[4] = psprintf("%lld", (long long) request->wanted.until_s);
	question.params[5] = psprintf("%d", gid_node_max);

	memset(answer, 0, sizeof(*answer));
	answer->numbers[0] = -1;
	answer->is_confirmed = gid_ask(gid_uri_split(gid_node_authority), &question,
								   answer->numbers, &answer->silence);
}

/*
 * Note the end of a question: "lease" is the answer, if is_leased a confirmed
 * one, which is published.
 */
static void
gid_node_note(const GidNodeLease *lease, bool is_leased, int64 now_s)
{
	GidNodeLeases *leases = &gid_node_state->leases;
	GidNodeLease *last = &leases->last[1];
	int64		begins_s;
	bool		is_other;
	bool		is_changed = false;

	LWLockAcquire(&gid_node_state->lock, LW_EXCLUSIVE);
	leases->answered = *lease;
	leases->failed_us = is_leased ? 0 : gid_time_monotonic_us();
	leases->errand_us = 0;
	is_other = last->until_s == 0 || last->node != lease->node;
	if (is_leased && !is_other && last->until_s >= lease->since_s)
		last->until_s = Max(last->until_s, lease->until_s);
	else if (is_leased && Max(lease->since_s, last->until_s) < lease->until_s)
	{
		is_changed = is_other;
		leases->last[0] = *last;
		*last = *lease;
		last->since_s = Max(lease->since_s, leases->last[0].until_s);
	}
	begins_s = last->since_s;
	if (is_leased)
		leases->extend_s = last->until_s - (last->until_s - Max(now_s, begins_s)) / 2;
	LWLockRelease(&gid_node_state->lock);

	if (is_changed)
		ereport(LOG,
				(errmsg("gid: this server has node number %d", lease->node),
				 errdetail_log("The lease begins at %s, and is extended before it ends.",
							   timestamptz_to_str(gid_timestamptz(begins_s * GID_US_PER_S)))));
}

/* For ereport(): SQLSTATE and message where the authority gave no lease. */
static int
gid_node_not_leased(void)
{
	errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION);
	return errmsg("could not lease a node number from the authority");
}

/* Raise why there is no lease: 55000 for the clocks, else 08001. */
static void
gid_node_raise(const GidNodeAnswer *answer, int64 now_s)
{
	if (answer->is_confirmed)
		ereport(ERROR,
				(gid_node_not_leased(),
				 errdetail("After a failover, a restore or a new CREATE EXTENSION the authority leases no number that begins before %s.",
						   timestamptz_to_str(gid_timestamptz(answer->numbers[1] * GID_US_PER_S))),
				 errhint("Wait, or call gid.authority_resume() on the authority if no lease is missing there.")));
	if (answer->silence.sqlstate == ERRCODE_INVALID_PARAMETER_VALUE)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the clocks of this server and of the authority differ by too much for a lease"),
				 errdetail("This server's time is %s. The authority's clock is at %s.",
						   pstrdup(timestamptz_to_str(gid_timestamptz(now_s * GID_US_PER_S))),
						   timestamptz_to_str(gid_timestamptz(answer->silence.clock_s * GID_US_PER_S))),
				 errdetail_log("%s", answer->silence.log),
				 errhint("Set the clock right. If only the file gid.clock of this server is ahead, stop the server and remove the file.")));
	ereport(ERROR,
			(gid_node_not_leased(),
			 gid_ask_details(&answer->silence)));
}

/*
 * Ask for a lease, or for a later end of the present one, and publish it.
 * If "needed", an id waits for the lease: raise an error if none comes.  The
 * caller has the lock of gid_node_tag().
 */
static void
gid_node_ask(const GidNodeLeases *leases, bool needed)
{
	const GidNodeLease *last = &leases->last[1];
	int64		now_s = gid_node_now_s();
	GidNodeRequest request = {.held = leases->answered};
	GidNodeLease lease = leases->answered;
	GidNodeAnswer answer;
	bool		is_leased = false;

	/* no id was made after the end of the last lease */
	request.wanted.since_s = last->until_s > 0 ? now_s : gid_node_fresh_s(now_s);
	request.wanted.until_s = request.wanted.since_s + gid_node_lease_s;
	PG_TRY();
	{
		gid_node_put(&request, &answer);
		if (answer.numbers[0] >= 0)
		{
			lease.node = (int32) answer.numbers[0];
			lease.since_s = answer.numbers[1];
			lease.until_s = answer.numbers[2];
			/* not volatile: nothing raises an error after this */
			is_leased = answer.is_confirmed;
		}
	}
	PG_FINALLY();
	{
		gid_node_note(&lease, is_leased, now_s);
	}
	PG_END_TRY();
	if (is_leased)
		return;
	if (needed)
		gid_node_raise(&answer, now_s);
	/* the first failure alone, not one a second */
	if (leases->failed_us == 0)
		ereport(LOG,
				(errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
				 errmsg("gid: could not extend the lease of node number %d", last->node),
				 errdetail_log("The lease ends at %s. %s",
							   timestamptz_to_str(gid_timestamptz(last->until_s * GID_US_PER_S)),
							   answer.is_confirmed ? "The authority waits until lost leases have ended." :
							   answer.silence.log)));
}

/* ---- looking up ---- */

/*
 * The right to ask: an advisory lock of a class that SQL's functions do not
 * have, since a standby asks, too.  PostgreSQL releases it after an error.
 */
static void
gid_node_tag(LOCKTAG *tag)
{
	SET_LOCKTAG_ADVISORY(*tag, InvalidOid, 0, 0, 3);
}

/*
 * Ask the authority for a lease, unless another process has done so meanwhile.
 * If an id of a second needs the lease, wait for a process that asks, and
 * raise 08001 if a question has just failed, and 25000 in a parallel worker,
 * which comes here through a function that is wrongly labelled PARALLEL SAFE.
 * If not ("second" below 0), do nothing in these cases.
 */
static void
gid_node_ask_alone(int64 second)
{
	bool		needed = second >= 0;
	GidNodeLeases leases;
	LOCKTAG		tag;

	/* a lock does not exclude the other members of a parallel query */
	if (IsParallelWorker())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_STATE),
				 errmsg("a node number cannot be leased in a parallel worker"),
				 errdetail("One process of a server asks for a lease, and only the leader can be that process."),
				 errhint("Label the function that makes the id PARALLEL RESTRICTED.")));

	gid_node_tag(&tag);
	if (LockAcquire(&tag, ExclusiveLock, false, !needed) == LOCKACQUIRE_NOT_AVAIL)
		return;
	leases = gid_node_read();
	if (needed ? second >= leases.last[1].until_s : gid_node_now_s() >= leases.extend_s)
	{
		if (gid_node_may_ask(&leases))
			gid_node_ask(&leases, needed);
		else if (needed)
			ereport(ERROR,
					(gid_node_not_leased(),
					 errdetail("The authority was asked a moment ago, and gave no lease."),
					 errhint("Try again after a second. The log of this server says more.")));
	}
	(void) LockRelease(&tag, ExclusiveLock, false);
}

/* The errand: what its background worker does. */
void
gid_node_errand(Datum argument)
{
	gid_errand_begin();
	gid_node_ask_alone(-1);
	gid_errand_end();
}

/*
 * Start an errand that extends the lease, if it is due and none may be at
 * work.  While the lease lasts, only errands ask.
 */
static void
gid_node_send(void)
{
	GidNodeLeases *leases = &gid_node_state->leases;
	int64		now_us = gid_time_monotonic_us();
	int64		now_s = gid_node_now_s();
	bool		is_due;

	LWLockAcquire(&gid_node_state->lock, LW_EXCLUSIVE);
	is_due = now_s >= leases->extend_s && now_us >= leases->errand_us && gid_node_may_ask(leases);
	if (is_due)
		leases->errand_us = now_us + GID_ERRAND_LOST_US;
	LWLockRelease(&gid_node_state->lock);
	if (!is_due || gid_errand_start("gid_node_errand", DSM_HANDLE_INVALID))
		return;
	/* no worker is free */
	LWLockAcquire(&gid_node_state->lock, LW_EXCLUSIVE);
	leases->errand_us = now_us + GID_NODE_AGAIN_US;
	LWLockRelease(&gid_node_state->lock);
}

/*
 * There is no lease for a second.  Get one, or wait for it, and return when an
 * id that is drawn now is likely to lie in a lease.
 */
static void
gid_node_obtain(int64 second)
{
	static uint32 wait_event = 0;

	for (;;)
	{
		GidNodeLeases leases = gid_node_read();
		int64		from_us = leases.last[1].since_s * GID_US_PER_S;
		int64		now_us = gid_time_read().us;

		/* a word may be ahead of the server's time */
		second = Max(second, gid_floor_div(now_us, GID_US_PER_S));
		if (gid_node_is_in(&leases.last[0], second) || gid_node_is_in(&leases.last[1], second))
			return;
		if (second >= leases.last[1].until_s)
		{
			gid_node_ask_alone(second);
			continue;
		}
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 Min(Max((from_us - now_us) / GID_US_PER_MS + 1, 1), 1000),
						 gid_wait_event(&wait_event, "GidNodeLease"));
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * gid_node_of(), where this backend does not know the number of a second.
 *
 * May wait, interruptibly: for the authority, as gid_ask() says, and for a
 * backend that asks it; and until the server's time comes to the beginning of
 * a new lease, a second or two after the server's start.  Raises 55000 when
 * neither gid.node_no nor gid.node_authority is set or a value was refused, or
 * when the clocks of the two servers differ by too much; 08001 when there is
 * no lease and the authority gives none.
 */
int32
gid_node_find(int64 second)
{
	GidNodeLeases leases;

	if (!gid_setting_names_servers(gid_node_authority, "gid.node_authority"))
	{
		if (gid_node_no < 0)
			gid_setting_raise("gid.node_no");
		gid_node_known = (GidNodeLease)
		{
			PG_INT64_MIN, PG_INT64_MAX, gid_node_no
		};
		return gid_node_no;
	}

	leases = gid_node_read();
	for (int i = 0; i < 2; i++)
	{
		if (!gid_node_is_in(&leases.last[i], second))
			continue;
		gid_node_known = leases.last[i];
		gid_node_known.until_s = Min(gid_node_known.until_s, Max(leases.extend_s, second + 1));
		if (second >= leases.extend_s)
			gid_node_send();
		return leases.last[i].node;
	}
	gid_node_obtain(second);
	return GID_NODE_DRAW_AGAIN;
}

/* Fill in what the view shows.  The first call attaches. */
void
gid_node_stat(GidNodeStat *stat)
{
	GidNodeLeases leases;

	(void) gid_slot_mine();
	stat->is_leased = gid_node_authority[0] != '\0';
	stat->node = stat->is_leased ? -1 : gid_node_no;
	stat->until_s = 0;
	stat->authority = NULL;
	if (!stat->is_leased)
		return;
	stat->authority = gid_uri_name(gid_node_authority);
	leases = gid_node_read();
	for (int i = 0; i < 2; i++)
	{
		if (gid_node_is_in(&leases.last[i], gid_node_now_s()))
			stat->node = leases.last[i].node;
	}
	stat->until_s = leases.last[1].until_s;
}
