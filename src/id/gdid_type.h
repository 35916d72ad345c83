/*-------------------------------------------------------------------------
 *
 * id/gdid_type.h
 *		GDIDs as arguments of SQL functions.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ID_GDID_TYPE_H
#define GID_ID_GDID_TYPE_H

#include "fmgr.h"

#include "layout/gdid.h"

#define PG_GETARG_GDID(n)	((GidGdid *) PG_GETARG_POINTER(n))
#define DatumGetGdid(x)		((GidGdid *) DatumGetPointer(x))

#endif							/* GID_ID_GDID_TYPE_H */
