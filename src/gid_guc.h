/*-------------------------------------------------------------------------
 *
 * gid_guc.h
 *		The settings, as the families read them.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_GUC_H
#define GID_GUC_H

#define GID_LAUNCH_UNSET	(-1)
#define GID_MAX_BLOCK_SIZE	65536	/* also of a batch, and of a block for
									 * another server */
#define GID_SHARD_KEY_UNSET	INT64CONST(-1)

extern int	gid_node_no;		/* gid.node_no, 0..65535 */
extern int	gid_launch_id;		/* gid.launch_id, 0..99999 or unset */
extern int	gid_authority;		/* gid.authority, 0..15 */
extern char *gid_authorities;	/* gid.authorities, connection URIs or "" */
extern char *gid_decimal_authority; /* gid.decimal_authority, a URI or "" */

/* The value of such a setting was refused; whoever needs it gets an error. */
extern bool gid_authorities_refused;
extern bool gid_decimal_authority_refused;

extern int	gid_max_block_size; /* gid.max_block_size, 1..65536 */
extern int64 gid_shard_key;		/* gid.shard_key, 0..4294967295 or unset */

#endif							/* GID_GUC_H */
