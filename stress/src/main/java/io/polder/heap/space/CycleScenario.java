package io.polder.heap.space;

/** Where scenarios with a cycle begin: in the middle of one that nobody goes on with. */
public final class CycleScenario {
    private CycleScenario() {}

    /** A phase of the regions that a cycle has chosen. */
    public enum Phase {
        PREPARING(Region.PREPARING),
        EVACUATING(Region.EVACUATING),
        FINISHING(Region.FINISHING);

        private final int phase;

        Phase(int phase) {
            this.phase = phase;
        }
    }

    /**
     * Makes a cycle choose all regions.
     *
     * @param evacuation of the heap, at rest: an {@link Evacuation}
     * @param regions of the heap: {@link Regions}
     * @param phase how far the cycle came
     */
    public static void begin(Object evacuation, Object regions, Phase phase) {
        ((Evacuation) evacuation).pins = new PinCounts();
        ((Evacuation) evacuation).underWay = true;
        for (Region region : ((Regions) regions).list()) {
            region.retire();
            region.inCollectionSet = true;
            region.phase = phase.phase;
        }
    }
}
