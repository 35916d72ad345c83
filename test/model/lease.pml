/*
 * lease.pml
 *		Leases of DecimalId generators: no two ids of a database have the same
 *		launch, generator number and counter, and numbers only grow.
 *
 * What the parts stand for:
 *	prepare		gid_generator_prepare(), decimal/generator.c
 *	take, add	gid_lease_take(), gid_lease_add(), decimal/lease.c, with
 *				gid_generator_hold(), decimal/generator.c
 *	reserve		gid_generator_reserve(), decimal/generator.c; page.pml says more
 *	count		gid_decimal_id(), id/decimal_id.c; a counter may be passed over, as
 *				gid_pace_keep() does, whatever it sees
 *	give_back	gid_generator_release(), decimal/generator.c; gid_lease_return(),
 *				decimal/lease.c: at an exit, or for another lease
 *	world		a crash: the shared memory is gone, and the sequence's page is as
 *				any record from the last flushed one to the last one says
 *
 * What is done under the table's lock or the page's is one step; so is the
 * writing of a slot, which only its backend does.  A session may end between
 * any two steps, and then another connection comes.  gid.launch_id is any
 * launch each time that it is read.  Of the idle leases any is taken, and any
 * gives way, not the last or first one returned.
 *
 * Left out: numbers of a gid.decimal_authority; a DROP or ALTER of the
 * sequence, and the rest of the key, which a lease's launch stands for here.
 *
 * Sizes: two sessions that go on until all numbers are used; three entries;
 * launches 1 and 2 with GENERATORS numbers of COUNTERS ids each; LIVES
 * lives of the shared memory.
 */
#ifndef GENERATORS
#define GENERATORS		1
#define COUNTERS		3
#define LIVES			3
#endif
#define SESSIONS		2
#define ENTRIES			3

/*
 * The safeguards.  -DWITHOUT=FLUSH takes one out; then spin finds an id that
 * is made twice or has no room in its decimal places, or a number reserved after
 * a greater one.
 */
#define FLUSH			1		/* twice: of the record, before a number is used */
#define FLOOR			2		/* down, twice: no launch behind the page's */
#define TABLE_LOCK		3		/* twice: a lease is found and taken under it */
#define KEY				4		/* twice: a lease serves its own launch */
#define RETURN_COUNTER	5		/* twice: it comes back with the counter reached */
#define COUNT_FIRST		6		/* twice: the counter goes up, then the id out */
#define USED_UP			7		/* range: a lease without room is not given again */
#ifndef WITHOUT
#define WITHOUT			0
#endif

/* The lease table. */
#define FREE			0
#define IDLE			1
#define HELD			2
byte state[ENTRIES], launch_of[ENTRIES], generator_of[ENTRIES], counter_of[ENTRIES];

/* The sessions: the slot's counter, and GidGenerator. */
#define NO_LEASE		255
byte counter[SESSIONS];
byte entry[SESSIONS] = NO_LEASE;

/* The sequence: launch * GENERATORS + generator number. */
byte page = GENERATORS - 1, flushed = GENERATORS - 1;

/* The world. */
byte calls;						/* that are running */
bool crashing;

/* What is to be proved. */
bool twice, down, range;
byte watched;					/* any number; those of others are not noted */
byte issued;					/* its ids: a bit for each counter */

#define ME				_pid
#define GENERATOR		generator_of[entry[ME]]
#define LAUNCH			launch_of[entry[ME]]

inline hand_out()
{
	atomic {
		range = value > COUNTERS;
		assert(!range);
		if
		:: LAUNCH * GENERATORS + GENERATOR == watched ->
			twice = (issued >> value) & 1;
			assert(!twice);
			issued = issued | (1 << value)
		:: else
		fi
	}
}

/* Under the table's lock; with no lease it does nothing. */
inline give_back()
{
	atomic {
		if
		:: entry[ME] == NO_LEASE
		:: else ->
			n = entry[ME];
			counter_of[n] = (WITHOUT == RETURN_COUNTER -> counter_of[n] : counter[ME]);
			state[n] = (counter_of[n] < COUNTERS || WITHOUT == USED_UP -> IDLE : FREE);
			if
			:: state[n] == FREE ->
				launch_of[n] = 0; generator_of[n] = 0; counter_of[n] = 0
			:: else
			fi;
			entry[ME] = NO_LEASE; counter[ME] = 0; n = 0
		fi
	}
}

/* n: any entry that is such; ENTRIES if there is none. */
#define CHOOSE(such) \
	if \
	:: such(0) -> n = 0 \
	:: such(1) -> n = 1 \
	:: such(2) -> n = 2 \
	:: else -> n = ENTRIES \
	fi
#define IS_FREE(i)		(state[i] == FREE)
#define IS_IDLE(i)		(state[i] == IDLE)
#define IS_OURS(i)		(state[i] == IDLE && (launch_of[i] == l || WITHOUT == KEY))

active [SESSIONS] proctype session()
{
	byte l, n, value;

end_idle:
	do
	:: atomic {
			watched && !crashing -> calls++;
			if :: l = 1 :: l = 2 fi
		};
		{
			/* prepare */
			atomic {
				if
				:: entry[ME] == NO_LEASE
				:: else ->
					if
					:: LAUNCH == l && counter[ME] < COUNTERS -> l = 0; goto count
					:: else -> give_back()
					fi
				fi;
				if
				:: page / GENERATORS > l && WITHOUT != FLOOR -> goto done	/* 55000 */
				:: else
				fi
			};
			/* take */
			atomic {
				CHOOSE(IS_OURS);
				if
				:: n == ENTRIES -> n = 0; goto reserve
				:: n < ENTRIES
				fi;
#if WITHOUT == TABLE_LOCK
			};
			atomic {
#endif
				state[n] = HELD; launch_of[n] = l;
				entry[ME] = n; counter[ME] = counter_of[n];
				n = 0; l = 0; goto count
			};

reserve:	atomic {
				value = page + 1;
				if
				:: value < l * GENERATORS -> value = l * GENERATORS
				:: value >= (l + 1) * GENERATORS && WITHOUT != FLOOR ->
					goto done					/* 55000 or 2200H */
				:: value >= (l + 1) * GENERATORS && WITHOUT == FLOOR ->
					value = l * GENERATORS
				:: else
				fi;
				down = value <= flushed;
#ifndef TWICE
				assert(!down);
#endif
				page = value
			};
			atomic {
				flushed = (value > flushed && WITHOUT != FLUSH -> value : flushed);
				if
				:: skip
				:: goto done					/* the number is lost */
				fi
			};
add:		atomic {
				CHOOSE(IS_FREE);
				if
				:: n == ENTRIES -> CHOOSE(IS_IDLE)
				:: n < ENTRIES
				fi;
				state[n] = HELD; launch_of[n] = l; counter_of[n] = 0;
				generator_of[n] = value - l * GENERATORS;
				entry[ME] = n; counter[ME] = 0;
				n = 0; l = 0; value = 0
			};

count:		atomic {
				value = counter[ME] + 1;
				if								/* decimal/pace.c */
				:: value < COUNTERS -> value++
				:: skip
				fi;
				if
				:: WITHOUT == COUNT_FIRST
				:: else -> counter[ME] = value
				fi
			};
			atomic {
				hand_out();
				if
				:: skip
				:: value = 0; goto end_session
				fi;
				counter[ME] = value;
				goto done
			};
end_session:
			give_back()
		} unless { crashing };
done:	atomic { l = 0; n = 0; value = 0; calls-- }
	od
}

active proctype world()
{
	byte lives = 1, i;

	atomic { watched = GENERATORS; do :: watched < 3 * GENERATORS - 1 -> watched++ :: break od };
	do
	:: lives == LIVES -> break
	:: lives < LIVES ->
		crashing = true;
		atomic {
			calls == 0 -> lives++;
			do :: flushed < page -> page-- :: break od;
			flushed = page;
			do
			:: i < ENTRIES ->
				state[i] = FREE; launch_of[i] = 0; generator_of[i] = 0;
				counter_of[i] = 0; i++
			:: else -> break
			od;
			i = 0;
			do :: i < SESSIONS -> entry[i] = NO_LEASE; counter[i] = 0; i++ :: else -> break od;
			i = 0; crashing = false
		}
	od
}
