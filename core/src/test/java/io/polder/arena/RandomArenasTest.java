package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.Crew;
import io.polder.chunk.ChunkStatistics;
import io.polder.memory.FailingMemoryProvider;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.Providers;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Confined arenas against a model, in several settings, in threads of both kinds. */
class RandomArenasTest {
    private static final int OPERATIONS = 5000;
    private static final int ENOMEM = 12;

    /** Reservations refused until one is had: a space tries five sizes before it gives up. */
    private static final int REFUSED = 34;

    @RegisterExtension final Slabs fixture = new Slabs();

    private final ExecutorService stranger = Crew.of(1);
    private final long seed = Seed.get();

    @AfterEach
    void end() {
        stranger.close();
    }

    @ParameterizedTest
    @CsvSource({"2048, 1", "4096, 2", "4096, 4", "16384, 8", "1048576, 64"})
    void run_onThePlatformThread_agreesWithTheModel(long slabBytes, int count) {
        ArenaFactory memory = fixture.create(slabBytes, count);
        Seed.naming(seed, () -> run(memory, seed));
    }

    @ParameterizedTest
    @CsvSource({"2048, 1", "4096, 4", "16384, 8"})
    void run_inAVirtualThread_agreesWithTheModel(long slabBytes, int count) {
        ArenaFactory memory = fixture.create(slabBytes, count);
        Seed.naming(
                seed,
                () ->
                        OtherThread.virtual(
                                () -> {
                                    run(memory, seed);
                                    return true;
                                }));
    }

    @Test
    void run_inThreadsOfBothKindsAtOnce_agreesWithTheModel() {
        ArenaFactory memory = fixture.create(2048, 2);
        Seed.naming(
                seed,
                () -> {
                    try (ExecutorService platform = Crew.of(3);
                            ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor()) {
                        List<Future<?>> futures = new ArrayList<>();
                        for (int i = 0; i < 6; i++) {
                            long own = seed + i;
                            ExecutorService threads = i % 2 == 0 ? platform : virtual;
                            futures.add(
                                    threads.submit(
                                            () -> {
                                                run(memory, own);
                                                return true;
                                            }));
                        }
                        for (Future<?> future : futures) {
                            future.get();
                        }
                    }
                });
    }

    @ParameterizedTest
    @CsvSource({"2", "3", "7"})
    void run_everyNthCommitFailsAndManyReservations_agreesWithTheModel(int nth) {
        FailingMemoryProvider provider = new FailingMemoryProvider(Providers.choose().provider());
        provider.failWhen(Call.RESERVE, number -> number % (REFUSED + 1) != 0, ENOMEM);
        provider.failWhen(Call.COMMIT, number -> number % nth == 1, ENOMEM);
        ArenaFactory memory = fixture.create(provider, 4096, 1);
        Seed.naming(seed, () -> run(memory, seed));
        ChunkStatistics statistics = memory.source().space.statistics();
        assertThat(statistics.usage().refusals())
                .isEqualTo(provider.failures(Call.RESERVE) + provider.failures(Call.COMMIT));
        assertThat(provider.failures(Call.RESERVE)).isGreaterThanOrEqualTo(REFUSED);
        // The larger the OS page, the fewer commits.
        assertThat(provider.failures(Call.COMMIT)).isGreaterThan(5 * 4096 / provider.osPageSize());
        assertThat(statistics.usage().committedBytes()).isPositive();
    }

    @Test
    void naming_failure_saysTheSeed() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(
                        () ->
                                Seed.naming(
                                        42,
                                        () -> {
                                            throw new IllegalStateException("found");
                                        }))
                .withMessage("again with -Dpolder.test.seed=42")
                .withRootCauseInstanceOf(IllegalStateException.class);
    }

    private void run(ArenaFactory memory, long ownSeed) throws Exception {
        new RandomArenas(memory, ownSeed, stranger).run(OPERATIONS);
    }
}
