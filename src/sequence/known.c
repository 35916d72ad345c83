/*-------------------------------------------------------------------------
 *
 * sequence/known.c
 *		What a backend knows of the sequences that it draws from.
 *
 * State: a GidDraw for each sequence and source, in this backend's memory;
 * gid_known_last points to that of the last call.
 *
 * Invariants:
 * 1. In each transaction the sequence is locked as by nextval(), and the role
 *	  is checked, before the first value, and when the role has changed.
 * 2. What the transaction itself does to the sequence (DROP, ALTER, TRUNCATE
 *	  ... RESTART IDENTITY, REVOKE, and the rollback of these to a savepoint)
 *	  comes as an invalidation of its relation before the next command.  The
 *	  invalidation removes the GidDraw.
 * 3. The role is checked again as soon as nextval() would find another answer.
 *	  A GRANT or REVOKE on the sequence invalidates its relation.  Everything
 *	  else that matters invalidates one of the caches that initialize_acl() of
 *	  PostgreSQL's acl.c watches: members of roles, roles, and the database
 *	  with its owner.  Such an invalidation is rare, and removes every GidDraw.
 * 4. A sequence's new file has another entry.  So nobody draws from the blocks
 *	  of the old file again, unless the new file is rolled back.  Then the old
 *	  file has been advanced like the new one (sequence/page.c), and its blocks
 *	  were ended.
 * 5. A statement that draws for the first time looks at the sequence's page
 *	  for the record of a setval() or nextval() (sequence/page.c).  A statement
 *	  is one of the client's, or one execution of a plan within it.
 *
 * All of it is gone with the backend.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "miscadmin.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "base/compat.h"
#include "sequence/entry.h"
#include "sequence/known.h"

/* Good for no call: no transaction has the invalid number. */
static GidDraw gid_known_none = {.lxid = InvalidLocalTransactionId};

GidDraw    *gid_known_last = &gid_known_none;

/* The GidDraw of each sequence and source; NULL: none. */
static HTAB *gid_known = NULL;

/* Forget all sequences. */
static void
gid_known_reset(void)
{
	gid_known_last = &gid_known_none;
	if (gid_known != NULL)
		hash_destroy(gid_known);
	gid_known = NULL;
}

/* A relation has changed; InvalidOid: any relation may have. */
static void
gid_known_invalidate(Datum arg, Oid relation)
{
	gid_open_changes++;
	if (!OidIsValid(relation))
		gid_known_reset();
	else if (gid_known != NULL)
	{
		for (uint32 source = 0; source < GID_NSOURCES; source++)
		{
			GidDrawKey	key = {relation, source};

			(void) hash_search(gid_known, &key, HASH_REMOVE, NULL);
		}
		if (gid_known_last->key.sequence == relation)
			gid_known_last = &gid_known_none;
	}
}

/* A role, the members of a role, or a database has changed. */
static void
gid_known_invalidate_role(Datum arg, int cache, uint32 hash)
{
	gid_open_changes++;
	gid_known_reset();
}

/* The GidDraw of a key, or NULL. */
static GidDraw *
gid_known_search(const GidDrawKey *key)
{
	return gid_known == NULL ? NULL : hash_search(gid_known, key, HASH_FIND, NULL);
}

/*
 * Find out what a draw needs to know of a sequence, which is open for the
 * running transaction and role, and keep it for the next calls.  "role" is
 * invalid where no privilege was asked for.  *draw gets a copy, because an
 * invalidation may remove the kept one.  May wait for a
 * claim, interruptibly.
 */
void
gid_known_find(const GidOpenSequence *open, GidSource source, Oid role, GidDraw *draw)
{
	GidDrawKey	key = {open->key.sequence, source};
	GidDraw    *known = gid_known_search(&key);

	if (known != NULL &&
		known->relfilenumber == open->key.relfilenumber &&
		known->owner == pg_atomic_read_u64(&known->entry->owner))
	{
		*draw = *known;
		gid_entry_touch(draw->entry);
	}
	else
	{
		draw->key = key;
		draw->relfilenumber = open->key.relfilenumber;
		draw->entry = gid_entry_find(open, source, true, &draw->owner);
	}
	if (source == GID_SOURCE_PAGE)
		gid_page_look(open->rel, &draw->entry->mark);
	/* the check of the role may have missed a change since it was opened */
	draw->lxid = open->changes == gid_open_changes ? gid_my_lxid() :
		InvalidLocalTransactionId;
	draw->role = role;
	draw->statement = gid_known_statement();

	/* bounded, as the entries are */
	if (gid_known != NULL && hash_get_num_entries(gid_known) >= GID_ENTRIES &&
		gid_known_search(&key) == NULL)
		gid_known_reset();
	if (gid_known == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(GidDrawKey),.entrysize = sizeof(GidDraw)};

		gid_known = hash_create("gid sequences", 16, &control, HASH_ELEM | HASH_BLOBS);
	}
	gid_known_last = hash_search(gid_known, &key, HASH_ENTER, NULL);
	*gid_known_last = *draw;
}

/*
 * Look at the page of a known sequence, because a statement begins to draw.
 * Returns the GidDraw.  Returns NULL when the sequence is to be opened again,
 * because its entry has another owner, or something has changed.
 */
GidDraw *
gid_known_look(GidDraw *known)
{
	GidDraw		draw = *known;	/* an invalidation may remove *known */
	Relation	rel;

	if (draw.owner != pg_atomic_read_u64(&draw.entry->owner))
		return NULL;
	gid_entry_touch(draw.entry);
	rel = relation_open(draw.key.sequence, NoLock);
	gid_page_look(rel, &draw.entry->mark);
	relation_close(rel, NoLock);
	known = gid_known_search(&draw.key);
	if (known != NULL)
		known->statement = gid_known_statement();
	return known;
}

/*
 * The GidDraw of a sequence that the running transaction and role have drawn
 * from before, or NULL.  gid_known_last then points to it.  Each draw begins
 * here, except on the fast path, so this backend notices changes from its
 * first draw on.
 */
GidDraw *
gid_known_again(Oid sequence, GidSource source, Oid role)
{
	static bool registered = false;
	GidDrawKey	key = {sequence, source};
	GidDraw    *known = gid_known_search(&key);

	if (!registered)
	{
		CacheRegisterRelcacheCallback(gid_known_invalidate, (Datum) 0);
		CacheRegisterSyscacheCallback(AUTHMEMROLEMEM, gid_known_invalidate_role, (Datum) 0);
		CacheRegisterSyscacheCallback(AUTHOID, gid_known_invalidate_role, (Datum) 0);
		CacheRegisterSyscacheCallback(DATABASEOID, gid_known_invalidate_role, (Datum) 0);
		registered = true;
	}
	if (known == NULL || known->lxid != gid_my_lxid() ||
		known->role != role)
		return NULL;
	gid_known_last = known;
	return known;
}
