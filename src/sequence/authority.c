/*-------------------------------------------------------------------------
 *
 * sequence/authority.c
 *		Fetches values of a sequence from other servers.
 *
 * If gid.authorities is set, this server draws its GDIDs from blocks that an
 * authority has reserved.  It calls gid.authority_block() on the first server
 * of the list that answers.
 *
 * State: none.  The authority has the sequence.  An answer is kept here as a
 * block (sequence/block.c).
 *
 * Invariants:
 * 1. An authority answers when the reservation is on its disk.  So a lost
 *	  answer loses a block, and no block is issued twice.
 * 2. A block belongs to one authority and one era.  The authority itself says
 *	  its number; this server has no setting for it.
 * 3. The privileges of the sequence here decide who may draw.  The superuser
 *	  who sets the URIs decides which servers are asked, and as which user.
 * 4. A refused setting does not count as empty: a call that needs it fails
 *	  with 55000.
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

#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "base/settings.h"
#include "layout/gdid.h"
#include "peer/ask.h"
#include "sequence/authority.h"

/* The largest era of a value that a bigint sequence can have. */
#define GID_AUTHORITY_MAX_ERA	(PG_INT64_MAX >> GID_GDID_COUNTER_BITS)

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
bool
gid_authority_fetch(Relation sequence, int64 count, bool needed,
					GidReserved *reserved, uint32 *issuer)
{
	char	   *scope = get_namespace_name(RelationGetNamespace(sequence));
	int64		numbers[4];
	GidSilence	silence;
	GidQuestion question = {
		.call = "gid.authority_block($1::pg_catalog.text, $2::pg_catalog.text,"
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
					 gid_ask_details(&silence)));
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
void
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
