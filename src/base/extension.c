/*-------------------------------------------------------------------------
 *
 * base/extension.c
 *		The schema "gid", in which the extension keeps its relations, and the
 *		relations that are members of the extension.
 *
 * The extension's script makes the schema, and a superuser owns it: the one
 * who installs the extension, or the bootstrap superuser.  So nobody else can
 * put an object there, and a name in that schema means what the script has
 * made.  In a database without the extension a schema of that name may be
 * anybody's.  That is why the schema must be a member of the extension.
 *
 * State: the OID of the schema in this database, until a schema changes.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_namespace.h"
#include "commands/extension.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "base/extension.h"

static Oid	gid_schema = InvalidOid;

/* A row of pg_namespace has changed. */
static void
gid_schema_invalidate(Datum arg, int cache, uint32 hash)
{
	gid_schema = InvalidOid;
}

/*
 * Return the schema "gid" if the extension has made it, else InvalidOid.
 * Reads catalogs, unless a former call has found the schema.
 */
Oid
gid_extension_schema(void)
{
	static bool registered = false;
	Oid			schema;
	Oid			extension;

	if (OidIsValid(gid_schema))
		return gid_schema;
	if (!registered)
	{
		CacheRegisterSyscacheCallback(NAMESPACEOID, gid_schema_invalidate, (Datum) 0);
		registered = true;
	}
	schema = get_namespace_oid("gid", true);
	extension = OidIsValid(schema) ? get_extension_oid("gid", true) : InvalidOid;
	if (OidIsValid(extension) &&
		getExtensionOfObject(NamespaceRelationId, schema) == extension)
		gid_schema = schema;
	return gid_schema;
}

/*
 * Return a relation of the extension's schema, or InvalidOid if there is none.
 * Takes no lock.
 */
Oid
gid_extension_relation(const char *name)
{
	Oid			schema = gid_extension_schema();

	return OidIsValid(schema) ? get_relname_relid(name, schema) : InvalidOid;
}

/*
 * Return a relation that is a member of the extension, in whatever schema, or
 * InvalidOid if there is none.  Takes no lock on the relation.  The owner of
 * the extension can make relations of his own members, so a caller that trusts
 * the relation checks the relation's owner.
 */
Oid
gid_extension_member(const char *name)
{
	Relation	depend = table_open(DependRelationId, AccessShareLock);
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	Oid			found = InvalidOid;

	ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(ExtensionRelationId));
	ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(get_extension_oid("gid", true)));
	scan = systable_beginscan(depend, DependReferenceIndexId, true, NULL, lengthof(keys), keys);
	while (!OidIsValid(found) && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend member = (Form_pg_depend) GETSTRUCT(tuple);
		const char *relation = NULL;

		if (member->classid == RelationRelationId && member->deptype == DEPENDENCY_EXTENSION)
			relation = get_rel_name(member->objid);
		if (relation != NULL && strcmp(relation, name) == 0)
			found = member->objid;
	}
	systable_endscan(scan);
	table_close(depend, AccessShareLock);
	return found;
}
