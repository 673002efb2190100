package io.polder.lab.experiments.fragmentation;

import io.polder.lab.harness.ExperimentException;
import io.polder.tools.html.MemoryMap.Span;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The workload, known as Example2 of JDK-8198423: many small owners, then a large one.
 *
 * <ol>
 *   <li>{@value #SMALL_OWNERS} owners live at the same time, each with one block of {@value
 *       #SMALL_BYTES} bytes;
 *   <li>all are closed, in random order;
 *   <li>one owner gets blocks of {@value #LARGE_BYTES} bytes until there is no room for another
 *       one.
 * </ol>
 *
 * <p>The sizes are those of a small and a large generated class in the class space of JDK 25.0.3,
 * in whole words.
 */
final class SmallThenLarge {
    /** What a space may have. */
    static final long BUDGET_BYTES = 10 << 20;

    static final int SMALL_OWNERS = 3000;
    static final int SMALL_BYTES = 568;
    static final int LARGE_BYTES = 2984;

    private final Random random;

    /** When a space is looked at. */
    enum Moment {
        /** Before any is closed. */
        SMALL("small owners live"),
        /** Before the large owner comes. */
        CLOSED("all of them closed"),
        /** When there is no room for another block. */
        LARGE("full of large blocks");

        private final String label;

        Moment(String label) {
            this.label = label;
        }

        /** For people. */
        String label() {
            return label;
        }
    }

    /**
     * Creates the workload.
     *
     * @param seed decides in which order the small owners are closed
     */
    SmallThenLarge(long seed) {
        random = new Random(seed);
    }

    /**
     * What became of the budget.
     *
     * @param id the contender's
     * @param label the contender's
     * @param largeBlocks how many there was room for
     * @param map the space at that moment
     * @param layouts the space at each {@link Moment}
     */
    record Outcome(
            String id,
            String label,
            long largeBlocks,
            String map,
            Map<Moment, List<Span>> layouts) {
        /** Copies the map. */
        Outcome {
            layouts = Map.copyOf(layouts);
        }

        /** Share of the budget that the large blocks fill. */
        double utilisation() {
            return largeBlocks * (double) LARGE_BYTES / BUDGET_BYTES;
        }
    }

    /**
     * Runs the workload on a contender that is new.
     *
     * @throws ExperimentException if not even the small owners have room
     */
    Outcome run(Contender contender) throws ExperimentException {
        List<Owner> small = new ArrayList<>();
        for (int i = 0; i < SMALL_OWNERS; i++) {
            Owner owner = contender.open();
            small.add(owner);
            if (owner.allocate(SMALL_BYTES) == Owner.NO_ROOM) {
                small.forEach(Owner::close);
                throw new ExperimentException(
                        contender.label() + " has no room for small owner " + (i + 1), null);
            }
        }
        Map<Moment, List<Span>> layouts = new EnumMap<>(Moment.class);
        layouts.put(Moment.SMALL, contender.layout());
        Collections.shuffle(small, random);
        small.forEach(Owner::close);
        layouts.put(Moment.CLOSED, contender.layout());
        Owner large = contender.open();
        long blocks = 0;
        while (large.allocate(LARGE_BYTES) != Owner.NO_ROOM) {
            blocks++;
            if (blocks * LARGE_BYTES > BUDGET_BYTES) {
                throw new AssertionError(
                        "a contender keeps to its budget: contender="
                                + contender.label()
                                + ", largeBlocks="
                                + blocks);
            }
        }
        layouts.put(Moment.LARGE, contender.layout());
        Outcome outcome =
                new Outcome(contender.id(), contender.label(), blocks, contender.map(), layouts);
        large.close();
        return outcome;
    }
}
