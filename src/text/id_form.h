/*-------------------------------------------------------------------------
 *
 * text/id_form.h
 *		The forms of ids, and what nearly has one.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_TEXT_ID_FORM_H
#define GID_TEXT_ID_FORM_H

#include "text/fault.h"

#define GID_IDFORM_UUID_BYTES	16

/* The form of a text. */
typedef enum GidIdForm
{
	GID_FORM_UUID,				/* 32 hexadecimal digits */
	GID_FORM_ULID,				/* 26 characters of Crockford's alphabet */
	GID_FORM_BASE32HEX,			/* 26 characters, perhaps with padding */
	GID_FORM_TYPEID,			/* 26 characters after a prefix, all lower
								 * case */
	GID_FORM_UUID_CROCKFORD,	/* a ULID after a prefix */
	GID_FORM_GDID,				/* era:authority:counter */
	GID_FORM_GDID_HEX,			/* 24 hexadecimal digits */
	GID_FORM_GDID_CROCKFORD,	/* 20 characters */
	GID_FORM_BIGINT,			/* a decimal number, perhaps after a prefix */
	GID_FORM_BIGINT_CROCKFORD	/* 1 to 13 characters after a prefix */
} GidIdForm;

#define GID_NFORMS				(GID_FORM_BIGINT_CROCKFORD + 1)

/* The id of a text. */
typedef struct GidIdText
{
	GidIdForm	form;
	int			prefix;			/* the offset of the prefix */
	int			prefix_length;	/* 0 if there is no prefix */
	int64		number;			/* of a bigint */
	uint8		bytes[GID_IDFORM_UUID_BYTES];	/* of a UUID; 12 of a GDID */
	bool		is_ambiguous;	/* a ULID that is base32hex of another UUID */
	uint8		base32hex[GID_IDFORM_UUID_BYTES];	/* that UUID */
} GidIdText;

extern bool gid_id_form_has_digit(const char *chars, int length);
extern bool gid_id_form_was_nearly(const GidFault *fault);
extern bool gid_id_form_parse(const char *chars, int length, GidIdText *id, GidFault *fault);

#endif							/* GID_TEXT_ID_FORM_H */
