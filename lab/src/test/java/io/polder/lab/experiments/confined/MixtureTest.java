package io.polder.lab.experiments.confined;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.MemoryPool;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What is done before a mixed JVM measures: all of it, and as often as was asked for. */
class MixtureTest {
    @Test
    void run_doesEveryHabitItsShare() throws Exception {
        Map<String, Integer> done = new Mixture().run(100);

        for (String kind : List.of("common", "own", "watched", "agent", "jdk")) {
            assertThat(done)
                    .containsEntry(kind + ", small", 100)
                    .containsEntry(kind + ", medium", 10)
                    .containsEntry(kind + ", 1 MB", 1)
                    .containsEntry(kind + ", 8 MB", 1)
                    .containsEntry(kind + ", growing", 2)
                    .containsEntry(kind + ", nested", 100)
                    .containsEntry(kind + ", foreign call", 100)
                    .containsEntry(kind + ", cleanup", 100)
                    .containsEntry(kind + ", failing cleanup", 20)
                    .containsEntry(kind + ", misuse", 20)
                    .containsEntry(kind + ", closed by another thread", 1)
                    .containsEntry(kind + ", virtual thread", 1);
        }
        for (String kind : List.of("shared", "jdk shared", "deferred")) {
            assertThat(done)
                    .containsEntry(kind + ", small", 100)
                    .containsEntry(kind + ", cleanup", 10);
        }
        assertThat(done).containsEntry("freeing", 100).containsEntry("automatic", 2);
    }

    @Test
    void habits_closeWhatTheyOpen() throws Exception {
        List<Arena> opened = new ArrayList<>();
        try (MemoryPool pool = MemoryPool.builder().name("habits").build()) {
            ArenaHabits habits =
                    new ArenaHabits(
                            () -> {
                                Arena arena = pool.openConfined();
                                opened.add(arena);
                                return arena;
                            });
            for (int times = 0; times < 20; times++) {
                habits.small(times);
                habits.medium(times);
                habits.pieces(times);
                habits.nested(times);
                habits.values(times);
                habits.foreignCall(times);
                habits.kept(times);
                habits.cleanup(times);
                habits.failingCleanup(times);
                habits.misuse(times);
            }
            habits.growing(1);
            habits.closedByAnother(1);
            habits.release();
        }
        assertThat(opened).hasSizeGreaterThan(10 * 20).noneMatch(arena -> arena.scope().isAlive());
    }

    @Test
    void misuse_thatIsNotRefused_isFound() {
        ArenaHabits habits = new ArenaHabits(Arena::ofAuto);

        assertThatThrownBy(() -> habits.misuse(1))
                .isInstanceOf(UnsupportedOperationException.class);
        ArenaHabits shared = new ArenaHabits(Arena::ofShared);
        assertThatThrownBy(() -> shared.closedByAnother(1))
                .isInstanceOf(IllegalStateException.class);
    }
}
