package io.polder.page.space;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.polder.page.PageStatistics;
import io.polder.page.space.PageReservation.Kind;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * What can be said about a space for people. To be used with the lock of its {@link PageState}
 * held.
 *
 * @param state the space
 * @param waiting how many threads wait in the queue
 * @param mappingsMax how many mappings it may cost
 */
record SpaceView(PageState state, int waiting, long mappingsMax) {
    private static final int LINE = 64;
    private static final String LEGEND =
            "2 MiB each; Tt: a page in use, w: free, d: free and not zero, c: isolated,"
                    + " x: lost, dots: no memory\n";

    PageStatistics statistics(int keptByViews) {
        return new PageFigures(
                state.reservedBytes,
                state.committedBytes,
                state.committedTotalBytes,
                state.uncommittedTotalBytes,
                state.refusals,
                Granules.bytes(state.taken),
                state.takenCount,
                keptByViews,
                Granules.bytes(state.warmFree + state.isolated),
                Granules.bytes(state.dirtyFreeLocked()),
                List.copyOf(runs()),
                Granules.bytes(longest()),
                waiting,
                List.copyOf(mix()),
                state.slowTakes.count(),
                state.slowTakes.totalNanos(),
                state.slowTakes.longestNanos(),
                state.assembledOnAllocation,
                state.assembledInBackground,
                Granules.bytes(state.movedTotal),
                state.mappingsLocked(),
                mappingsMax);
    }

    private List<PageStatistics.SizeClass> runs() {
        List<PageStatistics.SizeClass> runs = new ArrayList<>();
        for (int c = 0; c < Demand.CLASSES; c++) {
            int count = 0;
            long granules = 0;
            for (PageReservation reservation : state.reservationsLocked()) {
                count += reservation.index(Kind.WARM).count(c);
                granules += reservation.index(Kind.WARM).granules(c);
            }
            if (count > 0) {
                runs.add(
                        new PageFigures.SizeClass(
                                Granules.bytes(1L << c), count, Granules.bytes(granules)));
            }
        }
        return runs;
    }

    private long longest() {
        long longest = 0;
        for (PageReservation reservation : state.reservationsLocked()) {
            longest = Math.max(longest, reservation.index(Kind.WARM).longest());
        }
        return longest;
    }

    private List<PageStatistics.SizeClass> mix() {
        List<PageStatistics.SizeClass> mix = new ArrayList<>();
        for (int c = 0; c < Demand.CLASSES; c++) {
            if (state.demand.count(c) > 0) {
                mix.add(
                        new PageFigures.SizeClass(
                                Granules.bytes(1L << c),
                                state.demand.count(c),
                                Granules.bytes(state.demand.granules(c))));
            }
        }
        return mix;
    }

    /** The letters of the granules of a reservation. */
    private static final class Letters {
        private final long address;
        private final byte[] letters;

        Letters(long address, byte[] letters) {
            this.address = address;
            this.letters = letters;
        }

        void appendTo(StringBuilder map) {
            for (int at = 0; at < letters.length; at += LINE) {
                int end = Math.min(at + LINE, letters.length);
                while (end > at && letters[end - 1] == '.') {
                    end--;
                }
                if (end > at) {
                    map.append("0x")
                            .append(Long.toHexString(address + Granules.bytes(at)))
                            .append("  ")
                            .append(new String(letters, at, end - at, ISO_8859_1))
                            .append('\n');
                }
            }
        }
    }

    /** What is to be shown as a map: to be made into one when the lock is free. */
    Supplier<String> map() {
        PageReservation[] reservations = state.reservationsLocked();
        List<Letters> all = new ArrayList<>(reservations.length);
        for (PageReservation reservation : reservations) {
            all.add(new Letters(reservation.address(), reservation.letters()));
        }
        return () -> {
            StringBuilder map = new StringBuilder(all.isEmpty() ? "" : LEGEND);
            all.forEach(each -> each.appendTo(map));
            return map.toString();
        };
    }
}
