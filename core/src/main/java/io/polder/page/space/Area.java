package io.polder.page.space;

/** Skeleton. */
final class Area {
    private final long address;

    Area(long address) {
        this.address = address;
    }

    long address(int index) {
        return address + Granules.bytes(index);
    }
}
