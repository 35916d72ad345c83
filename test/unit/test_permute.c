/*-------------------------------------------------------------------------
 *
 * test_permute.c
 *		The keyed permutation of ids: a bijection, its inverse, and its hash.
 *
 * The results themselves are in doc/vectors, which gid and the decoders of the
 * manual compare with their own.  test/randomness judges them.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "base/bits.h"
#include "layout/permutation.h"
#include "tap.h"

#define EXHAUSTIVE_BITS 16

/* A key of as many bytes as it says: 00 01 02 ... */
static const uint8 *
counting_key(void)
{
	static uint8 key[GID_PERMUTE_MAX_KEY];

	for (int i = 0; i < (int) lengthof(key); i++)
		key[i] = (uint8) i;
	return key;
}

static int
random_key(uint8 *key)
{
	int			length = GID_PERMUTE_MIN_KEY +
	(int) tap_random_to(GID_PERMUTE_MAX_KEY - GID_PERMUTE_MIN_KEY);

	tap_random_bytes(key, length);
	return length;
}

/*
 * Appendix A of the SipHash paper, and values of its authors' list for the
 * same key: the message is 00 01 02 ...
 */
static void
check_siphash(void)
{
	static const struct
	{
		int			length;
		uint64		hash;
	}			vectors[] = {
		{15, UINT64CONST(0xa129ca6149be45e5)},
		{0, UINT64CONST(0x726fdb47dd0e0e31)},
		{1, UINT64CONST(0x74f839c593dc67fd)},
		{7, UINT64CONST(0xab0200f58b01d137)},
		{8, UINT64CONST(0x93f5f5799a932462)},
		{63, UINT64CONST(0x958a324ceb064572)},
	};

	tap_begin("SipHash-2-4 is that of the paper");
	for (int i = 0; i < (int) lengthof(vectors); i++)
	{
		const uint8 *bytes = counting_key();
		uint64		hash = gid_siphash(bytes, bytes, vectors[i].length);

		tap_check(hash == vectors[i].hash, "%d bytes: %016llx",
				  vectors[i].length, (unsigned long long) hash);
	}
	tap_end();
}

/* Every id of a number of bits: each result once, none 0, and the way back. */
static void
check_all(int bits)
{
	static uint8 seen[1 << EXHAUSTIVE_BITS];
	uint8		key[GID_PERMUTE_MAX_KEY];
	GidPermutation p;

	gid_permute_setup(&p, key, random_key(key), bits);
	memset(seen, 0, sizeof(seen));
	for (uint64 id = 1; id <= GID_MASK(bits); id++)
	{
		uint64		permuted = gid_permute_forward(&p, id);
		bool		inside = permuted >= 1 && permuted <= GID_MASK(bits);

		tap_check(inside && seen[permuted] == 0, "%d bits: %llu gives %llu",
				  bits, (unsigned long long) id, (unsigned long long) permuted);
		if (inside)
			seen[permuted] = 1;
		tap_check(gid_permute_backward(&p, permuted) == id, "%d bits: %llu and back",
				  bits, (unsigned long long) id);
	}
}

static void
check_exhaustive(void)
{
	bool		to_zero = false;

	tap_begin("bits 8 to 16: a bijection, and its inverse, all ids");
	for (int bits = GID_PERMUTE_MIN_BITS; bits <= EXHAUSTIVE_BITS; bits++)
	{
		for (int i = 0; i < (bits <= 10 ? 30 : 1); i++)
			check_all(bits);
	}
	tap_end();

	/* keys with which 0 is mapped to itself would leave the walk untested */
	tap_begin("the network itself maps an id to 0 and 0 to another");
	for (int i = 0; i < 10; i++)
	{
		uint8		key[GID_PERMUTE_MAX_KEY];
		GidPermutation p;

		gid_permute_setup(&p, key, random_key(key), 8);
		to_zero |= gid_permute_forward(&p, 0) != 0;
	}
	tap_check(to_zero, "not with any of ten keys");
	tap_end();
}

static void
check_inverse(void)
{
	tap_begin("all bits: within the range, and back, both ways");
	for (int i = 0; i < 30000; i++)
	{
		int			bits = GID_PERMUTE_MIN_BITS + i % (GID_PERMUTE_MAX_BITS - GID_PERMUTE_MIN_BITS + 1);
		uint64		id = 1 + tap_random_to(GID_MASK(bits) - 1);
		uint8		key[GID_PERMUTE_MAX_KEY];
		GidPermutation p;
		uint64		permuted;

		gid_permute_setup(&p, key, random_key(key), bits);
		permuted = gid_permute_forward(&p, id);
		tap_check(permuted >= 1 && permuted <= GID_MASK(bits) &&
				  gid_permute_backward(&p, permuted) == id &&
				  gid_permute_forward(&p, gid_permute_backward(&p, id)) == id,
				  "%d bits: " UINT64_FORMAT " gives " UINT64_FORMAT, bits, id, permuted);
	}
	tap_end();
}

int
main(void)
{
	check_siphash();
	check_exhaustive();
	check_inverse();
	return tap_done();
}
