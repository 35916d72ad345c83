/*-------------------------------------------------------------------------
 *
 * layout/permutation.h
 *		A keyed bijection of 1..2^bits-1 onto itself, for 8 to 63 bits.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LAYOUT_PERMUTATION_H
#define GID_LAYOUT_PERMUTATION_H

#include "layout/siphash.h"

/*
 * With fewer than 8 bits, a half has too few values to mix, and anybody could
 * write the whole mapping down.  With 64 bits a bigint could be negative.
 */
#define GID_PERMUTE_MIN_BITS	8
#define GID_PERMUTE_MAX_BITS	63

/* From the length of SipHash's key to the length of a hash of 512 bits. */
#define GID_PERMUTE_MIN_KEY		GID_SIPHASH_KEY_BYTES
#define GID_PERMUTE_MAX_KEY		64

/*
 * Of 32 bits, test/randomness tells two rounds from a random permutation.  Of
 * 8 bits, test/unit tells four rounds from one.  No test of ours tells six
 * rounds, and there are four more for safety.  The number must be even, so
 * that each half is changed as often as the other.
 */
#define GID_PERMUTE_ROUNDS		10
#define GID_PERMUTE_SUBKEYS		(2 * GID_PERMUTE_ROUNDS)

/* The subkeys of a key for a number of bits. */
typedef struct GidPermutation
{
	uint64		max;			/* 2^bits - 1 */
	int			left_bits;
	int			right_bits;
	uint64		subkeys[GID_PERMUTE_SUBKEYS];
} GidPermutation;

extern void gid_permute_setup(GidPermutation *p, const uint8 *key,
							  int key_length, int bits);
extern uint64 gid_permute_forward(const GidPermutation *p, uint64 id);
extern uint64 gid_permute_backward(const GidPermutation *p, uint64 permuted);

#endif							/* GID_LAYOUT_PERMUTATION_H */
