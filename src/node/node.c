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

#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/condition_variable.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "attach/backend_slot.h"
#include "base/args.h"
#include "base/compat.h"
#include "base/random.h"
#include "base/settings.h"
#include "clock/server_time.h"
#include "clock/word.h"
#include "peer/ask.h"
#include "node/node.h"

/*
 * After a question that gave no lease, or was broken off, the next one comes
 * this much later.  The question may have cost a number, and a server that
 * asks again at once would use up the numbers of all servers.
 */
#define GID_NODE_AGAIN_US		GID_US_PER_S

/* Failures are logged once in this time. */
#define GID_NODE_LOG_EVERY_US	(60 * GID_US_PER_S)

typedef struct GidNodeState
{
	LWLock		lock;			/* protects what says "lock" */
	pg_atomic_uint32 asker;		/* 1 while a backend has the claim to ask the
								 * authority; CAS */
	ConditionVariable released; /* broadcast when a backend releases the claim */
	pg_uuid_t	holder;			/* this life of the server; constant */
	GidNodeLease leases[2];		/* the last two, the later one second; lock */
	int64		extend_s;		/* from this second on the later lease is to
								 * be extended; lock */
	GidNodeLease answered;		/* the authority's last answer, confirmed or
								 * not; asker */
	uint64		answered_uri;	/* hash of the URI that gave it; asker */
	bool		failed;			/* the last question was broken off, or gave
								 * no lease; asker */
	pg_atomic_uint64 tried_us;	/* monotonic time of the last question's end;
								 * written by the asker */
	pg_atomic_uint64 logged_us; /* monotonic time of the last line about a
								 * failure; written by the asker */
} GidNodeState;

static GidNodeState *gid_node_state = NULL;

GidNodeLease gid_node_known = {0, 0, 0};

/* Set up the part.  Raises XX000 when the source of random bytes fails. */
static void
gid_node_init(void *part, int tranche)
{
	GidNodeState *state = part;

	memset(state, 0, sizeof(*state));
	LWLockInitialize(&state->lock, tranche);
	pg_atomic_init_u32(&state->asker, 0);
	ConditionVariableInit(&state->released);

	/*
	 * The holder exists only here.  So each start, each copy of the files and
	 * each standby gets leases of its own.
	 */
	gid_random_fill(&state->holder, sizeof(state->holder));
	/* a UUID version 4 */
	state->holder.data[6] = (state->holder.data[6] & 0x0f) | 0x40;
	state->holder.data[8] = (state->holder.data[8] & 0x3f) | 0x80;
	pg_atomic_init_u64(&state->tried_us, 0);
	pg_atomic_init_u64(&state->logged_us, 0);
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

/* Is a second in a lease? */
static bool
gid_node_is_in(const GidNodeLease *lease, int64 second)
{
	return second >= lease->since_s && second < lease->until_s;
}

/* Read the leases.  Returns the second at which to extend the later one. */
static int64
gid_node_read(GidNodeLease leases[2])
{
	int64		extend_s;

	LWLockAcquire(&gid_node_state->lock, LW_SHARED);
	memcpy(leases, gid_node_state->leases, sizeof(gid_node_state->leases));
	extend_s = gid_node_state->extend_s;
	LWLockRelease(&gid_node_state->lock);
	return extend_s;
}

/* The server's time, in whole seconds since the Unix epoch. */
static int64
gid_node_now_s(void)
{
	return gid_floor_div(gid_time_look().us, GID_US_PER_S);
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

/*
 * Take the claim "asker" if no backend has it.  Returns whether.  An LWLock
 * would not do, because its holder could not be canceled while it asks.
 */
static bool
gid_node_claim(void)
{
	uint32		expected = 0;

	return pg_atomic_compare_exchange_u32(&gid_node_state->asker, &expected, 1);
}

static void
gid_node_release(void)
{
	(void) pg_atomic_exchange_u32(&gid_node_state->asker, 0);
	ConditionVariableBroadcast(&gid_node_state->released);
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
	/* these may be numbers that gid_ask() has found to be no answer */
	if (!answer->is_confirmed && !gid_node_is_lease(&question, answer->numbers))
		answer->numbers[0] = -1;
}

/*
 * Publish a lease of a number for the seconds from "since_s" to "until_s".
 * The caller is the asker.
 */
static void
gid_node_publish(int32 node, int64 since_s, int64 until_s, int64 now_s)
{
	GidNodeState *state = gid_node_state;
	GidNodeLease *last = &state->leases[1];
	bool		is_other = last->until_s == 0 || last->node != node;
	bool		is_changed = false;

	LWLockAcquire(&state->lock, LW_EXCLUSIVE);
	if (!is_other && last->until_s >= since_s)
		last->until_s = Max(last->until_s, until_s);
	else if (Max(since_s, last->until_s) < until_s)
	{
		is_changed = is_other;
		state->leases[0] = *last;
		last->since_s = Max(since_s, last->until_s);
		last->until_s = until_s;
		last->node = node;
	}
	now_s = Max(now_s, last->since_s);
	state->extend_s = last->until_s - (last->until_s - now_s) / 2;
	since_s = last->since_s;
	LWLockRelease(&state->lock);

	if (is_changed)
		ereport(LOG,
				(errmsg("gid: this server has node number %d", node),
				 errdetail_log("The lease begins at %s, and is extended before it ends.",
							   timestamptz_to_str(gid_timestamptz(since_s * GID_US_PER_S)))));
}

/* Log a failure, once in a while.  The caller is the asker. */
static void
gid_node_log_failure(const GidNodeLease *last, const char *why)
{
	int64		now_us = gid_time_monotonic_us();
	int64		logged_us = (int64) pg_atomic_read_u64(&gid_node_state->logged_us);

	if (logged_us != 0 && now_us - logged_us < GID_NODE_LOG_EVERY_US)
		return;
	pg_atomic_write_u64(&gid_node_state->logged_us, (uint64) now_us);
	ereport(LOG,
			(errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
			 errmsg("gid: could not extend the lease of node number %d", last->node),
			 errdetail_log("The lease ends at %s. %s",
						   timestamptz_to_str(gid_timestamptz(last->until_s * GID_US_PER_S)), why)));
}

/* Raise why there is no lease: 55000 for the clocks, else 08001. */
static void
gid_node_raise(const GidNodeAnswer *answer, int64 now_s)
{
	if (answer->is_confirmed)
		ereport(ERROR,
				(errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
				 errmsg("could not lease a node number from the authority"),
				 errdetail("After a failover, a restore or a new CREATE EXTENSION the authority leases no number that begins before %s.",
						   timestamptz_to_str(gid_timestamptz(answer->numbers[1] * GID_US_PER_S))),
				 errhint("Wait, or call gid.authority_resume() on the authority if no lease is missing there.")));
	if (strcmp(answer->silence.sqlstate, "22023") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the clocks of this server and of the authority differ by too much for a lease"),
				 errdetail("This server's time is %s. The authority's clock is at %s.",
						   pstrdup(timestamptz_to_str(gid_timestamptz(now_s * GID_US_PER_S))),
						   timestamptz_to_str(gid_timestamptz(answer->silence.clock_s * GID_US_PER_S))),
				 errdetail_log("%s", answer->silence.log),
				 errhint("Set the clock right. If only the file gid.clock of this server is ahead, stop the server and remove the file.")));
	ereport(ERROR,
			(errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
			 errmsg("could not lease a node number from the authority"),
			 gid_ask_details(&answer->silence)));
}

/*
 * Ask for a lease, or for a later end of the present one, and publish it.
 * If "needed", an id waits for the lease: raise an error if none comes.  The
 * caller is the asker.
 */
static void
gid_node_ask(bool needed)
{
	GidNodeState *state = gid_node_state;
	int64		now_s = gid_node_now_s();

	/* never 0, which stands for no answer */
	uint64		uri = hash_bytes_extended((const unsigned char *) gid_node_authority,
										  strlen(gid_node_authority), 0) | 1;
	GidNodeLease leases[2];
	GidNodeRequest request = {0};
	GidNodeAnswer answer;
	bool		is_leased;

	(void) gid_node_read(leases);

	/*
	 * The first lease after a start begins after the second of every id that
	 * was made before, also under gid.node_no.  Later ids lie in a lease, and
	 * the next lease does not begin before its end.
	 */
	request.wanted.since_s = leases[1].until_s > 0 ? now_s : gid_node_fresh_s(now_s);
	request.wanted.until_s = request.wanted.since_s + gid_node_lease_s;
	if (state->answered_uri == uri)
		request.held = state->answered;

	state->failed = true;
	gid_node_put(&request, &answer);
	is_leased = answer.is_confirmed && answer.numbers[0] >= 0;
	state->failed = !is_leased;
	/* also if it was not confirmed: the next try then costs no other number */
	if (answer.numbers[0] >= 0)
	{
		state->answered.node = (int32) answer.numbers[0];
		state->answered.until_s = answer.numbers[2];
		state->answered_uri = uri;
		if (is_leased)
			gid_node_publish((int32) answer.numbers[0], answer.numbers[1],
							 answer.numbers[2], now_s);
	}
	if (is_leased)
		return;
	if (needed)
		gid_node_raise(&answer, now_s);
	gid_node_log_failure(&leases[1], answer.is_confirmed ?
						 "The authority waits until lost leases have ended." : answer.silence.log);
}

/* Release the claim "asker", also after an error or at the session's end. */
static void
gid_node_end_ask(int code, Datum arg)
{
	pg_atomic_write_u64(&gid_node_state->tried_us, (uint64) gid_time_monotonic_us());
	gid_node_release();
}

/* gid_node_ask() by the process that has taken the claim "asker". */
static void
gid_node_ask_and_release(bool needed)
{
	PG_ENSURE_ERROR_CLEANUP(gid_node_end_ask, (Datum) 0);
	{
		gid_node_ask(needed);
	}
	PG_END_ENSURE_ERROR_CLEANUP(gid_node_end_ask, (Datum) 0);
	gid_node_end_ask(0, (Datum) 0);
}

/* ---- looking up ---- */

/* Extend the later lease, unless another backend does or has just tried. */
static void
gid_node_extend(void)
{
	int64		tried_us = (int64) pg_atomic_read_u64(&gid_node_state->tried_us);
	GidNodeLease leases[2];

	if (gid_time_monotonic_us() - tried_us < GID_NODE_AGAIN_US ||
		!gid_node_claim())
		return;
	/* another backend may have extended it since this one looked */
	if (gid_node_now_s() < gid_node_read(leases))
		gid_node_release();
	else
		gid_node_ask_and_release(false);
}

/* Sleep for a time, a second at most, or until a signal comes. */
static void
gid_node_sleep(int64 us)
{
	static uint32 wait_event = 0;
	int64		ms = us / GID_US_PER_MS + 1;

	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 Min(Max(ms, 1), 1000), gid_wait_event(&wait_event, "GidNodeLease"));
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/*
 * Ask for a lease as the asker, for a backend that has needed one since
 * "needed_us" (monotonic time).  After a question that failed, sleep until the
 * next one is due.  If the backend has waited for that question, fail as well:
 * otherwise each waiting session would ask, one after the other.
 */
static void
gid_node_ask_if_due(int64 second, int64 needed_us)
{
	GidNodeState *state = gid_node_state;
	int64		tried_us = (int64) pg_atomic_read_u64(&state->tried_us);
	int64		pause_us = !state->failed ? 0 :
	tried_us + GID_NODE_AGAIN_US - gid_time_monotonic_us();
	bool		failed = state->failed && tried_us > needed_us;
	GidNodeLease leases[2];

	/* another backend may have got a lease since this one looked */
	(void) gid_node_read(leases);
	if (leases[1].until_s <= second && !failed && pause_us <= 0)
	{
		gid_node_ask_and_release(true);
		return;
	}
	gid_node_release();
	if (leases[1].until_s > second)
		return;
	if (failed)
		ereport(ERROR,
				(errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
				 errmsg("could not lease a node number from the authority"),
				 errdetail("Another session has asked the authority meanwhile, and got no lease."),
				 errhint("The log of this server says more.")));
	gid_node_sleep(pause_us);
}

/*
 * There is no lease for a second.  Get one, or wait for it, and return when an
 * id that is drawn now is likely to lie in a lease.
 */
static void
gid_node_obtain(int64 second)
{
	static uint32 wait_event = 0;
	int64		needed_us = gid_time_monotonic_us();
	GidNodeLease leases[2];

	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		(void) gid_node_read(leases);
		for (int i = 0; i < 2; i++)
		{
			if (leases[i].until_s <= second || leases[i].since_s >= leases[i].until_s)
				continue;
			/* the lease has begun, or holds the second by now */
			if (gid_node_now_s() >= leases[i].since_s || leases[i].since_s <= second)
				return;
			gid_node_sleep(leases[i].since_s * GID_US_PER_S - gid_time_look().us);
			break;
		}
		if (leases[1].until_s > second)
			continue;
		if (gid_node_claim())
		{
			gid_node_ask_if_due(second, needed_us);
			continue;
		}
		ConditionVariablePrepareToSleep(&gid_node_state->released);
		while (pg_atomic_read_u32(&gid_node_state->asker) != 0)
			ConditionVariableSleep(&gid_node_state->released,
								   gid_wait_event(&wait_event, "GidNodeLease"));
		ConditionVariableCancelSleep();
	}
}

/*
 * gid_node_of(), where this backend does not know the number of a second.
 *
 * May wait, interruptibly: for the authority, as gid_ask() says; a second
 * after a question that was broken off or gave no lease; and until
 * the server's time comes to the beginning of a new lease, a second or two
 * after the server's start.  Raises 55000 when neither gid.node_no nor
 * gid.node_authority is set or a value was refused, or when the clocks of the
 * two servers differ by too much; 08001 when there is no lease and the
 * authority gives none.
 */
int32
gid_node_find(int64 second)
{
	GidNodeLease leases[2];
	int64		extend_s;

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

	extend_s = gid_node_read(leases);
	for (int i = 0; i < 2; i++)
	{
		if (!gid_node_is_in(&leases[i], second))
			continue;
		/* from extend_s on, come back here each second until it is extended */
		gid_node_known = leases[i];
		gid_node_known.until_s = Min(leases[i].until_s, Max(extend_s, second + 1));
		if (second >= extend_s)
			gid_node_extend();
		return leases[i].node;
	}
	gid_node_obtain(second);
	return GID_NODE_DRAW_AGAIN;
}

/* Fill in what the view shows.  The first call attaches. */
void
gid_node_stat(GidNodeStat *stat)
{
	int64		now_s;
	GidNodeLease leases[2];

	(void) gid_slot_mine();
	stat->is_leased = gid_node_authority[0] != '\0';
	stat->node = stat->is_leased ? -1 : gid_node_no;
	stat->until_s = 0;
	stat->authority = NULL;
	if (!stat->is_leased)
		return;
	stat->authority = gid_uri_name(gid_node_authority);
	(void) gid_node_read(leases);
	now_s = gid_node_now_s();
	for (int i = 0; i < 2; i++)
	{
		if (gid_node_is_in(&leases[i], now_s))
			stat->node = leases[i].node;
	}
	stat->until_s = leases[1].until_s;
}
