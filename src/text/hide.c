/*-------------------------------------------------------------------------
 *
 * text/hide.c
 *		Hides names in lines that other programs wrote.
 *
 * An error of another server or of a library names the user and files.  The
 * names are replaced by asterisks: as many as the name has bytes, at most
 * three.
 *
 * State: none.  The functions are pure and raise nothing.
 *
 * Invariants:
 * 1. A line does not grow.
 * 2. A name is hidden only where it is a whole word.  Letters, digits, and the
 *	  characters _ - . / of names of hosts and files are parts of words.  So
 *	  the name of a user is hidden between quotation marks of any language, and
 *	  "/var/run/postgresql" stays as it is when the user is "postgres".
 * 3. The path of a file, which has a slash, is hidden wherever it stands.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "base/pure.h"

#include "text/hide.h"

#define GID_HIDE_ASTERISKS	3

/* Is a byte part of a word?  No byte beyond ASCII is. */
static bool
gid_hide_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		(c != '\0' && strchr("_-./", c) != NULL);
}

/*
 * Hide each occurrence of a name in a line, by the invariants above.  The name
 * may have any characters; an empty name is nowhere.
 */
void
gid_hide_name(char *line, const char *name)
{
	bool		is_path = strchr(name, '/') != NULL;
	size_t		length = strlen(name);
	size_t		asterisks = Min(length, GID_HIDE_ASTERISKS);
	char	   *found = line;

	while (length > 0 && (found = strstr(found, name)) != NULL)
	{
		if (!is_path && ((found > line && gid_hide_is_word(found[-1])) ||
						 gid_hide_is_word(found[length])))
		{
			found++;
			continue;
		}
		memset(found, '*', asterisks);
		memmove(found + asterisks, found + length, strlen(found + length) + 1);
		found += asterisks;
	}
}
