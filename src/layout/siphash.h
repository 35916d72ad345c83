/*-------------------------------------------------------------------------
 *
 * layout/siphash.h
 *		SipHash-2-4, a keyed hash of 64 bits.
 *
 * The subkeys of a permutation and the masks of UUIDs are hashes of this kind.
 * So the result is a part of published formats, and the same on every machine.
 *
 * References: Aumasson and Bernstein, "SipHash: a fast short-input PRF"
 * (2012).
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LAYOUT_SIPHASH_H
#define GID_LAYOUT_SIPHASH_H

#define GID_SIPHASH_KEY_BYTES	16

/* Rotate a word to the left by 1 to 63 bits. */
static inline uint64
gid_siphash_rotate(uint64 word, int bits)
{
	return word << bits | word >> (64 - bits);
}

/* Load eight bytes, the lowest first. */
static inline uint64
gid_siphash_load(const uint8 *bytes)
{
	uint64		word = 0;

	for (int i = 7; i >= 0; i--)
		word = word << 8 | bytes[i];
	return word;
}

/* Apply SipRound to the state, "rounds" times. */
static inline void
gid_siphash_rounds(uint64 v[4], int rounds)
{
	while (rounds-- > 0)
	{
		v[0] += v[1];
		v[1] = gid_siphash_rotate(v[1], 13) ^ v[0];
		v[0] = gid_siphash_rotate(v[0], 32);
		v[2] += v[3];
		v[3] = gid_siphash_rotate(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = gid_siphash_rotate(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = gid_siphash_rotate(v[1], 17) ^ v[2];
		v[2] = gid_siphash_rotate(v[2], 32);
	}
}

/* Mix a word of the message into the state. */
static inline void
gid_siphash_absorb(uint64 v[4], uint64 word)
{
	v[3] ^= word;
	gid_siphash_rounds(v, 2);
	v[0] ^= word;
}

/* Hash a message of "length" bytes with a key of 16 bytes. */
static inline uint64
gid_siphash(const uint8 key[GID_SIPHASH_KEY_BYTES], const uint8 *message, int length)
{
	uint64		k0 = gid_siphash_load(key);
	uint64		k1 = gid_siphash_load(key + 8);
	uint8		last[8] = {0};
	int			whole = length - length % 8;

	/* the constants are the ASCII text "somepseudorandomlygeneratedbytes" */
	uint64		v[4] = {
		k0 ^ UINT64CONST(0x736f6d6570736575),
		k1 ^ UINT64CONST(0x646f72616e646f6d),
		k0 ^ UINT64CONST(0x6c7967656e657261),
		k1 ^ UINT64CONST(0x7465646279746573),
	};

	for (int at = 0; at < whole; at += 8)
		gid_siphash_absorb(v, gid_siphash_load(message + at));
	memcpy(last, message + whole, length - whole);
	last[7] = (uint8) length;
	gid_siphash_absorb(v, gid_siphash_load(last));
	v[2] ^= 0xff;
	gid_siphash_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

#endif							/* GID_LAYOUT_SIPHASH_H */
