/*-------------------------------------------------------------------------
 *
 * attach/backend_slot.c
 *		The backends' slots: what each backend shows of the ids that it makes.
 *
 * State: a slot for each process number of the server.  Only the backend with
 * that number writes the slot, from attach to exit.  The number passes to
 * another process only after the exit callbacks, so two processes never write
 * one slot.
 *
 * Crash, restart: the slots are made again, empty.  A clock step has no
 * effect.  Standby: it has slots of its own.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"

#include "attach/backend_slot.h"
#include "base/compat.h"

StaticAssertDecl(!GID_ATOMICS_ARE_PLAIN || sizeof(GidSlotPadded) <= 256,
				 "a connection is to cost little memory");

GidSlot    *gid_slot = NULL;

/* All slots, one for each process number. */
static GidSlotPadded *gid_slots;

static Size
gid_slot_size(void)
{
	return mul_size(MaxBackends, sizeof(GidSlotPadded));
}

static void
gid_slot_init(void *part, int tranche)
{
	GidSlotPadded *slots = part;

	for (int i = 0; i < MaxBackends; i++)
	{
		GidSlot    *slot = &slots[i].slot;

		pg_atomic_init_u32(&slot->pid, 0);
		pg_atomic_init_u32(&slot->role, InvalidOid);
		for (int f = 0; f < GID_NFAMILIES; f++)
		{
			pg_atomic_init_u64(&slot->issued[f], 0);
			pg_atomic_init_u64(&slot->last[f], 0);
		}
	}
}

/* Exit callback: leave the slot. */
static void
gid_slot_leave(int code, Datum arg)
{
	if (gid_slot != NULL)
		pg_atomic_write_u32(&gid_slot->pid, 0);
	gid_slot = NULL;
}

static void
gid_slot_take(void)
{
	int			number = gid_my_proc_number();
	GidSlot    *slot;

	if (number < 0 || number >= MaxBackends)
		elog(ERROR, "process number %d has no slot", number);
	slot = &gid_slots[number].slot;
	for (int f = 0; f < GID_NFAMILIES; f++)
	{
		pg_atomic_write_u64(&slot->issued[f], 0);
		pg_atomic_write_u64(&slot->last[f], 0);
	}
	pg_atomic_write_u32(&slot->role, MyProc->roleId);
	before_shmem_exit(gid_slot_leave, (Datum) 0);
	pg_write_barrier();
	pg_atomic_write_u32(&slot->pid, MyProcPid);
	gid_slot = slot;
}

const GidPart gid_slot_part = {
	.size_of = gid_slot_size,
	.init = gid_slot_init,
	.where = (void **) &gid_slots,
	.attach = gid_slot_take,
};

/*
 * Return the slot of a process number, 0 to MaxBackends - 1.  Attaches this
 * backend: see gid_attach() for the errors.
 */
GidSlot *
gid_slot_of(int number)
{
	(void) gid_slot_mine();
	return &gid_slots[number].slot;
}
