/*-------------------------------------------------------------------------
 *
 * layout/permutation.c
 *		A keyed bijection of 1..2^bits-1 onto itself, for 8 to 63 bits.
 *
 * The permutation is for ids that should not show their order.  It is not
 * encryption, and nobody has studied it as such.  doc/what-an-id-shows.md says
 * what it hides.  The result for a key, a number of bits and an id is a
 * published format.  It never changes, and is the same on every machine.
 *
 * State: none.  The functions are pure.
 *
 * References: Luby and Rackoff, "How to construct pseudorandom permutations
 * from pseudorandom functions" (1988): three rounds, or four against an
 * attacker who also asks for inverses.  Black and Rogaway, "Ciphers with
 * arbitrary finite domains" (2002): cycle walking, and Feistel networks over
 * small domains.  Dietzfelbinger, "Universal hashing and k-wise independent
 * random variables via integer arithmetic without primes" (1996).  Alternating
 * halves and ten rounds are also in FF1 of NIST SP 800-38G.  All else differs:
 * FF1 adds digits instead of bits, its round function is AES, it takes a
 * tweak, and it is encryption.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "base/pure.h"

#include "base/bits.h"
#include "layout/permutation.h"

/*
 * 2^64 divided by the golden ratio, rounded down: Fibonacci hashing (Knuth,
 * volume 3, 6.4).  Any odd number with its bits well spread would do.  This
 * number is known not to be chosen for a hidden purpose.
 */
#define GID_PERMUTE_MULTIPLIER	UINT64CONST(0x9e3779b97f4a7c15)

/* The version of the format. */
#define GID_PERMUTE_VERSION		1

/* The bytes of a message to SipHash before the bytes of the key. */
#define GID_PERMUTE_LABEL_BYTES 8

/*
 * Make the permutation of a key of 16 to 64 bytes and a number of bits from 8
 * to 63.  That takes 20 hashes of up to 56 bytes, half a microsecond to one.
 *
 * Subkey n, of 0 to 19, is
 *
 *		SipHash-2-4(key[0..15], "gidp" 1 bits length n key[16..length-1])
 *
 * The version of this format (1), the number of bits, the length of the key
 * and n are a byte each.  So a key of another length or another number of bits
 * gives other subkeys.
 */
void
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

/*
 * The function of a round, of a half x and two subkeys a and b of 64 bits:
 *
 *		h = x * a + b							mod 2^64
 *		h = h ^ (h >> 32)
 *		h = h * 0x9e3779b97f4a7c15				mod 2^64
 *		F(x) = the highest bits of h, as many as the other half has
 *
 * The high half of x * a + b, with secret a and b, is strongly universal: any
 * two different x give two independent results.  But the product is linear in
 * x, so consecutive x would give an arithmetic progression.  The shift and the
 * second multiplication remove that, and they carry the low bits up.  Nobody
 * has proven how much of the independence remains.
 */
static inline uint64
gid_permute_round(const GidPermutation *p, int round, uint64 half, int bits)
{
	uint64		h = half * p->subkeys[2 * round] + p->subkeys[2 * round + 1];

	h ^= h >> 32;
	h *= GID_PERMUTE_MULTIPLIER;
	return h >> (64 - bits);
}

/*
 * Apply all rounds to a number of 0..2^bits-1.
 *
 *	bits - 1                                                              0
 *	| left: bits / 2, rounded down     | right: bits - bits / 2            |
 *	                |                                  |
 *	               (+)<-------------- F0 --------------+
 *	                |                                  |
 *	                +---------------- F1 ------------>(+)
 *	                |                                  |
 *	                :          ten rounds              :
 *	                |                                  |
 *	                +---------------- F9 ------------>(+)
 *	                |                                  |
 *	| left                             | right                             |
 *
 * (+) is exclusive or.  Round i has a = subkey 2i and b = subkey 2i + 1.  A
 * round changes one half by a function of the other, so the rounds in reverse
 * order are the inverse, also where the right half has one bit more.
 */
static uint64
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

/* Apply all rounds backwards. */
static uint64
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

/*
 * Permute an id of 1..2^bits-1.
 *
 * The rounds map 0..2^bits-1 onto itself.  Where they map an id to 0, they are
 * applied once more, to 0 ("cycle walking").  The result is not 0, because
 * only the id is mapped to 0.
 */
uint64
gid_permute_forward(const GidPermutation *p, uint64 id)
{
	uint64		permuted = gid_permute_pass(p, id);

	return likely(permuted != 0) ? permuted : gid_permute_pass(p, 0);
}

/*
 * Return the id of 1..2^bits-1 of which gid_permute_forward() made this one.
 */
uint64
gid_permute_backward(const GidPermutation *p, uint64 permuted)
{
	uint64		id = gid_permute_pass_back(p, permuted);

	return likely(id != 0) ? id : gid_permute_pass_back(p, 0);
}
