/*-------------------------------------------------------------------------
 *
 * fleet/authority.c
 *		Fetches blocks of GDIDs and generator numbers from other servers.
 *
 * If gid.authorities is set, this server draws its GDIDs from blocks that an
 * authority has reserved.  It calls gid_authority_block() on the first server
 * of the list that answers.  If gid.decimal_authority is set, this server gets
 * the generator numbers of its DecimalIds from gid_authority_generator() on
 * that authority.
 *
 * State: none.  The authority has the sequences.  Answers are kept here as
 * blocks (sequence/block.c) and leases (decimal/lease.c).
 *
 * Invariants:
 * 1. An authority answers when the reservation is on its disk.  So a lost
 *	  answer loses a block, and no block is issued twice.
 * 2. A block belongs to one authority and one era.  The authority's number is
 *	  the one that the authority has, not one that is set here.
 * 3. The privileges of the sequence here decide who may draw.  The superuser
 *	  who sets the URIs decides which servers are asked, and as which user.
 * 4. A refused setting does not count as empty: whoever needs it gets 55000.
 *
 * Crash, restart of this server: what was fetched and not drawn is lost.
 * Crash, promotion of the authority: as for any sequence there.  Clock step:
 * no effect.  Standby: it draws no ids.
 *
 * References: azist's GDID authorities, GdidAuthorityService.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "fleet/ask.h"
#include "fleet/authority.h"
#include "layout/decimal_id.h"
#include "layout/gdid.h"

/* The largest era of a value that a bigint sequence can have. */
#define GID_AUTHORITY_MAX_ERA	(PG_INT64_MAX >> GID_GDID_COUNTER_BITS)

/* Add to an error why no authority has answered. */
static int
gid_authority_explain_silence(const GidSilence *silence)
{
	errdetail_internal("%s", silence->detail);
	return errhint("%s", silence->hint);
}

/* Is an answer a block of at most as many GDIDs as were asked for? */
static bool
gid_authority_is_block(const GidQuestion *question, const int64 *numbers)
{
	int64		authority = numbers[0];
	int64		era = numbers[1];
	int64		start = numbers[2];
	int64		count = numbers[3];

	return authority >= 0 && authority <= (int64) GID_GDID_MAX_AUTHORITY &&
		era >= 0 && era <= GID_AUTHORITY_MAX_ERA &&
		count >= 1 && count <= question->count &&
		start >= (era == 0 ? 1 : 0) &&
		start <= (int64) GID_GDID_MAX_COUNTER - count + 1;
}

/*
 * Fetch a block of up to "count" (1 or more) values of a sequence, which is
 * open here, from the first authority that answers.  The issuer is the
 * authority's number plus 1.  If no authority answers: 08001 if "needed", else
 * false.  Raises 55000 when the setting was refused.  Waits and other errors:
 * those of gid_ask().
 */
static bool
gid_authority_fetch(Relation sequence, int64 count, bool needed,
					GidReserved *reserved, uint32 *issuer)
{
	char	   *scope = get_namespace_name(RelationGetNamespace(sequence));
	int64		numbers[4];
	GidSilence	silence;
	GidQuestion question = {
		.call = "gid_authority_block($1::pg_catalog.text, $2::pg_catalog.text,"
		" $3::pg_catalog.int4, NULL::pg_catalog.int8)",
		.nparams = 3,
		.params = {scope, RelationGetRelationName(sequence)},
		.ncolumns = lengthof(numbers),
		.count = Min(count, GID_MAX_BLOCK_SIZE),
		.is_answer = gid_authority_is_block,
	};

	(void) gid_setting_names_servers(gid_authorities, "gid.authorities");
	question.params[2] = psprintf("%lld", (long long) question.count);
	if (!gid_ask(gid_uri_split(gid_authorities), &question, numbers, &silence))
	{
		if (needed)
			ereport(ERROR,
					(errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
					 errmsg("could not get a block of sequence \"%s.%s\" from any authority",
							scope, RelationGetRelationName(sequence)),
					 gid_authority_explain_silence(&silence)));
		return false;
	}

	*issuer = (uint32) numbers[0] + 1;
	reserved->first = numbers[1] << GID_GDID_COUNTER_BITS | numbers[2];
	reserved->count = numbers[3];
	reserved->last = reserved->first + (reserved->count - 1);
	return true;
}

/*
 * Fetch exactly "count" (1 to GID_MAX_BLOCK_SIZE) values of one authority.  At
 * the end of an era an answer may have fewer; the next answer then begins the
 * next era.  Raises 2200H when the authority does not have that many.  Waits
 * and other errors: those of gid_authority_fetch().
 */
static void
gid_authority_fetch_all(Relation sequence, int64 count,
						GidReserved *reserved, uint32 *issuer)
{
	for (int tries = 0; tries < 3; tries++)
	{
		(void) gid_authority_fetch(sequence, count, true, reserved, issuer);
		if (reserved->count == count)
			return;
	}
	ereport(ERROR,
			(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
			 errmsg("authority %u does not have %lld consecutive values left", *issuer - 1,
					(long long) count),
			 errdetail("The values that the authority gave are lost."),
			 errhint("Ask for fewer values at a time, or give the authority's sequence a wider range.")));
}

const GidSupplier gid_authority_supplier = {
	.reserve = gid_authority_fetch,
	.reserve_all = gid_authority_fetch_all,
};

/*
 * Return the source of generator numbers: 0 for this server, else a hash of
 * the authority's name.  URIs of one authority with other users have the same
 * source.  Raises 55000 when the setting was refused.  Does not wait.
 */
uint32
gid_authority_decimal_source(void)
{
	const char *name;

	if (!gid_setting_names_servers(gid_decimal_authority, "gid.decimal_authority"))
		return 0;
	name = gid_uri_parse(linitial(gid_uri_split(gid_decimal_authority)))->name;
	return hash_bytes((const unsigned char *) name, strlen(name)) | 1;
}

/*
 * Return the name of the authority that is a source (not 0), in the caller's
 * memory; or NULL when the setting names another source now.
 */
char *
gid_authority_decimal_name(uint32 source)
{
	if (gid_setting_is_refused(gid_decimal_authority) || source != gid_authority_decimal_source())
		return NULL;
	return gid_uri_parse(linitial(gid_uri_split(gid_decimal_authority)))->name;
}

/* Is an answer a generator number? */
static bool
gid_authority_is_generator(const GidQuestion *question, const int64 *numbers)
{
	return numbers[0] >= 0 && numbers[0] <= GID_DECIMAL_MAX_GENERATOR;
}

/*
 * Fetch a new generator number of a launch (0 to 99999).  Raises 08001 when
 * the authority does not answer.  Waits and other errors: those of gid_ask().
 */
int32
gid_authority_fetch_generator(int32 launch)
{
	int64		generator;
	GidSilence	silence;
	GidQuestion question = {
		.call = "gid_authority_generator($1::pg_catalog.int4)",
		.nparams = 1,
		.params = {psprintf("%d", launch)},
		.ncolumns = 1,
		.is_answer = gid_authority_is_generator,
	};

	if (!gid_ask(gid_uri_split(gid_decimal_authority), &question, &generator, &silence))
		ereport(ERROR,
				(errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
				 errmsg("could not get a generator number of launch %d from the authority", launch),
				 gid_authority_explain_silence(&silence)));
	return (int32) generator;
}
