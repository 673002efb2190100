package io.polder.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.MemoryPool;

import org.apache.arrow.memory.AllocationManager;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** What a factory does in a JVM that denies native access. */
@Tag("native-access-denied")
class NativeAccessDeniedTest {
    private static final String MESSAGE =
            "Arrow's buffers cannot be in memory of Polder, since native access is denied: start"
                    + " Java with --enable-native-access=ALL-UNNAMED";

    @Test
    void factory_denied_refusesAndNamesTheFlagEachTime() {
        for (AllocationManager.Factory factory :
                List.of(
                        PolderAllocationManager.FACTORY,
                        PolderAllocationManager.FACTORY,
                        PolderAllocationManager.factory(MemoryPool.common()))) {
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(
                            () ->
                                    new RootAllocator(
                                            RootAllocator.configBuilder()
                                                    .allocationManagerFactory(factory)
                                                    .build()))
                    .withMessage(MESSAGE);
        }
    }

    @Test
    void create_denied_leavesTheAllocatorAsItWas() {
        try (BufferAllocator ofArrow = new RootAllocator()) {
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(() -> PolderAllocationManager.FACTORY.create(ofArrow, 64))
                    .withMessage(MESSAGE);
            try (ArrowBuf buffer = ofArrow.buffer(64)) {
                buffer.setLong(0, 7);
                assertThat(buffer.getLong(0)).isEqualTo(7);
            }
        }
    }
}
