package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.Await;
import io.polder.memory.DelegatingProvider;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Errors that come out of the provider, as when the Java heap or the stack is exhausted. */
class ChunkErrorsTest extends SpaceFixture {

    private static final Set<String> CALLS = Set.of("reserve", "commit", "uncommit", "release");

    /** The point of a call at which the next error is thrown; null for none. */
    private @Nullable Point next;

    private enum Point {
        BEFORE_RESERVE,
        ADVISE,
        COMMIT,
        BEFORE_UNCOMMIT,
        AFTER_UNCOMMIT,
        RELEASE
    }

    private final MemoryProvider throwing =
            new DelegatingProvider(provider) {
                @Override
                public long reserve(long bytes, long alignment) {
                    reach(Point.BEFORE_RESERVE);
                    return super.reserve(bytes, alignment);
                }

                @Override
                public boolean adviseHugePages(long address, long bytes, boolean wanted) {
                    reach(Point.ADVISE);
                    return super.adviseHugePages(address, bytes, wanted);
                }

                @Override
                public void commit(long address, long bytes) {
                    reach(Point.COMMIT);
                    super.commit(address, bytes);
                }

                @Override
                public void uncommit(long[] addresses, long[] sizes, int count) {
                    reach(Point.BEFORE_UNCOMMIT);
                    super.uncommit(addresses, sizes, count);
                    reach(Point.AFTER_UNCOMMIT);
                }

                @Override
                public void release(long address, long bytes) {
                    reach(Point.RELEASE);
                    super.release(address, bytes);
                }
            };

    private void reach(Point point) {
        if (point == next) {
            next = null;
            throw new OutOfMemoryError("injected " + point);
        }
    }

    private void assertThrown(Point point, Runnable operation) {
        next = point;
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(operation::run)
                .withMessage("injected " + point);
    }

    private ChunkSpace throwingSpace() {
        return space(throwing, MemoryLimits.NONE);
    }

    @Test
    void take_errorBeforeReserving_refundsTheCharge() {
        ChunkSpace space = throwingSpace();
        assertThrown(Point.BEFORE_RESERVE, () -> take(space, KIB));
        assertThat(budget(space).reserved.bytes()).isZero();
        SpaceCheck.verifyAtRest(space);
        space.give(take(space, KIB), 0);
    }

    @Test
    void take_errorAfterReserving_keepsTheReservationForTheNext() {
        ChunkSpace space = throwingSpace();
        assertThrown(Point.ADVISE, () -> take(space, KIB));
        SpaceCheck.verifyAtRest(space);
        assertThat(space.statistics().usage().reservedBytes()).isEqualTo(64 * MIB);
        assertThat(space.statistics().usedBytes()).isZero();
        space.give(take(space, KIB), 0);
        assertThat(space.statistics().usage().reservedBytes()).isEqualTo(64 * MIB);
    }

    @Test
    void commit_error_refundsTheCharge() {
        ChunkSpace space = throwingSpace();
        long chunk = take(space, 64 * KIB);
        assertThrown(Point.COMMIT, () -> space.commit(chunk, 0, 64 * KIB));
        assertThat(space.statistics().usage().committedBytes()).isZero();
        assertThat(budget(space).committed.bytes()).isZero();
        space.give(chunk, 0);
    }

    @Test
    void trim_errorBeforeUncommitting_putsBackWhatItHadIsolated() {
        ChunkSpace space = warm();
        assertThrown(Point.BEFORE_UNCOMMIT, space::trim);
        SpaceCheck.verifyAtRest(space);
        assertThat(space.statistics().usage().committedBytes()).isEqualTo(MIB);
        assertThat(space.trim()).isEqualTo(MIB);
    }

    /** Nobody saw that it was uncommitted; so it counts as committed, and reads as zero. */
    @Test
    void trim_errorAfterUncommitting_countsAsCommitted() {
        ChunkSpace space = warm();
        assertThrown(Point.AFTER_UNCOMMIT, space::trim);
        SpaceCheck.verifyAtRest(space);
        assertThat(space.statistics().usage().committedBytes()).isEqualTo(MIB);
        long chunk = take(space, ROOT);
        Payload.assertZero(chunk);
        space.give(chunk, MIB);
    }

    /**
     * What a pass that was cut short has isolated is there for the next thread that takes, and for
     * the one that closes.
     */
    @Test
    void take_afterAPassThatWasCutOff_getsWhatItHad() {
        ChunkSpace space = space(throwing, new MemoryLimits(ROOT, ROOT));
        long chunk = take(space, ROOT);
        use(space, chunk, MIB, (byte) 3);
        space.give(chunk, MIB);
        assertThrown(Point.BEFORE_UNCOMMIT, space::trim);
        long again = take(space, ROOT);
        Payload.assertZero(again);
        space.give(again, MIB);
    }

    @Test
    void close_errorWhenReleasing_canBeTriedAgain() {
        ChunkSpace space = warm();
        assertThrown(Point.RELEASE, space::close);
        assertThatIllegalStateException().isThrownBy(() -> take(space, KIB));
        SpaceCheck.verifyAtRest(space);
        assertThat(space.statistics().usage().reservedBytes()).isEqualTo(64 * MIB);
        space.close();
        assertThat(provider.reservedBytes()).isZero();
    }

    /** What one thread was cut short in, the others mend, while some have memory isolated. */
    @Test
    void random_errorsOfTheProviderInManyThreads_loseNothing() throws InterruptedException {
        AtomicBoolean armed = new AtomicBoolean(true);
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger errors = new AtomicInteger();
        InvocationHandler everyThird =
                (_, method, arguments) -> {
                    boolean makes = CALLS.contains(method.getName());
                    if (makes && armed.get() && calls.incrementAndGet() % 3 == 0) {
                        errors.incrementAndGet();
                        throw new StackOverflowError("injected");
                    }
                    try {
                        return method.invoke(system, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                };
        MemoryProvider memory =
                (MemoryProvider)
                        Proxy.newProxyInstance(
                                MemoryProvider.class.getClassLoader(),
                                new Class<?>[] {MemoryProvider.class},
                                everyThird);
        ChunkSpace space = space(memory, new MemoryLimits(8 * MIB, 32 * MIB));
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            SplittableRandom random = new SplittableRandom(i);
            Thread thread = new Thread(() -> turnOver(space, random));
            thread.setUncaughtExceptionHandler((_, thrown) -> failures.add(thrown));
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            Await.end(thread);
        }
        armed.set(false);
        assertThat(failures).isEmpty();
        // The larger the OS page, the fewer calls.
        assertThat(errors).hasValueGreaterThan((int) (32 * 4096 / system.osPageSize()));
    }

    private static void turnOver(ChunkSpace space, SplittableRandom random) {
        for (int i = 0; i < 2000; i++) {
            int level = random.nextInt(ChunkLevel.COUNT);
            long chunk = Chunk.NONE;
            long used = 0;
            try {
                chunk = space.take(level, SMALLEST);
                Payload.assertZero(chunk);
                long wanted = random.nextLong(Chunk.bytes(chunk) + 1);
                space.commit(chunk, 0, wanted);
                used = wanted;
                Payload.paint(Chunk.address(chunk), used, (byte) i);
                switch (random.nextInt(8)) {
                    case 0 -> space.trim();
                    case 1 -> space.decay();
                    default -> SpaceCheck.isFree(space, Chunk.address(chunk), 0);
                }
            } catch (StackOverflowError | MemoryExhaustedException injected) {
                assertThat(injected.getMessage()).isNotNull();
            }
            if (chunk != Chunk.NONE) {
                Payload.assertPainted(Chunk.address(chunk), used, (byte) i);
                space.give(chunk, used);
            }
            if (i % 50 == 0) {
                SpaceCheck.verify(space);
            }
        }
    }

    /** A megabyte is committed and free. */
    private ChunkSpace warm() {
        ChunkSpace space = throwingSpace();
        long chunk = take(space, ROOT);
        use(space, chunk, MIB, (byte) 3);
        space.give(chunk, MIB);
        return space;
    }
}
