/*-------------------------------------------------------------------------
 *
 * gid_authority.c
 *		Blocks of GDIDs and generator numbers of other servers.
 *
 * A server reserves blocks of its sequences for others: gid_authority_block().
 * One whose gid.authorities is set draws its GDIDs from such blocks, those of
 * the first server of the list that answers; one whose gid.decimal_authority
 * is set gets the generator numbers of its DecimalIds from that server's
 * gid_authority_generator().
 *
 * State: none of its own.  The sequences are those of the server that is
 * asked; what it answers is kept as blocks (gid_block.c) and leases
 * (gid_lease.c).
 *
 * Invariants:
 * 1. A server answers when the reservation is on its disk.  So an answer that
 *	  is lost loses a block, and no block is given twice.
 * 2. A block is of one authority and one era; the authority is the number that
 *	  the server has, not one that is set here.
 * 3. The sequence's owner is who asks, whoever draws, because the block is
 *	  everybody's; the caller's right is that on the sequence here.
 *
 * A crash on either side, a standby: as for the sequence of the server that is
 * asked, and what was fetched and not drawn is lost.
 *
 * References: azist's GDID authorities, GdidAuthorityService.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "commands/defrem.h"
#include "fmgr.h"
#include "foreign/foreign.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/varlena.h"

#include "gid_args.h"
#include "gid_authority.h"
#include "gid_draw.h"
#include "gid_gdid.h"
#include "gid_guc.h"
#include "gid_remote.h"

static const GidRange gid_authority_size_range = {
	.name = "size",
	.min = 1,
	.max = GID_AUTHORITY_MAX_BLOCK,
	.hint = "Ask for a smaller block, more often.",
};

/* The largest era of a value that a bigint sequence can have. */
#define GID_AUTHORITY_MAX_ERA	(PG_INT64_MAX >> GID_GDID_COUNTER_BITS)

/* The names in a setting that was checked. */
static List *
gid_authority_names(const char *setting)
{
	List	   *names;

	if (!SplitIdentifierString(pstrdup(setting), ',', &names))
		elog(ERROR, "invalid list of foreign servers: %s", setting);
	return names;
}

/* Are GDIDs drawn from other servers? */
bool
gid_authority_are_set(void)
{
	return gid_authorities[0] != '\0';
}

/* Raise 08001 with what each server said. */
static void
gid_authority_raise_silence(const char *what, const char *said)
{
	ereport(ERROR,
			(errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
			 errmsg("could not get %s", what),
			 errdetail("%s", said),
			 errhint("Ids go on by themselves when one of the servers answers.")));
}

/* Is an answer a block of up to so many GDIDs as were asked for? */
static bool
gid_authority_is_block(const GidQuestion *question, const int64 *answer)
{
	return answer[0] >= 0 && answer[0] <= (int64) GID_GDID_MAX_AUTHORITY &&
		answer[1] >= 0 && answer[1] <= GID_AUTHORITY_MAX_ERA &&
		answer[3] >= 1 && answer[3] <= question->count &&
		answer[2] >= (answer[1] == 0 ? 1 : 0) &&
		answer[2] <= (int64) GID_GDID_MAX_COUNTER - answer[3] + 1;
}

/*
 * Fetch a block of up to "count" (1 or more) values of a sequence, which is open
 * here, from the first authority that answers, and its number.  When none does:
 * 08001 if "needed", else false.  Waits and other errors: those of
 * gid_remote_ask().
 */
bool
gid_authority_fetch(Relation sequence, int64 count, bool needed,
					GidReserved *reserved, uint32 *authority)
{
	char	   *scope = get_namespace_name(RelationGetNamespace(sequence));
	char	   *name = RelationGetRelationName(sequence);
	int64		answer[4];
	StringInfoData said;
	GidQuestion question = {
		.owner = sequence->rd_rel->relowner,
		.ncolumns = lengthof(answer),
		.count = Min(count, GID_AUTHORITY_MAX_BLOCK),
		.is_answer = gid_authority_is_block,
	};

	initStringInfo(&said);
	question.call = psprintf("gid_authority_block(%s::pg_catalog.text, %s::pg_catalog.text,"
							 " %lld::pg_catalog.int4, NULL::pg_catalog.int8)",
							 quote_literal_cstr(scope), quote_literal_cstr(name),
							 (long long) question.count);
	if (!gid_remote_ask(gid_authority_names(gid_authorities), &question, needed,
						answer, &said))
	{
		if (needed)
			gid_authority_raise_silence(psprintf("a block of sequence \"%s.%s\" from any authority",
												 scope, name), said.data);
		return false;
	}

	*authority = (uint32) answer[0];
	reserved->first = answer[1] << GID_GDID_COUNTER_BITS | answer[2];
	reserved->count = answer[3];
	reserved->last = reserved->first + reserved->count - 1;
	return true;
}

/*
 * Fetch exactly "count" (1 or more) values of one authority.  Where an era's
 * end gives fewer, the next answer begins the next era.  22003 when that is more
 * than an authority gives at a time, 2200H when it has not so many; waits and
 * other errors: those of gid_authority_fetch().
 */
void
gid_authority_fetch_all(Relation sequence, int64 count,
						GidReserved *reserved, uint32 *authority)
{
	if (count > GID_AUTHORITY_MAX_BLOCK)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("count %lld is out of range", (long long) count),
				 errdetail("An authority reserves at most %d values at a time.",
						   GID_AUTHORITY_MAX_BLOCK),
				 errhint("Ask for fewer at a time.")));
	for (int tries = 0; tries < 3; tries++)
	{
		(void) gid_authority_fetch(sequence, count, true, reserved, authority);
		if (reserved->count == count)
			return;
	}
	ereport(ERROR,
			(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
			 errmsg("authority %u has not %lld consecutive values left", *authority,
					(long long) count),
			 errdetail("The values that it gave are lost."),
			 errhint("Ask for fewer at a time, or give its sequence a wider range.")));
}

/*
 * gid_authority_block(scope text, sequence text, size int, vicinity bigint)
 *		-> (authority int, era bigint, start bigint, count int)
 *
 * Reserve a block of up to "size" (1 to 65536, else 22003) GDIDs of a sequence,
 * of exactly these names, for another server: those of counters start to
 * start + count - 1, fewer than asked for at the end of an era or of the
 * sequence.  "vicinity" is a hint that is not used.  42P01 when there is no such
 * sequence, 22003 when its values are below 1 (those are lost), 55000 when it
 * descends; other
 * errors and waits: those of gid_draw_of_era().
 */
PG_FUNCTION_INFO_V1(gid_authority_block);
Datum
gid_authority_block(PG_FUNCTION_ARGS)
{
	GidReserved reserved;
	TupleDesc	tupdesc;
	Datum		values[4];
	bool		nulls[lengthof(values)] = {false};

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	gid_check_range(&gid_authority_size_range, PG_GETARG_INT32(2));
	gid_page_prevent("gid_authority_block()");

	gid_draw_of_era(gid_arg_sequence(PG_GETARG_TEXT_PP(0), PG_GETARG_TEXT_PP(1)),
					PG_GETARG_INT32(2), &reserved);
	if (reserved.first < 1)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("value %lld of the sequence is out of range for a gdid",
						(long long) reserved.first),
				 errdetail("The range is 1 to %lld.", (long long) PG_INT64_MAX),
				 errhint("Give the sequence a MINVALUE of 1 or more with ALTER SEQUENCE.")));
	values[0] = Int32GetDatum(gid_authority);
	values[1] = Int64GetDatum(reserved.first >> GID_GDID_COUNTER_BITS);
	values[2] = Int64GetDatum(reserved.first & (int64) GID_GDID_MAX_COUNTER);
	values[3] = Int32GetDatum((int32) reserved.count);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}

/*
 * The foreign server that generator numbers come from; InvalidOid when they are
 * this server's own.  42704 when it is set and not there.
 */
Oid
gid_authority_decimal_server(void)
{
	if (gid_decimal_authority[0] == '\0')
		return InvalidOid;
	return get_foreign_server_oid(linitial(gid_authority_names(gid_decimal_authority)), false);
}

/* Is an answer a generator number? */
static bool
gid_authority_is_generator(const GidQuestion *question, const int64 *answer)
{
	return answer[0] >= 0 && answer[0] <= GID_DECIMAL_MAX_GENERATOR;
}

/*
 * Fetch a new generator number of a launch from that server, as the role.
 * 08001 when it does not answer; waits and other errors: those of
 * gid_remote_ask().
 */
int32
gid_authority_fetch_generator(Oid owner, int32 launch)
{
	int64		generator;
	StringInfoData said;
	GidQuestion question = {
		.owner = owner,
		.ncolumns = 1,
		.is_answer = gid_authority_is_generator,
	};

	initStringInfo(&said);
	question.call = psprintf("gid_authority_generator(%d::pg_catalog.int4)", launch);
	if (!gid_remote_ask(gid_authority_names(gid_decimal_authority), &question, true,
						&generator, &said))
		gid_authority_raise_silence(psprintf("a generator number of launch %d", launch),
									said.data);
	return (int32) generator;
}
