/*
 * sequence.pml
 *		Reserve, wait, publish: the blocks of a sequence, its page, setval(),
 *		batches, an entry that goes to another sequence, and a cancel at the
 *		gate.
 *
 * What the parts stand for:
 *	draw		a backend that draws: gid_draw_slow(), sequence/draw.c; each
 *				statement looks at the page first
 *	take		gid_block_take(), sequence/block.h: the state is read, then the
 *				block, then comes the CAS
 *	reserve		gid_page_reserve(), sequence/page.c, with the page locked, and
 *				its calls of sequence/block.c under the entry's spinlock
 *	gate		gid_gate(), sequence/gate.c
 *	publish		gid_block_publish(), sequence/block.c
 *	give		gid_block_give(), sequence/block.c
 *	set			setval(), or a nextval() that writes a record
 *	batch		gid_draw_many(), sequence/draw.c
 *	other		a sequence that takes the entry away
 *
 * What is done under a spinlock is one step.  The values of this sequence are
 * below 100, those of the other one are not.  A setval() sets the page ahead.
 *
 * Left out: a crash, because it wipes the shared memory: what it needs is that
 * no value is handed out before its record is confirmed (lost).  ALTER and
 * DROP, because the lock on the sequence keeps them from all who draw.
 */
#ifndef DRAWS
#define DRAWS			2		/* backends, */
#define CALLS			1		/* each with so many statements */
#define VALUES			2		/* of so many values */
#define SETS			1
#define BATCHES			1
#define OTHERS			0
#define CANCELS			1
#endif
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
#define OWNER			8		/* foreign: the owner is read after the state */
#define CLEAR			9		/* foreign: an entry is emptied before it is given away */
#define KEEP			10		/* burned: a cancelled wait leaves the block to the next */
#ifndef WITHOUT
#define WITHOUT			0
#endif

/* The page and the WAL: an LSN is the number of a record. */
bool locked;					/* the page's buffer */
byte inserted;					/* the last record */
byte confirmed;					/* on disk here and on the standby: not before
								 * a backend waits for it */
byte value[RECORDS];			/* last_value of the page after each record */
#define page			value[inserted]

/* The entry. */
byte generation;
byte taken;
byte owner = 1;
byte owners = 1;
byte mine = 1;					/* owner's number of this sequence */
byte first[2], size[2], lsn[2];
bool next;
byte noted;						/* LSN of the page, as gid knows it */

/* What is to be proved. */
byte last;						/* the last value that was drawn */
byte last_set;					/* by the last setval() */
byte cancels;
byte undrawn;					/* reservations that no draw has used */
bool order, stale, lost, foreign, burned;

#define I				(generation & 1)
#define J				(1 - (generation & 1))

inline clear()
{
	size[J] = 0;
	next = false;
	generation++;
	taken = 0
}

inline see(me)
{
	d_step {
		if
		:: owner == me && noted != inserted -> clear(); noted = inserted; undrawn = 0
		:: else
		fi
	}
}

inline give()
{
	if
	:: WITHOUT == CLEAR
	:: else -> clear(); undrawn = 0
	fi;
	noted = UNSEEN;
	owners++;
	owner = owners
}

inline lock()
{
	atomic { !locked -> locked = true }
}

/* A value is drawn, in the step that takes it. */
inline drawn(v, since)
{
	foreign = v >= 100;
	order = !foreign && v <= last;
	stale = !foreign && v <= since;
	lost = !foreign && v > value[confirmed];
	last = v;
	undrawn = 0;
	done = true
}

inline judge()
{
	assert(!foreign);
	assert(!stale);
	assert(!lost);
	assert(!order)
}

proctype draw()
{
	byte calls, values, since, me, g, t, s, f, l, v;
	bool left, has_next, done, cancelled, wanted, ahead;

next_call:
	if
	:: calls == CALLS -> goto end
	:: else -> calls++
	fi;
	values = 0;
	cancelled = false;
	since = last_set;
look:
	/* find the entry, and look at the page */
	skip;
	d_step {
		if
		:: owner != mine -> give(); mine = owner
		:: else
		fi;
		me = mine
	}
	if
	:: WITHOUT == LOOK && noted != UNSEEN
	:: else -> lock(); see(me); locked = false
	fi;
next_value:
	skip;
	d_step { g = 0; t = 0; s = 0; f = 0; l = 0; v = 0; left = false; has_next = false; wanted = false; done = false; ahead = false }
	if
	:: values == VALUES || cancelled -> goto next_call
	:: else
	fi;
	/* take */
	skip;
	d_step { g = generation; t = taken }
	if
	:: WITHOUT != OWNER && owner != me -> goto look
	:: else -> d_step { s = size[g & 1]; f = first[g & 1] }
	fi;
	if
	:: t < s ->
		d_step {
			if
			:: WITHOUT == CAS || (g == generation && t == taken) ->
				taken = t + 1; v = f + t; ahead = t + 1 == s;
				drawn(v, since)
			:: else
			fi
		}
		if
		:: done -> judge(); values++
		:: else
		fi
	:: else
	fi;
	if
	:: done && !ahead -> goto next_value
	:: t < s && !done -> goto next_value
	:: else
	fi;
	/* view */
	d_step {
		g = generation;
		left = size[I] > taken;
		has_next = next;
		l = lsn[J]
	}
	if
	:: owner != me -> goto look
	:: left && !ahead -> goto next_value
	:: has_next && ahead -> goto next_value
	:: has_next && !ahead ->
		/* the gate */
		if
		:: confirmed >= l || WITHOUT == GATE
		:: atomic { confirmed < l && WITHOUT != GATE -> confirmed = l }
		:: atomic { confirmed < l && cancels < CANCELS -> cancels++; cancelled = true }
		fi;
		if
		:: cancelled ->
			if
			:: WITHOUT == KEEP -> d_step {
					if
					:: owner == me && generation == g -> next = false
					:: else
					fi
				}
			:: else
			fi
		:: else
			/* publish */
			d_step {
				if
				:: owner == me && next && (WITHOUT == GENERATION || generation == g) &&
					(WITHOUT == GENERATION || lsn[J] == l) ->
					v = first[J];
					next = false; generation++; taken = 1;
					drawn(v, since)
				:: else
				fi
			}
			if
			:: done -> judge(); values++
			:: else
			fi
		fi
	:: else ->
		/* reserve, with the page locked */
		lock();
		if
		:: WITHOUT == COMPARE
		:: else -> see(me)
		fi;
		d_step {
			wanted = owner == me && (WITHOUT == AGAIN || (!next && (size[I] <= taken || ahead)))
		}
		if
		:: wanted ->
			d_step {
				v = page;
				inserted++;
				value[inserted] = v + SIZE;
				l = inserted
			}
			d_step {
				if
				:: owner == me ->
					undrawn++;
					burned = undrawn > 1 || next;
					first[J] = v + 1;
					size[J] = SIZE;
					lsn[J] = l;
					next = true;
					noted = inserted
				:: else
				fi
			}
			assert(!burned)
		:: else
		fi;
		locked = false
	fi;
	goto next_value;
end:
	skip
}

proctype set()
{
	lock();
	d_step {
		inserted++;
		value[inserted] = value[inserted - 1] + 3;
		last_set = page
	}
	locked = false
}

proctype batch()
{
	byte me;

	me = mine;
	lock();
	if
	:: WITHOUT == COMPARE
	:: else -> see(me)
	fi;
	d_step { inserted++; value[inserted] = value[inserted - 1] + 1 }
	if
	:: WITHOUT == NOTE -> locked = false
	:: else
	fi;
	d_step {
		if
		:: owner == me -> noted = inserted
		:: else
		fi
	}
	if
	:: WITHOUT == NOTE
	:: else -> locked = false
	fi
}

proctype other()
{
	byte me, g, t;

	d_step { give(); me = owner }
	/* what it finds there is not its own */
	d_step {
		foreign = owner == me && taken < size[I];
	}
	assert(!foreign);
	d_step {
		if
		:: owner == me -> first[J] = 100; size[J] = SIZE; next = true
		:: else
		fi
	}
	d_step {
		if
		:: owner == me && next -> next = false; generation++; taken = 0
		:: else
		fi
	}
}

init
{
	byte i;

	atomic {
		do
		:: i < DRAWS -> run draw(); i++
		:: i == DRAWS -> break
		od;
		i = 0;
		do
		:: i < SETS -> run set(); i++
		:: i == SETS -> break
		od;
		i = 0;
		do
		:: i < BATCHES -> run batch(); i++
		:: i == BATCHES -> break
		od;
		i = 0;
		do
		:: i < OTHERS -> run other(); i++
		:: i == OTHERS -> break
		od
	}
}
