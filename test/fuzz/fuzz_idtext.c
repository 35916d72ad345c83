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
#include "text/typeid.h"
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
static long seen_faults[GID_NFAULTS];
static long seen_typeid_faults[GID_NFAULTS];
static long seen_ambiguous;
static long seen_urls;
static long seen_wrapped;

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
	GidFaultKind fault;			/* UNKNOWN also for what is nearly an id */
	bool		is_bare;		/* nothing stands around or within the id */
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

static GidFaultKind
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
		return GID_FAULT_UNKNOWN;
	for (; length > 1 && *chars == '0'; length--)
		chars++;
	if (length > 19 || (length == 19 && memcmp(chars, max, 19) > 0))
		return GID_FAULT_TOO_LARGE;
	sprintf(canonical, "%s%.*s", negative && *chars != '0' ? "-" : "", length, chars);
	return GID_FAULT_NONE;
}

/* A text with a prefix, whose last underscore is at this offset. */
static void
plain_read_prefixed(const char *chars, int length, int underscore, Plain *p)
{
	const char *suffix = chars + underscore + 1;
	int			n = length - underscore - 1;
	bool		typed = plain_all_of(suffix, n, TYPED);
	bool		decimal = plain_all_of(suffix, n, DECIMAL);
	GidFaultKind read;

	if (n == 26 && typed)
	{
		p->form = plain_all_of(suffix, n, LOWER) ? GID_FORM_TYPEID : GID_FORM_UUID_CROCKFORD;
		read = plain_crockford(suffix, n, 128, &p->r) ? GID_FAULT_NONE : GID_FAULT_TOO_LARGE;
	}
	else if (n == 20 && typed && (!decimal || suffix[0] == '0'))
	{
		p->form = GID_FORM_GDID_CROCKFORD;
		read = plain_crockford(suffix, n, 96, &p->r) ? GID_FAULT_NONE : GID_FAULT_TOO_LARGE;
	}
	else if (n >= 1 && n != 26 && decimal)
	{
		p->form = GID_FORM_BIGINT;
		read = plain_number(suffix, n, p->canonical);
	}
	else if (n >= 1 && n <= 13 && typed)
	{
		p->form = GID_FORM_BIGINT_CROCKFORD;
		read = plain_crockford(suffix, n, 63, &p->r) ? GID_FAULT_NONE : GID_FAULT_TOO_LARGE;
		plain_decimal(&p->r, 0, 63, p->canonical);
	}
	else
		return;
	p->fault = GID_FAULT_PREFIX;
	if (underscore == 0 || underscore > 63 || chars[0] == '_' ||
		chars[underscore - 1] == '_' || !plain_all_of(chars, underscore, PREFIX))
		return;
	p->prefix_length = underscore;
	p->fault = read;
}

static bool
plain_is_common(const Ruler *r)
{
	uint64		version = ruler_get(r, 48, 52);

	return ruler_get(r, 64, 66) == 2 && (version == 4 || version == 7);
}

/* 26 characters that are a ULID or base32hex.  False if they are neither. */
static bool
plain_read_26(const char *chars, Plain *p)
{
	bool		typed = plain_all_of(chars, 26, TYPED);
	bool		base32hex = plain_base32hex(chars, 26, &p->base32hex);

	p->form = GID_FORM_ULID;
	p->fault = GID_FAULT_NONE;
	if (typed && plain_crockford(chars, 26, 128, &p->r))
	{
		p->is_ambiguous = base32hex && plain_is_common(&p->base32hex);
		return true;
	}
	if (base32hex && (!plain_all_of(chars, 26, DECIMAL) || plain_is_common(&p->base32hex)))
	{
		p->form = GID_FORM_BASE32HEX;
		p->r = p->base32hex;
		return true;
	}
	p->fault = typed ? GID_FAULT_TOO_LARGE : GID_FAULT_UNKNOWN;
	return typed;
}

/* A text without anything around it. */
static void
plain_read_bare(const char *chars, int length, Plain *p)
{
	int			underscore = -1;
	bool		urn = length >= 9;
	bool		colon = false;

	for (int i = 0; i < length; i++)
	{
		urn = urn && (i >= 9 || tolower((unsigned char) chars[i]) == "urn:uuid:"[i]);
		colon = colon || chars[i] == ':';
		if (chars[i] == '_')
			underscore = i;
	}
	if (urn)
	{
		p->form = GID_FORM_UUID;
		if (plain_uuid(chars + 9, length - 9, &p->r))
			p->fault = GID_FAULT_NONE;
	}
	else if (colon)
	{
		GidFault	fault = plain_parse(chars, length, p->canonical);

		p->form = GID_FORM_GDID;
		if (fault.kind == GID_FAULT_NONE || fault.kind == GID_FAULT_TOO_LARGE)
			p->fault = fault.kind;
	}
	else if (underscore >= 0)
		plain_read_prefixed(chars, length, underscore, p);
	else if (plain_uuid(chars, length, &p->r))
	{
		p->form = GID_FORM_UUID;
		p->fault = GID_FAULT_NONE;
	}
	else if ((length == 24 && plain_all_of(chars, 24, HEX)) ||
			 (length == 26 && chars[0] == '0' && plain_all_of(chars + 1, 1, "xX") &&
			  plain_all_of(chars + 2, 24, HEX)))
	{
		p->form = GID_FORM_GDID_HEX;
		p->fault = GID_FAULT_NONE;
		plain_parse(chars, length, p->canonical);
	}
	else if (length == 26 && plain_read_26(chars, p))
		;
	else if (length == 32 && plain_base32hex(chars, length, &p->r))
	{
		p->form = GID_FORM_BASE32HEX;
		p->fault = GID_FAULT_NONE;
	}
	else if (length == 20 && plain_all_of(chars, length, TYPED) &&
			 (chars[0] == '0' || !plain_all_of(chars, length, DECIMAL)))
	{
		p->form = GID_FORM_GDID_CROCKFORD;
		p->fault = plain_crockford(chars, length, 96, &p->r) ? GID_FAULT_NONE : GID_FAULT_TOO_LARGE;
	}
	else
	{
		p->form = GID_FORM_BIGINT;
		p->fault = plain_number(chars, length, p->canonical);
	}
}

/* Leave out one of several texts at the beginning or the end.  How many bytes? */
static int
plain_strip(const char *chars, int length, bool at_end, const char *ascii, const char *const *others)
{
	if (length > 0 && plain_all_of(at_end ? chars + length - 1 : chars, 1, ascii))
		return 1;
	for (; *others != NULL; others++)
	{
		int			n = (int) strlen(*others);

		if (length >= n && strncmp(at_end ? chars + length - n : chars, *others, n) == 0)
			return n;
	}
	return 0;
}

/* Does a text have "://"? */
static bool
plain_is_url(const char *chars, int length)
{
	for (int i = 0; i + 3 <= length; i++)
	{
		if (strncmp(chars + i, "://", 3) == 0)
			return true;
	}
	return false;
}

/* Any text but a URL. */
static void
plain_read(const char *chars, int length, Plain *p)
{
	static const char *const opening[] = {"\u00ab", "\u00bb", "\u2018", "\u201c", "\u201a", "\u201e", "\u00a0", "\u200b", "\ufeff", "\u200e", "\u202a", "\u202c", "\u2068", "\u2069", NULL};
	static const char *const closing[] = {"\u00ab", "\u00bb", "\u2018", "\u2019", "\u201c", "\u201d", "\u00a0", "\u200b", "\ufeff", "\u200e", "\u202a", "\u202c", "\u2068", "\u2069", NULL};
	char		within[MAX_LENGTH];
	int			given = length;
	int			n;
	int			kept = 0;
	bool		blank = false;

	memset(p, 0, sizeof(Plain));
	p->fault = GID_FAULT_UNKNOWN;
	while ((n = plain_strip(chars, length, false, PLAIN_BLANKS "\"'`<>([", opening)) > 0)
	{
		chars += n;
		length -= n;
	}
	while ((n = plain_strip(chars, length, true, PLAIN_BLANKS "\"'`>)].,;", closing)) > 0)
		length -= n;
	if (length == 0)
	{
		p->fault = GID_FAULT_EMPTY;
		return;
	}
	for (int i = 0; i < length; i++)
	{
		if (plain_all_of(chars + i, 1, PLAIN_BLANKS))
			blank = true;
		else
			within[kept++] = chars[i];
		/* a blank in the prefix */
		if (chars[i] == '_' && blank)
			p->fault = GID_FAULT_PREFIX;
	}
	p->is_bare = given == kept;
	if (blank && kept > 128)
		p->fault = GID_FAULT_UNKNOWN;
	else if (p->fault != GID_FAULT_PREFIX)
		plain_read_bare(within, kept, p);
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
	bool		typed = p->fault == GID_FAULT_NONE && p->form == GID_FORM_TYPEID && p->is_bare;
	int			prefix = typed ? p->prefix_length : 0;
	Ruler		r = p->r;
	GidTypeid	id;
	GidFault	fault = {.kind = GID_FAULT_NONE};
	bool		is_read;

	if (radix.base == 0)
	{
		gid_alphabet_open(&alphabet, GID_ALPHABET_PREFIX GID_TYPEID_CHARS,
						  (int) strlen(GID_ALPHABET_PREFIX GID_TYPEID_CHARS), &fault);
		gid_radix_open(&radix, alphabet.size);
	}
	is_read = gid_typeid_parse(&alphabet, &radix, chars, length, &id, &fault);
	seen_typeid_faults[fault.kind]++;
	fuzz_check(is_read == (bare || typed) && is_read == (fault.kind == GID_FAULT_NONE),
			   "\"%.*s\": fault %d of a TypeID", length, chars, fault.kind);
	if (fault.kind == GID_FAULT_FOREIGN)
		fuzz_check(fault.at >= 0 && fault.at < length && !plain_all_of(chars + fault.at, 1, LOWER),
				   "\"%.*s\": at %d", length, chars, fault.at);
	if (!is_read)
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

/* Is it true what the fault says of a text that nearly is an id? */
static void
fuzz_nearly(const char *chars, int length, const GidIdText *id, const GidFault *fault)
{
	bool		hex = id->form == GID_FORM_UUID || id->form == GID_FORM_GDID_HEX;

	if (fault->kind == GID_FAULT_LENGTH)
		fuzz_check(fault->found != fault->expected && fault->found > 0 && fault->found <= length,
				   "\"%.*s\": %d instead of %d", length, chars, fault->found, fault->expected);
	if (fault->kind == GID_FAULT_FOREIGN || fault->kind == GID_FAULT_HYPHEN)
		fuzz_check(fault->at >= 0 && fault->at < length, "\"%.*s\": at %d", length, chars, fault->at);
	if (fault->kind == GID_FAULT_FOREIGN)
		fuzz_check(!plain_all_of(chars + fault->at, 1, hex ? HEX "-" : TYPED),
				   "\"%.*s\": at %d", length, chars, fault->at);
	if (fault->kind == GID_FAULT_HYPHEN)
		fuzz_check(chars[fault->at] == '-', "\"%.*s\": at %d", length, chars, fault->at);
}

/* What is read of a URL is what one of its parts is. */
static void
fuzz_url(const char *chars, int length, const GidIdText *id)
{
	bool		found = false;
	Plain		p;

	for (int from = 0, to; from < length; from = to + 1)
	{
		for (to = from; to < length && !plain_all_of(chars + to, 1, "/?#&=;"); to++)
			;
		plain_read(chars + from, to - from, &p);
		found = found || (p.fault == GID_FAULT_NONE && p.form == id->form &&
						  p.prefix_length == id->prefix_length &&
						  (p.canonical[0] != '\0' || ruler_is(&p.r, id->bytes, p.form == GID_FORM_GDID_CROCKFORD ? 12 : 16)));
	}
	fuzz_check(found, "\"%.*s\": no part is so", length, chars);
}

static void
fuzz_read(const char *text, int length)
{
	/* of its exact length, so that the sanitizer sees a read beyond it */
	char	   *chars = malloc(length);
	GidIdText	id;
	GidFault	fault;
	bool		is_read;
	Plain		p;

	memcpy(chars, text, length);
	is_read = gid_id_text_parse(chars, length, &id, &fault);
	if (!is_read)
		fuzz_nearly(chars, length, &id, &fault);
	seen_faults[is_read ? GID_FAULT_NONE : fault.kind]++;
	if (plain_is_url(chars, length))
	{
		seen_urls += is_read;
		if (is_read)
			fuzz_url(chars, length, &id);
		free(chars);
		return;
	}
	plain_read(chars, length, &p);
	if (is_read)
		fault.kind = GID_FAULT_NONE;
	else if (fault.kind != GID_FAULT_EMPTY && fault.kind != GID_FAULT_PREFIX && fault.kind != GID_FAULT_TOO_LARGE)
		fault.kind = GID_FAULT_UNKNOWN;
	fuzz_check(fault.kind == p.fault, "\"%.*s\": fault %d instead of %d", length, chars, fault.kind, p.fault);
	if (is_read || fault.kind == GID_FAULT_TOO_LARGE)
		fuzz_check(id.form == p.form, "\"%.*s\": form %d instead of %d", length, chars, id.form, p.form);
	if (is_read)
	{
		seen_forms[id.form]++;
		seen_wrapped += !p.is_bare;
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
	{"<", 26, 26, TYPED, ">."},
	{"\"", 32, 32, HEX, "\", "},
	{"\u201c", 20, 20, TYPED, "\u201d"},
	{"01890a5d-ac96-774b-\r\nbcce-", 12, 12, HEX, "\n"},
	{"1844674407370955161", 1, 1, DECIMAL, ""},
	{"https://h/o/", 26, 26, TYPED, "/edit?n=7"},
	{"https://h:80/", 1, 13, DECIMAL, "?id=01890a5d-ac96-774b-bcce-b302099a8057"},
	/* nearly an id */
	{"01890a5d-ac96-774b-bcce-", 10, 14, HEX, ""},
	{"01890a5dac96774bbcc", 12, 14, HEX "O", ""},
	{"", 19, 28, TYPED, ""},
	{"018-90a5dac96774bbcce", 12, 12, HEX, ""},
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
/* What a text and a TypeID can be. */
static const GidFaultKind text_faults[] = {
	GID_FAULT_NONE, GID_FAULT_EMPTY, GID_FAULT_UNKNOWN, GID_FAULT_PREFIX, GID_FAULT_TOO_LARGE,
	GID_FAULT_LENGTH, GID_FAULT_FOREIGN, GID_FAULT_HYPHEN, GID_FAULT_COLONS, GID_FAULT_MISSING,
	GID_FAULT_DIGIT,
};
static const GidFaultKind typeid_faults[] = {
	GID_FAULT_NONE, GID_FAULT_LENGTH, GID_FAULT_SEPARATOR, GID_FAULT_PREFIX, GID_FAULT_FOREIGN,
	GID_FAULT_TOO_LARGE,
};

/* Did an outcome never come, which then is not tested? */
static bool
never(const char *what, int number, long seen)
{
	if (seen == 0)
		fprintf(stderr, "%s %d was never seen\n", what, number);
	return seen == 0;
}

int
main(int argc, char **argv)
{
	pg_prng_state random;
	uint8		data[128];
	int			missing = 0;

	pg_prng_seed(&random, argc == 3 ? strtoull(argv[2], NULL, 0) : 1);
	for (long runs = argc == 3 ? atol(argv[1]) : 0; runs > 0; runs--)
	{
		for (int i = 0; i < (int) sizeof(data); i++)
			data[i] = (uint8) pg_prng_uint32(&random);
		LLVMFuzzerTestOneInput(data, sizeof(data));
	}
	for (int i = 0; i < GID_NFORMS; i++)
		missing += never("form", i, seen_forms[i]);
	for (int i = 0; i < (int) lengthof(text_faults); i++)
		missing += never("fault", text_faults[i], seen_faults[text_faults[i]]);
	for (int i = 0; i < (int) lengthof(typeid_faults); i++)
		missing += never("fault of a TypeID", typeid_faults[i], seen_typeid_faults[typeid_faults[i]]);
	missing += never("a second reading", 0, seen_ambiguous);
	missing += never("an id in a URL", 0, seen_urls);
	missing += never("an id with something around it", 0, seen_wrapped);
	return missing > 0;
}
#endif
