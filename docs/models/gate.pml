/*
 * Visits marked in slots, with the store buffers of visitors and the fence of all threads.
 *
 *   visitor    writes its slot; fence; reads its signals; works in the current page; writes its slot
 *   remover    makes another page current, waits for a grace period, gives the old page back
 *   closer     closes the gate, has it for itself, opens it again
 *   flush      lets a store reach memory, at any moment
 *
 * A visitor's stores wait in a buffer, in their order; its loads do not. So a load may overtake an
 * earlier store, as on x86 and wherever release and acquire are all there is. The full fence empties
 * one's own buffer, the asymmetric one those of all. README.md says what is left out.
 *
 * Modes (-D): none   asymmetric: no fence for visitors, a fence of all threads for who waits
 *             FULL   a full fence for both. A visitor that leaves has none: it may overlook that it
 *                    is wanted, and who waits wakes up by itself
 *             INSIDE the first visitor closes the gate from inside, at its last visit
 *
 * Broken variants (-D), each of which must be refuted:
 *   NO_FENCE         who waits has no fence
 *   NO_VISIT_FENCE   in the mode FULL, the visitor has none
 *   READ_FIRST       the visitor reads what is current before it writes its slot
 *   SIGNALS_FIRST    it reads its signals before
 *   LEAVE_EARLY      it writes its slot before its work is done
 *   LATE_PUBLISH     a new slot is made known when the first visit in it has begun
 *   BLANK_SIGNALS    a new slot does not have the signals of the others
 *   LOOK_FIRST       who leaves looks whether it is wanted and then writes its slot
 *   WANT_UNFENCED    who waits wants to be woken, and sleeps without a fence between
 *   STAY_INSIDE      who closes from inside does not give up its visit
 */

#ifndef VISITORS
#define VISITORS 2
#endif
#ifndef VISITS
#define VISITS 2
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
#define WAITERS (CLOSERS + 2) /* and the remover, and the visitor that closes */
#define REMOVER CLOSERS
#define INSIDER (CLOSERS + 1)

/* Memory. */
byte slot[VISITORS];
#define DEPTH(visit) ((visit) % 4)
#define NUMBER(visit) ((visit) / 4)
#define NEXT(visit) (4 * (NUMBER(visit) + 1) + 1)
#define OUTSIDE(visit) ((visit) - DEPTH(visit))
byte signals[VISITORS];
#define CLOSED 1
#define WANTED 2
byte current; /* page */
byte work[VISITORS * PAGES]; /* how often a visitor has worked in a page */
bool published[VISITORS];

/* What is written and has not reached memory. */
chan buffer[VISITORS] = [BUFFER] of { byte, byte };
#define SLOT 100 /* instead of a page */
byte pending; /* of the remover: a page, plus 1 */

/* Locks, and what they guard. */
bool visitorsLock;
byte allSignals;
bool doorLock;
bool closed;
byte period;
byte drained;
bool asleep[WAITERS];

/* Ghosts. */
bool givenBack[PAGES];
bool shut; /* a close has returned, and the gate was not opened since */
byte done[VISITORS * PAGES]; /* stores to "work" that a visitor has made */

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

/* The visitor's full fence, and what any atomic update of its own amounts to. */
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
#ifndef FULL
        do
        :: who < VISITORS ->
            do
            :: buffer[who]?where, what -> arrive(who, where, what)
            :: empty(buffer[who]) -> break
            od;
            who++
        :: else -> who = 0; break
        od
#endif
    }
#endif
}

/* --- who waits ---------------------------------------------------------------------------------- */

#define OVER(v) (DEPTH(slot[v]) == 0 || NUMBER(slot[v]) != NUMBER(seen[v]))

inline awaitVisit(v) {
    do
    :: OVER(v) -> break
    :: else ->
        signals[v] = signals[v] | WANTED;
#ifndef WANT_UNFENCED
        fenceOfWaiter();
#endif
        atomic {
            if
            :: OVER(v) -> break
            :: else -> asleep[me] = true
            fi
        }
        if
        :: !asleep[me]
#ifdef FULL
        :: timeout -> asleep[me] = false
#endif
        fi
    od
}

inline awaitEarlier() {
    fenceOfWaiter();
    do
    :: at < VISITORS ->
        atomic {
            if
            :: published[at] -> seen[at] = slot[at]
            :: else
            fi;
            at++
        }
    :: else -> at = 0; break
    od;
    do
    :: at < VISITORS ->
        if
        :: DEPTH(seen[at]) != 0 -> awaitVisit(at)
        :: else
        fi;
        atomic { seen[at] = 0; at++ }
    :: else -> at = 0; break
    od
}

inline close() {
    lock(doorLock);
    if
    :: closed
    :: else ->
        lock(visitorsLock);
        allSignals = CLOSED;
        do
        :: at < VISITORS -> atomic { signals[at] = signals[at] | CLOSED; at++ }
        :: else -> at = 0; break
        od;
        unlock(visitorsLock);
        atomic { period++; closed = true }
    fi;
    atomic { now = period; unlock(doorLock) }
    awaitEarlier();
    lock(doorLock);
    atomic {
        if
        :: drained < now -> drained = now
        :: else
        fi;
        if
        :: closed && period == now -> shut = true
        :: else /* opened by another closer */
        fi;
        now = 0;
        unlock(doorLock)
    }
}

inline reopen() {
    lock(doorLock);
    if
    :: closed && drained == period ->
        shut = false;
        lock(visitorsLock);
        allSignals = 0;
        do
        :: at < VISITORS -> atomic { signals[at] = signals[at] & WANTED; at++ }
        :: else -> at = 0; break
        od;
        unlock(visitorsLock);
        closed = false
    :: else /* an exception: another one has opened it, or closes it */
    fi;
    unlock(doorLock)
}

proctype remover(byte me) {
    byte at, old, who, where, what;
    byte seen[VISITORS];

    do
    :: old < REMOVALS ->
        pending = old + 2;
        awaitEarlier();
        atomic {
            /* What those visits did is seen. */
            do
            :: at < VISITORS -> assert(work[AT(at, old)] == done[AT(at, old)]); at++
            :: else -> at = 0; break
            od;
            givenBack[old] = true;
            old++
        }
    :: else -> break
    od
}

proctype closer(byte me) {
    byte at, now, who, where, what;
    byte seen[VISITORS];

    close();
    reopen()
}

/* --- who visits --------------------------------------------------------------------------------- */

inline wakeIfWanted(v) {
    if
    :: (sig & WANTED) != 0 ->
        fence(v); /* of the atomic update */
        atomic {
            if
            :: (signals[v] & WANTED) != 0 -> signals[v] = signals[v] & CLOSED; woken = true
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
    lock(visitorsLock);
    atomic {
        published[v] = true;
#ifdef BLANK_SIGNALS
        signals[v] = 0;
#else
        signals[v] = allSignals;
#endif
        unlock(visitorsLock)
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

inline leaveVisit(v) {
#ifdef LOOK_FIRST
    sig = signals[v];
#endif
    visit = OUTSIDE(visit);
    buffer[v]!SLOT, visit;
#ifndef LOOK_FIRST
    sig = signals[v];
#endif
    wakeIfWanted(v)
}

/* Leaves with a full fence, as who is refused does. */
inline endVisit(v) {
    visit = OUTSIDE(visit);
    buffer[v]!SLOT, visit;
    fence(v);
    sig = signals[v];
    wakeIfWanted(v)
}

proctype visitor(byte v) {
    byte visit, page, n, sig, w;
    bool woken;
#ifdef INSIDE
    byte me = INSIDER;
    byte at, now, who, where, what;
    byte seen[VISITORS];
#endif

#ifndef LATE_PUBLISH
    register(v);
#endif
    do
    :: n < VISITS ->
        n++;
again:
#ifdef READ_FIRST
        page = current;
#endif
#ifdef SIGNALS_FIRST
        sig = signals[v];
#endif
        visit = NEXT(visit);
        buffer[v]!SLOT, visit;
#if defined(FULL) && !defined(NO_VISIT_FENCE)
        fence(v);
#endif
#ifndef SIGNALS_FIRST
        sig = signals[v];
#endif
        if
        :: (sig & CLOSED) != 0 ->
            endVisit(v);
            !doorLock && !closed; /* under the lock */
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
            buffer[v]!SLOT, visit + 1;
            workIn(v);
            buffer[v]!SLOT, visit
        :: true
        fi;
#ifdef INSIDE
        if
        :: v == 0 && n == VISITS ->
#ifndef STAY_INSIDE
            endVisit(v);
#endif
            close();
            reopen();
            break
        :: else
        fi;
#endif
#ifdef LEAVE_EARLY
        leaveVisit(v);
        workIn(v);
#else
        workIn(v);
        leaveVisit(v);
#endif
        page = 0
    :: else -> break
    od
}

init {
    byte i;
    atomic {
        do
        :: i < VISITORS -> run flush(i); i++
        :: else -> i = 0; break
        od;
        run flushRemover();
        do
        :: i < CLOSERS -> run closer(i); i++
        :: else -> i = 0; break
        od;
        run remover(REMOVER);
        do
        :: i < VISITORS -> run visitor(i); i++
        :: else -> i = 0; break
        od
    }
    /* All but the flushes have ended, and nothing waits. */
    _nr_pr == 2 + VISITORS;
    assert(!closed && !shut)
}
