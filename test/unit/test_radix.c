/*-------------------------------------------------------------------------
 *
 * test_radix.c
 *		Numbers in any base, against a plain second implementation.
 *
 * The second one has numbers of 128 bits and divides them digit by digit.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "text/radix.h"
#include "tap.h"
#include "../plain/wide.h"

#define ROOM		(GID_RADIX_MAX_DIGITS + 10)

/* A number of the second implementation has four limbs at most. */
#define MAX_NLIMBS	4
#define MAX_BYTES	(4 * MAX_NLIMBS)

/* A base with digits in a random order or in that of ASCII. */
typedef struct Base
{
	int			size;
	char		chars[GID_RADIX_MAX];
	int8		place[256];
	GidRadix	radix;
} Base;

static void
make_base(Base *base, int size, bool in_order)
{
	char		all[GID_RADIX_MAX];

	base->size = size;
	memset(base->place, -1, sizeof(base->place));
	for (int i = 0; i < GID_RADIX_MAX; i++)
		all[i] = (char) ('!' + i);
	for (int i = 0; i < size; i++)
	{
		int			j = in_order ? i : i + (int) (tap_random() % (GID_RADIX_MAX - i));
		char		c = all[j];

		all[j] = all[i];
		all[i] = c;
		base->chars[i] = c;
		base->place[(unsigned char) c] = (int8) i;
	}
	gid_radix_open(&base->radix, size);
}

/* ---- the second implementation ---- */

static UWide
plain_max(int nlimbs)
{
	return nlimbs == 4 ? ~(UWide) 0 : ((UWide) 1 << (32 * nlimbs)) - 1;
}

/* The digits of a number, filled up to a width; how many. */
static int
plain_put(const Base *base, UWide n, int width, char *code)
{
	char		digits[ROOM];
	int			ndigits = 0;

	do
	{
		digits[ndigits++] = base->chars[(int) (n % base->size)];
		n /= base->size;
	} while (n != 0);
	while (ndigits < width)
		digits[ndigits++] = base->chars[0];
	for (int i = 0; i < ndigits; i++)
		code[i] = digits[ndigits - 1 - i];
	code[ndigits] = '\0';
	return ndigits;
}

static GidFaultKind
plain_get(const Base *base, const char *code, int length, UWide max,
		  UWide *n, int *at)
{
	bool		too_large = false;

	*n = 0;
	for (int i = 0; i < length; i++)
	{
		const char *digit = memchr(base->chars, code[i], base->size);
		UWide		value;

		*at = i;
		if (digit == NULL)
			return GID_FAULT_FOREIGN;
		value = (UWide) (digit - base->chars);
		if (too_large || value > max || *n > (max - value) / base->size)
			too_large = true;
		else
			*n = *n * base->size + value;
	}
	return too_large ? GID_FAULT_TOO_LARGE : GID_FAULT_NONE;
}

/* ---- the first ---- */

static void
bytes_put(UWide n, uint8 *bytes, int nbytes)
{
	for (int i = nbytes - 1; i >= 0; i--, n >>= 8)
		bytes[i] = (uint8) n;
}

static UWide
bytes_get(const uint8 *bytes, int nbytes)
{
	UWide		n = 0;

	for (int i = 0; i < nbytes; i++)
		n = n << 8 | bytes[i];
	return n;
}

static const char *
show(UWide n)
{
	static char code[40];

	snprintf(code, sizeof(code), "0x%016llx%016llx",
			 (unsigned long long) (n >> 64), (unsigned long long) n);
	return code;
}

/* A number of any size: small, near a power of the base, an end, any bits. */
static UWide
random_number(const Base *base, int nlimbs)
{
	UWide		max = plain_max(nlimbs);
	UWide		n = 1;

	switch (tap_random() % 6)
	{
		case 0:
			return tap_random_to(2 * base->size) & max;
		case 1:
			return max - tap_random_to(2 * base->size);
		case 2:
			for (int i = (int) (tap_random() % GID_RADIX_MAX_DIGITS); i > 0 && n <= max / base->size; i--)
				n *= base->size;
			return (n + tap_random() % 3 - 1) & max;
		default:
			n = (UWide) tap_random() << 64 | tap_random();
			return (n & max) >> tap_random() % (32 * nlimbs);
	}
}

static void
test_widths(void)
{
	tap_begin("the width is that of the largest number, for every base");
	for (int size = GID_RADIX_MIN; size <= GID_RADIX_MAX; size++)
	{
		Base		base;
		char		code[ROOM];

		make_base(&base, size, true);
		tap_check(base.radix.width[0] == 0, "base %d", size);
		for (int nlimbs = 1; nlimbs <= MAX_NLIMBS; nlimbs++)
			tap_check(base.radix.width[nlimbs] ==
					  plain_put(&base, plain_max(nlimbs), 0, code),
					  "base %d, %d limbs: %d", size, nlimbs, base.radix.width[nlimbs]);
	}
	tap_end();

	tap_begin("a multiplication divides, up to 2^31, for every base");
	for (int size = GID_RADIX_MIN; size <= GID_RADIX_MAX; size++)
	{
		GidRadix	radix;

		gid_radix_open(&radix, size);
		tap_check(radix.chunk <= UINT64CONST(1) << 31, "base %d", size);
		for (int i = 0; i < 500; i++)
		{
			/* where the quotient changes, and at the end */
			uint32		quotient = (uint32) tap_random_to(PG_INT32_MAX / size);
			uint32		n = i < 100 ? (uint32) (PG_INT32_MAX - i) :
			quotient * size + (uint32) tap_random_to(1) * (size - 1);
			uint32		was;
			uint32		rest;

			n = Min(n, (uint32) PG_INT32_MAX);
			was = n;
			rest = gid_radix_next(&radix, &n);
			tap_check(n == was / size && rest == was % size,
					  "%u / %d: %u and %u", was, size, n, rest);
		}
	}
	tap_end();
}

static void
test_put(void)
{
	tap_begin("digits of fixed width and the shortest, and back, for every base and size");
	for (int i = 0; i < 20000; i++)
	{
		Base		base;
		int			nlimbs = 1 + i % MAX_NLIMBS;
		uint8		bytes[MAX_BYTES];
		GidFault	fault;
		int			width;
		char		want[ROOM];
		char		shortest[64];
		char	   *end = shortest + sizeof(shortest);
		char	   *got;
		UWide		n;

		make_base(&base, GID_RADIX_MIN + i / 4 % (GID_RADIX_MAX - 1), i % 2);
		n = random_number(&base, nlimbs);
		width = plain_put(&base, n, base.radix.width[nlimbs], want);
		/* of its exact length, so that the sanitizer sees a step beyond it */
		got = malloc(base.radix.width[nlimbs]);
		bytes_put(n, bytes, 4 * nlimbs);
		gid_radix_put(&base.radix, base.chars, bytes, 4 * nlimbs, got);
		tap_check(width == gid_radix_width(&base.radix, 4 * nlimbs) && memcmp(got, want, width) == 0,
				  "%s in base %d: \"%.*s\", not \"%s\"", show(n), base.size,
				  base.radix.width[nlimbs], got, want);
		tap_check(gid_radix_get(&base.radix, base.place, got, width, bytes, 4 * nlimbs,
								&fault) && bytes_get(bytes, 4 * nlimbs) == n,
				  "%s in base %d does not come back", show(n), base.size);
		free(got);
		if (nlimbs > 2)
			continue;
		width = plain_put(&base, n, 0, want);
		got = gid_radix_put_shortest(&base.radix, base.chars, (uint64) n, end);
		tap_check(end - got == width && memcmp(got, want, width) == 0,
				  "%s in base %d: \"%.*s\", not \"%s\"", show(n), base.size,
				  (int) (end - got), got, want);
	}
	tap_end();
}

/* Texts of any kind: too long, too large, with what is no digit. */
static void
test_get(void)
{
	int			seen[GID_NFAULTS] = {0};

	tap_begin("any code is read as by a second implementation");
	for (int i = 0; i < 30000; i++)
	{
		Base		base;
		int			nlimbs = 1 + i % MAX_NLIMBS;
		uint8		bytes[MAX_BYTES];
		GidFault	got = {.kind = GID_FAULT_NONE};
		int			want_at = -1;
		int			length;
		char	   *code;
		char		digits[ROOM];
		UWide		n;
		GidFaultKind want;
		bool		is_read;

		make_base(&base, GID_RADIX_MIN + (int) (tap_random() % (GID_RADIX_MAX - 1)), i % 2);
		length = base.radix.width[nlimbs] + (int) (tap_random() % 5) - 2;
		if (i % 5 == 0)
			length = (int) (tap_random() % (base.radix.width[nlimbs] + 3));
		/* the largest number, with the last digits changed */
		plain_put(&base, plain_max(nlimbs), length, digits);
		code = malloc(length);
		for (int j = 0; j < length; j++)
			code[j] = i % 3 != 0 && j < length - 3 ? digits[j] :
				base.chars[tap_random() % base.size];
		if (i % 7 == 0 && length > 0)
			code[tap_random() % length] = (char) tap_random();

		want = plain_get(&base, code, length, plain_max(nlimbs), &n, &want_at);
		is_read = gid_radix_get(&base.radix, base.place, code, length, bytes, 4 * nlimbs, &got);
		tap_check(is_read == (want == GID_FAULT_NONE) && got.kind == want &&
				  (want != GID_FAULT_FOREIGN || got.at == want_at) &&
				  (want != GID_FAULT_NONE || bytes_get(bytes, 4 * nlimbs) == n),
				  "\"%.*s\" in base %d: error %d at %d, not %d at %d", length, code,
				  base.size, got.kind, got.at, want, want_at);
		seen[want]++;
		free(code);
	}
	tap_check(seen[GID_FAULT_NONE] > 3000 && seen[GID_FAULT_FOREIGN] > 500 &&
			  seen[GID_FAULT_TOO_LARGE] > 3000, "%d, %d, %d",
			  seen[GID_FAULT_NONE], seen[GID_FAULT_FOREIGN], seen[GID_FAULT_TOO_LARGE]);
	tap_end();
}

int
main(void)
{
	test_widths();
	test_put();
	test_get();
	return tap_done();
}
