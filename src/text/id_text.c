/*-------------------------------------------------------------------------
 *
 * text/id_text.c
 *		The id that a text stands for, with what people send along.
 *
 * State: none.  The functions are pure and return what is wrong instead of
 * raising an error.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "base/pure.h"

#include "text/id_text.h"
#include "text/lexical.h"

/* The longest text with blanks within, without these. */
#define GID_IDTEXT_WRAPPED		128

/*
 * Read a text that may have blanks within: a mail program has broken the line,
 * or a person has grouped digits.  A prefix has none, so that a word before an
 * id is no part of its prefix.
 */
static bool
gid_id_text_parse_wrapped(const char *chars, int length, GidIdText *id, GidFault *fault)
{
	char		bare[GID_IDTEXT_WRAPPED];
	int			n = 0;
	int			blank = -1;
	int			underscore = -1;
	int			at;

	for (int i = 0; i < length; i++)
	{
		if (chars[i] == '_')
			underscore = i;
		if (gid_is_blank(chars[i]))
			blank = blank < 0 ? i : blank;
		else if (n < GID_IDTEXT_WRAPPED)
			bare[n++] = chars[i];
		else if (blank >= 0)
			return gid_fault(fault, GID_FAULT_UNKNOWN);
	}
	if (blank < 0)
		return gid_id_form_parse(chars, length, id, fault);
	if (blank < underscore)
		return gid_fault(fault, GID_FAULT_PREFIX);
	if (gid_id_form_parse(bare, n, id, fault))
		return true;
	/* the byte is further on in the text that has the blanks */
	at = fault->at;
	for (int i = 0; i <= at && i < length; i++)
		at += gid_is_blank(chars[i]);
	fault->at = at;
	return false;
}

/* How likely a part of a URL is the id that is meant: more is better. */
static int
gid_id_text_url_rank(const GidIdText *id, bool is_read, bool in_path)
{
	if (!is_read)
		return 2 + in_path;
	if (id->form == GID_FORM_BIGINT || id->form == GID_FORM_BIGINT_CROCKFORD)
		return in_path;
	return 4 + in_path;
}

/*
 * Read the part of a URL that is an id.  Parts end at one of "/?#&=;", and the
 * server's name is none.  A number is easily something else, and so is what
 * stands in the query: so any other id counts most, then what nearly is one,
 * then a number; of these what stands in the path, then what stands further
 * on.  False with GID_FAULT_UNKNOWN, or with what is wrong with that part.
 */
static bool
gid_id_text_parse_url(const char *chars, int length, const char *host,
					  GidIdText *id, GidFault *fault)
{
	const char *end = chars + length;
	const char *part = memchr(host, '/', end - host);
	bool		in_path = true;
	bool		found = false;
	int			best = 0;

	gid_fault(fault, GID_FAULT_UNKNOWN);
	while (part != NULL && ++part < end)
	{
		const char *next = part;
		GidIdText	read = {0};
		GidFault	wrong = {0};
		bool		is_read;

		while (next < end && memchr("/?#&=;", *next, 6) == NULL)
			next++;
		is_read = gid_id_form_has_digit(part, (int) (next - part)) &&
			gid_id_text_parse_wrapped(part, (int) (next - part), &read, &wrong);
		if ((is_read || gid_id_form_was_nearly(&wrong)) &&
			gid_id_text_url_rank(&read, is_read, in_path) >= best)
		{
			best = gid_id_text_url_rank(&read, is_read, in_path);
			found = is_read;
			*id = read;
			*fault = wrong;
			id->prefix += (int) (part - chars);
			fault->at += (int) (part - chars);
		}
		in_path = in_path && (next == end || *next == '/' || *next == ';');
		part = next;
	}
	return found;
}

/* Find what follows "://" in a text.  NULL if it is no URL. */
static const char *
gid_id_text_url_host(const char *chars, int length)
{
	for (int i = 0; i + 3 <= length; i++)
	{
		if (memcmp(chars + i, "://", 3) == 0)
			return chars + i + 3;
	}
	return NULL;
}

/*
 * What may stand before and after an id.  No form of an id begins or ends so;
 * braces are the UUID's.  What is not ASCII is UTF-8, and no part of an id in
 * another encoding: quotes, the blank that does not break, the one without a
 * width, and the marks of the byte order and of the direction of a text, which
 * nobody sees.
 */
static const char *const gid_id_text_openers[] = {
	" ", "\t", "\n", "\v", "\f", "\r", "\"", "'", "`", "<", ">", "(", "[",
	"\xc2\xab", "\xc2\xbb", "\xe2\x80\x98", "\xe2\x80\x9c", "\xe2\x80\x9a", "\xe2\x80\x9e",
	"\xc2\xa0", "\xe2\x80\x8b",
	"\xef\xbb\xbf", "\xe2\x80\x8e", "\xe2\x80\xaa", "\xe2\x80\xac", "\xe2\x81\xa8", "\xe2\x81\xa9"
};
static const char *const gid_id_text_closers[] = {
	" ", "\t", "\n", "\v", "\f", "\r", "\"", "'", "`", ">", ")", "]", ".", ",", ";",
	"\xc2\xbb", "\xc2\xab", "\xe2\x80\x99", "\xe2\x80\x9d", "\xe2\x80\x98", "\xe2\x80\x9c",
	"\xc2\xa0", "\xe2\x80\x8b",
	"\xef\xbb\xbf", "\xe2\x80\x8e", "\xe2\x80\xaa", "\xe2\x80\xac", "\xe2\x81\xa8", "\xe2\x81\xa9"
};

/* Leave out what a list has at the beginning of a text, or at its end. */
static bool
gid_id_text_strip(const char *const *list, int nlist, bool at_end,
				  const char **chars, int *length)
{
	for (int i = 0; i < nlist; i++)
	{
		int			n = (int) strlen(list[i]);

		if (n <= *length &&
			memcmp(at_end ? *chars + *length - n : *chars, list[i], n) == 0)
		{
			*chars += at_end ? 0 : n;
			*length -= n;
			return true;
		}
	}
	return false;
}

static void
gid_id_text_unwrap(const char **chars, int *length)
{
	while (gid_id_text_strip(gid_id_text_openers, lengthof(gid_id_text_openers), false,
							 chars, length) ||
		   gid_id_text_strip(gid_id_text_closers, lengthof(gid_id_text_closers), true,
							 chars, length))
		;
}

/*
 * Read the id of a text of "length" bytes into *id.
 *
 * What people send along is left out first: blanks, quotes, brackets and the
 * end of a sentence around the id, blanks and line ends within it, and of a
 * URL what is not the id.  gid_id_form_parse() reads what is left, and says
 * what may be wrong with it; GID_FAULT_EMPTY if nothing is left.
 */
bool
gid_id_text_parse(const char *given, int length, GidIdText *id, GidFault *fault)
{
	const char *chars = given;
	const char *host;
	bool		is_read;

	memset(id, 0, sizeof(GidIdText));
	memset(fault, 0, sizeof(GidFault));
	gid_id_text_unwrap(&chars, &length);
	if (length == 0)
		return gid_fault(fault, GID_FAULT_EMPTY);
	host = gid_id_text_url_host(chars, length);
	is_read = host != NULL ?
		gid_id_text_parse_url(chars, length, host, id, fault) :
		gid_id_text_parse_wrapped(chars, length, id, fault);
	id->prefix += (int) (chars - given);
	fault->at += (int) (chars - given);
	return is_read;
}
