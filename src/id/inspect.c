/*-------------------------------------------------------------------------
 *
 * id/inspect.c
 *		The C functions behind gid_inspect(): read a text, check a family's
 *		name.
 *
 * gid_inspect() itself is SQL, in gid--2.0.sql, because it calls the functions
 * of all families, and no family's C code knows another family.  No function
 * here runs SQL.
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
#include "utils/uuid.h"

#include "base/args.h"
#include "base/compat.h"
#include "layout/gdid.h"
#include "text/id_text.h"
#include "text/typeid_text.h"

/* The forms of a text, in the part "form" and in messages. */
static const char *const gid_form_names[GID_NFORMS] = {
	[GID_FORM_UUID] = "UUID",
	[GID_FORM_ULID] = "ULID",
	[GID_FORM_BASE32HEX] = "base32hex",
	[GID_FORM_TYPEID] = "TypeID",
	[GID_FORM_UUID_CROCKFORD] = "Crockford text of a uuid",
	[GID_FORM_GDID] = "GDID",
	[GID_FORM_GDID_HEX] = "hexadecimal GDID",
	[GID_FORM_GDID_CROCKFORD] = "Crockford text of a gdid",
	[GID_FORM_BIGINT] = "decimal number",
	[GID_FORM_BIGINT_CROCKFORD] = "Crockford text of a bigint",
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
							  gid_form_names[form]);
			break;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("cannot read \"%.*s\" as an id",
					GID_SHOWN(VARDATA_ANY(given), VARSIZE_ANY_EXHDR(given))),
			 errdetail("%s", detail),
			 errhint("Give a UUID, also in base32hex, a ULID, a GDID (era:authority:counter, 24 hexadecimal digits or 20 characters of Crockford's alphabet), a decimal bigint, or a prefix, an underscore and 26, 20 or 1 to 13 characters of Crockford's alphabet. Decode any other text of gid_encode() first, for example gid_inspect(gid_decode_bigint('2JG', 'crockford')).")));
}

/* Fill the column of the id's type: uuid, gdid or bigint. */
static void
gid_inspect_put_id(const GidIdText *id, Datum *values, bool *nulls)
{
	switch (id->form)
	{
		case GID_FORM_UUID:
		case GID_FORM_ULID:
		case GID_FORM_BASE32HEX:
		case GID_FORM_TYPEID:
		case GID_FORM_UUID_CROCKFORD:
			values[0] = PointerGetDatum((void *) id->bytes);
			nulls[0] = false;
			break;
		case GID_FORM_GDID:
		case GID_FORM_GDID_HEX:
		case GID_FORM_GDID_CROCKFORD:
			values[1] = PointerGetDatum((void *) id->bytes);
			nulls[1] = false;
			break;
		case GID_FORM_BIGINT:
		case GID_FORM_BIGINT_CROCKFORD:
			values[2] = Int64GetDatum(id->number);
			nulls[2] = false;
			break;
	}
}

PG_FUNCTION_INFO_V1(gid_inspect_text);
Datum
gid_inspect_text(PG_FUNCTION_ARGS)
{
	text	   *given = PG_GETARG_TEXT_PP(0);
	const char *chars = VARDATA_ANY(given);
	Datum		values[5] = {0};
	bool		nulls[5] = {false, true, true, true, true};
	GidIdText	id;
	GidIdFault	fault = gid_idtext_parse(chars, VARSIZE_ANY_EXHDR(given), &id);

	if (fault != GID_IDTEXT_SOUND)
		gid_inspect_raise(fault, given, id.form);
	values[0] = CStringGetTextDatum(gid_form_names[id.form]);
	if (id.prefix_length > 0)
	{
		values[1] = PointerGetDatum(cstring_to_text_with_len(chars + id.prefix,
															 id.prefix_length));
		nulls[1] = false;
	}
	gid_inspect_put_id(&id, values + 2, nulls + 2);
	return gid_row(fcinfo, values, nulls);
}

PG_FUNCTION_INFO_V1(gid_inspect_base32hex);
Datum
gid_inspect_base32hex(PG_FUNCTION_ARGS)
{
	text	   *given = PG_GETARG_TEXT_PP(0);
	GidIdText	id;
	pg_uuid_t  *uuid;

	if (gid_idtext_parse(VARDATA_ANY(given), VARSIZE_ANY_EXHDR(given), &id) !=
		GID_IDTEXT_SOUND || !id.is_ambiguous)
		PG_RETURN_NULL();
	uuid = palloc(sizeof(pg_uuid_t));
	memcpy(uuid->data, id.base32hex, UUID_LEN);
	PG_RETURN_UUID_P(uuid);
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
