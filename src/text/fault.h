/*-------------------------------------------------------------------------
 *
 * text/fault.h
 *		What is wrong with a text, and where.
 *
 * A function of text/ that reads something returns true, or false with the
 * reason in *fault.  The code that raises the error says the reason in words.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_TEXT_FAULT_H
#define GID_TEXT_FAULT_H

/* The comments name the members of GidFault that a kind sets. */
typedef enum GidFaultKind
{
	GID_FAULT_NONE,
	GID_FAULT_UNKNOWN,			/* no charset has this name; no id has this
								 * form */
	GID_FAULT_EMPTY,			/* nothing but blanks */
	GID_FAULT_FOREIGN,			/* a character is not in the alphabet: at */
	GID_FAULT_LENGTH,			/* another number of characters: found,
								 * expected */
	GID_FAULT_TOO_LARGE,		/* the number is; of a GDID's text: part */

	/* charsets and codes */
	GID_FAULT_TOO_FEW,			/* the charset has fewer than two characters */
	GID_FAULT_UNPRINTABLE,		/* a blank, or no printable ASCII: at */
	GID_FAULT_REPEATED,			/* the charset has a character twice: at */
	GID_FAULT_ONE_LETTER,		/* ignoring case, it is a single letter */
	GID_FAULT_BELOW_FIRST,		/* the result would have no character */

	/* GDIDs */
	GID_FAULT_COLONS,			/* neither no colon nor two: found */
	GID_FAULT_MISSING,			/* a part is empty: part */
	GID_FAULT_DIGIT,			/* a part has other than decimal digits: part */
	GID_FAULT_TRUNCATED,		/* packed: the bytes end within a part: part */
	GID_FAULT_TOO_LONG,			/* packed: a part has too many bits: part */
	GID_FAULT_NOT_SHORTEST,		/* packed: a part has needless bytes: part */
	GID_FAULT_TRAILING,			/* packed: bytes after the end: found */

	/* ids of any form */
	GID_FAULT_SEPARATOR,		/* no underscore before the suffix */
	GID_FAULT_PREFIX,			/* the underscore follows no prefix */
	GID_FAULT_HYPHEN			/* not between groups of four digits: at */
} GidFaultKind;

#define GID_NFAULTS		(GID_FAULT_HYPHEN + 1)

typedef struct GidFault
{
	GidFaultKind kind;
	int			at;				/* the offset of the byte */
	int			part;			/* of a GDID: a GidGdidPart */
	int			found;			/* how many there are */
	int			expected;		/* and how many there should be */
} GidFault;

/* Set the reason.  Returns false. */
static inline bool
gid_fault(GidFault *fault, GidFaultKind kind)
{
	fault->kind = kind;
	return false;
}

/* The same, for a single byte. */
static inline bool
gid_fault_at(GidFault *fault, GidFaultKind kind, int at)
{
	fault->at = at;
	return gid_fault(fault, kind);
}

/* The same, for something that there is in another number. */
static inline bool
gid_fault_count(GidFault *fault, GidFaultKind kind, int found, int expected)
{
	fault->found = found;
	fault->expected = expected;
	return gid_fault(fault, kind);
}

#endif							/* GID_TEXT_FAULT_H */
