package io.polder.lab.experiments.pages;

import io.polder.memory.MemoryProvider;
import io.polder.page.space.PageSpace;

import java.util.Arrays;

/**
 * How granules that lie apart are brought together.
 *
 * <pre>{@code
 * |  0  |     |  1  |     |  2  |  ...  |  15  |     |    apart: every other granule
 *    \          |           /
 * |  0  |  1  |  2  |  ...                   |  15  |     together: 32 MiB
 * }</pre>
 */
sealed interface AssemblyWay extends AutoCloseable {
    /** A granule. */
    long GRANULE = PageSpace.GRANULE_BYTES;

    /** How many are brought together. */
    int GRANULES = Math.toIntExact(ObjectKind.MEDIUM.pageBytesMax() / GRANULE);

    /** Addresses for both places. */
    long AREA_BYTES = 3L * GRANULES * GRANULE;

    /** Where the addresses begin. */
    long area();

    /** Where a granule lies apart. */
    default long apart(int granule) {
        return area() + 2L * granule * GRANULE;
    }

    /** Where they all lie together. */
    default long together() {
        return area() + 2L * GRANULES * GRANULE;
    }

    /** Brings them together. */
    void assemble();

    /** Brings them back. What is in them stays; whether it has to be faulted in is open. */
    void scatter();

    @Override
    void close();

    /** As the library does it. */
    final class Remap implements AssemblyWay {
        private final MemoryProvider provider;
        private final long area;

        Remap(MemoryProvider provider) {
            this.provider = provider;
            this.area = provider.reserve(AREA_BYTES, GRANULE);
            provider.commit(area, AREA_BYTES);
        }

        @Override
        public long area() {
            return area;
        }

        @Override
        public void assemble() {
            for (int i = 0; i < GRANULES; i++) {
                provider.remap(apart(i), together() + i * GRANULE, GRANULE);
            }
        }

        @Override
        public void scatter() {
            for (int i = 0; i < GRANULES; i++) {
                provider.remap(together() + i * GRANULE, apart(i), GRANULE);
            }
        }

        @Override
        public void close() {
            provider.release(area, AREA_BYTES);
        }
    }

    /** As ZGC does it: each is unmapped where it was, and the parts of the file mapped together. */
    final class UnmapAndMap implements AssemblyWay {
        private final GranuleFile file = new GranuleFile("polder-lab-assembly");
        private final int[] granules = new int[GRANULES];
        private final long reserved = FileCalls.reserve(AREA_BYTES + GRANULE);
        private final long area = -(-reserved & -GRANULE);

        UnmapAndMap() {
            int first = file.add(2 * GRANULES);
            Arrays.setAll(granules, i -> first + 2 * i);
            scatter();
        }

        @Override
        public long area() {
            return area;
        }

        @Override
        public void assemble() {
            for (int i = 0; i < GRANULES; i++) {
                FileCalls.unmap(apart(i), GRANULE);
            }
            file.map(together(), granules, 0, GRANULES);
        }

        @Override
        public void scatter() {
            FileCalls.unmap(together(), GRANULES * GRANULE);
            for (int i = 0; i < GRANULES; i++) {
                file.map(apart(i), granules, i, 1);
            }
        }

        @Override
        public void close() {
            FileCalls.release(reserved, AREA_BYTES + GRANULE);
            file.close();
        }
    }
}
