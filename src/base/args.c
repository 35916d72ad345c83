/*-------------------------------------------------------------------------
 *
 * base/args.c
 *		Checks of SQL arguments, and results, that several families share.
 *
 * State: none.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"

#include "base/args.h"

/*
 * Return how many bytes of a text a message shows.  In SQL_ASCII the server
 * does not know where a character ends.  Most clients then expect UTF-8, and
 * could not read a message with a part of a character.  So the text is not cut
 * within a character of UTF-8.
 */
int
gid_shown_length(const char *bytes, int length)
{
	int			end = pg_mbcliplen(bytes, length, GID_SHOWN_BYTES);

	if (GetDatabaseEncoding() == PG_SQL_ASCII && end < length)
	{
		while (end > 0 && ((unsigned char) bytes[end] & 0xc0) == 0x80)
			end--;
	}
	return end;
}

/* Raise 22003: a value is outside its range.  Does not return. */
void
gid_raise_range(const GidRange *range, int64 value)
{
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("%s %lld is out of range", range->name, (long long) value),
			 errdetail("The range is %lld to %lld.",
					   (long long) range->min, (long long) range->max),
			 errhint("%s", range->hint)));
}

/*
 * Raise 22003 unless a part has the only length that it can have.  "name" is
 * the part's name in the message; both lengths are in bytes.
 */
void
gid_check_length(const char *name, int length, int wanted)
{
	if (length == wanted)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("%s of %d bytes is out of range", name, length),
			 errdetail("The length must be %d bytes.", wanted),
			 errhint("Use a bytea of that length, for example decode('%0*d', 'hex').",
					 2 * wanted, 0)));
}

/* Raise 22008: a moment is outside its range.  Does not return. */
void
gid_raise_time(const GidTimeRange *range)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
			 errmsg("timestamp is out of range for %s", range->kind),
			 errdetail("The range is %s.", range->range),
			 errhint("Give a finite moment within the range.")));
}

/* Return a row of a function's result type. */
Datum
gid_row(FunctionCallInfo fcinfo, Datum *values, bool *nulls)
{
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls));
}

/*
 * Look up a sequence by the exact names of its schema ("scope") and itself.
 * Raises 42P01 when there is none, 42501 without USAGE on the schema.  Takes
 * no lock, and does not check that the relation is a sequence.
 */
Oid
gid_arg_sequence(text *scope, text *sequence)
{
	char	   *schema = text_to_cstring(scope);
	char	   *name = text_to_cstring(sequence);
	Oid			oid = RangeVarGetRelid(makeRangeVar(schema, name, -1), NoLock, true);

	if (!OidIsValid(oid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("sequence \"%.*s\" does not exist in scope \"%.*s\"",
						GID_SHOWN(name, (int) strlen(name)),
						GID_SHOWN(schema, (int) strlen(schema))),
				 errdetail("Scope and sequence are the exact names of a schema and a sequence in it."),
				 errhint("Create the sequence with CREATE SEQUENCE.")));
	return oid;
}
