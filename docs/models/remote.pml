/*
 * Blocks of one span that other threads free, while the span fills up, empties, and changes hands.
 *
 *   owner    allocates, frees, looks at what is announced, retires the span when it is empty; ends
 *   next     takes the span when it is empty; or takes it over when the first owner has ended; then
 *            does as the first
 *   freer    reads the word, links a block, compares and sets the word, reads whose the span is and
 *            announces it if nobody did
 *
 * The word of the span is (announced, count, first), and changes at once. An announcement is a number
 * for each owner: how often the span is in its list. README.md says what is left out.
 *
 * Broken variants (-D), each of which must be refuted:
 *   LOOK_LISTED       who frees a block announces if it finds the span full, by a look after its free
 *   TORN              the list and its count change one after the other
 *   CLEAR             who takes the blocks ends that the span is announced, which is in the list still
 *   FORGET            who looks at what is announced does not end that it is
 *   RETIRE_ANNOUNCED  an empty span is retired though it is announced
 *   OWNER_FIRST       who frees a block reads whose the span is before its compare-and-set
 *   ADOPT_UNCLAIMED   the span is taken over though somebody may be about to announce it
 */

#ifndef BLOCKS
#define BLOCKS 2
#endif
#ifndef STEPS
#define STEPS 3 /* of each owner */
#endif
#ifndef FREES
#define FREES 2 /* of each of two freers */
#endif

#define NOBODY 0
#define OWNER 1
#define NEXT 2

#define FREE 0
#define USED 1
#define FREEING 2

/* The word. */
bool announced;
byte count;
byte first;

byte link[BLOCKS + 1];
byte is[BLOCKS + 1];
byte head; /* the owner's */
byte used;
bool listed;
byte owner;
byte inbox[3]; /* how often the span is in the list of what is announced to an owner */
bool ended;    /* the first owner's thread */
byte freers;   /* that have ended */

inline announce(who) {
    atomic {
        assert(inbox[who] == 0); /* it would be in the list twice, which is none then */
        inbox[who]++
    }
}

inline took() {
    assert(used >= tookCount);
    used = used - tookCount;
    head = tookFirst;
    tookCount = 0;
    tookFirst = 0
}

/* Span.takeRemote */
inline takeRemote() {
#ifdef TORN
    atomic { tookFirst = first; first = 0 }
    atomic { tookCount = count; count = 0 }
    if :: tookFirst != 0 -> took() :: else -> tookCount = 0 fi
#else
    do
    :: atomic { tookFirst = first; tookCount = count } /* the bit does not change if it is set */
       seen = announced;
       if
       :: tookFirst == 0 -> tookCount = 0; break
       :: else ->
           atomic {
               if
               :: first == tookFirst && count == tookCount && announced == seen ->
                   first = 0; count = 0;
#ifdef CLEAR
                   announced = false;
#endif
                   ok = true
               :: else -> ok = false
               fi
           }
           if :: ok -> took(); break :: else fi
       fi
    od;
    seen = false;
    ok = false
#endif
}

/* Span.settle: one compare-and-set, repeated until it succeeds. */
inline settle() {
    atomic {
#ifndef FORGET
        announced = false;
#endif
        if
        :: head == 0 -> tookFirst = first; tookCount = count; first = 0; count = 0
        :: else
        fi
    }
    if :: tookFirst != 0 -> took() :: else -> tookCount = 0 fi
}

/* ThreadHeap.drainLocked, of what is announced to somebody. */
inline drain(who) {
    if
    :: inbox[who] > 0 ->
        inbox[who]--;
        assert(owner == who);
        listed = true;
        settle()
    :: else
    fi
}

inline retire() {
    if
    :: listed && used == count ->
        if
#ifdef RETIRE_ANNOUNCED
        :: true ->
#else
        :: announced
        :: !announced ->
#endif
            first = 0;
            count = 0;
            used = 0;
            head = 0;
            listed = false;
            owner = NOBODY /* and it is one of the empty spans */
        fi
    :: else
    fi
}

inline allocate() {
    if :: head == 0 -> takeRemote() :: else fi;
    if
    :: head != 0 ->
        block = head;
        assert(is[block] == FREE);
        head = link[block];
        used++;
        is[block] = USED;
        block = 0
    :: else -> listed = false
    fi
}

inline freeOwn() {
    atomic {
        if
        :: is[1] == USED -> block = 1; is[1] = FREE
        :: is[BLOCKS] == USED -> block = BLOCKS; is[BLOCKS] = FREE
        :: else
        fi
    }
    if
    :: block != 0 ->
        listed = true;
        link[block] = head;
        head = block;
        used--;
        block = 0
    :: else
    fi
}

inline step(who) {
    if
    :: true -> allocate()
    :: true -> freeOwn()
    :: true -> drain(who)
    :: true -> retire()
    fi
}

proctype first_owner() {
    byte steps, block, tookFirst, tookCount;
    bool seen, ok;
    do
    :: steps < STEPS && owner == OWNER -> steps++; step(OWNER)
    :: break
    od;
    ended = true
}

/* ThreadHeap.adoptSpanLocked */
inline adopt() {
    drain(OWNER);
    if
    :: owner == OWNER && listed && (head != 0 || first != 0) ->
        atomic {
#ifdef ADOPT_UNCLAIMED
            ok = true
#else
            ok = !announced;
            announced = true
#endif
        }
        if
        :: ok ->
            owner = NEXT;
            settle()
        :: else
        fi;
        ok = false
    :: else
    fi
}

proctype next_owner() {
    byte steps, block, tookFirst, tookCount;
    bool seen, ok;
    do
    :: owner == NOBODY ->
        /* Span.format, and carved at once */
        assert(!announced && inbox[OWNER] == 0);
        owner = NEXT;
        head = 1;
        listed = true;
        block = 1;
        do
        :: block <= BLOCKS -> assert(is[block] == FREE); link[block] = (block < BLOCKS -> block + 1 : 0); block++
        :: else -> break
        od;
        block = 0
    :: owner == OWNER && ended -> adopt()
    :: steps < STEPS && owner == NEXT -> steps++;
        if
        :: true -> allocate()
        :: true -> freeOwn()
        :: true -> drain(NEXT)
        fi
    :: ended && freers == 2 -> break
    od;
    /* Nothing more comes: all that was freed is found. */
    drain(OWNER);
    drain(NEXT);
    assert(listed || count == 0);
    assert(inbox[OWNER] == 0 && inbox[NEXT] == 0);
    assert(owner == NOBODY || !announced);
    steps = 0;
    block = 1;
    do
    :: block <= BLOCKS -> steps = steps + (is[block] == USED -> 1 : 0); block++
    :: else -> break
    od;
    assert(owner == NOBODY || used == count + steps)
}

proctype freer() {
    byte frees, block, whose, wasFirst, wasCount;
    bool was, ok;
    do
    :: frees < FREES ->
        frees++;
        atomic {
            if
            :: is[1] == USED -> block = 1; is[1] = FREEING
            :: is[BLOCKS] == USED -> block = BLOCKS; is[BLOCKS] = FREEING
            :: true
            fi
        }
        if
        :: block != 0 ->
#ifdef OWNER_FIRST
            whose = owner;
#endif
            do
            :: atomic { was = announced; wasCount = count; wasFirst = first }
               link[block] = wasFirst;
               atomic {
                   if
#ifdef TORN
                   :: first == wasFirst && announced == was ->
#else
                   :: first == wasFirst && count == wasCount && announced == was ->
                       count++;
#endif
                       first = block;
#ifndef LOOK_LISTED
                       announced = true;
#endif
                       is[block] = FREE;
                       ok = true
                   :: else -> ok = false
                   fi
               }
               if :: ok -> break :: else fi
            od;
#ifdef TORN
            count++;
#endif
            if
#ifdef LOOK_LISTED
            :: !listed && inbox[owner] == 0 ->
#else
            :: !was ->
#endif
#ifndef OWNER_FIRST
                whose = owner;
#endif
                announce(whose)
            :: else
            fi;
            block = 0;
            whose = 0;
            wasFirst = 0;
            wasCount = 0;
            was = false;
            ok = false
        :: else
        fi
    :: else -> break
    od;
    freers++
}

init {
    atomic {
        byte i = 1;
        do
        :: i < BLOCKS -> link[i] = i + 1; i++
        :: else -> break
        od;
        head = 1;
        listed = true;
        owner = OWNER;
        run first_owner();
        run next_owner();
        run freer();
        run freer()
    }
}
