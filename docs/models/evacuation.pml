/*
 * Objects that move while threads update, read and free them; out of memory while evacuating.
 *
 *   worker   cycles: PREPARING, grace period, EVACUATING, walk, PREPARING again, grace period, STABLE
 *   updater  writes where the handle's word says, after copying the object itself if it must
 *   reader   reads where the word says, whatever the state
 *   freer    frees one object
 *
 * A region has one place for each object, so an address is a region. Each updater writes a field of
 * its own in every object, and counts in it: what a field holds is how many of its updates the object
 * has seen. README.md says what is left out.
 *
 * Policies (-D): none         there is always room for a copy
 *                OOM_PIN      a copy may fail; who claimed the object pins it where it is
 *                OOM_CLOSE    a copy may fail; who claimed it closes the evacuation gate
 *
 * Broken variants (-D), each of which must be refuted:
 *   NO_PREPARE_GRACE    no grace period between PREPARING and EVACUATING
 *   NO_FREE_GRACE       no grace period before an emptied region is given back
 *   NO_PIN              an update of an object in a PREPARING region leaves its word alone
 *   COUNT_FIRST         the old copy is counted dead before the word names the new one
 *   STORE               who has copied publishes without comparing
 *   UNPIN_TO_LIVE       the cycle makes a pinned object LIVE again before it looks who changes it
 *   PUBLISH_FIRST       the word names the copy before that is complete
 *   STAY_EVACUATING     a region with survivors becomes STABLE without being PREPARING meanwhile
 *   MOVE_UNCOUNTED      a pinned object is moved without a look who is changing it
 *   COUNT_LATE          who changes a pinned object counts itself after the last look at its word
 *   UNPIN_AT_ONCE       pins are taken back while the region is EVACUATING
 *   OOM_NO_CLOSE        who finds no room writes in place and tells nobody
 *   OOM_NO_WAIT         who finds the gate closed does not wait for those inside
 *   OOM_NO_LEAVE        who closes the gate does not leave it first
 *   REOPEN_FIRST        the evacuation gate is opened again before the regions are STABLE
 *   NEVER_REOPEN        it is not opened again
 */

#ifndef OBJECTS
#define OBJECTS 2
#endif
#ifndef UPDATERS
#define UPDATERS 2
#endif
#ifndef UPDATES
#define UPDATES 1
#endif
#ifndef READS
#define READS 1
#endif
#ifndef FREES
#define FREES 1
#endif
#ifndef CYCLES
#define CYCLES 2
#endif

#define REGIONS 2
#define THREADS (UPDATERS + 2) /* and the reader and the freer, if there are */

/* Word of a handle: what state it is in, and which region it names. The generation is not modelled:
 * an object that was freed stays so. */
#define FREE 0
#define LIVE 1
#define PINNED 2
#define UNPINNED 3 /* was pinned, and is copied by whoever finds that nobody changes it */
#define WORD(state, region) (2 * (state) + (region))
#define STATE(word) ((word) / 2)
#define REGION(word) ((word) % 2)

/* Of a region. */
#define GIVEN_BACK 0
#define STABLE 1
#define PREPARING 2
#define EVACUATING 3

byte word[OBJECTS];
byte region[REGIONS];
byte living[REGIONS]; /* filled less dead, in objects: by this the cycle knows that a region is empty */
byte field[OBJECTS * REGIONS * UPDATERS]; /* memory */
#define FIELD(object, at, u) field[((object) * REGIONS + (at)) * UPDATERS + (u)]

/* The access gate, as gate.pml proves it: a grace period waits for the critical sections that had begun. */
byte section[THREADS]; /* odd inside; goes up */

/* Updaters that change the object where it is pinned, or are about to look whether it is. */
byte changing[OBJECTS];

/* The evacuation gate. */
bool closed;
byte helpers;

/* Ghosts: what is claimed is said with them, nothing decides by them. */
byte ended[OBJECTS * UPDATERS]; /* updates that have returned */
#define ENDED(object, u) ended[(object) * UPDATERS + (u)]
byte begun[OBJECTS * UPDATERS];
#define BEGUN(object, u) begun[(object) * UPDATERS + (u)]

/* No memory is touched that was given back. */
#define TOUCH(at) assert(region[at] != GIVEN_BACK)

inline enter(who) { section[who]++ }
inline leave(who) { section[who]++ }

/* Returns when all critical sections have ended that had begun at the call. Keeps what it found in "seen". */
inline synchronize() {
    atomic {
        v = 0;
        do
        :: v < THREADS -> seen[v] = section[v]; v++
        :: else -> break
        od;
        v = 0
    }
    do
    :: v < THREADS ->
        (seen[v] % 2 == 0 || section[v] != seen[v]);
        v++
    :: else -> v = 0; break
    od;
    atomic {
        do
        :: v < THREADS -> seen[v] = 0; v++
        :: else -> v = 0; break
        od
    }
}

/* What the two kinds of who copies have in common. Sets "result". */
#define DONE 0    /* by me, or somebody else was there first: look again */
#define REFUSED 1 /* the evacuation gate is closed */
#define NO_ROOM 2 /* and I have closed it */

/* Nobody claims an object: each one copies to room of its own, which is not modelled before it is
 * published, and the compare-and-set that publishes decides. An object that is PINNED is made UNPINNED
 * first, by the worker only, and once in a cycle. */
inline copy(object, from, state) {
    was = state;
    if
    :: atomic { closed -> result = REFUSED }
    :: atomic { !closed -> helpers++ };
        if
        :: atomic { word[object] != WORD(was, from) -> helpers--; result = DONE }
        :: atomic {
                word[object] == WORD(was, from) ->
                if
                #ifdef UNPIN_TO_LIVE
                :: was == PINNED -> was = LIVE; word[object] = WORD(LIVE, from)
#else
                :: was == PINNED -> was = UNPINNED; word[object] = WORD(UNPINNED, from)
#endif
                :: else
                fi
            };
            if
#ifndef MOVE_UNCOUNTED
            :: atomic {
                    (was == UNPINNED || state == PINNED) && changing[object] != 0 ->
                    /* after a wait that need not be modelled */
                    if
                    :: word[object] == WORD(was, from) -> word[object] = WORD(PINNED, from)
                    :: else
                    fi;
                    helpers--;
                    result = DONE
                }
            :: atomic {
                    !(was == UNPINNED || state == PINNED) || changing[object] == 0 ->
#else
            :: atomic {
#endif
                    /* room: the other region, which is taken for it if it must be */
                    if
                    :: region[1 - from] == GIVEN_BACK -> region[1 - from] = STABLE
                    :: else
                    fi;
                    living[1 - from]++
                }
                copied = 0;
#ifdef PUBLISH_FIRST
                if
                :: atomic { word[object] == WORD(was, from) -> word[object] = WORD(LIVE, 1 - from) }
                :: atomic { word[object] != WORD(was, from) }
                fi;
#endif
                do
                :: atomic {
                        copied < UPDATERS ->
                        TOUCH(from);
                        mine[copied] = FIELD(object, from, copied);
                        copied++
                    }
                :: atomic { copied == UPDATERS -> copied = 0; break }
                od;
#ifdef COUNT_FIRST
                living[from]--;
#endif
                atomic {
                    if
#ifdef PUBLISH_FIRST
                    :: word[object] == WORD(LIVE, 1 - from) ->
#else
#ifdef STORE
                    :: STATE(word[object]) != FREE ->
#else
                    :: word[object] == WORD(was, from) ->
#endif
#endif
                        word[object] = WORD(LIVE, 1 - from);
                        TOUCH(1 - from);
                        do
                        :: copied < UPDATERS ->
                            FIELD(object, 1 - from, copied) = mine[copied];
                            copied++
                        :: else -> copied = 0; break
                        od;
                        won = true
                    :: else -> won = false
                    fi;
                    do
                    :: copied < UPDATERS -> mine[copied] = 0; copied++
                    :: else -> copied = 0; break
                    od
                }
                atomic {
                    /* dead: the old one, or the copy that nobody will see */
#ifdef COUNT_FIRST
                    if
                    :: won
                    :: else -> living[from]++; living[1 - from]--
                    fi;
#else
                    if
                    :: won -> living[from]--
                    :: else -> living[1 - from]--
                    fi;
#endif
                    won = false;
                    helpers--;
                    result = DONE
                }
#ifdef OOM_PIN
            :: atomic {
                    if
                    :: word[object] == WORD(was, from) -> word[object] = WORD(PINNED, from)
                    :: else
                    fi;
                    helpers--;
                    result = DONE
                }
#endif
#ifdef OOM_CLOSE
            :: atomic {
                    skip;
#ifndef OOM_NO_LEAVE
                    helpers--;
#endif
                }
#ifndef OOM_NO_CLOSE
                closed = true;
#ifndef OOM_NO_WAIT
                helpers == 0;
#endif
#endif
                result = NO_ROOM
#endif
            fi
        fi
    fi;
    was = 0
}

inline checkField(object, at, u, least) {
    /* What was updated before is seen, and nothing else. */
    TOUCH(at);
    assert(FIELD(object, at, u) >= least);
    assert(FIELD(object, at, u) <= BEGUN(object, u))
}

proctype updater(byte me) {
    byte object, w, r, n, result, copied, was;
    byte mine[UPDATERS];
    bool won;
    bool final; /* the gate was closed and nobody inside, in this critical section */
    bool counted; /* among those who change it where it is pinned */

    do
    :: atomic {
            n < UPDATES ->
            n++;
            if
            :: object = 0
#if OBJECTS > 1
            :: object = 1
#endif
            fi;
            enter(me)
        }
retry:
        atomic {
            w = word[object];
            if
            :: STATE(w) == FREE -> goto out /* an exception: such a handle is stale */
            :: STATE(w) == PINNED -> goto pinned
            :: else
            fi
        }
        r = region[REGION(w)]; /* after the word */
        if
#ifndef NO_PIN
        :: r == PREPARING ->
            atomic {
                r = 0;
                if
                :: word[object] == w -> word[object] = WORD(PINNED, REGION(w))
                :: else
                fi;
                goto retry
            }
#endif
        :: r == EVACUATING && !final ->
            r = 0;
            copy(object, REGION(w), STATE(w));
            if
            :: result == REFUSED ->
                closed = true; /* a close of a closed gate waits, too */
#ifndef OOM_NO_WAIT
                helpers == 0;
#endif
                final = true
            :: result == NO_ROOM -> final = true
            :: else
            fi;
            result = 0;
            goto retry
        :: else -> goto write
        fi;
pinned:
#ifdef COUNT_LATE
        if
        :: atomic { word[object] != w -> goto retry }
        :: atomic { word[object] == w };
            atomic { changing[object]++; counted = true }
        fi;
#else
        atomic { changing[object]++; counted = true }
        if
        :: atomic { word[object] != w -> changing[object]--; counted = false; goto retry }
        :: word[object] == w
        fi;
#endif
write:
        r = 0;
        atomic {
            TOUCH(REGION(w));
            BEGUN(object, me)++;
            FIELD(object, REGION(w), me) = FIELD(object, REGION(w), me) + 1
        }
        atomic {
            ENDED(object, me)++;
            if
            :: counted -> changing[object]--; counted = false
            :: else
            fi
        }
out:
        atomic { leave(me); w = 0; final = false; object = 0 }
    :: else -> break
    od
}

proctype reader(byte me) {
    byte object, w, n, u;
    byte least[UPDATERS];

    do
    :: atomic {
            n < READS ->
            n++;
            if
            :: object = 0
#if OBJECTS > 1
            :: object = 1
#endif
            fi;
            enter(me);
            do
            :: u < UPDATERS -> least[u] = ENDED(object, u); u++
            :: else -> u = 0; break
            od
        }
        w = word[object];
        if
        :: STATE(w) == FREE
        :: else ->
            do
            :: atomic {
                    u < UPDATERS ->
                    checkField(object, REGION(w), u, least[u]);
                    u++
                }
            :: atomic { u == UPDATERS -> u = 0; break }
            od
        fi;
        atomic {
            leave(me);
            w = 0;
            object = 0;
            do
            :: u < UPDATERS -> least[u] = 0; u++
            :: else -> u = 0; break
            od
        }
    :: else -> break
    od
}

/* Frees the last object. */
proctype freer(byte me) {
    byte w;
    enter(me);
retry:
    w = word[OBJECTS - 1];
    if
    :: atomic { word[OBJECTS - 1] == w -> word[OBJECTS - 1] = WORD(FREE, 0) };
        living[REGION(w)]--
    :: atomic { word[OBJECTS - 1] != w -> goto retry }
    fi;
    leave(me)
}

/* Whether no object is in a region. */
#if OBJECTS > 1
#define EMPTY(at) (!(IN(0, at)) && !(IN(1, at)))
#else
#define EMPTY(at) (!(IN(0, at)))
#endif
#define IN(object, at) (STATE(word[object]) != FREE && REGION(word[object]) == (at))

inline unpin() {
    do
    :: object < OBJECTS ->
        atomic {
            if
            :: word[object] == WORD(PINNED, from) -> word[object] = WORD(LIVE, from)
            :: word[object] == WORD(UNPINNED, from) -> word[object] = WORD(LIVE, from)
            :: else
            fi;
            object++
        }
    :: else -> object = 0; break
    od
}

inline reopen() {
    if
    :: closed -> helpers == 0; closed = false
    :: else
    fi
}

proctype worker() {
    byte cycles, from, object, w, result, copied, was, v;
    byte mine[UPDATERS];
    bool won;
    byte seen[THREADS];
    bool bare;

    do
    :: cycles < CYCLES ->
        cycles++;
        /* 1: choose */
        if
        :: region[0] == STABLE && !EMPTY(0) -> from = 0
        :: region[1] == STABLE && !EMPTY(1) -> from = 1
        :: EMPTY(0) && EMPTY(1) -> break
        fi;
        assert(!closed);
        region[from] = PREPARING;
#ifndef NO_PREPARE_GRACE
        synchronize();
#endif
        /* 2: evacuate */
        region[from] = EVACUATING;
        do
        :: object < OBJECTS ->
            w = word[object];
            if
            :: STATE(w) != FREE && REGION(w) == from ->
                copy(object, from, STATE(w));
                if
                :: result != DONE -> object = OBJECTS
                :: else -> object++ /* tried once */
                fi;
                result = 0
            :: else -> object++
            fi;
            w = 0
        :: else -> object = 0; break
        od;
        /* 3: finish. Who enters from now on copies nothing: a region that has objects still pins them
         * once more, until all have left who may copy. */
        bare = (living[from] == 0);
#ifdef UNPIN_AT_ONCE
        unpin();
#endif
#ifdef REOPEN_FIRST
        reopen();
#endif
#ifndef STAY_EVACUATING
        if
        :: !bare -> region[from] = PREPARING
        :: else
        fi;
#endif
#ifdef NO_FREE_GRACE
        if
        :: !bare -> synchronize()
        :: else
        fi;
#else
        synchronize();
#endif
        if
        :: bare -> region[from] = GIVEN_BACK
        :: else -> region[from] = STABLE
        fi;
        unpin();
#ifndef NEVER_REOPEN
        reopen();
#endif
        atomic { from = 0; bare = false }
    :: else -> break
    od
}

init {
    byte object, u;
    atomic {
        region[0] = STABLE;
        living[0] = OBJECTS;
        do
        :: object < OBJECTS -> word[object] = WORD(LIVE, 0); object++
        :: else -> object = 0; break
        od;
        do
        :: u < UPDATERS -> run updater(u); u++
        :: else -> u = 0; break
        od;
#if READS > 0
        run reader(UPDATERS);
#endif
#if FREES > 0
        run freer(UPDATERS + 1);
#endif
        run worker()
    }
    _nr_pr == 1;
    /* All have ended: every object is there, with all its updates. */
    assert(!closed && helpers == 0);
    do
    :: atomic {
            object < OBJECTS ->
            if
            :: STATE(word[object]) == FREE
            :: else ->
                assert(STATE(word[object]) == LIVE || STATE(word[object]) == PINNED);
                assert(region[REGION(word[object])] == STABLE);
                do
                :: u < UPDATERS ->
                    assert(FIELD(object, REGION(word[object]), u) == ENDED(object, u));
                    u++
                :: else -> u = 0; break
                od
            fi;
            object++
        }
    :: object == OBJECTS -> break
    od
}
