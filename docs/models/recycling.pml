/*
 * Entries of a cache that were replaced and are written again for other puts, while others still read
 * them without a lock, and while handles move from line to line of the index.
 *
 *   changer   puts values of our key. With the monitor of its bucket held, it also has the handle
 *             moved to the other line, or copied there and taken back, or removes the entry
 *   reader    looks for our key without a lock, and believes what the lines say. Then it may remove
 *             the entry that it found, with the monitor held, if that has the value that it found
 *             still (with ANY: it removes whatever entry our key has)
 *   other     has another monitor. Its bucket takes the second line when nobody has it, puts an entry
 *             of another key there, replaces it, removes it and gives the line back. It also has the
 *             memory of that line given back once, and has other memory come for it
 *
 * A put takes an entry that was replaced before, whosever it was, and writes it without a monitor.
 * Then a lane gets its handle, and the entry that was there is kept for other puts.
 *
 * Our key's bucket has the first line, and now and then the second one, too. A line has one lane here,
 * and both keys have the same tag. A value is two numbers, which are the same in a whole one, and never
 * again those of another value of our key (with REPEAT: or those that it had at first). Whoever has to
 * look again goes away here, since that is as if he came later. README.md says what is left out.
 *
 * Broken variants (-D), each of which must be refuted:
 *   TAG_FIRST           the reader reads the tag before the version
 *   LOOK_ONCE           it does not look at the version afterwards
 *   MISMATCH_UNCHECKED  it does so only where it has found its key
 *   NONE_UNCHECKED      it believes that there is none, and does not ask for the state
 *   WRITE_PUBLISHED     a put writes to the entry that is in the index
 *   NO_VERSION          a lane gets another handle, and its line keeps its version
 *   VERSION_FIRST       the line has the next version before the lane has the other handle
 *   KEEP_FIRST          the entry before is kept for others before the line has the next version
 *   LEAVE_UNSEEN        a line that an entry leaves keeps its version
 *   LEAVE_FIRST         it has the next version before the tag is cleared
 *   TAKE_BACK_UNSEEN    a line from which a copy is taken back keeps its version
 *   ZERO_VERSION        a line that is taken begins with version 0
 *   HANDLE_LAST         a lane gets its handle after its tag
 *   COUNT_FIRST         the state changes before an entry is copied to another line
 *   COUNT_LAST          it changes after the entry has left its line
 *   GIVE_FIRST          it changes after the memory of a line was given back
 *   BELIEVE_HANDLE      who removes asks what the lane has, and not for version and state
 *   BELIEVE_VERSION     he does not ask for the state
 *   STATE_FIRST         he asks for the state before the version
 *   SEEN_LAST           the state that he asks for is that after the look-up
 *   BELIEVE_AGAIN       he looks again, and does not compare the value
 * This is none, since version and state say enough where there are no errors:
 *   LANE_UNSEEN         who removes does not ask what the lane has
 */

#ifndef STEPS
#define STEPS 2 /* of the changer; up to 5 */
#endif
#ifndef OTHER_STEPS
#define OTHER_STEPS 2
#endif
#ifndef READERS
#define READERS 1 /* or 2 */
#endif
#ifndef HANDLES
#define HANDLES 2 /* of entries: 1 to this, up to 4 */
#endif

/* Lines. The second one is SECOND_AGAIN after its memory was given back. */
#define FIRST 0
#define SECOND 1
#define SECOND_AGAIN 2
#define NOWHERE 3

/* Who has the second one. */
#define FREE 0
#define OURS 1
#define OTHERS 2
#define NOBODYS 3 /* its memory is given back right now */

#define NO_HANDLE 0
#define ABSENT 0 /* instead of a value */
#define ALIEN 7  /* any value of the other key */

byte second = SECOND; /* in which memory the second line is */
byte owner; /* of the second line */
bool link;  /* whether the first line names the second one */
byte version[3];
bool tag[3];
byte handle[3];
byte state;

/* Entries, by their handles. */
bool live[5];
bool kept[5]; /* for puts */
byte key[5];
byte low[5];
byte high[5];

byte where = NOWHERE; /* the line of our key's entry; for who has the monitor */
bool monitor;

/* For the claims: the value that our key has, and those that it had during a look-up, as bits. */
byte current = ABSENT;
byte during[READERS];

#define LOCK !monitor -> monitor = true
#define UNLOCK monitor = false

/* Our key has another value, or none. A look-up that does not run has no bits. */
inline becomes(value) {
    current = value;
    during[0] = (during[0] -> during[0] | (1 << value) : 0);
#if READERS > 1
    during[1] = (during[1] -> during[1] | (1 << value) : 0)
#endif
}

/* Takes an entry that is kept, if there is one. */
inline obtain(h) {
    if
    :: kept[1] -> h = 1
    :: kept[2] -> h = 2
    :: kept[3] -> h = 3
    :: kept[4] -> h = 4
    :: else -> h = NO_HANDLE
    fi;
    kept[h] = false
}

#define KEEP(h) kept[h] = true; kept[NO_HANDLE] = false

/* An entry was removed: mostly it is freed. It is kept if a put had no memory for another one. */
inline retire(h) {
    if
    :: live[h] = false
    :: KEEP(h)
    fi
}

/* A lane that is free gets an entry. */
inline insert(line, h, value) {
#ifdef HANDLE_LAST
    d_step { tag[line] = true; becomes(value) }
    handle[line] = h
#else
    handle[line] = h;
    d_step { tag[line] = true; becomes(value) }
#endif
}

/* A lane gets another handle; old is the one before. */
inline replace(line, h, old, value) {
#ifdef VERSION_FIRST
    version[line]++;
#endif
    d_step { old = handle[line]; handle[line] = h; becomes(value) }
#ifdef KEEP_FIRST
    kept[old] = true;
    old = NO_HANDLE;
#endif
#if !defined(VERSION_FIRST) && !defined(NO_VERSION)
    version[line]++
#endif
}

/* An entry leaves a line. */
inline leave(line, value) {
#ifdef LEAVE_FIRST
    version[line]++;
#endif
    d_step { tag[line] = false; becomes(value) }
#if !defined(LEAVE_FIRST) && !defined(LEAVE_UNSEEN)
    version[line]++
#endif
}

inline takeBack(line) {
    tag[line] = false;
#ifndef TAKE_BACK_UNSEEN
    version[line]++
#endif
}

/* Takes the second line, if nobody has it. */
inline take(whose, taken) {
    d_step {
        if
        :: owner == FREE -> owner = whose; taken = true; handle[second] = NO_HANDLE
        :: else -> taken = false
        fi
    }
#ifdef ZERO_VERSION
    if
    :: taken -> version[second] = 0
    :: else
    fi
#endif
}

/* Our bucket needs the second line no more. */
#define GIVE link = false; owner = FREE

/* Our key's entry leaves the index. */
inline removeLocked(old) {
    old = handle[where];
    leave(where, ABSENT);
    d_step {
        if
        :: where != FIRST -> GIVE
        :: else
        fi;
        where = NOWHERE
    }
}

inline putLocked(h, old, value) {
    if
    :: where != NOWHERE -> replace(where, h, old, value)
    :: else -> insert(FIRST, h, value); where = FIRST
    fi
}

inline overwriteLocked(value) {
    if
    :: where != NOWHERE ->
        low[handle[where]] = value;
        d_step { high[handle[where]] = value; becomes(value) }
        version[where]++
    :: else
    fi
}

#ifdef COUNT_FIRST
#define COUNT_BEFORE state++
#else
#define COUNT_BEFORE skip
#endif
#if defined(COUNT_FIRST) || defined(COUNT_LAST)
#define COUNT skip
#else
#define COUNT state++
#endif
#ifdef COUNT_LAST
#define COUNT_AFTER state++
#else
#define COUNT_AFTER skip
#endif

inline moveLocked(taken) {
    if
    :: where == FIRST ->
        take(OURS, taken);
        if
        :: taken ->
            link = true;
            COUNT_BEFORE;
            insert(second, handle[FIRST], current);
            if
            :: COUNT; leave(FIRST, current); COUNT_AFTER; where = second
            :: takeBack(second); d_step { GIVE } /* there was no line for another entry */
            fi
        :: else
        fi
    :: where == second ->
        COUNT_BEFORE;
        insert(FIRST, handle[second], current);
        COUNT; leave(second, current); COUNT_AFTER;
        d_step { where = FIRST; GIVE }
    :: where == NOWHERE
    fi
}

inline choose(value) {
    if
    :: value = step + 1
#ifdef REPEAT
    :: value = 1
#endif
    fi
}

proctype changer() {
    byte step, h, old, value;
    bool taken;
    do
    :: step < STEPS ->
        if
        :: /* puts */
#ifdef WRITE_PUBLISHED
            atomic { step++; choose(value); LOCK }
            overwriteLocked(value);
            UNLOCK
#else
            atomic { step++; choose(value); obtain(h); key[h] = OURS }
            if
            :: h != NO_HANDLE ->
                low[h] = value;
                high[h] = value;
                atomic { LOCK }
                putLocked(h, old, value);
                d_step { UNLOCK; KEEP(old) }
            :: else
            fi
#endif
        :: /* has the handle moved */
            atomic { step++; LOCK }
            moveLocked(taken);
            UNLOCK
        :: /* removes the entry */
            atomic { step++; LOCK }
            if
            :: where != NOWHERE -> removeLocked(old)
            :: else
            fi;
            atomic { UNLOCK; retire(old) }
        fi;
        d_step { h = NO_HANDLE; old = NO_HANDLE; value = 0; taken = false }
    :: else -> break
    od
}

#define AGAIN 0
#define NONE 1
#define FOUND 2

#ifdef TAG_FIRST
#define VERSION_BEFORE(line) skip
#define VERSION_AFTER(line) v = version[line]
#else
#define VERSION_BEFORE(line) v = version[line]
#define VERSION_AFTER(line) skip
#endif

#ifdef MISMATCH_UNCHECKED
#define IS_COMPARED (k == OURS)
#else
#define IS_COMPARED true
#endif

/* Looks into a line. */
inline lookInto(line, result, v, h, k, a, b) {
    d_step { result = NONE; VERSION_BEFORE(line) }
    if
    :: tag[line] ->
        VERSION_AFTER(line);
        h = handle[line];
        d_step {
            if
            :: live[h] -> k = key[h]
            :: else -> k = OTHERS; result = AGAIN /* stale */
            fi
        }
        if
        :: k == OURS ->
            a = low[h];
            d_step { b = high[h]; result = FOUND }
        :: else
        fi;
#ifndef LOOK_ONCE
        d_step {
            if
            :: IS_COMPARED && version[line] != v -> result = AGAIN
            :: else
            fi
        }
#endif
    :: else
    fi
}

/* Looks for our key. What is believed must be right. */
inline look(me, result, seen, line, v, h, k, a, b) {
    d_step { seen = state; during[me] = 1 << current; line = FIRST }
    lookInto(line, result, v, h, k, a, b);
    if
    :: result == NONE && link ->
        line = second;
        lookInto(line, result, v, h, k, a, b)
    :: else
    fi;
    d_step {
        if
        :: result == FOUND -> assert(a == b && (during[me] & (1 << a)))
#ifdef NONE_UNCHECKED
        :: result == NONE -> assert(during[me] & (1 << ABSENT))
#else
        :: result == NONE && state == seen -> assert(during[me] & (1 << ABSENT))
#endif
        :: else
        fi;
#ifdef SEEN_LAST
        seen = state;
#endif
        during[me] = 0
    }
}

/*
 * Whether the entry is where it was found, and what it was. By now the line may be another bucket's.
 * After the version and the state it asks for the lane, since errors may leave anything there.
 */
inline isUnchangedLocked(is, seen, line, v, h) {
    is = true;
#ifdef STATE_FIRST
    is = (state == seen);
#endif
    line = (line == FIRST -> FIRST : second); /* in the memory that it has now */
#ifndef BELIEVE_HANDLE
    is = is && version[line] == v;
#if !defined(STATE_FIRST) && !defined(BELIEVE_VERSION)
    is = is && state == seen;
#endif
#endif
#ifndef LANE_UNSEEN
    is = is && tag[line];
    is = is && handle[line] == h
#endif
}

/* The same where our key's entry is now. */
inline lookAgainLocked(is, line, h, a) {
    d_step {
        line = where;
        if
        :: line == NOWHERE
#if defined(ANY)
        :: line != NOWHERE -> is = true; h = handle[line]
#elif defined(BELIEVE_AGAIN)
        :: line != NOWHERE -> is = (handle[line] == h)
#else
        :: line != NOWHERE -> is = (handle[line] == h && low[h] == a && high[h] == a)
#endif
        fi
    }
}

proctype reader(byte me) {
    byte result, seen, line, v, h, k, a, b;
    bool is;
    look(me, result, seen, line, v, h, k, a, b);
    if
    :: result == FOUND ->
        atomic { LOCK }
        isUnchangedLocked(is, seen, line, v, h);
        if
        :: is
        :: else -> lookAgainLocked(is, line, h, a)
        fi;
        if
        :: is ->
            d_step {
                assert(line == FIRST || owner == OURS);
                assert(line == where && handle[line] == h);
                assert(key[h] == OURS && low[h] == current && high[h] == current);
#ifndef ANY
                assert(current == a)
#endif
            }
            removeLocked(h)
        :: else -> h = NO_HANDLE
        fi;
        atomic { UNLOCK; retire(h) }
    :: true /* it only reads */
    fi;
    d_step { result = 0; seen = 0; line = 0; v = 0; h = 0; k = 0; a = 0; b = 0; is = false }
}

proctype other() {
    byte step, h, old;
    bool has;
    do
    :: step < OTHER_STEPS ->
        if
        :: /* puts */
            atomic { step++; obtain(h); key[h] = OTHERS }
            if
            :: h != NO_HANDLE ->
                low[h] = ALIEN;
                high[h] = ALIEN;
                if
                :: has -> replace(second, h, old, current)
                :: else ->
                    take(OTHERS, has);
                    if
                    :: has -> insert(second, h, current)
                    :: else -> old = h /* or it frees the entry */
                    fi
                fi;
                d_step { KEEP(old) }
            :: else
            fi
        :: has -> /* removes the entry, gives the line */
            d_step { step++; old = handle[second] }
            leave(second, current);
            atomic { has = false; owner = FREE; retire(old) }
        :: atomic { owner == FREE && second == SECOND -> owner = NOBODYS; step++ } /* other memory */
#ifdef GIVE_FIRST
            second = SECOND_AGAIN;
            state++;
#else
            state++;
            second = SECOND_AGAIN;
#endif
            owner = FREE
        fi;
        d_step { h = NO_HANDLE; old = NO_HANDLE }
    :: else -> break
    od
}

init {
    atomic {
        byte h = HANDLES;
        do
        :: h > 0 -> live[h] = true; kept[h] = true; h--
        :: else -> break
        od;
        if
        :: true /* our key has no entry */
        :: where = FIRST
        :: where = SECOND; owner = OURS; link = true
        fi;
        if
        :: where != NOWHERE ->
            current = 1;
            kept[1] = false; key[1] = OURS; low[1] = 1; high[1] = 1;
            handle[where] = 1; tag[where] = true
        :: else
        fi;
        run changer();
        run other();
        run reader(0);
#if READERS > 1
        run reader(1)
#endif
    }
}
