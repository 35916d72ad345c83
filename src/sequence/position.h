/*-------------------------------------------------------------------------
 *
 * sequence/position.h
 *		The horizon of a sequence: its position, and the transactions that may
 *		have drawn before it.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_POSITION_H
#define GID_SEQUENCE_POSITION_H

#include "horizon/answer.h"

extern void gid_position_horizon(Oid sequence, GidHorizon *horizon);
extern void gid_position_wait(Oid sequence, int timeout_ms);

#endif							/* GID_SEQUENCE_POSITION_H */
