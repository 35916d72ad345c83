/*-------------------------------------------------------------------------
 *
 * id/column.c
 *		Reading a column and the sequence that it draws from.
 *
 * A superuser reads everybody's tables here.  So the greatest value of a
 * column is read by the index access method alone, without planner and
 * executor: they would run code that the table's owner has put into an index
 * predicate, an expression, an operator class or a policy.
 *
 * State: none.  The locks on a table, its index and its sequence are released
 * at once, so that a reading of 5,000 tables holds three.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "access/xlog.h"
#include "catalog/dependency.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_opclass.h"
#include "catalog/pg_sequence.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "base/compat.h"
#include "id/column.h"

/* Lock a relation and open it; NULL when it is gone, or locked by others. */
static Relation
gid_column_open(const GidColumn *column, Oid relation, LOCKMODE mode)
{
	Relation	rel;

	if (!column->is_shown)
		LockRelationOid(relation, mode);
	else if (!ConditionalLockRelationOid(relation, mode))
		return NULL;
	rel = try_relation_open(relation, NoLock);
	if (rel == NULL)
		UnlockRelationOid(relation, mode);
	return rel;
}

/* ---- the sequence ---- */

/* Is the view read by a member of pg_monitor? */
static bool
gid_column_is_monitored(const GidColumn *column)
{
	return column->is_shown && has_privs_of_role(GetUserId(), ROLE_PG_MONITOR);
}

/*
 * See where the sequence stands, if the role may know it: as pg_sequences
 * shows it, or to pg_monitor.  Returns why it may not.
 */
static GidUnknown
gid_column_read_sequence(const GidColumn *column, GidStand *stand)
{
	/* as nextval(): nobody alters the sequence while its page is read */
	Relation	rel = gid_column_open(column, column->sequence, RowExclusiveLock);
	GidUnknown	unknown = GID_UNKNOWN_NOT;

	if (rel == NULL || rel->rd_rel->relkind != RELKIND_SEQUENCE)
		unknown = GID_UNKNOWN_SEQUENCE_LOCKED;
	else if (RELATION_IS_OTHER_TEMP(rel))
		unknown = GID_UNKNOWN_TEMPORARY;
	else if (!RelationNeedsWAL(rel) && RecoveryInProgress())
		unknown = GID_UNKNOWN_UNLOGGED;
	else if (pg_class_aclcheck(column->sequence, GetUserId(), ACL_SELECT | ACL_USAGE) != ACLCHECK_OK &&
			 !gid_column_is_monitored(column))
		unknown = GID_UNKNOWN_SEQUENCE_PRIVILEGE;
	else
		gid_position_observe(rel, stand);
	if (rel != NULL)
		relation_close(rel, RowExclusiveLock);
	return unknown;
}

/*
 * The base type of a column, or InvalidOid for a type that does not exist: a
 * domain can be dropped before the transaction that used it has committed.
 */
Oid
gid_column_type(Oid type)
{
	return SearchSysCacheExists1(TYPEOID, ObjectIdGetDatum(type)) ? getBaseType(type) : InvalidOid;
}

/* ---- the default ---- */

/*
 * The longest default that is read, in bytes of its catalog text.  A draw with
 * its casts has some hundred.  A deep expression would exhaust the stack, and
 * one role's table would end gid.columns for all.
 */
#define GID_COLUMN_DEFAULT_LENGTH		4096

/* Is a function the cast between two of PostgreSQL's integer types? */
static bool
gid_column_is_cast(Oid function)
{
	return function == F_INT8_INT4 || function == F_INT4_INT8 || function == F_INT8_INT2 ||
		function == F_INT2_INT8 || function == F_INT4_INT2 || function == F_INT2_INT4;
}

/*
 * Is a function nextval() or gid_next()?  A name is enough: who makes another
 * function of this name deceives himself.
 */
static bool
gid_column_is_draw(Oid function)
{
	const char *name = function == F_NEXTVAL ? NULL : get_func_name(function);

	return function == F_NEXTVAL || (name != NULL && strcmp(name, "gid_next") == 0);
}

/*
 * Is the default of a column exactly one draw from a sequence?  With anything
 * around it, such as nextval() * 10, the column's values are not the
 * sequence's.  The expression is only read.
 */
static bool
gid_column_draws(Relation table, AttrNumber attribute, Oid sequence)
{
	const TupleConstr *constraints = RelationGetDescr(table)->constr;
	const Node *node = NULL;
	const Const *argument;

	for (int i = 0; constraints != NULL && i < constraints->num_defval; i++)
	{
		if (constraints->defval[i].adnum == attribute &&
			strlen(constraints->defval[i].adbin) <= GID_COLUMN_DEFAULT_LENGTH)
			node = stringToNode(constraints->defval[i].adbin);
	}
	for (;;)
	{
		if (node == NULL)
			return false;
		if (IsA(node, RelabelType))
			node = (const Node *) ((const RelabelType *) node)->arg;
		else if (IsA(node, CoerceToDomain))
			node = (const Node *) ((const CoerceToDomain *) node)->arg;
		else if (IsA(node, FuncExpr) && gid_column_is_cast(((const FuncExpr *) node)->funcid))
			node = linitial(((const FuncExpr *) node)->args);
		else
			break;
	}
	if (!IsA(node, FuncExpr) || list_length(((const FuncExpr *) node)->args) != 1 ||
		!gid_column_is_draw(((const FuncExpr *) node)->funcid))
		return false;
	argument = linitial(((const FuncExpr *) node)->args);
	return IsA(argument, Const) && !argument->constisnull &&
		DatumGetObjectId(argument->constvalue) == sequence;
}

/*
 * Is the sequence that of an identity column?  Otherwise a member of
 * pg_monitor could compare any column with a sequence of his own, and so find
 * its values.
 */
static bool
gid_column_is_identity(const GidColumn *column, AttrNumber attribute)
{
	Oid			relation;
	int32		number;

	return sequenceIsOwned(column->sequence, DEPENDENCY_INTERNAL, &relation, &number) &&
		relation == column->relation && number == attribute;
}

/* ---- the greatest value ---- */

/*
 * Find a complete btree index whose first column is a column of a table, with
 * core's operators for integers.  Returns its operator class, or InvalidOid.
 * The catalog alone is read: opening the other indexes would not run code
 * either, but there is no need to.
 */
static Oid
gid_column_index(Relation table, AttrNumber attribute, Oid *index, bool *is_descending)
{
	List	   *indexes = RelationGetIndexList(table);
	Oid			class = InvalidOid;
	ListCell   *cell;

	foreach(cell, indexes)
	{
		HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
		Form_pg_index form;
		bool		is_null;
		Datum		classes;
		Datum		options;
		Oid			first;

		if (!HeapTupleIsValid(tuple))
			continue;
		form = (Form_pg_index) GETSTRUCT(tuple);
		classes = SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indclass, &is_null);
		options = SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indoption, &is_null);
		first = ((oidvector *) DatumGetPointer(classes))->values[0];
		if (form->indisvalid && form->indkey.values[0] == attribute &&
			heap_attisnull(tuple, Anum_pg_index_indpred, NULL) &&
			(first == INT2_BTREE_OPS_OID || first == INT4_BTREE_OPS_OID ||
			 first == INT8_BTREE_OPS_OID))
		{
			class = first;
			*index = form->indexrelid;
			*is_descending = ((int2vector *) DatumGetPointer(options))->values[0] & INDOPTION_DESC;
		}
		ReleaseSysCache(tuple);
		if (OidIsValid(class))
			break;
	}
	list_free(indexes);
	return class;
}

/* The value of an index entry. */
static int64
gid_column_value(Datum value, Oid class)
{
	if (class == INT2_BTREE_OPS_OID)
		return DatumGetInt16(value);
	if (class == INT4_BTREE_OPS_OID)
		return DatumGetInt32(value);
	return DatumGetInt64(value);
}

/*
 * Read the first value that an index gives in a direction.  Returns false when
 * there is none.
 *
 * A row counts that a dirty or a fresh snapshot sees.  The dirty one sees the
 * rows of open transactions.  It misses a row whose update commits during the
 * scan: the old version is gone, and the new one stands where the scan has
 * been.  The fresh snapshot is from before the scan and sees the old version.
 * Entries of rows that nobody sees any more are marked, so that the next scan
 * passes over them at once.
 */
static bool
gid_column_scan(Relation table, Relation index, Oid class, ScanDirection direction,
				int64 *value)
{
	Snapshot	fresh = RegisterSnapshot(GetLatestSnapshot());
	SnapshotData dirty;
	ScanKeyData key;
	IndexScanDesc scan;
	ItemPointer tid;
	bool		found = false;
	bool		is_null;

	InitDirtySnapshot(dirty);
	ScanKeyEntryInitialize(&key, SK_ISNULL | SK_SEARCHNOTNULL, 1, InvalidStrategy,
						   InvalidOid, InvalidOid, InvalidOid, (Datum) 0);
	scan = gid_index_beginscan(table, index, SnapshotAny, 1);
	scan->xs_want_itup = true;
	index_rescan(scan, &key, 1, NULL, 0);
	while (!found && (tid = index_getnext_tid(scan, direction)) != NULL)
	{
		ItemPointerData at = *tid;
		bool		is_dead = false;

		CHECK_FOR_INTERRUPTS();
		found = table_index_fetch_tuple_check(table, &at, &dirty, &is_dead);
		if (!found)
		{
			at = *tid;
			found = table_index_fetch_tuple_check(table, &at, fresh, NULL);
		}
		if (found)
			*value = gid_column_value(index_getattr(scan->xs_itup, 1, scan->xs_itupdesc, &is_null), class);
		else if (!scan->xactStartedInRecovery)
			scan->kill_prior_tuple = is_dead;
	}
	index_endscan(scan);
	UnregisterSnapshot(fresh);
	return found;
}

/*
 * Read the greatest value of a column of a table, or the least if not "up",
 * unless *state has a greater one.  Returns why it is not known.
 */
static GidUnknown
gid_column_read_table(const GidColumn *column, Relation table, bool up, GidColumnState *state)
{
	AttrNumber	attribute = get_attnum(RelationGetRelid(table), column->attribute);
	Oid			oid;
	bool		is_descending;
	Oid			class;
	Relation	index;
	int64		value;

	if (table->rd_rel->relkind != RELKIND_RELATION)
		return GID_UNKNOWN_KIND;
	if (RELATION_IS_OTHER_TEMP(table))
		return GID_UNKNOWN_TEMPORARY;
	if (!RelationNeedsWAL(table) && RecoveryInProgress())
		return GID_UNKNOWN_UNLOGGED;
	/* a child that was detached meanwhile may have renamed the column */
	if (attribute <= 0)
		return GID_UNKNOWN_COLUMN;
	class = gid_column_index(table, attribute, &oid, &is_descending);
	if (!OidIsValid(class))
		return GID_UNKNOWN_INDEX;
	index = gid_column_open(column, oid, AccessShareLock);
	if (index == NULL)
		return GID_UNKNOWN_INDEX_LOCKED;
	if (gid_column_scan(table, index, class,
						up != is_descending ? BackwardScanDirection : ForwardScanDirection, &value))
	{
		if (!state->has_greatest || (up ? value > state->greatest : value < state->greatest))
			state->greatest = value;
		state->has_greatest = true;
	}
	relation_close(index, AccessShareLock);
	return GID_UNKNOWN_NOT;
}

/*
 * gid_column_read_table() for a relation and all that inherit from it: the
 * leaves of a partitioned table, or the children of a table.  Those that
 * cannot be read are noted in *state.
 */
static void
gid_column_read_members(const GidColumn *column, Relation relation, bool up, GidColumnState *state)
{
	List	   *members = relation->rd_rel->relhassubclass ?
	find_all_inheritors(column->relation, NoLock, NULL) : list_make1_oid(column->relation);
	ListCell   *cell;

	foreach(cell, members)
	{
		Oid			member = lfirst_oid(cell);
		Relation	table;
		GidUnread	unread = {.table = member,.why = GID_UNKNOWN_TABLE_LOCKED};

		if (get_rel_relkind(member) == RELKIND_PARTITIONED_TABLE)
			continue;
		table = gid_column_open(column, member, AccessShareLock);
		if (table != NULL)
		{
			/* a query leaves out other sessions' temporary children, too */
			unread.why = member != column->relation && RELATION_IS_OTHER_TEMP(table) ?
				GID_UNKNOWN_NOT : gid_column_read_table(column, table, up, state);
			relation_close(table, AccessShareLock);
		}
		else if (!column->is_shown)
			continue;			/* it was dropped */
		if (unread.why != GID_UNKNOWN_NOT)
		{
			GidUnread  *noted = palloc(sizeof(*noted));

			*noted = unread;
			state->unread = lappend(state->unread, noted);
		}
	}
	list_free(members);
}

/*
 * Read the greatest value of a column of an open table, as the role may see
 * it.  Returns why nothing is known.
 */
static GidUnknown
gid_column_read_relation(const GidColumn *column, Relation table, bool up, GidColumnState *state)
{
	AttrNumber	attribute = get_attnum(column->relation, column->attribute);
	bool		may_select;
	Oid			type;

	if (attribute <= 0)
		return GID_UNKNOWN_COLUMN;
	type = gid_column_type(TupleDescAttr(RelationGetDescr(table), attribute - 1)->atttypid);
	if (type != INT2OID && type != INT4OID && type != INT8OID)
		return GID_UNKNOWN_TYPE;
	if (!(column->is_identity ? gid_column_is_identity(column, attribute) :
		  gid_column_draws(table, attribute, column->sequence)))
		return GID_UNKNOWN_DEFAULT;
	/* the privileges: only now nobody else can drop the table */
	may_select = pg_class_aclcheck(column->relation, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck(column->relation, attribute, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
	state->may_show = may_select &&
		check_enable_rls(column->relation, InvalidOid, true) != RLS_ENABLED;
	if (!state->may_show && !gid_column_is_monitored(column))
		return may_select ? GID_UNKNOWN_ROW_SECURITY : GID_UNKNOWN_PRIVILEGE;
	gid_column_read_members(column, table, up, state);
	return GID_UNKNOWN_NOT;
}

/* Is INCREMENT positive?  It may be altered until the sequence is locked. */
static bool
gid_column_ascends(Oid sequence)
{
	HeapTuple	tuple = SearchSysCache1(SEQRELID, ObjectIdGetDatum(sequence));
	bool		ascends = true;

	if (HeapTupleIsValid(tuple))
	{
		ascends = ((Form_pg_sequence) GETSTRUCT(tuple))->seqincrement > 0;
		ReleaseSysCache(tuple);
	}
	return ascends;
}

/*
 * May a value that is still to be drawn stand in the column already?  That is
 * so if the greatest value lies where nothing was reserved yet, or among the
 * values that are left in a block.  Values behind the block in use that a
 * batch has taken are no sign of it.
 */
static bool
gid_column_is_behind(const GidStand *stand, int64 greatest)
{
	const GidSequence *seq = &stand->sequence;

	if (stand->has_free ? !gid_reserve_is_after(seq, stand->free, greatest) :
		gid_reserve_is_after(seq, greatest, seq->last_value))
		return true;
	for (int i = 0; i < (int) lengthof(stand->rests); i++)
	{
		const GidRest *rest = &stand->rests[i];

		if (rest->is_there && !gid_reserve_is_after(seq, rest->first, greatest) &&
			!gid_reserve_is_after(seq, greatest, rest->last))
			return true;
	}
	return false;
}

/*
 * Read a column and its sequence.  The column comes first: the sequence is
 * then beyond every value that was drawn from it and is in the column.
 */
void
gid_column_read(const GidColumn *column, GidColumnState *state)
{
	bool		up = gid_column_ascends(column->sequence);
	Relation	table = gid_column_open(column, column->relation, AccessShareLock);
	GidUnknown	unknown;

	memset(state, 0, sizeof(*state));
	if (table == NULL)
		state->unknown = GID_UNKNOWN_TABLE_LOCKED;
	else
	{
		state->owner = table->rd_rel->relowner;
		state->unknown = gid_column_read_relation(column, table, up, state);
		relation_close(table, AccessShareLock);
	}
	unknown = gid_column_read_sequence(column, &state->stand);
	state->has_stand = unknown == GID_UNKNOWN_NOT;
	/* its direction was altered in between */
	if (state->has_stand && (state->stand.sequence.increment > 0) != up)
		unknown = GID_UNKNOWN_SEQUENCE_LOCKED;
	if (state->unknown == GID_UNKNOWN_NOT)
		state->unknown = unknown;
	state->is_behind = state->unknown == GID_UNKNOWN_NOT && state->has_greatest &&
		gid_column_is_behind(&state->stand, state->greatest);
}
