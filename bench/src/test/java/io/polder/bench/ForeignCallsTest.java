package io.polder.bench;

import static org.assertj.core.api.Assertions.assertThat;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;

/** The four functions do what C says, and the names are names of classes. */
class ForeignCallsTest {
    @Test
    void strlen_countsBytes() {
        try (Arena arena = Arena.ofConfined()) {
            assertThat(LibC.strlen(arena.allocateFrom("polder"))).isEqualTo(6);
        }
    }

    @Test
    void clockGettime_tellsTheTime() {
        try (Arena arena = Arena.ofConfined()) {
            long nanos = LibC.clockGettime(arena.allocate(LibC.TIMESPEC));

            assertThat(Duration.between(Instant.EPOCH.plusNanos(nanos), Instant.now()).abs())
                    .isLessThan(Duration.ofMinutes(1));
        }
    }

    @Test
    void qsort_sortsUpwards() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ints = arena.allocateFrom(JAVA_INT, 3, -1, 2, Integer.MIN_VALUE, 0);

            LibC.qsort(ints, 5);

            assertThat(ints.toArray(JAVA_INT)).containsExactly(Integer.MIN_VALUE, -1, 0, 2, 3);
        }
    }

    @Test
    void getenv_agreesWithJava() {
        try (Arena arena = Arena.ofConfined()) {
            assertThat(LibC.getenv(arena.allocateFrom("PATH"))).isEqualTo(System.getenv("PATH"));
            assertThat(LibC.getenv(arena.allocateFrom("POLDER_NO_SUCH_VARIABLE"))).isEmpty();
        }
    }

    @Test
    void classNames_areDrawnBySeedFromTheRunningJdk() throws ClassNotFoundException {
        String[] names = ClassNames.sample(100, 7);

        assertThat(names).doesNotHaveDuplicates().isEqualTo(ClassNames.sample(100, 7));
        assertThat(Arrays.asList(names)).isNotEqualTo(Arrays.asList(ClassNames.sample(100, 8)));
        for (String name : names) {
            if (!name.endsWith("-info")) {
                assertThat(Class.forName(name, false, null)).isNotNull();
            }
        }
    }
}
