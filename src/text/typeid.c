/*-------------------------------------------------------------------------
 *
 * text/typeid.c
 *		TypeIDs.
 *
 * State: none.  The functions are pure and return what is wrong instead of
 * raising an error.
 *
 *		order_01h455vb4pex5vsknk084sn02q
 *		prefix | suffix
 *
 * The prefix has 0 to 63 lower-case letters and underscores; its first and
 * last character are letters.  An underscore follows the prefix, unless the
 * prefix is empty.  The suffix is the UUID as a number of 128 bits, in 26
 * digits of Crockford's alphabet in lower case.  It has no underscore, so the
 * last underscore of a TypeID ends its prefix.  A prefix and a UUID have one
 * TypeID: upper case, and the letters that Crockford reads as digits, are not
 * read.
 *
 * References: the TypeID specification 0.3.0; Crockford, Base 32.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "base/pure.h"

#include "text/typeid.h"

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
 * False with GID_FAULT_LENGTH, GID_FAULT_SEPARATOR, GID_FAULT_PREFIX,
 * GID_FAULT_FOREIGN or GID_FAULT_TOO_LARGE.
 */
bool
gid_typeid_parse(const GidAlphabet *alphabet, const GidRadix *radix,
				 const char *chars, int length, GidTypeid *id, GidFault *fault)
{
	int			start = length - GID_TYPEID_SUFFIX;

	id->prefix_length = 0;
	if (start < 0 || length > GID_TYPEID_MAX_LENGTH)
		return gid_fault_count(fault, GID_FAULT_LENGTH, length, GID_TYPEID_MAX_LENGTH);
	if (start > 0)
	{
		id->prefix_length = start - 1;
		if (chars[start - 1] != '_')
			return gid_fault(fault, GID_FAULT_SEPARATOR);
		if (start == 1 || !gid_typeid_is_prefix(chars, start - 1))
			return gid_fault(fault, GID_FAULT_PREFIX);
	}
	if (gid_radix_get(radix, alphabet->place, chars + start, GID_TYPEID_SUFFIX,
					  id->uuid, GID_TYPEID_UUID_BYTES, fault))
		return true;
	if (fault->kind == GID_FAULT_FOREIGN)
		fault->at += start;
	return false;
}
