/*
 * Reads without a critical section, while an object moves and pages are given back.
 *
 *   reader   reads the count, the word, the count, the header, the count, bytes and more bytes, the
 *            count, and only then writes what it has read to its destination
 *   heap     moves the object and the leaf of its handle, and gives the pages that are empty then;
 *            takes pages again
 *   others   take pages that are free, and write anything there; give them back
 *
 * There are PAGES pages. The heap uses one for its object and one for its leaf; a grace period has
 * passed before it gives one, which these readers are not part of, and so it is not modelled. A page
 * has one place, which holds what its owner has written: the word in a leaf names a page, the header
 * and the bytes of an object are one number each. Others write what looks like a word of this object,
 * with any page or none that exists, and what looks like a header of any size. README.md says what is
 * left out.
 *
 * Broken variants (-D), each of which must be refuted:
 *   BELIEVE_WORD     the reader does not look at the count before it uses the word's address
 *   BELIEVE_HEADER   it does not look before it believes the size
 *   BELIEVE_BYTES    it does not look before it returns the bytes
 *   BELIEVE_REST     it looks before the last of the bytes, and not again
 *   WRITE_FIRST      it writes the bytes to its destination before it looks
 *   LOOK_AT_WORD     it compares the word instead of the count
 *   COUNT_LAST       a page is counted after it was given
 *   COUNT_READ_LAST  the reader reads the count after the word
 *   UNMAP            a page that nobody has is unmapped
 */

#ifndef PAGES
#define PAGES 3
#endif
#ifndef STEPS
#define STEPS 3 /* of the heap */
#endif
#ifndef TAKES
#define TAKES 2 /* of the others */
#endif

#define NOBODY 0
#define LEAF 1
#define OBJECT 2
#define OTHERS 3

#define NO_WORD PAGES /* nothing that looks like a word of the object */
#define ASTRAY (PAGES + 1) /* an address at which nothing is mapped */
#define SIZE 1
#define LARGE 2 /* a size that no page has */
#define MINE 7
#define JUNK 8
#define UNTOUCHED 9

byte owner[PAGES];
byte word[PAGES];   /* what a reader of a word finds there: the page of the object */
byte header[PAGES]; /* what a reader of a header finds: the size */
byte bytes[PAGES];
bool unmapped[PAGES];

byte directory; /* where the leaf is */
byte given;     /* how many pages were given back */

/* Loads from a page: it must be mapped. */
#define LOAD(at) assert((at) < PAGES); assert(!unmapped[at])

inline give(page) {
#ifdef COUNT_LAST
    atomic { owner[page] = NOBODY; unmap(page) }
    given++
#else
    given++;
    atomic { owner[page] = NOBODY; unmap(page) }
#endif
}

inline unmap(page) {
    /* Uncommitted: it reads as zeros, which are no word, and no size. */
    word[page] = NO_WORD; header[page] = 0; bytes[page] = JUNK;
#ifdef UNMAP
    unmapped[page] = true
#endif
}

inline take(page) {
    page = 0;
    do
    :: page < PAGES && owner[page] != NOBODY -> page++
    :: else -> break
    od
}

proctype heap() {
    byte step, to, from;
    do
    :: step < STEPS ->
        step++;
        if
        :: /* the object moves */
            atomic { take(to); if :: to < PAGES -> owner[to] = OBJECT; unmapped[to] = false :: else fi }
            if
            :: to < PAGES ->
                from = word[directory];
                header[to] = SIZE;
                bytes[to] = MINE;
                word[directory] = to; /* the compare-and-set that publishes */
                give(from)
            :: else
            fi
        :: /* the leaf moves */
            atomic { take(to); if :: to < PAGES -> owner[to] = LEAF; unmapped[to] = false :: else fi }
            if
            :: to < PAGES ->
                from = directory;
                word[to] = word[from]; /* frozen: else the reader goes elsewhere */
                directory = to;
                give(from)
            :: else
            fi
        fi;
        to = 0;
        from = 0
    :: else -> break
    od
}

proctype others() {
    byte takes, page, value;
    do
    :: takes < TAKES ->
        takes++;
        atomic { take(page); if :: page < PAGES -> owner[page] = OTHERS; unmapped[page] = false :: else fi }
        if
        :: page < PAGES ->
            if
            :: atomic { value = 0; word[page] = 0 }
            :: atomic { value = 1; word[page] = 1 }
            :: word[page] = ASTRAY
            fi;
            if
            :: header[page] = SIZE
            :: header[page] = LARGE
            fi;
            bytes[page] = JUNK;
            atomic { owner[page] = NOBODY; unmap(page) }
        :: else
        fi;
        page = 0;
        value = 0
    :: else -> break
    od
}

#ifdef LOOK_AT_WORD
#define UNCHANGED (word[leaf] == at)
#else
#define UNCHANGED (given == before)
#endif

proctype reader() {
    byte before, leaf, at, size, value, rest;
    byte written = UNTOUCHED, writtenRest = UNTOUCHED; /* at the destination */
#ifndef COUNT_READ_LAST
    before = given;
#endif
    leaf = directory;
    atomic { LOAD(leaf); at = word[leaf] }
#ifdef COUNT_READ_LAST
    before = given;
#endif
    if
    :: at == NO_WORD -> goto claimed /* not LIVE */
    :: else
    fi;
#ifndef BELIEVE_WORD
    if
    :: UNCHANGED
    :: !UNCHANGED -> goto claimed
    fi;
#endif
    atomic { LOAD(at); size = header[at] }
#ifndef BELIEVE_HEADER
    if
    :: UNCHANGED
    :: !UNCHANGED -> goto claimed
    fi;
#endif
    if
    :: size == 0 -> goto claimed /* out of bounds: said inside */
    :: size == LARGE -> assert(false) /* a load beyond the page */
    :: else
    fi;
    atomic { LOAD(at); value = bytes[at] }
#ifdef BELIEVE_REST
    if
    :: UNCHANGED
    :: !UNCHANGED -> goto claimed
    fi;
#endif
    atomic { LOAD(at); rest = bytes[at] }
#ifdef WRITE_FIRST
    written = value; writtenRest = rest;
#endif
#ifndef BELIEVE_BYTES
#ifndef BELIEVE_REST
    if
    :: UNCHANGED
    :: !UNCHANGED -> goto claimed
    fi;
#endif
#endif
    written = value; writtenRest = rest;
claimed:
    assert(written == UNTOUCHED || written == MINE);
    assert(writtenRest == UNTOUCHED || writtenRest == MINE)
}

init {
    atomic {
        byte i;
        do
        :: i < PAGES -> word[i] = NO_WORD; bytes[i] = JUNK; i++
        :: else -> break
        od;
        owner[0] = LEAF;
        owner[1] = OBJECT;
        word[0] = 1;
        header[1] = SIZE;
        bytes[1] = MINE;
        run heap();
        run others();
        run reader()
    }
}
