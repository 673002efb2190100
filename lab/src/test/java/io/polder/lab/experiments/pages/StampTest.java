package io.polder.lab.experiments.pages;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What is written into objects, and whether damage is found. */
class StampTest {
    private static final ObjectKind KIND = ObjectKind.SMALL;

    @Test
    void check_damage_isFoundAtBothEndsAndInTheMiddle() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment object = arena.allocate(KIND.objectBytes(), Long.BYTES);
            long last = KIND.objectBytes() - 1;
            for (long at : new long[] {0, 8, KIND.objectBytes() / 2, last}) {
                Stamp.write(KIND, object.address(), 77);
                Stamp.check(KIND, object.address(), 77);

                byte written = object.get(ValueLayout.JAVA_BYTE, at);
                object.set(ValueLayout.JAVA_BYTE, at, (byte) ~written);

                assertThatThrownBy(() -> Stamp.check(KIND, object.address(), 77))
                        .isInstanceOf(AssertionError.class)
                        .hasMessageContaining("an object keeps what was written");
            }
        }
    }

    @Test
    void check_anotherObject_isFound() {
        try (Arena arena = Arena.ofConfined()) {
            long address = arena.allocate(KIND.objectBytes(), Long.BYTES).address();
            Stamp.write(KIND, address, 77);

            // The same filling, another id.
            assertThatThrownBy(() -> Stamp.check(KIND, address, 77 + 256))
                    .isInstanceOf(AssertionError.class);
        }
    }

    @Test
    void copy_checksEachOsPage() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = arena.allocate(KIND.objectBytes(), Long.BYTES);
            MemorySegment to = arena.allocate(KIND.objectBytes(), Long.BYTES);
            Stamp.write(KIND, from.address(), 5);

            assertThatCode(() -> Stamp.copy(KIND, from.address(), to.address(), 5))
                    .doesNotThrowAnyException();
            from.set(ValueLayout.JAVA_BYTE, 3 * 4096, (byte) 6);
            assertThatThrownBy(() -> Stamp.copy(KIND, from.address(), to.address(), 5))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("offset=12288");
        }
    }
}
