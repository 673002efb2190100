package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Random ranges are painted, populated, uncommitted alone and in batches, and compared with a map
 * of what each page must hold. The layer under the chunks must not lose a byte to a wrong range.
 */
@EnabledOnOs(OS.LINUX)
class RandomUncommitTest {

    private static final int PAGES = 2048;
    private static final int OPERATIONS = 750;
    private static final int RANGE_PAGES_MAX = 48;

    @Test
    void uncommit_randomRanges_matchTheShadowMap() {
        long seed = System.nanoTime();
        System.out.println("RandomUncommitTest: seed=" + seed);
        run(LinuxProviders.all(), new SplittableRandom(seed));
    }

    private static void run(MemoryProvider provider, SplittableRandom random) {
        long page = provider.osPageSize();
        long address = provider.reserve(PAGES * page, MemoryProvider.REMAP_GRANULE_BYTES);
        provider.adviseHugePages(address, PAGES * page, false);
        MemorySegment memory = NativeAccess.view(address, PAGES * page);
        byte[] shadow = new byte[PAGES];
        int[] mix = new int[4];
        for (int i = 0; i < OPERATIONS; i++) {
            int pages = 1 + random.nextInt(RANGE_PAGES_MAX);
            int first = random.nextInt(PAGES - pages + 1);
            int operation = random.nextInt(mix.length);
            mix[operation]++;
            switch (operation) {
                case 0 -> {
                    byte paint = (byte) (1 + random.nextInt(100));
                    provider.commit(address + first * page, pages * page);
                    memory.asSlice(first * page, pages * page).fill(paint);
                    Arrays.fill(shadow, first, first + pages, paint);
                }
                case 1 -> provider.populate(address + first * page, pages * page);
                case 2 -> {
                    provider.uncommit(address + first * page, pages * page);
                    Arrays.fill(shadow, first, first + pages, (byte) 0);
                    long from = address + first * page;
                    assertThat(ProcessMemory.residentBytes(from, pages * page)).hasValue(0);
                }
                default -> {
                    int count = 1 + random.nextInt(8);
                    long[] addresses = new long[count];
                    long[] sizes = new long[count];
                    for (int r = 0; r < count; r++) {
                        int start = random.nextInt(PAGES);
                        addresses[r] = address + start * page;
                        sizes[r] = page;
                        shadow[start] = 0;
                    }
                    provider.uncommit(addresses, sizes, count);
                }
            }
            if (i % 50 == 0) {
                verify(memory, shadow, page);
            }
        }
        verify(memory, shadow, page);
        assertThat(Arrays.stream(mix).min().orElseThrow())
                .describedAs("mix of operations %s", Arrays.toString(mix))
                .isGreaterThan(OPERATIONS / 8);
        provider.release(address, PAGES * page);
    }

    private static void verify(MemorySegment memory, byte[] shadow, long page) {
        for (int i = 0; i < shadow.length; i++) {
            assertThat(memory.get(ValueLayout.JAVA_BYTE, i * page)).isEqualTo(shadow[i]);
            assertThat(memory.get(ValueLayout.JAVA_BYTE, (i + 1) * page - 1)).isEqualTo(shadow[i]);
        }
    }
}
