package io.polder.tools.live;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

import javax.management.openmbean.CompositeData;

/**
 * What one pool held at one moment.
 *
 * @param label how it is called; may be printed
 * @param nanos when, by {@link System#nanoTime}
 * @param usedBytes in use
 * @param committedBytes touched and not given back
 * @param reservedBytes address space
 * @param committedMaxBytes the limit; {@link #NO_LIMIT} if there is none
 * @param committedTotalBytes committed so far
 * @param uncommittedTotalBytes given back so far
 * @param blockBytes what blocks have that are used
 * @param heaps how many heaps are open
 * @param leaked leaks found so far; {@link #NOT_WATCHED} if none, and nobody looks for any
 */
record Sample(
        String label,
        long nanos,
        long usedBytes,
        long committedBytes,
        long reservedBytes,
        long committedMaxBytes,
        long committedTotalBytes,
        long uncommittedTotalBytes,
        long blockBytes,
        int heaps,
        long leaked) {

    /** In place of a number of leaks. */
    static final long NOT_WATCHED = -1;

    /** In place of a limit, as JMX says it. */
    static final long NO_LIMIT = -1;

    /** Earlier versions said it by the size of the address space. */
    private static final long ADDRESS_SPACE_BYTES = 1L << 47;

    private static long limit(long bytes) {
        return bytes >= ADDRESS_SPACE_BYTES ? NO_LIMIT : bytes;
    }

    static Sample of(String label, CompositeData statistics, long nanos) {
        return new Sample(
                label,
                nanos,
                OpenData.number(statistics, "usedBytes"),
                OpenData.number(statistics, "committedBytes"),
                OpenData.number(statistics, "reservedBytes"),
                limit(OpenData.number(statistics, "committedMaxBytes")),
                OpenData.number(statistics, "committedTotalBytes"),
                OpenData.number(statistics, "uncommittedTotalBytes"),
                OpenData.number(statistics, "blocks", "usedBytes"),
                statistics.containsKey("heaps") && statistics.get("heaps") instanceof Object[] heaps
                        ? heaps.length
                        : 0,
                leaked(statistics));
    }

    /** What was found stays known, if nobody looks for more. */
    private static long leaked(CompositeData statistics) {
        long found = OpenData.number(statistics, "leaks", "leaked");
        boolean isOff = OpenData.word(statistics, "leaks", "detection").equals("OFF");
        return isOff && found == 0 ? NOT_WATCHED : found;
    }

    /** All pools as one. */
    static Sample total(List<Sample> pools) {
        return new Sample(
                pools.size() == 1 ? "all pools" : "all " + pools.size() + " pools",
                pools.isEmpty() ? 0 : pools.getFirst().nanos(),
                sum(pools, Sample::usedBytes),
                sum(pools, Sample::committedBytes),
                sum(pools, Sample::reservedBytes),
                pools.stream().anyMatch(pool -> pool.committedMaxBytes == NO_LIMIT)
                        ? NO_LIMIT
                        : sum(pools, Sample::committedMaxBytes),
                sum(pools, Sample::committedTotalBytes),
                sum(pools, Sample::uncommittedTotalBytes),
                sum(pools, Sample::blockBytes),
                Math.toIntExact(sum(pools, Sample::heaps)),
                pools.stream().allMatch(pool -> pool.leaked() == NOT_WATCHED)
                        ? NOT_WATCHED
                        : sum(pools, pool -> Math.max(0, pool.leaked())));
    }

    /** For programs. */
    Map<String, Object> json() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("usedBytes", usedBytes);
        map.put("committedBytes", committedBytes);
        map.put("reservedBytes", reservedBytes);
        map.put("committedMaxBytes", committedMaxBytes);
        map.put("committedTotalBytes", committedTotalBytes);
        map.put("uncommittedTotalBytes", uncommittedTotalBytes);
        map.put("blockBytes", blockBytes);
        map.put("heaps", heaps);
        map.put("leaked", leaked);
        return map;
    }

    private static long sum(List<Sample> pools, ToLongFunction<Sample> figure) {
        return pools.stream().mapToLong(figure).sum();
    }

    /** Whether this is of the same pool as an earlier one of its name: totals only grow. */
    boolean follows(Sample before) {
        return nanos > before.nanos
                && committedTotalBytes >= before.committedTotalBytes
                && uncommittedTotalBytes >= before.uncommittedTotalBytes;
    }
}
