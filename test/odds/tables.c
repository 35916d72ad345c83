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

#define DAY		86400.0
#define WEEK	(7 * DAY)

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
	printf("| TICKS_RATE | %s | ticks in a second |\n", whole(TICKS_RATE));
	printf("| PROCESSES | %d * 2^%d = 2^%.2f | process ids of sequential UUIDs |\n",
		   VARIANTS, (int) log2(PROCESSES / VARIANTS), log2(PROCESSES));
	printf("| GENERATORS | %d * 2^%d = 2^%.2f | generators of shard-key UUIDs |\n",
		   VARIANTS, (int) log2(GENERATORS / VARIANTS), log2(GENERATORS));
	printf("| COUNTERS | %s | counters of shard-key UUIDs |\n", whole(COUNTERS));
	printf("| NODES | %s | node numbers |\n", whole(NODES));
	printf("| TRACE_PERIOD | %s s = %.2f days | until TraceIds start over |\n",
		   whole(TRACE_PERIOD), TRACE_PERIOD / DAY);
	printf("| NUMBERS | %s | generator numbers of a launch |\n", whole(NUMBERS));
	printf("| DECIMAL_COUNTERS | %s | DecimalIds per generator number, at most |\n", whole(DECIMAL_COUNTERS));
	end();
}

static void
v7(void)
{
	static const char *const texts[] = {v7_equal_text, v7_at_most_text, NULL};
	static const char *const backfill[] = {v7_backfill_text, NULL};
	static const double rows[][2] = {
		{2, 1e3}, {2, 1e6}, {100, 1e4}, {1e4, 1e4}, {1e6, 1e3}, {1e6, 1e6},
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
		{1e4, "day", DAY},
		{1e6, "day", DAY},
	};
	static const char *const texts[] = {
		pairs_of_lives_text, equal_processes_text, equal_generators_text,
		equal_ticks_text, equal_counters_text, NULL
	};

	formulas("lives-formulas", texts);
	begin("servers");
	head("N|each is restarted every|S in 10 years|equal_processes|equal_generators");
	for (int i = 0; i < (int) lengthof(rows); i++)
	{
		double		N = rows[i].N;
		double		S = floor(N * 10 * YEAR / rows[i].seconds);

		printf("| %s | %s | %s | %s | %s |\n", whole(N), rows[i].every, rough(S),
			   rough(equal_processes(N, S)), rough(equal_generators(N, S)));
	}
	end();
	begin("lives");
	head("R|equal_ticks in a second|equal_counters in a second");
	for (double R = 10; R <= 1e6; R *= R < 1e3 ? 100 : 1000)
		printf("| %s | %s | %s |\n", whole(R), rough(equal_ticks(R, 1)),
			   rough(equal_counters(R, 1)));
	end();
}

static void
trace(void)
{
	static const double rates[] = {0.01, 1, 1000};
	static const double servers[] = {10, 100, 302, 1000};
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
		{0, 1e3}, {52, 1e4}, {365, 1e5}, {12, 1e7},
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
codes(void)
{
	static const char *const texts[] = {codes_equal_text, NULL};

	formulas("codes", texts);
}

int
main(void)
{
	constants();
	v7();
	lives();
	trace();
	decimal();
	codes();
	return 0;
}
