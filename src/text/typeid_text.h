/*-------------------------------------------------------------------------
 *
 * text/typeid_text.h
 *		TypeIDs: a prefix and a UUID as text.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_TEXT_TYPEID_TEXT_H
#define GID_TEXT_TYPEID_TEXT_H

#include "text/alphabet.h"
#include "text/radix.h"

#define GID_TYPEID_UUID_BYTES	16
#define GID_TYPEID_MAX_PREFIX	63
#define GID_TYPEID_SUFFIX		26	/* characters */
#define GID_TYPEID_MAX_LENGTH	(GID_TYPEID_MAX_PREFIX + 1 + GID_TYPEID_SUFFIX)

/* What is wrong with a text. */
typedef enum GidTypeidFault
{
	GID_TYPEID_SOUND,
	GID_TYPEID_LENGTH,			/* fewer than 26 characters, or more than 90 */
	GID_TYPEID_SEPARATOR,		/* no underscore before the suffix */
	GID_TYPEID_PREFIX,			/* the underscore follows no prefix */
	GID_TYPEID_FOREIGN,			/* a character is not in the alphabet */
	GID_TYPEID_TOO_LARGE		/* the suffix has more than 128 bits */
} GidTypeidFault;

/* The parts of a TypeID. */
typedef struct GidTypeid
{
	int			prefix_length;	/* the text begins with the prefix */
	uint8		uuid[GID_TYPEID_UUID_BYTES];
	int			at;				/* with GID_TYPEID_FOREIGN the byte's offset */
} GidTypeid;

/* The characters of a suffix in their order. */
#define GID_TYPEID_CHARS		"0123456789abcdefghjkmnpqrstvwxyz"

extern bool gid_typeid_is_prefix(const char *chars, int length);
extern bool gid_typeid_is_suffix(const char *chars, int length);
extern int	gid_typeid_print(const GidAlphabet *alphabet, const GidRadix *radix,
							 const char *prefix, int length,
							 const uint8 *uuid, char *out);
extern GidTypeidFault gid_typeid_parse(const GidAlphabet *alphabet,
									   const GidRadix *radix,
									   const char *chars, int length,
									   GidTypeid *id);

#endif							/* GID_TEXT_TYPEID_TEXT_H */
