/*-------------------------------------------------------------------------
 *
 * layout/decimal_id.h
 *		The decimal places of a DecimalId.
 *
 * References: DecimalId of actoromicon.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LAYOUT_DECIMAL_ID_H
#define GID_LAYOUT_DECIMAL_ID_H

/*
 * DecimalId: counter * 10^10 + generator * 10^5 + launch
 *
 *	| counter, 1 to 9 digits | generator, 5 digits | launch, 5 digits |
 */
#define GID_DECIMAL_LAUNCH_STEP		INT64CONST(100000)
#define GID_DECIMAL_COUNTER_STEP	INT64CONST(10000000000)
#define GID_DECIMAL_MAX_COUNTER		922337202
#define GID_DECIMAL_MAX_GENERATOR	99999
#define GID_DECIMAL_MAX_LAUNCH		99999
#define GID_DECIMAL_MAX \
	(GID_DECIMAL_MAX_COUNTER * GID_DECIMAL_COUNTER_STEP + \
	 GID_DECIMAL_MAX_GENERATOR * GID_DECIMAL_LAUNCH_STEP + GID_DECIMAL_MAX_LAUNCH)

static inline int64
gid_decimal_pack(int32 counter, int32 generator, int32 launch)
{
	return counter * GID_DECIMAL_COUNTER_STEP +
		generator * GID_DECIMAL_LAUNCH_STEP + launch;
}

/* Can it be a DecimalId?  A counter begins at 1. */
static inline bool
gid_is_decimal(int64 id)
{
	return id >= GID_DECIMAL_COUNTER_STEP && id <= GID_DECIMAL_MAX;
}

static inline int32
gid_decimal_counter(int64 id)
{
	return (int32) (id / GID_DECIMAL_COUNTER_STEP);
}

static inline int32
gid_decimal_generator(int64 id)
{
	return (int32) (id / GID_DECIMAL_LAUNCH_STEP % GID_DECIMAL_LAUNCH_STEP);
}

static inline int32
gid_decimal_launch(int64 id)
{
	return (int32) (id % GID_DECIMAL_LAUNCH_STEP);
}

#endif							/* GID_LAYOUT_DECIMAL_ID_H */
