package io.polder.lab.experiments.evacuation;

import io.polder.gate.Gate;
import io.polder.gate.GateCheck;
import io.polder.memory.ProcessFence;

/**
 * The gate of the library, with the fence that this machine has, by a thread that looks its slot up
 * each time.
 */
record SlotPassage(Gate gate) implements Passage {
    /** An open gate. */
    SlotPassage() {
        this(new Gate(ProcessFence.ofThisProcess()));
    }

    @Override
    public long begin() {
        return gate.accessor().begin();
    }

    @Override
    public void end(long section) {
        gate.accessor().end(section);
    }

    @Override
    public void verifyEmpty() {
        GateCheck.verifyEmpty(gate);
    }
}
