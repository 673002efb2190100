package io.polder.page.space;

import io.polder.memory.MapSink;
import io.polder.page.space.PageReservation.Kind;

/**
 * Tells of granules: an area for each reservation, and in it a piece for each extent, each run
 * without memory, and each other granule. To be used with the lock of the {@link PageState} held.
 */
final class PageMap {
    private PageMap() {}

    static void of(PageReservation reservation, MapSink sink) {
        int size = reservation.size;
        int cold = 0;
        int count;
        for (int at = 0; at < size; at += count) {
            String state = state(reservation, at);
            Extent extent = reservation.held[at];
            count = reservation.isCold(at) ? reservation.runs[at] : 1;
            count = Math.clamp(extent == null ? count : extent.count, 1, size - at);
            cold += state.equals("COLD") ? count : 0;
            long bytes = Granules.bytes(count);
            sink.piece(state, bytes, state.equals("USED") ? bytes : 0);
        }
        sink.area("pages", reservation.address(), Granules.bytes(size - cold));
    }

    private static String state(PageReservation reservation, int granule) {
        Extent extent = reservation.held[granule];
        return switch (reservation.kinds[granule]) {
            case Kind.WARM -> reservation.dirt.dirty[granule] > 0 ? "DIRTY" : "FREE";
            case Kind.COLD -> "COLD";
            default ->
                    extent == null
                            ? "UNKNOWN"
                            : extent.state == Extent.State.TAKEN ? "USED" : extent.state.name();
        };
    }
}
