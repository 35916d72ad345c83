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
	GID_CLOCK_FILE_TORN,		/* no regular file, or wrong length, magic,
								 * version or checksum */
	GID_CLOCK_FILE_FAILED		/* a call of the operating system failed */
} GidClockFileState;

/* The first step that failed, for gid_clock_file_report() later. */
typedef struct GidClockFileError
{
	const char *message;		/* with a place for the name */
	const char *name;			/* of the file or directory */
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
extern void gid_clock_file_report(int elevel, const GidClockFileError *error,
								  const char *detail, const char *hint);

#endif							/* GID_CLOCK_CLOCK_FILE_H */
