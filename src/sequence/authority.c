/*-------------------------------------------------------------------------
 *
 * sequence/authority.c
 *		Blocks from other servers: of GDIDs, and generator numbers.
 *
 * If gid.authorities is set, this server draws its GDIDs from blocks that an
 * authority has reserved: it calls gid.authority_block() on the first server
 * of the list that answers.  If gid.decimal_authority is set, generator
 * numbers of DecimalIds come from gid.authority_generator() there.
 *
 * One session at a time asks for a sequence, under a heavyweight lock, and
 * reads the entry again before it asks.  So sessions that need the same
 * block ask once.  The wait for that lock is interruptible, and PostgreSQL
 * releases it after an error.
 *
 * State: none.  The authority has the sequence.  An answer is kept here as a
 * block (sequence/block.c).  The authority answers when its reservation has
 * passed its gate, so a lost answer loses a block, and no block is issued
 * twice.
 *
 * The privileges of the sequence here decide who may draw.  The superuser who
 * sets the URIs decides which servers are asked, and as which user.
 *
 * Crash, restart of this server: what was fetched and not drawn is lost.
 * Crash, promotion of the authority: as for any sequence there.
 *
 * References: azist's GDID authorities, GdidAuthorityService.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "base/settings.h"
#include "layout/decimal_id.h"
#include "layout/gdid.h"
#include "peer/ask.h"
#include "sequence/draw.h"

/* The largest era of a value that a bigint sequence can have. */
#define GID_AUTHORITY_MAX_ERA	(PG_INT64_MAX >> GID_GDID_COUNTER_BITS)

/*
 * Get the right to ask another server for a sequence.  Returns false if
 * another session has it and the caller does not "wait".  The wait is
 * interruptible.  The right ends with gid_authority_unlock(), or with the
 * subtransaction.  No other code takes this lock.
 */
bool
gid_authority_lock(Oid sequence, bool wait)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, RelationRelationId, sequence, 0);
	return LockAcquire(&tag, ExclusiveLock, false, !wait) != LOCKACQUIRE_NOT_AVAIL;
}

/* Release the right that gid_authority_lock() got. */
void
gid_authority_unlock(Oid sequence)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, RelationRelationId, sequence, 0);
	(void) LockRelease(&tag, ExclusiveLock, false);
}

/* ---- blocks of GDIDs ---- */

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
 * false.  Waits and other errors: those of gid_ask().
 */
static bool
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
 * Reserve the next block of an entry, if it is due: see GidSupply.  A block
 * ahead is not fetched where another session asks already, or no authority
 * answers.  Errors and other waits: those of gid_authority_fetch().
 */
static bool
gid_authority_reserve(GidOpenSequence *open, bool needed)
{
	GidBlockSize size = gid_page_block_size(open, GID_RESERVE_LASTS_FETCHED_US, needed);
	GidReserved reserved;
	GidNewBlock block = {.increment = 1,.is_ahead = !needed};
	bool		waits = !gid_authority_lock(open->key.sequence, false);
	int64		count;

	if (waits && !needed)
		return false;
	if (waits)
		(void) gid_authority_lock(open->key.sequence, true);
	count = gid_block_due(open->entry, open->owner, &size);
	if (count > 0 &&
		gid_authority_fetch(open->rel, count, needed, &reserved, &block.issuer))
	{
		block.first = reserved.first;
		block.count = reserved.count;
		gid_block_set_next(open->entry, open->owner, &block);
	}
	gid_authority_unlock(open->key.sequence);
	return waits;
}

const GidSupply gid_authority_supply = {.reserve = gid_authority_reserve};

/*
 * Fetch exactly "count" (1 to GID_MAX_BLOCK_SIZE) values of one authority, as
 * gid_draw_batch() reserves them here.  At the end of an era an answer may
 * have fewer; the next answer then begins the next era.  Raises 2200H when the
 * authority does not have that many, and the errors of gid_draw_open().  Waits
 * and other errors: those of gid_authority_fetch().
 */
void
gid_authority_batch(Oid sequence, int64 count, GidBatch *batch)
{
	GidOpenSequence open;
	int			tries = 3;

	gid_draw_open(sequence, GetUserId(), ACL_USAGE | ACL_UPDATE, &open);
	batch->increment = 1;
	do
	{
		if (tries-- == 0)
			ereport(ERROR,
					(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
					 errmsg("authority %u does not have %lld consecutive values left",
							batch->issuer - 1, (long long) count),
					 errdetail("The values that the authority gave are lost."),
					 errhint("Ask for fewer values at a time, or give the authority's sequence a wider range.")));
		(void) gid_authority_fetch(open.rel, count, true, &batch->values, &batch->issuer);
	} while (batch->values.count != count);
	relation_close(open.rel, NoLock);
}

/* ---- generator numbers ---- */

/* Is an answer a generator number? */
static bool
gid_authority_is_generator(const GidQuestion *question, const int64 *numbers)
{
	return numbers[0] >= 0 && numbers[0] <= GID_DECIMAL_MAX_GENERATOR;
}

/*
 * Fetch a new generator number of a launch, 0 to 99999.  Raises 08001 when the
 * server of gid.decimal_authority does not answer.  Waits and other errors:
 * those of gid_ask().
 */
int32
gid_authority_fetch_generator(int32 launch)
{
	int64		generator;
	GidSilence	silence;
	GidQuestion question = {
		.call = "gid.authority_generator($1::pg_catalog.int4)",
		.nparams = 1,
		.params = {psprintf("%d", launch)},
		.ncolumns = 1,
		.is_answer = gid_authority_is_generator,
	};

	if (!gid_ask(gid_uri_split(gid_decimal_authority), &question, &generator, &silence))
		ereport(ERROR,
				(errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
				 errmsg("could not get a generator number of launch %d from the authority", launch),
				 errdetail_internal("%s", silence.detail),
				 errhint("%s", silence.hint)));
	return (int32) generator;
}
