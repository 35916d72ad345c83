/*-------------------------------------------------------------------------
 *
 * sequence/generator.c
 *		Generator numbers of DecimalIds.
 *
 * The server reserves one generator number for a database and launch, and all
 * backends take its counters from one block (sequence/block.c): the values
 * counter * 10^10 + generator * 10^5 + launch are the ids.  So a server uses
 * one number a start and launch, or one for 922 million ids.
 *
 * The numbers come from the sequence gid.decimal_generator, whose values are
 * launch * 10^5 + generator.  These only grow, so a number is reserved once,
 * and the first number of a launch puts every lower launch out of use.  If
 * gid.decimal_authority is set, numbers come from that server, and the launch
 * is closed on the sequence here.
 *
 * State: none but the blocks, and whether this session was warned.
 *
 * A crash or a restart loses the block, and the next one has another number.
 * A standby reserves nothing.
 *
 * References: DecimalId in actoromicon, chapter "ID generation".
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "base/extension.h"
#include "base/settings.h"
#include "layout/decimal_id.h"
#include "sequence/fetch.h"
#include "sequence/gate.h"
#include "sequence/generator.h"

/* The sequence of the generator numbers, in the schema "gid". */
#define GID_GENERATOR_SEQUENCE	"decimal_generator"

/* The last value of the sequence: launch 99999, generator 99999. */
#define GID_GENERATOR_LAST_VALUE \
	(GID_DECIMAL_MAX_LAUNCH * GID_DECIMAL_LAUNCH_STEP + GID_DECIMAL_MAX_GENERATOR)

/* The sequence of this database.  Raises 42P01 when there is none. */
Oid
gid_generator_sequence(void)
{
	Oid			sequence = gid_extension_relation(GID_GENERATOR_SEQUENCE);

	if (!OidIsValid(sequence))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("sequence \"gid.%s\" does not exist", GID_GENERATOR_SEQUENCE),
				 errdetail("The sequence belongs to the extension gid and keeps the generator numbers of DecimalIds."),
				 errhint("If the schema \"gid\" or the sequence was taken out of the extension, add it again.")));
	return sequence;
}

/* Raise 55000 if the sequence has reached a greater launch. */
static void
gid_generator_check_launch(int64 last_value, int32 launch)
{
	int64		used = last_value / GID_DECIMAL_LAUNCH_STEP;

	if (used > launch)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("launch %d is behind launch %lld", launch, (long long) used),
				 errdetail("This database has made DecimalIds of launch %lld, so generator numbers of launch %d may have been used.",
						   (long long) used, launch),
				 errhint("Set gid.launch_id to %lld or more.", (long long) used)));
}

/*
 * Raise 55000 if the sequence may have given numbers of its own in a launch,
 * so that it is neither before the launch nor at its end.
 */
static void
gid_generator_check_begun(const GidSequence *seq, int32 launch)
{
	int64		first = launch * GID_DECIMAL_LAUNCH_STEP;
	int64		end = first + GID_DECIMAL_MAX_GENERATOR;
	bool		fresh = seq->last_value < first || (seq->last_value == first && !seq->is_called);
	bool		closed = seq->last_value > end || (seq->last_value == end && seq->is_called);

	if (fresh || closed)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("launch %d was begun without gid.decimal_authority", launch),
			 errdetail("This database has made DecimalIds of the launch under generator numbers of its own, which the authority may give again."),
			 errhint("Set gid.launch_id to a greater number, on every server of the launch.")));
}

/*
 * Reserve a new number of a launch (GID_REQUEST_WITHIN), or all of its numbers
 * (GID_REQUEST_WHOLE), on the page.  Returns the number, or -1 when not all
 * are left.  open->sequence is the sequence as it was before, *lsn the end of
 * the record.  Raises 55000 when the sequence cannot keep numbers, or the
 * running transaction has altered it: its rollback would give numbers back.
 * Raises 2200H when no number is left.
 */
static int32
gid_generator_take(GidOpenSequence *open, GidRequestKind kind, XLogRecPtr *lsn)
{
	int32		launch = gid_source_launch(open->key.source);
	int64		first = launch * GID_DECIMAL_LAUNCH_STEP;
	GidRequest	request = {
		.kind = kind,
		.count = 1,
		.floor = first,
		.ceiling = first + GID_DECIMAL_MAX_GENERATOR,
	};
	GidReserved reserved;

	if (gid_relation_was_rewritten(open->rel))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("sequence \"%s\" was altered in this transaction",
						RelationGetRelationName(open->rel)),
				 errdetail("A rollback would give back the generator number of the ids."),
				 errhint("Commit the change of the sequence first.")));
	gid_page_describe(open);
	if (open->sequence.increment < 1 || open->sequence.cycle ||
		open->sequence.max_value < GID_GENERATOR_LAST_VALUE)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("sequence \"%s\" was altered and cannot keep generator numbers",
						RelationGetRelationName(open->rel)),
				 errdetail("The sequence has to ascend without a cycle, up to %lld.",
						   (long long) GID_GENERATOR_LAST_VALUE),
				 errhint("Use ALTER SEQUENCE ... INCREMENT 1 MAXVALUE %lld NO CYCLE.",
						 (long long) GID_GENERATOR_LAST_VALUE)));
	if (gid_page_reserve(open, &request, NULL, &reserved, lsn) == GID_PAGE_RESERVED)
		return (int32) (reserved.first - first);
	gid_generator_check_launch(open->sequence.last_value, launch);
	if (kind == GID_REQUEST_WITHIN)
		ereport(ERROR,
				(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
				 errmsg("generator numbers of launch %d are used up", launch),
				 errdetail("A launch has generator numbers 0 to %d. The launch also ends when it uses a number of a gid.decimal_authority.",
						   GID_DECIMAL_MAX_GENERATOR),
				 errhint("Set gid.launch_id to a greater number.")));
	return -1;
}

/*
 * Fetch a number from the authority, and close the launch here: put the
 * sequence at the launch's end.  So this server reserves no number of its own
 * in that launch later.  *lsn is the end of the record that did so.  Raises
 * 55000 if the launch was begun here.
 */
static int32
gid_generator_fetch(GidOpenSequence *open, XLogRecPtr *lsn)
{
	int32		launch = gid_source_launch(open->key.source);
	int32		generator;

	(void) gid_page_revalidate(open);
	gid_generator_check_begun(&open->sequence, launch);
	generator = gid_fetch_generator(launch);
	if (gid_generator_take(open, GID_REQUEST_WHOLE, lsn) < 0)
	{
		/* it was closed before */
		gid_generator_check_begun(&open->sequence, launch);
		*lsn = gid_page_revalidate(open);
	}
	return generator;
}

/*
 * A statement begins to draw from a launch.  A record of others on the page
 * ends its block: a setval(), or another database under an old number.
 *
 * WARNING, once in a session, when a later launch has begun, so that a launch
 * typed too high shows itself at once.  This session goes on in the block of
 * its launch, so that a deployment can roll.
 *
 * Raises 55000 if the value of gid.decimal_authority was dropped.
 */
static void
gid_generator_revalidate(GidOpenSequence *open)
{
	static bool warned = false;
	int32		launch = gid_source_launch(open->key.source);
	int64		begun;
	GidBlockView view;

	gid_setting_need("gid.decimal_authority");
	(void) gid_page_revalidate(open);
	begun = open->sequence.last_value / GID_DECIMAL_LAUNCH_STEP;
	if (begun > launch && !warned && gid_block_view(open->entry, open->tenancy, &view) && view.left > 0)
	{
		warned = true;
		ereport(WARNING,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("launch %d is behind launch %lld", launch, (long long) begun),
				 errdetail("This database has begun launch %lld. Launch %d gets no further generator number, so its ids end with the next start of the server.",
						   (long long) begun, launch),
				 errhint("Set gid.launch_id to %lld or more. If that launch was a mistake, see the manual on DecimalIds.",
						 (long long) begun)));
	}
}

/*
 * Reserve the next generator number of a launch as the next block of an entry,
 * if none is there: see GidSupply.  Nothing is reserved ahead.
 *
 * The page's last record passes the gate before another one is written, so
 * that a server which restarts again and again while a standby is away uses no
 * numbers.  Raises 55000 when the launch is behind, or was begun without the
 * authority, 08001 when the authority does not answer, and the errors of
 * gid_generator_take().  Waits for the gate and for the authority,
 * interruptibly.
 */
static bool
gid_generator_reserve(GidOpenSequence *open, bool needed)
{
	static const GidBlockSize size = {.max = GID_DECIMAL_MAX_COUNTER,.is_needed = true};
	int32		launch = gid_source_launch(open->key.source);
	XLogRecPtr	lsn;
	bool		waits;

	if (!needed)
		return false;
	lsn = gid_page_revalidate(open);
	gid_generator_check_launch(open->sequence.last_value, launch);
	waits = gid_gate(lsn);
	(void) gid_fetch_lock(&open->key, true);
	if (gid_block_due(open->entry, open->tenancy, &size) > 0)
	{
		int32		generator = gid_source_is_fetched(open->key.source) ?
		gid_generator_fetch(open, &lsn) :
		gid_generator_take(open, GID_REQUEST_WITHIN, &lsn);
		GidNewBlock block = {
			.first = gid_decimal_pack(1, generator, launch),
			.increment = GID_DECIMAL_COUNTER_STEP,
			.count = GID_DECIMAL_MAX_COUNTER,
			.lsn = lsn,
		};

		gid_block_set_next(open->entry, open->tenancy, &block);
	}
	gid_fetch_unlock(&open->key);
	return waits;
}

const GidSupply gid_generator_supply = {
	.revalidate = gid_generator_revalidate,
	.reserve = gid_generator_reserve,
};

/*
 * Reserve a generator number of a launch (0 to 99999) for another server, and
 * return the number.  Waits and errors: those of gid_draw_open() and
 * gid_generator_reserve().
 */
int32
gid_generator_reserve_for_other(int32 launch)
{
	GidOpenSequence open;
	XLogRecPtr	lsn;
	int32		generator;

	gid_draw_open(gid_generator_sequence(), InvalidOid, ACL_NO_RIGHTS, &open);
	open.key.source = gid_source_of_launch(launch, false);
	(void) gid_gate(gid_page_revalidate(&open));
	generator = gid_generator_take(&open, GID_REQUEST_WITHIN, &lsn);
	(void) gid_gate(lsn);
	relation_close(open.rel, NoLock);
	return generator;
}
