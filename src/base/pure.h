/*-------------------------------------------------------------------------
 *
 * base/pure.h
 *		What a pure file includes first: it compiles with and without a server.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifdef FRONTEND
#include "postgres_fe.h"
#else
#include "postgres.h"
#endif
