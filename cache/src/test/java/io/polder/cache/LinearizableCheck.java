package io.polder.cache;

import org.jspecify.annotations.Nullable;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Whether what several threads did to one key could have been done by one thread: whether there is
 * an order of the operations that keeps those that did not overlap in their order, and gives each
 * of them the result that it had. It tries all orders, but none twice that has led to the same.
 *
 * <p>Values are numbers; no number is put twice. Besides the operations, a value may vanish by
 * itself: at any time where entries are evicted, or by a tick of the clock that ends its life. One
 * that was put while the clock ticked may have the life of before or of after that; one that was
 * put before must be gone for who begins after it. A value may also vanish while a function
 * computes the next one from it: then others see none meanwhile.
 */
final class LinearizableCheck {
    /** No value. */
    static final int NONE = -1;

    /** What can be done. */
    enum Kind {
        GET,
        PUT,
        PUT_IF_ABSENT,
        REMOVE,
        REMOVE_VALUE,
        REPLACE,
        REPLACE_VALUE,
        /** To another value, whatever is there. */
        COMPUTE,
        /** To no value. */
        COMPUTE_NONE
    }

    /**
     * What was done.
     *
     * @param expected of those that look for a value
     * @param value that is put
     * @param result the value of before; 0 or 1 of those that look for a value
     */
    record Operation(Kind kind, int expected, int value, int result, long begin, long end) {
        /** The value that is there afterwards. */
        int next(int known) {
            return switch (kind) {
                case GET -> known;
                case PUT, COMPUTE -> value;
                case PUT_IF_ABSENT -> known == NONE ? value : known;
                case REMOVE, COMPUTE_NONE -> NONE;
                case REMOVE_VALUE -> known == expected ? NONE : known;
                case REPLACE -> known == NONE ? NONE : value;
                case REPLACE_VALUE -> known == expected ? value : known;
            };
        }

        boolean hasResultOf(int known) {
            return switch (kind) {
                case PUT -> true; // it returns nothing
                case REMOVE_VALUE, REPLACE_VALUE -> result == (known == expected ? 1 : 0);
                default -> result == known;
            };
        }

        /** Whether it has computed from a value that has vanished before it ended. */
        boolean hasSeen(int vanished) {
            return vanished != NONE
                    && (kind == Kind.COMPUTE || kind == Kind.COMPUTE_NONE)
                    && result == vanished;
        }
    }

    /** A tick of the clock, after which no value lives that was put before. */
    record Tick(long begin, long end) {}

    private final List<Operation> operations;
    private final List<Tick> ticks;
    private final boolean evicts;
    private final Set<List<Integer>> tried = new HashSet<>();
    private final Set<Integer> last = new TreeSet<>();

    private LinearizableCheck(List<Operation> operations, List<Tick> ticks, boolean evicts) {
        this.operations = operations;
        this.ticks = ticks;
        this.evicts = evicts;
    }

    /**
     * Checks what was done to a key.
     *
     * @param first the values that the key may have had before; they were put before all ticks
     * @return the values that it may have afterwards; none if there is no such order
     */
    static Set<Integer> lastValues(
            Set<Integer> first, List<Operation> operations, List<Tick> ticks, boolean evicts) {
        if (operations.size() > 31) {
            throw new IllegalArgumentException("too many operations: " + operations.size());
        }
        LinearizableCheck check = new LinearizableCheck(operations, ticks, evicts);
        first.forEach(value -> check.follow(0, value, NONE));
        return check.last;
    }

    /**
     * Tries all orders of what is left to do.
     *
     * @param done the operations that are done, a bit for each
     * @param value the one that is there
     * @param vanished the one that was there before, if it has vanished by itself
     */
    private void follow(int done, int value, int vanished) {
        if (!tried.add(List.of(done, value, vanished))) {
            return;
        }
        if (done == (1 << operations.size()) - 1) {
            if (!mustBeGone(value, Long.MAX_VALUE)) {
                last.add(value);
            }
            if (mayBeGone(value, Long.MAX_VALUE)) {
                last.add(NONE);
            }
            return;
        }
        for (int i = 0; i < operations.size(); i++) {
            Operation each = operations.get(i);
            if ((done & 1 << i) == 0 && isNext(each, done)) {
                if (!mustBeGone(value, each.begin)) {
                    apply(each, done | 1 << i, value, vanished);
                }
                if (value != NONE && mayBeGone(value, each.end)) {
                    apply(each, done | 1 << i, NONE, value);
                }
            }
        }
    }

    private void apply(Operation operation, int done, int known, int vanished) {
        if (operation.hasResultOf(known) || (known == NONE && operation.hasSeen(vanished))) {
            int next = operation.next(known);
            follow(done, next, next == NONE ? vanished : NONE);
        }
    }

    /** Whether no other operation that is not done has ended before this one began. */
    private boolean isNext(Operation operation, int done) {
        for (int i = 0; i < operations.size(); i++) {
            if ((done & 1 << i) == 0 && operations.get(i).end < operation.begin) {
                return false;
            }
        }
        return true;
    }

    /** Who put a value; null if it was there before. */
    private @Nullable Operation writer(int value) {
        for (Operation each : operations) {
            if (each.value == value) {
                return each;
            }
        }
        return null;
    }

    private boolean mayBeGone(int value, long end) {
        if (value == NONE || evicts) {
            return true;
        }
        Operation writer = writer(value);
        return ticks.stream()
                .anyMatch(
                        each -> (writer == null || writer.begin <= each.end) && each.begin <= end);
    }

    private boolean mustBeGone(int value, long begin) {
        if (value == NONE) {
            return false;
        }
        Operation writer = writer(value);
        return ticks.stream()
                .anyMatch(each -> (writer == null || writer.end < each.begin) && each.end < begin);
    }
}
