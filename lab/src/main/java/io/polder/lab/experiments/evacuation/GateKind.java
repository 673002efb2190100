package io.polder.lab.experiments.evacuation;

import io.polder.gate.Gate;
import io.polder.gate.GateFence;
import io.polder.gate.SingleCounterGate;
import io.polder.gate.SlotGate;
import io.polder.gate.StripedGate;

/** Which gate a heap has: that of the library, or one of those it is compared with. */
enum GateKind {
    SINGLE,
    STRIPED,
    SLOT;

    /** The contender that passes such a gate. */
    GateContender contender() {
        return switch (this) {
            case SINGLE -> GateContender.SINGLE;
            case STRIPED -> GateContender.STRIPED;
            case SLOT -> GateContender.SLOT;
        };
    }

    /** An open gate. */
    Gate open() {
        return switch (this) {
            case SINGLE -> new SingleCounterGate();
            case STRIPED -> new StripedGate();
            case SLOT -> new SlotGate(GateFence.choose());
        };
    }
}
