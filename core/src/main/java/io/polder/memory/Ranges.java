package io.polder.memory;

/** The rules for the arguments of a {@link MemoryProvider}, the same for every provider. */
final class Ranges {

    private Ranges() {}

    /** Checks the arguments of {@link MemoryProvider#reserve}. */
    static void checkReserve(long bytes, long alignment, long osPageSize) {
        checkBytes(bytes, osPageSize, "osPageSize");
        if (alignment <= 0 || Long.bitCount(alignment) != 1) {
            throw new IllegalArgumentException(
                    "alignment must be a power of two: alignment=" + alignment);
        }
    }

    /** Checks a range whose both ends are multiples of the OS page. */
    static void checkPages(long address, long bytes, long osPageSize) {
        checkBytes(bytes, osPageSize, "osPageSize");
        checkAddress(address, osPageSize, "osPageSize");
    }

    /** Checks both ranges of {@link MemoryProvider#remap}. */
    static void checkRemap(long from, long to, long bytes) {
        long granule = MemoryProvider.REMAP_GRANULE_BYTES;
        checkBytes(bytes, granule, "granule");
        checkAddress(from, granule, "granule");
        checkAddress(to, granule, "granule");
        if (from < to + bytes && to < from + bytes) {
            throw new IllegalArgumentException(
                    "source and target must not overlap: from="
                            + hex(from)
                            + ", to="
                            + hex(to)
                            + ", bytes="
                            + bytes);
        }
    }

    static String hex(long address) {
        return "0x" + Long.toHexString(address);
    }

    private static void checkBytes(long bytes, long unit, String unitName) {
        if (bytes <= 0 || bytes % unit != 0) {
            throw new IllegalArgumentException(
                    "bytes must be a positive multiple of "
                            + unitName
                            + ": bytes="
                            + bytes
                            + ", "
                            + unitName
                            + "="
                            + unit);
        }
    }

    private static void checkAddress(long address, long unit, String unitName) {
        if (address <= 0 || address % unit != 0) {
            throw new IllegalArgumentException(
                    "address must be a positive multiple of "
                            + unitName
                            + ": address="
                            + hex(address)
                            + ", "
                            + unitName
                            + "="
                            + unit);
        }
    }
}
