/*-------------------------------------------------------------------------
 *
 * base/settings.h
 *		The settings, as the families read them.
 *
 * A number below 0 is unset, so one comparison is enough on the path of an id.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_BASE_SETTINGS_H
#define GID_BASE_SETTINGS_H

#define GID_SETTING_UNSET	(-1)

/* Limits of a lease of a node number, in seconds. */
#define GID_MIN_NODE_LEASE_S	10
#define GID_MAX_NODE_LEASE_S	3600

/* Greatest gid.node_lease_max, in seconds. */
#define GID_MAX_NODE_LEASE_MAX_S	86400

/* Largest block of a sequence, batch of ids, and block for another server. */
#define GID_MAX_BLOCK_SIZE	65536

/*
 * The default of gid.max_block_size: a million values cost some 60 flushes.
 * The default of gid.timeline_skip is more than two such blocks, the one in
 * use and the one ahead.
 */
#define GID_DEFAULT_BLOCK_SIZE	16384
#define GID_DEFAULT_TIMELINE_SKIP	40000

/* Sequences that have blocks in memory: about 300 bytes each. */
#define GID_DEFAULT_SEQUENCES	100000
#define GID_MIN_SEQUENCES		10
#define GID_MAX_SEQUENCES		10000000

/* The values in this process.  PostgreSQL's GUC machinery writes them. */
extern int	gid_node_no;		/* gid.node_no, 0..65535, or below 0 */
extern int	gid_launch_id;		/* gid.launch_id, 0..99999, or below 0 */
extern int64 gid_shard_key;		/* gid.shard_key, 0..4294967295, or below 0 */
extern int	gid_authority;		/* gid.authority, 0..15, or below 0 */

extern char *gid_authorities;	/* gid.authorities, connection URIs */
extern char *gid_decimal_authority; /* gid.decimal_authority, one URI */

extern char *gid_node_authority;	/* gid.node_authority, one URI */
extern int	gid_node_lease_s;	/* gid.node_lease, 10..3600 */
extern int	gid_node_max;		/* gid.node_max, 0..65535 */
extern int	gid_node_first;		/* gid.node_first, 0..65535 */
extern int	gid_node_lease_max_s;	/* gid.node_lease_max, 10..86400 */

extern bool gid_serve_nextval_is_on;	/* gid.serve_nextval */
extern int	gid_max_block_size; /* gid.max_block_size, 1..65536 */
extern int	gid_max_sequences;	/* gid.max_sequences, 10..10000000 */
extern int	gid_timeline_skip_setting;	/* gid.timeline_skip, 0..2147483647 */
extern bool gid_wait_for_standbys;	/* gid.wait_for_standbys */

extern void gid_setting_raise(const char *name);
extern void gid_setting_need(const char *name);
extern bool gid_setting_names_servers(const char *uris, const char *name);

extern void gid_setting_begin_define(void);
extern void gid_setting_end_define(void);
extern void gid_setting_note_dropped(const char *name, int source);
extern bool gid_setting_is_dropped(const char *name, int source);

#endif							/* GID_BASE_SETTINGS_H */
