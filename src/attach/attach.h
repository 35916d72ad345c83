/*-------------------------------------------------------------------------
 *
 * attach/attach.h
 *		Finds or makes the shared memory, and attaches a backend to it.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ATTACH_ATTACH_H
#define GID_ATTACH_ATTACH_H

#include "port/atomics.h"

/*
 * Has an atomic number of 64 bits no lock beside it?  32-bit ARM has one.
 * What gid says of cache lines holds where there is none.
 */
#define GID_ATOMICS_ARE_PLAIN	(sizeof(pg_atomic_uint64) == sizeof(uint64))

/*
 * A part of the shared memory.  The file that owns the part describes it in a
 * constant, and gid.c names the part to attach.c.
 */
typedef struct GidPart
{
	const char *lock_name;		/* wait event of its LWLock; NULL: no lock */
	Size		size;			/* in bytes */
	Size		(*size_of) (void);	/* the same, if it depends on settings of
									 * the server; NULL: it does not */
	void		(*init) (void *part, int tranche);	/* sets up the part, whose
													 * bytes are zero; may
													 * raise */
	void	  **where;			/* gets the part's address in this process */
	void		(*attach) (void);	/* called when a backend attaches; may
									 * raise; NULL: nothing to do */
	void		(*server_exit) (void);	/* called when the postmaster, or a
										 * stand-alone backend, exits with
										 * code 0; raises nothing; NULL:
										 * nothing to do */
} GidPart;

#define GID_MAX_PARTS			16

extern void gid_attach_set_parts(const GidPart *const *parts, int count);
extern void gid_attach_preload(void);
extern void gid_attach(void);

#endif							/* GID_ATTACH_ATTACH_H */
