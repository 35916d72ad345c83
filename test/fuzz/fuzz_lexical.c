/*-------------------------------------------------------------------------
 *
 * fuzz_lexical.c
 *		Arithmetic on codes, against test/plain/code.h.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "text/lexical.h"
#include "fuzz.h"
#include "../plain/code.h"

const char *const fuzz_outcomes[] = {
	[GID_LEXICAL_OK] = "ok",
	[GID_LEXICAL_TOO_FEW] = "too few",
	[GID_LEXICAL_UNPRINTABLE] = "unprintable",
	[GID_LEXICAL_REPEATED] = "repeated",
	[GID_LEXICAL_ONE_LETTER] = "one letter",
	[GID_LEXICAL_FOREIGN] = "foreign",
	[GID_LEXICAL_BELOW_FIRST] = "below first",
	[GID_LEXICAL_TOO_LONG] = "too long",
	"longer",
	"shorter",
	NULL
};

#define LONGER	(GID_LEXICAL_TOO_LONG + 1)
#define SHORTER	(GID_LEXICAL_TOO_LONG + 2)

/* ---- the first ---- */

static GidLexicalError
code_add(const char *charset, int charset_length, bool ignore_case,
		 const char *value, int length, int64 count, int room, char *out,
		 int *out_length, int *at)
{
	char	   *copy = fuzz_exactly(charset, charset_length);
	char	   *code = malloc(room);
	GidAlphabet alphabet;
	GidLexicalError error;

	memcpy(code, value, length);
	*out_length = length;
	error = gid_alphabet_open(&alphabet, copy, charset_length, at);
	if (error == GID_LEXICAL_OK && ignore_case)
		error = gid_alphabet_ignore_case(&alphabet);
	if (error == GID_LEXICAL_OK)
		error = gid_lexical_advance(&alphabet, code, out_length, room, count, at);
	if (error == GID_LEXICAL_OK)
		memcpy(out, code, *out_length);
	free(copy);
	free(code);
	return error;
}

/* Adding a count and taking it away gives the value, but for the case. */
static void
check_back(const char *charset, int charset_length, bool ignore_case,
		   const char *value, int length, int64 count,
		   const char *sum, int sum_length)
{
	char		back[PLAIN_MAX_VALUE + 2 * GID_LEXICAL_MAX_GROWTH];
	int			back_length;
	int			at;
	GidLexicalError error;

	if (count == PG_INT64_MIN || memchr(value, ' ', length) != NULL)
		return;
	error = code_add(charset, charset_length, ignore_case, sum, sum_length, -count,
					 sum_length + GID_LEXICAL_MAX_GROWTH, back, &back_length, &at);
	if (length == 0 && count != 0)
	{
		fuzz_check(error == GID_LEXICAL_BELOW_FIRST, "back to the empty code: %d",
				   error);
		return;
	}
	fuzz_check(error == GID_LEXICAL_OK && back_length == length,
			   "\"%.*s\" + " INT64_FORMAT " and back: %d", length, value, count, error);
	for (int i = 0; i < length; i++)
		fuzz_check(ignore_case ? plain_same_letter(back[i], value[i]) :
				   back[i] == value[i], "\"%.*s\" + " INT64_FORMAT
				   " and back is \"%.*s\"", length, value, count, length, back);
}

/*
 * An input: a byte of ignore_case and of how the charset is given, the room,
 * the count, the charset with its length before it, the value.
 */
int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	FuzzInput	in = {data, size};
	uint8		flags = fuzz_byte(&in);
	int			spare = fuzz_byte(&in) % (GID_LEXICAL_MAX_GROWTH + 1);
	int64		count = (int64) fuzz_number(&in);
	bool		ignore_case = flags % 2 == 1;
	const char *charset;
	const char *value;
	char		alphabet[GID_ALPHABET_MAX + 1];
	char		got[PLAIN_MAX_VALUE + GID_LEXICAL_MAX_GROWTH];
	char		wanted[PLAIN_MAX_VALUE + GID_LEXICAL_MAX_GROWTH];
	int			charset_length = fuzz_byte(&in);
	int			length;
	int			got_length;
	int			wanted_length;
	int			got_at = -1;
	int			wanted_at = -1;
	GidLexicalError error;
	GidLexicalError wanted_error;

	if (flags / 2 % 2 == 0)
	{
		charset = plain_charsets[charset_length % lengthof(plain_charsets)].name;
		charset_length = (int) strlen(charset);
	}
	else
		charset = fuzz_take(&in, &charset_length);
	value = (const char *) in.at;
	length = (int) Min(in.left, PLAIN_MAX_VALUE);
	/* mostly as much as the caller gives */
	if (flags / 4 % 4 != 0)
		spare = GID_LEXICAL_MAX_GROWTH;

	error = code_add(charset, charset_length, ignore_case, value, length, count,
					 length + spare, got, &got_length, &got_at);
	wanted_error = plain_alphabet(alphabet, charset, charset_length, ignore_case,
								  value, length, &wanted_at);
	if (wanted_error == GID_LEXICAL_OK)
		wanted_error = plain_add(alphabet, ignore_case, value, length, count,
								 length + spare, wanted, &wanted_length, &wanted_at);
	fuzz_note(wanted_error);
	fuzz_check(error == wanted_error, "\"%.*s\"%s: \"%.*s\" + " INT64_FORMAT
			   ": error %d instead of %d", charset_length, charset,
			   ignore_case ? ", ignoring case" : "", length, value, count, error,
			   wanted_error);
	if (error == GID_LEXICAL_FOREIGN || error == GID_LEXICAL_REPEATED ||
		error == GID_LEXICAL_UNPRINTABLE)
		fuzz_check(got_at == wanted_at, "\"%.*s\"%s: \"%.*s\" + " INT64_FORMAT
				   ": at %d instead of %d", charset_length, charset,
				   ignore_case ? ", ignoring case" : "", length, value, count, got_at,
				   wanted_at);
	if (error != GID_LEXICAL_OK)
		return 0;
	fuzz_check(got_length == wanted_length && memcmp(got, wanted, got_length) == 0,
			   "\"%.*s\"%s: \"%.*s\" + " INT64_FORMAT ": \"%.*s\" instead of \"%.*s\"",
			   charset_length, charset, ignore_case ? ", ignoring case" : "",
			   length, value, count, got_length, got, wanted_length, wanted);
	if (got_length > length)
		fuzz_note(LONGER);
	if (got_length < length)
		fuzz_note(SHORTER);
	check_back(charset, charset_length, ignore_case, value, length, count, got,
			   got_length);
	return 0;
}
