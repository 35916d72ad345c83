/*-------------------------------------------------------------------------
 *
 * id/uuid_mask.c
 *		gid_uuid_mask() and gid_uuid_unmask(): version 7 UUIDs that look random.
 *
 * A table keeps the UUID of version 7; the masked one is made where the id is
 * shown.  layout/uuid_mask.h has the format.  No message contains the key or a
 * part of it.
 *
 * State: none.
 *
 * References: uuidv47 (stateless-me/uuidv47); RFC 9562, sections 5.4 and 5.7.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/uuid.h"

#include "base/args.h"
#include "base/compat.h"
#include "layout/uuid_mask.h"
#include "layout/variant.h"

/*
 * Return the UUID of the call's arguments, masked or unmasked, if it has
 * version "from"; its version becomes "to".  NULL for another version or
 * variant.  22023 when the length of the key is wrong.
 */
static Datum
gid_uuid_mask_turn_args(FunctionCallInfo fcinfo, int from, int to)
{
	const uint8 *uuid = PG_GETARG_UUID_P(0)->data;
	bytea	   *key = PG_GETARG_BYTEA_PP(1);
	int			length = VARSIZE_ANY_EXHDR(key);
	pg_uuid_t  *turned;

	if (unlikely(length != GID_SIPHASH_KEY_BYTES))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid length of a masking key: %d bytes", length),
				 errdetail("A key has %d bytes.", GID_SIPHASH_KEY_BYTES),
				 errhint("Make a key once with SELECT uuid_send(gen_random_uuid()), which has 122 random bits, and keep it.")));
	if (!gid_uuid_has_rfc_variant(uuid) || gid_uuid_version(uuid) != from)
		PG_RETURN_NULL();
	turned = palloc(sizeof(pg_uuid_t));
	gid_uuid_mask_turn(turned->data, uuid, to, (const uint8 *) VARDATA_ANY(key));
	PG_RETURN_UUID_P(turned);
}

GID_FUNCTION(gid_uuid_mask, gid_uuid_mask_turn_args(fcinfo, 7, 4))
GID_FUNCTION(gid_uuid_unmask, gid_uuid_mask_turn_args(fcinfo, 4, 7))
