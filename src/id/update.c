/*-------------------------------------------------------------------------
 *
 * id/update.c
 *		What the update from version 1.1 does in C.
 *
 * In version 1.1 the sequence of the generator numbers and the two tables of
 * node leases belonged to the extension's owner, who may have made anything of
 * them.  The update's script is run by a superuser, or as one.  So what it
 * does to these objects goes by OIDs, reads no row of the tables, and runs no
 * code of theirs.  Of the sequence it keeps the position.
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
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_sequence.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "commands/sequence.h"
#include "commands/tablecmds.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/parsenodes.h"
#include "storage/lmgr.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "base/compat.h"
#include "decimal/generator.h"
#include "node/node_form.h"
#include "sequence/page.h"

/* ---- the tables of node leases ---- */

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

/* ---- the sequence of the generator numbers ---- */

/* Raise an error for a sequence that the update cannot go on with. */
static void
gid_update_refuse_sequence(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("sequence \"%s\" of extension \"gid\" is missing or was changed",
					GID_GENERATOR_SEQUENCE),
			 errdetail_internal("%s", detail),
			 errhint("Undo the change, and run ALTER EXTENSION gid UPDATE again. The sequence must stand at or above each number that it has given.")));
}

/*
 * Open and lock the sequence, until the end of the transaction.  Raises 55000
 * when it is not the extension's.
 */
static Relation
gid_update_open_sequence(Oid extension, Oid oid)
{
	Relation	sequence = OidIsValid(oid) ? try_relation_open(oid, AccessExclusiveLock) : NULL;

	if (sequence == NULL ||
		getExtensionOfObject(RelationRelationId, oid) != extension ||
		strcmp(RelationGetRelationName(sequence), GID_GENERATOR_SEQUENCE) != 0)
		gid_update_refuse_sequence("The extension has no such sequence. It was renamed, moved or taken out of the extension.");
	if (sequence->rd_rel->relkind != RELKIND_SEQUENCE)
		gid_update_refuse_sequence("It is no sequence.");
	return sequence;
}

/* Has the sequence the parameters of the extension's script? */
static bool
gid_update_sequence_is_plain(Oid oid)
{
	HeapTuple	tuple = SearchSysCache1(SEQRELID, ObjectIdGetDatum(oid));
	Form_pg_sequence form;
	bool		is_plain;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for sequence %u", oid);
	form = (Form_pg_sequence) GETSTRUCT(tuple);
	is_plain = form->seqtypid == INT8OID && form->seqstart == 0 &&
		form->seqincrement == 1 && form->seqmin == 0 &&
		form->seqmax == GID_GENERATOR_MAX_NUMBER && form->seqcache == 1 &&
		!form->seqcycle;
	ReleaseSysCache(tuple);
	return is_plain;
}

/* An option of ALTER SEQUENCE that is a number. */
static DefElem *
gid_update_number(char *name, int64 value)
{
	return makeDefElem(name, (Node *) makeFloat(psprintf("%lld", (long long) value)), -1);
}

/* Give the sequence the parameters of the extension's script. */
static void
gid_update_set_parameters(Relation sequence)
{
	AlterSeqStmt *stmt = makeNode(AlterSeqStmt);
	ObjectAddress altered;

	stmt->sequence = makeRangeVar(get_namespace_name(RelationGetNamespace(sequence)),
								  pstrdup(RelationGetRelationName(sequence)), -1);
	stmt->options = list_make5(makeDefElem("as", (Node *) makeTypeNameFromOid(INT8OID, -1), -1),
							   gid_update_number("increment", 1),
							   gid_update_number("minvalue", 0),
							   gid_update_number("maxvalue", GID_GENERATOR_MAX_NUMBER),
							   gid_update_number("start", 0));
	stmt->options = lappend(stmt->options, gid_update_number("cache", 1));
	stmt->options = lappend(stmt->options, makeDefElem("cycle", (Node *) makeBoolean(false), -1));
	altered = AlterSequence(NULL, stmt);
	CommandCounterIncrement();
	/* the statement goes by names, which may mean another sequence by now */
	if (altered.objectId != RelationGetRelid(sequence))
		elog(ERROR, "could not alter sequence %u", RelationGetRelid(sequence));
}

/*
 * Give the sequence the form and the owner that a new extension's has.  Its
 * position stays.
 */
static void
gid_update_restore_sequence(Oid extension, Oid oid)
{
	Relation	sequence = gid_update_open_sequence(extension, oid);
	bool		is_logged = sequence->rd_rel->relpersistence == RELPERSISTENCE_PERMANENT;
	XLogRecPtr	lsn;
	bool		is_called;
	int64		position = gid_page_last_value(sequence, &is_called, &lsn);

	if (position < 0 || position > GID_GENERATOR_MAX_NUMBER)
		gid_update_refuse_sequence("It stands outside of its range, 0 to 9999999999.");

	/* a column would take the sequence along to the owner of its table */
	(void) deleteDependencyRecordsForClass(RelationRelationId, oid,
										   RelationRelationId, DEPENDENCY_AUTO);
	CommandCounterIncrement();
	/* a sequence that is altered gets a new file, and sessions lose leases */
	if (!gid_update_sequence_is_plain(oid))
		gid_update_set_parameters(sequence);
	relation_close(sequence, NoLock);
	if (!is_logged)
		SequenceChangePersistence(oid, RELPERSISTENCE_PERMANENT);
	CommandCounterIncrement();
	ATExecChangeOwner(oid, GetUserId(), false, AccessExclusiveLock);
	CommandCounterIncrement();
}

/*
 * gid_update_from_1_1(generator regclass) -> void
 *
 * Restore "generator", the sequence of the generator numbers, and drop the
 * tables of node leases.  The update's script creates this function, calls it
 * and drops it.  55000 when the sequence (null: there is none of its name) is
 * not the extension's, or stands outside of its range.
 */
PG_FUNCTION_INFO_V1(gid_update_from_1_1);
Datum
gid_update_from_1_1(PG_FUNCTION_ARGS)
{
	Oid			extension = getExtensionOfObject(ProcedureRelationId, fcinfo->flinfo->fn_oid);

	/* first: a column of the tables may own the sequence */
	gid_update_restore_sequence(extension, PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0));
	gid_update_drop_tables(extension, gid_node_form_writer.name);
	gid_update_drop_tables(extension, gid_node_form_leases.name);
	PG_RETURN_VOID();
}
