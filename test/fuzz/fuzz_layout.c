/*-------------------------------------------------------------------------
 *
 * fuzz_layout.c
 *		The layouts of src/layout: put together, taken apart, their order.
 *
 * The second implementation is the ruler of test/unit (bits as text), the .NET
 * array byte by byte, decimal digits as text, and for the growing words whole
 * numbers of 128 bits.  Ids are also made of any bytes, not only of parts.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "base/bits.h"
#include "layout/decimal_id.h"
#include "layout/snowflake_id.h"
#include "layout/trace_id.h"
#include "layout/uuid_sequential.h"
#include "layout/uuid_shard.h"
#include "layout/uuid_v7.h"
#include "layout/variant.h"
#include "fuzz.h"
#include "../plain/ruler.h"
#include "../plain/wide.h"
#include "../plain/word.h"

enum
{
	V7, SEQUENTIAL, MSSQL, SHARD, TRACE, DECIMAL, WORD, BYTE, SNOWFLAKE, KINDS
};

const char *const fuzz_outcomes[] = {
	"v7", "sequential", "mssql", "shard", "trace", "decimal", "word", "byte",
	"snowflake", NULL
};

static void
take_bytes(FuzzInput *in, uint8 *bytes, int n)
{
	for (int i = 0; i < n; i++)
		bytes[i] = fuzz_byte(in);
}

static int
sign(int order)
{
	return (order > 0) - (order < 0);
}

static void
check_v7(FuzzInput *in)
{
	Ruler		r = {0};
	uint64		word = fuzz_number(in);
	uint64		random = fuzz_number(in);
	uint64		other = fuzz_number(in);
	uint8		uuid[16];
	uint8		second[16];
	uint8		any[16];

	gid_v7_pack(uuid, word, random);
	ruler_put(&r, 0, 48, word / 65536);
	ruler_put(&r, 48, 52, 7);
	ruler_put(&r, 52, 64, word / 16);
	ruler_put(&r, 64, 66, 2);
	ruler_put(&r, 66, 70, word);
	ruler_put(&r, 70, 128, random);
	fuzz_check(ruler_is(&r, uuid, 16), "not %s", r.bits);
	fuzz_check(gid_is_v7(uuid) && gid_uuid_version(uuid) == 7 &&
			   gid_v7_ms(uuid) == (int64) (word / 65536), "parts of %s", r.bits);

	/* the words order the ids, whatever the random bits are */
	gid_v7_pack(second, other, ~random);
	if (other != word)
		fuzz_check((memcmp(uuid, second, 16) < 0) == (word < other),
				   "order of %s", r.bits);

	take_bytes(in, any, 16);
	memset(&r, 0, sizeof(r));
	for (int i = 0; i < 16; i++)
		ruler_put(&r, 8 * i, 8 * i + 8, any[i]);
	fuzz_check(gid_uuid_has_rfc_variant(any) == (strncmp(r.bits + 64, "10", 2) == 0) &&
			   gid_uuid_version(any) == (int) ruler_get(&r, 48, 52) &&
			   gid_is_v7(any) == (strncmp(r.bits + 48, "0111", 4) == 0 &&
								  strncmp(r.bits + 64, "10", 2) == 0),
			   "version and variant of %s", r.bits);
	fuzz_check(gid_v7_ms(any) == (int64) ruler_get(&r, 0, 48), "time of %s", r.bits);
}

/* Seconds from 0001-01-01 to the first day of a year, year by year. */
static uint64
plain_year_seconds(int year)
{
	uint64		days = 0;

	for (int y = 1; y < year; y++)
		days += 365 + ((y % 4 == 0 && y % 100 != 0) || y % 400 == 0);
	return days * 86400;
}

static void
check_sequential(FuzzInput *in)
{
	static uint64 year_1970;
	static uint64 year_2200;
	static uint64 year_10000;
	uint64		ticks = fuzz_number(in);
	uint8		process[8];
	uint8		back[8];
	uint8		array[16];
	uint8		network[16];
	uint8		uuid[16];
	uint8		mssql[16];
	int			version;
	bool		plausible;

	if (year_1970 == 0)
	{
		year_1970 = plain_year_seconds(1970) * 10000000;
		year_2200 = plain_year_seconds(2200) * 10000000;
		year_10000 = plain_year_seconds(10000) * 10000000;
	}
	switch (fuzz_byte(in) % 8)
	{
		case 0:
			ticks += year_1970;
			break;
		case 1:
			ticks += year_2200;
			break;
		case 2:
			ticks += year_10000;
			break;
		default:
			break;
	}
	take_bytes(in, process, 8);

	/* the published array, as .NET writes it, then in PostgreSQL's order */
	memcpy(array, process, 8);
	array[8] = (uint8) (ticks / 256);
	array[9] = (uint8) ticks;
	for (int i = 0; i < 6; i++)
		array[10 + i] = (uint8) (ticks / 65536 >> 8 * (5 - i));
	ruler_from_dotnet(array, network);

	gid_sequential_pack(uuid, ticks, process);
	gid_to_mssql(uuid, mssql);
	fuzz_check(memcmp(mssql, network, 16) == 0, "SQL Server's form of %s",
			   ruler_uuid_text(uuid));
	gid_sequential_process(uuid, back);
	fuzz_check(gid_sequential_ticks(uuid) == ticks && memcmp(back, process, 8) == 0,
			   "parts of %s", ruler_uuid_text(uuid));

	version = uuid[6] / 16;
	plausible = ticks < year_10000;
	if (uuid[8] >= 128 && uuid[8] < 192 && version >= 1 && version <= 8)
		plausible = ticks >= year_1970 && ticks < year_2200;
	fuzz_check(gid_sequential_is_plausible(uuid) == plausible, "%s is %s",
			   ruler_uuid_text(uuid), plausible ? "plausible" : "not plausible");
}

static void
check_mssql(FuzzInput *in)
{
	uint8		n[2][16];
	uint8		s[2][16];
	uint8		back[16];
	uint8		process[8];

	for (int i = 0; i < 2; i++)
	{
		take_bytes(in, n[i], 16);
		gid_to_mssql(n[i], s[i]);
		gid_from_mssql(s[i], back);
		fuzz_check(memcmp(back, n[i], 16) == 0, "%s there and back",
				   ruler_uuid_text(n[i]));
	}
	fuzz_check(sign(memcmp(n[0], n[1], 16)) == ruler_mssql_order(s[0], s[1]),
			   "order of %s", ruler_uuid_text(n[0]));
	gid_sequential_process(n[0], process);
	gid_sequential_pack(back, gid_sequential_ticks(n[0]), process);
	fuzz_check(memcmp(back, n[0], 16) == 0, "%s apart and together",
			   ruler_uuid_text(n[0]));
}

static void
check_shard(FuzzInput *in)
{
	uint64		word = fuzz_number(in);
	uint32		shard = (uint32) fuzz_number(in);
	uint64		seconds = word / 16777216 % (UINT64CONST(1) << 32);
	uint32		counter = (uint32) (word % 16777216);
	uint8		generator[5];
	uint8		back[5];
	uint8		array[16];
	uint8		network[16];
	uint8		uuid[16];
	uint8		any[16];

	take_bytes(in, generator, 5);
	for (int i = 0; i < 4; i++)
	{
		array[i] = (uint8) (seconds >> 8 * i);
		array[12 + i] = (uint8) (shard >> 8 * i);
	}
	memcpy(array + 4, generator, 5);
	for (int i = 0; i < 3; i++)
		array[9 + i] = (uint8) (counter >> 8 * (2 - i));
	ruler_from_dotnet(array, network);
	gid_shard_pack(uuid, word, generator, shard);
	fuzz_check(memcmp(uuid, network, 16) == 0, "not %s", ruler_uuid_text(network));

	gid_shard_generator(uuid, back);
	fuzz_check(gid_shard_seconds(uuid) == seconds && gid_shard_counter(uuid) == counter &&
			   gid_shard_key_of(uuid) == shard && memcmp(back, generator, 5) == 0,
			   "parts of %s", ruler_uuid_text(uuid));

	/* any UUID has these parts, and is made of them */
	take_bytes(in, any, 16);
	gid_shard_generator(any, back);
	gid_shard_pack(uuid, gid_shard_seconds(any) * UINT64CONST(16777216) +
				   gid_shard_counter(any), back, gid_shard_key_of(any));
	fuzz_check(memcmp(uuid, any, 16) == 0, "%s apart and together",
			   ruler_uuid_text(any));
}

static void
check_trace(FuzzInput *in)
{
	Ruler		r = {0};
	uint64		seconds = fuzz_number(in);
	uint32		node = (uint32) fuzz_number_to(in, 65535);
	uint32		low = (uint32) fuzz_number_to(in, (1 << 22) - 1);
	int64		id = gid_trace_pack(seconds, node, low);
	int64		any = (int64) fuzz_number(in);

	ruler_put(&r, 0, 1, 0);
	ruler_put(&r, 1, 26, seconds);
	ruler_put(&r, 26, 42, node);
	ruler_put(&r, 42, 64, low);
	fuzz_check((uint64) id == ruler_get(&r, 0, 64), INT64_FORMAT " is not %s", id,
			   r.bits);
	for (int i = 0; i < 2; i++)
	{
		memset(&r, 0, sizeof(r));
		ruler_put(&r, 0, 64, (uint64) id);
		fuzz_check(gid_trace_low(id) == ruler_get(&r, 42, 64) &&
				   gid_trace_node(id) == ruler_get(&r, 26, 42), "parts of %s", r.bits);
		fuzz_check(gid_is_trace(id) ==
				   (id > 0 && strcmp(r.bits + 42, "0000000000000000000000") != 0),
				   "%s is one or is none", r.bits);
		if (id >= 0)
			fuzz_check(gid_trace_seconds(id) == (int64) ruler_get(&r, 1, 26),
					   "seconds of %s", r.bits);
		/* and those of any number */
		id = any;
	}
}

static void
check_decimal(FuzzInput *in)
{
	int32		counter = 1 + (int32) fuzz_number_to(in, 922337201);
	int32		generator = (int32) fuzz_number_to(in, 99999);
	int32		launch = (int32) fuzz_number_to(in, 99999);
	int64		id = gid_decimal_pack(counter, generator, launch);
	int64		any = (int64) fuzz_number(in);
	char		string[64];
	char		wanted[64];
	size_t		length;

	sprintf(wanted, "%d%05d%05d", counter, generator, launch);
	sprintf(string, INT64_FORMAT, id);
	fuzz_check(strcmp(string, wanted) == 0, "%s instead of %s", string, wanted);
	fuzz_check(gid_is_decimal(id) && gid_decimal_counter(id) == counter &&
			   gid_decimal_generator(id) == generator &&
			   gid_decimal_launch(id) == launch, "parts of %s", string);

	/* any number, by its digits */
	sprintf(string, INT64_FORMAT, any);
	length = strlen(string);
	fuzz_check(gid_is_decimal(any) ==
			   (any > 0 && length > 10 &&
				(length < 19 || strcmp(string, "9223372029999999999") <= 0)),
			   "%s is one or is none", string);
	if (!gid_is_decimal(any))
		return;
	sprintf(wanted, "%d%05d%05d", gid_decimal_counter(any), gid_decimal_generator(any),
			gid_decimal_launch(any));
	fuzz_check(strcmp(string, wanted) == 0, "%s instead of %s", wanted, string);
}

static void
check_word(FuzzInput *in)
{
	GidWordId	id = (GidWordId) (fuzz_byte(in) % GID_NWORDS);
	const PlainWord *plain = &plain_words[id];
	Wide		step = plain->counts ? plain->parts : 1;
	int64		seconds = (int64) fuzz_number_to(in, GID_LAST_SECOND);
	int64		ns = (int64) fuzz_number_to(in, 999999999);
	uint64		any = fuzz_number(in);
	uint64		last = fuzz_number(in);
	Wide		rate = (Wide) plain->ticks * plain->parts;
	Wide		epoch = plain->epoch_s * rate;
	Wide		units;
	Wide		next;
	uint64		word;
	int64		us;

	word = gid_word_at(id, seconds, ns);
	units = (seconds * (Wide) 1000000000 + ns) * rate / 1000000000 / step * step;
	fuzz_check((Wide) word == epoch + units, "word %d of " INT64_FORMAT " s "
			   INT64_FORMAT " ns is " UINT64_FORMAT, id, seconds, ns, word);
	us = seconds * 1000000 + ns / 1000;
	fuzz_check(gid_word_at_us(id, us) == gid_word_at(id, seconds, ns / 1000 * 1000),
			   "word %d of " INT64_FORMAT " us", id, us);

	units = (Wide) any - epoch;
	if (units < 0)
		units = 0;
	units = units / step * step * 1000000 / rate;
	fuzz_check(gid_word_us(id, any) == (int64) units, "moment of word %d "
			   UINT64_FORMAT, id, any);
	fuzz_check(gid_word_us(id, word) <= us, "word %d of " INT64_FORMAT " us, back",
			   id, us);

	/* a word near the moment, or any */
	if (last % 2 == 0)
		last = word + last % 4096 - 2048;
	if (last >= PG_UINT64_MAX - 1)
		return;
	next = (Wide) last + 1;
	if (next < (Wide) word)
		next = word;
	if (id == GID_WORD_TRACE && next % 1024 == 0)
		next++;
	if (id == GID_WORD_SHARD)
	{
		Wide		of_now = word + ((Wide) last + 1) % 16777216;

		next = (Wide) last + 1;
		if (next < of_now)
			next = of_now;
	}
	fuzz_check((Wide) gid_word_step(id, last, word) == next, "word %d after "
			   UINT64_FORMAT " at " UINT64_FORMAT, id, last, word);
}

static void
check_byte(FuzzInput *in)
{
	uint16		random = (uint16) fuzz_word(in, 2);
	uint8		b = gid_byte8_from_random(random);
	int64		a = (int64) fuzz_number(in);
	int64		divisor = 1 + (int64) fuzz_number_to(in, PG_INT64_MAX - 1);
	Wide		quotient = gid_floor_div(a, divisor);
	int			place = 0;

	/* the byte is the random-th, counted round, of those without 10 */
	for (int i = 0; i < b; i++)
		place += i / 64 != 2;
	fuzz_check(b / 64 != 2 && place == random % 192, "byte %d of %d", b, random);
	fuzz_check(quotient * divisor <= a && (quotient + 1) * divisor > a,
			   INT64_FORMAT " / " INT64_FORMAT, a, divisor);
}

static void
check_snowflake(FuzzInput *in)
{
	Ruler		r = {0};
	int64		ms = (int64) fuzz_number_to(in, (INT64CONST(1) << 41) - 1);
	uint32		node = (uint32) fuzz_number_to(in, 1023);
	uint32		sequence = (uint32) fuzz_number_to(in, 4095);
	int64		id = gid_snowflake_pack(ms, node, sequence);
	int64		any = (int64) fuzz_number(in);

	ruler_put(&r, 0, 1, 0);
	ruler_put(&r, 1, 42, ms);
	ruler_put(&r, 42, 52, node);
	ruler_put(&r, 52, 64, sequence);
	fuzz_check((uint64) id == ruler_get(&r, 0, 64), INT64_FORMAT " is not %s", id,
			   r.bits);
	for (int i = 0; i < 2; i++)
	{
		memset(&r, 0, sizeof(r));
		ruler_put(&r, 0, 64, (uint64) id);
		fuzz_check(gid_snowflake_node(id) == ruler_get(&r, 42, 52) &&
				   gid_snowflake_sequence(id) == ruler_get(&r, 52, 64),
				   "parts of %s", r.bits);
		fuzz_check(gid_is_snowflake(id) == (id > 0), "%s is one or is none", r.bits);
		if (id >= 0)
			fuzz_check(gid_snowflake_ms(id) == (int64) ruler_get(&r, 1, 42),
					   "milliseconds of %s", r.bits);
		fuzz_check(gid_snowflake_holds(id) ==
				   (strspn(r.bits, "0") >= 64 - 41), "41 bits for %s", r.bits);
		/* and those of any number */
		id = any;
	}
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	static void (*const checks[KINDS]) (FuzzInput *) = {
		check_v7, check_sequential, check_mssql, check_shard, check_trace,
		check_decimal, check_word, check_byte, check_snowflake,
	};
	FuzzInput	in = {data, size};
	int			kind = fuzz_byte(&in) % KINDS;

	fuzz_note(kind);
	checks[kind] (&in);
	return 0;
}
