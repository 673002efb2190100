package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.polder.arena.Seed;
import io.polder.arena.TestScale;
import io.polder.memory.Providers;
import io.polder.page.Page;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Pages of which the program has locked some bytes, and closed them without unlocking: the kernel
 * uncommits nothing that is locked, but it unmaps it.
 */
class LockedPagesTest {
    private static final int ROUNDS = TestScale.of(10, 60);
    private static final long GRANULE = 2 << 20;

    /** Each locks one OS page of 64 KiB at most; a process may lock 8 MiB, or 64 KiB. */
    private static final int LOCKED_MAX = 4;

    @Test
    @SuppressWarnings("restricted")
    void trimAndClose_lockedPages_giveAllElseBack() throws Throwable {
        assumeTrue(Providers.choose().provider().name().equals("linux"));
        Linker linker = Linker.nativeLinker();
        MethodHandle lock =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("mlock"),
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG));
        assumeTrue(locks(lock));
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        Seed.naming(
                seed,
                () -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        oneRound(random, lock);
                    }
                });
    }

    private static boolean locks(MethodHandle lock) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment words = arena.allocate(64);
            return (int) lock.invokeExact(words.address(), words.byteSize()) == 0;
        }
    }

    private static void oneRound(SplittableRandom random, MethodHandle lock) {
        MemoryPool pool = MemoryPool.builder().decay(Duration.ofDays(1)).build();
        List<Page> pages = new ArrayList<>();
        Set<Long> locked = new HashSet<>();
        for (int i = random.nextInt(1, 60); i > 0; i--) {
            Page page = pool.pages().allocate(GRANULE << random.nextInt(4));
            pages.add(page);
            try (Arena view = Arena.ofConfined()) {
                MemorySegment bytes = page.segment(view);
                for (long at = 0; at < bytes.byteSize(); at += GRANULE) {
                    bytes.set(ValueLayout.JAVA_BYTE, at, (byte) 1);
                }
                if (locked.size() < LOCKED_MAX && random.nextInt(4) == 0) {
                    long address = bytes.address() + random.nextLong(bytes.byteSize());
                    assertThat(call(lock, address)).isZero();
                    locked.add(address / GRANULE);
                }
            }
        }
        while (!pages.isEmpty()) {
            pages.remove(random.nextInt(pages.size())).close();
        }
        long _ = pool.trim();
        assertThat(pool.stats().committedBytes()).isLessThanOrEqualTo(locked.size() * GRANULE);
        pool.close();
        assertThat(pool.stats().reservedBytes()).isZero();
        assertThat(pool.stats().committedBytes()).isZero();
    }

    private static int call(MethodHandle lock, long address) {
        try {
            return (int) lock.invokeExact(address, 1L);
        } catch (Throwable thrown) {
            throw new AssertionError(thrown);
        }
    }
}
