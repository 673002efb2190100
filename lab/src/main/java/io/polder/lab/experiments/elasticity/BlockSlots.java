package io.polder.lab.experiments.elasticity;

/** A number for each block that a workload ever allocates: those of one owner follow each other. */
final class BlockSlots {
    private final int[] first;
    private final int count;

    private BlockSlots(int[] first, int count) {
        this.first = first;
        this.count = count;
    }

    /**
     * Counts the blocks of a workload.
     *
     * @throws ArithmeticException if there are more than an array can hold
     */
    static BlockSlots of(Workload workload, ClassCatalogue catalogue) {
        int[] first = new int[workload.loadersEver()];
        int count = 0;
        for (int loader = 0; loader < first.length; loader++) {
            first[loader] = count;
            for (int position = 0; position < workload.classes(); position++) {
                count = Math.addExact(count, catalogue.blocks(loader, position).length);
            }
        }
        return new BlockSlots(first, count);
    }

    /** For each owner its first number; a copy. */
    int[] first() {
        return first.clone();
    }

    /** How many numbers there are. */
    int count() {
        return count;
    }
}
