/*-------------------------------------------------------------------------
 *
 * text/id_text.h
 *		The id that a text stands for, whichever form it has.
 *
 * See text/id_text.c for the forms.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_TEXT_ID_TEXT_H
#define GID_TEXT_ID_TEXT_H

#define GID_IDTEXT_UUID_BYTES	16

/* The most characters before the underscore. */
#define GID_IDTEXT_MAX_PREFIX	63

/* What a text was read as. */
typedef enum GidIdForm
{
	GID_FORM_UUID,				/* 32 hexadecimal digits */
	GID_FORM_ULID,				/* 26 characters of Crockford's alphabet */
	GID_FORM_TYPEID,			/* the same behind a prefix */
	GID_FORM_GDID,				/* era:authority:counter */
	GID_FORM_GDID_HEX,			/* 24 hexadecimal digits */
	GID_FORM_GDID_CROCKFORD,	/* 20 characters */
	GID_FORM_BIGINT,			/* a decimal number */
	GID_FORM_BIGINT_CROCKFORD	/* 1 to 13 characters behind a prefix */
} GidIdForm;

#define GID_NFORMS				(GID_FORM_BIGINT_CROCKFORD + 1)

/* What is wrong with a text. */
typedef enum GidIdFault
{
	GID_IDTEXT_SOUND,
	GID_IDTEXT_EMPTY,			/* no text but blanks */
	GID_IDTEXT_UNKNOWN,			/* it has none of the forms */
	GID_IDTEXT_PREFIX,			/* a Crockford text behind no sound prefix */
	GID_IDTEXT_TOO_LARGE		/* the number does not fit the form's type */
} GidIdFault;

/* The id of a text. */
typedef struct GidIdText
{
	GidIdForm	form;
	int			prefix;			/* where the prefix begins */
	int			prefix_length;	/* 0: it has none */
	int64		number;			/* of a bigint */
	uint8		bytes[GID_IDTEXT_UUID_BYTES];	/* of a UUID; 12 of a GDID */
} GidIdText;

extern GidIdFault gid_idtext_parse(const char *chars, int length, GidIdText *id);

#endif							/* GID_TEXT_ID_TEXT_H */
