/*-------------------------------------------------------------------------
 *
 * layout/variant.h
 *		The variant and the version of a UUID.
 *
 * A UUID is 16 bytes in network order, as in pg_uuid_t.
 *
 * References: RFC 9562, sections 4.1 and 4.2.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LAYOUT_VARIANT_H
#define GID_LAYOUT_VARIANT_H

/*
 * Byte 6 and byte 8 of a UUID
 *
 *	bit 7        4 3            0     bit 7 6 5                   0
 *	   | version    |            |       |1 0|                     |
 *	   byte 6                            byte 8, with the RFC variant
 */
static inline bool
gid_uuid_has_rfc_variant(const uint8 *uuid)
{
	return (uuid[8] & 0xc0) == 0x80;
}

static inline int
gid_uuid_version(const uint8 *uuid)
{
	return uuid[6] >> 4;
}

/*
 * Make a byte 8 that is not the RFC variant: its top bits are 00, 01 or 11.
 * Each of the 192 values is as likely as the others, to 1 in 341.
 */
static inline uint8
gid_byte8_from_random(uint16 random)
{
	uint8		b = (uint8) (random % 192);

	return b < 128 ? b : b + 64;
}

#endif							/* GID_LAYOUT_VARIANT_H */
