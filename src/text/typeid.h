/*-------------------------------------------------------------------------
 *
 * text/typeid.h
 *		TypeIDs.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_TEXT_TYPEID_H
#define GID_TEXT_TYPEID_H

#include "text/fault.h"
#include "text/lexical.h"
#include "text/radix.h"

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

#endif							/* GID_TEXT_TYPEID_H */
