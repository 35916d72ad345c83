/*-------------------------------------------------------------------------
 *
 * text/gdid_text.h
 *		Forms of a GDID: era:authority:counter, hexadecimal digits, packed
 *		bytes.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_TEXT_GDID_TEXT_H
#define GID_TEXT_GDID_TEXT_H

#include "layout/gdid.h"
#include "text/fault.h"

#define GID_GDID_HEX_DIGITS		(2 * GID_GDID_BYTES)

/* "4294967295:15:1152921504606846975"; both sizes include the '\0' */
#define GID_GDID_TEXT_SIZE		34
#define GID_GDID_HEX_SIZE		(GID_GDID_HEX_DIGITS + 1)

/* 32 bits of era take at most 5 bytes, 64 bits of id at most 10. */
#define GID_GDID_PACKED_SIZE	(5 + 10)

/* The part that a fault is in; GID_GDID_ID occurs only in the packed form. */
typedef enum GidGdidPart
{
	GID_GDID_ERA,
	GID_GDID_AUTHORITY,
	GID_GDID_COUNTER,
	GID_GDID_ID
} GidGdidPart;

/* The greatest value of each part, by GidGdidPart. */
extern const uint64 gid_gdid_max[GID_GDID_COUNTER + 1];

extern int	gid_gdid_print(char *out, const GidGdid *gdid);
extern void gid_gdid_print_hex(char *out, const GidGdid *gdid);
extern bool gid_gdid_parse(const char *chars, int length, GidGdid *gdid,
						   GidFault *fault);
extern int	gid_gdid_put_packed(uint8 *bytes, const GidGdid *gdid);
extern bool gid_gdid_get_packed(const uint8 *bytes, int length, GidGdid *gdid,
								GidFault *fault);

/* The pieces, for text/id_form.c. */
extern void gid_gdid_trim(const char **chars, int *length);
extern int	gid_gdid_hex_value(char c);
extern bool gid_gdid_parse_hex(const char *chars, int length, GidGdid *gdid,
							   GidFault *fault);
extern bool gid_gdid_parse_number(const char *chars, int length, uint64 max,
								  uint64 *number, GidFault *fault);

#endif							/* GID_TEXT_GDID_TEXT_H */
