/*-------------------------------------------------------------------------
 *
 * text/radix.h
 *		Numbers of up to 128 bits in any base from 2 to 94, and back.
 *
 * State: none.  Everything here is a pure static inline function over buffers
 * and lengths; it compiles with postgres.h and with postgres_fe.h, and
 * test/unit runs it without a server.
 *
 * A digit is a place in an alphabet, from 0, the highest digit first.  A
 * number of more than 64 bits is a list of limbs, that is, of 32 bits each,
 * the highest first; so a compiler without a type of 128 bits will do.
 *
 * Digits are made and read some at a time: as many as 31 bits always hold, a
 * chunk.  Only between chunks is anything longer divided or multiplied.
 *
 * Invariants:
 * 1. n * reciprocal >> shift is n / base for all n below 2^31.  Let 2^k be the
 *	  least power of two not below the base b, and shift = 31 + k; reciprocal =
 *	  2^shift / b + e / b with e from 1 to b.  The result is n / b + n * e / (b
 *	  * 2^shift), and the second part is below 1 / b, since n * e < 2^31 * 2^k.
 *	  The product is below 2^31 * (2^32 + 1), which 64 bits hold.
 * 2. chunk = base^chunk_digits <= 2^31; so a remainder of it is below 2^31,
 *	  and a limb with a remainder before it, divided by it, is a limb again.
 * 3. Nothing is read outside the given length, nothing written outside the
 *	  digits that are asked for, whatever the text is.
 *
 * References: Granlund, Montgomery, Division by Invariant Integers using
 * Multiplication (1994); Knuth, TAOCP 2, 4.4.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_TEXT_RADIX_H
#define GID_TEXT_RADIX_H

#define GID_RADIX_MIN			2
#define GID_RADIX_MAX			94

#define GID_RADIX_LIMB_BITS		32
#define GID_RADIX_MAX_LIMBS		4

/* The most digits, those of base 2. */
#define GID_RADIX_MAX_DIGITS	(GID_RADIX_MAX_LIMBS * GID_RADIX_LIMB_BITS)

#define GID_RADIX_CHUNK_BITS	31

/* A base, and what is calculated once for it. */
typedef struct GidRadix
{
	uint32		base;
	uint32		chunk;			/* base^chunk_digits */
	int			chunk_digits;
	int			shift;			/* n / base is n * reciprocal >> shift, */
	uint64		reciprocal;		/* for n below 2^31 */
	int			width[GID_RADIX_MAX_LIMBS + 1]; /* digits of so many limbs */
} GidRadix;

/* What can be wrong with digits. */
typedef enum GidRadixError
{
	GID_RADIX_OK,
	GID_RADIX_FOREIGN,			/* a character is no digit */
	GID_RADIX_TOO_LARGE			/* the number has too many bits */
} GidRadixError;

/* Divide a number in place; the remainder.  The divisor is at most 2^31. */
static inline uint32
gid_radix_divide(uint32 *limbs, int nlimbs, uint32 divisor)
{
	uint64		rest = 0;

	for (int i = 0; i < nlimbs; i++)
	{
		rest = rest << GID_RADIX_LIMB_BITS | limbs[i];
		limbs[i] = (uint32) (rest / divisor);
		rest %= divisor;
	}
	return (uint32) rest;
}

/*
 * Multiply a number in place, then add to it; what does not fit, which is 0
 * if all does.
 */
static inline uint32
gid_radix_multiply(uint32 *limbs, int nlimbs, uint32 factor, uint32 summand)
{
	uint64		carry = summand;

	for (int i = nlimbs - 1; i >= 0; i--)
	{
		carry += (uint64) limbs[i] * factor;
		limbs[i] = (uint32) carry;
		carry >>= GID_RADIX_LIMB_BITS;
	}
	return (uint32) carry;
}

/* Prepare for a base from 2 to 94. */
static inline void
gid_radix_open(GidRadix *radix, int base)
{
	int			bits = 1;

	Assert(base >= GID_RADIX_MIN && base <= GID_RADIX_MAX);
	radix->base = (uint32) base;
	radix->chunk = radix->base;
	radix->chunk_digits = 1;
	while ((uint64) radix->chunk * radix->base <= UINT64CONST(1) << GID_RADIX_CHUNK_BITS)
	{
		radix->chunk *= radix->base;
		radix->chunk_digits++;
	}
	while (1 << bits < base)
		bits++;
	radix->shift = GID_RADIX_CHUNK_BITS + bits;
	radix->reciprocal = (UINT64CONST(1) << radix->shift) / radix->base + 1;

	/* the digits of the largest number of each size */
	for (int nlimbs = 0; nlimbs <= GID_RADIX_MAX_LIMBS; nlimbs++)
	{
		uint32		limbs[GID_RADIX_MAX_LIMBS];
		bool		zero = nlimbs == 0;

		memset(limbs, 0xff, sizeof(limbs));
		radix->width[nlimbs] = 0;
		while (!zero)
		{
			gid_radix_divide(limbs, nlimbs, radix->base);
			radix->width[nlimbs]++;
			zero = true;
			for (int i = 0; i < nlimbs; i++)
				zero &= limbs[i] == 0;
		}
	}
}

/* Divide a number below 2^31 by the base, in place; the remainder. */
static inline uint32
gid_radix_next(const GidRadix *radix, uint32 *n)
{
	uint32		quotient = (uint32) (*n * radix->reciprocal >> radix->shift);
	uint32		rest = *n - quotient * radix->base;

	*n = quotient;
	return rest;
}

/* So many digits of a number below 2^31 before "end"; where they begin. */
static inline char *
gid_radix_put_digits(const GidRadix *radix, const char *chars, uint32 n,
					 int ndigits, char *end)
{
	while (ndigits-- > 0)
		*--end = chars[gid_radix_next(radix, &n)];
	return end;
}

/*
 * The digits of a number before "end", as few as there can be, at least one;
 * where they begin.
 */
static inline char *
gid_radix_put_shortest(const GidRadix *radix, const char *chars, uint64 n,
					   char *end)
{
	uint32		last;

	while (n >= radix->chunk)
	{
		end = gid_radix_put_digits(radix, chars, (uint32) (n % radix->chunk),
								   radix->chunk_digits, end);
		n /= radix->chunk;
	}
	last = (uint32) n;
	do
	{
		*--end = chars[gid_radix_next(radix, &last)];
	} while (last != 0);
	return end;
}

/*
 * All digits of the largest number of so many limbs, for the number in these;
 * "digits" has room for them.  The limbs are used up.
 */
static inline void
gid_radix_put_width(const GidRadix *radix, const char *chars, uint32 *limbs,
					int nlimbs, char *digits)
{
	char	   *end = digits + radix->width[nlimbs];

	while (end > digits)
	{
		uint32		rest = gid_radix_divide(limbs, nlimbs, radix->chunk);

		end = gid_radix_put_digits(radix, chars, rest,
								   Min(radix->chunk_digits, (int) (end - digits)), end);
	}
}

/*
 * The number of a text of digits, the empty one being 0.  "place" says of each
 * byte which digit it is, below 0 of what is none.
 *
 * Returns GID_RADIX_OK; GID_RADIX_FOREIGN, with the first such byte in *at;
 * else GID_RADIX_TOO_LARGE.
 */
static inline GidRadixError
gid_radix_get(const GidRadix *radix, const int8 *place, const char *digits,
			  int length, uint32 *limbs, int nlimbs, int *at)
{
	bool		too_large = false;

	memset(limbs, 0, nlimbs * sizeof(uint32));
	for (int i = 0; i < length;)
	{
		int			end = Min(length - i, radix->chunk_digits) + i;
		uint32		power = 1;
		uint32		chunk = 0;

		for (; i < end; i++)
		{
			int			digit = place[(unsigned char) digits[i]];

			if (digit < 0)
			{
				*at = i;
				return GID_RADIX_FOREIGN;
			}
			chunk = chunk * radix->base + (uint32) digit;
			power *= radix->base;
		}
		too_large |= gid_radix_multiply(limbs, nlimbs, power, chunk) != 0;
	}
	return too_large ? GID_RADIX_TOO_LARGE : GID_RADIX_OK;
}

#endif							/* GID_TEXT_RADIX_H */
