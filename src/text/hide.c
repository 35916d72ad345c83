/*-------------------------------------------------------------------------
 *
 * text/hide.c
 *		Hides names in lines that other programs wrote.
 *
 * An error of another server or of a library names the user and files.  The
 * names are replaced by asterisks: as many as the name has bytes, at most
 * three.
 *
 * State: none.  The functions are pure and raise nothing.  The file compiles
 * with and without a server (FRONTEND).
 *
 * Invariants:
 * 1. A line does not grow.
 * 2. A word is hidden only where it is a whole word.  Letters, digits, and the
 *	  characters _ - . / of names of hosts and files are parts of words.  So the
 *	  name of a user is hidden between quotation marks of any language, and
 *	  "/var/run/postgresql" stays as it is when the user is "postgres".
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifdef FRONTEND
#include "postgres_fe.h"
#else
#include "postgres.h"
#endif

#include "text/hide.h"

#define GID_HIDE_ASTERISKS	3

/* Is a byte part of a word?  No byte beyond ASCII is. */
static bool
gid_hide_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		(c != '\0' && strchr("_-./", c) != NULL);
}

/* Hide "name" in a line, everywhere or only where it is a whole word. */
static void
gid_hide(char *line, const char *name, bool whole)
{
	size_t		length = strlen(name);
	size_t		asterisks = Min(length, GID_HIDE_ASTERISKS);
	char	   *found = line;

	while (length > 0 && (found = strstr(found, name)) != NULL)
	{
		if (whole && ((found > line && gid_hide_is_word(found[-1])) ||
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

/* Hide each occurrence of a text in a line.  An empty text is nowhere. */
void
gid_hide_text(char *line, const char *text)
{
	gid_hide(line, text, false);
}

/*
 * Hide each occurrence of a word in a line that is not part of a longer word.
 * The word may have any characters; an empty word is nowhere.
 */
void
gid_hide_word(char *line, const char *word)
{
	gid_hide(line, word, true);
}
