/*-------------------------------------------------------------------------
 *
 * id/inspect.c
 *		The C functions behind gid_inspect(): read a text, check a family's
 *		name.
 *
 * gid_inspect() itself is SQL, in gid--2.1.sql, because it calls the functions
 * of all families, and no family's C code knows another family.  No function
 * here runs SQL.  text/id_text.c says which texts are read.
 *
 * State: none.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "base/args.h"
#include "base/compat.h"
#include "layout/gdid.h"
#include "text/id_text.h"

/* The columns of gid.inspect_text(). */
enum
{
	GID_INSPECT_FORM,
	GID_INSPECT_PREFIX,
	GID_INSPECT_UUID,
	GID_INSPECT_GDID,
	GID_INSPECT_BIGINT,
	GID_INSPECT_BASE32HEX,
	GID_INSPECT_COLUMNS
};

/* The forms of a text: their names, and the column that has the id. */
static const struct
{
	const char *name;
	int			column;
}			gid_forms[GID_NFORMS] = {
	[GID_FORM_UUID] = {"UUID", GID_INSPECT_UUID},
	[GID_FORM_ULID] = {"ULID", GID_INSPECT_UUID},
	[GID_FORM_BASE32HEX] = {"base32hex", GID_INSPECT_UUID},
	[GID_FORM_TYPEID] = {"TypeID", GID_INSPECT_UUID},
	[GID_FORM_UUID_CROCKFORD] = {"Crockford text of a uuid", GID_INSPECT_UUID},
	[GID_FORM_GDID] = {"GDID", GID_INSPECT_GDID},
	[GID_FORM_GDID_HEX] = {"hexadecimal GDID", GID_INSPECT_GDID},
	[GID_FORM_GDID_CROCKFORD] = {"Crockford text of a gdid", GID_INSPECT_GDID},
	[GID_FORM_BIGINT] = {"decimal number", GID_INSPECT_BIGINT},
	[GID_FORM_BIGINT_CROCKFORD] = {"Crockford text of a bigint", GID_INSPECT_BIGINT},
};

/* Raise 22P02: the text stands for no id. */
static void
gid_inspect_raise(GidIdFault fault, text *given, GidIdForm form)
{
	char	   *detail = "The text has none of the forms of an id.";

	switch (fault)
	{
		case GID_IDTEXT_SOUND:
		case GID_IDTEXT_UNKNOWN:
			break;
		case GID_IDTEXT_EMPTY:
			detail = "The text is empty.";
			break;
		case GID_IDTEXT_PREFIX:
			detail = psprintf("A prefix has 1 to %d lower-case letters and underscores, and a letter at both ends.",
							  GID_TYPEID_MAX_PREFIX);
			break;
		case GID_IDTEXT_TOO_LARGE:
			detail = psprintf("The text has the form \"%s\", but its number is too large for this form.",
							  gid_forms[form].name);
			break;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("cannot read \"%.*s\" as an id",
					GID_SHOWN(VARDATA_ANY(given), VARSIZE_ANY_EXHDR(given))),
			 errdetail("%s", detail),
			 errhint("Give a UUID, also in base32hex, a ULID, a GDID (era:authority:counter, 24 hexadecimal digits or 20 characters of Crockford's alphabet), a decimal bigint, or a prefix, an underscore and 26, 20 or 1 to 13 characters of Crockford's alphabet. Decode any other text of gid_encode() first, for example gid_inspect(gid_decode_bigint('2JG', 'crockford')).")));
}

/* One of the columns as_uuid, as_gdid and as_bigint is not NULL. */
PG_FUNCTION_INFO_V1(gid_inspect_text);
Datum
gid_inspect_text(PG_FUNCTION_ARGS)
{
	text	   *given = PG_GETARG_TEXT_PP(0);
	const char *chars = VARDATA_ANY(given);
	Datum		values[GID_INSPECT_COLUMNS] = {0};
	bool		nulls[GID_INSPECT_COLUMNS];
	GidIdText	id;
	GidIdFault	fault = gid_idtext_parse(chars, VARSIZE_ANY_EXHDR(given), &id);
	int			column;

	if (fault != GID_IDTEXT_SOUND)
		gid_inspect_raise(fault, given, id.form);
	column = gid_forms[id.form].column;
	memset(nulls, true, sizeof(nulls));
	nulls[GID_INSPECT_FORM] = nulls[column] = false;
	values[GID_INSPECT_FORM] = CStringGetTextDatum(gid_forms[id.form].name);
	values[column] = column == GID_INSPECT_BIGINT ?
		Int64GetDatum(id.number) : PointerGetDatum(id.bytes);
	if (id.prefix_length > 0)
	{
		nulls[GID_INSPECT_PREFIX] = false;
		values[GID_INSPECT_PREFIX] =
			PointerGetDatum(cstring_to_text_with_len(chars + id.prefix, id.prefix_length));
	}
	nulls[GID_INSPECT_BASE32HEX] = !id.is_ambiguous;
	values[GID_INSPECT_BASE32HEX] = PointerGetDatum(id.base32hex);
	return gid_row(fcinfo, values, nulls);
}

PG_FUNCTION_INFO_V1(gid_inspect_family);
Datum
gid_inspect_family(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {"trace", "snowflake", "decimal", "next"};
	text	   *family = PG_GETARG_TEXT_PP(0);
	char	   *name = text_to_cstring(family);

	for (int i = 0; i < (int) lengthof(names); i++)
	{
		if (strcmp(name, names[i]) == 0)
			PG_RETURN_TEXT_P(family);
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown family of 63-bit ids: \"%.*s\"",
					GID_SHOWN(name, (int) strlen(name))),
			 errdetail("The families are trace, snowflake, decimal and next."),
			 errhint("Name one of them, or leave the argument out.")));
}
