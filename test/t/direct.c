/*
 * A function for 018_first_call.pl that calls the function of gid with its own
 * name and arguments, as DirectFunctionCall1() of another extension does: the
 * function has no FmgrInfo.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/lsyscache.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(direct_call);
Datum
direct_call(PG_FUNCTION_ARGS)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	char	   *name = get_func_name(flinfo->fn_oid);
	PGFunction	function = load_external_function("$libdir/gid", name, true, NULL);
	Datum		result;

	fcinfo->flinfo = NULL;
	result = function(fcinfo);
	fcinfo->flinfo = flinfo;
	return result;
}
