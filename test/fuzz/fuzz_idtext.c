/*-------------------------------------------------------------------------
 *
 * fuzz_idtext.c
 *		The ids of texts, and TypeIDs, against a plain second implementation.
 *
 * The second one has numbers as rows of bits and of digits
 * (test/plain/gdid.h), and finds the form of a text by the sets that its
 * characters are in.  libFuzzer chooses the inputs, or with FUZZ_DRIVER main()
 * does, at random:
 *
 *		fuzz_idtext RUNS SEED
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "common/pg_prng.h"
#include "text/gdid_text.h"
#include "text/id_text.h"
#include "../plain/gdid.h"

#define HEX			"0123456789abcdefABCDEF"
#define DECIMAL		"0123456789"
#define CROCKFORD	"0123456789ABCDEFGHJKMNPQRSTVWXYZ"
#define TYPED		CROCKFORD "abcdefghjkmnpqrstvwxyzIiLlOo"
#define LOWER		"0123456789abcdefghjkmnpqrstvwxyz"
#define BASE32HEX	"0123456789ABCDEFGHIJKLMNOPQRSTUV"
#define PREFIX		"abcdefghijklmnopqrstuvwxyz_"

#define MAX_LENGTH	200
#define MAX_CHANGES	3

extern int	LLVMFuzzerTestOneInput(const uint8 *data, size_t size);

/* ---- how often each outcome was seen ---- */

static long seen_forms[GID_NFORMS];
static long seen_faults[GID_IDTEXT_TOO_LARGE + 1];
static long seen_typeid_faults[GID_TYPEID_TOO_LARGE + 1];
static long seen_ambiguous;

/* Something is wrong: say what, and end as by a signal. */
#define fuzz_check(condition, ...) \
	do { \
		if (!(condition)) \
		{ \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			fprintf(stderr, __VA_ARGS__); \
			fprintf(stderr, "\n"); \
			fflush(stderr); \
			abort(); \
		} \
	} while (0)

/* ---- the second implementation ---- */

/* What a text is, the bits of an id or its decimal digits. */
typedef struct Plain
{
	GidIdFault	fault;
	GidIdForm	form;
	Ruler		r;
	bool		is_ambiguous;
	Ruler		base32hex;
	char		canonical[MAX_LENGTH + 64]; /* of a GDID with colons, a bigint */
	int			prefix_length;
} Plain;

/* Put five bits a character, the last one at the end of "nbits". */
static bool
plain_crockford(const char *chars, int length, int nbits, Ruler *r)
{
	char		bits[5 * MAX_LENGTH];
	int			n = 5 * length;

	for (int i = 0; i < length; i++)
	{
		char		c = (char) toupper((unsigned char) chars[i]);
		int			place;

		c = c == 'O' ? '0' : c == 'I' || c == 'L' ? '1' : c;
		place = (int) (strchr(CROCKFORD, c) - CROCKFORD);
		for (int j = 0; j < 5; j++)
			bits[5 * i + j] = (place / (16 >> j)) % 2 == 1 ? '1' : '0';
	}
	for (int i = 0; i < nbits; i++)
		r->bits[i] = n - nbits + i >= 0 ? bits[n - nbits + i] : '0';
	for (int i = 0; i < n - nbits; i++)
	{
		if (bits[i] == '1')
			return false;
	}
	return true;
}

/* Put five bits a character, the first one at the beginning; two are left. */
static bool
plain_base32hex(const char *chars, int length, Ruler *r)
{
	if (length == 32 && strncmp(chars + 26, "======", 6) == 0)
		length = 26;
	if (length != 26 || !plain_all_of(chars, 26, BASE32HEX "abcdefghijklmnopqrstuv"))
		return false;
	for (int i = 0; i < 26; i++)
	{
		uint64		place = strchr(BASE32HEX, toupper((unsigned char) chars[i])) - BASE32HEX;

		if (i == 25 && place % 4 != 0)
			return false;
		ruler_put(r, 5 * i, i == 25 ? 128 : 5 * i + 5, i == 25 ? place / 4 : place);
	}
	return true;
}

/* 32 digits, and hyphens between groups of four? */
static bool
plain_uuid(const char *chars, int length, Ruler *r)
{
	int			digits = 0;
	bool		hyphen = true;	/* none may stand here */

	if (length >= 2 && chars[0] == '{' && chars[length - 1] == '}')
	{
		chars++;
		length -= 2;
	}
	for (int i = 0; i < length; i++)
	{
		if (chars[i] == '-')
		{
			if (hyphen || digits % 4 != 0)
				return false;
			hyphen = true;
			continue;
		}
		if (!plain_all_of(chars + i, 1, HEX) || digits == 32)
			return false;
		plain_put_hex(r, 4 * digits, chars[i]);
		digits++;
		hyphen = false;
	}
	return digits == 32 && !hyphen;
}

static GidIdFault
plain_number(const char *chars, int length, char *canonical)
{
	bool		negative = length > 0 && chars[0] == '-';
	const char *max = negative ? "9223372036854775808" : "9223372036854775807";

	if (negative)
	{
		chars++;
		length--;
	}
	if (length == 0 || !plain_all_of(chars, length, DECIMAL))
		return GID_IDTEXT_UNKNOWN;
	for (; length > 1 && *chars == '0'; length--)
		chars++;
	if (length > 19 || (length == 19 && memcmp(chars, max, 19) > 0))
		return GID_IDTEXT_TOO_LARGE;
	sprintf(canonical, "%s%.*s", negative && *chars != '0' ? "-" : "", length, chars);
	return GID_IDTEXT_SOUND;
}

static void
plain_read(const char *chars, int length, Plain *p)
{
	int			underscore = -1;
	int			n;
	const char *suffix;
	bool		urn;
	bool		colon = false;

	memset(p, 0, sizeof(Plain));
	p->fault = GID_IDTEXT_UNKNOWN;
	plain_trim(&chars, &length);
	urn = length >= 9;
	for (int i = 0; i < length; i++)
	{
		urn = urn && (i >= 9 || tolower((unsigned char) chars[i]) == "urn:uuid:"[i]);
		colon = colon || chars[i] == ':';
		if (chars[i] == '_')
			underscore = i;
	}
	if (length == 0)
		p->fault = GID_IDTEXT_EMPTY;
	else if (urn)
	{
		p->form = GID_FORM_UUID;
		if (plain_uuid(chars + 9, length - 9, &p->r))
			p->fault = GID_IDTEXT_SOUND;
	}
	else if (colon)
	{
		GidGdidError error = plain_parse(chars, length, p->canonical);

		p->form = GID_FORM_GDID;
		if (error.fault == GID_GDID_SOUND)
			p->fault = GID_IDTEXT_SOUND;
		else if (error.fault == GID_GDID_RANGE)
			p->fault = GID_IDTEXT_TOO_LARGE;
	}
	else if (underscore >= 0)
	{
		suffix = chars + underscore + 1;
		n = length - underscore - 1;
		if (!(n == 26 || n == 20 || (n >= 1 && n <= 13)) || !plain_all_of(suffix, n, TYPED))
			return;
		p->fault = GID_IDTEXT_PREFIX;
		if (underscore == 0 || underscore > 63 || chars[0] == '_' ||
			chars[underscore - 1] == '_' || !plain_all_of(chars, underscore, PREFIX))
			return;
		p->prefix_length = underscore;
		p->form = n == 26 && plain_all_of(suffix, n, LOWER) ? GID_FORM_TYPEID :
			n == 26 ? GID_FORM_UUID_CROCKFORD : n == 20 ? GID_FORM_GDID_CROCKFORD :
			GID_FORM_BIGINT_CROCKFORD;
		p->fault = plain_crockford(suffix, n, n == 26 ? 128 : n == 20 ? 96 : 63, &p->r) ?
			GID_IDTEXT_SOUND : GID_IDTEXT_TOO_LARGE;
		plain_decimal(&p->r, 0, n <= 13 ? 63 : 0, p->canonical);
	}
	else if (plain_uuid(chars, length, &p->r))
	{
		p->form = GID_FORM_UUID;
		p->fault = GID_IDTEXT_SOUND;
	}
	else if ((length == 24 && plain_all_of(chars, 24, HEX)) ||
			 (length == 26 && chars[0] == '0' && plain_all_of(chars + 1, 1, "xX") &&
			  plain_all_of(chars + 2, 24, HEX)))
	{
		p->form = GID_FORM_GDID_HEX;
		p->fault = GID_IDTEXT_SOUND;
		plain_parse(chars, length, p->canonical);
	}
	else if (plain_base32hex(chars, length, &p->base32hex) &&
			 !(length == 26 && plain_all_of(chars, 26, TYPED) &&
			   plain_crockford(chars, 26, 128, &p->r)))
	{
		p->form = GID_FORM_BASE32HEX;
		p->fault = GID_IDTEXT_SOUND;
		p->r = p->base32hex;
	}
	else if ((length == 26 || length == 20) && plain_all_of(chars, length, TYPED))
	{
		uint64		version;

		p->form = length == 26 ? GID_FORM_ULID : GID_FORM_GDID_CROCKFORD;
		p->fault = plain_crockford(chars, length, length == 26 ? 128 : 96, &p->r) ?
			GID_IDTEXT_SOUND : GID_IDTEXT_TOO_LARGE;
		if (plain_base32hex(chars, length, &p->base32hex))
		{
			version = ruler_get(&p->base32hex, 48, 52);
			p->is_ambiguous = ruler_get(&p->base32hex, 64, 66) == 2 &&
				(version == 4 || version == 7);
		}
	}
	else
	{
		p->form = GID_FORM_BIGINT;
		p->fault = plain_number(chars, length, p->canonical);
	}
}

/* ---- the first, and how the two compare ---- */

/* A TypeID has no blanks around it and no other spelling; a bare one is 26 digits. */
static void
fuzz_typeid(const char *chars, int length, const Plain *p)
{
	static GidAlphabet alphabet;
	static GidRadix radix;
	char		written[GID_TYPEID_MAX_LENGTH];
	bool		bare = length == 26 && plain_all_of(chars, 26, LOWER) && chars[0] <= '7';
	bool		typed = p->fault == GID_IDTEXT_SOUND && p->form == GID_FORM_TYPEID &&
	!plain_all_of(chars, 1, PLAIN_BLANKS) && !plain_all_of(chars + length - 1, 1, PLAIN_BLANKS);
	int			prefix = typed ? p->prefix_length : 0;
	int			at = 0;
	Ruler		r = p->r;
	GidTypeid	id;
	GidTypeidFault fault;

	if (radix.base == 0)
	{
		gid_alphabet_open(&alphabet, GID_ALPHABET_PREFIX GID_TYPEID_CHARS,
						  (int) strlen(GID_ALPHABET_PREFIX GID_TYPEID_CHARS), &at);
		gid_radix_open(&radix, alphabet.size);
	}
	fault = gid_typeid_parse(&alphabet, &radix, chars, length, &id);
	seen_typeid_faults[fault]++;
	fuzz_check((fault == GID_TYPEID_SOUND) == (bare || typed), "\"%.*s\": fault %d of a TypeID",
			   length, chars, fault);
	if (fault == GID_TYPEID_FOREIGN)
		fuzz_check(id.at >= 0 && id.at < length && !plain_all_of(chars + id.at, 1, LOWER),
				   "\"%.*s\": at %d", length, chars, id.at);
	if (fault != GID_TYPEID_SOUND)
		return;
	if (bare)
		plain_crockford(chars, 26, 128, &r);
	fuzz_check(id.prefix_length == prefix && ruler_is(&r, id.uuid, 16),
			   "\"%.*s\": another UUID or prefix", length, chars);
	fuzz_check(gid_typeid_print(&alphabet, &radix, chars, prefix, id.uuid, written) == length &&
			   memcmp(written, chars, length) == 0, "\"%.*s\": not written so", length, chars);
}

/* What was read, and what the second implementation has read. */
static void
fuzz_id(const char *chars, int length, const GidIdText *id, const Plain *p)
{
	char		shown[64] = "";
	GidGdid		gdid;

	fuzz_check(id->prefix_length == p->prefix_length && id->prefix >= 0 &&
			   id->prefix + id->prefix_length <= length &&
			   (id->prefix_length == 0 || chars[id->prefix + id->prefix_length] == '_'),
			   "\"%.*s\": prefix at %d of %d", length, chars, id->prefix, id->prefix_length);
	fuzz_check(id->is_ambiguous == p->is_ambiguous &&
			   (!id->is_ambiguous || ruler_is(&p->base32hex, id->base32hex, 16)),
			   "\"%.*s\": %d readings, or another UUID in base32hex", length, chars,
			   1 + id->is_ambiguous);
	seen_ambiguous += id->is_ambiguous;
	switch (id->form)
	{
		case GID_FORM_UUID:
		case GID_FORM_ULID:
		case GID_FORM_BASE32HEX:
		case GID_FORM_TYPEID:
		case GID_FORM_UUID_CROCKFORD:
			fuzz_check(ruler_is(&p->r, id->bytes, 16), "\"%.*s\": another UUID", length, chars);
			break;
		case GID_FORM_GDID_CROCKFORD:
			fuzz_check(ruler_is(&p->r, id->bytes, 12), "\"%.*s\": another GDID", length, chars);
			break;
		case GID_FORM_GDID:
		case GID_FORM_GDID_HEX:
			memcpy(gdid.bytes, id->bytes, GID_GDID_BYTES);
			gid_gdid_print(shown, &gdid);
			fuzz_check(strcmp(shown, p->canonical) == 0, "\"%.*s\": %s", length, chars, shown);
			break;
		case GID_FORM_BIGINT:
		case GID_FORM_BIGINT_CROCKFORD:
			sprintf(shown, "%lld", (long long) id->number);
			fuzz_check(strcmp(shown, p->canonical) == 0, "\"%.*s\": %s", length, chars, shown);
			break;
	}
}

static void
fuzz_read(const char *text, int length)
{
	/* of its exact length, so that the sanitizer sees a read beyond it */
	char	   *chars = malloc(length);
	GidIdText	id;
	GidIdFault	fault;
	Plain		p;

	memcpy(chars, text, length);
	fault = gid_idtext_parse(chars, length, &id);
	plain_read(chars, length, &p);
	fuzz_check(fault == p.fault, "\"%.*s\": fault %d instead of %d", length, chars, fault, p.fault);
	seen_faults[fault]++;
	if (fault == GID_IDTEXT_SOUND || fault == GID_IDTEXT_TOO_LARGE)
		fuzz_check(id.form == p.form, "\"%.*s\": form %d instead of %d", length, chars, id.form, p.form);
	if (fault == GID_IDTEXT_SOUND)
	{
		seen_forms[id.form]++;
		fuzz_id(chars, length, &id, &p);
	}
	fuzz_typeid(chars, length, &p);
	free(chars);
}

/* ---- from an input to a text ---- */

/* What is left of an input; behind its end everything is 0. */
typedef struct Input
{
	const uint8 *at;
	size_t		left;
} Input;

static uint8
next_byte(Input *in)
{
	if (in->left == 0)
		return 0;
	in->left--;
	return *in->at++;
}

/* Add "n" characters of a set. */
static int
put_some(Input *in, char *chars, int length, int n, const char *set)
{
	while (n-- > 0)
		chars[length++] = set[next_byte(in) % strlen(set)];
	return length;
}

/* A text that begins and ends so, with characters of a set in between. */
static const struct
{
	const char *before;
	int			from;
	int			to;
	const char *set;
	const char *after;
}			shapes[] = {
	{"", 26, 26, TYPED, ""},
	{"7", 25, 25, TYPED, ""},
	{"", 26, 26, LOWER, ""},
	{"0", 25, 25, LOWER, ""},
	{"", 20, 20, TYPED, ""},
	{"1", 19, 19, TYPED, ""},
	{"", 1, 13, TYPED, ""},
	{"", 25, 25, BASE32HEX, "G"},
	{"", 25, 25, BASE32HEX, "4======"},
	/* version 7 in base32hex, mostly also a ULID */
	{"06H073JVFDQJ37", 11, 11, BASE32HEX "0123456789abcdef", "4"},
	{"", 32, 32, HEX, ""},
	{"-", 32, 32, HEX, ""},
	{"", 32, 32, HEX, "-"},
	{"uRn:UuId:", 32, 32, HEX, ""},
	{"{a0ee-BC99-9c0b-4ef8-bb6d", 12, 12, HEX, "}"},
	{"", 24, 24, HEX, ""},
	{"0x", 24, 24, HEX, ""},
	{"", 0, 21, DECIMAL, ""},
	{"-", 0, 21, DECIMAL, ""},
	{"-922337203685477580", 1, 1, DECIMAL, ""},
	{"922337203685477580", 1, 1, DECIMAL, ""},
	{"", 0, 40, " _:-xX0", ""},
	{" 4294967295 : 15 : 115292150460684697", 1, 1, DECIMAL, "\t"},
	{"0:1:", 1, 2, DECIMAL, ""},
	{"", 0, 12, PREFIX "Ae", ""},
};

/* Change a character, put one in or take one out. */
static int
change(Input *in, char *chars, int length)
{
	static const char noise[] = "09:--aAfFuUzZxX +-_\t\0\x01\x7f\x80\xff";
	int			at = next_byte(in) % (length + 1);
	uint8		kind = next_byte(in);
	char		c = noise[next_byte(in) % sizeof(noise)];

	if (kind % 3 == 0)
	{
		memmove(chars + at + 1, chars + at, length - at);
		chars[at] = kind & 128 && at > 0 ? chars[at - 1] : c;
		return length + 1;
	}
	if (at == length)
		return length;
	if (kind % 3 == 1)
		chars[at] = kind & 128 ? (char) next_byte(in) : c;
	else
		memmove(chars + at, chars + at + 1, length - at - 1);
	return length - (kind % 3 == 2);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	Input		in = {data, size};
	int			shape = next_byte(&in) % lengthof(shapes);
	int			from = shapes[shape].from;
	uint8		choices = next_byte(&in);
	int			changes = choices % (MAX_CHANGES + 1);
	char		chars[MAX_LENGTH];
	int			length = 0;

	/* half of the texts have a prefix */
	if (choices & 64)
	{
		length = put_some(&in, chars, 0, next_byte(&in) % 66, PREFIX);
		chars[length++] = '_';
	}
	memcpy(chars + length, shapes[shape].before, strlen(shapes[shape].before));
	length += (int) strlen(shapes[shape].before);
	length = put_some(&in, chars, length, from + next_byte(&in) % (shapes[shape].to - from + 1),
					  shapes[shape].set);
	memcpy(chars + length, shapes[shape].after, strlen(shapes[shape].after));
	length += (int) strlen(shapes[shape].after);
	while (changes-- > 0)
		length = change(&in, chars, length);
	fuzz_read(chars, length);
	return 0;
}

#ifdef FUZZ_DRIVER
/* How many outcomes never came, which then are not tested? */
static int
never(const char *what, const long *seen, int n)
{
	int			missing = 0;

	for (int i = 0; i < n; i++)
	{
		if (seen[i] == 0)
			fprintf(stderr, "%s %d of the enum was never seen\n", what, i);
		missing += seen[i] == 0;
	}
	return missing;
}

int
main(int argc, char **argv)
{
	pg_prng_state random;
	uint8		data[128];

	pg_prng_seed(&random, argc == 3 ? strtoull(argv[2], NULL, 0) : 1);
	for (long runs = argc == 3 ? atol(argv[1]) : 0; runs > 0; runs--)
	{
		for (int i = 0; i < (int) sizeof(data); i++)
			data[i] = (uint8) pg_prng_uint32(&random);
		LLVMFuzzerTestOneInput(data, sizeof(data));
	}
	return never("form", seen_forms, lengthof(seen_forms)) +
		never("fault", seen_faults, lengthof(seen_faults)) +
		never("fault of a TypeID", seen_typeid_faults, lengthof(seen_typeid_faults)) +
		never("a second reading", &seen_ambiguous, 1) > 0;
}
#endif
