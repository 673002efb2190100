package io.polder.stress.everywhere;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.OsCallException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

class SweepTest {
    private static final int ENTRIES = 5;

    /** What came out of each run, by class; of those in which nothing was thrown, {@code none}. */
    private final List<String> outcomes = new ArrayList<>();

    /** How many entries each run came to. */
    private final List<Integer> came = new ArrayList<>();

    /** Five entries and a system call; a check that is told what to make of it. */
    private final class Operation implements Scenario {
        private final Consumer<@Nullable Throwable> check;
        private int entries;

        Operation(Consumer<@Nullable Throwable> check) {
            this.check = check;
        }

        @Override
        public void operate() {
            for (int i = 0; i < ENTRIES; i++) {
                enter();
            }
            if (Throwing.refuses()) {
                throw new OsCallException("injected", 12, 0, 0);
            }
        }

        /** Goes on whatever is thrown, like a handler. */
        private void enter() {
            try {
                entries++;
                Throwing.entry();
            } finally {
                Throwing.allocation();
            }
        }

        @Override
        public void check(@Nullable Throwable thrown) {
            outcomes.add(thrown == null ? "none" : thrown.getClass().getSimpleName());
            came.add(entries);
            check.accept(thrown);
        }
    }

    private Sweep sweep(
            Kind kind, Repeat repeat, Points tried, Consumer<@Nullable Throwable> check) {
        Sweep sweep = new Sweep("test", () -> new Operation(check), kind, repeat, tried);
        sweep.run();
        return sweep;
    }

    @Test
    void run_triesEachPoint_andOnceBeyond() {
        Sweep sweep = sweep(Kind.STACK, Repeat.ONCE, Points.ALL, _ -> {});
        assertThat(sweep.points()).isEqualTo(ENTRIES);
        assertThat(sweep.failures()).isEmpty();
        assertThat(came).containsExactly(1, 2, 3, 4, 5, 5);
        assertThat(outcomes).startsWith("StackOverflowError").endsWith("none");
    }

    @Test
    void run_twice_throwsInTheHandler() {
        Sweep sweep = sweep(Kind.ERROR, Repeat.TWICE, Points.ALL, _ -> {});
        assertThat(sweep.points()).isEqualTo(2 * ENTRIES);
        assertThat(came).startsWith(1, 1, 2, 2, 3);
    }

    @Test
    void run_system_refusesTheCall() {
        Sweep sweep = sweep(Kind.SYSTEM, Repeat.ONCE, Points.ALL, _ -> {});
        assertThat(sweep.points()).isEqualTo(1);
        assertThat(outcomes).containsExactly("OsCallException", "none");
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "3, 3", "5, 5", "100, 5"})
    void run_some_triesSoManyAtMost(long most, int tried) {
        for (int seed = 0; seed < ENTRIES; seed++) {
            Points some = Points.some(ENTRIES, most, seed);
            Sweep sweep = sweep(Kind.STACK, Repeat.ONCE, some, _ -> {});
            assertThat(sweep.points()).isBetween(1L, (long) tried);
            assertThat(sweep.failures()).isEmpty();
        }
    }

    @Test
    void run_none_throwsNothing() {
        Sweep sweep = sweep(Kind.STACK, Repeat.ONCE, Points.NONE, _ -> {});
        assertThat(sweep.passed()).isEqualTo(ENTRIES);
        assertThat(outcomes).containsExactly("none");
    }

    @Test
    void run_point_triesThatAlone() {
        Sweep sweep = sweep(Kind.STACK, Repeat.ONCE, Points.only(3), _ -> {});
        assertThat(sweep.points()).isEqualTo(1);
        assertThat(came).containsExactly(3);
    }

    @ParameterizedTest
    @EnumSource(names = {"STACK", "HEAP", "ERROR"})
    void run_checkFails_saysWhere(Kind kind) {
        Sweep sweep =
                sweep(
                        kind,
                        Repeat.ONCE,
                        Points.ALL,
                        thrown -> Require.that(thrown == null, "nothing is lost"));
        assertThat(sweep.failures()).hasSize((int) sweep.points()).isNotEmpty();
        assertThat(sweep.failures().getFirst().describe())
                .contains("--only test --kind " + kind + " --repeat ONCE --point 1")
                .contains("nothing is lost")
                .contains("injected, point=1")
                .contains("SweepTest$Operation.enter");
    }

    @Test
    void run_somethingElseComesOut_isAFailure() {
        Scenario broken =
                new Scenario() {
                    @Override
                    public void operate() {
                        try {
                            Throwing.entry();
                        } catch (StackOverflowError injected) {
                            throw new IndexOutOfBoundsException("half a change");
                        }
                    }

                    @Override
                    public void check(@Nullable Throwable thrown) {}
                };
        Sweep sweep = new Sweep("test", () -> broken, Kind.STACK, Repeat.ONCE, Points.ALL);
        sweep.run();
        assertThat(sweep.failures()).hasSize(1);
        assertThat(sweep.failures().getFirst().wrong())
                .hasCauseInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void run_throwsWithoutReason_isAFailure() {
        Scenario broken =
                new Scenario() {
                    @Override
                    public void operate() {
                        throw new IllegalStateException("closed");
                    }

                    @Override
                    public void check(@Nullable Throwable thrown) {}
                };
        Sweep sweep = new Sweep("test", () -> broken, Kind.STACK, Repeat.ONCE, Points.ALL);
        sweep.run();
        assertThat(sweep.failures()).hasSize(1);
        assertThat(sweep.points()).isZero();
    }
}
