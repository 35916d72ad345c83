/*-------------------------------------------------------------------------
 *
 * fuzz_gdid_sql.c
 *		The SQL functions that make a GDID of what a client sends: gdid_in,
 *		gdid_recv, the cast from bytea, gid_gdid_unpack, gid_make_gdid.
 *
 * id/gdid_type.c and id/gdid_parts.c are compiled into this file, with the few
 * functions of the server that they call.  An error ends the function as in the server, and its
 * SQLSTATE and texts are kept.  What is right and what is wrong with an input
 * is said by gdid_plain.h.
 *
 * State: the memory of the run; the last error.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
/* The harness has its own, and its arguments' types differ with the version. */
#include "postgres.h"
#define pq_copymsgbytes server_pq_copymsgbytes
#include "libpq/pqformat.h"
#undef pq_copymsgbytes
static void pq_copymsgbytes(StringInfo message, void *bytes, int length);

#include "../../src/id/gdid_type.c"
#include "../../src/id/gdid_parts.c"

#include "fuzz.h"
#include "gdid_plain.h"

enum
{
	IN, IN_ERROR, RECV, RECV_ERROR, CAST, CAST_ERROR, UNPACK, UNPACK_ERROR, MAKE,
	MAKE_ERROR
};

const char *const fuzz_outcomes[] = {
	"in", "in error", "recv", "recv error", "cast", "cast error", "unpack",
	"unpack error", "make", "make error", NULL
};

/* ---- the server ---- */

#define MAX_PIECES	64

static void *pieces[MAX_PIECES];
static int	npieces;

static sigjmp_buf on_error;
static int	error_code;
static const char *error_range;
static char error_message[1024];
static char error_detail[1024];
static char error_hint[1024];

void *
palloc(Size size)
{
	void	   *piece = malloc(size);

	fuzz_check(npieces < MAX_PIECES && piece != NULL, "%d pieces", npieces);
	pieces[npieces++] = piece;
	return piece;
}

char *
pstrdup(const char *text)
{
	return strcpy(palloc(strlen(text) + 1), text);
}

char *
psprintf(const char *format,...)
{
	va_list		args;
	char text[	1024];

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return pstrdup(text);
}

/* "soft" errors of 16 and later are not asked for: they are raised, too */
extern bool errsave_start(struct Node *context, const char *domain);
extern void errsave_finish(struct Node *context, const char *file, int line,
						   const char *function);

bool
errstart(int level, const char *domain)
{
	fuzz_check(level == ERROR, "level %d", level);
	error_code = 0;
	error_message[0] = error_detail[0] = error_hint[0] = '\0';
	return true;
}

bool
errstart_cold(int level, const char *domain)
{
	return errstart(level, domain);
}

bool
errsave_start(struct Node *context, const char *domain)
{
	return errstart(ERROR, domain);
}

void
errfinish(const char *file, int line, const char *function)
{
	siglongjmp(on_error, 1);
}

void
errsave_finish(struct Node *context, const char *file, int line,
			   const char *function)
{
	siglongjmp(on_error, 1);
}

int
errcode(int code)
{
	error_code = code;
	return 0;
}

#define KEEP(text) \
	do { \
		va_list		args; \
		va_start(args, format); \
		vsnprintf(text, sizeof(text), format, args); \
		va_end(args); \
		return 0; \
	} while (0)

int
errmsg(const char *format,...)
{
	KEEP(error_message);
}

int
errdetail(const char *format,...)
{
	KEEP(error_detail);
}

int
errhint(const char *format,...)
{
	KEEP(error_hint);
}

static void
pq_copymsgbytes(StringInfo message, void *bytes, int length)
{
	fuzz_check(length >= 0 && length <= message->len - message->cursor,
			   "%d bytes of a message", length);
	memcpy(bytes, message->data + message->cursor, length);
	message->cursor += length;
}

struct varlena *
pg_detoast_datum_packed(struct varlena *datum)
{
	return datum;
}

text *
cstring_to_text_with_len(const char *bytes, int length)
{
	return (text *) gid_gdid_bytea((const uint8 *) bytes, length);
}

/* Of base/args.c; the parts' ranges are what is looked at here. */
void
gid_raise_range(const GidRange *range, int64 value)
{
	error_range = range->name;
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("%s", range->name),
			 errdetail("Out of range."),
			 errhint("%s", range->hint)));
}

/* ---- the calls ---- */

/* The function's result, or NULL and the error. */
static void *
call(PGFunction function, Datum a, Datum b, Datum c)
{
	LOCAL_FCINFO(fcinfo, 3);
	Datum		result;

	memset(fcinfo, 0, SizeForFunctionCallInfo(3));
	fcinfo->nargs = 3;
	fcinfo->args[0].value = a;
	fcinfo->args[1].value = b;
	fcinfo->args[2].value = c;
	error_range = "";
	if (sigsetjmp(on_error, 0) != 0)
	{
		size_t		length = strlen(error_detail);

		fuzz_check(error_message[0] != '\0' && error_hint[0] != '\0' &&
				   length > 0 && error_detail[length - 1] == '.',
				   "\"%s\", \"%s\", \"%s\"", error_message, error_detail, error_hint);
		return NULL;
	}
	result = function(fcinfo);
	return DatumGetPointer(result);
}

/* A GDID through the functions that give it away. */
static void
check_given(GidGdid *gdid, const Ruler *r)
{
	char text[	100];
	char	   *out;
	bytea	   *sent;

	fuzz_check(ruler_is(r, gdid->bytes, 12), "not %s", r->bits);
	plain_text(r, text);
	out = call(gid_gdid_out, PointerGetDatum(gdid), 0, 0);
	fuzz_check(out != NULL && strcmp(out, text) == 0, "\"%s\" instead of \"%s\"",
			   out, text);
	sent = call(gid_gdid_send, PointerGetDatum(gdid), 0, 0);
	fuzz_check(sent != NULL && VARSIZE_ANY_EXHDR(sent) == 12 &&
			   memcmp(VARDATA_ANY(sent), gdid->bytes, 12) == 0, "sent %s", text);
}

static void
check_in(const char *bytes, size_t size)
{
	char	   *text = malloc(size + 1);
	char	   *canonical = malloc(size + 100);
	char		printed[100];
	Ruler		r = {0};
	GidGdid    *gdid;
	GidGdidError wanted;

	memcpy(text, bytes, size);
	text[		size] = '\0';

	wanted = plain_parse(text, (int) strlen(text), canonical);
	gdid = call(gid_gdid_in, CStringGetDatum(text), 0, 0);
	fuzz_note(gdid != NULL ? IN : IN_ERROR);
	fuzz_check((gdid != NULL) == (wanted.fault == GID_GDID_SOUND), "\"%s\"", text);
	if (gdid != NULL)
	{
		plain_bits(&r, gdid->bytes);
		plain_text(&r, printed);
		fuzz_check(strcmp(printed, canonical) == 0, "\"%s\" instead of \"%s\"",
				   printed, canonical);
		check_given(gdid, &r);
	}
	else
	{
		static const char *const names[] = {"era", "authority", "counter"};

		fuzz_check(error_code == MAKE_SQLSTATE('2', '2', 'P', '0', '2'), "\"%s\"", text);
		fuzz_check(strstr(error_message, text) != NULL || size > 500, "%s",
				   error_message);
		if (wanted.fault >= GID_GDID_MISSING)
			fuzz_check(strstr(error_detail, names[wanted.part]) != NULL &&
					   (wanted.fault != GID_GDID_RANGE ||
						strstr(error_detail, plain_max[wanted.part]) != NULL), "%s",
					   error_detail);
	}
	free(text);
	free(canonical);
}

/* A message of which some bytes have been read. */
static void
check_recv(FuzzInput *in)
{
	StringInfoData message = {0};
	Ruler		r = {0};
	GidGdid    *gdid;
	int			cursor = fuzz_byte(in) % 16;

	message.len = (int) in->left;
	message.cursor = Min(cursor, message.len);
	message.data = fuzz_exactly(in->at, in->left);
	cursor = message.cursor;
	gdid = call(gid_gdid_recv, PointerGetDatum(&message), 0, 0);
	fuzz_note(gdid != NULL ? RECV : RECV_ERROR);
	fuzz_check((gdid != NULL) == (message.len - cursor == 12), "%d of %d bytes",
			   message.len - cursor, message.len);
	if (gdid != NULL)
	{
		fuzz_check(message.cursor == message.len, "the message is not read to its end");
		plain_bits(&r, in->at + cursor);
		check_given(gdid, &r);
	}
	else
		fuzz_check(error_code == MAKE_SQLSTATE('2', '2', 'P', '0', '3'), "length");
	free(message.data);
}

/* The cast or gid_gdid_unpack(), of a datum with a long or a short header. */
static void
check_bytea(FuzzInput *in, bool unpack)
{
	bool		is_short = fuzz_byte(in) % 2 == 1 && in->left < 120;
	int			header = is_short ? VARHDRSZ_SHORT : VARHDRSZ;
	int			length = (int) in->left;
	struct varlena *datum = malloc(header + length);
	Ruler		r = {0};
	GidGdid    *gdid;
	bool		wanted;

	if (is_short)
		SET_VARSIZE_SHORT(datum, header + length);
	else
		SET_VARSIZE(datum, header + length);
	memcpy((char *) datum + header, in->at, length);
	gdid = call(unpack ? gid_gdid_unpack : gid_gdid_from_bytea, PointerGetDatum(datum),
				0, 0);
	if (unpack)
		wanted = plain_unpack(in->at, length, &r).fault == GID_GDID_SOUND;
	else
		wanted = length == 12;
	fuzz_note((unpack ? UNPACK : CAST) + (gdid == NULL));
	fuzz_check((gdid != NULL) == wanted, "%d bytes", length);
	if (gdid == NULL)
		fuzz_check(error_code == MAKE_SQLSTATE('2', '2', 'P', '0', '3'), "%d bytes",
				   length);
	else
	{
		bytea	   *back = call(unpack ? gid_gdid_pack : gid_gdid_to_bytea,
								PointerGetDatum(gdid), 0, 0);

		fuzz_check(back != NULL && (int) VARSIZE_ANY_EXHDR(back) == length &&
				   memcmp(VARDATA_ANY(back), in->at, length) == 0, "back");
		if (!unpack)
			plain_bits(&r, in->at);
		check_given(gdid, &r);
	}
	free(datum);
}

static void
check_make(FuzzInput *in)
{
	int64		era = (int64) fuzz_number(in);
	int32		authority = (int32) fuzz_number(in);
	int64		counter = (int64) fuzz_number(in);
	const char *wanted = era < 0 || era > INT64CONST(4294967295) ? "era" :
	authority < 0 || authority > 15 ? "authority" :
	counter < 0 || counter > INT64CONST(1152921504606846975) ? "counter" : "";
	GidGdid    *gdid = call(gid_make_gdid, Int64GetDatum(era), Int32GetDatum(authority),
							Int64GetDatum(counter));
	Ruler		r = {0};

	fuzz_note(gdid != NULL ? MAKE : MAKE_ERROR);
	fuzz_check((gdid != NULL) == (wanted[0] == '\0') && strcmp(wanted, error_range) == 0,
			   "\"%s\" instead of \"%s\"", error_range, wanted);
	if (gdid == NULL)
		return;
	ruler_put(&r, 0, 32, (uint64) era);
	ruler_put(&r, 32, 36, (uint64) authority);
	ruler_put(&r, 36, 96, (uint64) counter);
	check_given(gdid, &r);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	FuzzInput	in = {data, size};

	switch (fuzz_byte(&in) % 8)
	{
		case 0:
		case 1:
			check_in((const char *) in.at, in.left);
			break;
		case 2:
		case 3:
			check_recv(&in);
			break;
		case 4:
			check_bytea(&in, false);
			break;
		case 5:
		case 6:
			check_bytea(&in, true);
			break;
		default:
			check_make(&in);
	}
	while (npieces > 0)
		free(pieces[--npieces]);
	return 0;
}
