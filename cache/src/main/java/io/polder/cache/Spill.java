package io.polder.cache;

import java.lang.foreign.Arena;

/**
 * Lines for buckets that have more entries than lanes, one by one.
 *
 * <pre>{@code
 *   -1 ............... -used | ............ -count      those beyond `used` were never taken
 *    free: -7 --> -3 --> none                           a word of a free line names the next one
 * }</pre>
 *
 * <p>Guarded by its monitor, which is taken last.
 */
final class Spill {
    private final Lines lines;
    private long used;
    private long freeLines;

    /** The number of a free line, negated as a link is; 0 for none. */
    private long firstFree;

    Spill(Lines lines) {
        this.lines = lines;
    }

    /** How many could be taken without growing. */
    synchronized long spare() {
        return freeLines + lines.lowerCount() - used;
    }

    /** Gives all memory back if no line is taken; who still reads one fails. */
    void release() {
        Arena[] unused;
        synchronized (this) {
            if (used == 0 || freeLines != used) {
                return;
            }
            unused = lines.detachLower();
            used = 0;
            freeLines = 0;
            firstFree = 0;
        }
        for (Arena arena : unused) {
            arena.close();
        }
    }

    /** Takes a line, all zeros; returns its link, or 0 if there is none. */
    synchronized long take() {
        long link = firstFree;
        if (link != 0) {
            firstFree = lines.getOpaque(-link, BucketLayout.HANDLES);
            freeLines--;
        } else if (used < lines.lowerCount()) {
            link = ++used;
        } else {
            return 0;
        }
        lines.clear(-link);
        return link;
    }

    /**
     * Gives a line back that is empty and the last of its bucket: a reader who is still on it finds
     * nothing there, or entries of other keys.
     */
    synchronized void give(long link) {
        lines.setRelease(-link, BucketLayout.LINK, 0);
        lines.setOpaque(-link, BucketLayout.HANDLES, firstFree); // of a lane that is free
        firstFree = link;
        freeLines++;
    }
}
