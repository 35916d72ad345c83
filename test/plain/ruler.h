/*-------------------------------------------------------------------------
 *
 * ruler.h
 *		A second implementation of bit layouts: bits as text.
 *
 * Slow and plain on purpose.  A layout is written down as in the manual's
 * rulers, part after part with the numbers of its first bit and of the first
 * one behind it, counted from the left:
 *
 *		Ruler		r = {0};
 *
 *		ruler_put(&r, 0, 48, ms);
 *		ruler_put(&r, 48, 52, 7);
 *		...
 *		tap_check(ruler_is(&r, uuid, 16), "%s", ruler_text(&r));
 *
 * State: none.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef RULER_H
#define RULER_H

#define RULER_BITS	128

/* '0' and '1', '\0' where no part has been put. */
typedef struct Ruler
{
	char		bits[RULER_BITS + 1];
} Ruler;

/* Put a value into the bits from "from" to before "to", the lowest last. */
static inline void
ruler_put(Ruler *r, int from, int to, uint64 value)
{
	for (int i = to - 1; i >= from; i--)
	{
		r->bits[i] = value % 2 == 0 ? '0' : '1';
		value /= 2;
	}
}

static inline uint64
ruler_get(const Ruler *r, int from, int to)
{
	uint64		value = 0;

	for (int i = from; i < to; i++)
		value = value * 2 + (r->bits[i] == '1');
	return value;
}

/* Are these bytes what the ruler shows, with nothing left out? */
static inline bool
ruler_is(const Ruler *r, const uint8 *bytes, int nbytes)
{
	for (int i = 0; i < nbytes * 8; i++)
	{
		char		bit = (bytes[i / 8] & (128 >> i % 8)) != 0 ? '1' : '0';

		if (r->bits[i] != bit)
			return false;
	}
	return true;
}

/* For messages. */
static inline const char *
ruler_text(const Ruler *r)
{
	return r->bits;
}

/* 16 bytes as a UUID is written. */
static inline const char *
ruler_uuid_text(const uint8 *uuid)
{
	static char string[37];
	char	   *p = string;

	for (int i = 0; i < 16; i++)
	{
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*p++ = '-';
		p += sprintf(p, "%02x", uuid[i]);
	}
	return string;
}

/*
 * The bytes of .NET's Guid(byte[16]) in the order in which the UUID is
 * written: its first three groups are little-endian numbers.
 */
static inline void
ruler_from_dotnet(const uint8 *array, uint8 *uuid)
{
	static const int order[] = {
		3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15,
	};

	for (int i = 0; i < 16; i++)
		uuid[i] = array[order[i]];
}

/* The order of SQL Server's uniqueidentifier: -1, 0 or 1. */
static inline int
ruler_mssql_order(const uint8 *a, const uint8 *b)
{
	static const int order[] = {
		10, 11, 12, 13, 14, 15, 8, 9, 7, 6, 5, 4, 3, 2, 1, 0,
	};

	for (int i = 0; i < 16; i++)
	{
		if (a[order[i]] != b[order[i]])
			return a[order[i]] < b[order[i]] ? -1 : 1;
	}
	return 0;
}

#endif							/* RULER_H */
