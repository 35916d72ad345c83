/*-------------------------------------------------------------------------
 *
 * layout/siphash.h
 *		SipHash-2-4, a keyed hash of 64 bits.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LAYOUT_SIPHASH_H
#define GID_LAYOUT_SIPHASH_H

#define GID_SIPHASH_KEY_BYTES	16

extern uint64 gid_siphash(const uint8 key[GID_SIPHASH_KEY_BYTES],
						  const uint8 *message, int length);

#endif							/* GID_LAYOUT_SIPHASH_H */
