/*-------------------------------------------------------------------------
 *
 * layout/uuid_sequential.h
 *		The bits of a sequential UUID, of a process id and ticks.
 *
 * References: System.Guid(byte[16]) of .NET; the order of uniqueidentifier in
 * SQL Server.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LAYOUT_UUID_SEQUENTIAL_H
#define GID_LAYOUT_UUID_SEQUENTIAL_H

#include "base/bits.h"

/*
 * Sequential UUID, PostgreSQL's byte order ("N")
 *
 *	0                        64            72                            128
 *	| ticks (64)              | p6          | p7 p4 p5 p0 p1 p2 p3         |
 *
 * p0..p7 is the process id in the order of the .NET array.  The same id in SQL
 * Server's byte order is S = reverse(N[8..15]) || N[6..7] || N[0..5].  S is
 * printed as pppppppp-pppp-pppp-LLLL-HHHHHHHHHHHH with ticks = H << 16 | L.
 */
#define GID_TICKS_RATE			UINT64CONST(10000000)	/* a second */
#define GID_TICKS_EPOCH			UINT64CONST(621355968000000000) /* 1970 */
#define GID_TICKS_MAX			UINT64CONST(3155378975999999999)
#define GID_TICKS_PER_US		10
#define GID_PROCESS_BYTES		8

/* The byte of the process id that becomes byte 8, the place of the variant. */
#define GID_PROCESS_VARIANT_BYTE	6

static inline void
gid_sequential_pack(uint8 *uuid, uint64 ticks, const uint8 *process)
{
	gid_put_be64(uuid, ticks);
	uuid[8] = process[6];
	uuid[9] = process[7];
	uuid[10] = process[4];
	uuid[11] = process[5];
	memcpy(uuid + 12, process, 4);
}

static inline uint64
gid_sequential_ticks(const uint8 *uuid)
{
	return gid_get_be64(uuid);
}

static inline void
gid_sequential_process(const uint8 *uuid, uint8 *process)
{
	memcpy(process, uuid + 12, 4);
	process[4] = uuid[10];
	process[5] = uuid[11];
	process[6] = uuid[8];
	process[7] = uuid[9];
}

/* Convert PostgreSQL's byte order to SQL Server's. */
static inline void
gid_to_mssql(const uint8 *n, uint8 *s)
{
	for (int i = 0; i < 8; i++)
		s[i] = n[15 - i];
	memcpy(s + 8, n + 6, 2);
	memcpy(s + 10, n, 6);
}

/* Convert SQL Server's byte order to PostgreSQL's. */
static inline void
gid_from_mssql(const uint8 *s, uint8 *n)
{
	for (int i = 0; i < 8; i++)
		n[15 - i] = s[i];
	memcpy(n + 6, s + 8, 2);
	memcpy(n, s + 10, 6);
}

/*
 * Can it be a sequential UUID?  The ticks must be in the years 1 to 9999.  An
 * id with the RFC variant and a version of 1 to 8 is most likely an RFC UUID.
 * But other programs make sequential UUIDs with a random byte 8.  So such an
 * id is a sequential UUID if its ticks are in 1970 to 2199.
 */
#define GID_TICKS_2200			(GID_TICKS_EPOCH + UINT64CONST(7258118400) * GID_TICKS_RATE)

static inline bool
gid_sequential_is_plausible(const uint8 *uuid)
{
	uint64		ticks = gid_sequential_ticks(uuid);
	int			version = gid_uuid_version(uuid);

	if (ticks > GID_TICKS_MAX)
		return false;
	if (gid_uuid_has_rfc_variant(uuid) && version >= 1 && version <= 8)
		return ticks >= GID_TICKS_EPOCH && ticks < GID_TICKS_2200;
	return true;
}

#endif							/* GID_LAYOUT_UUID_SEQUENTIAL_H */
