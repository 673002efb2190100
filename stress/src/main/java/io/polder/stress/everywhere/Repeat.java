package io.polder.stress.everywhere;

/** How often is thrown, from a point on. */
public enum Repeat {
    /** At this point. */
    ONCE {
        @Override
        boolean includes(long number, long first) {
            return number == first;
        }
    },

    /** At this point and at the very next one, which is often that of a handler. */
    TWICE {
        @Override
        boolean includes(long number, long first) {
            return number == first || number == first + 1;
        }
    },

    /** At this point and at all that come, until the operation has left. */
    UNTIL_LEFT {
        @Override
        boolean includes(long number, long first) {
            return number >= first;
        }
    };

    /** Whether something is thrown at a point. */
    abstract boolean includes(long number, long first);
}
