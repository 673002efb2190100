package io.polder.page.space;

import io.polder.memory.MemoryProvider;

/**
 * Which granules of a reservation may have a mapping of their own, because memory was moved.
 *
 * <p><b>Mappings.</b> A reservation begins as one mapping. The kernel joins neighbours only if
 * they are of one origin: their memory is at home where it is, and first came to them while they
 * were one mapping. <b>Moved</b> granules may not be of the origin of the reservation, and may have
 * a mapping each: {@code boundaries} counts the borders between granules of which one is moved. All
 * others are of one origin, so the reservation has at most {@code 1 + boundaries} mappings. Moved
 * are
 *
 * <ul>
 *   <li>the targets of an assembly, from the moment it is planned;
 *   <li>a source that stands alone between moved ones: a mapping that is moved as a whole loses its
 *       origin;
 *   <li>fresh addresses to the right of a moved granule: the kernel prefers the left, so they may
 *       be joined with that, or get an origin of their own. The first granule has a neighbour that
 *       never moves: see {@link MemoryProvider#renew}.
 * </ul>
 *
 * <p>What is moved decides; the boundaries are counted from it.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link PageState} it belongs to.
 */
final class MovedGranules {
    final int size;
    private final boolean[] moved;
    int boundaries;

    /** None of so many. */
    MovedGranules(int size) {
        this.size = size;
        this.moved = new boolean[size];
    }

    /** Whether any of these granules is moved. */
    boolean any(int from, int count) {
        for (int i = from; i < from + count; i++) {
            if (moved[i]) {
                return true;
            }
        }
        return false;
    }

    /** The memory of granules has gone elsewhere: those that stand alone are moved now. */
    void wentAway(int from, int count) {
        for (int i = from; i < from + count; i++) {
            boolean left = i > 0 && !moved[i - 1];
            boolean right = i + 1 < size && !moved[i + 1];
            if (!left && !right) {
                set(i, 1, true);
            }
        }
    }

    /** Fresh addresses have replaced granules: they are moved unless the kernel joins them. */
    void renewed(int from, int count) {
        set(from, count, !joins(from));
    }

    /** Whether fresh addresses in place of granules win mappings back. */
    boolean isMergeable(int from, int count) {
        return any(from, count) && joins(from);
    }

    /** Whether the kernel joins fresh addresses with their left neighbour. */
    boolean joins(int from) {
        return from == 0 || !moved[from - 1];
    }

    /** Says of granules whether they are moved. */
    void set(int from, int count, boolean value) {
        boundaries -= around(from, count);
        for (int i = from; i < from + count; i++) {
            moved[i] = value;
        }
        boundaries += around(from, count);
    }

    /** The borders of so many granules, those at both ends included, where a mapping may end. */
    int around(int from, int count) {
        int found = 0;
        int end = Math.min(from + count, size - 1);
        for (int border = Math.max(from, 1); border <= end; border++) {
            if (moved[border - 1] || moved[border]) {
                found++;
            }
        }
        return found;
    }

    /** Counts the boundaries anew. */
    void recount() {
        boundaries = around(0, size);
    }
}
