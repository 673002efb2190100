package io.polder.gate;

import io.polder.memory.Fences;
import io.polder.memory.ProcessFence;

/** A gate with each of the two ways to fence all threads. */
enum GateUnderTest {
    HANDSHAKE,
    MEMBARRIER;

    /** An open one; with a handshake in any case where the system has nothing else. */
    Gate create() {
        return new Gate(this == HANDSHAKE ? Fences.handshake() : ProcessFence.ofThisProcess());
    }
}
