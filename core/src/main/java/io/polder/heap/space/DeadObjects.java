package io.polder.heap.space;

/** Counts objects that died in their regions, and has the {@link Compactor} look. Thread-safe. */
final class DeadObjects {
    private final RegionMap map;
    private final Compactor compactor;

    DeadObjects(RegionMap map, Compactor compactor) {
        this.map = map;
        this.compactor = compactor;
    }

    /** An object died whose header is there still: to be called inside the access gate. */
    void add(long address) {
        Region region = map.at(address);
        long footprint = ObjectLayout.footprint(ObjectLayout.sizeBytes(address));
        if (region.type == RegionType.LARGE) {
            footprint += Long.BYTES;
        }
        compactor.noticeDead(region, region.died(footprint));
    }
}
