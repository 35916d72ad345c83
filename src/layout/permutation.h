/*-------------------------------------------------------------------------
 *
 * layout/permutation.h
 *		A keyed bijection of 1..2^bits-1 onto itself, for bits 8 to 63.
 *
 * It is for ids that should not show their order.  It is not encryption, and
 * nobody has studied it as such; the README says what it hides.  What it gives
 * for a key, a number of bits and an id is a published format: once released
 * it does not change.
 *
 * State: none.  Everything here is a pure static inline function; it compiles
 * with postgres.h and with postgres_fe.h, and test/unit runs it without a
 * server.
 *
 * Invariants:
 * 1. For any key and bits, gid_permute_forward() is a bijection of
 *	  1..2^bits-1, and gid_permute_backward() is its inverse.
 * 2. Every byte of the key, its length and the bits are in every subkey.
 * 3. The result is the same on every machine: no byte order, no int size.
 *
 * Crash, restart, clock step, standby: nothing depends on them.
 *
 * The network
 *
 *	bits - 1                                                              0
 *	| left: bits / 2, rounded down     | right: bits - bits / 2            |
 *	                |                                  |
 *	               (+)<-------------- F0 --------------+
 *	                |                                  |
 *	                +---------------- F1 ------------>(+)
 *	                |                                  |
 *	               (+)<-------------- F2 --------------+
 *	                |                                  |
 *	                :          ten rounds              :
 *	                |                                  |
 *	                +---------------- F9 ------------>(+)
 *	                |                                  |
 *	| left                             | right                             |
 *
 * (+) is exclusive or.  An even round changes the left half by a function of
 * the right one, an odd round the right one by a function of the left one; so
 * the network is its own inverse when its rounds are gone through backwards,
 * whatever the functions are, also where the halves differ by a bit.
 *
 * The function of a round, of a half x, with subkeys a and b, 64 bits each:
 *
 *		h = x * a + b							mod 2^64
 *		h = h ^ (h >> 32)
 *		h = h * 0x9e3779b97f4a7c15				mod 2^64
 *		F(x) = the highest bits of h, as many as the other half has
 *
 * x * a + b with secret a and b, of which one takes the high half, is strongly
 * universal: any two different x give two independent results.  But it is
 * linear in x, so that consecutive x would give an arithmetic progression; the
 * shift and the second multiplication make an end of that, and carry the low
 * bits up.  (What is left of the independence then, nobody has proven.)  All
 * rounds together take some 30 ns.
 *
 * Zero.  The network maps 0..2^bits-1 onto itself, and ids begin at 1.  Where
 * an id other than 0 is mapped to 0, the network is applied once more, to 0
 * ("cycle walking"); the result is not 0, because 0 has been reached already,
 * from the id.  The inverse does the same.
 *
 * Subkeys.  Subkey n, of 0 to 19, is
 *
 *		SipHash-2-4(key[0..15], "gidp" 1 bits length n key[16..length-1])
 *
 * where the first 16 bytes of the key are SipHash's key, its other bytes the
 * end of the message, and 1 (the version of this format), bits, the length of
 * the key and n are a byte each.  Round i has a = subkey 2i, b = subkey 2i +
 * 1.  So keys of other lengths and other numbers of bits have subkeys of their
 *	  own.
 *
 * References: Luby and Rackoff, "How to construct pseudorandom permutations
 * from pseudorandom functions" (1988): three rounds, four against who also
 * asks for inverses.  Black and Rogaway, "Ciphers with arbitrary finite
 * domains" (2002): cycle walking, and Feistel networks over small domains.
 * Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012).
 * Dietzfelbinger, "Universal hashing and k-wise independent random variables
 * via integer arithmetic without primes" (1996).  The halves that take turns
 * and the ten rounds are those of FF1 in NIST SP 800-38G; it differs in all
 * else: FF1 adds digits instead of bits, its round function is AES, it takes a
 * tweak, and it is encryption.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LAYOUT_PERMUTATION_H
#define GID_LAYOUT_PERMUTATION_H

#include "base/bits.h"

/*
 * With fewer bits a half has too few values to mix, and anybody could write
 * the whole mapping down; with 64 a bigint would be negative.
 */
#define GID_PERMUTE_MIN_BITS	8
#define GID_PERMUTE_MAX_BITS	63

/* SipHash's key; and as many bytes as a hash of 512 bits has. */
#define GID_PERMUTE_MIN_KEY		16
#define GID_PERMUTE_MAX_KEY		64

/*
 * Two rounds are told from a random permutation by test/randomness, of 32
 * bits, and four by test/unit, of 8 bits; six are not, and there are four
 * more.  It must be even, so that each half is changed as often as the other.
 */
#define GID_PERMUTE_ROUNDS		10
#define GID_PERMUTE_SUBKEYS		(2 * GID_PERMUTE_ROUNDS)

/*
 * 2^64 divided by the golden ratio, rounded down, which is odd: Fibonacci
 * hashing (Knuth, volume 3, 6.4).  Any odd number with its bits well spread
 * would do; this one is known not to be chosen for a purpose.
 */
#define GID_PERMUTE_MULTIPLIER	UINT64CONST(0x9e3779b97f4a7c15)

#define GID_PERMUTE_VERSION		1

/* What a message to SipHash has before the key's bytes. */
#define GID_PERMUTE_LABEL_BYTES 8

/* The subkeys of a key for a number of bits. */
typedef struct GidPermutation
{
	uint64		max;			/* 2^bits - 1 */
	int			left_bits;
	int			right_bits;
	uint64		subkeys[GID_PERMUTE_SUBKEYS];
} GidPermutation;

/* ---- SipHash ---- */

static inline uint64
gid_rotate_left(uint64 word, int bits)
{
	return word << bits | word >> (64 - bits);
}

/* Eight bytes, the lowest first. */
static inline uint64
gid_get_le64(const uint8 *bytes)
{
	uint64		word = 0;

	for (int i = 7; i >= 0; i--)
		word = word << 8 | bytes[i];
	return word;
}

static inline void
gid_siphash_rounds(uint64 v[4], int rounds)
{
	while (rounds-- > 0)
	{
		v[0] += v[1];
		v[1] = gid_rotate_left(v[1], 13) ^ v[0];
		v[0] = gid_rotate_left(v[0], 32);
		v[2] += v[3];
		v[3] = gid_rotate_left(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = gid_rotate_left(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = gid_rotate_left(v[1], 17) ^ v[2];
		v[2] = gid_rotate_left(v[2], 32);
	}
}

static inline void
gid_siphash_absorb(uint64 v[4], uint64 word)
{
	v[3] ^= word;
	gid_siphash_rounds(v, 2);
	v[0] ^= word;
}

/* SipHash-2-4 of a message. */
static inline uint64
gid_siphash(const uint8 key[16], const uint8 *message, int length)
{
	uint64		k0 = gid_get_le64(key);
	uint64		k1 = gid_get_le64(key + 8);
	uint8		last[8] = {0};
	int			whole = length - length % 8;

	/* the constants are "somepseudorandomlygeneratedbytes" */
	uint64		v[4] = {
		k0 ^ UINT64CONST(0x736f6d6570736575),
		k1 ^ UINT64CONST(0x646f72616e646f6d),
		k0 ^ UINT64CONST(0x6c7967656e657261),
		k1 ^ UINT64CONST(0x7465646279746573),
	};

	for (int at = 0; at < whole; at += 8)
		gid_siphash_absorb(v, gid_get_le64(message + at));
	memcpy(last, message + whole, length - whole);
	last[7] = (uint8) length;
	gid_siphash_absorb(v, gid_get_le64(last));
	v[2] ^= 0xff;
	gid_siphash_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* ---- the network ---- */

/*
 * The permutation of a key of 16 to 64 bytes and bits of 8 to 63.  Some 20
 * hashes of up to 56 bytes: about half a microsecond to one.
 */
static inline void
gid_permute_setup(GidPermutation *p, const uint8 *key, int key_length, int bits)
{
	uint8		message[GID_PERMUTE_LABEL_BYTES + GID_PERMUTE_MAX_KEY] = {
		'g', 'i', 'd', 'p', GID_PERMUTE_VERSION, (uint8) bits, (uint8) key_length, 0,
	};
	int			rest = key_length - GID_PERMUTE_MIN_KEY;

	memcpy(message + GID_PERMUTE_LABEL_BYTES, key + GID_PERMUTE_MIN_KEY, rest);
	for (int n = 0; n < GID_PERMUTE_SUBKEYS; n++)
	{
		message[GID_PERMUTE_LABEL_BYTES - 1] = (uint8) n;
		p->subkeys[n] = gid_siphash(key, message, GID_PERMUTE_LABEL_BYTES + rest);
	}
	p->max = GID_MASK(bits);
	p->left_bits = bits / 2;
	p->right_bits = bits - bits / 2;
}

/* The function of a round: of a half, as many bits as the other half has. */
static inline uint64
gid_permute_round(const GidPermutation *p, int round, uint64 half, int bits)
{
	uint64		h = half * p->subkeys[2 * round] + p->subkeys[2 * round + 1];

	h ^= h >> 32;
	h *= GID_PERMUTE_MULTIPLIER;
	return h >> (64 - bits);
}

/* All rounds, of 0..2^bits-1. */
static inline uint64
gid_permute_pass(const GidPermutation *p, uint64 id)
{
	uint64		left = id >> p->right_bits;
	uint64		right = id & GID_MASK(p->right_bits);

	for (int round = 0; round < GID_PERMUTE_ROUNDS; round += 2)
	{
		left ^= gid_permute_round(p, round, right, p->left_bits);
		right ^= gid_permute_round(p, round + 1, left, p->right_bits);
	}
	return left << p->right_bits | right;
}

/* The same backwards. */
static inline uint64
gid_permute_pass_back(const GidPermutation *p, uint64 id)
{
	uint64		left = id >> p->right_bits;
	uint64		right = id & GID_MASK(p->right_bits);

	for (int round = GID_PERMUTE_ROUNDS - 2; round >= 0; round -= 2)
	{
		right ^= gid_permute_round(p, round + 1, left, p->right_bits);
		left ^= gid_permute_round(p, round, right, p->left_bits);
	}
	return left << p->right_bits | right;
}

/* What an id of 1..2^bits-1 becomes. */
static inline uint64
gid_permute_forward(const GidPermutation *p, uint64 id)
{
	uint64		permuted = gid_permute_pass(p, id);

	return likely(permuted != 0) ? permuted : gid_permute_pass(p, 0);
}

/* The id that became this one. */
static inline uint64
gid_permute_backward(const GidPermutation *p, uint64 permuted)
{
	uint64		id = gid_permute_pass_back(p, permuted);

	return likely(id != 0) ? id : gid_permute_pass_back(p, 0);
}

#endif							/* GID_LAYOUT_PERMUTATION_H */
