/*-------------------------------------------------------------------------
 *
 * layout/layout.h
 *		The bit layouts of every id, and of the growing words behind them.
 *
 * State: none.  Everything here is a pure static inline function over
 * integers and byte arrays; it compiles with postgres.h and with
 * postgres_fe.h, and test/unit runs it without a server.
 *
 * A UUID is 16 bytes in network order, as in pg_uuid_t.  A moment is given
 * either as seconds and nanoseconds since the Unix epoch or, where SQL hands
 * one over, as microseconds since the Unix epoch.
 *
 * References: RFC 9562 section 5.7 and 6.2 (UUID version 7, method 3);
 * System.Guid(byte[16]) and SQL Server's uniqueidentifier order for the
 * process-id-plus-ticks kind; HotGuid for the shard-key layout; elfo's
 * TraceId and the DecimalId of actoromicon for the 63-bit ids.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LAYOUT_LAYOUT_H
#define GID_LAYOUT_LAYOUT_H

#include "port/pg_bswap.h"

#define GID_NS_PER_S			INT64CONST(1000000000)
#define GID_NS_PER_US			INT64CONST(1000)
#define GID_US_PER_S			INT64CONST(1000000)
#define GID_US_PER_MS			INT64CONST(1000)

/*
 * 9999-12-31 23:59:59, the last second of the calendar that the families
 * share; a server's clock beyond it makes no ids.
 */
#define GID_LAST_SECOND			INT64CONST(253402300799)

/*
 * The growing words.  Each is linear in time: word = epoch + seconds * rate +
 * whatever the word counts within a second.  A word of whole seconds has a
 * counter below them; the others go on with the fraction of the second.
 */
typedef enum GidWordId
{
	GID_WORD_V7,
	GID_WORD_TICKS,
	GID_WORD_TRACE,
	GID_WORD_SHARD
} GidWordId;

#define GID_NWORDS				(GID_WORD_SHARD + 1)

#define GID_V7_FRACTION_BITS	16
#define GID_V7_RATE				(UINT64CONST(1000) << GID_V7_FRACTION_BITS)
#define GID_TICKS_RATE			UINT64CONST(10000000)
#define GID_TICKS_EPOCH			UINT64CONST(621355968000000000)
#define GID_TICKS_MAX			UINT64CONST(3155378975999999999)
#define GID_TICKS_PER_US		10

#define GID_TRACE_COUNTER_BITS	10
#define GID_TRACE_LOW_BITS		22
#define GID_TRACE_NODE_BITS		16
#define GID_TRACE_SECOND_BITS	25
#define GID_TRACE_RATE			(UINT64CONST(1) << GID_TRACE_LOW_BITS)

#define GID_SHARD_COUNTER_BITS	24
#define GID_SHARD_SECOND_BITS	32
#define GID_SHARD_RATE			(UINT64CONST(1) << GID_SHARD_COUNTER_BITS)

#define GID_MASK(bits)			((UINT64CONST(1) << (bits)) - 1)

static inline uint64
gid_word_rate(GidWordId id)
{
	switch (id)
	{
		case GID_WORD_V7:
			return GID_V7_RATE;
		case GID_WORD_TICKS:
			return GID_TICKS_RATE;
		case GID_WORD_TRACE:
			return GID_TRACE_RATE;
		case GID_WORD_SHARD:
			break;
	}
	return GID_SHARD_RATE;
}

static inline uint64
gid_word_epoch(GidWordId id)
{
	return id == GID_WORD_TICKS ? GID_TICKS_EPOCH : 0;
}

static inline bool
gid_word_has_whole_seconds(GidWordId id)
{
	return id == GID_WORD_TRACE || id == GID_WORD_SHARD;
}

/* The first value of the word at a moment; seconds must not be negative. */
static inline uint64
gid_word_at(GidWordId id, int64 seconds, int64 ns)
{
	uint64		word = gid_word_epoch(id) + (uint64) seconds * gid_word_rate(id);

	if (!gid_word_has_whole_seconds(id))
		word += (uint64) ns * gid_word_rate(id) / GID_NS_PER_S;
	return word;
}

/* The same for a moment in microseconds since the Unix epoch. */
static inline uint64
gid_word_at_us(GidWordId id, int64 us)
{
	return gid_word_at(id, us / GID_US_PER_S, us % GID_US_PER_S * GID_NS_PER_US);
}

/* The moment of a word in microseconds since the Unix epoch, rounded down. */
static inline int64
gid_word_us(GidWordId id, uint64 word)
{
	uint64		rate = gid_word_rate(id);
	uint64		units = word > gid_word_epoch(id) ? word - gid_word_epoch(id) : 0;
	int64		us = (int64) (units / rate) * GID_US_PER_S;

	if (!gid_word_has_whole_seconds(id))
		us += (int64) ((units % rate) * GID_US_PER_S / rate);
	return us;
}

/*
 * How far a word may lie before a reading of the wall clock without that the
 * clock is suspected of a step back: another backend that read it later was
 * quicker, or the word counts within the second.  Ticks are few enough that a
 * tight loop can run ahead of them for a while.
 */
static inline uint64
gid_word_slack(GidWordId id)
{
	switch (id)
	{
		case GID_WORD_V7:
			return GID_V7_RATE / 100;
		case GID_WORD_TICKS:
			return GID_TICKS_RATE / 10;
		case GID_WORD_TRACE:
			return GID_TRACE_RATE - 1;
		case GID_WORD_SHARD:
			break;
	}
	return GID_SHARD_RATE - 1;
}

/*
 * The value after "last" at the moment whose first value is "now":
 * max(last + 1, now), but that a trace word passes over counter 0 (an id must
 * not be 0) and a shard word's counter runs on instead of starting again
 * every second.
 */
static inline uint64
gid_word_step(GidWordId id, uint64 last, uint64 now)
{
	uint64		next = last + 1;

	if (id == GID_WORD_SHARD)
		now |= next & GID_MASK(GID_SHARD_COUNTER_BITS);
	if (next < now)
		next = now;
	if (id == GID_WORD_TRACE && (next & GID_MASK(GID_TRACE_COUNTER_BITS)) == 0)
		next++;
	return next;
}

/* Big-endian stores and loads. */
static inline void
gid_put_be64(uint8 *p, uint64 v)
{
	v = pg_hton64(v);
	memcpy(p, &v, sizeof(v));
}

static inline void
gid_put_be32(uint8 *p, uint32 v)
{
	v = pg_hton32(v);
	memcpy(p, &v, sizeof(v));
}

static inline uint64
gid_get_be64(const uint8 *p)
{
	uint64		v;

	memcpy(&v, p, sizeof(v));
	return pg_ntoh64(v);
}

static inline uint32
gid_get_be32(const uint8 *p)
{
	uint32		v;

	memcpy(&v, p, sizeof(v));
	return pg_ntoh32(v);
}

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

/*
 * UUID version 7
 *
 *	0                   48   52           64 66   70                     128
 *	| unix ms (48)       | 7 | sub-ms hi 12 |10| lo 4 | random 58          |
 *
 * The word is unix ms << 16 | fraction of the ms in 1/65536.
 */
#define GID_V7_MAX_MS			((int64) GID_MASK(48))
#define GID_V7_RANDOM_BITS		58

static inline void
gid_v7_pack(uint8 *uuid, uint64 word, uint64 random)
{
	gid_put_be64(uuid, (word & ~GID_MASK(GID_V7_FRACTION_BITS)) |
				 UINT64CONST(0x7000) | (word >> 4 & GID_MASK(12)));
	gid_put_be64(uuid + 8, UINT64CONST(2) << 62 |
				 (word & GID_MASK(4)) << GID_V7_RANDOM_BITS |
				 (random & GID_MASK(GID_V7_RANDOM_BITS)));
}

static inline bool
gid_is_v7(const uint8 *uuid)
{
	return gid_uuid_has_rfc_variant(uuid) && gid_uuid_version(uuid) == 7;
}

static inline int64
gid_v7_ms(const uint8 *uuid)
{
	return (int64) (gid_get_be64(uuid) >> GID_V7_FRACTION_BITS);
}

/*
 * Process id and ticks, PostgreSQL's byte order ("N")
 *
 *	0                        64            72                            128
 *	| ticks (64)              | p6          | p7 p4 p5 p0 p1 p2 p3         |
 *
 * p0..p7 is the process id in the order of the .NET array.  The SQL Server
 * form ("S") of the same id is S = reverse(N[8..15]) || N[6..7] || N[0..5];
 * it prints pppppppp-pppp-pppp-LLLL-HHHHHHHHHHHH with
 * ticks = H << 16 | L.
 */
#define GID_PROCESS_BYTES		8

/* The process-id byte that becomes byte 8, where the variant would stand. */
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

static inline void
gid_to_mssql(const uint8 *n, uint8 *s)
{
	for (int i = 0; i < 8; i++)
		s[i] = n[15 - i];
	for (int i = 0; i < 2; i++)
		s[8 + i] = n[6 + i];
	for (int i = 0; i < 6; i++)
		s[10 + i] = n[i];
}

static inline void
gid_from_mssql(const uint8 *s, uint8 *n)
{
	for (int i = 0; i < 8; i++)
		n[15 - i] = s[i];
	for (int i = 0; i < 2; i++)
		n[6 + i] = s[8 + i];
	for (int i = 0; i < 6; i++)
		n[i] = s[10 + i];
}

/*
 * Can these be ticks of the process-id kind?  They must lie in the years 1 to
 * 9999.  An id with the RFC variant and a version of 1 to 8 is most likely
 * somebody's RFC UUID; it counts as ticks only when these fall into 1970 to
 * 2199, since other makers of this kind leave byte 8 to chance.
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

/*
 * Shard-key UUID, PostgreSQL's byte order
 *
 *	0              32          72                96                      128
 *	| seconds (32) | m1 m0 m3 m2 m4 | counter (24) | shard, little-endian  |
 *
 * The word is seconds << 24 | counter, the seconds not reduced; m0..m4 are
 * the generator's bytes in the order of the .NET array, m4 is byte 8.
 */
#define GID_GENERATOR_BYTES		5
#define GID_GENERATOR_VARIANT_BYTE	4
#define GID_MAX_SHARD			INT64CONST(4294967295)
#define GID_REGION_BITS			10
#define GID_REGION_SHARD_BITS	22

static inline void
gid_shard_pack(uint8 *uuid, uint64 word, const uint8 *generator, uint32 shard)
{
	gid_put_be32(uuid, (uint32) (word >> GID_SHARD_COUNTER_BITS));
	uuid[4] = generator[1];
	uuid[5] = generator[0];
	uuid[6] = generator[3];
	uuid[7] = generator[2];
	gid_put_be32(uuid + 8, (uint32) generator[4] << GID_SHARD_COUNTER_BITS |
				 (uint32) (word & GID_MASK(GID_SHARD_COUNTER_BITS)));
	/* little-endian */
	gid_put_be32(uuid + 12, pg_bswap32(shard));
}

static inline uint32
gid_shard_seconds(const uint8 *uuid)
{
	return gid_get_be32(uuid);
}

static inline void
gid_shard_generator(const uint8 *uuid, uint8 *generator)
{
	generator[0] = uuid[5];
	generator[1] = uuid[4];
	generator[2] = uuid[7];
	generator[3] = uuid[6];
	generator[4] = uuid[8];
}

static inline uint32
gid_shard_counter(const uint8 *uuid)
{
	return gid_get_be32(uuid + 8) & GID_MASK(GID_SHARD_COUNTER_BITS);
}

static inline uint32
gid_shard_key_of(const uint8 *uuid)
{
	return pg_bswap32(gid_get_be32(uuid + 12));
}

/*
 * TraceId
 *
 *	 63 62                    38 37              22 21        10 9          0
 *	 |0| unix seconds mod 2^25 | node_no (16)      | thread 12  | counter 10 |
 *
 * The word is seconds << 22 | thread << 10 | counter, the seconds not
 * reduced.  Other makers split the low 22 bits elsewhere: thread_bits.
 */
#define GID_TRACE_SECOND_SHIFT	(GID_TRACE_LOW_BITS + GID_TRACE_NODE_BITS)
#define GID_TRACE_MAX_NODE		((int) GID_MASK(GID_TRACE_NODE_BITS))
#define GID_TRACE_PERIOD_S		((int64) 1 << GID_TRACE_SECOND_BITS)

static inline int64
gid_trace_pack(uint64 seconds, uint32 node, uint32 low)
{
	return (int64) ((seconds & GID_MASK(GID_TRACE_SECOND_BITS)) << GID_TRACE_SECOND_SHIFT |
					(uint64) node << GID_TRACE_LOW_BITS | low);
}

static inline uint32
gid_trace_low(int64 id)
{
	return (uint32) ((uint64) id & GID_MASK(GID_TRACE_LOW_BITS));
}

static inline uint32
gid_trace_node(int64 id)
{
	return (uint32) ((uint64) id >> GID_TRACE_LOW_BITS & GID_MASK(GID_TRACE_NODE_BITS));
}

static inline int64
gid_trace_seconds(int64 id)
{
	return (int64) ((uint64) id >> GID_TRACE_SECOND_SHIFT);
}

static inline bool
gid_is_trace(int64 id)
{
	return id >= 1 && gid_trace_low(id) != 0;
}

/*
 * DecimalId: counter * 10^10 + generator * 10^5 + launch
 *
 *	| counter, 1 to 9 digits | generator, 5 digits | launch, 5 digits |
 */
#define GID_DECIMAL_LAUNCH_STEP		INT64CONST(100000)
#define GID_DECIMAL_COUNTER_STEP	INT64CONST(10000000000)
#define GID_DECIMAL_MAX_COUNTER		922337202
#define GID_DECIMAL_MAX_GENERATOR	99999
#define GID_DECIMAL_MAX_LAUNCH		99999
#define GID_DECIMAL_MAX \
	(GID_DECIMAL_MAX_COUNTER * GID_DECIMAL_COUNTER_STEP + \
	 GID_DECIMAL_MAX_GENERATOR * GID_DECIMAL_LAUNCH_STEP + GID_DECIMAL_MAX_LAUNCH)

static inline int64
gid_decimal_pack(int32 counter, int32 generator, int32 launch)
{
	return counter * GID_DECIMAL_COUNTER_STEP +
		generator * GID_DECIMAL_LAUNCH_STEP + launch;
}

static inline bool
gid_is_decimal(int64 id)
{
	return id >= GID_DECIMAL_COUNTER_STEP && id <= GID_DECIMAL_MAX;
}

static inline int32
gid_decimal_counter(int64 id)
{
	return (int32) (id / GID_DECIMAL_COUNTER_STEP);
}

static inline int32
gid_decimal_generator(int64 id)
{
	return (int32) (id / GID_DECIMAL_LAUNCH_STEP % GID_DECIMAL_LAUNCH_STEP);
}

static inline int32
gid_decimal_launch(int64 id)
{
	return (int32) (id % GID_DECIMAL_LAUNCH_STEP);
}

/* a / b rounded towards minus infinity, for b > 0 */
static inline int64
gid_floor_div(int64 a, int64 b)
{
	return a / b - (a % b < 0);
}

#endif							/* GID_LAYOUT_LAYOUT_H */
