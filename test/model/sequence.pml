/*
 * sequence.pml
 *		Reserve, wait, publish: the blocks of a sequence, its page, setval(),
 *		batches, an entry that goes to another sequence, and a cancel at the
 *		gate.
 *
 * What the parts stand for:
 *	draw		a backend that draws: gid_draw_slow(), sequence/draw.c; each
 *				statement looks at the page first
 *	look		gid_block_table_entry(), sequence/block_table.c: the index has the entry of
 *				the sequence, or a free entry is given to it
 *	take		gid_block_take(), sequence/block.h: the state is read, then the
 *				block, then comes the CAS
 *	reserve		gid_page_reserve(), sequence/page.c, with the page locked, and
 *				its calls of sequence/block.c under the entry's spinlock
 *	gate		gid_gate(), sequence/gate.c
 *	publish		gid_block_publish(), sequence/block.c
 *	give		gid_block_give(), sequence/block.c
 *	set			setval(), or a nextval() that writes a record
 *	batch		gid_draw_many(), sequence/draw.c
 *	other		gid_block_table_evict(), sequence/block_table.c, and then a sequence that
 *				gets the entry, if this one has not got it again
 *
 * What is done under a spinlock is one step, and so is what is done under the
 * lock that the index has for the sequence.  The values of this sequence are
 * below 100, those of the other one are not.  A setval() sets the page ahead.
 *
 * Left out: a crash, because it wipes the shared memory: what it needs is that
 * no value is handed out before its record is confirmed (lost).  ALTER and
 * DROP, because the lock on the sequence keeps them from all who draw.
 *
 * search: a setval(), a batch, a cancel:
 * search: two statements each: -DCALLS=2 -DVALUES=1 -DBATCHES=0
 * search: another sequence takes the entry: -DSETS=0 -DBATCHES=0 -DOTHERS=1
 */
#define DRAWS			2		/* backends */
#ifndef CALLS
#define CALLS			1		/* statements of each */
#endif
#ifndef VALUES
#define VALUES			2		/* values of each statement */
#endif
#ifndef SETS
#define SETS			1
#endif
#ifndef BATCHES
#define BATCHES			1
#endif
#ifndef OTHERS
#define OTHERS			0
#endif
#define CANCELS			1
#if OTHERS > 0
#define ENTRIES			2
#define BLOCKS			4
#else
#define ENTRIES			1
#define BLOCKS			2
#endif
#define NONE			9
#define VACANT			0
#define SIZE			2
#define RECORDS			24
#define UNSEEN			255

/*
 * The safeguards.  -DWITHOUT=LOOK takes one out; then spin finds what it
 * prevents.
 */
#define CAS				1		/* order: a value is taken by a CAS */
#define GATE			2		/* lost: a block passes the gate first */
#define AGAIN			3		/* burned: a reserver looks at the entry again */
#define LOOK			4		/* stale: a statement looks at the page */
#define COMPARE			5		/* stale: a writer does before it writes */
#define NOTE			6		/* stale: a writer notes its own record's LSN under the lock */
#define GENERATION		7		/* lost: the publisher compares generation and record */
#define KEEP			8		/* burned: a cancelled wait leaves the block to the next */

/*
 * without: -DSETS=0 -DBATCHES=0 -DOTHERS=1
 */
#define TENANCY			9		/* foreign: the tenancy is read after the state */
#define CLEAR			10		/* foreign: an entry is emptied before it is given away */
#define END				11		/* order: and before the index forgets the sequence */
#ifndef WITHOUT
#define WITHOUT			0
#endif

#define WHEN(condition, what)	if :: (condition) -> what :: else fi

/* The page and the WAL: an LSN is the number of a record. */
bool locked;					/* the page's buffer */
byte inserted;					/* the last record */
byte confirmed;					/* on disk here and on the standby: not before
								 * a backend waits for it */
byte value[RECORDS];			/* last_value of the page after each record */

/* The entries, and the index, which has the entry of this sequence. */
byte generation[ENTRIES];
byte taken[ENTRIES];
byte tenancy[ENTRIES];
byte tenancies;
byte first[BLOCKS], size[BLOCKS], lsn[BLOCKS];
bool next[ENTRIES];
byte noted[ENTRIES];			/* LSN of the page, as gid knows it */
byte at = NONE;

/* What is to be proved. */
byte last;						/* the last value that was drawn */
byte last_set;					/* by the last setval() */
byte cancels;
byte undrawn;					/* reservations that no draw has used */
bool order, stale, lost, foreign, burned;

#define I				(2 * e + (generation[e] & 1))
#define J				(2 * e + 1 - (generation[e] & 1))

inline clear()
{
	size[J] = 0;
	next[e] = false;
	generation[e]++;
	taken[e] = 0;
	undrawn = 0
}

inline see(me)
{
	d_step { WHEN(tenancy[e] == me && noted[e] != inserted, clear(); noted[e] = inserted) }
}

inline give()
{
	noted[e] = UNSEEN;
	tenancies++;
	tenancy[e] = tenancies
}

inline take_away()
{
	WHEN(WITHOUT != CLEAR, clear());
	tenancy[e] = VACANT
}

inline lock()
{
	atomic { !locked -> locked = true }
}

inline insert(step)
{
	inserted++;
	value[inserted] = value[inserted - 1] + step
}

/* A value is drawn, in the step that takes it. */
inline drawn()
{
	foreign = v >= 100;
	stale = !foreign && v <= since;
	lost = !foreign && v > value[confirmed];
	order = !foreign && v <= last;
	assert(!foreign);
	assert(!stale);
	assert(!lost);
	assert(!order);
	last = v;
	undrawn = 0;
	values++;
	done = true
}

active [DRAWS] proctype draw()
{
	byte calls, values, since, e, me, g, t, s, l, v;
	bool left, has_next, done, cancelled, wanted, ahead;

next_call:
	WHEN(calls == CALLS, goto end);
	d_step { calls++; values = 0; cancelled = false; since = last_set };
look:
	/* find the entry, and look at the page */
	skip;
	d_step {
		if
		:: at != NONE -> e = at
		:: at == NONE ->
			e = 0;
			WHEN(tenancy[e] != VACANT, e = ENTRIES - 1);
			give();
			at = e
		fi;
		me = tenancy[e]
	};
	WHEN(WITHOUT != LOOK || noted[e] == UNSEEN, lock(); see(me); locked = false);
next_value:
	skip;
	d_step { g = 0; t = 0; s = 0; l = 0; v = 0; left = false; has_next = false; wanted = false; done = false; ahead = false };
	WHEN(values == VALUES || cancelled, goto next_call);
	/* take */
	d_step { g = generation[e]; t = taken[e] };
	WHEN(WITHOUT != TENANCY && tenancy[e] != me, goto look);
	d_step { s = size[2 * e + (g & 1)]; v = first[2 * e + (g & 1)] + t };
	d_step {
		WHEN(t < s && (WITHOUT == CAS || (g == generation[e] && t == taken[e])),
			 taken[e] = t + 1;
			 ahead = t + 1 == s;
			 drawn())
	};
	WHEN((done && !ahead) || (t < s && !done), goto next_value);
	/* view */
	d_step {
		g = generation[e];
		left = size[I] > taken[e];
		has_next = next[e];
		l = lsn[J]
	};
	WHEN(tenancy[e] != me, goto look);
	if
	:: (left && !ahead) || (has_next && ahead) -> goto next_value
	:: has_next && !ahead ->
		/* the gate */
		if
		:: confirmed >= l || WITHOUT == GATE
		:: atomic { confirmed < l && WITHOUT != GATE -> confirmed = l }
		:: atomic { confirmed < l && cancels < CANCELS -> cancels++; cancelled = true }
		fi;
		/* publish */
		d_step {
			if
			:: cancelled -> WHEN(WITHOUT == KEEP && tenancy[e] == me && generation[e] == g, next[e] = false)
			:: !cancelled && tenancy[e] == me && next[e] && (WITHOUT == GENERATION || (generation[e] == g && lsn[J] == l)) ->
				v = first[J];
				next[e] = false;
				generation[e]++;
				taken[e] = 1;
				drawn()
			:: else
			fi
		}
	:: !has_next && !(left && !ahead) ->
		/* reserve, with the page locked */
		lock();
		WHEN(WITHOUT != COMPARE, see(me));
		d_step {
			wanted = tenancy[e] == me && (WITHOUT == AGAIN || (!next[e] && (size[I] <= taken[e] || ahead)));
			WHEN(wanted, v = value[inserted]; insert(SIZE); l = inserted)
		};
		d_step {
			WHEN(wanted && tenancy[e] == me,
				 undrawn++;
				 burned = undrawn > 1 || next[e];
				 assert(!burned);
				 first[J] = v + 1;
				 size[J] = SIZE;
				 lsn[J] = l;
				 next[e] = true;
				 noted[e] = inserted)
		};
		locked = false
	fi;
	goto next_value;
end:
	skip
}

#if SETS > 0
active proctype set()
{
	lock();
	d_step { insert(3); last_set = value[inserted] };
	locked = false
}
#endif

#if BATCHES > 0
active proctype batch()
{
	byte e, me;

	skip;
	d_step { e = 0; me = tenancy[e] };
	lock();
	WHEN(WITHOUT != COMPARE, see(me));
	d_step { insert(1) };
	WHEN(WITHOUT == NOTE, locked = false);
	d_step { WHEN(tenancy[e] == me, noted[e] = inserted) };
	WHEN(WITHOUT != NOTE, locked = false)
}
#endif

#if OTHERS > 0
active [OTHERS] proctype other()
{
	byte e, me;

	/* the entry gives way */
	d_step {
		e = at;
		WHEN(e != NONE && WITHOUT != END, take_away());
		at = NONE
	};
	WHEN(e == NONE, goto end);
	d_step { WHEN(WITHOUT == END, take_away()) };
	d_step { me = NONE; WHEN(tenancy[e] == VACANT, give(); me = tenancy[e]) };
	/* what it finds there is not its own */
	d_step {
		foreign = tenancy[e] == me && taken[e] < size[I];
		assert(!foreign)
	};
	d_step { WHEN(tenancy[e] == me, first[J] = 100; size[J] = SIZE; next[e] = true) };
	d_step { WHEN(tenancy[e] == me && next[e], next[e] = false; generation[e]++; taken[e] = 0) };
end:
	skip
}
#endif
