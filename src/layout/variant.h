/*-------------------------------------------------------------------------
 *
 * layout/variant.h
 *		The variant and the version of a UUID.
 *
 * State: none.  These are pure functions over integers and bytes.  They
 * compile with and without a server.
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

/* RFC 9562 sections 4.1 and 4.2: the top bits of byte 8, those of byte 6. */
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
 * A random byte 8 that cannot be taken for the RFC variant: its top bits are
 * 00, 01 or 11, each of the 192 values as likely as random is.
 */
static inline uint8
gid_byte8_from_random(uint16 random)
{
	uint8		b = (uint8) (random % 192);

	return b < 128 ? b : b + 64;
}

#endif							/* GID_LAYOUT_VARIANT_H */
