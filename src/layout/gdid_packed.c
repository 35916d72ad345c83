/*-------------------------------------------------------------------------
 *
 * layout/gdid_packed.c
 *		The packed form of a GDID.
 *
 * State: none.  The functions are pure and return what is wrong instead of
 * raising an error.
 *
 * The packed form is ULEB128 of the era, then of the id, which is authority <<
 * 60 | counter.  ULEB128 has seven bits a byte, the lowest first; all bytes
 * but the last have their highest bit set.
 *
 * Invariants:
 * 1. Each GDID has one packed form: bytes that are not needed are an error.
 * 2. Nothing is read outside the given length, and nothing is written past
 *	  GID_GDID_PACKED_SIZE, whatever the bytes are.
 *
 * References: azist's SlimWriter; LEB128 in DWARF 5, section 7.6.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "base/pure.h"

#include "layout/gdid_packed.h"

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
static GidGdidFault
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
 * Read a GDID from its packed form.  Returns true, or false with the reason in
 * *error.
 */
bool
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
