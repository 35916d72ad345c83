/*-------------------------------------------------------------------------
 *
 * sequence/block.h
 *		The blocks of sequences: reserved values in shared memory.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_BLOCK_H
#define GID_SEQUENCE_BLOCK_H

#include "access/xlogdefs.h"
#include "storage/spin.h"
#include "utils/dsa.h"

#include "attach/attach.h"
#include "base/bits.h"
#include "peer/errand.h"
#include "sequence/reserve.h"

/*
 * Where the values of an entry come from: the sequence's page, the servers of
 * gid.authorities, or, from GID_SOURCE_LAUNCH on, a generator number of a
 * launch of DecimalIds.  An odd number stands for a launch whose numbers the
 * server of gid.decimal_authority gives.
 */
typedef uint32 GidSource;

#define GID_SOURCE_PAGE			0
#define GID_SOURCE_AUTHORITIES	1
#define GID_SOURCE_LAUNCH		2

#define gid_source_of_launch(launch, fetched) \
	((GidSource) (GID_SOURCE_LAUNCH + 2 * (launch) + ((fetched) ? 1 : 0)))
#define gid_source_launch(source) \
	((int32) (((source) - GID_SOURCE_LAUNCH) / 2))
#define gid_source_is_launch(source)	((source) >= GID_SOURCE_LAUNCH)
#define gid_source_is_fetched(source)	((source) % 2 == 1)

/*
 * Whose an entry is.  Every ALTER SEQUENCE of the values and every TRUNCATE
 * ... RESTART IDENTITY gives a sequence a new file, and so another entry.  The
 * members leave no gap.
 */
typedef struct GidBlockKey
{
	Oid			sequence;
	GidSource	source;
	Oid			relfilenumber;	/* number of its file */
	Oid			database;
} GidBlockKey;

/*
 * The state of an entry, one word:
 *
 *	63                               30 29                            0
 *	| generation (34)                   | values taken (30)            |
 *
 * The generation counts the blocks that the entry has had in use.  The block
 * in use is blocks[generation & 1], the next one is the other.
 */
#define GID_BLOCK_TAKEN_BITS	30
#define GID_BLOCK_MAX_SIZE		((int64) GID_MASK(GID_BLOCK_TAKEN_BITS))

/*
 * The size of a block, its low-water mark and its issuer, one word:
 *
 *	63        58 57                       30 29                       0
 *	| issuer (6) | left at the mark (28)     | size (30)               |
 *
 * The backend that takes the value that leaves so many reserves the next block
 * ahead.
 */
#define GID_BLOCK_LEFT_SHIFT	GID_BLOCK_TAKEN_BITS
#define GID_BLOCK_LEFT_BITS		28
#define GID_BLOCK_ISSUER_SHIFT	(GID_BLOCK_TAKEN_BITS + GID_BLOCK_LEFT_BITS)
#define GID_BLOCK_LEFT_AT_MARK(size) \
	((size) >> GID_BLOCK_LEFT_SHIFT & GID_MASK(GID_BLOCK_LEFT_BITS))

/* The block has no mark. */
#define GID_BLOCK_NO_MARK		GID_MASK(GID_BLOCK_LEFT_BITS)

/* What comes of an attempt to take a value. */
typedef enum GidBlockTake
{
	GID_BLOCK_NONE,				/* no value left, or the tenancy has ended */
	GID_BLOCK_TAKEN,
	GID_BLOCK_TAKEN_LOW			/* taken, and the next block is due */
} GidBlockTake;

/* A value, if one was taken.  It fits into two registers. */
typedef struct GidValue
{
	int64		value;
	uint32		issuer;			/* 0: this server */
	GidBlockTake take;
} GidValue;

/* The values first, first + increment, ... */
typedef struct GidBlock
{
	pg_atomic_uint64 first;		/* int64; mutex */
	pg_atomic_uint64 increment; /* int64; mutex */
	pg_atomic_uint64 size;		/* see above; mutex */
} GidBlock;

/*
 * The blocks of one sequence and source.  The members that the path of an id
 * touches come first and fit into 64 bytes.  "mutex": written under the
 * spinlock; the path of an id reads such members without it.
 */
typedef struct GidEntry
{
	pg_atomic_uint64 state;		/* see above; CAS by the backend that takes a
								 * value, a new generation under the mutex */
	pg_atomic_uint64 tenancy;	/* number of the present one; mutex and the
								 * lock of the key in block_table.c */
	GidBlock	blocks[2];		/* in use, and next or before */
	slock_t		mutex;
	bool		has_next;		/* the other block is the next one; mutex */
	XLogRecPtr	lsn[2];			/* end of the record of each block; invalid:
								 * it has none here; mutex */
	XLogRecPtr	page_lsn;		/* of the page, when gid last read it or wrote
								 * it; mutex and the page's lock */
	int64		growth_base;	/* size of the block in use, or how many of
								 * its values were drawn if it was ended; the
								 * next block may have twice as many, and two
								 * more; mutex */
	int64		drawn;			/* values of the blocks before; mutex */
	GidRate		rate;			/* mutex */
	int64		reservations;	/* mutex */
	int64		prefetched;		/* of these, written ahead; mutex */
	int64		waits;			/* times that a caller waited; mutex */
	GidErrand	errand;			/* that fetches the next block; mutex */
	GidBlockKey key;			/* whose it is; mutex and lock of
								 * block_table.c */
	pg_atomic_uint64 used;		/* monotonic time of the last use, in seconds;
								 * plain stores */
	uint64		seen;			/* "used", when the clock hand came by; lock
								 * of block_table.c */
	dsa_pointer next;			/* the entry that was made after it; lock of
								 * block_table.c */
	dsa_pointer link;			/* the next free entry, or the next launch;
								 * lock of block_table.c */
} GidEntry;

StaticAssertDecl(!GID_ATOMICS_ARE_PLAIN || offsetof(GidEntry, mutex) <= 64,
				 "the path of an id touches one cache line");

/* The tenancy of a vacant entry. */
#define GID_BLOCK_VACANT		0

/* A block that was reserved. */
typedef struct GidNewBlock
{
	int64		first;
	int64		increment;
	int64		count;			/* 1 to GID_BLOCK_MAX_SIZE */
	uint32		issuer;			/* as in GidValue */
	XLogRecPtr	lsn;			/* end of its record; invalid: it has none */
	bool		is_ahead;		/* nobody needs it yet */
} GidNewBlock;

/* How the size of a block is found. */
typedef struct GidBlockSize
{
	int64		now_us;			/* monotonic time */
	int64		lasts_us;		/* it is to last so long; 0: it has the
								 * largest size */
	int64		max;			/* largest size, 1 to GID_BLOCK_MAX_SIZE */
	bool		is_needed;		/* a caller waits for a value */
} GidBlockSize;

/* An entry, as it is at one moment. */
typedef struct GidBlockView
{
	uint64		generation;
	int64		size;			/* of the block in use; 0: it was ended */
	int64		taken;			/* values of it */
	int64		left;			/* values of it */
	int64		mark;			/* left at its low-water mark */
	int64		first_left;		/* the first of these */
	uint32		issuer;			/* as in GidValue */
	XLogRecPtr	lsn;			/* end of its record */
	bool		has_next;
	GidValue	next_first;		/* what is taken first of the next block */
	int64		next_size;
	XLogRecPtr	next_lsn;		/* end of its record */
} GidBlockView;

/* What a view shows of an entry. */
typedef struct GidBlockStat
{
	GidBlockKey key;
	GidBlockView now;
	int64		last;			/* value of the block in use */
	int64		reservations;
	int64		prefetched;
	int64		waits;
} GidBlockStat;

/* What is counted since the server started, over all entries. */
typedef enum GidBlockCounter
{
	GID_BLOCK_RESERVATIONS,		/* blocks reserved */
	GID_BLOCK_PREFETCHED,		/* of these, before they were needed */
	GID_BLOCK_WAITS,			/* times that a caller waited */
	GID_BLOCK_EVICTIONS,		/* entries that gave way to others */
	GID_BLOCK_LOST,				/* values that these had left */
	GID_BLOCK_NCOUNTERS
} GidBlockCounter;

extern const GidPart gid_block_part;

extern void gid_block_count(GidBlockCounter counter, int64 n);
extern int64 gid_block_counter(GidBlockCounter counter);
extern bool gid_block_view(GidEntry *entry, uint64 tenancy, GidBlockView *view);
extern void gid_block_see_page(GidEntry *entry, uint64 tenancy, XLogRecPtr page_lsn);
extern void gid_block_wrote_page(GidEntry *entry, uint64 tenancy, XLogRecPtr page_lsn);
extern void gid_block_wrote_page_of_launch(GidEntry *entry, XLogRecPtr before,
										   XLogRecPtr page_lsn);
extern int64 gid_block_due(GidEntry *entry, uint64 tenancy, const GidBlockSize *size);
extern void gid_block_set_next(GidEntry *entry, uint64 tenancy, const GidNewBlock *block);
extern GidValue gid_block_publish(GidEntry *entry, uint64 tenancy, const GidBlockView *seen);
extern void gid_block_end(GidEntry *entry, uint64 tenancy);
extern void gid_block_waited(GidEntry *entry, uint64 tenancy);
extern bool gid_block_is_idle(GidEntry *entry);
extern bool gid_block_stat(GidEntry *entry, GidBlockStat *stat);
extern bool gid_block_errand_is_due(GidEntry *entry, uint64 tenancy);
extern dsm_handle gid_block_errand_send(GidEntry *entry, uint64 tenancy, dsm_handle question);
extern bool gid_block_errand_take(GidEntry *entry, dsm_handle question);
extern bool gid_block_errand_fail(GidEntry *entry, uint64 tenancy, bool asked);

/* for block_table.c */
extern void gid_block_init(GidEntry *entry);
extern void gid_block_give(GidEntry *entry, const GidBlockKey *key, uint64 tenancy);
extern int64 gid_block_take_away(GidEntry *entry, dsm_handle *question);
extern void gid_block_touch(GidEntry *entry);

/*
 * Take the next value of the block in use.  NONE when the tenancy has ended,
 * or no value is left.  Lock-free.
 *
 * The members that are read before the CAS belong to the generation in
 * "state", because a block is written only while another generation is in use.
 * If the generation has changed in the meantime, the CAS fails.  So no two
 * backends take the same value, and none takes a value of a block that is no
 * longer in use.
 */
static inline GidValue
gid_block_take(GidEntry *entry, uint64 tenancy)
{
	GidValue	value = {0, 0, GID_BLOCK_NONE};
	uint64		state = pg_atomic_read_u64(&entry->state);
	uint64		taken;
	uint64		size;

	do
	{
		GidBlock   *block = &entry->blocks[(state >> GID_BLOCK_TAKEN_BITS) & 1];

		pg_read_barrier();
		if (unlikely(pg_atomic_read_u64(&entry->tenancy) != tenancy))
			return value;
		taken = state & GID_MASK(GID_BLOCK_TAKEN_BITS);
		size = pg_atomic_read_u64(&block->size);
		if (unlikely(taken >= (size & GID_MASK(GID_BLOCK_TAKEN_BITS))))
			return value;
		value.value = (int64) (pg_atomic_read_u64(&block->first) +
							   taken * pg_atomic_read_u64(&block->increment));
	} while (unlikely(!pg_atomic_compare_exchange_u64(&entry->state, &state, state + 1)));
	value.issuer = (uint32) (size >> GID_BLOCK_ISSUER_SHIFT);
	value.take = GID_BLOCK_TAKEN;
	if (unlikely((size & GID_MASK(GID_BLOCK_TAKEN_BITS)) - taken - 1 == GID_BLOCK_LEFT_AT_MARK(size)))
		value.take = GID_BLOCK_TAKEN_LOW;
	return value;
}

#endif							/* GID_SEQUENCE_BLOCK_H */
