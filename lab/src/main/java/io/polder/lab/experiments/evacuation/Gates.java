package io.polder.lab.experiments.evacuation;

import io.polder.gate.GateCheck;
import io.polder.gate.GateFence;
import io.polder.gate.SingleCounterGate;
import io.polder.gate.SlotGate;
import io.polder.gate.StripedGate;

/**
 * The gates that are compared. All threads pass the same ones.
 *
 * @param single one counter
 * @param striped 64 counters
 * @param slot slots, with the fence that this machine has
 */
record Gates(SingleCounterGate single, StripedGate striped, SlotGate slot) {
    /** Open gates. */
    Gates() {
        this(new SingleCounterGate(), new StripedGate(), new SlotGate(GateFence.choose()));
    }

    /** The loop of the current thread. */
    GateLoop loop(GateContender contender) {
        return switch (contender) {
            case SINGLE -> new GateLoop.Single(single);
            case STRIPED -> new GateLoop.Striped(striped);
            case SLOT -> new GateLoop.Slot(slot);
            case ACCESSOR -> new GateLoop.Held(slot.accessor());
        };
    }

    /** Checks that nobody is inside. */
    void verifyEmpty() {
        GateCheck.verifyEmpty(single);
        GateCheck.verifyEmpty(striped);
        GateCheck.verifyEmpty(slot);
    }
}
