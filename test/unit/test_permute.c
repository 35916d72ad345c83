/*-------------------------------------------------------------------------
 *
 * test_permute.c
 *		The keyed permutation of ids: bijection, inverse, and a plain second
 *		implementation.  test/randomness judges the results, sql/vectors_made.sql has
 *		the values that do not change.
 *
 * The second one is written from the comments of layout/permutation.c.
 * It hashes byte by byte, goes through the network as FF1 is described, with
 * halves that change places, and walks until the result is not 0.
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

/* ---- the second implementation ---- */

typedef struct Plain
{
	int			bits;
	int			key_length;
	const uint8 *key;
} Plain;

typedef struct PlainHash
{
	uint64		a,
				b,
				c,
				d;
	uint64		word;
	int			bytes;
} PlainHash;

static uint64
plain_turn(uint64 x, int n)
{
	for (; n > 0; n--)
		x = x << 1 | x >> 63;
	return x;
}

static void
plain_sipround(PlainHash *h)
{
	h->a += h->b;
	h->c += h->d;
	h->b = plain_turn(h->b, 13);
	h->d = plain_turn(h->d, 16);
	h->b ^= h->a;
	h->d ^= h->c;
	h->a = plain_turn(h->a, 32);
	h->c += h->b;
	h->a += h->d;
	h->b = plain_turn(h->b, 17);
	h->d = plain_turn(h->d, 21);
	h->b ^= h->c;
	h->d ^= h->a;
	h->c = plain_turn(h->c, 32);
}

static void
plain_byte(PlainHash *h, uint8 byte)
{
	h->word |= (uint64) byte << 8 * (h->bytes % 8);
	if (++h->bytes % 8 != 0)
		return;
	h->d ^= h->word;
	plain_sipround(h);
	plain_sipround(h);
	h->a ^= h->word;
	h->word = 0;
}

static void
plain_begin(PlainHash *h, const uint8 *key)
{
	static const char string[] = "somepseudorandomlygeneratedbytes";
	uint64		words[4] = {0};
	uint64		halves[2] = {0};

	for (int i = 0; i < 32; i++)
		words[i / 8] = words[i / 8] << 8 | (uint8) string[i];

	for (int i = 0; i < 16; i++)
		halves[i / 8] += (uint64) key[i] << 8 * (i % 8);
	h->a = words[0] ^ halves[0];
	h->b = words[1] ^ halves[1];
	h->c = words[2] ^ halves[0];
	h->d = words[3] ^ halves[1];
	h->word = 0;
	h->bytes = 0;
}

static uint64
plain_end(PlainHash *h)
{
	int			length = h->bytes;

	while (h->bytes % 8 != 7)
		plain_byte(h, 0);
	plain_byte(h, (uint8) length);
	h->c ^= 0xff;
	for (int i = 0; i < 4; i++)
		plain_sipround(h);
	return h->a ^ h->b ^ h->c ^ h->d;
}

static uint64
plain_subkey(const Plain *p, int n)
{
	PlainHash	h;

	plain_begin(&h, p->key);
	for (const char *label = "gidp"; *label != '\0'; label++)
		plain_byte(&h, (uint8) *label);
	plain_byte(&h, 1);
	plain_byte(&h, (uint8) p->bits);
	plain_byte(&h, (uint8) p->key_length);
	plain_byte(&h, (uint8) n);
	for (int i = 16; i < p->key_length; i++)
		plain_byte(&h, p->key[i]);
	return plain_end(&h);
}

/* The function of a round, its result of so many bits. */
static uint64
plain_function(const Plain *p, int round, uint64 x, int bits)
{
	uint64		h = x * plain_subkey(p, 2 * round) + plain_subkey(p, 2 * round + 1);
	uint64		result = 0;

	h = (h ^ h / 4294967296) * UINT64CONST(11400714819323198485);
	for (int i = 0; i < bits; i++)
		result = 2 * result + (h >> (63 - i)) % 2;
	return result;
}

static uint64
plain_permute(const Plain *p, uint64 id)
{
	do
	{
		int			a_bits = p->bits / 2;
		int			b_bits = p->bits - a_bits;
		uint64		a = id / (UINT64CONST(1) << b_bits);
		uint64		b = id % (UINT64CONST(1) << b_bits);

		for (int round = 0; round < 10; round++)
		{
			uint64		c = a ^ plain_function(p, round, b, a_bits);
			int			bits = a_bits;

			a = b;
			a_bits = b_bits;
			b = c;
			b_bits = bits;
		}
		id = a * (UINT64CONST(1) << b_bits) + b;
	} while (id == 0);
	return id;
}

/* ---- checks ---- */

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
check_plain(void)
{
	tap_begin("all bits: the second implementation, and the way back");
	for (int bits = GID_PERMUTE_MIN_BITS; bits <= GID_PERMUTE_MAX_BITS; bits++)
	{
		for (int i = 0; i < 10; i++)
		{
			uint8		key[GID_PERMUTE_MAX_KEY];
			Plain		plain = {bits, random_key(key), key};
			GidPermutation p;

			gid_permute_setup(&p, key, plain.key_length, bits);
			for (int j = 0; j < 10; j++)
			{
				uint64		id = 1 + tap_random_to(GID_MASK(bits) - 1);
				uint64		permuted = gid_permute_forward(&p, id);

				tap_check(permuted == plain_permute(&plain, id), "%d bits: %llu gives %llu",
						  bits, (unsigned long long) id, (unsigned long long) permuted);
				tap_check(permuted >= 1 && permuted <= GID_MASK(bits), "%d bits: %llu",
						  bits, (unsigned long long) permuted);
				tap_check(gid_permute_backward(&p, permuted) == id, "%d bits: %llu and back",
						  bits, (unsigned long long) id);
				tap_check(gid_permute_forward(&p, gid_permute_backward(&p, id)) == id,
						  "%d bits: back and %llu", bits, (unsigned long long) id);
			}
		}
	}
	tap_end();
}

int
main(void)
{
	tap_start();
	check_siphash();
	check_exhaustive();
	check_plain();
	return tap_done();
}
