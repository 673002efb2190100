package io.polder.gate;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.polder.memory.ProcessFence;

/** Every kind of gate that the library has. */
enum GateUnderTest {
    SLOT_FULL,
    SLOT_ASYMMETRIC;

    /** An open one; skips the test where there is none of this kind. */
    Gate create() {
        return switch (this) {
            case SLOT_FULL -> new Gate(GateFence.full());
            case SLOT_ASYMMETRIC -> {
                ProcessFence process = ProcessFence.ofThisProcess();
                assumeTrue(process.isAvailable(), process.reason());
                yield new Gate(GateFence.asymmetric(process::run));
            }
        };
    }
}
