/*-------------------------------------------------------------------------
 *
 * id/decimal_id.c
 *		DecimalIds: counter * 10^10 + generator * 10^5 + launch.
 *
 * An id is greater than all that any session has made of the same database and
 * launch under the same generator number and, as the numbers grow, since the
 * server's start.
 *
 * State: the sequence of the generator numbers, as the last call found it.
 * sequence/generator.c reserves generator numbers, and sequence/draw.c takes
 * the counters of the number in use, which are the ids themselves.
 *
 * Crash and restart: the next number.  On a standby, in a read-only
 * transaction and in a parallel worker no id is made, as with nextval().
 *
 * References: DecimalId in actoromicon, chapter "ID generation".
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "base/args.h"
#include "base/settings.h"
#include "layout/decimal_id.h"
#include "sequence/draw.h"
#include "sequence/generator.h"

static const GidRange gid_decimal_counter_range = {
	"counter", 1, GID_DECIMAL_MAX_COUNTER,
	"The counter of a DecimalId begins at 1 and ends where 63 bits are full."
};

static const GidRange gid_decimal_generator_range = {
	"generator", 0, GID_DECIMAL_MAX_GENERATOR,
	"The generator of a DecimalId has five decimal places."
};

static const GidRange gid_decimal_launch_range = {
	"launch", 0, GID_DECIMAL_MAX_LAUNCH,
	"The launch of a DecimalId has five decimal places."
};

PG_FUNCTION_INFO_V1(gid_decimal_id);
Datum
gid_decimal_id(PG_FUNCTION_ARGS)
{
	/* good while the running transaction has it locked, which draw.c checks */
	static Oid	sequence = InvalidOid;
	GidSite		site = gid_statement_site(fcinfo);
	GidSource	source;
	GidValue	id;

	gid_page_prevent("gid_decimal_id()");
	if (unlikely(gid_launch_id < 0))
		gid_setting_raise("gid.launch_id");
	/* was the setting's value dropped?  gid_generator_revalidate() checks */
	source = gid_source_of_launch(gid_launch_id, gid_decimal_authority[0] != '\0');
	id = gid_draw_again(sequence, source, site, InvalidOid);
	if (unlikely(id.take == GID_BLOCK_NONE))
	{
		sequence = gid_generator_sequence();
		id = gid_draw_slow(sequence, source, &gid_generator_supply, site, InvalidOid, false);
	}
	gid_slot_count(gid_slot, GID_FAMILY_DECIMAL, (uint64) id.value);
	PG_RETURN_INT64(id.value);
}

/* Reserve a generator number of a launch for another server. */
PG_FUNCTION_INFO_V1(gid_authority_generator);
Datum
gid_authority_generator(PG_FUNCTION_ARGS)
{
	int32		launch = PG_GETARG_INT32(0);

	gid_check_range(&gid_decimal_launch_range, launch);
	gid_page_prevent("gid.authority_generator()");

	if (gid_setting_names_servers(gid_decimal_authority, "gid.decimal_authority"))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("this server gives no generator numbers"),
				 errdetail("It gets its own generator numbers from the server that gid.decimal_authority names."),
				 errhint("Call gid.authority_generator() on that server.")));
	PG_RETURN_INT32(gid_generator_reserve_for_other(launch));
}

PG_FUNCTION_INFO_V1(gid_make_decimal_id);
Datum
gid_make_decimal_id(PG_FUNCTION_ARGS)
{
	int32		counter = PG_GETARG_INT32(0);
	int32		generator = PG_GETARG_INT32(1);
	int32		launch = PG_GETARG_INT32(2);

	gid_check_range(&gid_decimal_counter_range, counter);
	gid_check_range(&gid_decimal_generator_range, generator);
	gid_check_range(&gid_decimal_launch_range, launch);
	PG_RETURN_INT64(gid_decimal_pack(counter, generator, launch));
}

GID_EXTRACT_INT(gid_extract_decimal_counter, gid_is_decimal, gid_decimal_counter)
GID_EXTRACT_INT(gid_extract_decimal_generator, gid_is_decimal, gid_decimal_generator)
GID_EXTRACT_INT(gid_extract_decimal_launch, gid_is_decimal, gid_decimal_launch)
