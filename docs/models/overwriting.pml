/*
 * A value of a cache that is overwritten where it is, while others read it without a lock and its
 * handle moves from line to line of the index.
 *
 *   changer   has the monitor of the key's bucket for one step at a time: overwrites the value, has
 *             the handle moved to the other line, or copied there and taken back, removes the entry,
 *             or puts another one
 *   reader    copies the value without a lock, and believes it if the line says so
 *   remover   finds a value without a lock; with the monitor held removes it (with ANY: whatever
 *             value there is) if the entry is there still
 *   other     has another monitor: its bucket takes the second line when nobody has it, puts an
 *             entry of its own there, removes that and gives the line back
 *
 * There is one key, whose bucket has the first line and now and then the second one; a line has one
 * lane here. A value is two numbers, which are the same in a whole one, and never again those of
 * another value. README.md says what is left out.
 *
 * Broken variants (-D), each of which must be refuted:
 *   TAG_FIRST       the reader reads the tag before the version
 *   LOOK_ONCE       it does not look at the version afterwards
 *   BELIEVE_ODD     it does not ask whether the version is odd
 *   NOT_ODD         the version changes only after a value has
 *   EVEN_MOVES      a line that an entry leaves keeps its version
 *   HANDLE_FIRST    the remover reads the handle before the tag
 *   BELIEVE_HANDLE  it does not ask for the version
 *   ZERO_VERSION    a line that is taken begins with version 0
 */

#ifndef STEPS
#define STEPS 3 /* of the changer */
#endif
#ifndef TAKES
#define TAKES 1 /* of the other */
#endif

#ifndef HANDLES
#define HANDLES 2 /* of the key's entries: 1 to this */
#endif

#define FREE 0
#define OURS 1
#define OTHERS 2

#define FIRST 0
#define SECOND 1
#define NOWHERE 2

#define NO_HANDLE 0
#define ALIEN (HANDLES + 1)

/* Lines. */
byte owner[2];
byte version[2];
bool tag[2];
byte handle[2];

/* Entries, by their handles. */
bool live[ALIEN + 1];
byte low[ALIEN + 1];
byte high[ALIEN + 1];

byte where = NOWHERE; /* the line of the key's entry */
byte handles; /* how many the key has had */
byte values;
bool monitor;

#define LOCK atomic { !monitor -> monitor = true }
#define UNLOCK monitor = false

inline begin(line) {
#ifndef NOT_ODD
    version[line]++
#else
    skip
#endif
}

inline end(line) {
#ifndef NOT_ODD
    version[line]++
#else
    version[line] = version[line] + 2
#endif
}

/* Takes the second line, if nobody has it. */
inline take(whose, taken) {
    atomic {
        if
        :: owner[SECOND] == FREE -> owner[SECOND] = whose; taken = true
        :: else -> taken = false
        fi
    }
    if
    :: taken ->
        tag[SECOND] = false;
        handle[SECOND] = NO_HANDLE;
#ifdef ZERO_VERSION
        version[SECOND] = 0
#endif
    :: else
    fi
}

/* Takes an entry from a line. */
inline vacate(line) {
#ifndef EVEN_MOVES
    begin(line);
#endif
    tag[line] = false;
#ifndef EVEN_MOVES
    end(line)
#endif
}

inline removeLocked() {
    vacate(where);
    live[handle[where]] = false;
    if
    :: where == SECOND -> owner[SECOND] = FREE
    :: else
    fi;
    where = NOWHERE
}

proctype changer() {
    byte step, to;
    bool taken;
    do
    :: step < STEPS ->
        step++;
        LOCK;
        if
        :: where != NOWHERE -> /* overwrites */
            begin(where);
            values++;
            low[handle[where]] = values;
            high[handle[where]] = values;
            end(where)
        :: where == SECOND -> /* moves to the first line; the second one goes back */
            handle[FIRST] = handle[SECOND];
            tag[FIRST] = true;
            where = FIRST;
            vacate(SECOND);
            owner[SECOND] = FREE
        :: where == FIRST -> /* moves to the second line */
            take(OURS, taken);
            if
            :: taken ->
                handle[SECOND] = handle[FIRST];
                tag[SECOND] = true;
                if
                :: where = SECOND; vacate(FIRST)
                :: vacate(SECOND); owner[SECOND] = FREE /* there is no line for another one */
                fi
            :: else
            fi
        :: where != NOWHERE -> removeLocked()
        :: where == NOWHERE && handles < HANDLES ->
            handles++;
            values++;
            live[handles] = true;
            low[handles] = values;
            high[handles] = values;
            handle[FIRST] = handles;
            tag[FIRST] = true;
            where = FIRST
        :: where == NOWHERE && handles == HANDLES
        fi;
        taken = false;
        UNLOCK
    :: else -> break
    od
}

/* Looks at one line, without a lock; a value is whole if found. */
inline find(line, found, h, v, a, b) {
    found = false;
#ifndef TAG_FIRST
    v = version[line];
#endif
    if
    :: tag[line] ->
#ifdef TAG_FIRST
        v = version[line];
#endif
        h = handle[line];
        if
        :: h >= 1 && h <= HANDLES -> /* its key is compared: others' are not looked at further */
            a = low[h];
            b = high[h];
            if
            :: !live[h] /* stale: again */
#ifdef LOOK_ONCE
            :: live[h] -> found = true
#else
#ifdef BELIEVE_ODD
            :: live[h] && version[line] == v -> found = true
#else
            :: live[h] && version[line] == v && (v & 1) == 0 -> found = true
#endif
            :: live[h] && (version[line] != v || (v & 1) == 1) /* again */
#endif
            fi
        :: else
        fi
    :: else
    fi
}

proctype reader() {
    byte h, v, a, b, line;
    bool found;
    do
    :: line < 2 ->
        find(line, found, h, v, a, b);
        assert(!found || a == b);
        line++
    :: else -> break
    od
}

proctype remover() {
    byte h, v, a, b, line;
    bool found, there;
    if
    :: line = FIRST
    :: line = SECOND
    fi;
    find(line, found, h, v, a, b);
    if
    :: found ->
        LOCK;
#ifdef HANDLE_FIRST
        there = (handle[line] == h);
        there = there && tag[line];
#else
        there = tag[line];
        there = there && handle[line] == h;
#endif
#if !defined(BELIEVE_HANDLE) && !defined(ANY)
        there = there && version[line] == v;
#endif
        if
        :: there ->
            assert(owner[line] != OTHERS);
            assert(where == line && handle[line] == h);
#ifndef ANY
            assert(low[h] == a && high[h] == a);
#endif
            removeLocked()
        :: else
        fi;
        UNLOCK
    :: else
    fi
}

proctype other() {
    byte step;
    bool taken;
    do
    :: step < TAKES ->
        step++;
        take(OTHERS, taken);
        if
        :: taken ->
            live[ALIEN] = true;
            handle[SECOND] = ALIEN;
            tag[SECOND] = true;
            tag[SECOND] = false;
            live[ALIEN] = false;
            owner[SECOND] = FREE
        :: else
        fi
    :: else -> break
    od
}

init {
    atomic {
        owner[FIRST] = OURS;
        run changer();
        run reader();
        run remover();
        run other()
    }
}
