/*-------------------------------------------------------------------------
 *
 * base/args.c
 *		Checks of SQL arguments that several families share.
 *
 * State: none.  Every check returns or raises; nothing is held.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"

#include "base/args.h"

/* Raise 22003: a value outside its range. */
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

/* Raise 22003 unless a part has the one length in bytes that it can have. */
void
gid_check_length(const char *name, int length, int wanted)
{
	if (length == wanted)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("%s of %d bytes is out of range", name, length),
			 errdetail("Its length is %d bytes.", wanted),
			 errhint("Give it as bytea, for example decode('%0*d', 'hex').",
					 2 * wanted, 0)));
}

/* Raise 22008: a moment outside its range. */
void
gid_raise_time(const GidTimeRange *range)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
			 errmsg("timestamp is out of range for %s", range->kind),
			 errdetail("The range is %s.", range->range),
			 errhint("Give a finite moment within the range.")));
}

/*
 * The sequence of exactly that name in the schema of exactly that name,
 * without a lock.  42P01 when there is none, 42501 without USAGE on the
 * schema.
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
				 errmsg("sequence \"%s\" does not exist in scope \"%s\"", name, schema),
				 errdetail("Scope and sequence are the exact names of a schema and a sequence in it."),
				 errhint("Create the sequence with CREATE SEQUENCE.")));
	return oid;
}
