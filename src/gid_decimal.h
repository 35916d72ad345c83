/*-------------------------------------------------------------------------
 *
 * gid_decimal.h
 *		DecimalIds: what the views need to know of them.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_DECIMAL_H
#define GID_DECIMAL_H

extern Oid	gid_decimal_find_sequence(Oid function);

#endif							/* GID_DECIMAL_H */
