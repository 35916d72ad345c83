/*-------------------------------------------------------------------------
 *
 * id/views.h
 *		What the views share: the names of families, and a forecast.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ID_VIEWS_H
#define GID_ID_VIEWS_H

#include "datatype/timestamp.h"

#include "attach/backend_slot.h"

extern const char *const gid_family_names[GID_NFAMILIES];

extern TimestampTz gid_stat_moment(double count, double rate);

#endif							/* GID_ID_VIEWS_H */
