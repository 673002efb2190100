package io.polder.chunk;

/**
 * A space as text, one letter per chunk, one line per root chunk, in the manner of {@code jcmd
 * VM.metaspace vslist}.
 *
 * <pre>{@code
 *   A = 4 MiB, B = 2 MiB, ... M = 1 KiB; upper case: in use, lower case: free, after -: no memory
 *   0x7f5500000000  12K  MmlkJ-i-h-g-f-e-d-c-b
 *   0x7f5500400000   0K  -a
 *   not used yet: 14 root chunks
 * }</pre>
 */
final class SpaceMap {
    private static final String LEGEND =
            "A = 4 MiB, B = 2 MiB, ... M = 1 KiB;"
                    + " upper case: in use, lower case: free, after -: no memory\n";

    private SpaceMap() {}

    static String of(SpaceState state) {
        StringBuilder text = new StringBuilder(LEGEND);
        synchronized (state) {
            state.recoverIfNeededLocked();
            int unstarted = 0;
            for (RootReservation reservation : state.reservedLocked()) {
                for (int i = 0; i < reservation.started(); i++) {
                    RootArea root = reservation.root(i);
                    if (root != null) {
                        long bytes = root.mask.committed() * state.pages.bytes();
                        begin(text, root.address, bytes).append(line(root)).append('\n');
                    }
                }
                unstarted += reservation.rootCount() - reservation.started();
            }
            text.append("not used yet: ").append(unstarted).append(" root chunks\n");
        }
        return text.toString();
    }

    private static StringBuilder begin(StringBuilder text, long address, long committedBytes) {
        return text.append("0x")
                .append(Long.toHexString(address))
                .append("  ")
                .append(committedBytes / 1024)
                .append("K  ");
    }

    /** The chunks of one root, in the order of their addresses; {@code ?} where there is none. */
    static String line(RootArea root) {
        StringBuilder text = new StringBuilder();
        append(text, root, RootArea.WHOLE);
        return text.toString();
    }

    private static void append(StringBuilder text, RootArea root, int node) {
        char letter = (char) ('A' + RootArea.level(node));
        if (root.used.get(node)) {
            text.append(letter);
        } else if (root.warm.contains(node)) {
            text.append(Character.toLowerCase(letter));
        } else if (root.cold.contains(node)) {
            text.append('-').append(Character.toLowerCase(letter));
        } else if (RootArea.level(node) == ChunkLevel.SMALLEST) {
            text.append('?');
        } else {
            append(text, root, 2 * node);
            append(text, root, 2 * node + 1);
        }
    }
}
