/*-------------------------------------------------------------------------
 *
 * server.h
 *		gid's own sources in a program, with the server around them replaced.
 *
 * The program includes the sources that make ids, so what the simulations
 * count are ids of the functions that SQL calls.  Replaced are the clocks, the
 * random source, gid.clock, memory, locks, errors and waits.  What the sources
 * refer to beyond that is not reached; the linker leaves it out
 * (--gc-sections).
 *
 * There may be many servers, one of them in use at a time.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef SERVER_H
#define SERVER_H

#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/latch.h"

#include "base/args.c"
#include "sequence/arithmetic.c"
#include "sequence/block.c"
#include "sequence/block_size.c"
#include "clock/bound.c"
#include "clock/server_time.c"
#include "clock/word.c"
#include "decimal/lease.c"
#include "clock/leave.c"
#include "text/alphabet.c"
#include "text/lexical.c"
#include "base/random.c"
#include "attach/backend_slot.c"
#include "id/trace_id.c"
#include "id/uuid_sequential.c"
#include "id/uuid_shard.c"
#include "id/uuid_v7.c"

#include "../unit/tap.h"

#define NS_PER_S		INT64CONST(1000000000)

/* 2026-01-01 00:00:00 UTC */
#define SERVER_BEGAN_NS	(INT64CONST(1767225600) * NS_PER_S)

/* What lives from one start of a server to the next, and gid.clock. */
typedef struct Server
{
	GidClockPart clock;
	uint8		process[GID_PROCESS_BYTES];
	uint8		generator[GID_GENERATOR_BYTES];
	bool		has_file;
	uint64		file_words[GID_NWORDS];
} Server;

static int64 wall_ns;			/* CLOCK_REALTIME */
static int64 monotonic_ns;		/* CLOCK_MONOTONIC */
static int	monotonic_looks;	/* how often it was read */

/*
 * What is random: of each 8 bytes that a backend buys these bits, the others
 * are 0; and of the bytes that a server's start draws for its process id and
 * its generator.
 */
static uint64 random_bits = PG_UINT64_MAX;
static uint64 random_start = PG_UINT64_MAX;

/* A bit of a purchase, counted through its words, that is 1; -1: none. */
static int	random_one = -1;

static Server *server;
static GidSlot server_slot;

/* ---- what the sources call ---- */

int			gid_node_no = 0;
int64		gid_shard_key = GID_SETTING_UNSET;

volatile sig_atomic_t InterruptPending = false;
volatile uint32 InterruptHoldoffCount = 0;
bool		IsUnderPostmaster = true;
int			ParallelWorkerNumber = -1;
sigset_t	BlockSig;
volatile sig_atomic_t postmaster_possibly_dead = false;
struct Latch *MyLatch = NULL;

int
clock_gettime(clockid_t id, struct timespec *ts)
{
	int64		ns = id == CLOCK_MONOTONIC ? monotonic_ns : wall_ns;

	monotonic_looks += id == CLOCK_MONOTONIC;
	ts->tv_sec = ns / NS_PER_S;
	ts->tv_nsec = ns % NS_PER_S;
	return 0;
}

bool
pg_strong_random(void *bytes, size_t count)
{
	uint8	   *at = bytes;

	if (count == GID_RANDOM_BUFFER_BYTES)
	{
		for (size_t i = 0; i < count / sizeof(uint64); i++)
		{
			uint64		v = tap_random() & random_bits;

			if (random_one >= 0 && (size_t) random_one / 64 == i)
				v |= UINT64CONST(1) << random_one % 64;
			memcpy(at + i * sizeof(v), &v, sizeof(v));
		}
	}
	else
	{
		uint64		v = tap_random();

		/* the numbers of 2 and 4 bytes are always whole */
		if (count == GID_PROCESS_BYTES || count == GID_GENERATOR_BYTES)
			v &= random_start;
		else if (count != sizeof(uint32) && count != sizeof(uint16))
			abort();
		memcpy(at, &v, count);
	}
	return true;
}

GidClockFileState
gid_clock_file_read(uint64 *system_identifier, uint64 words[GID_NWORDS],
					GidClockFileError *error)
{
	memset(error, 0, sizeof(*error));
	if (!server->has_file)
		return GID_CLOCK_FILE_MISSING;
	memcpy(words, server->file_words, sizeof(server->file_words));
	return GID_CLOCK_FILE_READ;
}

bool
gid_clock_file_write(uint64 system_identifier, const uint64 words[GID_NWORDS],
					 GidClockFileError *error)
{
	memset(error, 0, sizeof(*error));
	memcpy(server->file_words, words, sizeof(server->file_words));
	server->has_file = true;
	return true;
}

int
gid_clock_file_errcode(const GidClockFileError *error)
{
	return 0;
}

/* There is no page, and no setval(). */
void
gid_page_init_mark(GidPageMark *mark)
{
	pg_atomic_init_u64(&mark->valid_from, 0);
}

uint64
GetSystemIdentifier(void)
{
	return 1;
}

/* The server was never promoted. */
ControlFileData *
get_controlfile(const char *directory, bool *crc_is_good)
{
	static ControlFileData control = {.checkPointCopy = {.ThisTimeLineID = 1}};

	*crc_is_good = true;
	return &control;
}

void
pfree(void *pointer)
{
}

/* The last few ids, which is all that the simulations look at. */
void *
palloc(Size size)
{
	static char memory[16][64] pg_attribute_aligned(8);
	static int	n = 0;

	if (size > sizeof(memory[0]))
		abort();
	return memory[n++ % lengthof(memory)];
}

/* A wait passes on the spot. */
int
WaitLatch(Latch *latch, int wakeEvents, long timeout, uint32 wait_event_info)
{
	wall_ns += timeout * GID_US_PER_MS * GID_NS_PER_US;
	monotonic_ns += timeout * GID_US_PER_MS * GID_NS_PER_US;
	return WL_TIMEOUT;
}

void
pg_usleep(long microsec)
{
	wall_ns += microsec * GID_NS_PER_US;
	monotonic_ns += microsec * GID_NS_PER_US;
}

void
ResetLatch(Latch *latch)
{
}

/* There is one process, so no lock is ever waited for. */
bool
LWLockAcquire(LWLock *lock, LWLockMode mode)
{
	return true;
}

void
LWLockRelease(LWLock *lock)
{
}

void
ConditionVariableInit(ConditionVariable *cv)
{
}

void
ConditionVariableBroadcast(ConditionVariable *cv)
{
}

Size
mul_size(Size a, Size b)
{
	return a * b;
}

/* A LOG line is not written; an error ends the program. */
bool
errstart(int elevel, const char *domain)
{
	if (elevel >= ERROR)
	{
		printf("Bail out! gid raised an error\n");
		fflush(stdout);
		abort();
	}
	return false;
}

bool
errstart_cold(int elevel, const char *domain)
{
	return errstart(elevel, domain);
}

/* ---- what the simulations call ---- */

/* Go on with another server. */
static inline void
server_use(Server *s)
{
	server = s;
	gid_clock = &s->clock;
	gid_sequential_process_id = s->process;
	gid_shard_generator_bytes = s->generator;
}

/* The random bytes of a start. */
static inline void
server_draw(Server *s)
{
	gid_sequential_part_init(s->process, 0);
	gid_shard_part_init(s->generator, 0);
}

/* Start a server: what a start or a crash sets up.  Its gid.clock stays. */
static inline void
server_start(Server *s)
{
	server_use(s);
	gid_slot = &server_slot;
	gid_random_buffer.used = GID_RANDOM_BUFFER_BYTES;
	server_draw(s);
	gid_clock_init(&s->clock, 0);
}

/* Stop it: the last backend goes out. */
static inline void
server_stop(void)
{
	pg_atomic_write_u32(&gid_clock->clock.attached, 1);
	gid_leave_counted = true;
	gid_leave(0, (Datum) 0);
}

/* The same for a new server, which has no gid.clock. */
static inline void
server_make(Server *s)
{
	s->has_file = false;
	server_start(s);
}

/* Have the clocks, the wall clock at least, at a moment. */
static inline void
server_at(int64 ns)
{
	monotonic_ns += ns > wall_ns ? ns - wall_ns : 0;
	wall_ns = ns;
}

static inline pg_uuid_t
server_v7(void)
{
	return *DatumGetUUIDP(gid_uuid_v7(NULL));
}

static inline pg_uuid_t
server_sequential(void)
{
	return *DatumGetUUIDP(gid_uuid_sequential(NULL));
}

static inline pg_uuid_t
server_shard(uint32 shard)
{
	return *gid_shard_next(shard);
}

/* The word that a shard-key UUID was made of. */
static inline uint64
server_shard_word(pg_uuid_t id)
{
	return (uint64) gid_shard_seconds(id.data) << GID_SHARD_COUNTER_BITS |
		gid_shard_counter(id.data);
}

static inline int64
server_trace(void)
{
	return DatumGetInt64(gid_trace_id(NULL));
}

#endif							/* SERVER_H */
