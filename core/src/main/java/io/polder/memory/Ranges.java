package io.polder.memory;

/** The rules for the arguments of a {@link MemoryProvider}, the same for every provider. */
final class Ranges {
    private static final String ADDRESS = "address";

    private Ranges() {}

    /** Checks the arguments of {@link MemoryProvider#reserve}. */
    static void checkReserve(long bytes, long alignment, long osPageSize) {
        checkMultiple("bytes", bytes, osPageSize, "osPageSize");
        if (alignment <= 0 || Long.bitCount(alignment) != 1) {
            throw new IllegalArgumentException(
                    "alignment must be a power of two: alignment=" + alignment);
        }
    }

    /** Checks a range whose both ends are multiples of the OS page. */
    static void checkPages(long address, long bytes, long osPageSize) {
        checkMultiple("bytes", bytes, osPageSize, "osPageSize");
        checkMultiple(ADDRESS, address, osPageSize, "osPageSize");
    }

    /** Checks both ranges of {@link MemoryProvider#remap}. */
    static void checkRemap(long from, long to, long bytes) {
        long granule = MemoryProvider.REMAP_GRANULE_BYTES;
        checkMultiple("bytes", bytes, granule, "granule");
        checkMultiple(ADDRESS, from, granule, "granule");
        checkMultiple(ADDRESS, to, granule, "granule");
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

    /** Checks a number of bytes, or an address, which a message has in hexadecimal digits. */
    private static void checkMultiple(String name, long value, long unit, String unitName) {
        if (value <= 0 || value % unit != 0) {
            throw new IllegalArgumentException(
                    name
                            + " must be a positive multiple of "
                            + unitName
                            + ": "
                            + name
                            + "="
                            + (name.equals(ADDRESS) ? hex(value) : value)
                            + ", "
                            + unitName
                            + "="
                            + unit);
        }
    }
}
