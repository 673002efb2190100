package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.OtherThread;
import io.polder.arena.Seed;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/** Files that can be read at one time and not at another: what a limit was stays. */
class UnreadLimitsTest {
    private static final long GIB = 1L << 30;
    private static final String MEMINFO = "proc/meminfo";
    private static final String OVERCOMMIT = "proc/sys/vm/overcommit_memory";
    private static final String MAP_COUNT = "proc/sys/vm/max_map_count";
    private static final String STATUS = "proc/self/status";

    @TempDir Path root = Path.of("replaced by JUnit");

    private void write(String file, String text) throws IOException {
        remove(file);
        Files.writeString(root.resolve(file), text);
    }

    /** Puts something there that can be opened by nobody, or not be read. */
    private void makeUnreadable(String file) throws IOException {
        remove(file);
        Files.createDirectory(root.resolve(file));
    }

    private void remove(String file) throws IOException {
        Files.createDirectories(root.resolve(file).getParent());
        Files.deleteIfExists(root.resolve(file));
    }

    @Test
    void exceededBy_readNowAndThen_isWhatWasReadLast() throws Throwable {
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        Seed.naming(
                seed,
                () -> {
                    for (int i = 0; i < 50; i++) {
                        machineChanges(random);
                    }
                });
    }

    /** Or else all virtual threads that take long pages would wait for each other there. */
    @Test
    void limits_known_areFoundWithoutTheLock() throws IOException {
        LazyLimits limits = new LazyLimits(root);
        write(OVERCOMMIT, "0\n");
        write(MEMINFO, "MemTotal: 1048576 kB\n");
        assertThat(limits.strictOvercommit()).isFalse();
        assertThat(limits.exceededBy(2 * GIB)).isNotNull();
        synchronized (limits) {
            assertThat(OtherThread.<Boolean>virtual(limits::strictOvercommit)).isFalse();
            assertThat(OtherThread.<Boolean>virtual(() -> limits.exceededBy(1 << 20) == null))
                    .isTrue();
        }
    }

    private void machineChanges(SplittableRandom random) throws IOException {
        LazyLimits limits = new LazyLimits(root);
        long known = Long.MAX_VALUE;
        write(OVERCOMMIT, "0\n");
        for (int i = 0; i < 20; i++) {
            long gib = 1L + random.nextInt(100);
            boolean readable = random.nextBoolean();
            if (readable) {
                write(OVERCOMMIT, "0\n");
                write(MEMINFO, "MemTotal: " + (gib << 20) + " kB\n");
            } else {
                makeUnreadable(random.nextBoolean() ? MEMINFO : OVERCOMMIT);
            }
            long asked = GIB * (1 + random.nextInt(200));
            // Not looked at again for what fits.
            if (readable && (known == Long.MAX_VALUE || asked > known)) {
                known = gib * GIB;
            }
            MachineMemory exceeded = limits.exceededBy(asked);
            assertThat(exceeded == null ? Long.MAX_VALUE : exceeded.bytes())
                    .isEqualTo(asked > known ? known : Long.MAX_VALUE);
        }
    }

    @Test
    void maxMapCount_unreadable_isWhatItWasOrWhatKernelsAllow() throws IOException {
        LazyLimits limits = new LazyLimits(root);
        assertThat(limits.maxMapCount()).isEqualTo(65_530);
        makeUnreadable(MAP_COUNT);
        assertThat(limits.maxMapCount()).isEqualTo(65_530);
        write(MAP_COUNT, "1000\n");
        assertThat(limits.maxMapCount()).isEqualTo(1000);
        makeUnreadable(MAP_COUNT);
        assertThat(limits.maxMapCount()).isEqualTo(1000);
        write(MAP_COUNT, "what?\n");
        assertThat(limits.maxMapCount()).isEqualTo(65_530);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void maxMapCount_ofThisMachine_isRead() {
        assertThat(LinuxProviders.all().maxMapCount()).isGreaterThan(1000);
    }

    @Test
    void strictOvercommit_unreadable_isAssumedUntilItIsRead() throws IOException {
        for (int mode = 0; mode < 3; mode++) {
            LazyLimits limits = new LazyLimits(root);
            makeUnreadable(OVERCOMMIT);
            assertThat(limits.strictOvercommit()).isTrue();
            write(OVERCOMMIT, mode + "\n");
            assertThat(limits.strictOvercommit()).isEqualTo(mode == 2);
            makeUnreadable(OVERCOMMIT);
            assertThat(limits.strictOvercommit()).isEqualTo(mode == 2);
            remove(OVERCOMMIT);
        }
    }

    @Test
    void room_unreadable_isCountedFromWhatWasTakenLast() throws IOException {
        LinuxCalls limited =
                new LinuxCalls() {
                    @Override
                    long addressSpaceMax() {
                        return 64 * GIB;
                    }

                    @Override
                    long dataMax() {
                        return 32 * GIB;
                    }
                };
        AddressSpace space = new AddressSpace(limited, root.resolve(STATUS));
        makeUnreadable(STATUS);
        assertThat(space.roomBytes(0)).isEqualTo(Long.MAX_VALUE);
        write(STATUS, "VmSize: " + (20 << 20) + " kB\nVmData: " + (10 << 20) + " kB\n");
        long room = space.roomBytes(0);
        assertThat(room).isBetween(1L, 22 * GIB);
        makeUnreadable(STATUS);
        assertThat(space.roomBytes(0)).isEqualTo(room);
        assertThat(space.leaves(50 * GIB)).isFalse();
    }
}
