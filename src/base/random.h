/*-------------------------------------------------------------------------
 *
 * base/random.h
 *		Random bytes from the server's CSPRNG, fetched in bulk.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_BASE_RANDOM_H
#define GID_BASE_RANDOM_H

#define GID_RANDOM_BUFFER_BYTES	16384

typedef struct GidRandomBuffer
{
	uint32		used;			/* number of bytes used, and wiped */
	uint8		bytes[GID_RANDOM_BUFFER_BYTES];
} GidRandomBuffer;

extern GidRandomBuffer gid_random_buffer;

extern void gid_random_fill(void *bytes, size_t count);
extern void gid_random_refill(void);

/*
 * Return 64 random bits.  Raises XX000 when the source of random bytes fails.
 * Takes no lock.
 */
static inline uint64
gid_random_u64(void)
{
	GidRandomBuffer *b = &gid_random_buffer;
	uint64		v;

	if (unlikely(b->used > GID_RANDOM_BUFFER_BYTES - sizeof(v)))
		gid_random_refill();
	memcpy(&v, b->bytes + b->used, sizeof(v));
	memset(b->bytes + b->used, 0, sizeof(v));
	b->used += sizeof(v);
	return v;
}

#endif							/* GID_BASE_RANDOM_H */
