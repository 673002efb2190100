package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.OtherThread;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** Arguments that are refused: as the JDK refuses them, and nothing is lost. */
interface BadArgumentContract extends ArenaUnderTest {
    /** Calls that cannot succeed. */
    Map<String, Consumer<Arena>> REFUSED =
            Map.ofEntries(
                    Map.entry("size -1", arena -> arena.allocate(-1)),
                    Map.entry("size -1, aligned", arena -> arena.allocate(-1, 16)),
                    Map.entry("size MIN", arena -> arena.allocate(Long.MIN_VALUE, 1)),
                    Map.entry("alignment 0", arena -> arena.allocate(8, 0)),
                    Map.entry("alignment -1", arena -> arena.allocate(8, -1)),
                    Map.entry("alignment 3", arena -> arena.allocate(8, 3)),
                    Map.entry("alignment 24", arena -> arena.allocate(0, 24)),
                    Map.entry("alignment MIN", arena -> arena.allocate(8, Long.MIN_VALUE)),
                    Map.entry("alignment MAX", arena -> arena.allocate(8, Long.MAX_VALUE)),
                    Map.entry("both", arena -> arena.allocate(-1, 3)),
                    Map.entry("count -1", arena -> arena.allocate(ValueLayout.JAVA_INT, -1)),
                    Map.entry(
                            "count overflows",
                            arena -> arena.allocate(ValueLayout.JAVA_LONG, 1L << 61)));

    /** Sizes that no system has. */
    List<long[]> TOO_LARGE =
            List.of(
                    new long[] {Long.MAX_VALUE, 1},
                    new long[] {Long.MAX_VALUE, 16},
                    new long[] {Long.MAX_VALUE - 15, 16},
                    new long[] {Long.MAX_VALUE / 2, 1},
                    new long[] {Long.MAX_VALUE, 1L << 62},
                    new long[] {1L << 60, 4096},
                    new long[] {8, 1L << 62},
                    new long[] {8, 1L << 52});

    @Test
    default void allocate_badArguments_throwsWhatTheJdkThrows() {
        REFUSED.forEach(
                (name, call) -> {
                    try (Arena ours = open();
                            Arena jdks = Arena.ofConfined()) {
                        assertSame(name, call, ours, jdks);
                        MemorySegment segment = ours.allocate(8); // and it goes on
                        Paint.paint(segment, 1);
                        assertSame(name, call, ours, jdks);
                        assertThat(Paint.isPainted(segment, 1)).isTrue();
                    }
                });
    }

    @Test
    default void allocate_badArguments_areIllegalArguments() {
        try (Arena arena = open()) {
            assertThat(OtherThread.thrownBy(() -> arena.allocate(-1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("The provided allocation size is negative: -1");
            assertThat(OtherThread.thrownBy(() -> arena.allocate(8, 3)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("Invalid alignment constraint : 3");
        }
    }

    @Test
    default void allocate_badArgumentsAfterClose_throwsWhatTheJdkThrows() {
        REFUSED.forEach(
                (name, call) -> {
                    Arena ours = open();
                    Arena jdks = Arena.ofConfined();
                    ours.close();
                    jdks.close();
                    assertSame(name, call, ours, jdks);
                });
    }

    @Test
    default void allocate_moreThanThereIs_isOutOfMemory() {
        try (Arena arena = open()) {
            assertThat(OtherThread.thrownBy(() -> arena.allocate(Long.MAX_VALUE)))
                    .isInstanceOf(OutOfMemoryError.class);
        }
    }

    @Test
    default void allocate_tooLarge_throwsWhatTheJdkThrowsAndGoesOn() {
        try (Arena ours = open();
                Arena jdks = Arena.ofConfined()) {
            MemorySegment before = ours.allocate(8);
            for (long[] arguments : TOO_LARGE) {
                Throwable expected = thrown(jdks, arguments);
                assertThat(thrown(ours, arguments))
                        .describedAs("size %d, alignment %d", arguments[0], arguments[1])
                        .hasSameClassAs(expected);
                assertThat(ours.allocate(8).address() - before.address()).isNotZero();
            }
        }
    }

    @Test
    default void allocate_null_isRefused() {
        try (Arena arena = open()) {
            SegmentAllocator allocator = arena;
            assertThat(OtherThread.thrownBy(() -> allocator.allocate(nothing())))
                    .isInstanceOf(NullPointerException.class);
            assertThat(arena.allocate(8).byteSize()).isEqualTo(8);
        }
    }

    private static void assertSame(String name, Consumer<Arena> call, Arena ours, Arena jdks) {
        Throwable expected =
                Objects.requireNonNull(OtherThread.thrownBy(() -> call.accept(jdks)), name);
        assertThat(OtherThread.thrownBy(() -> call.accept(ours)))
                .describedAs(name)
                .hasSameClassAs(expected)
                .hasMessage(expected.getMessage());
    }

    private static Throwable thrown(Arena arena, long[] arguments) {
        return Objects.requireNonNull(
                OtherThread.thrownBy(() -> arena.allocate(arguments[0], arguments[1])));
    }

    @SuppressWarnings("NullAway") // what a caller without a checker may pass
    private static MemoryLayout nothing() {
        return null;
    }
}
