/*-------------------------------------------------------------------------
 *
 * id/decimal_sequence.h
 *		DecimalIds: what the views need to know of them.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ID_DECIMAL_SEQUENCE_H
#define GID_ID_DECIMAL_SEQUENCE_H

extern Oid	gid_decimal_find_sequence(Oid function);

#endif							/* GID_ID_DECIMAL_SEQUENCE_H */
