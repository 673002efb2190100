package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.ArenaFactory;
import io.polder.arena.SlabAudit;
import io.polder.arena.SlabSettings;
import io.polder.arena.TestScale;
import io.polder.memory.Errno;
import io.polder.memory.FailingMemoryProvider;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.MemoryLimits;
import io.polder.memory.ProviderChoice;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * One story of a pool, told again and again, each time with another call to the operating system
 * failing. Whatever fails: what arenas hold is intact, the invariants hold, and once the system is
 * well again, all memory comes back.
 */
class FailingCallsTest {
    /** From one call of the story that fails to the next one that does. */
    private static final int STEP = TestScale.of(5, 1);

    private static final MemoryLimits LIMITS = new MemoryLimits(64 << 20, 1L << 32);

    private final FailingMemoryProvider provider =
            new FailingMemoryProvider(Providers.choose().provider());

    private MemoryPool pool = pool(MemoryLimits.NONE);
    private final List<Opened> opened = new ArrayList<>();
    private int painted;
    private int refused;

    private record Painted(MemorySegment segment, int seed) {}

    private record Opened(Arena arena, List<Painted> blocks) {}

    /** The decay is longer than any test: what the background does is called by the story. */
    private MemoryPool pool(MemoryLimits limits) {
        return CommonPool.create(
                new ProviderChoice(provider, true, "a test"),
                new PoolSettings(
                        "failing",
                        limits,
                        Duration.ofHours(1),
                        false,
                        false,
                        new SlabSettings(4096, 2),
                        LeakDetection.OFF,
                        false,
                        false),
                null);
    }

    private ArenaFactory slabs() {
        return Objects.requireNonNull(WatchedPool.slabs(pool));
    }

    /** Without limits an arena that is refused memory goes on with the JDK's: nobody notices. */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"REMAP", "RENEW"})
    void anyCall_failingOnceWithoutLimits_losesNothing(Call call) {
        failOnce(MemoryLimits.NONE, call, Errno.ENOMEM);
    }

    /** Nobody notices: where there are limits, each request is tried a last time. */
    private void failOnce(MemoryLimits limits, Call call, int errno) {
        failEachOnce(limits, call, errno);
        assertThat(refused).isZero();
    }

    @Tag("full")
    @ParameterizedTest
    @CsvSource({"RESERVE, 1", "COMMIT, 11", "UNCOMMIT, 22", "RELEASE, 22"})
    void anyCall_otherErrorOnceWithoutLimits_losesNothing(Call call, int errno) {
        failOnce(MemoryLimits.NONE, call, errno);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"REMAP", "RENEW"})
    void anyCall_failingOnceWithLimits_losesNothing(Call call) {
        failOnce(LIMITS, call, Errno.ENOMEM);
    }

    @Tag("full")
    @ParameterizedTest
    @CsvSource({"RESERVE, 1", "COMMIT, 11", "UNCOMMIT, 22", "RELEASE, 22"})
    void anyCall_otherErrorOnceWithLimits_losesNothing(Call call, int errno) {
        failOnce(LIMITS, call, errno);
    }

    private static List<Arguments> callsWithAndWithoutLimits() {
        return Stream.of(Call.RESERVE, Call.COMMIT, Call.UNCOMMIT, Call.RELEASE, Call.POPULATE)
                .flatMap(call -> Stream.of(Arguments.of(call, false), Arguments.of(call, true)))
                .toList();
    }

    private void failEachOnce(MemoryLimits limits, Call call, int errno) {
        long number = 1;
        tell(limits, () -> provider.fail(call, 1, errno));
        long before = 0;
        while (provider.failures(call) > before) {
            before = provider.failures(call);
            number += STEP;
            long failing = number;
            tell(limits, () -> provider.fail(call, failing, errno));
        }
        assertThat(number).as("calls of the story").isGreaterThan(call == Call.ADVISE ? 1 : 3);
    }

    @ParameterizedTest
    @MethodSource("callsWithAndWithoutLimits")
    void everySecondAndEveryThirdCall_failing_losesNothing(Call call, boolean limited) {
        for (int distance = 2; distance <= 3; distance++) {
            long step = distance;
            tell(
                    limited ? LIMITS : MemoryLimits.NONE,
                    () -> provider.failWhen(call, number -> number % step == 0, Errno.ENOMEM));
        }
        assertThat(provider.failures(call)).isGreaterThan(2);
    }

    @ParameterizedTest
    @MethodSource("callsWithAndWithoutLimits")
    void allCalls_failing_losesNothing(Call call, boolean limited) {
        tell(limited ? LIMITS : MemoryLimits.NONE, () -> provider.failAlways(call, Errno.ENOMEM));
        assertThat(provider.failures(call)).isPositive();
    }

    private void tell(MemoryLimits limits, Runnable injury) {
        pool = pool(limits);
        injury.run();
        story();
        provider.heal();
        end();
    }

    /** Opens, allocates, closes, trims: every call to the system comes up. */
    private void story() {
        for (int round = 0; round < 3; round++) {
            Opened confined = open(pool.openConfined());
            Opened nested = open(pool.openConfined());
            Opened shared = open(pool.openShared());
            Opened deferred = open(pool.openSharedDeferred());
            for (Opened each : List.of(confined, nested, shared, deferred)) {
                for (long bytes : new long[] {10, 1000, 3000, 20_000, 600_000, 2 << 20}) {
                    allocate(each, bytes);
                }
            }
            allocate(shared, 5 << 20);
            allocate(confined, 6 << 20);
            close(nested);
            close(shared);
            pool.trim();
            check();
            close(confined);
            pool.trim(); // releases what pages had
            allocate(deferred, 2 << 20);
            if (round == 1) {
                close(deferred);
                slabs().tick();
                pool.trim();
            }
            check();
        }
    }

    private Opened open(Arena arena) {
        Opened fresh = new Opened(arena, new ArrayList<>());
        opened.add(fresh);
        return fresh;
    }

    private void allocate(Opened in, long bytes) {
        MemorySegment segment;
        try {
            segment = in.arena().allocate(bytes, 64);
        } catch (OutOfMemoryError failure) {
            assertThat(failure).hasMessageContaining("injected");
            refused++;
            return;
        }
        ends(
                segment,
                end -> {
                    assertThat(Paint.isZero(end)).isTrue();
                    Paint.paint(end, painted);
                });
        in.blocks().add(new Painted(segment, painted));
        painted++;
    }

    private void check() {
        for (Opened each : opened) {
            for (Painted block : each.blocks()) {
                ends(
                        block.segment(),
                        end -> assertThat(Paint.isPainted(end, block.seed())).isTrue());
            }
        }
        PoolStatistics stats = pool.stats();
        assertThat(stats.usedBytes()).isLessThanOrEqualTo(stats.committedBytes());
        assertThat(stats.committedBytes()).isLessThanOrEqualTo(stats.reservedBytes());
    }

    private static void ends(MemorySegment segment, Consumer<MemorySegment> use) {
        long bytes = Math.min(2000, segment.byteSize());
        use.accept(segment.asSlice(0, bytes));
        if (segment.byteSize() >= 2 * bytes) {
            use.accept(segment.asSlice(segment.byteSize() - bytes));
        }
    }

    private void close(Opened last) {
        opened.remove(last);
        last.arena().close();
    }

    /** The system is well again: everything comes back. */
    private void end() {
        check();
        List.copyOf(opened).forEach(this::close);
        Await.until(() -> !slabs().tick());
        SlabAudit.check(slabs());
        pool.trim();
        SlabAudit.check(slabs());
        assertThat(pool.stats().usedBytes()).isZero();
        assertThat(pool.stats().capacityBytes()).isZero();
        assertThat(pool.stats().committedBytes()).isZero();
        pool.close();
        assertThat(pool.stats().reservedBytes()).isZero();
        assertThat(provider.reservedBytes()).isZero();
    }

    /** A pool whose release is refused when it is closed tries again. */
    @ParameterizedTest
    @CsvSource({"1", "2"})
    void close_releaseRefused_isTriedAgain(int times) {
        try (Arena arena = pool.openShared()) {
            arena.allocate(1000);
        }
        provider.failWhen(Call.RELEASE, number -> number <= times, Errno.ENOMEM);
        for (int i = 0; i < times; i++) {
            pool.close();
            assertThat(provider.reservedBytes()).isPositive();
        }
        pool.close();
        assertThat(provider.reservedBytes()).isZero();
        assertThat(pool.stats().refusals()).isEqualTo(times);
    }
}
