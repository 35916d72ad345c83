/*-------------------------------------------------------------------------
 *
 * id/update.c
 *		What the update from version 1.1 does in C.
 *
 * In version 1.1 the sequence of the generator numbers and the two tables of
 * node leases belonged to the extension's owner, who may have made anything of
 * them.  The update's script is run by a superuser, or as one.  So what it
 * does to these objects goes by OIDs, reads no row of theirs, and runs no code
 * of theirs.
 *
 * State: none.
 *
 * Crash, restart, clock step, standby: nothing to keep; the update is one
 * transaction.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "fmgr.h"
#include "nodes/parsenodes.h"
#include "storage/lmgr.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "base/compat.h"
#include "decimal/generator.h"
#include "node/node_form.h"

/*
 * The tables and views of an extension that have a name, in any schema.  On
 * version 15 a rule turns a table into a view.
 */
static List *
gid_update_find_tables(Oid extension, const char *name)
{
	Relation	depend = table_open(DependRelationId, AccessShareLock);
	List	   *tables = NIL;
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(ExtensionRelationId));
	ScanKeyInit(&key[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(extension));
	scan = systable_beginscan(depend, DependReferenceIndexId, true, NULL, 2, key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend form = (Form_pg_depend) GETSTRUCT(tuple);
		const char *member;
		char		relkind;

		if (form->classid != RelationRelationId || form->deptype != DEPENDENCY_EXTENSION)
			continue;
		member = get_rel_name(form->objid);
		relkind = get_rel_relkind(form->objid);
		if (member != NULL && strcmp(member, name) == 0 &&
			(relkind == RELKIND_RELATION || relkind == RELKIND_VIEW))
			tables = lappend_oid(tables, form->objid);
	}
	systable_endscan(scan);
	table_close(depend, AccessShareLock);
	return tables;
}

/* Take a table or view out of an extension, and out of what a dump contains. */
static void
gid_update_disown(Oid extension, Oid relation)
{
	AlterExtensionContentsStmt *stmt = makeNode(AlterExtensionContentsStmt);

	stmt->extname = get_extension_name(extension);
	stmt->action = -1;
	stmt->objtype = get_rel_relkind(relation) == RELKIND_VIEW ? OBJECT_VIEW : OBJECT_TABLE;
	stmt->object = (Node *) list_make2(makeString(get_namespace_name(get_rel_namespace(relation))),
									   makeString(get_rel_name(relation)));
	(void) ExecAlterExtensionContentsStmt(stmt, NULL);
	CommandCounterIncrement();
	/* the statement goes by names, which may mean another relation by now */
	if (OidIsValid(getExtensionOfObject(RelationRelationId, relation)))
		elog(ERROR, "could not take relation %u out of the extension", relation);
}

/* Drop the tables of a name, whatever they have become, with what needs them. */
static void
gid_update_drop_tables(Oid extension, const char *name)
{
	ListCell   *cell;

	foreach(cell, gid_update_find_tables(extension, name))
	{
		ObjectAddress table;

		ObjectAddressSet(table, RelationRelationId, lfirst_oid(cell));
		LockRelationOid(table.objectId, AccessExclusiveLock);
		if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(table.objectId)))
			continue;
		gid_update_disown(extension, table.objectId);
		performDeletion(&table, DROP_CASCADE, 0);
	}
}

/*
 * gid_update_from_1_1() -> void
 *
 * Drop the tables of node leases, and untie the sequence of the generator
 * numbers from a column, which would go to another owner with its table only.
 * The update's script creates this function, calls it and drops it.
 */
PG_FUNCTION_INFO_V1(gid_update_from_1_1);
Datum
gid_update_from_1_1(PG_FUNCTION_ARGS)
{
	Oid			function = fcinfo->flinfo->fn_oid;
	Oid			extension = getExtensionOfObject(ProcedureRelationId, function);
	Oid			sequence = gid_generator_find_sequence(function);

	/* first: the column may be one of the tables that are dropped */
	if (OidIsValid(sequence) && getExtensionOfObject(RelationRelationId, sequence) == extension)
		(void) deleteDependencyRecordsForClass(RelationRelationId, sequence,
											   RelationRelationId, DEPENDENCY_AUTO);
	CommandCounterIncrement();
	gid_update_drop_tables(extension, gid_node_form_writer.name);
	gid_update_drop_tables(extension, gid_node_form_leases.name);
	PG_RETURN_VOID();
}
