package io.polder.leak;

import java.util.List;

/**
 * One leak.
 *
 * @param kind what leaked
 * @param count how many blocks these are; 1 of all other kinds
 * @param bytes how much memory it has, which it will not give back
 * @param thread the name of the thread that opened it
 * @param openedAt where that thread opened it, innermost frame first
 */
public record LeakRecord(Kind kind, long count, long bytes, String thread, List<String> openedAt) {
    /** Makes the list unmodifiable. */
    public LeakRecord {
        openedAt = List.copyOf(openedAt);
    }

    /** This, with what another one of the same place has. */
    public LeakRecord plus(LeakRecord more) {
        return new LeakRecord(kind, count + more.count, bytes + more.bytes, thread, openedAt);
    }
}
