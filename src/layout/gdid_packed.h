/*-------------------------------------------------------------------------
 *
 * layout/gdid_packed.h
 *		The packed form of a GDID.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LAYOUT_GDID_PACKED_H
#define GID_LAYOUT_GDID_PACKED_H

#include "layout/gdid.h"

/* 32 bits of era take at most 5 bytes, 64 bits of id at most 10. */
#define GID_GDID_PACKED_SIZE	(5 + 10)

extern int	gid_gdid_put_packed(uint8 *bytes, const GidGdid *gdid);
extern bool gid_gdid_get_packed(const uint8 *bytes, int length, GidGdid *gdid,
								GidGdidError *error);

#endif							/* GID_LAYOUT_GDID_PACKED_H */
