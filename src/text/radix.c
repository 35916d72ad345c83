/*-------------------------------------------------------------------------
 *
 * text/radix.c
 *		Numbers of up to 160 bits in any base from 2 to 94.
 *
 * State: none.  The functions are pure, work in buffers of the caller and
 * return what is wrong instead of raising an error.
 *
 * A digit is a place in an alphabet, from 0.  The highest digit comes first.
 * A number of more than 64 bits is an array of bytes, the highest first, as
 * ids are stored.  The arithmetic has limbs of 32 bits, so no compiler needs a
 * type of 128 bits.
 *
 * Digits are written and read in chunks of as many digits as 31 bits always
 * hold.  So a number of several limbs is divided or multiplied once a chunk.
 *
 * References: Granlund, Montgomery, Division by Invariant Integers using
 * Multiplication (1994); Knuth, TAOCP 2, 4.4.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "base/pure.h"

#include "base/bits.h"
#include "text/radix.h"

/* Divide a number in place.  Returns the remainder. */
static inline uint32
gid_radix_divide(uint32 *limbs, int nlimbs, uint32 divisor)
{
	uint64		rest = 0;

	for (int i = 0; i < nlimbs; i++)
	{
		rest = rest << 32 | limbs[i];
		limbs[i] = (uint32) (rest / divisor);
		rest %= divisor;
	}
	return (uint32) rest;
}

/*
 * Multiply a number in place, then add to it.  Returns the limb that did not
 * fit, 0 if the result fits.
 */
static inline uint32
gid_radix_multiply(uint32 *limbs, int nlimbs, uint32 factor, uint32 summand)
{
	uint64		carry = summand;

	for (int i = nlimbs - 1; i >= 0; i--)
	{
		carry += (uint64) limbs[i] * factor;
		limbs[i] = (uint32) carry;
		carry >>= 32;
	}
	return (uint32) carry;
}

/* Count the digits of the largest number of "nlimbs" limbs. */
static int
gid_radix_count_digits(uint32 base, int nlimbs)
{
	uint32		limbs[GID_RADIX_MAX_LIMBS];
	int			digits = 0;
	bool		zero = nlimbs == 0;

	memset(limbs, 0xff, sizeof(limbs));
	while (!zero)
	{
		gid_radix_divide(limbs, nlimbs, base);
		digits++;
		zero = true;
		for (int i = 0; i < nlimbs; i++)
			zero &= limbs[i] == 0;
	}
	return digits;
}

/* Prepare for a base from 2 to 94. */
void
gid_radix_open(GidRadix *radix, int base)
{
	int			bits = 1;

	Assert(base >= GID_RADIX_MIN && base <= GID_RADIX_MAX);
	radix->base = (uint32) base;
	radix->chunk = radix->base;
	radix->chunk_digits = 1;
	while ((uint64) radix->chunk * radix->base <= UINT64CONST(1) << 31)
	{
		radix->chunk *= radix->base;
		radix->chunk_digits++;
	}

	/*
	 * With 2^bits, the least power of two not below the base b, the
	 * reciprocal is 2^shift / b + e / b, with e from 1 to b.  So the product
	 * with n, shifted, is n / b + n * e / (b * 2^shift).  The second part is
	 * below 1 / b, since n * e < 2^31 * 2^bits.  The product is below 2^31 *
	 * (2^32 + 1), which 64 bits hold.
	 */
	while (1 << bits < base)
		bits++;
	radix->shift = 31 + bits;
	radix->reciprocal = (UINT64CONST(1) << radix->shift) / radix->base + 1;

	for (int nlimbs = 0; nlimbs <= GID_RADIX_MAX_LIMBS; nlimbs++)
		radix->width[nlimbs] = gid_radix_count_digits(radix->base, nlimbs);
}

/*
 * Write "ndigits" digits of a number below 2^31 so that they stop before
 * "end".  Returns where they begin.
 */
static inline char *
gid_radix_put_digits(const GidRadix *radix, const char *chars, uint32 n,
					 int ndigits, char *end)
{
	while (ndigits-- > 0)
		*--end = chars[gid_radix_next(radix, &n)];
	return end;
}

/*
 * Write a number with as few digits as possible, at least one, so that they
 * stop before "end".  "chars" has the digits of the base.  Returns where the
 * digits begin.
 */
char *
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
 * Write a number of "nbytes" bytes, a multiple of 4, with gid_radix_width()
 * digits, that is, with as many as the largest number of this size has.
 */
void
gid_radix_put(const GidRadix *radix, const char *chars, const uint8 *bytes,
			  int nbytes, char *digits)
{
	int			nlimbs = nbytes / GID_RADIX_LIMB_BYTES;
	char	   *end = digits + radix->width[nlimbs];
	uint32		limbs[GID_RADIX_MAX_LIMBS];

	for (int i = 0; i < nlimbs; i++)
		limbs[i] = gid_get_be32(bytes + i * GID_RADIX_LIMB_BYTES);
	while (end > digits)
	{
		uint32		rest = gid_radix_divide(limbs, nlimbs, radix->chunk);

		end = gid_radix_put_digits(radix, chars, rest,
								   Min(radix->chunk_digits, (int) (end - digits)), end);
	}
}

/*
 * Read a number of "length" digits into "nbytes" bytes, a multiple of 4.  No
 * digit at all is 0.  place[] has the value of each byte as a digit, and a
 * value below 0 for a byte that is not a digit.
 *
 * False with GID_FAULT_FOREIGN and the first byte that is not a digit, or with
 * GID_FAULT_TOO_LARGE.
 */
bool
gid_radix_get(const GidRadix *radix, const int8 *place, const char *digits,
			  int length, uint8 *bytes, int nbytes, GidFault *fault)
{
	int			nlimbs = nbytes / GID_RADIX_LIMB_BYTES;
	uint32		limbs[GID_RADIX_MAX_LIMBS] = {0};
	bool		too_large = false;

	for (int i = 0; i < length;)
	{
		int			end = Min(length - i, radix->chunk_digits) + i;
		uint32		power = 1;
		uint32		chunk = 0;

		for (; i < end; i++)
		{
			int			digit = place[(unsigned char) digits[i]];

			if (digit < 0)
				return gid_fault_at(fault, GID_FAULT_FOREIGN, i);
			chunk = chunk * radix->base + (uint32) digit;
			power *= radix->base;
		}
		too_large |= gid_radix_multiply(limbs, nlimbs, power, chunk) != 0;
	}
	for (int i = 0; i < nlimbs; i++)
		gid_put_be32(bytes + i * GID_RADIX_LIMB_BYTES, limbs[i]);
	return !too_large || gid_fault(fault, GID_FAULT_TOO_LARGE);
}
