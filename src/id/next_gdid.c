/*-------------------------------------------------------------------------
 *
 * id/next_gdid.c
 *		GDIDs drawn from a sequence.
 *
 * A value of a sequence is era * 2^60 + counter, so the sequence itself begins
 * the next era.  The authority is gid.authority or, if gid.authorities is set,
 * that of the server that reserved the value.
 *
 * A GDID stands for one value of one sequence of one authority.  So servers
 * with different authorities never make equal GDIDs of a sequence, unless an
 * administrator gives a server an authority that another server has had.
 *
 * State: none.  sequence/draw.c draws the values and says what holds at a
 * crash, on a standby and under concurrency.
 *
 * References: azist's GDID and its GdidGenerator.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "base/args.h"
#include "base/settings.h"
#include "id/families.h"
#include "layout/gdid.h"
#include "sequence/draw.h"
#include "sequence/fetch.h"

StaticAssertDecl(GID_RESERVE_ERA_BITS == GID_GDID_COUNTER_BITS,
				 "an era's batches end with its counters");

/*
 * Return where GDIDs come from.  For the page *issuer is gid.authority + 1.
 * 55000 when neither setting is set: gid.authority has no default.  A standby
 * needs none, so 25006 and 25000 go first.
 */
static inline GidSource
gid_gdid_source(const char *function, uint32 *issuer)
{
	if (gid_authorities[0] != '\0')
		return GID_SOURCE_AUTHORITIES;
	if (unlikely(gid_authority < 0))
	{
		gid_page_prevent(function);
		gid_setting_raise("gid.authority");
	}
	*issuer = (uint32) gid_authority + 1;
	return GID_SOURCE_PAGE;
}

/* Raise 22003 unless a value is 1 or more. */
static inline void
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

/* Make the GDID of a value.  The authority is issuer - 1. */
static inline Datum
gid_gdid_of_value(int64 value, uint32 issuer)
{
	GidGdid    *gdid;

	gid_gdid_check_value(value);
	gdid = palloc(sizeof(GidGdid));
	gid_gdid_put(gdid, (uint32) ((uint64) value >> GID_GDID_COUNTER_BITS),
				 gid_gdid_make_id(issuer - 1, (uint64) value & GID_GDID_MAX_COUNTER));
	return PointerGetDatum(gdid);
}

static Datum
gid_gdid_draw(Oid sequence, GidSite site)
{
	uint32		issuer = 0;
	GidSource	source = gid_gdid_source("gid_next_gdid()", &issuer);
	GidValue	value = gid_draw(sequence, source, &gid_fetch_supply, site,
								 "gid_next_gdid()", GID_FAMILY_GDID);

	return gid_gdid_of_value(value.value, source == GID_SOURCE_PAGE ? issuer : value.issuer);
}

GID_FUNCTION(gid_next_gdid, gid_gdid_draw(PG_GETARG_OID(0), gid_statement_site(fcinfo)))
GID_FUNCTION(gid_next_gdid_named,
			 gid_gdid_draw(gid_arg_sequence(PG_GETARG_TEXT_PP(0), PG_GETARG_TEXT_PP(1)),
						   gid_statement_site(fcinfo)))

PG_FUNCTION_INFO_V1(gid_next_gdids);
Datum
gid_next_gdids(PG_FUNCTION_ARGS)
{
	FuncCallContext *call;
	GidBatch   *batch;
	int64		value;

	if (SRF_IS_FIRSTCALL())
	{
		uint32		issuer = 0;
		GidSource	source = gid_gdid_source("gid_next_gdids()", &issuer);

		gid_batch_begin(fcinfo, "gid_next_gdids()", source, issuer);
	}
	call = SRF_PERCALL_SETUP();
	batch = gid_batch_next(call, GID_FAMILY_GDID, &value);
	if (batch == NULL)
		SRF_RETURN_DONE(call);
	SRF_RETURN_NEXT(call, gid_gdid_of_value(value, batch->issuer));
}

static const GidRange gid_authority_size_range = {
	"size", 1, GID_MAX_BLOCK_SIZE,
	"Ask for a smaller block, more often."
};

/*
 * Reserve GDIDs for another server.  At the end of an era or of the sequence
 * there are fewer than asked for.  If the values are below 1 they are lost.
 * The argument "vicinity" is not read.
 */
PG_FUNCTION_INFO_V1(gid_authority_block);
Datum
gid_authority_block(PG_FUNCTION_ARGS)
{
	GidReserved reserved;
	Datum		values[4];
	bool		nulls[lengthof(values)] = {false};

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	gid_check_range(&gid_authority_size_range, PG_GETARG_INT32(2));
	gid_page_prevent("gid.authority_block()");
	if (gid_authority < 0)
		gid_setting_raise("gid.authority");

	gid_draw_of_era(gid_arg_sequence(PG_GETARG_TEXT_PP(0), PG_GETARG_TEXT_PP(1)),
					PG_GETARG_INT32(2), &reserved);
	gid_gdid_check_value(reserved.first);
	values[0] = Int32GetDatum(gid_authority);
	values[1] = Int64GetDatum(reserved.first >> GID_GDID_COUNTER_BITS);
	values[2] = Int64GetDatum(reserved.first & (int64) GID_GDID_MAX_COUNTER);
	values[3] = Int32GetDatum((int32) reserved.count);
	return gid_row(fcinfo, values, nulls);
}
