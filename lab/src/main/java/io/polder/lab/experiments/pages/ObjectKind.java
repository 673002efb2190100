package io.polder.lab.experiments.pages;

/**
 * Objects of one size, and the pages they lie in: those of a Java program with arrays of 64 KiB and
 * of 512 KiB, as ZGC places them in a heap of a GiB and more.
 *
 * <pre>{@code
 * small   2 MiB:       | object | object | ...   31 of 64 KiB and a header, one behind the other
 * medium  4 to 32 MiB: | object  | object  | ... 7 to 63 of 512 KiB and a header, at OS pages
 * }</pre>
 */
enum ObjectKind {
    /** Replaced one by one, at random. */
    SMALL(64 << 10, 8, 2L << 20, 2L << 20),
    /** Die all at once. */
    MEDIUM(512 << 10, 4096, 4L << 20, 32L << 20);

    /** What the JVM puts in front of an array. */
    static final long HEADER_BYTES = 16;

    private final long payloadBytes;
    private final long strideBytes;
    private final long pageBytesMin;
    private final long pageBytesMax;

    ObjectKind(long payloadBytes, long alignment, long pageBytesMin, long pageBytesMax) {
        this.payloadBytes = payloadBytes;
        this.strideBytes = -(-(HEADER_BYTES + payloadBytes) & -alignment);
        this.pageBytesMin = pageBytesMin;
        this.pageBytesMax = pageBytesMax;
    }

    /** An object without its header. */
    long payloadBytes() {
        return payloadBytes;
    }

    /** An object with its header. */
    long objectBytes() {
        return HEADER_BYTES + payloadBytes;
    }

    /** From one object to the next. */
    long strideBytes() {
        return strideBytes;
    }

    /** The smallest page that will do. */
    long pageBytesMin() {
        return pageBytesMin;
    }

    /** The largest page that is of use. */
    long pageBytesMax() {
        return pageBytesMax;
    }

    /** How many objects a page has room for. */
    int objectsIn(long pageBytes) {
        return Math.toIntExact(pageBytes / strideBytes);
    }
}
