package io.polder.leak;

import java.util.List;

/**
 * One leak, or all of one place.
 *
 * @param kind what leaked
 * @param count of one leak: how many blocks these are, and 1 of all other kinds; of a place, how
 *     often it leaked
 * @param bytes how much memory it has, which it will not give back
 * @param thread the name of the thread that opened it, or the last of them
 * @param openedAt where that thread opened it, innermost frame first; unmodifiable
 */
public record LeakRecord(Kind kind, long count, long bytes, String thread, List<String> openedAt) {
    /** This, with what another one of the same place has. */
    public LeakRecord plus(LeakRecord more) {
        return new LeakRecord(kind, count + more.count, bytes + more.bytes, thread, openedAt);
    }
}
