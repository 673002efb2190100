package io.polder.lab.experiments.evacuation;

/**
 * The gates that are compared. All threads pass the same ones.
 *
 * @param single one counter
 * @param striped 64 counters
 * @param slot slots
 */
record Gates(CountingGate single, CountingGate striped, SlotPassage slot) {
    /** Open gates. */
    Gates() {
        this(new CountingGate(1), new CountingGate(CountingGate.STRIPES), new SlotPassage());
    }

    /** The loop of the current thread. */
    GateLoop loop(GateContender contender) {
        return switch (contender) {
            case SINGLE -> new GateLoop.Single(single);
            case STRIPED -> new GateLoop.Striped(striped);
            case SLOT -> new GateLoop.Slot(slot);
            case ACCESSOR -> new GateLoop.Held(slot.gate().accessor());
        };
    }

    /** Checks that nobody is inside. */
    void verifyEmpty() {
        single.verifyEmpty();
        striped.verifyEmpty();
        slot.verifyEmpty();
    }
}
