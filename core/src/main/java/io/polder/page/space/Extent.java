package io.polder.page.space;

/** Skeleton: neighbouring granules in one state. */
public final class Extent {
    Extent() {}

    /** The address of its first byte. */
    public long address() {
        throw new UnsupportedOperationException();
    }

    /** Its size, a multiple of the granule. */
    public long bytes() {
        throw new UnsupportedOperationException();
    }
}
