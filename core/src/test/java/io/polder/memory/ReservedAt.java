package io.polder.memory;

/** Reserved spaces without an operating system. */
public final class ReservedAt {
    private ReservedAt() {}

    /** Says where a range is, as if it had been reserved there. */
    public static <R extends ReservedSpace> R address(R range, long address) {
        range.address = address;
        return range;
    }
}
