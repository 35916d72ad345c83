/*-------------------------------------------------------------------------
 *
 * text/gdid_text.c
 *		Forms of a GDID: era:authority:counter, hexadecimal digits, packed
 *		bytes.
 *
 * State: none.  The functions are pure and return what is wrong instead of
 * raising an error.
 *
 * The packed form is ULEB128 of the era, then of the id, which is authority <<
 * 60 | counter.  ULEB128 has seven bits a byte, the lowest first; all bytes
 * but the last have their highest bit set.  Each GDID has one packed form:
 * bytes that are not needed are an error.
 *
 * References: azist's GDID, and its SlimWriter; LEB128 in DWARF 5, section
 * 7.6.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "base/pure.h"

#include "text/gdid_text.h"
#include "text/lexical.h"

const uint64 gid_gdid_max[] = {
	[GID_GDID_ERA] = GID_GDID_MAX_ERA,
	[GID_GDID_AUTHORITY] = GID_GDID_MAX_AUTHORITY,
	[GID_GDID_COUNTER] = GID_GDID_MAX_COUNTER,
};

/* Write a number in decimal.  Returns where its digits end. */
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

/*
 * Write era:authority:counter and a '\0'.  Returns the length without the
 * '\0'.
 */
int
gid_gdid_print(char *out, const GidGdid *gdid)
{
	char	   *p = gid_gdid_print_number(out, gid_gdid_era(gdid));

	*p++ = ':';
	p = gid_gdid_print_number(p, gid_gdid_authority(gdid));
	*p++ = ':';
	p = gid_gdid_print_number(p, gid_gdid_counter(gdid));
	*p = '\0';
	return (int) (p - out);
}

/* Write 24 hexadecimal digits in lower case and a '\0'. */
void
gid_gdid_print_hex(char *out, const GidGdid *gdid)
{
	static const char digits[] = "0123456789abcdef";

	for (int i = 0; i < GID_GDID_BYTES; i++)
	{
		out[2 * i] = digits[gdid->bytes[i] >> 4];
		out[2 * i + 1] = digits[gdid->bytes[i] & 0xf];
	}
	out[GID_GDID_HEX_DIGITS] = '\0';
}

/* Leave out the blanks at both ends of a text. */
void
gid_gdid_trim(const char **chars, int *length)
{
	while (*length > 0 && gid_is_blank(**chars))
	{
		(*chars)++;
		(*length)--;
	}
	while (*length > 0 && gid_is_blank((*chars)[*length - 1]))
		(*length)--;
}

/* Return the value of a hexadecimal digit in either case, or -1. */
int
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

/*
 * Read 24 hexadecimal digits without blanks; 0x may stand before them.
 *
 * False with GID_FAULT_FOREIGN, or with GID_FAULT_LENGTH and the number of
 * digits.
 */
bool
gid_gdid_parse_hex(const char *chars, int length, GidGdid *gdid, GidFault *fault)
{
	const char *given = chars;

	if (length >= 2 && chars[0] == '0' && (chars[1] == 'x' || chars[1] == 'X'))
	{
		chars += 2;
		length -= 2;
	}
	for (int i = 0; i < length; i++)
	{
		if (gid_gdid_hex_value(chars[i]) < 0)
			return gid_fault_at(fault, GID_FAULT_FOREIGN, (int) (chars - given) + i);
	}
	if (length != GID_GDID_HEX_DIGITS)
		return gid_fault_count(fault, GID_FAULT_LENGTH, length, GID_GDID_HEX_DIGITS);
	for (int i = 0; i < GID_GDID_BYTES; i++)
		gdid->bytes[i] = (uint8) (gid_gdid_hex_value(chars[2 * i]) << 4 |
								  gid_gdid_hex_value(chars[2 * i + 1]));
	return true;
}

/*
 * Read a decimal number of 0 to max, without blanks.  max must be 9 or more.
 *
 * False with GID_FAULT_MISSING, GID_FAULT_DIGIT or GID_FAULT_TOO_LARGE.
 */
bool
gid_gdid_parse_number(const char *chars, int length, uint64 max, uint64 *number,
					  GidFault *fault)
{
	bool		too_large = false;

	if (length == 0)
		return gid_fault(fault, GID_FAULT_MISSING);
	*number = 0;
	for (int i = 0; i < length; i++)
	{
		uint64		digit;

		if (chars[i] < '0' || chars[i] > '9')
			return gid_fault(fault, GID_FAULT_DIGIT);
		digit = (uint64) (chars[i] - '0');
		if (too_large || *number > (max - digit) / 10)
			too_large = true;
		else
			*number = *number * 10 + digit;
	}
	return !too_large || gid_fault(fault, GID_FAULT_TOO_LARGE);
}

/* Read era:authority:counter, which has two colons. */
static bool
gid_gdid_parse_parts(const char *chars, int length, GidGdid *gdid,
					 GidFault *fault)
{
	const char *end = chars + length;
	uint64		parts[lengthof(gid_gdid_max)];

	for (int i = 0; i < (int) lengthof(gid_gdid_max); i++)
	{
		const char *colon = memchr(chars, ':', end - chars);
		const char *part = chars;
		int			n = (int) ((colon != NULL ? colon : end) - chars);

		gid_gdid_trim(&part, &n);
		fault->part = i;
		if (!gid_gdid_parse_number(part, n, gid_gdid_max[i], &parts[i], fault))
			return false;
		if (colon != NULL)
			chars = colon + 1;
	}
	gid_gdid_put(gdid, (uint32) parts[GID_GDID_ERA],
				 gid_gdid_make_id((uint32) parts[GID_GDID_AUTHORITY],
								  parts[GID_GDID_COUNTER]));
	return true;
}

/*
 * Read a GDID from a text of "length" bytes: three decimal numbers with colons
 * between them, or 24 hexadecimal digits.  Blanks may stand around the text
 * and around each decimal number.
 *
 * False with the faults of gid_gdid_parse_hex() and, with the part, of
 * gid_gdid_parse_number(); with GID_FAULT_EMPTY; or with GID_FAULT_COLONS and
 * their number.
 */
bool
gid_gdid_parse(const char *chars, int length, GidGdid *gdid, GidFault *fault)
{
	int			colons = 0;

	gid_gdid_trim(&chars, &length);
	if (length == 0)
		return gid_fault(fault, GID_FAULT_EMPTY);
	for (int i = 0; i < length; i++)
		colons += chars[i] == ':';
	if (colons == 0)
		return gid_gdid_parse_hex(chars, length, gdid, fault);
	if (colons != 2)
		return gid_fault_count(fault, GID_FAULT_COLONS, colons, 2);
	return gid_gdid_parse_parts(chars, length, gdid, fault);
}

/* Write a number as ULEB128.  Returns the number of bytes. */
static int
gid_uleb128_put(uint8 *bytes, uint64 number)
{
	int			n = 0;

	for (; number >= 0x80; number >>= 7)
		bytes[n++] = (uint8) (number | 0x80);
	bytes[n++] = (uint8) number;
	return n;
}

/*
 * Read a number of at most "bits" bits, 1 to 64, at the start of the bytes.
 * *used becomes the number of bytes that were read.
 */
static bool
gid_uleb128_get(const uint8 *bytes, int length, int bits,
				uint64 *number, int *used, GidFault *fault)
{
	*number = 0;
	for (int i = 0; i < length; i++)
	{
		int			left = bits - 7 * i;
		uint64		group = bytes[i] & 0x7f;

		if (left <= 0 || (left < 7 && group >> left != 0))
			return gid_fault(fault, GID_FAULT_TOO_LONG);
		*number |= group << 7 * i;
		if (bytes[i] < 0x80)
		{
			*used = i + 1;
			return i == 0 || bytes[i] != 0 || gid_fault(fault, GID_FAULT_NOT_SHORTEST);
		}
	}
	return gid_fault(fault, GID_FAULT_TRUNCATED);
}

/*
 * Write the packed form of a GDID to GID_GDID_PACKED_SIZE bytes.  Returns the
 * length, 2 to 15.
 */
int
gid_gdid_put_packed(uint8 *bytes, const GidGdid *gdid)
{
	int			n = gid_uleb128_put(bytes, gid_gdid_era(gdid));

	return n + gid_uleb128_put(bytes + n, gid_gdid_id(gdid));
}

/*
 * Read a GDID from its packed form.  False with GID_FAULT_TRUNCATED,
 * GID_FAULT_TOO_LONG or GID_FAULT_NOT_SHORTEST and the part, or with
 * GID_FAULT_TRAILING and the number of bytes.
 */
bool
gid_gdid_get_packed(const uint8 *bytes, int length, GidGdid *gdid,
					GidFault *fault)
{
	uint64		era;
	uint64		id;
	int			used;

	fault->part = GID_GDID_ERA;
	if (!gid_uleb128_get(bytes, length, GID_GDID_ERA_BITS, &era, &used, fault))
		return false;
	bytes += used;
	length -= used;
	fault->part = GID_GDID_ID;
	if (!gid_uleb128_get(bytes, length, GID_GDID_ID_BITS, &id, &used, fault))
		return false;
	if (used < length)
		return gid_fault_count(fault, GID_FAULT_TRAILING, length - used, 0);
	gid_gdid_put(gdid, (uint32) era, id);
	return true;
}
