/*-------------------------------------------------------------------------
 *
 * gdid.h
 *		A second implementation of GDIDs, digit by digit and bit by bit.
 *
 * A GDID is a ruler of 96 bits (ruler.h); its numbers become decimal
 * by doubling a row of digits for each bit, and its packed form is cut from
 * the row of bits.  Nothing here adds or shifts words.
 *
 * State: none.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLAIN_GDID_H
#define PLAIN_GDID_H

#include "ruler.h"

#define PLAIN_BLANKS	" \t\n\v\f\r"

/* Where each part begins, and where the last one ends; the id is 32 to 96. */
static const int plain_border[] = {0, 32, 36, 96};

/* The largest number of each part. */
static const char *const plain_max[] = {
	"4294967295", "15", "1152921504606846975",
};

/* The bits from "from" to before "to" in decimal. */
static inline void
plain_decimal(const Ruler *r, int from, int to, char *string)
{
	char		digits[32] = {0};	/* the lowest first */
	int			n = 1;

	for (int i = from; i < to; i++)
	{
		int			carry = r->bits[i] == '1';

		for (int j = 0; j < n; j++)
		{
			int			doubled = 2 * digits[j] + carry;

			digits[j] = (char) (doubled % 10);
			carry = doubled / 10;
		}
		if (carry > 0)
			digits[n++] = (char) carry;
	}
	while (n > 0)
		*string++ = (char) ('0' + digits[--n]);
	*string = '\0';
}

/* era:authority:counter */
static inline void
plain_text(const Ruler *r, char *string)
{
	for (int i = 0; i < 3; i++)
	{
		plain_decimal(r, plain_border[i], plain_border[i + 1], string);
		string += strlen(string);

		*string++ = i < 2 ? ':' : '\0';
	}
}

/* The bits from "from" to before "to" in groups of seven, from their end. */
static inline int
plain_groups(const Ruler *r, int from, int to, uint8 *bytes)
{
	int			first = from;
	int			n = 0;

	while (first < to - 1 && r->bits[first] == '0')
		first++;
	for (int end = to; n == 0 || end > first; end -= 7)
	{
		bytes[n] = (uint8) ruler_get(r, Max(end - 7, first), end);
		if (n > 0)
			bytes[n - 1] += 128;
		n++;
	}
	return n;
}

/* The packed form; its length. */
static inline int
plain_pack(const Ruler *r, uint8 *bytes)
{
	int			n = plain_groups(r, 0, 32, bytes);

	return n + plain_groups(r, 32, 96, bytes + n);
}

/* Do all of the characters stand in the set?  '\0' stands in none. */
static inline bool
plain_all_of(const char *string, int length, const char *set)
{
	for (int i = 0; i < length; i++)
	{
		if (string[i] == '\0' || strchr(set, string[i]) == NULL)
			return false;
	}
	return true;
}

/* Put a hexadecimal digit into the four bits from "from" on. */
static inline void
plain_put_hex(Ruler *r, int from, char digit)
{
	static const char digits[] = "0123456789abcdef";

	ruler_put(r, from, from + 4,
			  (uint64) (strchr(digits, tolower((unsigned char) digit)) - digits));
}

/* Leave out blanks at both ends. */
static inline void
plain_trim(const char **string, int *length)
{
	while (*length > 0 && plain_all_of(*string, 1, PLAIN_BLANKS))
	{
		++*string;
		--*length;
	}
	while (*length > 0 && plain_all_of(*string + *length - 1, 1, PLAIN_BLANKS))
		--* length;
}

/*
 * What a text is: the fault with its part and numbers, or in "canonical" what it
 * has to print, of the digits as they stand there.
 */
static inline GidFault
plain_parse(const char *string, int length, char *canonical)
{
	GidFault	error = {.kind = GID_FAULT_NONE};
	Ruler		r = {0};
	int			colons = 0;

	plain_trim(&string, &length);
	for (int i = 0; i < length; i++)
		colons += string[i] == ':';

	if (length == 0)
		error.kind = GID_FAULT_EMPTY;
	else if (colons == 0)
	{
		if (length > 1 && string[0] == '0' && strchr("xX", string[1]) && string[1] != '\0')
		{
			string += 2;

			length -= 2;
		}
		if (!plain_all_of(string, length, "0123456789abcdefABCDEF"))
			error.kind = GID_FAULT_FOREIGN;
		else if (length != 24)
			gid_fault_count(&error, GID_FAULT_LENGTH, length, 24);
		for (int i = 0; i < length && error.kind == GID_FAULT_NONE; i++)
			plain_put_hex(&r, 4 * i, string[i]);
		if (error.kind == GID_FAULT_NONE)
			plain_text(&r, canonical);
	}
	else if (colons != 2)
		gid_fault_count(&error, GID_FAULT_COLONS, colons, 2);
	else
	{
		for (int part = 0; part < 3; part++)
		{
			const char *colon = part < 2 ? memchr(string, ':', length) : string + length;
			const char *digits = string;
			int			n = (int) (colon - string);

			error.part = part;
			plain_trim(&digits, &n);
			if (n == 0)
				error.kind = GID_FAULT_MISSING;
			else if (!plain_all_of(digits, n, "0123456789"))
				error.kind = GID_FAULT_DIGIT;
			for (; n > 1 && *digits == '0'; n--)
				digits++;
			if (error.kind == GID_FAULT_NONE &&
				(n > (int) strlen(plain_max[part]) ||
				 (n == (int) strlen(plain_max[part]) &&
				  memcmp(digits, plain_max[part], n) > 0)))
				error.kind = GID_FAULT_TOO_LARGE;
			if (error.kind != GID_FAULT_NONE)
				break;
			memcpy(canonical, digits, n);
			canonical += n;
			*canonical++ = part < 2 ? ':' : '\0';
			length -= (int) (colon - string) + 1;
			string = colon + 1;
		}
	}
	return error;
}

/*
 * One part of a packed form, of that many bits: what is wrong with it, how
 * many bytes it has, and its bits in the ruler.
 */
static inline GidFaultKind
plain_part(const uint8 *bytes, int length, int bits, Ruler *r, int from,
		   int *used)
{
	char		all[7 * 256 + 1];
	bool		ends = false;
	int			n = 0;

	/* the lowest bit first */
	while (n < length && n < 256 && !ends)
	{
		for (int i = 0; i < 7; i++)
			all[7 * n + i] = bytes[n] / (1 << i) % 2 == 1 ? '1' : '0';
		ends = bytes[n++] < 128;
	}
	*used = n;
	if (n > (bits + 6) / 7)
		return GID_FAULT_TOO_LONG;
	for (int i = bits; i < 7 * n; i++)
	{
		if (all[i] == '1')
			return GID_FAULT_TOO_LONG;
	}
	if (!ends)
		return GID_FAULT_TRUNCATED;
	if (n > 1 && bytes[n - 1] == 0)
		return GID_FAULT_NOT_SHORTEST;
	for (int i = 0; i < bits; i++)
		r->bits[from + bits - 1 - i] = i < 7 * n ? all[i] : '0';
	return GID_FAULT_NONE;
}

/* What a packed form is: the fault with its part and numbers, or the bits. */
static inline GidFault
plain_unpack(const uint8 *bytes, int length, Ruler *r)
{
	GidFault	error = {.kind = GID_FAULT_NONE};
	int			used;
	int			era_used;

	error.kind = plain_part(bytes, length, 32, r, 0, &era_used);
	if (error.kind != GID_FAULT_NONE)
		return error;
	error.part = GID_GDID_ID;
	error.kind = plain_part(bytes + era_used, length - era_used, 64, r, 32, &used);
	if (error.kind != GID_FAULT_NONE)
		return error;
	if (era_used + used < length)
		gid_fault_count(&error, GID_FAULT_TRAILING, length - era_used - used, 0);
	return error;
}

#endif							/* PLAIN_GDID_H */
