/*-------------------------------------------------------------------------
 *
 * clock/clock_file.h
 *		gid.clock: the durable bound on disk.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_CLOCK_CLOCK_FILE_H
#define GID_CLOCK_CLOCK_FILE_H

#include "layout/time_word.h"

#define GID_CLOCK_FILE		"gid.clock"
#define GID_CLOCK_FILE_TMP	GID_CLOCK_FILE ".tmp"

typedef enum GidClockFileState
{
	GID_CLOCK_FILE_READ,		/* words and system identifier are good */
	GID_CLOCK_FILE_MISSING,
	GID_CLOCK_FILE_TORN,		/* wrong length, magic, version or checksum */
	GID_CLOCK_FILE_FAILED		/* the operating system said no */
} GidClockFileState;

/* The first step that failed, for a message that is written later. */
typedef struct GidClockFileError
{
	const char *action;			/* "could not <action> file \"<name>\"" */
	const char *name;
	int			os_error;		/* errno */
	bool		replaced;		/* the file is the new one, but a power
								 * failure may bring the old one back */
} GidClockFileError;

extern GidClockFileState gid_clock_file_read(uint64 *system_identifier,
											 uint64 words[GID_NWORDS],
											 GidClockFileError *error);
extern bool gid_clock_file_write(uint64 system_identifier,
								 const uint64 words[GID_NWORDS],
								 GidClockFileError *error);
extern int	gid_clock_file_errcode(const GidClockFileError *error);

#endif							/* GID_CLOCK_CLOCK_FILE_H */
