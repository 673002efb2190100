package io.polder.lab.experiments.pages;

import io.polder.page.space.PageSpace;

/**
 * Memory that has no address of its own: granules of a file without a name, which are mapped
 * wherever they are wanted.
 *
 * <pre>{@code
 * file        | 0 | 1 | 2 | 3 | 4 | ...      granules, by number
 *               |       \   \
 * addresses   | 0 |   |   | 2 | 3 |          granules that are neighbours in both: one mapping
 * }</pre>
 *
 * <p>Who uses which granule is up to the callers. Thread-safe but for {@link #close}.
 */
final class GranuleFile implements AutoCloseable {
    private static final long GRANULE = PageSpace.GRANULE_BYTES;

    private final int file;
    private long granules;

    /** A file of no length. */
    GranuleFile(String name) {
        file = FileCalls.create(name);
    }

    /** Adds granules at the end, without memory; returns the number of the first. */
    synchronized int add(int count) {
        FileCalls.resize(file, (granules + count) * GRANULE);
        int first = Math.toIntExact(granules);
        granules += count;
        return first;
    }

    /**
     * Maps granules behind each other, with one call for those that are neighbours in the file.
     *
     * @param address of the first
     * @param numbers of the granules
     * @param first index in {@code numbers}
     * @param count how many
     */
    void map(long address, int[] numbers, int first, int count) {
        int done = 0;
        while (done < count) {
            int length = neighbours(numbers, first + done, first + count);
            FileCalls.map(
                    address + done * GRANULE,
                    length * GRANULE,
                    file,
                    numbers[first + done] * GRANULE);
            done += length;
        }
    }

    /** Gives the memory of granules back. */
    void punch(int[] numbers, int first, int count) {
        int done = 0;
        while (done < count) {
            int length = neighbours(numbers, first + done, first + count);
            punch(numbers[first + done], 0, length * GRANULE);
            done += length;
        }
    }

    /** Gives memory back, from somewhere in a granule on. */
    void punch(int number, long offset, long bytes) {
        FileCalls.punch(file, number * GRANULE + offset, bytes);
    }

    /** How many from an index on follow each other in the file. */
    private static int neighbours(int[] numbers, int from, int end) {
        int next = from + 1;
        while (next < end && numbers[next] == numbers[next - 1] + 1) {
            next++;
        }
        return next - from;
    }

    @Override
    public void close() {
        FileCalls.close(file);
    }
}
