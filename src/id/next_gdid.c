/*-------------------------------------------------------------------------
 *
 * id/next_gdid.c
 *		GDIDs drawn from a sequence.
 *
 * The value of a sequence is era * 2^60 + counter, so the next era begins by
 * itself.  The authority is gid.authority; or, where gid.authorities is set,
 * the server that reserved the value.
 *
 * State: none of its own; sequences are drawn from by sequence/draw.c, whose
 * header says what holds at a crash, on a standby and under concurrency.
 *
 * Invariants:
 * 1. A GDID names one value of one sequence of one authority.  So servers with
 *	  different authorities never make equal ones, as long as nobody changes
 *	  an authority to one that another server has had.
 * 2. gid.authority has no default.  Where it is unset this server reserves no
 *	  GDID, neither for itself nor for others.
 *
 * References: azist's GDID and its GdidGenerator.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"

#include "base/args.h"
#include "base/settings.h"
#include "fleet/authority.h"
#include "id/batch.h"
#include "layout/gdid.h"
#include "sequence/draw.h"
#include "sequence/draw_many.h"

StaticAssertDecl(GID_RESERVE_ERA_BITS == GID_GDID_COUNTER_BITS,
				 "an era's batches end with its counters");

/* Raise 22003 for a value that is no counter. */
static void
gid_gdid_check_value(int64 value)
{
	if (likely(value >= 1))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("value %lld of the sequence is out of range for a gdid",
					(long long) value),
			 errdetail("The range is 1 to %lld.", (long long) PG_INT64_MAX),
			 errhint("Give the sequence a MINVALUE of 1 or more with ALTER SEQUENCE.")));
}

/*
 * Where GDIDs come from.  55000 when that is this server and gid.authority is
 * unset, and when a setting that is needed was refused.
 */
static const GidSupplier *
gid_gdid_supplier(void)
{
	if (gid_authorities_set == GID_SETTING_UNSET)
	{
		if (unlikely(gid_authority < 0))
			gid_setting_raise(GID_SETTING_AUTHORITY);
		return NULL;
	}
	if (unlikely(gid_authorities_set < 0))
		gid_setting_raise(GID_SETTING_AUTHORITIES);
	return &gid_authority_supplier;
}

/*
 * The GDID of a value that was checked, and of the authority that issued it:
 * the issuer less 1, or this server.
 */
static Datum
gid_gdid_of_value(int64 value, uint32 issuer)
{
	GidGdid    *gdid = palloc(sizeof(GidGdid));
	uint32		authority = issuer > 0 ? issuer - 1 : (uint32) gid_authority;

	gid_gdid_put(gdid, (uint32) ((uint64) value >> GID_GDID_COUNTER_BITS),
				 gid_gdid_make_id(authority,
								  (uint64) value & GID_GDID_MAX_COUNTER));
	return PointerGetDatum(gdid);
}

/* The next GDID of a sequence, from this server or from the authorities. */
static Datum
gid_gdid_draw(Oid sequence)
{
	GidValue	value = gid_draw(sequence, gid_gdid_supplier(), "gid_next_gdid()",
								 GID_FAMILY_GDID);

	gid_gdid_check_value(value.value);
	return gid_gdid_of_value(value.value, value.issuer);
}

/*
 * gid_next_gdid(seq regclass) -> gdid
 *
 * The next GDID of a sequence.  55000 as gid_gdid_supplier() says, 22003 when
 * its value is below 1; other errors and waits: those of gid_draw().
 */
PG_FUNCTION_INFO_V1(gid_next_gdid);
Datum
gid_next_gdid(PG_FUNCTION_ARGS)
{
	return gid_gdid_draw(PG_GETARG_OID(0));
}

/*
 * gid_next_gdid(scope text, sequence text) -> gdid
 *
 * The same, of the sequence of exactly that name in the schema of exactly that
 * name: see gid_arg_sequence().
 */
PG_FUNCTION_INFO_V1(gid_next_gdid_named);
Datum
gid_next_gdid_named(PG_FUNCTION_ARGS)
{
	return gid_gdid_draw(gid_arg_sequence(PG_GETARG_TEXT_PP(0),
										  PG_GETARG_TEXT_PP(1)));
}

/*
 * gid_next_gdids(seq regclass, count int) -> setof gdid
 *
 * "count" (1 to 65536, else 22023) GDIDs of one authority, of consecutive
 * values of a sequence and one era.  55000 as gid_gdid_supplier() says, 22003
 * when one is below 1; other errors and waits: those of gid_batch_row().
 */
PG_FUNCTION_INFO_V1(gid_next_gdids);
Datum
gid_next_gdids(PG_FUNCTION_ARGS)
{
	static const GidBatchKind kind = {
		.function = "gid_next_gdids()",
		.family = GID_FAMILY_GDID,
		.check = gid_gdid_check_value,
		.id = gid_gdid_of_value,
	};

	return gid_batch_row(fcinfo, gid_gdid_supplier(), &kind);
}

static const GidRange gid_authority_size_range = {
	.name = "size",
	.min = 1,
	.max = GID_MAX_BLOCK_SIZE,
	.hint = "Ask for a smaller block, more often.",
};

/*
 * gid_authority_block(scope text, sequence text, size int, vicinity bigint)
 *		-> (authority int, era bigint, start bigint, count int)
 *
 * Reserve a block of up to "size" (1 to 65536, else 22003) GDIDs of a
 * sequence, of exactly these names, for another server: those of counters
 * start to start + count - 1, fewer than asked for at the end of an era or of
 * the sequence.  "vicinity" is a hint that is not used.  42P01 when there is
 * no such sequence, 22003 when its values are below 1 (those are lost), 55000
 * when it descends or gid.authority is unset; other errors and waits: those of
 * gid_draw_of_era().
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
	if (gid_authority < 0)
		gid_setting_raise(GID_SETTING_AUTHORITY);

	gid_draw_of_era(gid_arg_sequence(PG_GETARG_TEXT_PP(0), PG_GETARG_TEXT_PP(1)),
					PG_GETARG_INT32(2), &reserved);
	gid_gdid_check_value(reserved.first);
	values[0] = Int32GetDatum(gid_authority);
	values[1] = Int64GetDatum(reserved.first >> GID_GDID_COUNTER_BITS);
	values[2] = Int64GetDatum(reserved.first & (int64) GID_GDID_MAX_COUNTER);
	values[3] = Int32GetDatum((int32) reserved.count);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}
