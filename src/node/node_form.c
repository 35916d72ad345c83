/*-------------------------------------------------------------------------
 *
 * node/node_form.c
 *		The two tables of an authority of node numbers: which they are, and
 *		whether they are as the extension's script has made them.
 *
 * The owner of a table can put code on it: an index expression or predicate, a
 * rule, a trigger, a policy, a constraint.  That code would run as the role
 * that asks for a lease, ends a pause or looks at the leases, perhaps as a
 * superuser.  So gid trusts a table only if its owner could run any code as
 * any role anyway, and only in the form that the script has given it.  A role
 * that may read the leases can extend the lease of another server, and one
 * that may write can give one number to two servers.  So gid trusts a table
 * only as long as no role has a privilege that the script has not granted.
 *
 * State: none.
 *
 * Invariants:
 * 1. A table is looked up by its name once, in the extension's schema.  After
 *	  that it is an OID, which is locked, and then checked.
 * 2. The owner of a table must be a superuser.  REASSIGN OWNED may give it to
 *	  another role.
 * 3. The check looks at the catalogs' tuples.  It evaluates nothing and plans
 *	  nothing: RelationGetIndexExpressions() and RelationGetIndexPredicate()
 *	  run functions that are marked IMMUTABLE.
 * 4. No null is ever read as a value, whatever the catalogs promise.  From
 *	  version 18 on a column may be NOT NULL and hold nulls (NOT VALID).
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/sysattr.h"
#include "catalog/pg_am.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/syscache.h"

#include "base/compat.h"
#include "base/extension.h"
#include "node/node_form.h"

const GidNodeTable gid_node_form_leases = {
	.name = "node_leases",
	.has_key = true,
	.ncolumns = GID_NODE_LEASE_COLUMNS,
	.types = {INT4OID, UUIDOID, TIMESTAMPTZOID, TIMESTAMPTZOID, TEXTOID, TEXTOID},
};

const GidNodeTable gid_node_form_writer = {
	.name = "node_writer",
	.ncolumns = GID_NODE_WRITER_COLUMNS,
	.granted = ACL_SELECT | ACL_INSERT,
	.types = {INT8OID, INT8OID, OIDOID, OIDOID, INT4OID, TIMESTAMPTZOID},
};

/* Has a table the columns of the script, without a domain? */
static bool
gid_node_form_has_columns(Relation rel, const GidNodeTable *table)
{
	TupleDesc	desc = RelationGetDescr(rel);

	if (desc->natts != table->ncolumns)
		return false;
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, i);

		if (attribute->attisdropped || attribute->atttypid != table->types[i] ||
			!attribute->attnotnull || attribute->attgenerated != '\0' ||
			attribute->attidentity != '\0')
			return false;
	}
	return true;
}

/*
 * Has a table something that could run code or show other rows: a rule, a
 * trigger, a policy, a CHECK constraint, a parent or a child?
 */
static bool
gid_node_form_has_more(Relation rel)
{
	Form_pg_class form = rel->rd_rel;
	TupleConstr *constraints = RelationGetDescr(rel)->constr;

	return rel->rd_rules != NULL || rel->trigdesc != NULL ||
		form->relrowsecurity || form->relforcerowsecurity ||
		(constraints != NULL && constraints->num_check > 0) ||
		OidIsValid(form->reloftype) || form->relispartition ||
		has_superclass(RelationGetRelid(rel)) ||
		(form->relhassubclass &&
		 find_inheritance_children(RelationGetRelid(rel), NoLock) != NIL);
}

/* Is an index a plain unique index of the first column, checked at once? */
static bool
gid_node_form_index_is_plain(Relation index)
{
	Form_pg_index form = index->rd_index;

	return form->indisunique && form->indimmediate &&
		form->indnatts == 1 && form->indkey.values[0] == 1 &&
		heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, NULL) &&
		heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL);
}

/*
 * Has a table the indexes of the script?  While REINDEX CONCURRENTLY runs, and
 * after a cancel of it, there is a copy of the key that is not valid.
 */
static bool
gid_node_form_has_indexes(Relation rel, const GidNodeTable *table)
{
	List	   *indexes = RelationGetIndexList(rel);
	ListCell   *cell;
	bool		all_plain = true;
	bool		one_valid = false;

	foreach(cell, indexes)
	{
		Relation	index = index_open(lfirst_oid(cell), AccessShareLock);

		if (!gid_node_form_index_is_plain(index))
			all_plain = false;
		if (index->rd_index->indisvalid)
			one_valid = true;
		index_close(index, NoLock);
	}
	list_free(indexes);
	return all_plain && (one_valid || !table->has_key);
}

/*
 * Are these the privileges of a table's owner and, of pg_database_owner, at
 * most those that the script has granted?
 */
static bool
gid_node_form_acl_is_plain(Datum datum, Oid owner, AclMode granted)
{
	Acl		   *acl = DatumGetAclPCopy(datum);
	AclItem    *items = ACL_DAT(acl);
	bool		is_plain = true;

	for (int i = 0; i < ACL_NUM(acl); i++)
	{
		AclMode		allowed = items[i].ai_grantee == ROLE_PG_DATABASE_OWNER ? granted : ACL_NO_RIGHTS;

		/* the rights hold the grant options, too */
		if (items[i].ai_grantee != owner && (ACLITEM_GET_RIGHTS(items[i]) & ~allowed) != 0)
			is_plain = false;
	}
	pfree(acl);
	return is_plain;
}

/* Has a role a privilege on a table, or on a column, that is not the script's? */
static bool
gid_node_form_has_grants(Relation rel, const GidNodeTable *table)
{
	Oid			owner = rel->rd_rel->relowner;
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(RelationGetRelid(rel)));
	bool		is_plain = true;
	bool		is_null;
	Datum		acl;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", RelationGetRelid(rel));
	acl = SysCacheGetAttr(RELOID, tuple, Anum_pg_class_relacl, &is_null);
	if (!is_null)
		is_plain = gid_node_form_acl_is_plain(acl, owner, table->granted);
	ReleaseSysCache(tuple);

	for (int i = FirstLowInvalidHeapAttributeNumber + 1; i <= RelationGetNumberOfAttributes(rel) && is_plain; i++)
	{
		tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(RelationGetRelid(rel)), Int16GetDatum(i));
		if (!HeapTupleIsValid(tuple))
			continue;			/* there is no column 0 */
		acl = SysCacheGetAttr(ATTNUM, tuple, Anum_pg_attribute_attacl, &is_null);
		if (!is_null)
			is_plain = gid_node_form_acl_is_plain(acl, owner, ACL_NO_RIGHTS);
		ReleaseSysCache(tuple);
	}
	return !is_plain;
}

/* Return what of a table is not as the script has made it, or NULL. */
static const char *
gid_node_form_find_change(Relation rel, const GidNodeTable *table)
{
	Form_pg_class form = rel->rd_rel;

	if (form->relkind != RELKIND_RELATION || form->relam != HEAP_TABLE_AM_OID ||
		form->relpersistence != RELPERSISTENCE_PERMANENT)
		return "It is no ordinary table.";
	if (!superuser_arg(form->relowner))
		return "It does not belong to a superuser, so its owner could run code as any role that asks for a lease.";
	if (gid_node_form_has_grants(rel, table))
		return "A role has a privilege on it that the extension does not grant.";
	if (!gid_node_form_has_columns(rel, table))
		return "It has other columns.";
	if (gid_node_form_has_more(rel))
		return "It has a rule, a trigger, row security, a CHECK constraint, a parent or a child.";
	if (!gid_node_form_has_indexes(rel, table))
		return "It has other indexes.";
	return NULL;
}

/*
 * Open and lock a table.  Raises 55000 when the table is not there, does not
 * belong to a superuser, or was changed.
 */
Relation
gid_node_form_open(const GidNodeTable *table, LOCKMODE lock)
{
	Oid			oid = gid_extension_relation(table->name);
	Relation	rel = OidIsValid(oid) ? try_relation_open(oid, lock) : NULL;
	const char *change = "There is no such table of the extension.";

	if (rel != NULL)
		change = gid_node_form_find_change(rel, table);
	if (change != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"gid.%s\" is missing or was changed", table->name),
				 errdetail_internal("%s", change),
				 errhint("Undo the change. Or create the extension again in another database, set gid.node_first above all leased numbers, and let gid.node_authority name that database.")));
	return rel;
}

/*
 * Read a row of a table, in the tuple's memory.  Raises 55000 where a null
 * stands.
 */
void
gid_node_form_read(Relation rel, HeapTuple tuple, Datum *values)
{
	TupleDesc	desc = RelationGetDescr(rel);
	bool		nulls[GID_NODE_MAX_COLUMNS];

	heap_deform_tuple(tuple, desc, values, nulls);
	for (int i = 0; i < desc->natts; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("table \"gid.%s\" has a null",
							RelationGetRelationName(rel)),
					 errdetail("The column \"%s\" of a row is null, so gid cannot know which leases there are.",
							   NameStr(TupleDescAttr(desc, i)->attname)),
					 errhint("When all leases have ended, delete the row.")));
	}
}
