/*
 * block.pml
 *		Blocks of reserved values in shared memory: what gid_next() hands out
 *		increases, so nothing comes twice, and nobody waits for ever.
 *
 * What the parts stand for:
 *	take		gid_block_take(), sequence/block.h
 *	find		gid_known_find(), sequence/known.c; gid_entry_find(),
 *				gid_entry_claim_victim(), gid_entry_give(), sequence/entry.c;
 *				gid_block_end(), sequence/block.c
 *	next_block	gid_draw_next_block(), gid_draw_open_block(), sequence/draw.c; the
 *				claim of base/claim.h
 *	write_ahead	gid_draw_ahead(), sequence/draw.c
 *	reserve		gid_page_reserve(), sequence/page.c; gid_block_fill(), sequence/block.c
 *	open		gid_flush_disk(), sequence/flush.c; gid_block_open(), sequence/block.c;
 *				ahead_lsn is the lsn of the block that is not in use
 *	world		a crash: the shared memory is gone, and a page is as any record
 *				from the last flushed one to the last one says, since the WAL
 *				writer flushes when it likes
 *
 * Each access to what is shared is a step of its own; a CAS is one, and so is
 * what the holder of a claim or lock reads that nobody else writes.  Before
 * each step of the claim's holder an error, a cancel or the end of its backend
 * may come.  A value counts as handed out when it is taken.
 *
 * A record is known by the value that it puts on the page; page.pml has the
 * record, and who else writes the page.
 *
 * Left out: increments, the range but for its end, CYCLE, setval(), ALTER
 * SEQUENCE, other servers' blocks, synchronous standbys; what size the history
 * gives (here it is BLOCK); that a condition variable wakes who sleeps; the end
 * of the generation's 40 bits; weak memory order.
 *
 * Sizes: two backends, with CALLS_0 and CALLS_1 calls; SEQUENCES sequences, of
 * MAX values each, for one entry; LIVES lives of the shared memory.
 */
#ifndef SEQUENCES
#define SEQUENCES		1
#define CALLS_0			2
#define CALLS_1			6
#define MAX				8
#define OWNERS			1
#define LIVES			2
#endif
#define BLOCK			3
#define MARK			2		/* of a full block */

/*
 * The safeguards.  -DWITHOUT=CAS takes one out; then spin finds that a value is
 * handed out twice or not after all before it, that a backend waits for ever, or
 * that one goes round for ever.
 */
#define CAS				1		/* twice: not fetch_add */
#define GENERATION		2		/* twice: in the word of the CAS */
#define TWO_BLOCKS		3		/* twice: one is in use, the other is written */
#define WRITE_FIRST		4		/* twice: the block, then the generation */
#define CLAIM			5		/* twice: one writer of blocks at a time */
#define FLUSH			6		/* twice, back: before a block is opened */
#define FLUSH_AHEAD		7		/* twice: also one that was written ahead */
#define RELEASE			8		/* waits: of the claim, by who fails */
#define OWNER_CHECK		9		/* twice: by who takes a value */
#define OWNER_LAST		10		/* twice: after the state was read */
#define OWNER_RECHECK	11		/* twice: by who has the claim */
#define END_BLOCK		12		/* twice: when the entry gets another owner */
#define END_EMPTY		13		/* twice: what comes instead is empty */
#define END_AHEAD		14		/* twice: the one written ahead is forgotten */
#define SLEEP			15		/* circles: who finds the claim taken */
#ifndef WITHOUT
#define WITHOUT			0
#endif

/* The entry: GidBlockEntry. */
byte generation, taken;			/* one word, state */
byte owner;
byte first[2], size[2];
bool claim, ahead;
byte ahead_lsn;

/* The table. */
bool table_lock;
byte row;						/* the sequence that has the entry; 0: none */
byte owners;
byte known[2 * (SEQUENCES + 1)];	/* GidDraw.owner of each backend; 0: none */

/* The sequences: last_value on the page, and the last record that is flushed. */
byte page[SEQUENCES + 1];
byte flushed[SEQUENCES + 1];

/* The world. */
byte calls;						/* of backends, that are running */
bool crashing;

/* What is to be proved: values that increase do not come twice. */
bool twice, back;
byte highest[SEQUENCES + 1];
#ifdef TWICE
short issued[SEQUENCES + 1];	/* a bit for each value */
#endif

inline issue(value)
{
#ifdef TWICE
	twice = (issued[s] >> (value)) & 1;
	assert(!twice);
	issued[s] = issued[s] | (1 << (value))
#else
	back = (value) <= highest[s];
	assert(!back);
	highest[s] = value
#endif
}

#define BLOCK_OF(generation)	((generation) & (WITHOUT != TWO_BLOCKS))
#define USED			BLOCK_OF(generation)
#define OTHER			BLOCK_OF(generation + 1)
#define KNOWN			known[_pid * (SEQUENCES + 1) + s]

/* An error, a cancel or the end of the backend instead of the next step. */
#define MAY_FAIL		if :: skip :: goto fail fi

inline forget_locals()
{
	s = 0; g = 0; t = 0; v = 0; lsn = 0; slow = false; low = false
}

active [2] proctype backend()
{
	byte left = (_pid == 0 -> CALLS_0 : CALLS_1);
	byte s;						/* the sequence */
	byte g, t, v;				/* the state that was read, and a value */
	byte lsn;					/* of the record to be flushed */
	bool slow, low;				/* in gid_draw_slow(); GID_BLOCK_TAKEN_LOW */

end_idle:
	do
	:: atomic {
			left > 0 && !crashing -> left--; calls++;
			if
			:: s = 1
			:: _pid == 1 && SEQUENCES == 2 -> s = 2
			fi
		};
		{
			if :: KNOWN != 0 -> goto take :: KNOWN == 0 fi;

find:		atomic {
				if
				:: KNOWN != 0 && KNOWN == owner -> slow = true; goto take
				:: (KNOWN == 0 || KNOWN != owner) && !table_lock -> slow = true
				fi;
				if
				:: row == s -> KNOWN = owner; goto take
				:: row != s && owners == OWNERS -> goto done	/* the model's end */
				:: row != s && owners < OWNERS && claim -> goto wait
				:: row != s && owners < OWNERS && !claim -> table_lock = true; claim = true
				fi;
				ahead = (WITHOUT == END_AHEAD && ahead);
				ahead_lsn = (ahead -> ahead_lsn : 0)
			};
			if
			:: WITHOUT != END_BLOCK ->
				size[OTHER] = (WITHOUT == END_EMPTY -> size[OTHER] : 0);
				atomic { generation++; taken = 0 }
			:: WITHOUT == END_BLOCK
			fi;
			atomic { owners++; owner = owners };
			atomic { row = s; KNOWN = owner; claim = false; table_lock = false };

take:
#if WITHOUT == OWNER_LAST
			atomic { if :: owner != KNOWN -> goto none :: else fi };
#endif
			atomic { g = generation; t = taken };
take_again:
#if WITHOUT != OWNER_LAST && WITHOUT != OWNER_CHECK
			atomic { if :: owner != KNOWN -> goto none :: else fi };
#endif
			atomic {
				if
				:: t >= size[BLOCK_OF(g)] -> goto none
				:: else -> low = (size[BLOCK_OF(g)] == BLOCK && t + 1 == MARK)
				fi
			};
			v = first[BLOCK_OF(g)];
			atomic {
				if
				:: WITHOUT == CAS -> t = taken
				:: WITHOUT == GENERATION && t == taken
				:: WITHOUT != CAS && t == taken && g == generation
				:: else -> g = generation; t = taken; v = 0; low = false; goto take_again
				fi;
				taken++;
				issue(v + t);
				g = 0; t = 0; v = 0;
				if :: low -> goto write_ahead :: !low -> goto done fi
			};
none:		atomic {
				g = 0; t = 0;
				if :: !slow -> goto find :: slow fi
			};

			/* next_block */
			atomic {
				if :: !claim || WITHOUT == CLAIM -> claim = true :: else -> goto wait fi;
				if				/* has another one opened a block? */
				:: owner != KNOWN && WITHOUT != OWNER_RECHECK -> goto again
				:: taken < size[USED] -> goto again
				:: else
				fi;
				MAY_FAIL;
				if :: ahead -> lsn = ahead_lsn; goto open :: !ahead -> goto reserve fi
			};

write_ahead:
			atomic {
				if :: !claim || WITHOUT == CLAIM -> claim = true :: else -> goto done fi;
				if
				:: owner == KNOWN && !ahead && size[USED] == BLOCK && taken >= MARK
				:: else -> goto release
				fi;
				MAY_FAIL
			};

reserve:	atomic {
				v = page[s] + 1;
				lsn = page[s] + BLOCK;
				lsn = (lsn > MAX -> MAX : lsn);
				if
				:: v > MAX -> goto fail			/* 2200H */
				:: else -> page[s] = lsn
				fi
			};
#if WITHOUT == WRITE_FIRST
			if
			:: !low -> atomic { flushed[s] = lsn; generation++; taken = 1; issue(v) };
				first[USED] = v; size[USED] = lsn + 1 - v; goto release
			:: low
			fi;
#endif
			first[OTHER] = v;
			size[OTHER] = lsn + 1 - v;
			atomic {
				v = 0;
				MAY_FAIL;
				if :: low -> ahead_lsn = lsn; ahead = true; goto release :: !low fi
			};

open:		atomic {
				MAY_FAIL;
				if
				:: lsn <= flushed[s] || WITHOUT == FLUSH || (WITHOUT == FLUSH_AHEAD && ahead)
				:: else -> flushed[s] = lsn
				fi
			};
			atomic {
				v = first[OTHER];
				ahead = false;
				ahead_lsn = 0;
				generation++; taken = 1;
				issue(v)
			};
release:	claim = false;
			goto done;
again:		claim = false;
wait:		!claim || WITHOUT == SLEEP -> goto find;
fail:		claim = (WITHOUT == RELEASE)
		} unless { crashing };
done:	atomic { forget_locals(); calls-- }
	od
}

active proctype world()
{
	byte lives = 1, i;

	do
	:: lives == LIVES -> break
	:: lives < LIVES ->
		crashing = true;
		atomic {
			calls == 0 -> lives++;
			generation = 0; taken = 0; owner = 0; claim = false;
			ahead = false; ahead_lsn = 0; table_lock = false; row = 0; owners = 0;
			i = 0;
			do :: i < 2 -> first[i] = 0; size[i] = 0; i++ :: else -> break od;
			i = 0;
			do :: i < 2 * (SEQUENCES + 1) -> known[i] = 0; i++ :: else -> break od;
			i = 1;
			do
			:: i <= SEQUENCES ->
				do :: flushed[i] < page[i] -> page[i]-- :: break od;
				flushed[i] = page[i];
				i++
			:: else -> break
			od;
			i = 0; crashing = false
		}
	od
}
