/*-------------------------------------------------------------------------
 *
 * sequence/fetch.c
 *		Fetches what other servers reserve: blocks of GDIDs, generator numbers.
 *
 * If gid.authorities is set, this server draws its GDIDs from blocks that an
 * authority has reserved: it calls gid.authority_block() on the first server
 * of the list that answers.  If gid.decimal_authority is set, generator
 * numbers of DecimalIds come from gid.authority_generator() there.
 *
 * One process at a time asks for a sequence, under a heavyweight lock, and
 * reads the entry again before it asks.  So sessions that need the same
 * block ask once.  The wait for that lock is interruptible, and PostgreSQL
 * releases it after an error.  From the low-water mark on the process is an
 * errand (peer/errand.c), so no session waits while values are left.
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
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "base/settings.h"
#include "clock/server_time.h"
#include "layout/decimal_id.h"
#include "layout/gdid.h"
#include "peer/ask.h"
#include "peer/libpq.h"
#include "sequence/block_table.h"
#include "sequence/fetch.h"

extern PGDLLEXPORT void gid_fetch_errand(Datum argument);

/* A caller waits so long for others that ask in vain, as for one server. */
#define GID_FETCH_PATIENCE_US	(2 * GID_US_PER_S)

/* The largest era of a value that a bigint sequence can have. */
#define GID_FETCH_MAX_ERA	(PG_INT64_MAX >> GID_GDID_COUNTER_BITS)

/*
 * Get the right to ask another server for a sequence.  Returns false if
 * another process has it and the caller does not "wait".  The wait is
 * interruptible.  The right ends with gid_fetch_unlock(), or with the
 * subtransaction.  No other code takes this lock.
 */
bool
gid_fetch_lock(const GidBlockKey *key, bool wait)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, key->database, RelationRelationId, key->sequence, 0);
	return LockAcquire(&tag, ExclusiveLock, false, !wait) != LOCKACQUIRE_NOT_AVAIL;
}

/* Release the right that gid_fetch_lock() got. */
void
gid_fetch_unlock(const GidBlockKey *key)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, key->database, RelationRelationId, key->sequence, 0);
	(void) LockRelease(&tag, ExclusiveLock, false);
}

/* ---- blocks of GDIDs ---- */

/* Is an answer a block of at most as many GDIDs as were asked for? */
static bool
gid_fetch_is_block(const GidQuestion *question, const int64 *numbers)
{
	int64		authority = numbers[0];
	int64		era = numbers[1];
	int64		start = numbers[2];
	int64		count = numbers[3];

	return authority >= 0 && authority <= (int64) GID_GDID_MAX_AUTHORITY &&
		era >= 0 && era <= GID_FETCH_MAX_ERA &&
		count >= 1 && count <= question->count &&
		start >= (era == 0 ? 1 : 0) &&
		start <= (int64) GID_GDID_MAX_COUNTER - count + 1;
}

/* What other servers are asked for, as a session or an errand asks. */
typedef struct GidFetchQuestion
{
	GidBlockKey key;			/* of the entry that gets the block */
	GidBlockSize size;
	int			encoding;		/* of the names */
	NameData	scope;
	NameData	sequence;
	char		uris[FLEXIBLE_ARRAY_MEMBER];	/* those of the session */
} GidFetchQuestion;

/* Make the question for an open sequence, *length bytes. */
static GidFetchQuestion *
gid_fetch_question(GidOpenSequence *open, bool needed, Size *length)
{
	GidFetchQuestion *question;

	*length = offsetof(GidFetchQuestion, uris) + strlen(gid_authorities) + 1;
	question = palloc(*length);
	gid_page_describe(open);
	question->key = open->key;
	question->size = gid_page_block_size(open, GID_RESERVE_LASTS_FETCHED_US, needed);
	question->encoding = GetDatabaseEncoding();
	namestrcpy(&question->scope, get_namespace_name(RelationGetNamespace(open->rel)));
	namestrcpy(&question->sequence, RelationGetRelationName(open->rel));
	strcpy(question->uris, gid_authorities);
	return question;
}

/*
 * Fetch up to "count" (1 or more) values from the first authority that
 * answers.  The issuer is the authority's number plus 1.  Returns false if no
 * authority answers.  Waits and errors: those of gid_ask().
 */
static bool
gid_fetch_values(const GidFetchQuestion *asked, int64 count,
				 GidReserved *reserved, uint32 *issuer, GidSilence *silence)
{
	int64		numbers[4];
	GidQuestion question = {
		.call = "gid.authority_block($1::pg_catalog.text, $2::pg_catalog.text,"
		" $3::pg_catalog.int4, NULL::pg_catalog.int8)",
		.nparams = 3,
		.params = {NameStr(asked->scope), NameStr(asked->sequence)},
		.ncolumns = lengthof(numbers),
		.count = Min(count, GID_MAX_BLOCK_SIZE),
		.is_answer = gid_fetch_is_block,
	};

	question.params[2] = psprintf("%lld", (long long) question.count);
	if (!gid_ask(gid_uri_split(asked->uris), &question, numbers, silence))
		return false;
	*issuer = (uint32) numbers[0] + 1;
	reserved->first = numbers[1] << GID_GDID_COUNTER_BITS | numbers[2];
	reserved->count = numbers[3];
	reserved->last = reserved->first + (reserved->count - 1);
	return true;
}

/* Raise 08001: no authority has answered. */
static void
gid_fetch_raise(const GidFetchQuestion *asked, const GidSilence *silence)
{
	ereport(ERROR,
			(errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
			 errmsg("could not get a block of sequence \"%s.%s\" from any authority",
					NameStr(asked->scope), NameStr(asked->sequence)),
			 gid_ask_details(silence)));
}

/*
 * Fetch the next block of an entry, unless another process has.  The caller
 * has the right to ask.  Returns and waits as gid_fetch_values().
 */
static bool
gid_fetch_block(const GidFetchQuestion *asked, GidEntry *entry, uint64 tenancy,
				GidSilence *silence)
{
	GidReserved reserved;
	GidNewBlock block = {.increment = 1};
	GidBlockView view;
	int64		count = gid_block_due(entry, tenancy, &asked->size);

	if (count == 0)
		return true;
	if (!gid_fetch_values(asked, count, &reserved, &block.issuer, silence))
		return false;
	block.first = reserved.first;
	block.count = reserved.count;
	/* an errand may come back when no value is left */
	block.is_ahead = gid_block_view(entry, tenancy, &view) && view.left > 0;
	gid_block_set_next(entry, tenancy, &block);
	return true;
}

/*
 * Start an errand that fetches the next block of an open sequence, if it is
 * due and the server has a worker and a segment for it.
 */
static void
gid_fetch_send(GidOpenSequence *open)
{
	GidFetchQuestion *asked;
	dsm_handle	handle;
	Size		length;

	if (!IsUnderPostmaster || !gid_block_errand_is_due(open->entry, open->tenancy))
		return;
	asked = gid_fetch_question(open, false, &length);
	handle = gid_errand_pack(asked, length);
	gid_errand_unpin(gid_block_errand_send(open->entry, open->tenancy, handle));
	if ((handle != DSM_HANDLE_INVALID && gid_errand_start("gid_fetch_errand", handle)) ||
		!gid_block_errand_take(open->entry, handle))
		return;
	gid_errand_unpin(handle);
	(void) gid_block_errand_fail(open->entry, open->tenancy, false);
}

/* The errand: what its background worker does. */
void
gid_fetch_errand(Datum argument)
{
	dsm_handle	handle = DatumGetUInt32(argument);
	GidFetchQuestion *asked;
	GidEntry   *entry = NULL;
	uint64		tenancy;
	GidSilence	silence;

	gid_errand_begin();
	asked = gid_errand_unpack(handle);
	if (asked != NULL)
		entry = gid_block_table_find(&asked->key, &tenancy);
	if (entry != NULL && gid_block_errand_take(entry, handle))
	{
		gid_errand_unpin(handle);
		/* libpq tells other servers the encoding of the names */
		SetDatabaseEncoding(asked->encoding);
		asked->size.now_us = gid_time_monotonic_us();
		if (gid_fetch_lock(&asked->key, false) &&
			!gid_fetch_block(asked, entry, tenancy, &silence) &&
			gid_block_errand_fail(entry, tenancy, true))
			ereport(LOG,
					(errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
					 errmsg("gid: could not get a block of sequence \"%s.%s\" ahead of need",
							NameStr(asked->scope), NameStr(asked->sequence)),
					 errdetail_log("%s", silence.log)));
	}
	gid_errand_end();
}

/*
 * Wait for the right to ask.  Raises 08001 after a long wait in which no block
 * came.  Otherwise the last of many callers would wait for the questions of
 * all of them, where each is answered late and in vain.
 */
static void
gid_fetch_wait(const GidFetchQuestion *asked, const GidOpenSequence *open)
{
	int64		start_us = gid_time_monotonic_us();
	GidSilence	silence = {
		.detail = "Others have asked in the meantime, and got no block.",
		.log = "Others have asked in the meantime, and got no block.",
		.hint = "Try again. The log of this server has what the authorities said.",
	};
	GidBlockView before;
	GidBlockView now;

	(void) gid_block_view(open->entry, open->tenancy, &before);
	(void) gid_fetch_lock(&asked->key, true);
	if (gid_time_monotonic_us() - start_us >= GID_FETCH_PATIENCE_US &&
		gid_block_view(open->entry, open->tenancy, &now) &&
		now.generation == before.generation && !now.has_next)
		gid_fetch_raise(asked, &silence);
}

/*
 * Reserve the next block of an entry, if it is due: see GidSupply.  A caller
 * with no value left asks, or waits for the process that asks already.  Errors
 * and other waits: those of gid_ask().
 */
static bool
gid_fetch_reserve(GidOpenSequence *open, bool needed)
{
	GidFetchQuestion *asked;
	GidSilence	silence;
	Size		length;
	bool		waits;

	if (!needed)
	{
		gid_fetch_send(open);
		return false;
	}
	asked = gid_fetch_question(open, true, &length);
	waits = !gid_fetch_lock(&open->key, false);
	if (waits)
		gid_fetch_wait(asked, open);
	if (!gid_fetch_block(asked, open->entry, open->tenancy, &silence))
		gid_fetch_raise(asked, &silence);
	gid_fetch_unlock(&open->key);
	return waits;
}

const GidSupply gid_fetch_supply = {
	.revalidate = gid_fetch_send,
	.reserve = gid_fetch_reserve,
};

/*
 * Fetch exactly "count" (1 to GID_MAX_BLOCK_SIZE) values of one authority, as
 * gid_draw_batch() reserves them here.  At the end of an era an answer may
 * have fewer; the next answer then begins the next era.  Raises 2200H when the
 * authority does not have that many, and the errors of gid_draw_open().  Waits
 * and other errors: those of gid_fetch_reserve().
 */
void
gid_fetch_batch(Oid sequence, int64 count, GidBatch *batch)
{
	GidOpenSequence open;
	GidFetchQuestion *asked;
	GidSilence	silence;
	Size		length;
	int			tries = 3;

	gid_draw_open(sequence, GetUserId(), ACL_USAGE | ACL_UPDATE, &open);
	asked = gid_fetch_question(&open, true, &length);
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
		if (!gid_fetch_values(asked, count, &batch->values, &batch->issuer, &silence))
			gid_fetch_raise(asked, &silence);
	} while (batch->values.count != count);
	relation_close(open.rel, NoLock);
}

/* ---- generator numbers ---- */

/* Is an answer a generator number? */
static bool
gid_fetch_is_generator(const GidQuestion *question, const int64 *numbers)
{
	return numbers[0] >= 0 && numbers[0] <= GID_DECIMAL_MAX_GENERATOR;
}

/*
 * Fetch a new generator number of a launch, 0 to 99999.  Raises 08001 when the
 * server of gid.decimal_authority does not answer.  Waits and other errors:
 * those of gid_ask().
 */
int32
gid_fetch_generator(int32 launch)
{
	int64		generator;
	GidSilence	silence;
	GidQuestion question = {
		.call = "gid.authority_generator($1::pg_catalog.int4)",
		.nparams = 1,
		.params = {psprintf("%d", launch)},
		.ncolumns = 1,
		.is_answer = gid_fetch_is_generator,
	};

	if (!gid_ask(gid_uri_split(gid_decimal_authority), &question, &generator, &silence))
		ereport(ERROR,
				(errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
				 errmsg("could not get a generator number of launch %d from the authority", launch),
				 gid_ask_details(&silence)));
	return (int32) generator;
}
