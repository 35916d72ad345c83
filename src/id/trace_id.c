/*-------------------------------------------------------------------------
 *
 * id/trace_id.c
 *		TraceIds: 63-bit integers of time, node, thread and counter.
 *
 * Second, thread and counter come from one word of the server, which leaves
 * counter 0 out.  So no two ids of the server within 388 days are equal, and
 * none is 0 or negative.  Only the node distinguishes the ids of two servers.
 * So it has no default, and without a node no id is made.
 *
 * The published design gives each thread a part of the low 22 bits, so that
 * threads share no counter.  Here all backends share one word, which costs
 * some nanoseconds.  In return the ids are in order over all backends, and an
 * index on them stays dense.
 *
 * State: none.  clock/word.c has the word, and says what holds at a crash, a
 * restart and a clock step; node/node.c has the node.  A standby needs a node
 * of its own, before its promotion and after.
 *
 * References: elfo's TraceId.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "fmgr.h"
#include "utils/timestamp.h"

#include "base/args.h"
#include "clock/word.h"
#include "node/node.h"

static const GidRange gid_trace_node_range = {
	"node", 0, GID_TRACE_MAX_NODE,
	"Give the gid.node_no of the server that the id belongs to."
};

static const GidRange gid_trace_bits_range = {
	"thread_bits", 0, GID_TRACE_LOW_BITS,
	"The low 22 bits of a TraceId are split into thread_bits for the thread and the rest for the counter."
};

static const char gid_trace_split_hint[] =
"With thread_bits the thread has that many bits and the counter the rest of 22.";

static const GidTimeRange gid_trace_time_range = {
	"a TraceId", GID_UNIX_EPOCH, GID_LAST_TIMESTAMP,
	"1970-01-01 00:00:00 UTC on; the seconds in an id begin at 0 again every 2^25 seconds"
};

static const GidTimeRange gid_trace_near_range = {
	"the moment near a TraceId", MIN_TIMESTAMP + GID_TRACE_PERIOD_S * GID_US_PER_S, GID_LAST_TIMESTAMP,
	"that of timestamptz, less the 388.36 days after which the seconds in an id repeat"
};

/* The number of counter bits.  22003 unless thread_bits is 0 to 22. */
static int
gid_trace_counter_bits(int32 thread_bits)
{
	gid_check_range(&gid_trace_bits_range, thread_bits);
	return GID_TRACE_LOW_BITS - thread_bits;
}

/* Seconds since the Unix epoch.  22008 when infinite or before 1970. */
static uint64
gid_trace_seconds_of(TimestampTz at)
{
	gid_check_time(&gid_trace_time_range, at);
	return (uint64) gid_unix_seconds(at);
}

PG_FUNCTION_INFO_V1(gid_trace_id);
Datum
gid_trace_id(PG_FUNCTION_ARGS)
{
	GidSlot    *slot = gid_slot_mine();
	uint64		word;
	int32		node;

	do
	{
		word = gid_word_take(GID_WORD_TRACE, gid_word_read_clock(GID_WORD_TRACE));
		node = gid_node_of((int64) (word >> GID_TRACE_LOW_BITS));
	} while (unlikely(node == GID_NODE_DRAW_AGAIN));
	gid_slot_count(slot, GID_WORD_TRACE, word);
	PG_RETURN_INT64(gid_trace_pack(word >> GID_TRACE_LOW_BITS, (uint32) node,
								   (uint32) (word & GID_MASK(GID_TRACE_LOW_BITS))));
}

PG_FUNCTION_INFO_V1(gid_make_trace_id);
Datum
gid_make_trace_id(PG_FUNCTION_ARGS)
{
	uint64		seconds = gid_trace_seconds_of(PG_GETARG_TIMESTAMPTZ(0));
	int32		node = PG_GETARG_INT32(1);
	int32		thread = PG_GETARG_INT32(2);
	int32		counter = PG_GETARG_INT32(3);
	int			counter_bits = gid_trace_counter_bits(PG_GETARG_INT32(4));
	GidRange	thread_range = {.name = "thread",.hint = gid_trace_split_hint};
	GidRange	counter_range = {.name = "counter",.hint = gid_trace_split_hint};

	thread_range.max = (int64) GID_MASK(GID_TRACE_LOW_BITS - counter_bits);
	counter_range.max = (int64) GID_MASK(counter_bits);
	gid_check_range(&gid_trace_node_range, node);
	/* with thread and counter 0, an id of the first second would be 0 */
	if (counter_bits == 0)
		thread_range.min = 1;
	else if (thread == 0)
		counter_range.min = 1;
	gid_check_range(&thread_range, thread);
	gid_check_range(&counter_range, counter);
	PG_RETURN_INT64(gid_trace_pack(seconds, (uint32) node,
								   (uint32) thread << counter_bits | (uint32) counter));
}

/* All bits below the seconds are 0, which is no id, or 1. */
GID_FUNCTION(gid_trace_id_min,
			 Int64GetDatum(gid_trace_pack(gid_trace_seconds_of(PG_GETARG_TIMESTAMPTZ(0)), 0, 0)))
GID_FUNCTION(gid_trace_id_max,
			 Int64GetDatum(gid_trace_pack(gid_trace_seconds_of(PG_GETARG_TIMESTAMPTZ(0)), GID_TRACE_MAX_NODE,
										  (uint32) GID_MASK(GID_TRACE_LOW_BITS))))

/*
 * Return the latest second not after "near" that is the id's second mod 2^25.
 * "near" must be in gid_trace_near_range.
 */
static TimestampTz
gid_trace_time_near(int64 id, TimestampTz near)
{
	int64		near_s = gid_unix_seconds(near);
	uint64		ago = (uint64) near_s - (uint64) gid_trace_seconds(id);

	ago &= GID_MASK(GID_TRACE_SECOND_BITS);
	return (near_s - (int64) ago - GID_PG_EPOCH_S) * GID_US_PER_S;
}

PG_FUNCTION_INFO_V1(gid_extract_trace_time);
Datum
gid_extract_trace_time(PG_FUNCTION_ARGS)
{
	int64		id = PG_GETARG_INT64(0);
	TimestampTz near = PG_GETARG_TIMESTAMPTZ(1);

	if (!gid_is_trace(id))
		PG_RETURN_NULL();
	gid_check_time(&gid_trace_near_range, near);
	PG_RETURN_TIMESTAMPTZ(gid_trace_time_near(id, near));
}

/*
 * The same with near = now() + 1 day.  Without the day, an id of a server
 * whose clock is a little ahead would seem to be 388 days old.
 */
PG_FUNCTION_INFO_V1(gid_extract_trace_time_now);
Datum
gid_extract_trace_time_now(PG_FUNCTION_ARGS)
{
	int64		id = PG_GETARG_INT64(0);

	if (!gid_is_trace(id))
		PG_RETURN_NULL();
	/* this moment is in the range, whatever the clock says */
	PG_RETURN_TIMESTAMPTZ(gid_trace_time_near(id, GetCurrentTransactionStartTimestamp() +
											  USECS_PER_DAY));
}

GID_EXTRACT_INT(gid_extract_trace_node, gid_is_trace, gid_trace_node)

PG_FUNCTION_INFO_V1(gid_extract_trace_thread);
Datum
gid_extract_trace_thread(PG_FUNCTION_ARGS)
{
	int64		id = PG_GETARG_INT64(0);
	int			counter_bits = gid_trace_counter_bits(PG_GETARG_INT32(1));

	if (!gid_is_trace(id))
		PG_RETURN_NULL();
	PG_RETURN_INT32((int32) (gid_trace_low(id) >> counter_bits));
}

PG_FUNCTION_INFO_V1(gid_extract_trace_counter);
Datum
gid_extract_trace_counter(PG_FUNCTION_ARGS)
{
	int64		id = PG_GETARG_INT64(0);
	int			counter_bits = gid_trace_counter_bits(PG_GETARG_INT32(1));

	if (!gid_is_trace(id))
		PG_RETURN_NULL();
	PG_RETURN_INT32((int32) (gid_trace_low(id) & GID_MASK(counter_bits)));
}
