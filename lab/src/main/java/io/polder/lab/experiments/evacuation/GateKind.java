package io.polder.lab.experiments.evacuation;

/** Which gate each use of a heap passes beside the heap's own: that of the library, or others. */
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

    /** The way through an open gate. */
    Passage open() {
        return switch (this) {
            case SINGLE -> new CountingGate(1);
            case STRIPED -> new CountingGate(CountingGate.STRIPES);
            case SLOT -> new SlotPassage();
        };
    }
}
