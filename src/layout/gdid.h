/*-------------------------------------------------------------------------
 *
 * layout/gdid.h
 *		The layout of a GDID, its text, its hexadecimal and its packed form.
 *
 * State: none.  Everything here is a pure static inline function over buffers
 * and lengths; it compiles with postgres.h and with postgres_fe.h, and
 * test/unit runs it without a server.
 *
 * Invariants:
 * 1. Any 12 bytes are a GDID; memcmp of them is the order.
 * 2. Nothing is read outside the given length, nothing written behind the
 *	  sizes named here, whatever the input is.
 * 3. Each GDID has one packed form, and text, hexadecimal and packed form of
 *	  a GDID give that GDID back.
 *
 * References: azist's GDID and its SlimWriter; LEB128 in DWARF 5, section 7.6.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LAYOUT_GDID_H
#define GID_LAYOUT_GDID_H

#include "base/bits.h"

/*
 * GDID
 *
 *	0          32              36                                          96
 *	| era (32) | authority (4) | counter (60)                               |
 *
 * Big-endian.  Authority and counter together are its "id", 64 bits.
 */
#define GID_GDID_ERA_BITS		32
#define GID_GDID_AUTHORITY_BITS 4
#define GID_GDID_COUNTER_BITS	60
#define GID_GDID_ID_BITS		(GID_GDID_AUTHORITY_BITS + GID_GDID_COUNTER_BITS)
#define GID_GDID_BYTES			((GID_GDID_ERA_BITS + GID_GDID_ID_BITS) / 8)
#define GID_GDID_MAX_ERA		GID_MASK(GID_GDID_ERA_BITS)
#define GID_GDID_MAX_AUTHORITY	GID_MASK(GID_GDID_AUTHORITY_BITS)
#define GID_GDID_MAX_COUNTER	GID_MASK(GID_GDID_COUNTER_BITS)

#define GID_GDID_HEX_DIGITS		(2 * GID_GDID_BYTES)

/* "4294967295:15:1152921504606846975", both with the '\0' at the end */
#define GID_GDID_TEXT_SIZE		34
#define GID_GDID_HEX_SIZE		(GID_GDID_HEX_DIGITS + 1)

/* The most bytes that ULEB128 takes: 7 bits a byte, of era and of id. */
#define GID_GDID_PACKED_SIZE	(5 + 10)

/* What the type stores; alignment 1. */
typedef struct GidGdid
{
	uint8		bytes[GID_GDID_BYTES];
} GidGdid;

/* What is wrong with a text or a packed form. */
typedef enum GidGdidFault
{
	GID_GDID_SOUND,
	GID_GDID_EMPTY,				/* no text but blanks */
	GID_GDID_COLONS,			/* neither none nor two of them */
	GID_GDID_HEX_LENGTH,		/* no colon, not so many digits */
	GID_GDID_HEX_CHARACTER,		/* no colon, not digits */
	GID_GDID_MISSING,			/* a part is empty */
	GID_GDID_CHARACTER,			/* a part is not of decimal digits */
	GID_GDID_RANGE,				/* a part is too large */
	GID_GDID_TRUNCATED,			/* packed: ends within a part */
	GID_GDID_TOO_LONG,			/* packed: a part of too many bits */
	GID_GDID_NOT_SHORTEST,		/* packed: a part with needless bytes */
	GID_GDID_TRAILING			/* packed: bytes behind the end */
} GidGdidFault;

/* What a fault lies in; ID only in the packed form. */
typedef enum GidGdidPart
{
	GID_GDID_ERA,
	GID_GDID_AUTHORITY,
	GID_GDID_COUNTER,
	GID_GDID_ID
} GidGdidPart;

typedef struct GidGdidError
{
	GidGdidFault fault;
	GidGdidPart part;			/* of which part, where it is of one */
	int			count;			/* of colons, digits or trailing bytes */
} GidGdidError;

static inline void
gid_gdid_put(GidGdid *gdid, uint32 era, uint64 id)
{
	gid_put_be32(gdid->bytes, era);
	gid_put_be64(gdid->bytes + 4, id);
}

static inline uint32
gid_gdid_era(const GidGdid *gdid)
{
	return gid_get_be32(gdid->bytes);
}

static inline uint64
gid_gdid_id(const GidGdid *gdid)
{
	return gid_get_be64(gdid->bytes + 4);
}

/* The id of an authority and a counter that are in their ranges. */
static inline uint64
gid_gdid_make_id(uint32 authority, uint64 counter)
{
	return (uint64) authority << GID_GDID_COUNTER_BITS | counter;
}

static inline uint32
gid_gdid_authority(const GidGdid *gdid)
{
	return (uint32) (gid_gdid_id(gdid) >> GID_GDID_COUNTER_BITS);
}

static inline uint64
gid_gdid_counter(const GidGdid *gdid)
{
	return gid_gdid_id(gdid) & GID_GDID_MAX_COUNTER;
}

static inline int
gid_gdid_compare(const GidGdid *a, const GidGdid *b)
{
	return memcmp(a->bytes, b->bytes, GID_GDID_BYTES);
}

/*
 * 64 bits that never order two GDIDs the other way, and mostly tell them
 * apart: era 0 has 2^60 ids of each authority, so that most are of it, and of
 * those only the last bit is lost.  The first 64 bits as they are would be
 * the same for all of an authority below counter 2^32.
 */
static inline uint64
gid_gdid_abbreviate(const GidGdid *gdid)
{
	uint64		era = gid_gdid_era(gdid);

	if (era == 0)
		return gid_gdid_id(gdid) >> 1;
	return UINT64CONST(1) << 63 | era << 31 | gid_gdid_id(gdid) >> 33;
}

/* Decimal digits of a number; where they end. */
static inline char *
gid_gdid_print_number(char *p, uint64 number)
{
	char		digits[20];
	int			n = 0;

	do
	{
		digits[n++] = (char) ('0' + number % 10);
		number /= 10;
	} while (number != 0);
	while (n > 0)
		*p++ = digits[--n];
	return p;
}

/* era:authority:counter; the length without the '\0'. */
static inline int
gid_gdid_print(char text[GID_GDID_TEXT_SIZE], const GidGdid *gdid)
{
	char	   *p = gid_gdid_print_number(text, gid_gdid_era(gdid));

	*p++ = ':';
	p = gid_gdid_print_number(p, gid_gdid_authority(gdid));
	*p++ = ':';
	p = gid_gdid_print_number(p, gid_gdid_counter(gdid));
	*p = '\0';
	return (int) (p - text);
}

/* 24 lower-case digits and '\0'. */
static inline void
gid_gdid_print_hex(char text[GID_GDID_HEX_SIZE], const GidGdid *gdid)
{
	static const char digits[] = "0123456789abcdef";

	for (int i = 0; i < GID_GDID_BYTES; i++)
	{
		text[		2 * i] = digits[gdid->bytes[i] >> 4];
		text[		2 * i + 1] = digits[gdid->bytes[i] & 0xf];
	}
	text[		GID_GDID_HEX_DIGITS] = '\0';
}

/* ASCII's white space, in every locale. */
static inline bool
gid_gdid_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Leave out the blanks at both ends. */
static inline void
gid_gdid_trim(const char **text, int *length)
{
	while (*length > 0 && gid_gdid_is_blank(**text))
	{
		(*text) ++;
		(*length)--;
	}
	while (*length > 0 && gid_gdid_is_blank((*text)[*length - 1]))
		(*length)--;
}

/* 0 to 15, or -1. */
static inline int
gid_gdid_hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* 24 digits, 0x before them or not, no blanks. */
static inline GidGdidFault
gid_gdid_parse_hex(const char *text, int length, GidGdid *gdid, int *digits)
{
	if (length >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
	{
		text	  +=2;

		length -= 2;
	}
	for (int i = 0; i < length; i++)
	{
		if (gid_gdid_hex_value(text[i]) < 0)
			return GID_GDID_HEX_CHARACTER;
	}
	*digits = length;
	if (length != GID_GDID_HEX_DIGITS)
		return GID_GDID_HEX_LENGTH;
	for (int i = 0; i < GID_GDID_BYTES; i++)
		gdid->bytes[i] = (uint8) (gid_gdid_hex_value(text[2 * i]) << 4 |
								  gid_gdid_hex_value(text[2 * i + 1]));
	return GID_GDID_SOUND;
}

/* Decimal digits with blanks around them; max is 9 or more. */
static inline GidGdidFault
gid_gdid_parse_number(const char *text, int length, uint64 max, uint64 *number)
{
	bool		too_large = false;

	gid_gdid_trim(&text, &length);
	if (length == 0)
		return GID_GDID_MISSING;
	*number = 0;
	for (int i = 0; i < length; i++)
	{
		uint64		digit;

		if (text[i] < '0' || text[i] > '9')
			return GID_GDID_CHARACTER;
		digit = (uint64) (text[i] - '0');
		if (too_large || *number > (max - digit) / 10)
			too_large = true;
		else
			*number = *number * 10 + digit;
	}
	return too_large ? GID_GDID_RANGE : GID_GDID_SOUND;
}

/*
 * A GDID of a text of that length: three decimal numbers with colons between
 * them, or 24 hexadecimal digits.  Blanks may stand around the text and each
 * number.  False, and the error, when it is none.
 */
static inline bool
gid_gdid_parse(const char *text, int length, GidGdid *gdid, GidGdidError *error)
{
	static const uint64 max[] = {
		GID_GDID_MAX_ERA, GID_GDID_MAX_AUTHORITY, GID_GDID_MAX_COUNTER,
	};
	uint64		parts[lengthof(max)];

	error->fault = GID_GDID_SOUND;
	error->part = GID_GDID_ERA;
	error->count = 0;
	gid_gdid_trim(&text, &length);
	if (length == 0)
	{
		error->fault = GID_GDID_EMPTY;
		return false;
	}
	for (int i = 0; i < length; i++)
		error->count += text[i] == ':';

	if (error->count == 0)
	{
		error->fault = gid_gdid_parse_hex(text, length, gdid, &error->count);
		return error->fault == GID_GDID_SOUND;
	}
	if (error->count != lengthof(max) - 1)
	{
		error->fault = GID_GDID_COLONS;
		return false;
	}

	for (int i = 0; i < (int) lengthof(max); i++)
	{
		int			n = 0;

		while (n < length && text[n] != ':')
			n++;
		error->part = (GidGdidPart) i;
		error->fault = gid_gdid_parse_number(text, n, max[i], &parts[i]);
		if (error->fault != GID_GDID_SOUND)
			return false;
		/* over the colon, which the last part has not */
		n = Min(n + 1, length);
		text	  +=n;

		length -= n;
	}
	gid_gdid_put(gdid, (uint32) parts[GID_GDID_ERA],
				 gid_gdid_make_id((uint32) parts[GID_GDID_AUTHORITY],
								  parts[GID_GDID_COUNTER]));
	return true;
}

/* A number as ULEB128, seven bits a byte, the lowest first; how many bytes. */
static inline int
gid_uleb128_put(uint8 *bytes, uint64 number)
{
	int			n = 0;

	for (; number >= 0x80; number >>= 7)
		bytes[n++] = (uint8) (number | 0x80);
	bytes[n++] = (uint8) number;
	return n;
}

/* The number of that many bits, 64 at most, at the start of the bytes. */
static inline GidGdidFault
gid_uleb128_get(const uint8 *bytes, int length, int bits,
				uint64 *number, int *used)
{
	*number = 0;
	for (int i = 0; i < length; i++)
	{
		int			left = bits - 7 * i;
		uint64		group = bytes[i] & 0x7f;

		if (left <= 0 || (left < 7 && group >> left != 0))
			return GID_GDID_TOO_LONG;
		*number |= group << 7 * i;
		if (bytes[i] < 0x80)
		{
			*used = i + 1;
			return bytes[i] == 0 && i > 0 ? GID_GDID_NOT_SHORTEST : GID_GDID_SOUND;
		}
	}
	return GID_GDID_TRUNCATED;
}

/* ULEB128 of the era, then of the id; how many bytes. */
static inline int
gid_gdid_put_packed(uint8 bytes[GID_GDID_PACKED_SIZE], const GidGdid *gdid)
{
	int			n = gid_uleb128_put(bytes, gid_gdid_era(gdid));

	return n + gid_uleb128_put(bytes + n, gid_gdid_id(gdid));
}

/* The way back; false, and the error, when the bytes are no packed GDID. */
static inline bool
gid_gdid_get_packed(const uint8 *bytes, int length, GidGdid *gdid,
					GidGdidError *error)
{
	uint64		era;
	uint64		id;
	int			used;

	error->part = GID_GDID_ERA;
	error->count = 0;
	error->fault = gid_uleb128_get(bytes, length, GID_GDID_ERA_BITS, &era, &used);
	if (error->fault != GID_GDID_SOUND)
		return false;
	bytes += used;
	length -= used;
	error->part = GID_GDID_ID;
	error->fault = gid_uleb128_get(bytes, length, GID_GDID_ID_BITS, &id, &used);
	if (error->fault != GID_GDID_SOUND)
		return false;
	error->count = length - used;
	if (error->count > 0)
	{
		error->fault = GID_GDID_TRAILING;
		return false;
	}
	gid_gdid_put(gdid, (uint32) era, id);
	return true;
}

#endif							/* GID_LAYOUT_GDID_H */
