/*-------------------------------------------------------------------------
 *
 * text/radix.h
 *		Numbers of up to 160 bits in any base from 2 to 94.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_TEXT_RADIX_H
#define GID_TEXT_RADIX_H

#include "text/fault.h"

#define GID_RADIX_MIN			2
#define GID_RADIX_MAX			94

/* A UUID has four limbs.  Its text in base32hex is a number of 130 bits. */
#define GID_RADIX_LIMB_BYTES	4
#define GID_RADIX_MAX_LIMBS		5

/* The most digits that a number has, which are those of base 2. */
#define GID_RADIX_MAX_DIGITS	(GID_RADIX_MAX_LIMBS * GID_RADIX_LIMB_BYTES * 8)

/* A base, and the numbers that are calculated once for it. */
typedef struct GidRadix
{
	uint32		base;
	uint32		chunk;			/* base^chunk_digits */
	int			chunk_digits;
	int			shift;			/* for n below 2^31, n / base is */
	uint64		reciprocal;		/* n * reciprocal >> shift */
	int			width[GID_RADIX_MAX_LIMBS + 1]; /* by the number of limbs, the
												 * digits of the largest
												 * number */
} GidRadix;

extern void gid_radix_open(GidRadix *radix, int base);
extern char *gid_radix_put_shortest(const GidRadix *radix, const char *chars,
									uint64 n, char *end);
extern void gid_radix_put(const GidRadix *radix, const char *chars,
						  const uint8 *bytes, int nbytes, char *digits);
extern bool gid_radix_get(const GidRadix *radix, const int8 *place,
						  const char *digits, int length, uint8 *bytes,
						  int nbytes, GidFault *fault);

/* Divide a number below 2^31 by the base, in place.  Returns the remainder. */
static inline uint32
gid_radix_next(const GidRadix *radix, uint32 *n)
{
	uint32		quotient = (uint32) (*n * radix->reciprocal >> radix->shift);
	uint32		rest = *n - quotient * radix->base;

	*n = quotient;
	return rest;
}

/* Return how many digits gid_radix_put() writes. */
static inline int
gid_radix_width(const GidRadix *radix, int nbytes)
{
	return radix->width[nbytes / GID_RADIX_LIMB_BYTES];
}

#endif							/* GID_TEXT_RADIX_H */
