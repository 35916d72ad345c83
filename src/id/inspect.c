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
#include "id/charset.h"
#include "id/families.h"
#include "layout/gdid.h"
#include "text/id_text.h"
#include "text/typeid.h"

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

/* Do texts of this form have hexadecimal digits? */
static bool
gid_inspect_is_hex(GidIdForm form)
{
	return form == GID_FORM_UUID || form == GID_FORM_GDID_HEX;
}

/* Say what is wrong with a text that nearly has a form. */
static const char *
gid_inspect_nearly(const GidFault *fault, const char *chars, int length, GidIdForm form)
{
	const char *name = gid_forms[form].name;
	char		shown[GID_SHOWN_CHARACTER_SIZE];
	int			number;

	if (fault->kind == GID_FAULT_LENGTH)
		return psprintf("The text nearly has the form \"%s\": %d %s, %d expected.", name,
						fault->found,
						gid_inspect_is_hex(form) ? "hexadecimal digits" : "characters",
						fault->expected);
	number = gid_charset_show(chars, length, fault->at, shown);
	if (fault->kind == GID_FAULT_HYPHEN)
		return psprintf("The text nearly has the form \"%s\": the hyphen at position %d is not between groups of four digits.",
						name, number);
	return psprintf("The text nearly has the form \"%s\": \"%s\" at position %d is not %s.",
					name, shown, number,
					gid_inspect_is_hex(form) ? "a hexadecimal digit" : "in Crockford's alphabet");
}

/* Say what is wrong with a text, as the detail of an error. */
static const char *
gid_inspect_detail(const GidFault *fault, const char *chars, int length, GidIdForm form)
{
	switch (fault->kind)
	{
		case GID_FAULT_EMPTY:
			return "The text is empty.";
		case GID_FAULT_UNKNOWN:
			return "The text has none of the forms of an id.";
		case GID_FAULT_PREFIX:
			return psprintf("A prefix has 1 to %d lower-case letters and underscores, and a letter at both ends.",
							GID_TYPEID_MAX_PREFIX);
		default:
			break;
	}
	if (form == GID_FORM_GDID)
		return gid_gdid_detail(fault);
	if (fault->kind != GID_FAULT_TOO_LARGE)
		return gid_inspect_nearly(fault, chars, length, form);
	return psprintf("The text has the form \"%s\", but its number is too large for this form.",
					gid_forms[form].name);
}

/* Raise 22P02: the text stands for no id. */
static void
gid_inspect_raise(const GidFault *fault, const char *chars, int length, GidIdForm form)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("cannot read \"%.*s\" as an id", GID_SHOWN(chars, length)),
			 errdetail("%s", gid_inspect_detail(fault, chars, length, form)),
			 errhint("Give a UUID, a ULID, a GDID, a decimal bigint, or a lower-case prefix, an underscore and an id in Crockford's alphabet or in decimal. Decode any other text of gid_encode() first, for example gid_inspect(gid_decode_bigint('2JG', 'crockford')). Only its charset tells what a code is: see gid_code_normalize() and gid_check_valid().")));
}

/* One of the columns as_uuid, as_gdid and as_bigint is not NULL. */
PG_FUNCTION_INFO_V1(gid_inspect_text);
Datum
gid_inspect_text(PG_FUNCTION_ARGS)
{
	text	   *given = PG_GETARG_TEXT_PP(0);
	const char *chars = VARDATA_ANY(given);
	int			length = VARSIZE_ANY_EXHDR(given);
	Datum		values[GID_INSPECT_COLUMNS] = {0};
	bool		nulls[GID_INSPECT_COLUMNS];
	GidIdText	id;
	GidFault	fault;
	int			column;

	if (!gid_id_text_parse(chars, length, &id, &fault))
		gid_inspect_raise(&fault, chars, length, id.form);
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
