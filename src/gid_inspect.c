/*-------------------------------------------------------------------------
 *
 * gid_inspect.c
 *		The names of the families of 63-bit ids that gid_inspect() takes.
 *
 * gid_inspect() itself is SQL (gid--1.0.sql), put together from the extractors
 * of the families; what SQL cannot do is raise an error.
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

/*
 * gid_inspect_family(family text) -> text
 *
 * The name as it is if it is trace, decimal or next; else 22023.
 */
PG_FUNCTION_INFO_V1(gid_inspect_family);
Datum
gid_inspect_family(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {"trace", "decimal", "next"};
	text	   *family = PG_GETARG_TEXT_PP(0);
	char	   *name = text_to_cstring(family);

	for (int i = 0; i < (int) lengthof(names); i++)
	{
		if (strcmp(name, names[i]) == 0)
			PG_RETURN_TEXT_P(family);
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown family of 63-bit ids: \"%s\"", name),
			 errdetail("The families are trace, decimal and next."),
			 errhint("Name one of them, or leave it out to have it found.")));
}
