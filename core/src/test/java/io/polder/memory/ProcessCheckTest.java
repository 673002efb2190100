package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The kernel's view of this process, read and parsed. */
class ProcessCheckTest {

    @Test
    void parse_lineOfMaps_hasAddressesAndPermissions() {
        assertThat(ProcessCheck.Mapping.parse("7f0000000000-7f0000200000 rw-p 00000000 00:00 0"))
                .isEqualTo(new ProcessCheck.Mapping(0x7f0000000000L, 0x7f0000200000L, "rw-p"));
        assertThat(
                        ProcessCheck.Mapping.parse(
                                "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsys]"))
                .isEqualTo(new ProcessCheck.Mapping(-0xa00000L, -0x9ff000L, "--xp"));
    }

    @Test
    void overlaps_neighbours_areNotOverlapping() {
        ProcessCheck.Mapping mapping = new ProcessCheck.Mapping(0x2000, 0x4000, "rw-p");
        assertThat(mapping.overlaps(0x1000, 0x1000)).isFalse();
        assertThat(mapping.overlaps(0x1000, 0x1001)).isTrue();
        assertThat(mapping.overlaps(0x3fff, 1)).isTrue();
        assertThat(mapping.overlaps(0x4000, 1)).isFalse();
    }

    @Test
    @RealKernel // an emulator keeps no advice
    @EnabledOnOs(OS.LINUX)
    void count_thisProcess_growsWithMappings() {
        MemoryProvider provider = Providers.choose().provider();
        long page = provider.osPageSize();
        // Threads of earlier tests may end meanwhile, and their stacks with them: then once more.
        int grown = 0;
        for (int round = 0; round < 50 && grown <= 150; round++) {
            int before = ProcessCheck.count().orElseThrow();
            long address = provider.reserve(200 * page, page);
            for (int i = 0; i < 200; i += 2) {
                // Different advice, different mapping.
                provider.adviseHugePages(address + i * page, page, false);
            }
            grown = ProcessCheck.count().orElseThrow() - before;
            provider.release(address, 200 * page);
        }
        assertThat(grown).isGreaterThan(150);
    }

    @Test
    @RealKernel // populating does nothing in an emulator
    @EnabledOnOs(OS.LINUX)
    void rssBytes_touchedMemory_isCounted() {
        MemoryProvider provider = Providers.choose().provider();
        long bytes = 64L << 20;
        // The collector and what earlier tests left may give memory back meanwhile, so that the
        // process shrinks: then once more.
        long grown = 0;
        for (int i = 0; i < 50 && grown <= bytes / 2; i++) {
            long address = provider.reserve(bytes, 1);
            long before = ProcessCheck.rssBytes().orElseThrow();
            provider.populate(address, bytes);
            grown = ProcessCheck.rssBytes().orElseThrow() - before;
            provider.release(address, bytes);
        }
        assertThat(grown).isGreaterThan(bytes / 2);
    }

    @Test
    void rssBytes_madeUpFile_isParsed(@TempDir Path root) throws IOException {
        assertThat(ProcessCheck.rssBytes(root)).isEmpty();
        Path file = root.resolve("proc/self/smaps_rollup");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "55af-7ffd ---p 0 00:00 0 [rollup]\nRss:        1732 kB\n");
        assertThat(ProcessCheck.rssBytes(root)).hasValue(1732L << 10);
    }
}
