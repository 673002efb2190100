package io.polder.heap.space;

import io.polder.gate.Gate;
import io.polder.gate.GateFence;
import io.polder.gate.SingleCounterGate;
import io.polder.gate.SlotGate;
import io.polder.gate.StripedGate;

/** Which gates a heap has; all but the last are there to be compared with. */
public enum GateKind {
    SINGLE,
    STRIPED,
    SLOT;

    Gate open() {
        return switch (this) {
            case SINGLE -> new SingleCounterGate();
            case STRIPED -> new StripedGate();
            case SLOT -> new SlotGate(GateFence.choose());
        };
    }
}
