/*-------------------------------------------------------------------------
 *
 * sequence/open.c
 *		Opening a sequence, with all that the catalog says of it.
 *
 * State: the lock that nextval() takes, held until the end of the transaction;
 * gid_open_changes.
 *
 * Invariants:
 * 1. While the sequence is locked no other session drops it or alters its
 *	  parameters or its file.
 * 2. The lock belongs to the top transaction.  The rollback of a
 *	  subtransaction does not release it, because the values that were drawn
 *	  stay drawn.
 * 3. A sequence that does not survive a crash is refused.
 * 4. The catalog is read after the lock was taken and after all invalidations
 *	  were accepted.  So all backends read the same key at the same time, but
 *	  for a change of the database's row that commits in between.
 *
 * The backend may wait for the lock, interruptibly.  An error leaves the lock,
 * if it was taken, until the end of the transaction.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_sequence.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/syscache.h"

#include "attach/backend_slot.h"
#include "base/compat.h"
#include "sequence/open.h"

/*
 * Counts the changes that this backend has noticed of sequences, roles and
 * grants (sequence/known.c).  What was read of the catalog while the count
 * stayed the same goes together.
 */
uint64		gid_open_changes = 0;

/* Fill in the parameters that a row of pg_sequence has. */
void
gid_open_parameters(Form_pg_sequence form, GidSequence *seq)
{
	memset(seq, 0, sizeof(*seq));
	seq->increment = form->seqincrement;
	seq->min_value = form->seqmin;
	seq->max_value = form->seqmax;
	seq->cycle = form->seqcycle;
	seq->cache = form->seqcache;
}

/*
 * Fill in what the catalog says of a sequence: its key and its parameters.
 * The relation is open.
 */
void
gid_open_read(Relation rel, GidOpenSequence *open)
{
	uint64		changes = gid_open_changes;
	HeapTuple	tuple = SearchSysCache1(SEQRELID, ObjectIdGetDatum(RelationGetRelid(rel)));
	HeapTuple	database = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for sequence %u", RelationGetRelid(rel));
	if (!HeapTupleIsValid(database))
		elog(ERROR, "cache lookup failed for database %u", MyDatabaseId);

	memset(open, 0, sizeof(*open));
	open->rel = rel;
	open->changes = changes;
	gid_open_parameters((Form_pg_sequence) GETSTRUCT(tuple), &open->sequence);
	open->key.database = MyDatabaseId;
	open->key.sequence = RelationGetRelid(rel);
	open->key.relfilenumber = gid_relfilenumber(rel);
	open->key.sequence_xmin = HeapTupleHeaderGetRawXmin(tuple->t_data);
	open->key.database_xmin = HeapTupleHeaderGetRawXmin(database->t_data);
	ReleaseSysCache(database);
	ReleaseSysCache(tuple);
}

/*
 * Lock a relation as nextval() does, until the end of the top transaction, and
 * open it.  NULL when there is no such relation any more.
 */
Relation
gid_open_relation(Oid sequence)
{
	ResourceOwner owner = CurrentResourceOwner;

	CurrentResourceOwner = TopTransactionResourceOwner;
	LockRelationOid(sequence, RowExclusiveLock);
	CurrentResourceOwner = owner;

	/* a lock that this transaction already had accepts no invalidations */
	AcceptInvalidationMessages();
	return try_relation_open(sequence, NoLock);
}

/*
 * Open a sequence under the lock that nextval() takes.  The lock is held until
 * the end of the top transaction, also when a subtransaction in between is
 * rolled back.  May wait for the lock.
 * Returns false when there is no such relation any more.  Raises 42809 when
 * the relation is not a sequence, 0A000 when it is temporary or unlogged.
 */
bool
gid_open_sequence(Oid sequence, GidOpenSequence *open)
{
	Relation	rel = gid_open_relation(sequence);

	if (rel == NULL)
		return false;
	if (rel->rd_rel->relkind != RELKIND_SEQUENCE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a sequence",
						RelationGetRelationName(rel)),
				 errdetail("Durable ids are drawn from a sequence."),
				 errhint("Name a sequence, or create one with CREATE SEQUENCE.")));
	if (rel->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot draw ids from sequence \"%s\"",
						RelationGetRelationName(rel)),
				 errdetail("A temporary or unlogged sequence does not survive a crash, so its values would come twice."),
				 errhint("Use ALTER SEQUENCE ... SET LOGGED, or a permanent sequence.")));
	gid_open_read(rel, open);
	return true;
}

/*
 * gid_open_sequence() for a role that needs one of the rights in "mode" on the
 * sequence.  Raises 42501 with the hint when the role has none of them, 42P01
 * when there is no such sequence.  Attaches to the shared memory: a backend's
 * first draw comes here, or to gid_open_served().
 */
void
gid_open_for(Oid sequence, AclMode mode, const char *hint, GidOpenSequence *open)
{
	(void) gid_slot_mine();
	if (!gid_open_sequence(sequence, open))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("sequence with OID %u does not exist", sequence),
				 errdetail("It was dropped, or there never was one."),
				 errhint("Name a sequence that exists.")));
	if (pg_class_aclcheck(sequence, GetUserId(), mode) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for sequence %s",
						RelationGetRelationName(open->rel)),
				 errdetail("The current role is \"%s\".", GetUserNameFromId(GetUserId(), false)),
				 errhint("%s", hint)));
}

/*
 * Open a sequence in the place of nextval() or setval().  Returns false, with
 * the sequence locked, where gid does not draw from the relation or, if the
 * privilege is to be "checked", the role may not.  Attaches to the shared
 * memory.
 */
bool
gid_open_served(Oid sequence, bool checked, GidOpenSequence *open)
{
	Relation	rel;

	(void) gid_slot_mine();
	rel = gid_open_relation(sequence);
	if (rel == NULL)
		return false;
	if (rel->rd_rel->relkind == RELKIND_SEQUENCE &&
		rel->rd_rel->relpersistence == RELPERSISTENCE_PERMANENT)
	{
		/* first, so that a change during the check is noticed */
		gid_open_read(rel, open);
		open->is_served = true;
		if (!checked || pg_class_aclcheck(sequence, GetUserId(),
										  ACL_USAGE | ACL_UPDATE) == ACLCHECK_OK)
			return true;
	}
	relation_close(rel, NoLock);
	return false;
}
