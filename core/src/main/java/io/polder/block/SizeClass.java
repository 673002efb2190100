package io.polder.block;

/**
 * The sizes that blocks have, by number.
 *
 * <pre>{@code
 *   class    0   1  ...   7    8    9  ...  15   16   17  ...        111
 *   bytes   16  32  ... 128  144  160  ... 256  288  320  ...    1048576
 *           in steps of 16   eight for each doubling
 * }</pre>
 *
 * <p>So a block of more than 112 bytes is at most 12.5 % larger than what was asked for. What is
 * larger than the last class is no matter of classes: see {@link LargeBlocks}. In place of a block
 * with a span to itself, a freed one of the next class may be handed out: see {@link ThreadHeap}.
 */
public final class SizeClass {
    /** Sizes and addresses of blocks are multiples of it: as with {@code malloc}. */
    public static final long GRAIN_BYTES = 16;

    /** The size of the last class. */
    public static final long BYTES_MAX = 1 << 20;

    private static final int GRAIN_SHIFT = 4;

    /** Classes for each doubling, as a shift. */
    private static final int STEPS_SHIFT = 3;

    /** Classes for each doubling, the last of which is a power of two. */
    static final int STEPS = 1 << STEPS_SHIFT;

    /** How many classes there are below the first doubling. */
    private static final int LINEAR = STEPS;

    /** Of the first doubling. */
    private static final int DOUBLING_SHIFT = GRAIN_SHIFT + STEPS_SHIFT;

    private static final long LINEAR_BYTES_MAX = 1L << DOUBLING_SHIFT;

    /** Up to here the class is looked up: no branch for a processor to mispredict. */
    private static final long LOOKED_UP_BYTES_MAX = 1 << 10;

    /** The class of the smallest blocks that hold so many grains. */
    private static final byte[] LOOKED_UP = lookedUp();

    /** How many classes there are. */
    public static final int COUNT = of(BYTES_MAX) + 1;

    private SizeClass() {}

    /**
     * The class of the smallest blocks that hold so many bytes.
     *
     * @param bytes from 0 to {@link #BYTES_MAX}
     */
    public static int of(long bytes) {
        return bytes <= LOOKED_UP_BYTES_MAX
                ? LOOKED_UP[(int) ((bytes + GRAIN_BYTES - 1) >>> GRAIN_SHIFT)]
                : computed(bytes);
    }

    private static byte[] lookedUp() {
        byte[] classes = new byte[(int) (LOOKED_UP_BYTES_MAX >>> GRAIN_SHIFT) + 1];
        for (int grains = 1; grains < classes.length; grains++) {
            classes[grains] = (byte) computed(grains * GRAIN_BYTES);
        }
        return classes;
    }

    /** Does without the table; for one byte or more. */
    private static int computed(long bytes) {
        if (bytes <= LINEAR_BYTES_MAX) {
            return (int) ((bytes - 1) >>> GRAIN_SHIFT);
        }
        int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(bytes - 1) - STEPS_SHIFT;
        return ((shift - GRAIN_SHIFT) << STEPS_SHIFT) + (int) ((bytes - 1) >> shift);
    }

    /**
     * The class of the smallest blocks that hold so many bytes and lie at multiples of an
     * alignment, in spans that do.
     *
     * @param bytes from 0 to {@link #BYTES_MAX}
     * @param alignment a power of two, at most {@link #BYTES_MAX}
     */
    static int of(long bytes, long alignment) {
        int sizeClass = of(Math.max(bytes, alignment));
        while ((bytes(sizeClass) & (alignment - 1)) != 0) {
            sizeClass++;
        }
        return sizeClass;
    }

    /** The size of the blocks of a class. */
    public static long bytes(int sizeClass) {
        if (sizeClass < LINEAR) {
            return (sizeClass + 1L) << GRAIN_SHIFT;
        }
        int doubling = (sizeClass >> STEPS_SHIFT) - 1;
        return (LINEAR + 1L + (sizeClass & (LINEAR - 1))) << (GRAIN_SHIFT + doubling);
    }
}
