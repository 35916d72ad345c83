/*
 * setval.pml
 *		setval() beside the blocks of a sequence: a transaction that draws for
 *		the first time after a setval() gets no value that was reserved before
 *		it.  A nextval() that writes no record is not in the model: it leaves
 *		the blocks alone, and order with them (sequence/draw.c, invariant 6).
 *
 * What the parts stand for:
 *	draw		a transaction that draws: gid_draw_slow(), sequence/draw.c, with
 *				gid_page_look(); after its first value the path of an id
 *	reserve		gid_page_reserve(), sequence/page.c
 *	compare		gid_page_compare(), sequence/page.c, under the page's lock
 *	other		a batch or a block for another server: it writes the page, and
 *				takes nothing from the blocks
 *	set			setval(), or a nextval() that writes a record
 *
 * A record's LSN stands for the values that it reserves.  What is done under the
 * page's lock is one step, and so is what a CAS of the entry's state does.  A
 * block has SIZE values, and whoever takes the last one has the next block
 * written ahead.
 *
 * Left out: crashes (shared memory begins anew), synchronous standbys,
 * entries that go to another sequence (block.pml).
 */
#ifndef DRAWS
#define DRAWS			2		/* transactions at a time, */
#define CALLS			2		/* so many one after the other, */
#define VALUES			2		/* each with so many values */
#define SETS			1
#define OTHERS			1
#define SIZE			2
#endif
#define UNSEEN			255

/*
 * The safeguards.  -DWITHOUT=LOOK takes one out; then spin finds a value that is
 * stale.
 */
#define LOOK			1		/* stale: the first draw looks at the page */
#define COMPARE			2		/* stale: a writer does before it writes */
#define IN_USE			3		/* stale: the block in use is looked at */
#define AHEAD			4		/* stale: and the one that was written ahead */
#ifndef WITHOUT
#define WITHOUT			0
#endif

/* The page, its mark and the WAL. */
byte inserted;					/* LSN of the last record */
byte page;						/* LSN of the page */
byte noted = UNSEEN;			/* GidPageMark.lsn */
byte valid_from;				/* GidPageMark.valid_from */

/* The entry. */
byte block[2];					/* LSN of the record of each block */
bool used;						/* which one is in use */
byte left;						/* values in that one */
bool ahead;						/* the other one is the next */
bool claim;

/* What is to be proved. */
byte last_set;					/* LSN of the last setval() that has returned */
bool stale;

inline compare()
{
	if
	:: noted != page ->
		valid_from = (valid_from <= page -> page + 1 : valid_from);
		noted = page
	:: else
	fi
}

inline insert()
{
	inserted++;
	page = inserted
}

inline write_page()
{
	if
	:: WITHOUT != COMPARE -> compare()
	:: else
	fi;
	insert();
	noted = page
}

/* Reserve values and fill the block that is not in use; under the claim. */
inline reserve()
{
	atomic { write_page(); lsn = page };
	block[1 - used] = lsn;
	lsn = 0
}

inline took()
{
	wanted--;
	stale = block[used] <= obey;
	assert(!stale)
}

active [DRAWS] proctype draw()
{
	byte calls = CALLS, wanted, obey, lsn;
	bool first, done, low;

end_idle:
	do
	:: calls > 0 ->
		atomic { calls--; wanted = VALUES; obey = last_set; first = true };
		do
		:: wanted == 0 -> break
		:: wanted > 0 ->
			if
			:: atomic { !first && left > 0 ->	/* the path of an id */
					left--;
					took();
					low = (left == 0)
				};
				if
				:: atomic { low && !claim -> claim = true };
					if
					:: !ahead && left == 0 -> reserve(); ahead = true
					:: else
					fi;
					claim = false
				:: low && claim
				:: !low
				fi;
				low = false
			:: !first && left == 0 -> first = true
			:: first ->							/* gid_draw_slow() */
				done = false;
				atomic {
					if
					:: WITHOUT != LOOK -> compare()
					:: else
					fi
				};
				atomic {
					if
					:: left > 0 && (block[used] >= valid_from || WITHOUT == IN_USE) -> lsn = block[used] + 1
					:: else -> lsn = 0
					fi
				};
				/* another block may have come into use since */
				atomic {
					if
					:: lsn > 0 && left > 0 -> left--; took(); done = true
					:: else
					fi;
					lsn = 0
				};
				if
				:: done
				:: !done ->
					if
					:: claim -> !claim			/* wait, and look again */
					:: atomic { !claim -> claim = true };
						atomic {
							if
							:: ahead && block[1 - used] < valid_from && WITHOUT != AHEAD -> ahead = false
							:: else
							fi;
							if
							:: block[used] < valid_from && WITHOUT != IN_USE -> left = 0
							:: else
							fi
						};
						if
						:: left == 0 ->
							if
							:: !ahead -> reserve()
							:: ahead
							fi;
							atomic {
								ahead = false; used = 1 - used; left = SIZE - 1;
								took(); done = true
							}
						:: else
						fi;
						claim = false
					fi
				fi;
				atomic { first = !done; done = false }
			fi
		od;
		atomic { wanted = 0; obey = 0; first = false }
	od
}

active proctype other()
{
	byte calls = OTHERS;

end_idle:
	do
	:: atomic { calls > 0 -> calls--; write_page() }
	od
}

active proctype set()
{
	byte calls = SETS, lsn;

end_idle:
	do
	:: atomic { calls > 0 -> calls--; insert(); lsn = page };
		atomic { last_set = lsn; lsn = 0 }
	od
}
