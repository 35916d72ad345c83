/*-------------------------------------------------------------------------
 *
 * tables.c
 *		Prints the formulas and tables of doc/uniqueness.md.
 *
 * run.sh compares them with those that stand in the document.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "model.h"

/* What the document says in words. */
StaticAssertDecl(GID_V7_RANDOM_BITS == 58 && GID_V7_FRACTION_BITS == 16,
				 "version 7: 16 bits of fraction, 58 random ones");
StaticAssertDecl(GID_PROCESS_BYTES == 8 && GID_GENERATOR_BYTES == 5,
				 "a process id of eight bytes, a generator of five");
StaticAssertDecl(GID_SHARD_COUNTER_BITS == 24, "a counter of 24 bits");
StaticAssertDecl(GID_TRACE_SECOND_BITS == 25 && GID_TRACE_NODE_BITS == 16 &&
				 GID_TRACE_LOW_BITS == 22 && GID_TRACE_COUNTER_BITS == 10,
				 "TraceIds: 25 bits of seconds, 16 of node, 12 and 10");
StaticAssertDecl(GID_DECIMAL_MAX_GENERATOR == 99999 && GID_DECIMAL_MAX_LAUNCH == 99999,
				 "DecimalIds: five digits of generator, five of launch");
StaticAssertDecl(GID_GDID_AUTHORITY_BITS == 4 && GID_GDID_COUNTER_BITS == 60,
				 "GDIDs: four bits of authority, 60 of counter");
StaticAssertDecl(GID_RESERVE_LASTS_US == GID_US_PER_S / 2,
				 "block() in model.h has the rule of the code");

#define DAY		86400.0
#define WEEK	(7 * DAY)
#define MONTH	(YEAR / 12)

/* ---- numbers as text ---- */

#define TEXTS	16
#define TEXT	48

static char *
new_text(void)
{
	static char texts[TEXTS][TEXT];
	static int	n = 0;

	return texts[n++ % TEXTS];
}

/* A whole number, with commas. */
static const char *
whole(double x)
{
	char	   *out = new_text();
	char		digits[TEXT];
	int			n = snprintf(digits, sizeof(digits), "%.0f", x);
	int			at = 0;

	for (int i = 0; i < n; i++)
	{
		if (i > 0 && (n - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = '\0';
	return out;
}

/* Two digits and a power of ten, or a plain number where that is short. */
static const char *
rough(double x)
{
	char	   *out = new_text();
	int			power;

	if (x == 0)
		return "0";
	power = (int) floor(log10(x));
	if (x / pow(10, power) >= 9.95)
		power++;
	if (power >= 2 && power <= 6)
		return whole(round(x / pow(10, power - 1)) * pow(10, power - 1));
	if (power >= -2 && power < 2)
		snprintf(out, TEXT, "%.*f", Max(1 - power, 0), x);
	else
		snprintf(out, TEXT, "%.1fe%d", x / pow(10, power), power);
	return out;
}

static const char *
percent(double x)
{
	char	   *out = new_text();

	if (x > 0.999 && x < 1)
		return "over 99.9 %";
	snprintf(out, TEXT, "%.3g %%", 100 * x);
	return out;
}

/* ---- the blocks ---- */

static void
begin(const char *name)
{
	printf("<!-- odds: %s -->\n", name);
}

static void
end(void)
{
	printf("<!-- end -->\n");
}

/* Formulas, up to a NULL. */
static void
formulas(const char *name, const char *const *texts)
{
	begin(name);
	printf("```\n");
	for (; *texts != NULL; texts++)
		printf("%s\n", *texts);
	printf("```\n");
	end();
}

/* The head of a table, its cells parted by '|'. */
static void
head(const char *cells)
{
	printf("| ");
	for (const char *c = cells; *c != '\0'; c++)
		printf(*c == '|' ? " | " : "%c", *c);
	printf(" |\n|");
	for (const char *c = cells; *c != '\0'; c++)
	{
		if (*c == '|' || c[1] == '\0')
			printf("---|");
	}
	printf("\n");
}

static void
constants(void)
{
	begin("constants");
	head("name|value|what");
	printf("| V7_RATE | %s | values of version 7's word in a second |\n", whole(V7_RATE));
	printf("| V7_RANDOM | 2^%d | values of its random bits |\n", (int) log2(V7_RANDOM));
	printf("| V7_BELOW_MS | 2^%d | the same, with the fraction of the millisecond |\n", (int) log2(V7_BELOW_MS));
	printf("| V4_RANDOM | 2^%d | values of a random UUID, `gen_random_uuid()` |\n", (int) log2(V4_RANDOM));
	printf("| TICKS_RATE | %s | ticks in a second |\n", whole(TICKS_RATE));
	printf("| PROCESSES | %d * 2^%d = 2^%.2f | process ids of sequential UUIDs |\n",
		   VARIANTS, (int) log2(PROCESSES / VARIANTS), log2(PROCESSES));
	printf("| GENERATORS | %d * 2^%d = 2^%.2f | generators of shard-key UUIDs |\n",
		   VARIANTS, (int) log2(GENERATORS / VARIANTS), log2(GENERATORS));
	printf("| COUNTERS | %s | counters of shard-key UUIDs |\n", whole(COUNTERS));
	printf("| NODES | %s | node numbers |\n", whole(NODES));
	printf("| TRACE_IDS | %s | TraceIds of a server in a second |\n", whole(TRACE_IDS));
	printf("| TRACE_PERIOD | %s s = %.2f days | until their seconds come round |\n",
		   whole(TRACE_PERIOD), TRACE_PERIOD / DAY);
	printf("| NUMBERS | %s | generator numbers of a launch |\n", whole(NUMBERS));
	printf("| DECIMAL_COUNTERS | %s | DecimalIds of a generator number at most |\n", whole(DECIMAL_COUNTERS));
	printf("| NUMBERS * DECIMAL_COUNTERS | %s | DecimalIds of a launch at most |\n",
		   whole(NUMBERS * DECIMAL_COUNTERS));
	printf("| AUTHORITIES | %s | authorities of GDIDs |\n", whole(AUTHORITIES));
	printf("| GDID_COUNTERS | 2^%d | GDIDs of an era |\n", (int) log2(GDID_COUNTERS));
	printf("| GDID_ERAS | %s | eras that a sequence reaches |\n", whole(GDID_ERAS));
	end();
}

static void
v7(void)
{
	static const char *const texts[] = {v7_equal_text, v7_at_most_text, NULL};
	static const char *const steps[] = {v7_steps_text, smaller_text, NULL};
	static const char *const v4[] = {v4_equal_text, NULL};
	static const char *const backfill[] = {v7_backfill_text, NULL};
	static const double rows[][2] = {
		{2, 1e3}, {2, 1e6}, {100, 1e4}, {1e3, 1e4}, {1e4, 1e4}, {1e4, 1e5}, {1e6, 1e3}, {1e6, 1e6},
	};

	formulas("v7-formulas", texts);
	begin("v7");
	head("N|R|v7_equal, 10 years|v7_at_most, 10 years|v4_equal, 10 years");
	for (int i = 0; i < (int) lengthof(rows); i++)
	{
		double		N = rows[i][0];
		double		R = rows[i][1];

		printf("| %s | %s | %s | %s | %s |\n", whole(N), whole(R),
			   rough(v7_equal(N, R, 10 * YEAR)), rough(v7_at_most(N, R, 10 * YEAR)),
			   rough(v4_equal(N, R, 10 * YEAR)));
	}
	end();
	formulas("v7-steps", steps);
	formulas("v4", v4);
	formulas("v7-backfill-formulas", backfill);
	begin("v7-backfill");
	head("M, ids of one millisecond|v7_backfill");
	for (double m = 1e3; m <= 1e9; m *= 1000)
		printf("| %s | %s |\n", whole(m), rough(v7_backfill(m)));
	end();
}

static void
lives(void)
{
	static const struct
	{
		double		N;
		const char *every;
		double		seconds;
	}			rows[] = {
		{2, "week", WEEK},
		{10, "week", WEEK},
		{100, "week", WEEK},
		{1e3, "week", WEEK},
		{1e4, "day", DAY},
		{1e6, "week", WEEK},
		{1e6, "day", DAY},
	};
	static const char *const texts[] = {pairs_of_lives_text, equal_processes_text, equal_ticks_text, NULL};
	static const char *const shard[] = {equal_generators_text, equal_counters_text, counters_meet_text, NULL};

	formulas("sequential-formulas", texts);
	begin("sequential");
	head("N|each is restarted every|S in 10 years|equal_processes");
	for (int i = 0; i < (int) lengthof(rows); i++)
	{
		double		S = floor(rows[i].N * 10 * YEAR / rows[i].seconds);

		printf("| %s | %s | %s | %s |\n", whole(rows[i].N), rows[i].every, rough(S),
			   rough(equal_processes(rows[i].N, S)));
	}
	end();
	formulas("shard-formulas", shard);
	begin("shard");
	head("N, of one shard key|each is restarted every|S in 10 years|equal_generators");
	for (int i = 0; i < (int) lengthof(rows); i++)
	{
		double		S = floor(rows[i].N * 10 * YEAR / rows[i].seconds);

		printf("| %s | %s | %s | %s |\n", whole(rows[i].N), rows[i].every, rough(S),
			   rough(equal_generators(rows[i].N, S)));
	}
	end();
	begin("lives");
	head("R|equal_ticks in a second|equal_counters in a second|counters_meet");
	for (double R = 10; R <= 1e6; R *= R < 1e3 ? 100 : 1000)
		printf("| %s | %s | %s | %s |\n", whole(R), rough(equal_ticks(R, 1)),
			   rough(equal_counters(R, 1)), rough(counters_meet(R)));
	end();
}

static void
trace(void)
{
	static const double rates[] = {0.01, 0.1, 1, 10, 1000};
	static const double servers[] = {2, 10, 30, 100, 302, 1000};
	static const char *const texts[] = {trace_equal_text, smaller_text, NULL};
	static const char *const drawn[] = {any_equal_text, NULL};

	formulas("trace-formulas", texts);
	begin("trace");
	head("R, at random moments|trace_equal in a day|that is, of a server's ids");
	for (int i = 0; i < (int) lengthof(rates); i++)
		printf("| %g | %s | %s |\n", rates[i], rough(trace_equal(rates[i], DAY)),
			   percent(trace_equal(rates[i], 1) / rates[i]));
	end();
	formulas("drawn-formulas", drawn);
	begin("drawn");
	head("N|any_equal(N, NODES)");
	for (int i = 0; i < (int) lengthof(servers); i++)
		printf("| %s | %s |\n", whole(servers[i]), percent(any_equal(servers[i], NODES)));
	end();
}

static void
decimal(void)
{
	static const double rows[][2] = {
		{0, 1e3}, {12, 1e4}, {52, 1e4}, {365, 1e5}, {3650, 1e6}, {12, 1e7},
	};
	static const char *const texts[] = {numbers_used_text, NULL};

	formulas("decimal-formulas", texts);
	begin("decimal");
	head("restarts a year|R|numbers in a year|years until NUMBERS are used");
	for (int i = 0; i < (int) lengthof(rows); i++)
	{
		double		restarts = rows[i][0];
		double		R = rows[i][1];

		printf("| %s | %s | %s | %s |\n", whole(restarts), whole(R),
			   rough(numbers_used(restarts, R, YEAR) - 1),
			   rough(launch_lasts(restarts / YEAR, R) / YEAR));
	}
	end();
}

static void
sequences(void)
{
	static const double drawn[] = {2, 3, 5, 8, 12};
	static const double rates[] = {10, 100, 1e3, 1e4, 1e6};
	static const char *const texts[] = {block_text, lost_text, lost_at_most_text, NULL};
	static const char *const codes[] = {codes_equal_text, NULL};

	begin("gdid");
	head("values a second, lost ones included|years of an era|years of all GDID_ERAS eras");
	for (double R = 1e3; R <= 1e9; R *= 1000)
		printf("| %s | %s | %s |\n", whole(R), rough(GDID_COUNTERS / R / YEAR),
			   rough(GDID_ERAS * GDID_COUNTERS / R / YEAR));
	end();
	begin("authorities");
	head("N|any_equal(N, AUTHORITIES)");
	for (int i = 0; i < (int) lengthof(drawn); i++)
		printf("| %s | %s |\n", whole(drawn[i]), percent(any_equal(drawn[i], AUTHORITIES)));
	end();
	formulas("lost-formulas", texts);
	begin("lost");
	head("R|block|lost|lost_at_most");
	for (int i = 0; i < (int) lengthof(rates); i++)
		printf("| %s | %s | %s | %s |\n", whole(rates[i]), rough(block(rates[i], MAX_BLOCK)),
			   rough(lost(rates[i], MAX_BLOCK)), rough(lost_at_most(rates[i], MAX_BLOCK)));
	end();
	formulas("codes", codes);
}

int
main(void)
{
	constants();
	v7();
	lives();
	trace();
	decimal();
	sequences();
	return 0;
}
