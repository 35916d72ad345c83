/*-------------------------------------------------------------------------
 *
 * text/id_form.c
 *		The forms of ids, and what nearly has one.
 *
 * State: none.  The functions are pure and return what is wrong instead of
 * raising an error.
 *
 * References: RFC 9562, section 4; string_to_uuid() of PostgreSQL; ULID; RFC
 * 4648, section 7.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "base/pure.h"

#include "base/bits.h"
#include "text/gdid_text.h"
#include "text/id_form.h"
#include "text/lexical.h"
#include "text/radix.h"
#include "text/typeid.h"

/* ---- numbers ---- */

/* The characters of the largest id of a type in Crockford's alphabet. */
#define GID_IDFORM_UUID_CHARS	26
#define GID_IDFORM_GDID_CHARS	20
#define GID_IDFORM_BIGINT_CHARS 13

#define GID_IDFORM_UUID_DIGITS	(2 * GID_IDFORM_UUID_BYTES)

#define GID_IDFORM_BASE32HEX	GID_ALPHABET_PREFIX "0123456789ABCDEFGHIJKLMNOPQRSTUV"
#define GID_IDFORM_PADDING		"======"
#define GID_IDFORM_URN			"urn:uuid:"

static inline bool
gid_id_form_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Do the characters have only decimal digits? */
static bool
gid_id_form_is_decimal(const char *chars, int length)
{
	for (int i = 0; i < length; i++)
	{
		if (!gid_id_form_is_digit(chars[i]))
			return false;
	}
	return true;
}

/* Do they have one? */
bool
gid_id_form_has_digit(const char *chars, int length)
{
	for (int i = 0; i < length; i++)
	{
		if (gid_id_form_is_digit(chars[i]))
			return true;
	}
	return false;
}

/* Does a text begin as a URN of a UUID, in either case? */
static bool
gid_id_form_is_urn(const char *chars, int length)
{
	const char *urn = GID_IDFORM_URN;

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
gid_id_form_get_uuid(const char *chars, int length, uint8 *bytes)
{
	if (length > 0 && chars[0] == '{')
	{
		if (chars[length - 1] != '}')
			return false;
		chars++;
		length -= 2;
	}
	for (int i = 0; i < GID_IDFORM_UUID_BYTES; i++)
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
 * Open a charset of 32 characters for reading in either case and, if it is
 * Crockford's, as people type it.
 */
static void
gid_id_form_open_base32(GidAlphabet *alphabet, const char *charset)
{
	GidFault	none;

	gid_alphabet_open(alphabet, charset, (int) strlen(charset), &none);
	gid_alphabet_read_typed(alphabet);
	gid_alphabet_read_either_case(alphabet);
}

/* Read a number in such a charset.  False as gid_radix_get(). */
static bool
gid_id_form_get_base32(const char *charset, const char *chars, int length,
					   uint8 *bytes, int nbytes, GidFault *fault)
{
	GidAlphabet alphabet;
	GidRadix	radix;

	gid_id_form_open_base32(&alphabet, charset);
	gid_radix_open(&radix, alphabet.size);
	return gid_radix_get(&radix, alphabet.place, chars, length, bytes, nbytes, fault);
}

static bool
gid_id_form_get_crockford(const char *chars, int length, uint8 *bytes,
						  int nbytes, GidFault *fault)
{
	return gid_id_form_get_base32("crockford", chars, length, bytes, nbytes, fault);
}

/*
 * Can the characters be a Crockford text of a GDID?  20 decimal digits without
 * a 0 before them are a number, such as the largest one of 64 bits: as a GDID
 * they would be of an era that nobody reaches.
 */
static bool
gid_id_form_can_be_gdid(const char *chars, int length)
{
	return length == GID_IDFORM_GDID_CHARS &&
		(chars[0] == '0' || !gid_id_form_is_decimal(chars, length));
}

/* Read a Crockford text of a bigint. */
static bool
gid_id_form_get_number(const char *chars, int length, GidIdText *id, GidFault *fault)
{
	uint8		bytes[sizeof(int64)];

	if (!gid_id_form_get_crockford(chars, length, bytes, sizeof(bytes), fault))
		return false;
	id->number = (int64) gid_get_be64(bytes);
	return id->number >= 0 || gid_fault(fault, GID_FAULT_TOO_LARGE);
}

/*
 * Read a base32hex text of a UUID, with padding or without.  False if it is
 * none.  The text is a number of 130 bits, the UUID and two bits of 0.
 */
static bool
gid_id_form_get_base32hex(const char *chars, int length, uint8 *uuid)
{
	int			padding = (int) strlen(GID_IDFORM_PADDING);
	uint8		bytes[GID_IDFORM_UUID_BYTES + GID_RADIX_LIMB_BYTES];
	GidFault	fault;

	if (length == GID_IDFORM_UUID_CHARS + padding &&
		memcmp(chars + GID_IDFORM_UUID_CHARS, GID_IDFORM_PADDING, padding) == 0)
		length -= padding;
	if (length != GID_IDFORM_UUID_CHARS ||
		!gid_id_form_get_base32(GID_IDFORM_BASE32HEX, chars, length, bytes,
								sizeof(bytes), &fault) ||
		(bytes[sizeof(bytes) - 1] & 3) != 0)
		return false;
	for (int i = 0; i < GID_IDFORM_UUID_BYTES; i++)
		uuid[i] = (uint8) (bytes[i + 3] << 6 | bytes[i + 4] >> 2);
	return true;
}

/* Is it a UUID of version 4 or 7? */
static bool
gid_id_form_is_common(const uint8 *uuid)
{
	return gid_uuid_has_rfc_variant(uuid) &&
		(gid_uuid_version(uuid) == 4 || gid_uuid_version(uuid) == 7);
}

/*
 * Read a decimal number, which may be negative.  False with
 * GID_FAULT_TOO_LARGE, or with another fault if it is none.
 */
static bool
gid_id_form_get_decimal(const char *chars, int length, GidIdText *id, GidFault *fault)
{
	bool		negative = length > 0 && chars[0] == '-';
	uint64		max = (uint64) PG_INT64_MAX + negative;
	uint64		number;

	id->form = GID_FORM_BIGINT;
	if (!gid_gdid_parse_number(chars + negative, length - negative, max, &number, fault))
		return false;
	id->number = (int64) (negative ? 0 - number : number);
	return true;
}

/* ---- what nearly has a form ---- */

/* The most characters that a person mistypes in one text. */
#define GID_IDFORM_MISTYPED		2
/* The most that stand between the digits of a UUID instead of hyphens. */
#define GID_IDFORM_DASHES		4

/* The characters of a text, counted by an alphabet. */
typedef struct GidIdCount
{
	int			hyphens;
	int			digits;			/* characters of the alphabet */
	int			others;			/* neither */
	int			other_at;		/* the first of these */
} GidIdCount;

/*
 * Is a byte the second or a later one of a character in UTF-8?  In another
 * encoding, where it may be a character, the first of such bytes still counts.
 */
static bool
gid_id_form_continues(const char *chars, int i)
{
	return i > 0 && (chars[i] & 0xc0) == 0x80 && (chars[i - 1] & 0x80) != 0;
}

/* Count the characters that are hexadecimal digits, and those that are not. */
static GidIdCount
gid_id_form_count_hex(const char *chars, int length)
{
	GidIdCount	count = {0};

	for (int i = 0; i < length; i++)
	{
		if (gid_gdid_hex_value(chars[i]) >= 0)
			count.digits++;
		else if (chars[i] == '-')
			count.hyphens++;
		else if (!gid_id_form_continues(chars, i) && count.others++ == 0)
			count.other_at = i;
	}
	return count;
}

/* The same for Crockford's alphabet, which has no hyphen. */
static GidIdCount
gid_id_form_count_crockford(const char *chars, int length)
{
	GidIdCount	count = {0};
	GidAlphabet alphabet;

	gid_id_form_open_base32(&alphabet, "crockford");
	for (int i = 0; i < length; i++)
	{
		if (gid_alphabet_place(&alphabet, chars[i]) >= 0)
			count.digits++;
		else if (!gid_id_form_continues(chars, i) && count.others++ == 0)
			count.other_at = i;
	}
	return count;
}

/* Find the first hyphen that does not stand between groups of four digits. */
static int
gid_id_form_wrong_hyphen(const char *chars, int length)
{
	int			digits = 0;

	for (int i = 0; i < length; i++)
	{
		if (chars[i] != '-')
			digits++;
		else if (digits == 0 || digits % 4 != 0 || digits == GID_IDFORM_UUID_DIGITS ||
				 chars[i - 1] == '-')
			return i;
	}
	return 0;
}

/*
 * Does a text nearly have the form of a UUID or of a hexadecimal GDID?  Then
 * the fault says what is wrong with it, and id->form is that form.
 */
static bool
gid_id_form_is_nearly_hex(const char *chars, int length, GidIdText *id, GidFault *fault)
{
	const char *given = chars;
	int			wanted = GID_IDFORM_UUID_DIGITS;
	bool		marked = true;	/* it can be nothing else */
	GidIdCount	count;

	if (gid_id_form_is_urn(chars, length))
	{
		chars += strlen(GID_IDFORM_URN);
		length -= (int) strlen(GID_IDFORM_URN);
	}
	else if (length >= 2 && chars[0] == '{' && chars[length - 1] == '}')
	{
		chars++;
		length -= 2;
	}
	else if (length >= 2 && chars[0] == '0' && (chars[1] == 'x' || chars[1] == 'X'))
	{
		chars += 2;
		length -= 2;
		wanted = GID_GDID_HEX_DIGITS;
	}
	else
		marked = false;
	count = gid_id_form_count_hex(chars, length);
	if (!marked && count.hyphens == 0)
	{
		/* without a letter it is a decimal number */
		if (gid_id_form_is_decimal(chars, length))
			return false;
		if (2 * (count.digits + count.others) < GID_GDID_HEX_DIGITS + GID_IDFORM_UUID_DIGITS)
			wanted = GID_GDID_HEX_DIGITS;
	}
	id->form = wanted == GID_GDID_HEX_DIGITS ? GID_FORM_GDID_HEX : GID_FORM_UUID;
	if (count.others == 0)
	{
		if (count.digits == wanted)
			return !gid_fault_at(fault, GID_FAULT_HYPHEN, (int) (chars - given) +
								 gid_id_form_wrong_hyphen(chars, length));
		gid_fault_count(fault, GID_FAULT_LENGTH, count.digits, wanted);
		return 2 * count.digits > wanted && count.digits < 2 * wanted;
	}
	gid_fault_at(fault, GID_FAULT_FOREIGN, (int) (chars - given) + count.other_at);
	return (count.others <= GID_IDFORM_MISTYPED && count.digits + count.others == wanted) ||
		(count.others <= GID_IDFORM_DASHES && count.digits == wanted);
}

/*
 * Does a text nearly have the form of a Crockford text of a UUID or a GDID?
 * Then the fault says what is wrong with it, and id->form is that form.
 * Without a digit it is rather a word.
 */
static bool
gid_id_form_is_nearly_crockford(const char *chars, int length, bool after_prefix,
								GidIdText *id, GidFault *fault)
{
	GidIdCount	count = gid_id_form_count_crockford(chars, length);
	int			all = count.digits + count.others;
	bool		is_uuid = all > (GID_IDFORM_GDID_CHARS + GID_IDFORM_UUID_CHARS) / 2;
	int			wanted = is_uuid ? GID_IDFORM_UUID_CHARS : GID_IDFORM_GDID_CHARS;

	id->form = !is_uuid ? GID_FORM_GDID_CROCKFORD :
		after_prefix ? GID_FORM_UUID_CROCKFORD : GID_FORM_ULID;
	if (!gid_id_form_has_digit(chars, length))
		return false;
	if (count.others == 0)
	{
		gid_fault_count(fault, GID_FAULT_LENGTH, length, wanted);
		return length >= wanted - GID_IDFORM_MISTYPED &&
			length <= wanted + GID_IDFORM_MISTYPED;
	}
	gid_fault_at(fault, GID_FAULT_FOREIGN, count.other_at);
	return count.others <= GID_IDFORM_MISTYPED && all == wanted;
}

/* Does a text with colons nearly have the form of a GDID? */
static bool
gid_id_form_is_nearly_gdid(const char *chars, int length)
{
	int			others = 0;

	for (int i = 0; i < length; i++)
		others += chars[i] != ':' && !gid_id_form_is_digit(chars[i]);
	return others <= GID_IDFORM_MISTYPED && gid_id_form_has_digit(chars, length);
}

/* Did a text nearly have a form?  A number that is too large has it. */
bool
gid_id_form_was_nearly(const GidFault *fault)
{
	return fault->kind == GID_FAULT_LENGTH || fault->kind == GID_FAULT_FOREIGN ||
		fault->kind == GID_FAULT_HYPHEN || fault->kind == GID_FAULT_TOO_LARGE;
}

/* ---- any form ---- */

/* Read a text whose last underscore is at this offset: rule 3. */
static bool
gid_id_form_parse_prefixed(const char *chars, int length, int underscore,
						   GidIdText *id, GidFault *fault)
{
	const char *suffix = chars + underscore + 1;
	int			n = length - underscore - 1;
	bool		is_decimal = n > 0 && gid_id_form_is_decimal(suffix, n);
	bool		is_read;

	if (n == GID_IDFORM_UUID_CHARS)
	{
		id->form = gid_typeid_is_suffix(suffix, n) ?
			GID_FORM_TYPEID : GID_FORM_UUID_CROCKFORD;
		is_read = gid_id_form_get_crockford(suffix, n, id->bytes, GID_IDFORM_UUID_BYTES, fault);
	}
	else if (gid_id_form_can_be_gdid(suffix, n))
	{
		id->form = GID_FORM_GDID_CROCKFORD;
		is_read = gid_id_form_get_crockford(suffix, n, id->bytes, GID_GDID_BYTES, fault);
	}
	else if (is_decimal)
		is_read = gid_id_form_get_decimal(suffix, n, id, fault);
	else if (n >= 1 && n <= GID_IDFORM_BIGINT_CHARS)
	{
		id->form = GID_FORM_BIGINT_CROCKFORD;
		is_read = gid_id_form_get_number(suffix, n, id, fault);
	}
	else
		is_read = gid_fault(fault, GID_FAULT_UNKNOWN);

	if (!is_read && fault->kind != GID_FAULT_TOO_LARGE)
	{
		if (!gid_id_form_is_nearly_crockford(suffix, n, true, id, fault))
			return gid_fault(fault, GID_FAULT_UNKNOWN);
		fault->at += underscore + 1;
	}
	else if (underscore == 0 || !gid_typeid_is_prefix(chars, underscore))
		return gid_fault(fault, GID_FAULT_PREFIX);
	id->prefix_length = underscore;
	return is_read;
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
static bool
gid_id_form_parse_plain(const char *chars, int length, GidIdText *id, GidFault *fault)
{
	GidGdid		gdid;
	bool		is_decimal = gid_id_form_is_decimal(chars, length);
	bool		base32hex;

	if (gid_id_form_get_uuid(chars, length, id->bytes))
	{
		id->form = GID_FORM_UUID;
		return true;
	}
	if (gid_gdid_parse_hex(chars, length, &gdid, fault))
	{
		id->form = GID_FORM_GDID_HEX;
		memcpy(id->bytes, gdid.bytes, GID_GDID_BYTES);
		return true;
	}
	base32hex = gid_id_form_get_base32hex(chars, length, id->base32hex);
	if (length == GID_IDFORM_UUID_CHARS)
	{
		id->form = GID_FORM_ULID;
		if (gid_id_form_get_crockford(chars, length, id->bytes, GID_IDFORM_UUID_BYTES, fault))
		{
			id->is_ambiguous = base32hex && gid_id_form_is_common(id->base32hex);
			return true;
		}
		/* by chance no UUID has only decimal digits in base32hex */
		if (is_decimal)
			base32hex = base32hex && gid_id_form_is_common(id->base32hex);
		if (fault->kind == GID_FAULT_TOO_LARGE && !base32hex)
			return false;
	}
	if (base32hex)
	{
		id->form = GID_FORM_BASE32HEX;
		memcpy(id->bytes, id->base32hex, GID_IDFORM_UUID_BYTES);
		return true;
	}
	if (gid_id_form_can_be_gdid(chars, length))
	{
		id->form = GID_FORM_GDID_CROCKFORD;
		if (gid_id_form_get_crockford(chars, length, id->bytes, GID_GDID_BYTES, fault))
			return true;
		if (fault->kind == GID_FAULT_TOO_LARGE)
			return false;
	}
	if (gid_id_form_get_decimal(chars, length, id, fault))
		return true;
	return fault->kind != GID_FAULT_TOO_LARGE &&
		!gid_id_form_is_nearly_hex(chars, length, id, fault) &&
		!gid_id_form_is_nearly_crockford(chars, length, false, id, fault) &&
		gid_fault(fault, GID_FAULT_UNKNOWN);
}

/*
 * Read an id into *id, which is zero, as *fault is.  Nothing stands around it.
 * The rules are tried in this order:
 *
 * 1. A text that begins with "urn:uuid:", in upper or lower case, is a UUID.
 * 2. A text with a colon is a GDID, era:authority:counter in decimal.
 * 3. A text with an underscore has a prefix of the TypeID specification before
 *	  its last underscore, and a Crockford text or a decimal bigint after it.
 *	  26 characters after it are a UUID, 20 a GDID as in rule 8.  Decimal
 *	  digits in any other number are a decimal bigint, and 1 to 13 other
 *	  characters are a bigint in Crockford's alphabet.  With a UUID the text is
 *	  a TypeID if its 26 characters are as gid_typeid_print() writes them.
 * 4. A text that the type uuid reads is a UUID: 32 hexadecimal digits, perhaps
 *	  with hyphens after every fourth digit, perhaps in braces.
 * 5. 24 hexadecimal digits, perhaps with 0x before them, are a GDID.
 * 6. 26 characters of Crockford's alphabet are a UUID, namely a ULID.
 * 7. 26 characters of the base32hex alphabet, 0-9 and A-V in either case, are
 *	  a UUID if the last two of their 130 bits are 0.  "======" may follow.
 *	  Decimal digits alone must be a UUID of version 4 or 7.
 * 8. 20 characters of Crockford's alphabet are a GDID.  Decimal digits alone
 *	  must begin with a 0.
 * 9. Decimal digits, perhaps with a minus before them, are a bigint.
 *
 * So the length decides what a text of digits alone is.  A Crockford text of a
 * bigint needs a prefix, because many words could be such a text.
 *
 * A text whose number is too large in one form is an error.  No other form is
 * tried then, but base32hex after ULID.
 *
 * False with GID_FAULT_UNKNOWN or GID_FAULT_PREFIX; with
 * GID_FAULT_TOO_LARGE, and what the form is; with a fault of gid_gdid_parse()
 * and GID_FORM_GDID; or, where a text nearly has a form, with this form and
 * GID_FAULT_LENGTH, GID_FAULT_FOREIGN or GID_FAULT_HYPHEN.
 */
bool
gid_id_form_parse(const char *chars, int length, GidIdText *id, GidFault *fault)
{
	int			underscore = length - 1;

	if (gid_id_form_is_urn(chars, length))
	{
		int			n = (int) strlen(GID_IDFORM_URN);

		id->form = GID_FORM_UUID;
		return gid_id_form_get_uuid(chars + n, length - n, id->bytes) ||
			(!gid_id_form_is_nearly_hex(chars, length, id, fault) &&
			 gid_fault(fault, GID_FAULT_UNKNOWN));
	}
	if (memchr(chars, ':', length) != NULL)
	{
		GidGdid		gdid;

		id->form = GID_FORM_GDID;
		if (!gid_gdid_parse(chars, length, &gdid, fault))
			return !gid_id_form_is_nearly_gdid(chars, length) &&
				gid_fault(fault, GID_FAULT_UNKNOWN);
		memcpy(id->bytes, gdid.bytes, GID_GDID_BYTES);
		return true;
	}
	while (underscore >= 0 && chars[underscore] != '_')
		underscore--;
	if (underscore >= 0)
		return gid_id_form_parse_prefixed(chars, length, underscore, id, fault);
	return gid_id_form_parse_plain(chars, length, id, fault);
}
