/*-------------------------------------------------------------------------
 *
 * fleet/authority.c
 *		Blocks of GDIDs and generator numbers of other servers.
 *
 * A server whose gid.authorities is set draws its GDIDs from blocks that the
 * first server of the list that answers has reserved, by its
 * gid_authority_block().  One whose gid.decimal_authority is set gets the
 * generator numbers of its DecimalIds from that server's
 * gid_authority_generator().
 *
 * State: none of its own.  The sequences are those of the server that is
 * asked; what it answers is kept as blocks (sequence/block.c) and leases
 * (decimal/lease.c).
 *
 * Invariants:
 * 1. A server answers when the reservation is on its disk.  So an answer that
 *	  is lost loses a block, and no block is given twice.
 * 2. A block is of one authority and one era; the authority is the number that
 *	  the server has, not one that is set here.
 * 3. Who may draw is decided by the privileges of the sequence here.  The
 *	  superuser who sets the URIs decides whom this server asks, and as whom.
 * 4. A setting that was refused is not an empty one: whoever needs it gets
 *	  55000.
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

#include "common/hashfn.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "fleet/ask.h"
#include "fleet/authority.h"
#include "layout/decimal_id.h"
#include "layout/gdid.h"

/* The largest era of a value that a bigint sequence can have. */
#define GID_AUTHORITY_MAX_ERA	(PG_INT64_MAX >> GID_GDID_COUNTER_BITS)

/* Raise 08001: no server has answered. */
static void
gid_authority_raise_silence(const char *message, const GidSilence *silence)
{
	ereport(ERROR,
			(errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
			 errmsg_internal("%s", message),
			 errdetail_internal("%s", silence->detail),
			 errhint("%s", silence->hint)));
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
 * open here, from the first authority that answers.  The issuer is its number
 * and 1.  When none does: 08001 if "needed", else false.  55000 when the
 * setting was refused; waits and other errors: those of gid_ask().
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

	if (gid_authorities_set == GID_SETTING_REFUSED)
		gid_setting_raise(GID_SETTING_AUTHORITIES);
	question.params[2] = psprintf("%lld", (long long) question.count);
	if (!gid_ask(gid_uri_split(gid_authorities), &question, numbers, &silence))
	{
		if (needed)
			gid_authority_raise_silence(psprintf(_("could not get a block of sequence \"%s.%s\" from any authority"),
												 scope, RelationGetRelationName(sequence)),
										&silence);
		return false;
	}

	*issuer = (uint32) numbers[0] + 1;
	reserved->first = numbers[1] << GID_GDID_COUNTER_BITS | numbers[2];
	reserved->count = numbers[3];
	reserved->last = reserved->first + reserved->count - 1;
	return true;
}

/*
 * Fetch exactly "count" (1 to GID_MAX_BLOCK_SIZE) values of one authority.
 * Where an era's end gives fewer, the next answer begins the next era.  2200H
 * when the authority has not so many; waits and other errors: those of
 * gid_authority_fetch().
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
			 errdetail("The values that it gave are lost."),
			 errhint("Ask for fewer at a time, or give its sequence a wider range.")));
}

const GidSupplier gid_authority_supplier = {
	.reserve = gid_authority_fetch,
	.reserve_all = gid_authority_fetch_all,
};

/*
 * Where generator numbers come from: 0 for this server, else a number that
 * differs for every authority, but not for the users and passwords of one.
 * 55000 when the setting was refused.
 */
uint32
gid_authority_decimal_source(void)
{
	const char *name;

	if (gid_decimal_authority_set == GID_SETTING_UNSET)
		return 0;
	if (gid_decimal_authority_set < 0)
		gid_setting_raise(GID_SETTING_DECIMAL_AUTHORITY);
	name = gid_uri_parse(linitial(gid_uri_split(gid_decimal_authority)))->name;
	return hash_bytes((const unsigned char *) name, strlen(name)) | 1;
}

/* The name of a source other than 0, or NULL when it is not the present one. */
char *
gid_authority_decimal_name(uint32 source)
{
	if (gid_decimal_authority_set < 0 || source != gid_authority_decimal_source())
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
 * Fetch a new generator number of a launch.  08001 when the authority does not
 * answer; waits and other errors: those of gid_ask().
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
		gid_authority_raise_silence(psprintf(_("could not get a generator number of launch %d from the authority"),
											 launch), &silence);
	return (int32) generator;
}
