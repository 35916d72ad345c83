/*-------------------------------------------------------------------------
 *
 * text/id_text.h
 *		TypeIDs, and the id that a text stands for, whichever form it has.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_TEXT_ID_TEXT_H
#define GID_TEXT_ID_TEXT_H

#include "text/fault.h"
#include "text/lexical.h"
#include "text/radix.h"

/* ---- TypeIDs ---- */

#define GID_TYPEID_UUID_BYTES	16
#define GID_TYPEID_MAX_PREFIX	63
#define GID_TYPEID_SUFFIX		26	/* characters */
#define GID_TYPEID_MAX_LENGTH	(GID_TYPEID_MAX_PREFIX + 1 + GID_TYPEID_SUFFIX)

/* The parts of a TypeID. */
typedef struct GidTypeid
{
	int			prefix_length;	/* the text begins with the prefix */
	uint8		uuid[GID_TYPEID_UUID_BYTES];
} GidTypeid;

/* The characters of a suffix in their order. */
#define GID_TYPEID_CHARS		"0123456789abcdefghjkmnpqrstvwxyz"

extern bool gid_typeid_is_prefix(const char *chars, int length);
extern bool gid_typeid_is_suffix(const char *chars, int length);
extern int	gid_typeid_print(const GidAlphabet *alphabet, const GidRadix *radix,
							 const char *prefix, int length,
							 const uint8 *uuid, char *out);
extern bool gid_typeid_parse(const GidAlphabet *alphabet,
							 const GidRadix *radix, const char *chars,
							 int length, GidTypeid *id, GidFault *fault);

/* ---- any form ---- */

#define GID_IDTEXT_UUID_BYTES	16

/* The form of a text. */
typedef enum GidIdForm
{
	GID_FORM_UUID,				/* 32 hexadecimal digits */
	GID_FORM_ULID,				/* 26 characters of Crockford's alphabet */
	GID_FORM_BASE32HEX,			/* 26 characters, perhaps with padding */
	GID_FORM_TYPEID,			/* 26 characters after a prefix, all lower
								 * case */
	GID_FORM_UUID_CROCKFORD,	/* a ULID after a prefix */
	GID_FORM_GDID,				/* era:authority:counter */
	GID_FORM_GDID_HEX,			/* 24 hexadecimal digits */
	GID_FORM_GDID_CROCKFORD,	/* 20 characters */
	GID_FORM_BIGINT,			/* a decimal number, perhaps after a prefix */
	GID_FORM_BIGINT_CROCKFORD	/* 1 to 13 characters after a prefix */
} GidIdForm;

#define GID_NFORMS				(GID_FORM_BIGINT_CROCKFORD + 1)

/* The id of a text. */
typedef struct GidIdText
{
	GidIdForm	form;
	int			prefix;			/* the offset of the prefix */
	int			prefix_length;	/* 0 if there is no prefix */
	int64		number;			/* of a bigint */
	uint8		bytes[GID_IDTEXT_UUID_BYTES];	/* of a UUID; 12 of a GDID */
	bool		is_ambiguous;	/* a ULID that is base32hex of another UUID */
	uint8		base32hex[GID_IDTEXT_UUID_BYTES];	/* that UUID */
} GidIdText;

extern bool gid_idtext_parse(const char *given, int length, GidIdText *id,
							 GidFault *fault);

#endif							/* GID_TEXT_ID_TEXT_H */
