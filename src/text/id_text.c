/*-------------------------------------------------------------------------
 *
 * text/id_text.c
 *		TypeIDs, and the id that a text stands for, whichever form it has.
 *
 * State: none.  The functions are pure and return what is wrong instead of
 * raising an error.
 *
 *		order_01h455vb4pex5vsknk084sn02q
 *		prefix | suffix
 *
 * The prefix of a TypeID has 0 to 63 lower-case letters and underscores; its
 * first and last character are letters.  An underscore follows the prefix,
 * unless the prefix is empty.  The suffix is the UUID as a number of 128 bits,
 * in 26 digits of Crockford's alphabet in lower case.  It has no underscore,
 * so the last underscore of a TypeID ends its prefix.  A prefix and a UUID
 * have one TypeID: upper case, and the letters that Crockford reads as digits,
 * are not read.
 *
 * References: RFC 9562, section 4; string_to_uuid() of PostgreSQL; ULID; RFC
 * 4648, section 7; the TypeID specification 0.3.0; Crockford, Base 32.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "base/pure.h"

#include "base/bits.h"
#include "text/lexical.h"
#include "text/gdid_text.h"
#include "text/id_text.h"
#include "text/radix.h"

/* ---- TypeIDs ---- */

/* Can these characters be the prefix of a TypeID?  The empty prefix is one. */
bool
gid_typeid_is_prefix(const char *chars, int length)
{
	if (length == 0)
		return true;
	if (length > GID_TYPEID_MAX_PREFIX ||
		chars[0] == '_' || chars[length - 1] == '_')
		return false;
	for (int i = 0; i < length; i++)
	{
		if (chars[i] != '_' && (chars[i] < 'a' || chars[i] > 'z'))
			return false;
	}
	return true;
}

/*
 * Are these characters as many as a suffix has, each of its alphabet?  Their
 * number may still be too large.
 */
bool
gid_typeid_is_suffix(const char *chars, int length)
{
	if (length != GID_TYPEID_SUFFIX)
		return false;
	for (int i = 0; i < length; i++)
	{
		if (memchr(GID_TYPEID_CHARS, chars[i], strlen(GID_TYPEID_CHARS)) == NULL)
			return false;
	}
	return true;
}

/*
 * Write the TypeID of a prefix of "length" bytes and a UUID of 16 bytes.
 * "alphabet" and "radix" are those of GID_TYPEID_CHARS.  "out" has room for
 * GID_TYPEID_MAX_LENGTH bytes; no '\0' is written.  Returns the number of
 * bytes.
 */
int
gid_typeid_print(const GidAlphabet *alphabet, const GidRadix *radix,
				 const char *prefix, int length, const uint8 *uuid, char *out)
{
	memcpy(out, prefix, length);
	if (length > 0)
		out[length++] = '_';
	gid_radix_put(radix, alphabet->chars, uuid, GID_TYPEID_UUID_BYTES, out + length);
	return length + GID_TYPEID_SUFFIX;
}

/*
 * Read a TypeID of "length" bytes.  "alphabet" and "radix" are those of
 * GID_TYPEID_CHARS.
 *
 * Returns GID_TYPEID_SOUND, or what is wrong with the text.  After an error
 * only id->at may be used, and only with GID_TYPEID_FOREIGN.
 */
GidTypeidFault
gid_typeid_parse(const GidAlphabet *alphabet, const GidRadix *radix,
				 const char *chars, int length, GidTypeid *id)
{
	int			start = length - GID_TYPEID_SUFFIX;

	id->prefix_length = 0;
	if (start < 0 || length > GID_TYPEID_MAX_LENGTH)
		return GID_TYPEID_LENGTH;
	if (start > 0)
	{
		id->prefix_length = start - 1;
		if (chars[start - 1] != '_')
			return GID_TYPEID_SEPARATOR;
		if (start == 1 || !gid_typeid_is_prefix(chars, start - 1))
			return GID_TYPEID_PREFIX;
	}
	switch (gid_radix_get(radix, alphabet->place, chars + start, GID_TYPEID_SUFFIX,
						  id->uuid, GID_TYPEID_UUID_BYTES, &id->at))
	{
		case GID_RADIX_OK:
			break;
		case GID_RADIX_FOREIGN:
			id->at += start;
			return GID_TYPEID_FOREIGN;
		case GID_RADIX_TOO_LARGE:
			return GID_TYPEID_TOO_LARGE;
	}
	return GID_TYPEID_SOUND;
}

/* ---- any form ---- */

/* The characters of the largest id of a type in Crockford's alphabet. */
#define GID_IDTEXT_UUID_CHARS	26
#define GID_IDTEXT_GDID_CHARS	20
#define GID_IDTEXT_BIGINT_CHARS 13

#define GID_IDTEXT_BASE32HEX	GID_ALPHABET_PREFIX "0123456789ABCDEFGHIJKLMNOPQRSTUV"
#define GID_IDTEXT_PADDING		"======"
#define GID_IDTEXT_URN			"urn:uuid:"

/* Does a text begin as a URN of a UUID, in either case? */
static bool
gid_idtext_is_urn(const char *chars, int length)
{
	const char *urn = GID_IDTEXT_URN;

	if (length < (int) strlen(urn))
		return false;
	for (int i = 0; urn[i] != '\0'; i++)
	{
		if ((char) pg_ascii_tolower(chars[i]) != urn[i])
			return false;
	}
	return true;
}

/* Read a text as the type uuid does.  False if it is no UUID. */
static bool
gid_idtext_get_uuid(const char *chars, int length, uint8 *bytes)
{
	if (length > 0 && chars[0] == '{')
	{
		if (chars[length - 1] != '}')
			return false;
		chars++;
		length -= 2;
	}
	for (int i = 0; i < GID_IDTEXT_UUID_BYTES; i++)
	{
		int			high;
		int			low;

		/* a hyphen stands between groups of four digits */
		if (length > 0 && chars[0] == '-' && i > 0 && i % 2 == 0)
		{
			chars++;
			length--;
		}
		if (length < 2)
			return false;
		high = gid_gdid_hex_value(chars[0]);
		low = gid_gdid_hex_value(chars[1]);
		if (high < 0 || low < 0)
			return false;
		bytes[i] = (uint8) (high << 4 | low);
		chars += 2;
		length -= 2;
	}
	return length == 0;
}

/*
 * Read a number in a charset of 32 characters, in either case and, in
 * Crockford's alphabet, as people type it.
 */
static GidIdFault
gid_idtext_get_base32(const char *charset, const char *chars, int length,
					  uint8 *bytes, int nbytes)
{
	GidAlphabet alphabet;
	GidRadix	radix;
	int			at = 0;

	gid_alphabet_open(&alphabet, charset, (int) strlen(charset), &at);
	gid_alphabet_ignore_case(&alphabet);
	gid_alphabet_read_typed(&alphabet);
	gid_radix_open(&radix, alphabet.size);
	switch (gid_radix_get(&radix, alphabet.place, chars, length, bytes, nbytes, &at))
	{
		case GID_RADIX_OK:
			return GID_IDTEXT_SOUND;
		case GID_RADIX_TOO_LARGE:
			return GID_IDTEXT_TOO_LARGE;
		case GID_RADIX_FOREIGN:
			break;
	}
	return GID_IDTEXT_UNKNOWN;
}

static GidIdFault
gid_idtext_get_crockford(const char *chars, int length, uint8 *bytes, int nbytes)
{
	return gid_idtext_get_base32("crockford", chars, length, bytes, nbytes);
}

/* Read a Crockford text of a bigint. */
static GidIdFault
gid_idtext_get_number(const char *chars, int length, GidIdText *id)
{
	uint8		bytes[sizeof(int64)];
	GidIdFault	fault = gid_idtext_get_crockford(chars, length, bytes, sizeof(bytes));

	if (fault != GID_IDTEXT_SOUND)
		return fault;
	id->number = (int64) gid_get_be64(bytes);
	return id->number < 0 ? GID_IDTEXT_TOO_LARGE : GID_IDTEXT_SOUND;
}

/*
 * Read a base32hex text of a UUID, with padding or without.  False if it is
 * none.  The text is a number of 130 bits, the UUID and two bits of 0.
 */
static bool
gid_idtext_get_base32hex(const char *chars, int length, uint8 *uuid)
{
	int			padding = (int) strlen(GID_IDTEXT_PADDING);
	uint8		bytes[GID_IDTEXT_UUID_BYTES + GID_RADIX_LIMB_BYTES];

	if (length == GID_IDTEXT_UUID_CHARS + padding &&
		memcmp(chars + GID_IDTEXT_UUID_CHARS, GID_IDTEXT_PADDING, padding) == 0)
		length -= padding;
	if (length != GID_IDTEXT_UUID_CHARS ||
		gid_idtext_get_base32(GID_IDTEXT_BASE32HEX, chars, length, bytes,
							  sizeof(bytes)) != GID_IDTEXT_SOUND ||
		(bytes[sizeof(bytes) - 1] & 3) != 0)
		return false;
	for (int i = 0; i < GID_IDTEXT_UUID_BYTES; i++)
		uuid[i] = (uint8) (bytes[i + 3] << 6 | bytes[i + 4] >> 2);
	return true;
}

/* Is it a UUID of version 4 or 7? */
static bool
gid_idtext_is_common(const uint8 *uuid)
{
	return gid_uuid_has_rfc_variant(uuid) &&
		(gid_uuid_version(uuid) == 4 || gid_uuid_version(uuid) == 7);
}

/* Read a decimal number, which may be negative. */
static GidIdFault
gid_idtext_get_decimal(const char *chars, int length, GidIdText *id)
{
	bool		negative = length > 0 && chars[0] == '-';
	uint64		max = (uint64) PG_INT64_MAX + negative;
	uint64		number;

	switch (gid_gdid_parse_number(chars + negative, length - negative, max, &number))
	{
		case GID_GDID_SOUND:
			id->number = (int64) (negative ? 0 - number : number);
			return GID_IDTEXT_SOUND;
		case GID_GDID_RANGE:
			return GID_IDTEXT_TOO_LARGE;
		default:
			return GID_IDTEXT_UNKNOWN;
	}
}

/* Read a text with colons: rule 2. */
static GidIdFault
gid_idtext_parse_gdid(const char *chars, int length, GidIdText *id)
{
	GidGdid		gdid;
	GidGdidError error;

	id->form = GID_FORM_GDID;
	if (gid_gdid_parse(chars, length, &gdid, &error))
	{
		memcpy(id->bytes, gdid.bytes, GID_GDID_BYTES);
		return GID_IDTEXT_SOUND;
	}
	return error.fault == GID_GDID_RANGE ? GID_IDTEXT_TOO_LARGE : GID_IDTEXT_UNKNOWN;
}

/* Read a text whose last underscore is at this offset: rule 3. */
static GidIdFault
gid_idtext_parse_prefixed(const char *chars, int length, int underscore,
						  GidIdText *id)
{
	const char *suffix = chars + underscore + 1;
	int			n = length - underscore - 1;
	GidIdFault	fault;

	if (n == GID_IDTEXT_UUID_CHARS)
	{
		id->form = gid_typeid_is_suffix(suffix, n) ?
			GID_FORM_TYPEID : GID_FORM_UUID_CROCKFORD;
		fault = gid_idtext_get_crockford(suffix, n, id->bytes, GID_IDTEXT_UUID_BYTES);
	}
	else if (n == GID_IDTEXT_GDID_CHARS)
	{
		id->form = GID_FORM_GDID_CROCKFORD;
		fault = gid_idtext_get_crockford(suffix, n, id->bytes, GID_GDID_BYTES);
	}
	else if (n >= 1 && n <= GID_IDTEXT_BIGINT_CHARS)
	{
		id->form = GID_FORM_BIGINT_CROCKFORD;
		fault = gid_idtext_get_number(suffix, n, id);
	}
	else
		return GID_IDTEXT_UNKNOWN;

	if (fault == GID_IDTEXT_UNKNOWN)
		return fault;
	if (underscore == 0 || !gid_typeid_is_prefix(chars, underscore))
		return GID_IDTEXT_PREFIX;
	id->prefix_length = underscore;
	return fault;
}

/*
 * Read a text without a colon and an underscore: rules 4 to 9.
 *
 * About half of the texts that PostgreSQL 19's encode() writes of version 7
 * UUIDs in base32hex are ULIDs, too, of other UUIDs: their number has two zero
 * bits at its end, that of a ULID at its beginning.  No text says which it is.
 * So a ULID that is base32hex of a UUID of version 4 or 7 is ambiguous, and
 * also gives that UUID.  Of the ULIDs of these years that is one in some
 * 2,000.
 */
static GidIdFault
gid_idtext_parse_plain(const char *chars, int length, GidIdText *id)
{
	GidGdid		gdid;
	GidIdFault	fault;
	bool		base32hex;
	int			digits;

	if (gid_idtext_get_uuid(chars, length, id->bytes))
	{
		id->form = GID_FORM_UUID;
		return GID_IDTEXT_SOUND;
	}
	if (gid_gdid_parse_hex(chars, length, &gdid, &digits) == GID_GDID_SOUND)
	{
		id->form = GID_FORM_GDID_HEX;
		memcpy(id->bytes, gdid.bytes, GID_GDID_BYTES);
		return GID_IDTEXT_SOUND;
	}
	base32hex = gid_idtext_get_base32hex(chars, length, id->base32hex);
	if (length == GID_IDTEXT_UUID_CHARS)
	{
		id->form = GID_FORM_ULID;
		fault = gid_idtext_get_crockford(chars, length, id->bytes, GID_IDTEXT_UUID_BYTES);
		if (fault == GID_IDTEXT_SOUND)
			id->is_ambiguous = base32hex && gid_idtext_is_common(id->base32hex);
		if (fault == GID_IDTEXT_SOUND || (fault == GID_IDTEXT_TOO_LARGE && !base32hex))
			return fault;
	}
	if (base32hex)
	{
		id->form = GID_FORM_BASE32HEX;
		memcpy(id->bytes, id->base32hex, GID_IDTEXT_UUID_BYTES);
		return GID_IDTEXT_SOUND;
	}
	if (length == GID_IDTEXT_GDID_CHARS)
	{
		id->form = GID_FORM_GDID_CROCKFORD;
		fault = gid_idtext_get_crockford(chars, length, id->bytes, GID_GDID_BYTES);
		if (fault != GID_IDTEXT_UNKNOWN)
			return fault;
	}
	id->form = GID_FORM_BIGINT;
	return gid_idtext_get_decimal(chars, length, id);
}

/*
 * Read the id of a text of "length" bytes into *id.
 *
 * ASCII blanks around a text are ignored.  The rules are tried in this order:
 *
 * 1. A text that begins with "urn:uuid:", in upper or lower case, is a UUID.
 * 2. A text with a colon is a GDID, era:authority:counter in decimal.
 * 3. A text with an underscore has a prefix of the TypeID specification before
 *	  its last underscore, and a Crockford text after it.  26 characters after
 *	  it are a UUID, 20 a GDID, and 1 to 13 a bigint.  With a UUID the text is
 *	  a TypeID if its 26 characters are as gid_typeid_print() writes them.
 * 4. A text that the type uuid reads is a UUID: 32 hexadecimal digits, perhaps
 *	  with hyphens after every fourth digit, perhaps in braces.
 * 5. 24 hexadecimal digits, perhaps with 0x before them, are a GDID.
 * 6. 26 characters of Crockford's alphabet are a UUID, namely a ULID.
 * 7. 26 characters of the base32hex alphabet, 0-9 and A-V in either case, are
 *	  a UUID if the last two of their 130 bits are 0.  "======" may follow.
 * 8. 20 characters of Crockford's alphabet are a GDID.
 * 9. Decimal digits, perhaps with a minus before them, are a bigint.
 *
 * So the length decides what a text of digits alone is.  A Crockford text of a
 * bigint needs a prefix, because many words could be such a text.
 *
 * A text whose number is too large in one form is an error.  No other form is
 * tried then, but base32hex after ULID.
 *
 * Returns GID_IDTEXT_SOUND, or what is wrong with the text.  After an error
 * only id->form may be used, and only with GID_IDTEXT_TOO_LARGE.
 */
GidIdFault
gid_idtext_parse(const char *chars, int length, GidIdText *id)
{
	const char *given = chars;
	int			underscore;

	memset(id, 0, sizeof(GidIdText));
	gid_gdid_trim(&chars, &length);
	id->prefix = (int) (chars - given);
	if (length == 0)
		return GID_IDTEXT_EMPTY;

	if (gid_idtext_is_urn(chars, length))
	{
		int			n = (int) strlen(GID_IDTEXT_URN);

		id->form = GID_FORM_UUID;
		return gid_idtext_get_uuid(chars + n, length - n, id->bytes) ?
			GID_IDTEXT_SOUND : GID_IDTEXT_UNKNOWN;
	}
	if (memchr(chars, ':', length) != NULL)
		return gid_idtext_parse_gdid(chars, length, id);
	underscore = length - 1;
	while (underscore >= 0 && chars[underscore] != '_')
		underscore--;
	if (underscore >= 0)
		return gid_idtext_parse_prefixed(chars, length, underscore, id);
	return gid_idtext_parse_plain(chars, length, id);
}
