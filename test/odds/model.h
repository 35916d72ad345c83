/*-------------------------------------------------------------------------
 *
 * model.h
 *		What doc/uniqueness.md calculates with.
 *
 * A formula here is C and text at once: the document shows the expression that
 * is compiled (tables.c).  The numbers come from the headers of src.
 *
 *		N	servers whose ids meet
 *		S	restarts of all of them together
 *		R	ids a second of each server
 *		T	seconds
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef MODEL_H
#define MODEL_H

#include <math.h>

#include "layout/decimal_id.h"
#include "layout/trace_id.h"
#include "layout/uuid_sequential.h"
#include "layout/uuid_shard.h"
#include "layout/uuid_v7.h"
#include "base/bits.h"

#define TWO_TO(bits)		ldexp(1, (bits))
#define BYTE				8

/* A byte 8 that is not the RFC variant's: gid_byte8_from_random(). */
#define VARIANTS			(256 - 64)

#define V7_RATE				((double) GID_V7_RATE)
#define V7_RANDOM			TWO_TO(GID_V7_RANDOM_BITS)
#define V7_BELOW_MS			TWO_TO(GID_V7_RANDOM_BITS + GID_V7_FRACTION_BITS)
#define V4_RANDOM			TWO_TO(122)
#define TICKS_RATE			((double) GID_TICKS_RATE)
#define PROCESSES			(VARIANTS * TWO_TO(BYTE * (GID_PROCESS_BYTES - 1)))
#define GENERATORS			(VARIANTS * TWO_TO(BYTE * (GID_GENERATOR_BYTES - 1)))
#define COUNTERS			TWO_TO(GID_SHARD_COUNTER_BITS)
#define NODES				TWO_TO(GID_TRACE_NODE_BITS)
#define TRACE_PERIOD		((double) GID_TRACE_PERIOD_S)
#define NUMBERS				(GID_DECIMAL_MAX_GENERATOR + 1.0)
#define DECIMAL_COUNTERS	((double) GID_DECIMAL_MAX_COUNTER)

#define YEAR				(365.25 * 86400)

#define FORMULA(name, arguments, expression) \
	static inline double \
	name arguments \
	{ \
		return expression; \
	} \
	static const char *const name##_text pg_attribute_unused() = "" #name " = " #expression

/* ---- two numbers of which the smaller one counts, equal draws ---- */

/*
 * The smaller of two independent numbers of events, of the same mean, at
 * random times (Poisson): the sum, over k from 1 on, of P(at least k) squared.
 */
static inline double
smaller(double mean)
{
	double		below = 0;		/* P(fewer than k) */
	double		sum = 0;
	double		last = mean + 12 * sqrt(mean) + 50;

	for (double k = 1; k < last; k++)
	{
		below += exp((k - 1) * log(mean) - mean - lgamma(k));
		sum += (1 - below) * (1 - below);
	}
	return sum;
}

/* The probability that, of N draws among K, two are equal. */
static inline double
any_equal(double N, double K)
{
	double		none = 1;

	for (double i = 1; i < N; i++)
		none *= 1 - i / K;
	return 1 - none;
}

#define smaller_text \
	"smaller(A) = sum over k = 1, 2, ... of P(at least k events, of A on average) ^ 2"
#define any_equal_text \
	"any_equal(N, K) = 1 - (1 - 1 / K) * (1 - 2 / K) * ... * (1 - (N - 1) / K)"

/* ---- version 7 ---- */

FORMULA(v7_equal, (double N, double R, double T),
		N * (N - 1) / 2 * R * R * T / V7_RATE / V7_RANDOM);

/* Whatever the clocks and the load have in common. */
FORMULA(v7_at_most, (double N, double R, double T),
		N * (N - 1) / 2 * R * T / V7_RANDOM);

/* gid_uuid_v7_at(): M ids of one millisecond. */
FORMULA(v7_backfill, (double M),
		M * (M - 1) / 2 / V7_BELOW_MS);

/* gen_random_uuid() */
FORMULA(v4_equal, (double N, double R, double T),
		N * R * T * (N * R * T - 1) / 2 / V4_RANDOM);

/* ---- sequential and shard-key UUIDs ---- */

/* Lives are from one start of a server to the next. */
FORMULA(pairs_of_lives, (double N, double S),
		(N - 1) * (N / 2 + S));

FORMULA(equal_processes, (double N, double S),
		pairs_of_lives(N, S) / PROCESSES);

FORMULA(equal_ticks, (double R, double T),
		R * R * T / TICKS_RATE);

FORMULA(equal_generators, (double N, double S),
		pairs_of_lives(N, S) / GENERATORS);

FORMULA(equal_counters, (double R, double T),
		R * R * T / COUNTERS);

/* ---- TraceIds ---- */

FORMULA(trace_equal, (double R, double T),
		smaller(R) * T);

/* ---- DecimalIds: S restarts of the server ---- */

FORMULA(numbers_used, (double S, double R, double T),
		1 + S + R * T / DECIMAL_COUNTERS);

/* Where S grows by s in a second. */
static inline double
launch_lasts(double restarts_a_second, double R)
{
	return (NUMBERS - 1) / (restarts_a_second + R / DECIMAL_COUNTERS);
}

/* ---- codes ---- */

/*
 * Of M values of a sequence, the share P goes to one seed and the rest to
 * another one, which is D codes behind it.
 */
FORMULA(codes_equal, (double M, double D, double P),
		(M - D) * P * (1 - P));

#endif							/* MODEL_H */
