/*
 * page.pml
 *		Durable reservation on a sequence's page, among nextval(), crashes and a
 *		rolled back ALTER SEQUENCE: gid hands out no value twice, nor one that
 *		nextval() gave and that was committed.
 *
 * What the parts stand for:
 *	reserve		gid_page_reserve() and gid_page_follow(), sequence/page.c
 *	hand_out	gid_flush(), sequence/flush.c; then the caller's values: a block's
 *				or a batch's, sequence/draw.c, or a generator's number, id/decimal_id.c
 *	gid			a transaction that draws: gid_open_sequence(), which takes
 *				nextval()'s lock until the end of the transaction
 *	core		one that calls nextval(), which logs LOG values ahead, counts
 *				them in log_cnt and flushes nothing; only its commit does.  Once
 *				that was seen gid logs LOG values ahead, too.  What
 *				it gave and did not commit comes again after a crash
 *	alter		one that alters the sequence, which makes a new file from the
 *				page as it is, draws from that, and commits or rolls back
 *	world		a crash: the pages and the sequence's file are as any record from
 *				the last flushed one to the last one says
 *
 * What is done under the page's lock is one step.  A buffer is on disk only
 * after its records, so the pages on disk need no place here.
 *
 * Left out: increments, the range but for its end, CYCLE, setval(), RESTART;
 * ranges that the file before cannot follow (an error); synchronous standbys.
 *
 * Sizes: GIDS transactions that draw one value or two, with a rest of CALLS
 * each; CORE of nextval(); ALTERS that alter; LIVES lives of the server.
 */
#ifndef GIDS
#define GIDS			2
#define CALLS			1
#define CORE			2
#define ALTERS			1
#define LIVES			3
#endif
#define LOG				2
#define RECORDS			20

/*
 * The safeguards.  -DWITHOUT=FLUSH takes one out; then spin finds a value that
 * is handed out twice.
 */
#define PAGE_LOCK		1		/* twice: the page is read and written under it */
#define FLUSH			2		/* twice: before values are handed out */
#define LOG_CNT			3		/* twice: says how far the record is ahead */
#define SEQUENCE_LOCK	4		/* twice: keeps ALTER SEQUENCE out meanwhile */
#define FOLLOW			5		/* twice: the file before comes along */
#define FOLLOW_FLUSH	6		/* twice: and is on disk, too */
#define RECORD_AHEAD	7		/* twice: of the page, where log_cnt says so */
#ifndef WITHOUT
#define WITHOUT			0
#endif

/* The sequence: last_value of the file before and the new one, which is used. */
byte page[2];
byte log_cnt[2];
bool file;
byte drawing;					/* transactions that hold nextval()'s lock */
bool altering;					/* one holds ALTER SEQUENCE's */
bool mixed;						/* nextval() was seen: GidPageMark.nextval */

/* The WAL: with each record, what is so after it, as seen by a recovery. */
byte inserted, flushed;
short record[RECORDS];			/* used file, new file's page, page before */

/* The world. */
byte calls;						/* transactions that are running */
bool crashing;

/* What is to be proved. */
bool twice;
int issued;						/* a bit for each value: by gid, or committed */
int uncommitted;				/* given by nextval() */

#define BIT(value)		(1 << (value))

/* A record with a full image of a file's page, or with a commit's file. */
inline insert_page(f)
{
	inserted++;
	record[inserted] = (record[inserted - 1] & ~(31 << (5 * (f)))) | (page[f] << (5 * (f)))
}

inline insert_commit()
{
	inserted++;
	record[inserted] = (record[inserted - 1] & 1023) | (file << 10)
}

inline flush(lsn)
{
	flushed = (lsn > flushed -> lsn : flushed)
}

/* Reserve n values on a file, and have the file before follow if "ours". */
inline reserve(f, ours)
{
	if
	:: WITHOUT == PAGE_LOCK -> v = page[f]
	:: WITHOUT != PAGE_LOCK
	fi;
	atomic {
		if
		:: WITHOUT == PAGE_LOCK
		:: WITHOUT != PAGE_LOCK -> v = page[f]
		fi;
		if
		:: mixed && WITHOUT != RECORD_AHEAD -> page[f] = v + n + LOG
		:: else -> page[f] = v + n
		fi;
		insert_page(f);
		lsn = inserted;
		page[f] = v + n;
		log_cnt[f] = (WITHOUT == LOG_CNT -> log_cnt[f] : (mixed -> LOG : 0))
	};
	if
	:: ours && WITHOUT != FOLLOW ->
		atomic {
			if
			:: page[1 - f] < page[f] ->
				page[1 - f] = page[f];
				log_cnt[1 - f] = 0;
				insert_page(1 - f);
				lsn = (WITHOUT == FOLLOW_FLUSH -> lsn : inserted)
			:: else
			fi
		}
	:: else
	fi
}

inline hand_out()
{
	atomic {
		if
		:: WITHOUT == FLUSH
		:: WITHOUT != FLUSH -> flush(lsn)
		fi;
		do
		:: n > 0 ->
			v++; n--;
			twice = ((issued | uncommitted) & BIT(v)) != 0;
			assert(!twice);
			issued = issued | BIT(v)
		:: n == 0 -> break
		od;
		v = 0; lsn = 0
	}
}

active [GIDS] proctype gid()
{
	byte left = CALLS, n, v, lsn;

end_idle:
	do
	:: atomic {
			left > 0 && !crashing && (!altering || WITHOUT == SEQUENCE_LOCK) ->
			left--; calls++; drawing++;
			n = 2
		};
		{
			reserve(file, false);
			hand_out()
		} unless { crashing };
		atomic { n = 0; v = 0; lsn = 0; drawing--; calls-- }
	od
}

active proctype core()
{
	byte left = CORE, v;

end_idle:
	do
	:: atomic {
			left > 0 && !crashing && !altering -> left--; calls++; drawing++;
			v = page[file] + 1;
			if
			:: mixed = true
			:: skip				/* it is seen when gid looks at the page */
			fi;
			if
			:: log_cnt[file] > 0 -> log_cnt[file]--
			:: log_cnt[file] == 0 ->
				log_cnt[file] = LOG;
				page[file] = v + LOG;
				insert_page(file)
			fi;
			page[file] = v;
			twice = (issued & BIT(v)) != 0;
			assert(!twice);
			uncommitted = uncommitted | BIT(v)
		};
		atomic {				/* commit, with a row that has the value */
			flush(inserted);
			issued = issued | BIT(v);
			uncommitted = uncommitted & ~BIT(v)
		} unless { crashing };
		atomic { v = 0; drawing--; calls-- }
	od
}

active proctype alter()
{
	byte left = ALTERS, n, v, lsn;

end_idle:
	do
	:: atomic {
			left > 0 && !crashing && (drawing == 0 || WITHOUT == SEQUENCE_LOCK) ->
			left--; calls++; altering = true;
			n = 2;
			page[1 - file] = page[file];
			log_cnt[1 - file] = 0;
			insert_page(1 - file)
		};
		{
			reserve(1 - file, true);
			hand_out();
			atomic {
				if
				:: file = 1 - file;		/* commit */
					insert_commit();
					flush(inserted)
				:: skip					/* rollback */
				fi
			}
		} unless { crashing };
		atomic { n = 0; v = 0; lsn = 0; altering = false; calls-- }
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
			do :: flushed < inserted -> flushed++ :: break od;
			record[0] = record[flushed];
			page[0] = record[0] & 31;
			page[1] = (record[0] >> 5) & 31;
			file = record[0] >> 10;
			log_cnt[0] = 0; log_cnt[1] = 0;
			uncommitted = 0; mixed = false;
			inserted = 0; flushed = 0;
			i = 1;
			do :: i < RECORDS -> record[i] = 0; i++ :: else -> break od;
			i = 0; crashing = false
		}
	od
}
