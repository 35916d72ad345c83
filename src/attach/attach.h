/*-------------------------------------------------------------------------
 *
 * attach/attach.h
 *		Finding or making the shared memory, and attaching to it.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ATTACH_ATTACH_H
#define GID_ATTACH_ATTACH_H

/*
 * The version of the library that owns the shared memory.  Its name in shared
 * memory and its size are the same in all versions from 1.1 on.
 */
#define GID_VERSION				"1.1"

typedef union GidVersion
{
	char		name[32];		/* GID_VERSION; AddinShmemInitLock */
	char		pad[256];
} GidVersion;

/*
 * A part of the shared memory.  The file that owns the part describes it in a
 * constant of its own, and gid.c names it to attach.c.
 */
typedef struct GidPart
{
	const char *lock_name;		/* of its LWLock, as a wait event; NULL: none */
	bool		in_main;		/* it lies in the server's main shared memory,
								 * where on_shmem_exit callbacks reach it; it
								 * must be small */
	Size		(*size) (void);
	void		(*init) (void *part, int tranche);	/* the bytes are not
													 * cleared; may raise */
	void	  **where;			/* gets the part's address in this process */
	void		(*attach) (void);	/* called when a backend attaches; may
									 * raise; NULL: nothing to do */
} GidPart;

#define GID_MAX_PARTS			16

extern void gid_attach_set_parts(const GidPart *const *parts, int count);
extern void gid_attach_preload(void);
extern void gid_attach(void);

#endif							/* GID_ATTACH_ATTACH_H */
