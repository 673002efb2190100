package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What an allocation may have on made-up machines. */
class MachineMemoryTest {
    private static final long GIB = 1L << 30;

    @TempDir Path root = Path.of("replaced by JUnit");

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private void machine(int overcommit, long memoryGib, long swapGib) throws IOException {
        write("proc/sys/vm/overcommit_memory", overcommit + "\n");
        write(
                "proc/meminfo",
                "MemTotal:       %d kB%nMemFree:  17 kB%nSwapCached: 3 kB%nSwapTotal: %d kB%n"
                        .formatted(memoryGib << 20, swapGib << 20));
    }

    private LazyLimits limits() {
        return new LazyLimits(root);
    }

    @Test
    void exceededBy_underTheHeuristic_isMoreThanMemoryAndSwap() throws IOException {
        machine(0, 24, 2);
        assertThat(limits().exceededBy(26 * GIB)).isNull();
        assertThat(limits().exceededBy(26 * GIB + 1))
                .isEqualTo(new MachineMemory(24 * GIB, 2 * GIB));
        assertThat(limits().exceededBy(Long.MAX_VALUE)).isNotNull();
    }

    @Test
    void exceededBy_underOtherRules_isLeftToTheKernel() throws IOException {
        for (int mode : new int[] {1, 2}) {
            machine(mode, 24, 2);
            assertThat(limits().exceededBy(1L << 46)).isNull();
        }
    }

    @Test
    void exceededBy_whereTheKernelDoesNotTell_isNothing() throws IOException {
        assertThat(limits().exceededBy(1L << 46)).isNull();
        write("proc/sys/vm/overcommit_memory", "0\n");
        assertThat(limits().exceededBy(1L << 46)).isNull();
        write("proc/meminfo", "MemTotal: lots\n");
        assertThat(limits().exceededBy(1L << 46)).isNull();
    }

    @Test
    void exceededBy_withAGroupOfLess_doesNotLookAtIt() throws IOException {
        machine(0, 24, 0);
        write("proc/self/cgroup", "0::/\n");
        write(
                "proc/self/mountinfo",
                "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n");
        write("sys/fs/cgroup/memory.max", GIB + "\n");
        assertThat(limits().exceededBy(2 * GIB)).isNull();
    }

    @Test
    void exceededBy_afterSwapWasAdded_knowsIt() throws IOException {
        machine(0, 1, 0);
        LazyLimits limits = limits();
        assertThat(limits.exceededBy(2 * GIB)).isNotNull();
        machine(0, 1, 1);
        assertThat(limits.exceededBy(2 * GIB)).isNull();
    }
}
