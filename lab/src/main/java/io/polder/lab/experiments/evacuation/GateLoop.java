package io.polder.lab.experiments.evacuation;

import io.polder.gate.Accessor;
import io.polder.lab.harness.Loop;

/**
 * Enters a gate and leaves it, over and over. Each contender has a loop of its own on a field of
 * its own type, so that the compiler sees in each what it would see in a program with one gate.
 */
abstract sealed class GateLoop implements Loop {
    /** How often a pass does so: the call itself costs nothing then. */
    static final int PAIRS = 256;

    /** The loop of one counter. */
    static final class Single extends GateLoop {
        private final CountingGate gate;

        Single(CountingGate gate) {
            this.gate = gate;
        }

        @Override
        public int pass() {
            for (int i = 0; i < PAIRS; i++) {
                gate.end(gate.begin());
            }
            return PAIRS;
        }
    }

    /** The loop of striped counters. */
    static final class Striped extends GateLoop {
        private final CountingGate gate;

        Striped(CountingGate gate) {
            this.gate = gate;
        }

        @Override
        public int pass() {
            for (int i = 0; i < PAIRS; i++) {
                gate.end(gate.begin());
            }
            return PAIRS;
        }
    }

    /** The loop of slots. */
    static final class Slot extends GateLoop {
        private final SlotPassage gate;

        Slot(SlotPassage gate) {
            this.gate = gate;
        }

        @Override
        public int pass() {
            for (int i = 0; i < PAIRS; i++) {
                gate.end(gate.begin());
            }
            return PAIRS;
        }
    }

    /** The loop of a slot that its thread holds. */
    static final class Held extends GateLoop {
        private final Accessor accessor;

        Held(Accessor accessor) {
            this.accessor = accessor;
        }

        @Override
        public int pass() {
            for (int i = 0; i < PAIRS; i++) {
                accessor.end(accessor.begin());
            }
            return PAIRS;
        }
    }
}
