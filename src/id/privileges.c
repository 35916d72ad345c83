/*-------------------------------------------------------------------------
 *
 * id/privileges.c
 *		What default privileges gave is taken from new objects.
 *
 * ALTER DEFAULT PRIVILEGES of the superuser who installs gid, or whom a
 * trusted CREATE EXTENSION acts as, reaches each object that the extension's
 * scripts create.  But the rows of gid_node_leases are enough to extend
 * another server's lease, and some functions are not for everybody.  So the
 * scripts clear the privileges of such objects before they grant any.
 *
 * A script creates these functions, calls them and drops them.  They are in
 * pg_catalog, so that nobody can put others in their place: a schema's owner
 * may rename the schema while the script runs.
 *
 * State: none.
 *
 * Crash, restart, clock step, standby: nothing to keep; a script is one
 * transaction.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_init_privs.h"
#include "catalog/pg_proc.h"
#include "fmgr.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "base/compat.h"

/*
 * An object, or a column of a table, whose privileges are in a row of
 * "catalog".
 */
typedef struct GidPrivileged
{
	ObjectAddress address;
	Oid			owner;
	Oid			catalog;
	AttrNumber	column;			/* of the catalog, has the privileges */
} GidPrivileged;

/* Raise an error unless an object belongs to the extension of the function. */
static void
gid_privileges_check_member(FunctionCallInfo fcinfo, Oid class, Oid object)
{
	Oid			extension = getExtensionOfObject(ProcedureRelationId, fcinfo->flinfo->fn_oid);

	if (!OidIsValid(extension) || getExtensionOfObject(class, object) != extension)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("object %u does not belong to the extension \"gid\"", object),
				 errdetail("The schema of the extension was changed while its script ran."),
				 errhint("Run CREATE EXTENSION or ALTER EXTENSION again.")));
}

/* Return the privileges that a row of a catalog has; NULL: the built-in ones. */
static Acl *
gid_privileges_read(Relation catalog, HeapTuple tuple, AttrNumber column)
{
	bool		is_null;
	Datum		acl = heap_getattr(tuple, column, RelationGetDescr(catalog), &is_null);

	return is_null ? NULL : DatumGetAclPCopy(acl);
}

/* Give a row of a catalog other privileges; NULL: the built-in ones. */
static void
gid_privileges_write(const GidPrivileged *object, HeapTuple tuple, Acl *acl)
{
	Relation	catalog = table_open(object->catalog, RowExclusiveLock);
	Acl		   *before = gid_privileges_read(catalog, tuple, object->column);
	int			columns[1] = {object->column};
	Datum		values[1] = {PointerGetDatum(acl)};
	bool		nulls[1] = {acl == NULL};

	if (before != NULL || acl != NULL)
	{
		Oid		   *old = NULL;
		Oid		   *new = NULL;
		int			nold = before == NULL ? 0 : aclmembers(before, &old);
		int			nnew = acl == NULL ? 0 : aclmembers(acl, &new);

		tuple = heap_modify_tuple_by_cols(tuple, RelationGetDescr(catalog), 1,
										  columns, values, nulls);
		CatalogTupleUpdate(catalog, &tuple->t_self, tuple);
		updateAclDependencies(object->address.classId, object->address.objectId,
							  object->address.objectSubId, object->owner,
							  nold, old, nnew, new);
		CommandCounterIncrement();
	}
	table_close(catalog, RowExclusiveLock);
}

/* Return the privileges that a function got from its script, or NULL. */
static Acl *
gid_privileges_initial(Oid function)
{
	Relation	catalog = table_open(InitPrivsRelationId, AccessShareLock);
	Acl		   *acl = NULL;
	ScanKeyData key[3];
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key[0], Anum_pg_init_privs_objoid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(function));
	ScanKeyInit(&key[1], Anum_pg_init_privs_classoid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(ProcedureRelationId));
	ScanKeyInit(&key[2], Anum_pg_init_privs_objsubid, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(0));
	scan = systable_beginscan(catalog, InitPrivsObjIndexId, true, NULL, 3, key);
	if (HeapTupleIsValid(tuple = systable_getnext(scan)))
		acl = gid_privileges_read(catalog, tuple, Anum_pg_init_privs_initprivs);
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return acl;
}

/* Return privileges without those of some roles other than the owner. */
static Acl *
gid_privileges_without(Acl *acl, Oid owner, const Oid *roles, int nroles)
{
	for (int i = 0; i < nroles; i++)
	{
		AclItem		none = {.ai_grantee = roles[i],.ai_grantor = owner};

		if (roles[i] != owner)
			acl = aclupdate(acl, &none, ACL_MODECHG_EQL, owner, DROP_CASCADE);
	}
	return acl;
}

/*
 * gid_clear_privileges(relation regclass) -> void
 *
 * Leave a table or sequence of the extension to its owner, its columns
 * included.  55000 when it does not belong to the extension.
 */
PG_FUNCTION_INFO_V1(gid_clear_table_privileges);
Datum
gid_clear_table_privileges(PG_FUNCTION_ARGS)
{
	Oid			oid = PG_GETARG_OID(0);
	HeapTuple	tuple;
	GidPrivileged object = {.catalog = RelationRelationId,.column = Anum_pg_class_relacl};
	int			natts;

	gid_privileges_check_member(fcinfo, RelationRelationId, oid);
	tuple = SearchSysCacheCopy1(RELOID, ObjectIdGetDatum(oid));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", oid);
	ObjectAddressSet(object.address, RelationRelationId, oid);
	object.owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	natts = ((Form_pg_class) GETSTRUCT(tuple))->relnatts;
	gid_privileges_write(&object, tuple, NULL);

	object.catalog = AttributeRelationId;
	object.column = Anum_pg_attribute_attacl;
	for (int i = FirstLowInvalidHeapAttributeNumber + 1; i <= natts; i++)
	{
		tuple = SearchSysCacheCopy2(ATTNUM, ObjectIdGetDatum(oid), Int16GetDatum(i));
		object.address.objectSubId = i;
		if (HeapTupleIsValid(tuple))
			gid_privileges_write(&object, tuple, NULL);
	}
	removeExtObjInitPriv(oid, RelationRelationId);
	PG_RETURN_VOID();
}

/*
 * gid_clear_privileges(function regprocedure) -> void
 *
 * Take from a function of the extension what default privileges gave.  Nobody
 * has granted anything on a new function.  A function that an earlier
 * version's script has revoked from PUBLIC has initial privileges: those
 * of other roles in these came from default privileges, and what was granted
 * later to roles that are not in these stays.  55000 when the function does
 * not belong to the extension.
 */
PG_FUNCTION_INFO_V1(gid_clear_function_privileges);
Datum
gid_clear_function_privileges(PG_FUNCTION_ARGS)
{
	Oid			oid = PG_GETARG_OID(0);
	Acl		   *initial = gid_privileges_initial(oid);
	GidPrivileged object = {.catalog = ProcedureRelationId,.column = Anum_pg_proc_proacl};
	HeapTuple	tuple;
	Relation	catalog;
	Acl		   *acl;
	Oid		   *roles;
	int			nroles;

	gid_privileges_check_member(fcinfo, ProcedureRelationId, oid);
	tuple = SearchSysCacheCopy1(PROCOID, ObjectIdGetDatum(oid));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", oid);
	ObjectAddressSet(object.address, ProcedureRelationId, oid);
	object.owner = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
	if (initial == NULL)
	{
		gid_privileges_write(&object, tuple, NULL);
		PG_RETURN_VOID();
	}

	catalog = table_open(ProcedureRelationId, AccessShareLock);
	acl = gid_privileges_read(catalog, tuple, Anum_pg_proc_proacl);
	table_close(catalog, AccessShareLock);
	nroles = aclmembers(initial, &roles);
	initial = gid_privileges_without(initial, object.owner, roles, nroles);
	if (acl != NULL)
		acl = gid_privileges_without(acl, object.owner, roles, nroles);
	/* what a function has when this is called becomes its initial privileges */
	gid_privileges_write(&object, tuple, initial);
	removeExtObjInitPriv(oid, ProcedureRelationId);
	CommandCounterIncrement();
	recordExtObjInitPriv(oid, ProcedureRelationId);
	CommandCounterIncrement();
	gid_privileges_write(&object, SearchSysCacheCopy1(PROCOID, ObjectIdGetDatum(oid)), acl);
	PG_RETURN_VOID();
}
