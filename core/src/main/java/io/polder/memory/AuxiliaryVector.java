package io.polder.memory;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalLong;

/**
 * What the kernel told this process about itself when it started, as {@code /proc/self/auxv} shows
 * it. Reading it takes no downcall.
 *
 * <pre>{@code
 * 0        8        16
 * +--------+--------+--------+--------+--     --+--------+--------+
 * | key    | value  | key    | value  |   ...   | 0      | 0      |     in native byte order
 * +--------+--------+--------+--------+--     --+--------+--------+
 * }</pre>
 */
final class AuxiliaryVector {

    /**
     * The largest OS page of either architecture: a multiple of whatever the page really is, so
     * that ranges made of it are always whole pages.
     */
    static final long OS_PAGE_SIZE_MAX = 64 << 10;

    /** The smallest OS page of either architecture. */
    static final long OS_PAGE_SIZE_MIN = 4 << 10;

    /**
     * A larger page than the kernel's, in bytes. With it tests do here what machines with such
     * pages do: whole pages of that size are whole pages of the kernel's, too.
     */
    static final String PROPERTY = "polder.os.page.size";

    static final File OWN = new File("/proc/self/auxv");

    private static final int ENTRY_BYTES = 2 * Long.BYTES;

    private AuxiliaryVector() {}

    /**
     * Bytes of an OS page, as far as ranges are made of them; {@link #OS_PAGE_SIZE_MAX} where the
     * kernel does not say, as in a process that may not look at itself. The kernel's own pages may
     * be smaller: nobody may count them with this.
     */
    static long osPageSize() {
        long kernels = osPageSize(OWN);
        return osPageSize(kernels, Long.getLong(PROPERTY, kernels));
    }

    /** The page that is wanted, if it consists of whole ones of the kernel's. */
    static long osPageSize(long kernels, long wanted) {
        return isPageSize(wanted) && wanted > kernels ? wanted : kernels;
    }

    static long osPageSize(File file) {
        return kernelPageSize(file).orElse(OS_PAGE_SIZE_MAX);
    }

    /** Bytes of a page of this kernel; empty where the file does not say. */
    static OptionalLong kernelPageSize(File file) {
        // The plainest stream: a program that has not needed java.nio.file yet need not load it.
        try (FileInputStream in = new FileInputStream(file)) {
            ByteBuffer entries = ByteBuffer.wrap(in.readAllBytes()).order(ByteOrder.nativeOrder());
            while (entries.remaining() >= ENTRY_BYTES) {
                long key = entries.getLong();
                long value = entries.getLong();
                if (key == LinuxConstants.AT_PAGESZ && isPageSize(value)) {
                    return OptionalLong.of(value);
                }
            }
        } catch (IOException e) {
            // As if it said nothing.
        }
        return OptionalLong.empty();
    }

    private static boolean isPageSize(long value) {
        return value > 0 && value <= OS_PAGE_SIZE_MAX && Long.bitCount(value) == 1;
    }
}
