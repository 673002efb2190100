/*
 * Readers that mark critical sections in slots, with their store buffers and the fence of all threads.
 *
 *   reader    writes its slot; fence; reads its signals; works in the current page; writes its slot
 *   remover    makes another page current, waits for a grace period, gives the old page back
 *   closer     closes the gate, has it for itself, opens it again
 *   flush      lets a store reach memory, at any moment
 *
 * A reader's stores wait in a buffer, in their order; its loads do not. So a load may overtake an
 * earlier store, as on x86 and wherever release and acquire are all there is. A full fence empties
 * one's own buffer, that of the waiter those of all. README.md says what is left out.
 *
 * Mode (-D): INSIDE the first reader closes the gate from inside, in its last critical section
 *
 * Broken variants (-D), each of which must be refuted:
 *   NO_FENCE         the waiter has no fence
 *   READ_FIRST       the reader reads what is current before it writes its slot
 *   SIGNALS_FIRST    it reads its signals before
 *   LEAVE_EARLY      it writes its slot before its work is done
 *   LATE_PUBLISH     a new slot is made known when the first critical section in it has begun
 *   BLANK_SIGNALS    a new slot does not have the signals of the others
 *   LOOK_FIRST       a reader that leaves looks whether somebody waits and then writes its slot
 *   WAIT_UNFENCED    the waiter says that it waits, and sleeps without a fence between
 *   STAY_INSIDE      a reader that closes from inside does not give up its critical section
 */

#ifndef READERS
#define READERS 2
#endif
#ifndef SECTIONS
#define SECTIONS 2
#endif
#ifndef REMOVALS
#define REMOVALS 1
#endif
#ifndef CLOSERS
#define CLOSERS 1
#endif
#ifndef BUFFER
#define BUFFER 3
#endif

#define PAGES (REMOVALS + 1)
#define WAITERS (CLOSERS + 2) /* and the remover, and the reader that closes */
#define REMOVER CLOSERS
#define INSIDER (CLOSERS + 1)

/* Memory. */
byte slot[READERS];
#define DEPTH(section) ((section) % 4)
#define NUMBER(section) ((section) / 4)
#define NEXT(section) (4 * (NUMBER(section) + 1) + 1)
#define OUTSIDE(section) ((section) - DEPTH(section))
byte signals[READERS];
#define CLOSED 1
#define WAITING 2
byte current; /* page */
byte work[READERS * PAGES]; /* how often a reader has worked in a page */
bool published[READERS];

/* What is written and has not reached memory. */
chan buffer[READERS] = [BUFFER] of { byte, byte };
#define SLOT 100 /* instead of a page */
byte pending; /* of the remover: a page, plus 1 */

/* Locks, and what they guard. */
bool registryLock;
byte allSignals;
bool stateLock;
bool closed;
bool asleep[WAITERS];

/* Ghosts. */
bool givenBack[PAGES];
bool shut; /* a close has returned, and the gate was not opened since */
byte opened; /* how often */
byte done[READERS * PAGES]; /* stores to "work" that a reader has made */

#define AT(v, page) ((v) * PAGES + (page))
#define lock(it) atomic { !it -> it = true }
#define unlock(it) it = false

/* --- stores and fences -------------------------------------------------------------------------- */

inline arrive(v, where, what) {
    if
    :: where == SLOT -> slot[v] = what
    :: else ->
        assert(!givenBack[where]); /* a store to memory that is another's */
        assert(!shut);
        work[AT(v, where)] = what
    fi;
    where = 0;
    what = 0
}

proctype flush(byte v) {
    byte where, what;
end:
    do
    :: atomic { buffer[v]?where, what -> arrive(v, where, what) }
    od
}

/* Also the remover's store may take its time. */
proctype flushRemover() {
end:
    do
    :: atomic { pending != 0 -> current = pending - 1; pending = 0 }
    od
}

/* The reader's full fence, and what any atomic update of its own amounts to. */
#define fence(v) empty(buffer[v])

inline fenceOfWaiter() {
#ifdef NO_FENCE
    skip
#else
    atomic {
        if
        :: pending != 0 -> current = pending - 1; pending = 0
        :: else
        fi;
        do
        :: who < READERS ->
            do
            :: buffer[who]?where, what -> arrive(who, where, what)
            :: empty(buffer[who]) -> break
            od;
            who++
        :: else -> who = 0; break
        od
    }
#endif
}

/* --- the waiter ---------------------------------------------------------------------------------- */

#define OVER(v) (DEPTH(slot[v]) == 0 || NUMBER(slot[v]) != NUMBER(seen[v]))

#define IS_OVER(v) (DEPTH(seen[v]) == 0 || OVER(v))

/* Passes those that are over; whether that is all of them, at < READERS says. */
inline passOver() {
    do
    :: at < READERS && IS_OVER(at) -> at++
    :: else -> break
    od
}

inline synchronize() {
    fenceOfWaiter();
    do
    :: at < READERS ->
        atomic {
            if
            :: published[at] -> seen[at] = slot[at]
            :: else
            fi;
            at++
        }
    :: else -> at = 0; break
    od;
    passOver();
    if
    :: at < READERS ->
        next = at;
        do
        :: next < READERS ->
            atomic {
                if
                :: !IS_OVER(next) -> signals[next] = signals[next] | WAITING
                :: else
                fi;
                next++
            }
        :: else -> next = 0; break
        od;
#ifndef WAIT_UNFENCED
        fenceOfWaiter();
#endif
    :: else
    fi;
    do
    :: at < READERS ->
        atomic {
            passOver();
            asleep[me] = at < READERS
        }
        if
        :: !asleep[me]
        fi
    :: else -> break
    od;
    atomic {
        at = 0;
        do
        :: at < READERS -> seen[at] = 0; at++
        :: else -> at = 0; break
        od
    }
}

inline close() {
    lock(stateLock);
    closed = true;
    lock(registryLock);
    allSignals = CLOSED;
    do
    :: at < READERS -> atomic { signals[at] = signals[at] | CLOSED; at++ }
    :: else -> at = 0; break
    od;
    unlock(registryLock);
    atomic { now = opened; unlock(stateLock) }
    synchronize();
    atomic {
        if
        :: opened == now -> shut = true
        :: else /* by another closer */
        fi;
        now = 0
    }
}

inline reopen() {
    close();
    lock(stateLock);
    atomic { opened++; shut = false }
    lock(registryLock);
    allSignals = 0;
    do
    :: at < READERS -> atomic { signals[at] = signals[at] & WAITING; at++ }
    :: else -> at = 0; break
    od;
    unlock(registryLock);
    closed = false;
    unlock(stateLock)
}

proctype remover(byte me) {
    byte at, next, old, who, where, what;
    byte seen[READERS];

    do
    :: old < REMOVALS ->
        pending = old + 2;
        synchronize();
        atomic {
            /* What those readers did is seen. */
            do
            :: at < READERS -> assert(work[AT(at, old)] == done[AT(at, old)]); at++
            :: else -> at = 0; break
            od;
            givenBack[old] = true;
            old++
        }
    :: else -> break
    od
}

proctype closer(byte me) {
    byte at, next, now, who, where, what;
    byte seen[READERS];

    close();
    reopen()
}

/* --- the reader --------------------------------------------------------------------------------- */

inline wakeIfWaiting(v) {
    if
    :: (sig & WAITING) != 0 ->
        fence(v); /* of the atomic update */
        atomic {
            if
            :: (signals[v] & WAITING) != 0 -> signals[v] = signals[v] & CLOSED; woken = true
            :: else
            fi
        }
        if
        :: woken ->
            atomic {
                woken = false;
                do
                :: w < WAITERS -> asleep[w] = false; w++
                :: else -> w = 0; break
                od
            }
        :: else
        fi
    :: else
    fi;
    sig = 0
}

inline register(v) {
    lock(registryLock);
    atomic {
        published[v] = true;
#ifdef BLANK_SIGNALS
        signals[v] = 0;
#else
        signals[v] = allSignals;
#endif
        unlock(registryLock)
    }
    fence(v)
}

inline workIn(v) {
    atomic {
        assert(!givenBack[page]);
        assert(!shut);
        nfull(buffer[v]) ->
        done[AT(v, page)]++;
        buffer[v]!page, done[AT(v, page)]
    }
}

inline leaveSection(v) {
#ifdef LOOK_FIRST
    sig = signals[v];
#endif
    section = OUTSIDE(section);
    buffer[v]!SLOT, section;
#ifndef LOOK_FIRST
    sig = signals[v];
#endif
    wakeIfWaiting(v)
}

/* Leaves with a full fence, as a reader does that is refused. */
inline endSection(v) {
    section = OUTSIDE(section);
    buffer[v]!SLOT, section;
    fence(v);
    sig = signals[v];
    wakeIfWaiting(v)
}

proctype reader(byte v) {
    byte section, page, n, sig, w;
    bool woken;
#ifdef INSIDE
    byte me = INSIDER;
    byte at, next, now, who, where, what;
    byte seen[READERS];
#endif

#ifndef LATE_PUBLISH
    register(v);
#endif
    do
    :: n < SECTIONS ->
        n++;
again:
#ifdef READ_FIRST
        page = current;
#endif
#ifdef SIGNALS_FIRST
        sig = signals[v];
#endif
        section = NEXT(section);
        buffer[v]!SLOT, section;
#ifndef SIGNALS_FIRST
        sig = signals[v];
#endif
        if
        :: (sig & CLOSED) != 0 ->
            endSection(v);
            !stateLock && !closed; /* under the lock */
            goto again
        :: else
        fi;
        sig = 0;
#ifndef READ_FIRST
        page = current;
#endif
        workIn(v);
#ifdef LATE_PUBLISH
        if
        :: !published[v] -> register(v)
        :: else
        fi;
#endif
        if
        :: true /* enters once more, and leaves */
            buffer[v]!SLOT, section + 1;
            workIn(v);
            buffer[v]!SLOT, section
        :: true
        fi;
#ifdef INSIDE
        if
        :: v == 0 && n == SECTIONS ->
#ifndef STAY_INSIDE
            endSection(v);
#endif
            close();
            reopen();
            break
        :: else
        fi;
#endif
#ifdef LEAVE_EARLY
        leaveSection(v);
        workIn(v);
#else
        workIn(v);
        leaveSection(v);
#endif
        page = 0
    :: else -> break
    od
}

init {
    byte i;
    atomic {
        do
        :: i < READERS -> run flush(i); i++
        :: else -> i = 0; break
        od;
        run flushRemover();
        do
        :: i < CLOSERS -> run closer(i); i++
        :: else -> i = 0; break
        od;
        run remover(REMOVER);
        do
        :: i < READERS -> run reader(i); i++
        :: else -> i = 0; break
        od
    }
    /* All but the flushes have ended, and nothing waits. */
    _nr_pr == 2 + READERS;
    assert(!closed && !shut)
}
