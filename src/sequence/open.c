/*-------------------------------------------------------------------------
 *
 * sequence/open.c
 *		Opening a sequence to draw from it.
 *
 * State: the lock that nextval() takes, held until the end of the transaction.
 *
 * Invariants:
 * 1. While the sequence is locked no other session drops it or alters its
 *	  parameters or its file.
 * 2. The lock belongs to the top transaction.  The rollback of a
 *	  subtransaction does not release it, because the values that were drawn
 *	  stay drawn.
 * 3. A sequence that does not survive a crash is refused.
 *
 * The lock may be waited for, interruptibly.  An error leaves it, if it was
 * taken, until the end of the transaction.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/rel.h"
#include "utils/resowner.h"

#include "attach/backend_slot.h"
#include "sequence/open.h"

/*
 * Open a sequence, with the lock that nextval() takes, held until the end of
 * the top transaction even if a subtransaction in between is rolled back: no
 * other session changes the sequence's parameters or file that long.  May wait
 * for the lock.
 * NULL if there is no such relation any more.  Raises 42809 when it is not a
 * sequence, 0A000 when it is temporary or unlogged.
 */
Relation
gid_open_sequence(Oid sequence)
{
	ResourceOwner owner = CurrentResourceOwner;
	Relation	rel;

	CurrentResourceOwner = TopTransactionResourceOwner;
	LockRelationOid(sequence, RowExclusiveLock);
	CurrentResourceOwner = owner;

	rel = try_relation_open(sequence, NoLock);
	if (rel == NULL)
		return NULL;
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
	return rel;
}

/* Raise 42501 unless the role has one of these rights on a sequence. */
static void
gid_open_check_privilege(Relation sequence, AclMode mode, const char *hint)
{
	if (pg_class_aclcheck(RelationGetRelid(sequence), GetUserId(), mode) == ACLCHECK_OK)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("permission denied for sequence %s",
					RelationGetRelationName(sequence)),
			 errdetail("The current role is \"%s\".", GetUserNameFromId(GetUserId(), false)),
			 errhint("%s", hint)));
}

/*
 * Open a sequence, locked until the end of the transaction, by a role that
 * has one of these rights on it: 42501 with the hint.  42P01 when it is not
 * there.  Every draw passes here, so this attaches to the shared memory.
 */
Relation
gid_open_for(Oid sequence, AclMode mode, const char *hint)
{
	Relation	rel;

	(void) gid_slot_mine();
	rel = gid_open_sequence(sequence);
	if (rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("sequence with OID %u does not exist", sequence),
				 errdetail("It was dropped, or there never was one."),
				 errhint("Name a sequence that exists.")));
	gid_open_check_privilege(rel, mode, hint);
	return rel;
}
